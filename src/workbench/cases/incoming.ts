/** Steps of a case in which the carrier calls us: a push of the contract, or the carrier's own webhook. */
import { compareBodies } from './compare-bodies.ts';
import { Failure } from '../../engine/failure.ts';
import { readContractPush } from '../../engine/statuses/status-update.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import {
  admitWebhook,
  type IncomingRequest,
  mapWebhook,
  signWebhook,
  type WebhookReply,
  type WebhookScene,
} from '../../engine/statuses/carrier-webhook.ts';
import { bodyOf, type ReadBeside } from './bodies.ts';
import { recordUpdates } from './events.ts';
import { webhookUrl } from './perform.ts';
import type { Path } from './read.ts';
import { type CaseDifference, CaseEnded, type Correction } from './report.ts';
import type { Expect, Incoming, Step } from './schema.ts';
import type { Story } from './story.ts';

export interface Received {
  readonly reply: WebhookReply;
  /** Why it was refused. */
  readonly why?: string | undefined;
  readonly events: readonly NormalisedEvent[];
}

/** What comes of the carrier's call; nothing is compared. */
export const receive = async (story: Story, step: Step, path: Path): Promise<Received> => {
  const request = step.request ?? {};
  return step.do === 'push' ? receivePush(story, request) : await receiveOwn(story, request, path);
};

/** As `POST /v2/carriers/{carrierCode}/statuses` takes it, with a good token. */
const receivePush = (story: Story, request: Incoming): Received => {
  const body = bodyOf(request, story.caseFile.beside)?.encode().bytes ?? Buffer.alloc(0);
  try {
    return { reply: { status: 200, headers: {} }, events: recordUpdates(story, readContractPush(body).updates) };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return { reply: { status: 400, headers: {} }, why: thrown.message, events: [] };
  }
};

/** As `POST /v2/carriers/{carrierCode}/webhook/{account}` takes it. */
const receiveOwn = async (story: Story, incoming: Incoming, path: Path): Promise<Received> => {
  const { carrier, account, environment, clock } = story;
  const { webhook } = carrier.statuses;
  if (webhook === undefined) {
    story.problems.add(story.caseFile.placeAt([...path, 'do']), `${carrier.code} has no statuses.webhook`);
    throw new CaseEnded('no webhook');
  }
  const url = webhookUrl(carrier.code);
  const scene = { carrier, webhook, account, environment, webhookUrl: url, nowMs: clock.nowMs() };
  const request = await requestOf(scene, incoming, story.caseFile.beside);
  const admitted = await admitWebhook(scene, request);
  if (admitted.kind === 'refused') {
    return { reply: { status: admitted.status, headers: {} }, why: admitted.why, events: [] };
  }
  const updates = admitted.kind === 'handshake' ? [] : await mapWebhook(scene, request);
  return { reply: admitted.reply, events: recordUpdates(story, updates) };
};

const requestOf = async (scene: WebhookScene, incoming: Incoming, beside: ReadBeside): Promise<IncomingRequest> => {
  const body = bodyOf(incoming, beside)?.encode();
  const url = new URL(scene.webhookUrl);
  for (const [name, value] of Object.entries(incoming.query ?? {})) url.searchParams.set(name, value);
  const headers: Record<string, string> = body === undefined ? {} : { 'content-type': body.contentType };
  for (const [name, value] of Object.entries(incoming.headers ?? {})) headers[name.toLowerCase()] = value;
  const request: IncomingRequest = {
    method: incoming.method ?? 'POST',
    url: url.href,
    headers,
    body: body?.bytes ?? Buffer.alloc(0),
    // A case that says nothing of it comes from where it may.
    from: incoming.from ?? scene.webhook.allow[0]?.split('/')[0],
  };
  if (incoming.sign !== true) return request;
  const signature = await signWebhook(scene, request);
  for (const [name, value] of Object.entries(signature.query)) url.searchParams.set(name, value);
  return { ...request, url: url.href, headers: { ...headers, ...signature.headers } };
};

/** `at`: the step's `expect`. To be refused is nothing that a case may leave unsaid. */
export const checkReply = (
  story: Story,
  expect: Expect | undefined,
  { reply: seen, why }: Received,
  at: Path,
): void => {
  const expected = expect?.reply ?? (why === undefined ? undefined : 200);
  if (expected === undefined) return;
  const path = [...at, 'reply'];
  const differences: CaseDifference[] = [];
  const corrections: Correction[] = [];
  const wanted = typeof expected === 'number' ? { status: expected } : expected;
  if (wanted.status !== seen.status) {
    differences.push({ path: 'reply.status', expected: wanted.status, seen: seen.status });
    const at = typeof expected === 'number' ? path : [...path, 'status'];
    corrections.push({ kind: 'value', path: at, value: seen.status });
  }
  for (const [name, value] of Object.entries(wanted.headers ?? {})) {
    const got = seen.headers[name.toLowerCase()];
    if (got === value) continue;
    differences.push({ path: `reply.headers.${name}`, expected: value, seen: got });
    corrections.push({ kind: 'value', path: [...path, 'headers', name], value: got });
  }
  const body = bodyOf(wanted, story.caseFile.beside);
  if (body !== undefined) {
    const actual = { bytes: seen.body ?? Buffer.alloc(0), contentType: seen.headers['content-type'] };
    for (const one of compareBodies(body.codec, body.compared, actual)) {
      differences.push({ path: `reply.body ${one.path}`.trim(), expected: one.expected, seen: one.actual });
    }
  }
  if (differences.length === 0) return;
  const because = why === undefined ? '' : `: ${why}`;
  story.problems.add(story.caseFile.placeAt(path), `the reply is not as expected${because}`, {
    differences,
    corrections,
  });
};
