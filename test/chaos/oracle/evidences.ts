/** One consignment of each kind in good order: what tests of the oracle take something away from. */
import { createHmac } from 'node:crypto';
import type { CarrierPush, CarrierRequest } from '../mock/carriers.ts';
import type { ReceiverEntry } from '../mock/receivers.ts';
import type { ClientAnswer } from '../world/load.ts';
import type { DeliveryRow, DispatchRow, Evidence, ExchangeRow, Records } from './evidence.ts';

const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

/** Makes one of its kind, about a reference or the like, that is in good order but for the changes. */
const maker =
  <Entry extends object, Key extends keyof Entry>(key: Key, good: Omit<Entry, Key>) =>
  (id: Entry[Key], changes: Partial<Entry> = {}): Entry =>
    ({ [key]: id, ...good, ...changes }) as Entry;

export const answered = maker<ClientAnswer, 'reference'>('reference', {
  atMs: 0,
  operation: 'create',
  shipper: 'shop',
  status: 200,
  ms: 5,
  text: '{}',
  definite: true,
});

/** `c01` knows a reference again, `c02` promises nothing. */
export const asked = maker<CarrierRequest, 'reference'>('reference', {
  what: 'request',
  atMs: 0,
  carrier: 'c01',
  action: 'CREATE',
  bodyHash: 'b1',
  authorization: 'Bearer k1',
  effect: true,
  ambiguous: false,
});

export const pushed = (id: string, status = 200, ms = 5): CarrierPush => ({
  what: 'push',
  atMs: 0,
  id,
  reference: id.split('/')[0] ?? '',
  status,
  ms,
});

export const received = (webhookId: string, changes: Partial<ReceiverEntry> = {}): ReceiverEntry => {
  const [timestamp, body] = ['1767600000', '{"event":"consignment.in_transit"}'];
  const signature = createHmac('sha256', Buffer.alloc(32, 3)).update(`${webhookId}.${timestamp}.${body}`);
  const signed = `v1,${signature.digest('base64')}`;
  return { atMs: 0, receiver: 'shop', webhookId, timestamp, signature: signed, body, status: 200, ...changes };
};

const work = { carrier: 'c01', operation: 'create', attempt: 1 };
export const dispatched = maker<DispatchRow, 'reference'>('reference', { ...work, state: 'done', failure: null });
export const exchanged = maker<ExchangeRow, 'reference'>('reference', {
  ...work,
  step: 'create',
  element: 0,
  outcome: 'succeed',
});
export const delivery = maker<DeliveryRow, 'notice'>('notice', {
  event: 'consignment.in_transit',
  eventId: 'REF-1/IN_TRANSIT',
  state: 'delivered',
  tries: 1,
  receiver: 'shop',
});

export interface Changes extends Partial<Omit<Evidence, 'records'>> {
  readonly records?: Partial<Records>;
}

/** REF-1 was created, a status of it pushed, recorded and delivered. */
export const evidence = ({ records, ...changes }: Changes = {}): Evidence => ({
  answers: [answered('REF-1')],
  carriers: [asked('REF-1'), pushed('REF-1/IN_TRANSIT')],
  receivers: [received('evt_1')],
  records: {
    consignments: [{ reference: 'REF-1', carrier: 'c01', acceptance: 'accepted', status: 'In Transit' }],
    dispatches: [dispatched('REF-1')],
    exchanges: [exchanged('REF-1')],
    events: [{ id: 'REF-1/IN_TRANSIT', match: 'matched', reference: 'REF-1' }],
    deliveries: [delivery('evt_1')],
    ...records,
  },
  webhookSecrets: { shop: SECRET },
  planted: new Map([['credential of shop with c01', 'k1']]),
  answerWithinMs: 1_000,
  deliveryTries: 3,
  ...changes,
});
