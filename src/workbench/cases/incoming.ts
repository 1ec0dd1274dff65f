/** Steps of a case in which the carrier calls us: a push of the contract, or the carrier's own webhook. */
import { Failure } from '../../engine/failure.ts';
import {
  admitWebhook,
  type IncomingRequest,
  mapWebhook,
  signWebhook,
  type WebhookReply,
  type WebhookScene,
} from '../../engine/statuses/carrier-webhook.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import { readContractPush } from '../../engine/statuses/status-update.ts';
import type { ValuePath } from '../../engine/value.ts';
import { bodyOf, messageOf, type ReadBeside } from './bodies.ts';
import { compareBodies } from './compare-bodies.ts';
import { recordUpdates } from './events.ts';
import { webhookUrl } from './perform.ts';
import { CaseEnded, Comparison } from './report.ts';
import type { Expect, Incoming, Step } from './schema.ts';
import type { Story } from './story.ts';

export interface Received {
  readonly reply: WebhookReply;
  readonly why?: string | undefined;
  readonly events: readonly NormalisedEvent[];
}

const refused = (status: number, why: string): Received => ({ reply: { status, headers: {} }, why, events: [] });

/** What comes of the carrier's call; nothing is compared. */
export const receive = async (story: Story, step: Step, path: ValuePath): Promise<Received> =>
  step.do === 'push' ? receivePush(story, step.request ?? {}) : await receiveOwn(story, step.request ?? {}, path);

/** As `POST /v2/carriers/{carrierCode}/statuses` takes it, with a good token. */
const receivePush = (story: Story, request: Incoming): Received => {
  const bytes = bodyOf(request, story.caseFile.beside)?.bytes ?? Buffer.alloc(0);
  try {
    const { updates, problems } = readContractPush(bytes);
    if (updates.length === 0) return refused(400, problems.map(({ message }) => message).join('; '));
    return { reply: { status: 200, headers: {} }, events: recordUpdates(story, updates) };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return refused(400, thrown.message);
  }
};

/** As `POST /v2/carriers/{carrierCode}/webhook/{account}` takes it. */
const receiveOwn = async (story: Story, incoming: Incoming, path: ValuePath): Promise<Received> => {
  const { carrier, account, environment, clock } = story;
  const { webhook } = carrier.statuses;
  if (webhook === undefined) {
    story.problems.add([...path, 'do'], `${carrier.code} has no statuses.webhook`);
    throw new CaseEnded('no webhook');
  }
  const url = webhookUrl(carrier.code);
  const scene = { carrier, webhook, account, environment, webhookUrl: url, nowMs: clock.nowMs() };
  const request = await requestOf(scene, incoming, story.caseFile.beside);
  const admitted = await admitWebhook(scene, request);
  if (admitted.kind === 'refused') return refused(admitted.status, admitted.why);
  const updates = admitted.kind === 'handshake' ? [] : await mapWebhook(scene, request);
  return { reply: admitted.reply, events: recordUpdates(story, updates) };
};

const requestOf = async (scene: WebhookScene, incoming: Incoming, beside: ReadBeside): Promise<IncomingRequest> => {
  const { method = 'POST', query = {}, from, sign = false } = incoming;
  const { bytes, headers } = messageOf(incoming, beside);
  const url = new URL(scene.webhookUrl);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  // A case that names no address is called from one that is allowed.
  const [allowed] = scene.webhook.allow;
  const request = { method, url: url.href, headers, body: bytes, from: from ?? allowed?.split('/')[0] };
  if (!sign) return request;
  const signature = await signWebhook(scene, request);
  for (const [name, value] of Object.entries(signature.query)) url.searchParams.set(name, value);
  return { ...request, url: url.href, headers: { ...headers, ...signature.headers } };
};

/** `at`: the step's `expect`. A case has to name every reply that refuses. */
export const checkReply = (
  { problems, caseFile }: Story,
  expect: Expect | undefined,
  { reply: seen, why }: Received,
  at: ValuePath,
): void => {
  const expected = expect?.reply ?? (why === undefined ? undefined : 200);
  if (expected === undefined) return;
  const path = [...at, 'reply'];
  const compared = new Comparison();
  const [wanted, statusPath] =
    typeof expected === 'number' ? [{ status: expected }, path] : [expected, [...path, 'status']];
  if (wanted.status !== seen.status) compared.differ('reply.status', wanted.status, seen.status, statusPath);
  for (const [name, value] of Object.entries(wanted.headers ?? {})) {
    const got = seen.headers[name.toLowerCase()];
    if (got !== value) compared.differ(`reply.headers.${name}`, value, got, [...path, 'headers', name]);
  }
  const body = bodyOf(wanted, caseFile.beside);
  if (body !== undefined) {
    const actual = { bytes: seen.body ?? Buffer.alloc(0), contentType: seen.headers['content-type'] };
    const found = compareBodies(body.codec, body, actual);
    compared.differences.push(...found.map((one) => ({ ...one, path: `reply.body ${one.path}`.trim() })));
  }
  if (compared.differences.length === 0) return;
  problems.add(path, `the reply is not as expected${why === undefined ? '' : `: ${why}`}`, compared);
};
