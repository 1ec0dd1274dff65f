/** A carrier's own webhook, as its profile describes it: allow → handshake → auth → reply; its events are mapped afterwards. */
import { BlockList, isIPv6 } from 'node:net';
import { decoderNamed, encoderNamed } from '../codecs/codecs.ts';
import { codecOf } from '../codecs/media-type.ts';
import { type AuthMaterial, carry, materialOf } from '../dispatch/auth/auth-material.ts';
import { signatureOf, type SignedRequest, verify } from '../dispatch/auth/signature.ts';
import { isTrue } from '../dispatch/classify.ts';
import type { Account } from '../dispatch/ports.ts';
import { evaluateEnvironment, evaluateText } from '../dispatch/scope.ts';
import { Failure } from '../failure.ts';
import { type StatusUpdate, StatusUpdates } from './status-update.ts';
import { coerce, validator } from '../validate.ts';
import type { Roots, EvaluationContext } from '../mapping/mapping.ts';
import type { Auth, Carrier, EnvironmentName, Reply, Webhook } from '../profile/carrier.ts';
import { isSameSecret } from '../digest.ts';

/** A request as it came. Header names in lower case. */
export interface IncomingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The address it came from; undefined: not to be looked at. */
  readonly from?: string | undefined;
}

/** For whom it came, and when. */
export interface WebhookScene {
  readonly carrier: Carrier;
  readonly webhook: Webhook;
  readonly account: Account;
  readonly environment: EnvironmentName;
  /** Ours, naming the account. */
  readonly webhookUrl: string;
  readonly nowMs: number;
}

export interface WebhookReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
}

export type Admitted =
  /** Proved: to be recorded, then answered with this. */
  | { readonly kind: 'admitted'; readonly reply: WebhookReply }
  /** A handshake: answered, nothing is recorded. */
  | { readonly kind: 'handshake'; readonly reply: WebhookReply }
  | { readonly kind: 'refused'; readonly status: 401 | 403; readonly why: string };

/** Decides what a request to a webhook is. Fails closed: whatever is not proved is refused. */
export const admitWebhook = async (scene: WebhookScene, came: IncomingRequest): Promise<Admitted> => {
  const { webhook } = scene;
  if (webhook.allow.length > 0 && (came.from === undefined || !isAllowed(webhook.allow, came.from))) {
    return { kind: 'refused', status: 403, why: 'this address may not call the webhook' };
  }
  const stage = await stageOf(scene, came);
  const { handshake } = webhook;
  if (handshake !== undefined && isTrue(await handshake.when.evaluate(stage.roots, stage.context))) {
    return { kind: 'handshake', reply: await replyOf(stage, handshake.reply) };
  }
  for (const auth of webhook.auth) {
    const proved = await isProved(scene, stage, came, auth);
    if (!proved.ok) return { kind: 'refused', status: 401, why: proved.why };
  }
  return { kind: 'admitted', reply: await replyOf(stage, webhook.reply) };
};

/** What the carrier would add to a request to prove itself: for cases that sign, and simulators. */
export const signWebhook = async (
  scene: WebhookScene,
  came: IncomingRequest,
): Promise<{
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}> => {
  const stage = await stageOf(scene, came);
  const headers: Record<string, string> = {};
  const query: Record<string, string> = {};
  for (const auth of scene.webhook.auth) {
    const proof = await materialFor(scene, stage, came, auth);
    Object.assign(headers, proof.headers);
    Object.assign(query, proof.query);
  }
  return { headers, query };
};

const checkUpdates = validator(StatusUpdates, 'the events');

/** The status updates that the profile makes of a recorded request. Throws a `Failure` that names the mapping's line. */
export const mapWebhook = async (scene: WebhookScene, came: IncomingRequest): Promise<readonly StatusUpdate[]> => {
  const { carrier, webhook, account, nowMs } = scene;
  const context = evaluationContextOf(scene);
  const yielded = await webhook.events.evaluate(
    {
      request: describe(webhook, came),
      settings: account.settings,
      environment: await evaluateEnvironment(scene, context, false),
      tables: carrier.tables,
      now: new Date(nowMs).toISOString(),
      webhook: { url: scene.webhookUrl },
    },
    context,
  );
  const updates = checkUpdates(coerce(StatusUpdates, yielded));
  if (updates.ok) return updates.value;
  const said = updates.issues.map(({ message }) => message).join('; ');
  throw new Failure(`the events are no status updates: ${said}`, {
    code: 'events_invalid',
    place: webhook.events.place,
  });
};

interface Stage {
  readonly request: SignedRequest;
  readonly roots: Roots;
  readonly context: EvaluationContext;
}

const stageOf = async (scene: WebhookScene, came: IncomingRequest): Promise<Stage> => {
  const context = evaluationContextOf(scene);
  const { credentials, settings } = scene.account;
  const request = describe(scene.webhook, came);
  const environment = await evaluateEnvironment(scene, context, true);
  return { request, roots: { request, settings, credentials, environment }, context };
};

const evaluationContextOf = ({ carrier, nowMs }: WebhookScene): EvaluationContext => ({
  tables: carrier.tables,
  time: carrier.time,
  nowMs,
  drawn: ({ name }) => {
    throw new Failure(`${name} cannot be drawn here: a webhook is no dispatch`, { code: 'mapping_failed' });
  },
});

/** The root `request`. */
const describe = (webhook: Webhook, { method, url, headers, body }: IncomingRequest): SignedRequest => {
  const { href, pathname, searchParams } = new URL(url);
  const contentType = headers['content-type'];
  const read = decoderNamed(webhook.format ?? codecOf(contentType) ?? 'json').decode(body, { contentType });
  return {
    method,
    url: href,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers,
    ...(read.ok ? { body: read.body } : {}),
    text: body.toString('utf8'),
  };
};

// Who it is ---------------------------------------------------------------------------------------------------------

const authRoots = (scene: WebhookScene, { roots, request }: Stage): Roots & { readonly request: SignedRequest } => {
  const now = new Date(scene.nowMs).toISOString();
  return { ...roots, tables: scene.carrier.tables, now, sentAt: now, request };
};

/** What the carrier has to send for this auth. */
const materialFor = async (
  scene: WebhookScene,
  stage: Stage,
  came: IncomingRequest,
  auth: Auth,
): Promise<AuthMaterial> => {
  const roots = authRoots(scene, stage);
  switch (auth.kind) {
    case 'signature':
      return carry(auth, await signatureOf(auth, came.body, roots, stage.context));
    case 'oauth2':
    case 'session':
      throw new Failure(`${auth.kind} proves no webhook`, { code: 'auth_invalid', place: auth.place });
    default:
      return await materialOf(auth, roots, stage.context);
  }
};

type Proved = { readonly ok: true } | { readonly ok: false; readonly why: string };

const isProved = async (scene: WebhookScene, stage: Stage, came: IncomingRequest, auth: Auth): Promise<Proved> => {
  const { request, context } = stage;
  try {
    if (auth.kind === 'signature') {
      return await verify(auth, came.body, authRoots(scene, stage), context, scene.nowMs);
    }
    const { headers, query } = await materialFor(scene, stage, came, auth);
    const wanted = [
      ...Object.entries(headers).map(([name, value]) => [name, value, request.headers[name.toLowerCase()]] as const),
      ...Object.entries(query).map(([name, value]) => [name, value, request.query[name]] as const),
    ];
    if (wanted.length === 0) return auth.kind === 'mtls' ? notProved(auth.kind) : { ok: true };
    const wrong = wanted.find(([, value, given]) => given === undefined || !isSameSecret(given, value));
    return wrong === undefined ? { ok: true } : notProved(wrong[0]);
  } catch (thrown) {
    // An account that lacks the secret cannot be proved by it.
    if (thrown instanceof Failure) return { ok: false, why: thrown.message };
    throw thrown;
  }
};

const notProved = (by: string): Proved => ({ ok: false, why: `${by} does not prove the carrier` });

const isAllowed = (ranges: readonly string[], address: string): boolean => {
  const list = new BlockList();
  for (const range of ranges) {
    const [base = '', bits] = range.split('/');
    const family = isIPv6(base) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(base, family);
    else list.addSubnet(base, Number(bits), family);
  }
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
};

// What is answered --------------------------------------------------------------------------------------------------

const replyOf = async ({ roots, context }: Stage, reply: Reply): Promise<WebhookReply> => {
  const headers: Record<string, string> = {};
  for (const [name, mapping] of Object.entries(reply.headers)) {
    const value = await evaluateText(mapping, roots, context);
    if (value !== undefined) headers[name.toLowerCase()] = value;
  }
  if (reply.body === undefined) return { status: reply.status, headers };
  const content = await reply.body.content.evaluate(roots, context);
  const { bytes, contentType } = encoderNamed(reply.body.codec).encode(content);
  return { status: reply.status, headers: { 'content-type': contentType, ...headers }, body: bytes };
};
