import { isIP } from 'node:net';
import { type NormalisedStatus, NORMALISED_STATUSES, REASONS } from '../../statuses/status.ts';
import { STATUS_WORDS } from '../status-groups.ts';
import { webhookAuth } from './auths.ts';
import * as f from './field.ts';
import type { ScalarIssue } from './kinds.ts';
import { headers } from './steps.ts';

const rangeIssue = (range: string): ScalarIssue | undefined => {
  const written = range.trim();
  const [address = '', bits] = written.split('/');
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  if (family !== 0 && fits) return undefined;
  return [`"${written.slice(0, 60)}" is not an address range`, 'such as 192.0.2.0/24'];
};

const answers = {
  json: f.mapping('The body as JSON.', { ok: true }),
  xml: f.mapping('The body as XML.', { ok: 'true' }),
  text: f.text('The body as text.', 'OK'),
};
const replyKeys = { status: f.integer([200, 599], 'The HTTP status.', 202, { default: 200 }), headers, ...answers };
const replyAt = (position: 'reply' | 'handshakeReply') =>
  f.compiledAs(
    f.group('The server’s response.', {
      example: { status: 200, text: 'OK' },
      oneOf: { keys: Object.keys(answers), needed: false },
      site: { position },
      default: {},
    })(replyKeys),
    ({ status, headers: written, ...bodies }) => {
      const codec = (['json', 'xml', 'text'] as const).find((each) => bodies[each] !== undefined);
      const content = codec && bodies[codec];
      return { status, headers: written, body: codec && content && { codec, content } };
    },
  );
const reply = replyAt('reply');
export type Reply = f.Value<typeof reply>;

const challengeSignature = f.group(
  'What proves to the carrier that we have the secret: its reply sees it as `signature`.',
  {
    example: { algorithm: 'hmac-sha256', key: '${credentials.webhookSecret}', over: '${request.query.challenge}' },
    required: ['algorithm', 'key', 'over'],
    site: { position: 'handshake' },
  },
)({
  algorithm: f.word(['hmac-sha1', 'hmac-sha256', 'hmac-sha512'], 'The algorithm.', 'hmac-sha256'),
  key: f.text('The key.', '${credentials.webhookSecret}', { secret: true }),
  over: f.text(
    'What is signed; nothing is if it is no plain word of 1,000 characters at most.',
    '${request.query.challenge}',
  ),
  encoding: f.word(['hex', 'base64', 'base64url'], 'Encoding of the signature.', 'base64', { default: 'hex' }),
});

const handshake = f.group('How to answer requests that only verify the endpoint.', {
  example: { when: 'request.body.challenge', reply: { text: '${request.body.challenge}' } },
  required: ['when', 'reply'],
})({
  when: f.expr('True for a handshake request.', 'request.body.challenge', { site: { position: 'handshake' } }),
  signature: challengeSignature,
  reply: replyAt('handshakeReply'),
});
const range = f.plain('An address range (CIDR).', '192.0.2.0/24', { issue: rangeIssue });
export const webhook = f.group('The carrier’s own webhook.', {
  example: { auth: { bearer: { token: '${credentials.pushToken}' } }, events: 'events.jsonata' },
  required: ['auth', 'events'],
})({
  auth: webhookAuth,
  allow: f.list(range, 'Source addresses that may call the webhook.', ['192.0.2.0/24'], { default: [] }),
  format: f.word(['json', 'xml', 'form', 'text'], 'How its body is decoded.', 'json', {
    otherwise: 'by its Content-Type',
  }),
  handshake,
  reply,
  events: f.mapping('Maps the request to status updates: none, one or many.', 'events.jsonata', {
    site: { position: 'events' },
  }),
});

const everyByStatus = f.mapOf(
  f.duration('Polling interval.', '15m'),
  'Polling interval by status.',
  { '*': '2h', 'Out for Delivery': '15m' },
  { names: { enum: ['*', ...NORMALISED_STATUSES] }, rule: 'unknown-status' },
);
const every = f.either<f.Field<number | Readonly<Record<string, number>>>, object>(
  [f.duration('Polling interval.', '1h'), everyByStatus],
  'Polling interval: a duration, or one for each status.',
  '1h',
);
export const poll = f.compiledAs(
  f.group('Polling for events.', { example: ['every', 'until'], required: ['every'] })({
    every,
    until: f.duration('Age of the shipment at which polling ends.', '30d', { default: '60d' }),
  }),
  ({ every: written, untilMs }) => {
    const rows = Object.entries(typeof written === 'number' ? { '*': written } : written);
    return { everyMs: new Map(rows) as ReadonlyMap<NormalisedStatus | '*', number>, untilMs };
  },
);

const statusWord = f.word(STATUS_WORDS, 'A normalised status, or No Change.', 'In Transit', { rule: 'unknown-status' });
const statusWithReason = f.group('A status with its reason.', {
  example: { status: 'Delivery Failed', reason: 'NOT_HOME' },
  required: ['status'],
})({ status: statusWord, reason: f.word(REASONS, 'The reason for the status.', 'NOT_HOME') });
export const rowStatus = f.compiledAs(
  f.either([statusWord, statusWithReason], 'A normalised status, or a status with its reason.', 'In Transit'),
  (row) => (typeof row === 'string' ? { status: row, reason: undefined } : row),
);

const codes = f.list(f.plain('A code.', '1610'), 'Codes, under their status.', ['1610', '1810']);
const rows = (description: string, example: object) =>
  f.mapOf(
    f.either([statusWord, statusWithReason, codes], 'A status, a status with its reason, or codes.', 'In Transit'),
    description,
    example,
  );

export const statuses = f.group('How events arrive and what they mean.', {
  example: { poll: { every: '1h' }, table: { IT: 'In Transit' } },
})({
  webhook,
  poll,
  table: rows('code, code/subCode or code/subCode/description → status; or status, or status/REASON → codes.', {
    IT: 'In Transit',
    'DF/7': { status: 'Delivery Failed', reason: 'NOT_HOME' },
    'At Facility': ['AF', 'AR'],
  }),
  returns: rows('The same of returns (REVERSE): these rows come before those of table.', {
    'Returned to Origin': ['DL'],
  }),
});
