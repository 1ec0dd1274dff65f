/**
 * The test carrier: an endpoint of the carrier contract that answers in this process, so that no guard of addresses has
 * to make way for it, and that keeps nothing: what it must know again it gives the platform as `memo` of a package.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Static, Type } from 'typebox';
import { Consignment, LABEL_FORMATS } from '../../engine/consignment/consignment.ts';
import { NORMALISED_STATUSES, type NormalisedStatus } from '../../engine/statuses/status.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import type { Transport } from '../../engine/transport/transport.ts';
import type { WireAnswer, WireLimits, WireOutcome } from '../../engine/transport/wire.ts';
import { validator } from '../../engine/validate.ts';
import { readInstructions, WORDS } from './instructions.ts';

/** Its profile ships with the server and is served in every home. */
export const TEST_CARRIER = 'test_carrier';
/** A name that no network has (RFC 2606). */
export const TEST_CARRIER_ORIGIN = 'https://test-carrier.invalid';

/** Between the statuses of a journey. */
const STAGE_MS = 10_000;
const LATE_LABEL_MS = 30_000;
/** How long after a request was first sent its trouble lasts. */
const TROUBLE_MS = 20_000;

const Memo = Type.Object({ acceptedAt: Type.Number(), journey: Type.Array(Type.Enum(NORMALISED_STATUSES)) });
type Memo = Static<typeof Memo>;
const Package = Type.Object({
  itemReferenceNumber: Type.Optional(Type.String()),
  trackingNumber: Type.String(),
  memo: Memo,
});
type Package = Static<typeof Package>;
/** The contract's request, and what its profile adds. */
const Request = Type.Object({
  ...Consignment.properties,
  idempotencyKey: Type.String(),
  firstSentAt: Type.String(),
  known: Type.Array(Package),
});
type Request = Static<typeof Request>;
const Label = Type.Object({
  format: Type.Enum(LABEL_FORMATS),
  trackingNumber: Type.String({ minLength: 1 }),
  lines: Type.Array(Type.String()),
  readyAt: Type.Number(),
});
type Label = Static<typeof Label>;

const readRequest = validator(Request, 'the consignment');
const readQuestion = validator(Type.Object({ items: Type.Array(Package) }), 'the question');
const readLabel = validator(Label, 'the label');

/** What sends to it, as a transport does; `nowMs`: milliseconds since 1970. */
export const createTestCarrier =
  (nowMs: () => number): Transport['send'] =>
  async (request, limits) => {
    const path = request.url.slice(TEST_CARRIER_ORIGIN.length);
    if (request.method === 'GET') return await labelAt(path, nowMs());
    const body = parsed(Buffer.from(request.body ?? []));
    const read = path === '/events' ? readQuestion(body) : readRequest(body);
    if (!read.ok) return json(400, { status: 400, errors: read.issues.map(({ message }) => message) });
    const { value } = read;
    return 'items' in value
      ? json(200, { events: eventsOf(value.items, nowMs()) })
      : await take(value, limits, nowMs());
  };

const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
};

const json = (status: number, body: unknown): WireAnswer => ({
  kind: 'answer',
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
});

const take = async (request: Request, limits: WireLimits, atMs: number): Promise<WireOutcome> => {
  const { referenceId, typeOfAction, firstSentAt, deliveryInstructions = '', itemList, known } = request;
  const instructions = readInstructions(deliveryInstructions);
  const refuse = (message: string) => json(400, { status: 400, referenceId, timestamp: atMs, errors: [message] });
  const [strange] = instructions.unknown;
  if (strange !== undefined && typeOfAction !== 'CANCEL')
    return refuse(`deliveryInstructions asks for "test: ${strange.slice(0, 60)}", which is none of: ${WORDS}`);
  const isPickedUp = known.some(({ memo }) => dueOf(memo, atMs) > 0);
  if (isPickedUp) return refuse('the shipment is picked up already');
  const reply = { status: 200, referenceId, timestamp: atMs };
  if (typeOfAction === 'CANCEL')
    return instructions.has('cancel refused') ? refuse('the order asked that its cancel be refused') : json(200, reply);
  if (instructions.has('refused') || (typeOfAction === 'UPDATE' && instructions.has('update refused')))
    return refuse('the order asked to be refused');
  const isFresh = atMs - Date.parse(firstSentAt) < TROUBLE_MS;
  if (isFresh && instructions.has('time-out')) return await stayAway(limits);
  if (isFresh && instructions.has('held'))
    return json(500, { status: 500, referenceId, errors: ['nobody knows what became of it'] });
  const answered = instructions.has('partial') ? itemList.slice(0, -1) : itemList;
  const entries = answered.map(({ itemReferenceNumber, itemTrackingNumber }, index) => {
    const before = known.find((one) => one.itemReferenceNumber === itemReferenceNumber)?.trackingNumber;
    const trackingNumber = itemTrackingNumber ?? before ?? numberOf(request, itemReferenceNumber);
    const readyAt = instructions.has('no label')
      ? Number.MAX_SAFE_INTEGER
      : instructions.has('late label')
        ? atMs + LATE_LABEL_MS
        : 0;
    return {
      itemReferenceNumber,
      trackingNumber,
      labelUrl: labelUrl(request, { trackingNumber, part: `${index + 1}/${itemList.length}`, readyAt }),
      carrierCode: request.carrierCode,
      orderNumber: request.orderNumber,
      memo: { acceptedAt: atMs, journey: instructions.journey },
    };
  });
  return json(200, { ...reply, itemsTrackDetails: entries });
};

/** As a carrier that is down: the connection stands, and nothing comes. */
const stayAway = async ({ timeoutMs, signal }: WireLimits): Promise<WireOutcome> => {
  const waited = await sleep(timeoutMs, true, { signal, ref: false }).catch(() => false);
  const message = waited ? `There was no whole answer in ${timeoutMs} ms` : 'The request was called off';
  return { kind: 'ambiguous', code: waited ? 'timeout' : 'aborted', message };
};

/** The same for a repeated request, another for whatever else is ordered. */
const numberOf = ({ idempotencyKey, referenceId }: Request, itemReferenceNumber: string): string => {
  const print = createHash('sha256').update(JSON.stringify([idempotencyKey, referenceId, itemReferenceNumber]));
  return `TEST${String(print.digest().readBigUInt64BE() % 10n ** 14n).padStart(14, '0')}`;
};

// Labels: what stands on one is in its link ----------------------------------------------------------------------------

const labelUrl = (
  { labelFormat = 'PDF', typeOfService, orderNumber, ...to }: Request,
  { part, ...label }: Pick<Label, 'trackingNumber' | 'readyAt'> & { readonly part: string },
): string => {
  const lines = [
    `${typeOfService} - package ${part} - order ${orderNumber}`,
    to.destinationName ?? '',
    to.destinationAddressLine1,
    `${to.destinationPostalCode} ${to.destinationCity} ${to.destinationCountry}`,
  ].map((line) => line.slice(0, LINE_MAX));
  const whole: Label = { format: labelFormat, lines, ...label };
  return `${TEST_CARRIER_ORIGIN}/labels/${Buffer.from(JSON.stringify(whole)).toString('base64url')}`;
};
const LINE_MAX = 60;

const TYPES = { PDF: 'application/pdf', ZPL: 'text/plain', PNG: 'image/png' };

const labelAt = async (path: string, atMs: number): Promise<WireAnswer> => {
  const read = readLabel(parsed(Buffer.from(path.slice('/labels/'.length), 'base64url')));
  if (!read.ok || atMs < read.value.readyAt) return json(404, { errors: ['there is no such label yet'] });
  const { format } = read.value;
  const headers = { 'content-type': TYPES[format] };
  // Fonts are large, and of no use to whoever prints no label.
  const { drawLabel } = await import('./label.ts');
  return { kind: 'answer', status: 200, headers, body: await drawLabel(format, read.value) };
};

// Events ---------------------------------------------------------------------------------------------------------------

/** How much of a journey is over. */
const dueOf = ({ acceptedAt, journey }: Memo, atMs: number): number =>
  Math.min(journey.length, Math.max(0, Math.floor((atMs - acceptedAt) / STAGE_MS)));

const eventsOf = (packages: readonly Package[], atMs: number): readonly StatusUpdate[] =>
  packages.flatMap(({ trackingNumber, memo }) =>
    memo.journey.slice(0, dueOf(memo, atMs)).map((status, place): StatusUpdate => {
      const at = new Date(memo.acceptedAt + (place + 1) * STAGE_MS).toISOString();
      return {
        type: 'Tracking',
        value: trackingNumber,
        carrierStatus: status,
        carrierStatusCode: CODES[status] ?? status.toUpperCase().replaceAll(' ', '_'),
        statusReceivedAt: at.slice(0, 19).replace('T', ' '),
        eventTimezone: 'UTC',
        ...(status === 'Order Delivered' ? { extraInfo: { receivedBy: 'Test Recipient', relation: 'Self' } } : {}),
      };
    }),
  );

/** The contract's, where they are not the words of the normalised status. */
const CODES: Partial<Record<NormalisedStatus, string>> = {
  'Order Created': 'SHIPMENT_CREATED',
  'Order Picked Up': 'PICKED_UP',
  'Order Delivered': 'DELIVERED',
};
