/** Steps of a case in which the carrier calls us: a push of the contract, or the carrier's own webhook. */
import { compareBodies } from './compare-bodies.ts';
import { Failure } from '../../engine/failure.ts';
import { readContractPush } from '../../engine/statuses/contract-push.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import {
  admitWebhook,
  type IncomingRequest,
  mapWebhook,
  signWebhook,
  type WebhookReply,
  type WebhookScene,
} from '../../engine/statuses/webhook.ts';
import { bodyOf, type ReadBeside } from './bodies.ts';
import { recordUpdates } from './events.ts';
import { webhookUrl } from './operation.ts';
import type { Path } from './read.ts';
import { type CaseDifference, CaseEnded, type Correction } from './report.ts';
import type { Incoming, Step } from './schema.ts';
import type { Story } from './story.ts';

interface Received {
  readonly reply: WebhookReply;
  /** Why it was refused. */
  readonly why?: string | undefined;
  readonly events: readonly NormalisedEvent[];
}

/** What comes of the carrier's call; nothing is checked. */
export const receive = async (story: Story, step: Step, path: Path): Promise<Received> => {
  const request = step.request ?? {};
  return step.do === 'push' ? receivePush(story, request) : await receiveOwn(story, request, path);
};

/** Checks the reply; the events are the caller's to check. */
export const receiveStep = async (story: Story, step: Step, path: Path): Promise<readonly NormalisedEvent[]> => {
  const received = await receive(story, step, path);
  // To be refused is nothing that a case may leave unsaid.
  const expected = step.expect?.reply ?? (received.why === undefined ? undefined : 200);
  if (expected !== undefined) checkReply(story, expected, received, [...path, 'expect', 'reply']);
  return received.events;
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
  const came = await cameInOf(scene, incoming, story.caseFile.beside);
  const admitted = await admitWebhook(scene, came);
  if (admitted.kind === 'refused') {
    return { reply: { status: admitted.status, headers: {} }, why: admitted.why, events: [] };
  }
  const updates = admitted.kind === 'handshake' ? [] : await mapWebhook(scene, came);
  return { reply: admitted.reply, events: recordUpdates(story, updates) };
};

const cameInOf = async (scene: WebhookScene, incoming: Incoming, beside: ReadBeside): Promise<IncomingRequest> => {
  const body = bodyOf(incoming, beside)?.encode();
  const url = new URL(scene.webhookUrl);
  for (const [name, value] of Object.entries(incoming.query ?? {})) url.searchParams.set(name, value);
  const headers: Record<string, string> = body === undefined ? {} : { 'content-type': body.contentType };
  for (const [name, value] of Object.entries(incoming.headers ?? {})) headers[name.toLowerCase()] = value;
  const came: IncomingRequest = {
    method: incoming.method ?? 'POST',
    url: url.href,
    headers,
    body: body?.bytes ?? Buffer.alloc(0),
    // A case that says nothing of it comes from where it may.
    from: incoming.from ?? scene.webhook.allow[0]?.split('/')[0],
  };
  if (incoming.sign !== true) return came;
  const proof = await signWebhook(scene, came);
  for (const [name, value] of Object.entries(proof.query)) url.searchParams.set(name, value);
  return { ...came, url: url.href, headers: { ...headers, ...proof.headers } };
};

const checkReply = (
  story: Story,
  expected: NonNullable<NonNullable<Step['expect']>['reply']>,
  { reply: seen, why }: Received,
  path: Path,
): void => {
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
