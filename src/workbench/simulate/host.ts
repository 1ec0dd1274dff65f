/** One simulated carrier: what it knows, and what it answers. */
import { messageOf } from '../../engine/failure.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { accountOf } from '../cases/account.ts';
import { webhookUrl } from '../cases/perform.ts';
import type { CaseFiles } from '../cases/read.ts';
import { readSchemas } from '../cases/request-schemas.ts';
import { segmentsOf } from '../cases/requests.ts';
import { type Applied, type Behaviour, createBehaviours } from './behaviour.ts';
import { isOf } from './choose.ts';
import { leavesOf, mapLeaves, textOf } from './document.ts';
import { labelFor } from './labels.ts';
import { refused } from './refuse.ts';
import { answerTo, repeated } from './reply.ts';
import { proofsOf, wrongProof } from './proofs.ts';
import type { SceneRequest } from './requests.ts';
import { readScenes } from './scenes.ts';
import { createBook } from './shipments.ts';
import { refusal, type SimulatedAnswer } from './wording.ts';
import { createNumbers } from './words.ts';

export const openHost = async (
  carrier: Carrier,
  files: CaseFiles,
  { nowMs, always }: { readonly nowMs: () => number; readonly always: readonly Behaviour[] },
) => {
  const scenes = await readScenes(carrier, files);
  const account = accountOf(carrier, undefined);
  const behaviours = createBehaviours();
  for (const behaviour of always) behaviours.add(behaviour);
  return {
    scenes,
    account,
    behaviours,
    book: createBook(),
    // Unlikely to repeat after a restart.
    number: createNumbers(Math.floor(nowMs() / 1_000) % 1_000_000_000),
    nowMs,
    proofs: proofsOf(scenes, account),
    schemas: readSchemas(carrier.code, files),
    /** Answers to requests that come again with the same key. */
    keyed: new Map<string, SimulatedAnswer>(),
    webhookUrl: undefined as string | undefined,
    /** URLs that answers named, without the host. */
    handedOut: new Set<string>(),
  };
};
export type Host = Awaited<ReturnType<typeof openHost>>;

/** `base`: what stands in answers in the place of the carrier's own URL. */
export const act = async (
  host: Host,
  asked: SceneRequest,
  problem: Applied | undefined,
  base: string,
): Promise<SimulatedAnswer> => {
  try {
    const answer = misbehaved(host, asked, problem) ?? notTaken(host, asked) ?? answered(host, asked);
    return inPlace(answer, host, base);
  } catch (thrown) {
    return refusal(500, `the simulator failed: ${messageOf(thrown)}`);
  }
};

const misbehaved = (host: Host, asked: SceneRequest, problem: Applied | undefined): SimulatedAnswer | undefined => {
  if (problem === undefined) return undefined;
  const { status = 500, message = 'simulated problem', retryAfterSeconds } = problem;
  if (problem.do === 'case' || problem.do === 'refuse') {
    const named = problem.case === undefined ? '' : ` (${problem.case})`;
    const found = answerTo(asked, host, { case: problem.case });
    return found ?? refusal(501, `no case of this carrier refuses such a request${named}`);
  }
  if (problem.acts && problem.do !== 'status') return undefined;
  if (problem.acts) answered(host, asked);
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const answer = refusal(status, message);
  return { ...answer, headers: { ...answer.headers, ...retry } };
};

/** What the carrier does not take: a wrong credential, or what its schemas forbid. */
const notTaken = (host: Host, asked: SceneRequest): SimulatedAnswer | undefined => {
  const wrong = wrongProof(host.proofs, asked);
  if (wrong !== undefined)
    return refused('credentials', 401, `${wrong} is not that of the example account`, asked, host);
  const findings = host.schemas.findingsOf({ ...asked, body: asked.bytes });
  return findings.length === 0 ? undefined : refused('request', 400, findings.join('; '), asked, host);
};

const answered = (host: Host, asked: SceneRequest): SimulatedAnswer => {
  const key = keyOf(host, asked);
  const before = key === undefined ? undefined : host.keyed.get(key);
  if (before !== undefined) return repeated(asked, host) ?? before;
  noteWebhook(host, asked);
  const answer = answerTo(asked, host);
  const path = asked.segments.join('/');
  const isLabel = asked.method === 'GET' && host.handedOut.has(path);
  if (answer !== undefined && !(isLabel && answer.isUnknown)) {
    if (key !== undefined && answer.status < 400) host.keyed.set(key, answer);
    return answer;
  }
  if (isLabel) {
    const { type, content } = labelFor(path);
    return { status: 200, headers: { 'content-type': type }, body: { kind: 'bytes', tree: content }, from: 'a label' };
  }
  return refusal(501, `no case of ${host.scenes.carrier.code} shows ${asked.method} /${path} with such a body`);
};

/** A carrier that knows repeats by a key, or a create by its reference, answers them alike. */
const keyOf = ({ scenes }: Host, asked: SceneRequest): string | undefined => {
  const { method, segments, headers, query, said } = asked;
  const by = scenes.carrier.operations.create?.idempotency.by ?? 'none';
  if (by === 'none' || method === 'GET') return undefined;
  if (by === 'reference' && !isOf(scenes.scenes, asked, 'create')) return undefined;
  if (by === 'reference') return JSON.stringify([method, textOf(said)]);
  const [, key] = Object.entries(headers).find(([name]) => /idempotency|request-id|transid/i.test(name)) ?? [];
  return key === undefined ? undefined : JSON.stringify([method, segments, query, key]);
};

/** Where a `register` tells the carrier to call. */
const noteWebhook = (host: Host, asked: SceneRequest): void => {
  const { carrier, scenes } = host.scenes;
  const ours = new URL(webhookUrl(carrier.code)).pathname.replace(/1$/, '');
  if (!scenes.some(({ do: name }) => name === 'register')) return;
  host.webhookUrl = leavesOf(asked.body.tree).find(({ text }) => text.includes(ours))?.text ?? host.webhookUrl;
};

/** The carrier's URLs become those of the simulator, and those of labels that lie elsewhere, too. */
const inPlace = (answer: SimulatedAnswer, host: Host, base: string): SimulatedAnswer => {
  const { urls, labelUrls } = host.scenes;
  const elsewhere = new Set([...labelUrls].map((url) => new URL(url).origin));
  const change = (text: string): string => {
    if (!text.includes('://')) return text;
    const own = urls.reduce((changed, url) => changed.replaceAll(url, base), text);
    const whole = [...elsewhere].reduce(
      (changed, origin) => changed.replaceAll(`${origin}/`, `${base}/~/${new URL(origin).host}/`),
      own,
    );
    for (const [url] of whole.matchAll(/https?:\/\/[^\s"'<>]+/g))
      if (url.startsWith(`${base}/`)) host.handedOut.add(segmentsOf(new URL(url).pathname).slice(1).join('/'));
    return whole;
  };
  const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, change(value)]));
  const { kind, tree } = answer.body;
  return { ...answer, headers, body: { kind, tree: kind === 'bytes' ? tree : mapLeaves(tree, change) } };
};
