/** From a step to a request that is ready to leave: evaluated, proved, signed. */
import { Failure, problem } from '../failure.ts';
import { Rejection, type EvaluationContext } from '../mapping/mapping.ts';
import type { Step } from '../profile/carrier.ts';
import type { WireRequest } from '../transport/wire.ts';
import type { CallOutcome, CallRequest } from './call-request.ts';
import type { AuthMaterial, Proving, ProvingContext } from './auth/auth-material.ts';
import { prove } from './auth/prove.ts';
import { signRequest } from './auth/sign-request.ts';
import { allowedHosts } from './hosts.ts';
import type { Run } from './ports.ts';
import { buildRequest, type PlainRequest, setQuery } from './request.ts';
import { derivedUuid, evaluateEnvironment, sendingRoots, evaluationContextOf, withDraws } from './scope.ts';

/** A request with its proof, ready to leave. */
export interface Prepared {
  readonly wire: WireRequest;
  readonly proof: AuthMaterial;
  readonly context: EvaluationContext;
  readonly sentAtMs: number;
}

type Unasked = Extract<CallOutcome, { kind: 'unbuilt' | 'held_back' }>;

/** Evaluates the request, proves who we are and signs: all that comes before a byte leaves. */
export const prepare = async (asking: CallRequest, askLogin: AskLogin): Promise<Prepared | Unasked> => {
  const { run, ports, step, call, open } = asking;
  const context = evaluationContextOf(run, ports.attemptLog, call, asking.mask);
  try {
    return await withDraws(ports.attemptLog, call, async () => {
      const environment = await evaluateEnvironment(run, context, true);
      const sentAtMs = ports.nowMs();
      const boundary = derivedUuid(run.seed, 'boundary', call.step, call.element);
      const build = async (auths: AuthMaterial['auths']): Promise<PlainRequest> =>
        await buildRequest(step, sendingRoots(open, run, environment, auths, sentAtMs), context, boundary);
      // What the mapping refuses costs no login (§3.1), unless the request itself holds a token.
      const early = readsTokens(step) ? undefined : await build({});
      const proving = await proofFor(asking, { environment, context, askLogin });
      if (!proving.ok) return unproved(proving);
      const { proof } = proving;
      for (const { name, value } of proof.secrets) asking.mask.add(name, value);
      const plain = early ?? (await build(proof.auths));
      const roots = sendingRoots(open, run, environment, proof.auths, sentAtMs);
      for (const [name, value] of Object.entries(proof.query)) setQuery(plain.url, name, value);
      const hosts = allowedHosts(run.carrier, environment);
      const headers = { ...plain.headers, ...proof.headers };
      await signRequest(step.auth, { ...plain, headers }, roots, context);
      const wire: WireRequest = {
        method: plain.method,
        url: plain.url.href,
        headers,
        ...(plain.body === undefined ? {} : { body: plain.body }),
        ...(proof.tls === undefined ? {} : { tls: proof.tls }),
        allowedHosts: hosts,
        freshConnection: asking.once,
      };
      return { wire, proof, context, sentAtMs };
    });
  } catch (thrown) {
    return unbuilt(thrown);
  }
};

/** Whether something of a request is made of `auths`: only then its tokens are needed to build it. */
const readsTokens = (step: Step): boolean => {
  const known = tokenReaders.get(step);
  if (known !== undefined) return known;
  const { url, headers, query, body } = step;
  const parts = [url, ...Object.values(headers), ...Object.values(query)];
  if (body !== undefined) parts.push(body.content);
  if (body?.codec === 'soap') parts.push(...[body.header, body.action].filter((part) => part !== undefined));
  const reads = parts.some(({ text }) => /\bauths\b/.test(text));
  tokenReaders.set(step, reads);
  return reads;
};
const tokenReaders = new WeakMap<Step, boolean>();

const unproved = (proving: Exclude<Proving, { ok: true }>): Unasked => {
  const { problem: reason } = proving;
  return proving.as === 'held_back'
    ? { kind: 'held_back', waitMs: proving.waitMs, problem: reason }
    : { kind: 'unbuilt', as: proving.as, problem: reason, retryAfterMs: proving.retryAfterMs };
};

/** Runs a login as a step of its own. */
export type AskLogin = (asking: CallRequest, login: Step) => Promise<CallOutcome>;

export interface ProofMeans {
  readonly environment: Readonly<Record<string, unknown>>;
  readonly context: EvaluationContext;
  readonly askLogin: AskLogin;
}

/** Who we are, by the auths of the step; logs in where a token is needed. */
export const proofFor = async (
  asking: CallRequest,
  { environment, context, askLogin }: ProofMeans,
): Promise<Proving> => {
  const { run, ports, step, open } = asking;
  return await prove(step.auth, {
    roots: sendingRoots(open, run, environment, {}, ports.nowMs()),
    context,
    tokens: ports.tokens,
    scope: scopeOf(run),
    limits: step.limits,
    nowMs: ports.nowMs,
    askLogin: async (login) => await askLogin(asking, login),
  });
};

const scopeOf = ({ carrier, account, environment }: Run): ProvingContext['scope'] => ({
  account: `${carrier.code}/${account.id}/${environment}`,
  version: account.version,
  profileHash: carrier.hash,
});

/** What an evaluation threw before anything was sent. What is no error of profile or account is not ours to judge. */
const unbuilt = (thrown: unknown): Unasked => {
  if (thrown instanceof Rejection) {
    return { kind: 'unbuilt', as: 'reject', problem: problem(thrown.code ?? 'rejected_by_profile', thrown.message) };
  }
  if (!(thrown instanceof Failure)) throw thrown;
  return { kind: 'unbuilt', as: 'config_error', problem: problem(thrown.code, thrown.message, thrown.place) };
};
