/** The roots and their meanings: everything an expression can see, both as a field of its input and as a variable. */
export const ROOT_MEANINGS = {
  consignment:
    'The contract’s flat consignment. `typeOfAction` is the operation; in `cancel` it is the consignment as last accepted.',
  service: 'The matching row of `services`: `{ name, typeOfService, code, orders }`.',
  shipment:
    'What the carrier returned: `{ trackingNumber, memo, packages: [{ itemReferenceNumber, trackingNumber, memo }] }`.',
  carrier: '`{ code, name }`, as the profile names itself.',
  remark: 'The shipper’s reason for a `cancel`.',
  documents:
    'Customs documents of the order, PDF in Base64, in requests of `create` and `update` that attach them: `{ commercialInvoice, cn22, cn23 }`, each missing inside one country and where the order lacks what it needs. With a package as `item`, CN22 and CN23 are of that package.',
  pickup: 'What `pickup` books and `cancelPickup` cancels.',
  manifest: 'What `manifest` closes out.',
  search: 'What `locations` looks for.',
  address: 'What `validateAddress` checks.',
  slotQuery: 'What `slots` asks for, beside the consignment.',
  slot: 'What `reserveSlot`, `confirmSlot` and `releaseSlot` are about.',
  item: 'The current element of a `forEach`; in a `track` without `batch`, and in a surcharge per package, the package; on a label, its entry of `consignment.itemList` with `trackingNumber` and `memo`.',
  items: 'The current batch, with `batch`.',
  index: 'The position of `item`, from 0.',
  credentials: 'As declared, with the account’s values.',
  settings: 'As declared, with the account’s values.',
  environment: 'The keys of the environment in use, and `name`.',
  tables: 'As declared.',
  auths: 'For each auth that the step uses, `auths.<name>.token` and the values that a session saved.',
  steps:
    'The responses of the steps before by step id, each `{ status, headers, body, text, fault }`; for a `forEach`, a list of them, each with its `item` (or `items`).',
  response:
    'The response just received; in a `result`, that of the last step, unless that was a `forEach`. Header names are in lower case; `body` is missing if it cannot be decoded, `text` is always present; `fault` is `{ code, subcode, message, detail }`.',
  request:
    'The request received (webhook) or to be sent (signature): `{ method, url, path, query, headers, body, text }`. Header names are in lower case.',
  now: 'The time of the operation’s first attempt, ISO 8601; the same in every retry.',
  sentAt: 'The time of this attempt, for signatures.',
  repeated:
    'Whether an earlier attempt of this call may have been carried out, so that a duplicate may be our own: false at first, and after an answer that it was not.',
  idempotencyKey: 'A UUID, constant per dispatch, step and element; in a `lookup`, that of the call in question.',
  webhook: '`webhook.url` is the URL of the account’s webhook on this server.',
  token: 'The token, in a session’s `send`.',
  signature: 'The signature, in a signature’s `format` and in the reply to a handshake.',
} as const;

export type Root = keyof typeof ROOT_MEANINGS;
export const ROOTS = Object.keys(ROOT_MEANINGS) as readonly Root[];

export const isRoot = (name: string): name is Root => Object.hasOwn(ROOT_MEANINGS, name);

const AUTHS = ['settings', 'credentials', 'environment', 'tables', 'now', 'sentAt'] as const;
const ORDER = ['consignment', 'service', 'shipment', 'remark'] as const;
const ASKED = ['pickup', 'manifest', 'search', 'address', 'slotQuery', 'slot'] as const;
const AT_HAND = [...ORDER, ...ASKED, 'item', 'items', 'index'] as const;
const RUN = ['settings', 'environment', 'tables', 'steps', 'response', 'now', 'sentAt', 'idempotencyKey'] as const;
const KEPT = [...AT_HAND, ...RUN, 'webhook'] as const;
const SENT = [...AT_HAND, ...RUN, 'credentials', 'auths'] as const;
const REQUEST = [...SENT, 'documents'] as const;

/**
 * Which roots each position sees. `auths` also stands for the login step of a session, `session` for what is read
 * from its answer, `loginOutcomes` for the rules over it; `request` for when, URL, headers, query and body of a step,
 * `register` for those of the operations `register` and `unregister`. The elements of `forEach` are an `item` to all.
 */
const SEEN = {
  environments: ['settings', 'credentials'],
  requires: ['consignment', 'service', 'tables'],
  label: ['carrier', 'consignment', 'service', 'shipment', 'item', 'index', 'settings', 'tables', 'now'],
  surcharge: ['consignment', 'service', 'item', 'tables'],
  rule: ['consignment', 'tables', 'now'],
  ruleCarrier: ['consignment', 'service', 'tables', 'now'],
  auths: AUTHS,
  session: [...AUTHS, 'response'],
  send: [...AUTHS, 'response', 'token'],
  signature: [...AUTHS, 'request'],
  signatureFormat: [...AUTHS, 'request', 'signature'],
  loginOutcomes: ['settings', 'environment', 'tables', 'now', 'sentAt', 'response'],
  variant: [...ORDER, ...ASKED, 'tables'],
  forEach: KEPT,
  request: REQUEST,
  register: [...SENT, 'webhook'],
  undo: SENT,
  outcomes: [...KEPT, 'repeated'],
  result: KEPT,
  events: ['request', 'settings', 'environment', 'tables', 'now', 'webhook'],
  handshake: ['request', 'settings', 'credentials', 'environment'],
  handshakeReply: ['request', 'settings', 'environment', 'signature'],
  reply: ['request', 'settings', 'environment'],
} as const satisfies Readonly<Record<string, readonly Root[]>>;
export type Position = keyof typeof SEEN;

/** Positions whose values are kept, shown or given to whoever asks, so that no secret may come into them. */
export const SHOWN: ReadonlySet<Position> = new Set([
  'label',
  'forEach',
  'outcomes',
  'result',
  'events',
  'loginOutcomes',
  'handshakeReply',
  'reply',
]);
export const SECRETS_BELONG = 'a secret belongs in requests and auths, never in what is stored or shown';

/** The roots that at least one of the positions sees: a mapping file may serve several. */
export const seenIn = (positions: readonly Position[]): ReadonlySet<Root> =>
  new Set(positions.flatMap((position): readonly Root[] => SEEN[position]));
