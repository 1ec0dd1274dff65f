/** A carrier's own webhook, as its profile describes it: allow → handshake → auth → reply; its events are mapped afterwards. */
import { createHmac } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';
import { decoderNamed, encoderNamed } from '../codecs/codecs.ts';
import { codecOf } from '../codecs/codec.ts';
import {
  type AuthMaterial,
  carry,
  materialOf,
  signatureOf,
  type SignedRequest,
  verify,
} from '../dispatch/auth/authenticate.ts';
import { isTrue } from '../dispatch/classify.ts';
import { maskOf, maskTexts } from '../dispatch/exchange.ts';
import type { Account } from '../dispatch/ports.ts';
import { evaluateEnvironment, evaluateText } from '../dispatch/scope.ts';
import { Failure } from '../failure.ts';
import { VALUES_MAX } from '../large.ts';
import { type StatusUpdate, StatusUpdates } from './status-update.ts';
import { coerce, validator } from '../validate.ts';
import type { Roots, EvaluationContext } from '../mapping/mapping.ts';
import type { Auth, Carrier, EnvironmentName, Reply, Webhook } from '../profile/carrier.ts';
import { isSameSecret } from '../digest.ts';

/** A request as it was received. Header names in lower case. */
export interface IncomingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The address of the sender; undefined: unknown, which no `allow` admits. */
  readonly from?: string | undefined;
}

/** Whom it is for, and when it was received. */
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
  /** `admitted`: authenticated, to be recorded before it is answered. A handshake is answered and not recorded. */
  | { readonly kind: 'admitted' | 'handshake'; readonly reply: WebhookReply }
  | { readonly kind: 'refused'; readonly status: 400 | 401 | 403; readonly why: string };

/** Decides what a request to a webhook is. Fails closed: whatever is not authenticated is refused. */
export const admitWebhook = async (scene: WebhookScene, request: IncomingRequest): Promise<Admitted> => {
  const { allow, handshake, auth: auths, reply } = scene.webhook;
  if (allow.length > 0 && (request.from === undefined || !isAllowed(allow, request.from))) {
    return { kind: 'refused', status: 403, why: 'this address may not call the webhook' };
  }
  const call = await openCall(scene, request);
  if (handshake !== undefined && isTrue(await handshake.when.evaluate(call.roots, call.context))) {
    try {
      const signature = handshake.signature && (await signChallenge(call, handshake.signature));
      if (signature === NOT_SIGNED)
        return { kind: 'refused', status: 401, why: 'this is no challenge that would be signed' };
      return { kind: 'handshake', reply: await replyOf(call, handshake.reply, signature) };
    } catch (thrown) {
      // It lacks what its reply is made of, as a challenge. Anyone may send it.
      if (thrown instanceof Failure) return { kind: 'refused', status: 400, why: thrown.message };
      throw thrown;
    }
  }
  for (const auth of auths) {
    const why = await objectionOf(call, auth);
    if (why !== undefined) return { kind: 'refused', status: 401, why };
  }
  return { kind: 'admitted', reply: await replyOf(call, reply) };
};

/** What the carrier would add to a request to authenticate it: for cases that sign, and simulators. */
export const signWebhook = async (
  scene: WebhookScene,
  request: IncomingRequest,
): Promise<Pick<AuthMaterial, 'headers' | 'query'>> => {
  const call = await openCall(scene, request);
  const materials = await Promise.all(scene.webhook.auth.map(async (auth) => await materialFor(call, auth)));
  return {
    headers: Object.assign({}, ...materials.map(({ headers }) => headers)),
    query: Object.assign({}, ...materials.map(({ query }) => query)),
  };
};

const checkUpdates = validator(StatusUpdates, 'the events');

/** The status updates that the profile makes of a recorded request. Throws a `Failure` that names the mapping's line. */
export const mapWebhook = async (scene: WebhookScene, incoming: IncomingRequest): Promise<readonly StatusUpdate[]> => {
  const { carrier, webhook, account, nowMs } = scene;
  const context = evaluationContextOf(scene);
  const yielded = await webhook.events.evaluate(
    {
      request: describe(webhook, incoming),
      settings: account.settings,
      environment: await evaluateEnvironment(scene, context, false),
      tables: carrier.tables,
      now: new Date(nowMs).toISOString(),
      webhook: { url: scene.webhookUrl },
    },
    context,
  );
  const updates = checkUpdates(coerce(StatusUpdates, maskTexts(maskOf(carrier, account), yielded)));
  if (updates.ok) return updates.value;
  const said = updates.issues.map(({ message }) => message).join('; ');
  throw new Failure(`the events are no status updates: ${said}`, {
    code: 'events_invalid',
    place: webhook.events.place,
  });
};

type WebhookCall = Awaited<ReturnType<typeof openCall>>;

/** A request with what expressions see of it; signatures and tokens may read more. */
const openCall = async (scene: WebhookScene, incoming: IncomingRequest) => {
  const context = evaluationContextOf(scene);
  const { credentials, settings } = scene.account;
  const request = describe(scene.webhook, incoming);
  const environment = await evaluateEnvironment(scene, context, true);
  const roots: Roots = { request, settings, credentials, environment };
  const now = new Date(scene.nowMs).toISOString();
  const authRoots = { ...roots, request, tables: scene.carrier.tables, now, sentAt: now };
  return { scene, bytes: incoming.body, request, roots, authRoots, context };
};

const evaluationContextOf = ({ carrier, nowMs }: WebhookScene): EvaluationContext => ({
  tables: carrier.tables,
  time: carrier.time,
  nowMs,
  drawn: ({ name }) => {
    throw new Failure(`${name} cannot be drawn here: a webhook is no dispatch`, { code: 'mapping_failed' });
  },
});

const describe = (webhook: Webhook, { method, url, headers, body }: IncomingRequest): SignedRequest => {
  const { href, pathname, searchParams } = new URL(url);
  const contentType = headers['content-type'];
  const decoder = decoderNamed(webhook.format ?? codecOf(contentType) ?? 'json');
  const read = decoder.decode(body, { contentType, limits: { maxNodes: VALUES_MAX } });
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

// Authentication ------------------------------------------------------------------------------------------------------

/** What the carrier has to send for this auth. */
const materialFor = async ({ bytes, authRoots, context }: WebhookCall, auth: Auth): Promise<AuthMaterial> => {
  switch (auth.kind) {
    case 'signature':
      return carry(auth, await signatureOf(auth, bytes, authRoots, context));
    case 'oauth2':
    case 'session':
      throw new Failure(`${auth.kind} proves no webhook`, { code: 'auth_invalid', place: auth.place });
    default:
      return await materialOf(auth, authRoots, context);
  }
};

/** Why the request does not come from the carrier, as far as this auth shows it; undefined: it does. */
const objectionOf = async (call: WebhookCall, auth: Auth): Promise<string | undefined> => {
  const { scene, bytes, request, authRoots, context } = call;
  try {
    if (auth.kind === 'signature') {
      const checked = await verify(auth, bytes, authRoots, context, scene.nowMs);
      return checked.ok ? undefined : checked.why;
    }
    const { headers, query } = await materialFor(call, auth);
    const wanted = [
      ...Object.entries(headers).map(([name, value]) => [name, value, request.headers[name.toLowerCase()]] as const),
      ...Object.entries(query).map(([name, value]) => [name, value, request.query[name]] as const),
    ];
    const wrong = wanted.find(([, value, given]) => given === undefined || !isSameSecret(given, value))?.[0];
    // A client certificate sends nothing that could be compared.
    const by = wanted.length === 0 && auth.kind === 'mtls' ? auth.kind : wrong;
    return by === undefined ? undefined : `${by} does not prove the carrier`;
  } catch (thrown) {
    // An account that lacks the secret cannot be proved by it.
    if (thrown instanceof Failure) return thrown.message;
    throw thrown;
  }
};

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

/** Without what a push is made of, or whoever asks would be given the signature of one. */
const CHALLENGE = /^[^\s{}[\]"'<>&=]{1,1000}={0,2}$/;
const NOT_SIGNED = Symbol('not signed');

const signChallenge = async (
  { roots, context }: WebhookCall,
  { algorithm, key, over, encoding }: NonNullable<NonNullable<Webhook['handshake']>['signature']>,
): Promise<string | typeof NOT_SIGNED> => {
  const [secret = '', challenge = ''] = [
    await evaluateText(key, roots, context),
    await evaluateText(over, roots, context),
  ];
  if (secret === '' || !CHALLENGE.test(challenge)) return NOT_SIGNED;
  return createHmac(algorithm.slice('hmac-'.length), secret).update(challenge).digest(encoding);
};

// The reply ----------------------------------------------------------------------------------------------------------

/** Made of no secret, and masked all the same: a setting may come from a variable, and anyone may ask. */
const replyOf = async ({ scene, request }: WebhookCall, reply: Reply, signature?: string): Promise<WebhookReply> => {
  const { carrier, account } = scene;
  const mask = maskOf(carrier, account);
  const derived: EvaluationContext['derived'] = (input, output) => {
    if (mask.text(input) !== input) mask.add('derived', output);
  };
  const context = { ...evaluationContextOf(scene), derived };
  const environment = await evaluateEnvironment(scene, context, false);
  const roots: Roots = { request, settings: account.settings, environment, signature };
  const headers: Record<string, string> = {};
  for (const [name, mapping] of Object.entries(reply.headers)) {
    const value = await evaluateText(mapping, roots, context);
    if (value !== undefined) headers[name.toLowerCase()] = mask.text(value);
  }
  if (reply.body === undefined) return { status: reply.status, headers };
  const content = await reply.body.content.evaluate(roots, context);
  const { bytes, contentType } = encoderNamed(reply.body.codec).encode(content);
  return {
    status: reply.status,
    headers: { 'content-type': contentType, ...headers },
    body: mask.bytes(Buffer.from(bytes)),
  };
};
