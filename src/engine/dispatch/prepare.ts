/** Builds the request of a step: evaluated, authenticated and signed. */
import type { EvaluationContext, Roots } from '../mapping/mapping.ts';
import type { Carrier, Step } from '../profile/carrier.ts';
import { createHostList, type HostList } from '../transport/address.ts';
import type { WireRequest } from '../transport/wire.ts';
import { once } from '../value.ts';
import { type AuthMaterial, authenticate, signRequest } from './auth/authenticate.ts';
import { documentsOf } from './documents.ts';
import { buildRequest, type PlainRequest, setQuery } from './request.ts';
import type { FailedCall, UsedToken } from './ports.ts';
import type { Call, LogIn, RunContext } from './run-context.ts';
import { derivedUuid, evaluateForSending, evaluationFailure } from './scope.ts';
import { unsentFailure } from './unsent-failure.ts';

export interface Prepared {
  readonly request: WireRequest;
  readonly tokens: readonly UsedToken[];
  readonly evaluation: EvaluationContext;
  readonly sentAt: string;
}

/** Everything before a byte leaves. */
export const prepare = async (context: RunContext, call: Call, logIn: LogIn): Promise<Prepared | FailedCall> => {
  const { run } = context;
  const { step, scope } = call;
  try {
    return await evaluateForSending(context, scope, await openOf(context, call), async (sending) => {
      const { roots, evaluation } = sending;
      const boundary = derivedUuid(run.seed, 'boundary', scope.step, scope.element);
      const build = async (auths: AuthMaterial['auths']): Promise<PlainRequest> =>
        await buildRequest(step, { ...roots, auths }, evaluation, boundary);
      // What the mapping refuses costs no login, unless the request itself holds a token.
      const early = readsTokens(step) ? undefined : await build({});
      const material = await authenticate(context, call, sending, logIn);
      if ('word' in material) return material;
      const { url, body, ...plain } = early ?? (await build(material.auths));
      for (const [name, value] of Object.entries(material.query)) setQuery(url, name, value);
      const headers = { ...plain.headers, ...material.headers };
      await signRequest(step.auth, { ...plain, url, body, headers }, { ...roots, auths: material.auths }, evaluation);
      const request: WireRequest = {
        method: plain.method,
        url: url.href,
        headers,
        body,
        tls: material.tls,
        allowedHosts: allowedHosts(run.carrier, sending.environment),
        // What may not be repeated is not sent over a connection that may just be closing.
        freshConnection: !call.isRead && call.idempotency.by === 'none',
      };
      return { request, tokens: material.tokens, evaluation, sentAt: roots.sentAt };
    });
  } catch (thrown) {
    return call.isRead ? evaluationFailure(thrown) : unsentFailure(context, step, scope, thrown);
  }
};

/** Throws what would keep a call from being sent, as far as that can be told without asking anybody. */
export const rehearse = async (context: RunContext, call: Call): Promise<void> => {
  const { step, scope } = call;
  if (readsTokens(step)) return;
  await evaluateForSending(context, scope, await openOf(context, call), async (sending) =>
    buildRequest(step, sending.roots, sending.evaluation, 'rehearsal'),
  );
};

/** The roots of a call without secrets, with the documents that its request attaches. */
const openOf = async ({ run, ports }: RunContext, { step, scope, roots }: Call): Promise<Roots> => {
  const documents = await documentsOf(run, ports, step, scope);
  return documents === undefined ? roots : { ...roots, documents };
};

/** Whether a part of the request is made of `auths`: only then its tokens are needed to build it. */
const readsTokens = once(({ url, headers, query, body }: Step): boolean => {
  const parts = [url, ...Object.values(headers), ...Object.values(query), body?.content];
  if (body?.codec === 'soap') parts.push(body.header, body.action);
  return parts.some((part) => part !== undefined && /\bauths\b/.test(part.text));
}, new WeakMap());

/**
 * Where the requests of a carrier may go: the hosts and ports of the URLs of its environment, and the hosts that the
 * profile declares or writes out. A URL that the carrier gave leads nowhere else.
 */
export const allowedHosts = (carrier: Carrier, environment: Readonly<Record<string, unknown>>): HostList => {
  const hosts = Object.values(environment).flatMap((value) => {
    const url = typeof value === 'string' && /^https?:\/\//i.test(value) ? URL.parse(value) : null;
    return url === null ? [] : [url.host];
  });
  return createHostList([...carrier.hosts, ...hosts]);
};
