/** The slot that an order names: where it is to be, and when. Reads what has not been checked yet. */
import { isDeepStrictEqual } from 'node:util';
import type { Order } from '../consignment/order.ts';
import type { Carrier } from '../profile/carrier.ts';
import { type Issue, issueAt } from '../validate.ts';
import { isMap, textAt, valueAt } from '../value.ts';
import { bare } from '../rates/zones.ts';
import { type Destination, isSlotFor, type Slot } from './offered.ts';

const DETAILS = 'consignmentDetails';

/** A reservation, as far as an order's rules ask for it. */
export interface ReservedSlot extends Pick<Slot, 'zone' | 'window' | 'startsAtMs' | 'endsAtMs' | 'timeZone'> {
  readonly token: string;
  readonly carrierCode: string;
  readonly state: 'reserved' | 'confirmed' | 'used' | 'expired' | 'released';
  /** Of the consignment that used it last. */
  readonly referenceNumber: string | undefined;
  /** Of one that its carrier keeps. */
  readonly booked?:
    | {
        readonly destination: Destination;
        readonly service?: string | undefined;
        readonly slot: { readonly reservation?: string };
      }
    | undefined;
}

/** How the tokens of reservations begin. */
export const SLOT_TOKEN = 'slot_';

/** The token of a reservation, where the order brings one. */
export const slotTokenOf = (body: unknown): string | undefined => {
  const token = textAt(body, DETAILS, 'slotToken');
  return token === '' ? undefined : token.slice(0, 500);
};

/** Who is visited: whom it is delivered to, or of a return, whom it is picked up from. */
const visitedEnd = (body: unknown) =>
  textAt(body, DETAILS, 'consignmentType') === 'REVERSE'
    ? (['shipFrom', 'pickup'] as const)
    : (['shipTo', 'delivery'] as const);

/** The request with the carrier's number of its slot's reservation, where that has one; without, where it has none. */
const withNumber = <T>(body: T, number: string | undefined): T => {
  const details = valueAt(body, DETAILS);
  const information = valueAt(details, 'additionalInformation') ?? {};
  if (!isMap(body) || !isMap(details) || !isMap(information)) return body;
  const { slotReservation: before, ...rest } = information;
  if (number === undefined && before === undefined) return body;
  const additionalInformation = number === undefined ? rest : { ...rest, slotReservation: number };
  return { ...body, [DETAILS]: { ...details, additionalInformation } };
};

/** The request with what its slot says filled in: the window, unless it brings one of its own or another time zone. */
export const withSlot = <T>(body: T, slot: ReservedSlot | undefined): T =>
  withWindow(slot === undefined ? body : withNumber(body, slot.booked?.slot.reservation), slot);

const withWindow = <T>(body: T, slot: ReservedSlot | undefined): T => {
  const [end, kind] = visitedEnd(body);
  const party = valueAt(body, end);
  if (slot === undefined || !isMap(body) || !isMap(party)) return body;
  const { timezone = slot.timeZone } = party;
  const names = [`${kind}StartDateTime`, `${kind}EndDateTime`] as const;
  if (timezone !== slot.timeZone || names.some((name) => party[name] !== undefined)) return body;
  const [start, finish] = [slot.startsAtMs, slot.endsAtMs].map((atMs) => localTime(atMs, slot.timeZone));
  const filled = { ...party, timezone, [names[0]]: start, [names[1]]: finish };
  return { ...body, [end]: filled };
};

/** The request without what a slot that it names no more said. */
export const withoutSlot = <T>(given: T, slot: ReservedSlot | undefined): T => {
  const body = slot === undefined ? given : withNumber(given, undefined);
  const [end, kind] = visitedEnd(body);
  const party = valueAt(body, end);
  if (slot === undefined || !isMap(body) || !isMap(party)) return body;
  const { [`${kind}StartDateTime`]: start, [`${kind}EndDateTime`]: finish, ...rest } = party;
  const isIts =
    start === localTime(slot.startsAtMs, slot.timeZone) && finish === localTime(slot.endsAtMs, slot.timeZone);
  return isIts ? { ...body, [end]: rest } : body;
};

/** `YYYY-MM-DD HH:MM:SS`. */
const localTime = (atMs: number, timeZone: string): string =>
  new Date(atMs).toLocaleString('sv-SE', { timeZone, hourCycle: 'h23' });

/** An order that is alike in it keeps its slot, whatever has become of the profile. */
const bookedBy = (order: unknown): readonly string[] => {
  const [end] = visitedEnd(order);
  return [
    textAt(order, DETAILS, 'slotToken'),
    textAt(order, 'carrier', 'code'),
    textAt(order, DETAILS, 'serviceType'),
    textAt(order, end, 'address', 'country'),
    textAt(order, end, 'address', 'pincode'),
  ];
};

const NOT_USABLE = 'is a reservation that has expired, was released or is used by another consignment';
export const slotTaken = (): Issue => issueAt(`${DETAILS}.slotToken`, 'slot_usable', NOT_USABLE);

/** What stands against the slot of an order. `before`: the order before an update. */
export const slotIssues = (
  carrier: Carrier | undefined,
  body: unknown,
  slot: ReservedSlot | undefined,
  before: Order | undefined,
): readonly Issue[] => {
  const at = `${DETAILS}.slotToken`;
  if (before !== undefined && isDeepStrictEqual(bookedBy(before), bookedBy(body))) return [];
  if (slot === undefined) return [issueAt(at, 'slot_known', 'is no reservation of yours: reserve a slot first')];
  const isOwn =
    before?.consignmentDetails.slotToken === slot.token ||
    slot.referenceNumber === textAt(body, DETAILS, 'referenceNumber');
  const isUsable = slot.state === 'reserved' || slot.state === 'confirmed' || (slot.state === 'used' && isOwn);
  if (!isUsable) return [slotTaken()];
  const [end] = visitedEnd(body);
  const destination = {
    country: textAt(body, end, 'address', 'country'),
    postcode: textAt(body, end, 'address', 'pincode'),
  };
  const fits =
    carrier !== undefined &&
    carrier.code === slot.carrierCode &&
    (slot.booked === undefined
      ? isSlotFor(carrier, slot, destination, textAt(body, DETAILS, 'serviceType'))
      : isBookedFor(slot.booked, destination, textAt(body, DETAILS, 'serviceType')));
  return fits ? [] : [issueAt(at, 'slot_fits', 'is a slot of another carrier, service or destination')];
};

const isBookedFor = (
  { destination: { country, postcode }, service }: NonNullable<ReservedSlot['booked']>,
  destination: Destination,
  serviceType: string,
): boolean =>
  country === destination.country &&
  bare(postcode) === bare(destination.postcode) &&
  (service === undefined || service.toLowerCase() === serviceType.toLowerCase());
