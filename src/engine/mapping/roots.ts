/** The roots, each with what it is: everything an expression may see, as a field of the input document and as a variable. */
export const ROOT_MEANINGS = {
  consignment:
    'The contract’s flat consignment. `typeOfAction` is the operation; in `cancel` it is the consignment as last accepted.',
  service: 'Its row of `services`: `{ name, typeOfService, code, orders }`.',
  shipment:
    'What the carrier gave us: `{ trackingNumber, memo, packages: [{ itemReferenceNumber, trackingNumber, memo }] }`.',
  remark: 'The shipper’s reason, in `cancel`.',
  item: 'The element at hand: of a `forEach`; in `track` and `label` the package.',
  items: 'The batch at hand, where there is a `batch`.',
  index: 'Its number in the `forEach`, from 0.',
  credentials: 'As declared, with the account’s values.',
  settings: 'As declared, with the account’s values.',
  environment: 'The keys of the environment in use, and `name`.',
  tables: 'As declared.',
  auths: '`auths.<name>.token`, and what a session saved, of the auths that this step uses.',
  steps:
    'The answers so far, each `{ status, headers, body, text, fault }`; of a `forEach` a list of those, each with its `item` (or `items`).',
  response:
    'The answer just received; in a `result` the last step’s, unless that was a `forEach`. Header names are in lower case; `body` is missing when it does not decode, `text` is always there; `fault` is `{ code, subcode, message, detail }`.',
  request:
    'What came in (webhook) or goes out (signature): `{ method, url, path, query, headers, body, text }`. Header names are in lower case.',
  now: 'The moment of the operation’s first try, ISO 8601; the same in every repeat.',
  sentAt: 'The moment of this try, for signatures.',
  idempotencyKey: 'A UUID fixed per dispatch, step and element; in a `lookup` that of the call it asks about.',
  webhook: '`webhook.url` is ours, naming the account.',
  token: 'The token, in `send` of a session.',
  signature: 'The signature, in `format` of a signature.',
} as const;

export type Root = keyof typeof ROOT_MEANINGS;
export const ROOTS = Object.keys(ROOT_MEANINGS) as readonly Root[];

export const isRoot = (name: string): name is Root => Object.hasOwn(ROOT_MEANINGS, name);

const AUTHS = ['settings', 'credentials', 'environment', 'tables', 'now', 'sentAt'] as const;
const AT_HAND = ['consignment', 'service', 'shipment', 'remark', 'item', 'items', 'index'] as const;
const RUN = ['settings', 'environment', 'tables', 'steps', 'response', 'now', 'sentAt', 'idempotencyKey'] as const;
const KEPT = [...AT_HAND, ...RUN, 'webhook'] as const;
const SENT = [...AT_HAND, ...RUN, 'credentials', 'auths'] as const;

/**
 * Which roots each position sees. `auths` also stands for the login step of a session, `session` for what is read
 * from its answer, `loginOutcomes` for the rules over it; `request` for when, forEach, URL, headers, query and body of
 * a step, `register` for those of the operations `register` and `unregister`.
 */
const SEEN = {
  environments: ['settings', 'credentials'],
  auths: AUTHS,
  session: [...AUTHS, 'response'],
  send: [...AUTHS, 'response', 'token'],
  signature: [...AUTHS, 'request'],
  signatureFormat: [...AUTHS, 'request', 'signature'],
  loginOutcomes: ['settings', 'environment', 'tables', 'now', 'sentAt', 'response'],
  request: SENT,
  register: [...SENT, 'webhook'],
  undo: SENT,
  outcomes: KEPT,
  result: KEPT,
  events: ['request', 'settings', 'environment', 'tables', 'now', 'webhook'],
  handshake: ['request', 'settings', 'credentials', 'environment'],
  reply: ['request', 'settings', 'credentials', 'environment'],
} as const satisfies Readonly<Record<string, readonly Root[]>>;
export type Position = keyof typeof SEEN;

/** Positions whose values are kept or shown, so that no secret may come into them. */
export const SHOWN: ReadonlySet<Position> = new Set(['outcomes', 'result', 'events', 'loginOutcomes']);

/** The roots that at least one of the positions sees: a mapping file may serve several. */
export const seenIn = (positions: readonly Position[]): ReadonlySet<Root> =>
  new Set(positions.flatMap((position): readonly Root[] => SEEN[position]));
