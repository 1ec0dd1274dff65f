/** Slots that carriers keep themselves: asked for, reserved, and confirmed with the order. The worker gives them back. */
import { Temporal } from 'temporal-polyfill';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { Order } from '../../engine/consignment/order.ts';
import { findService } from '../../engine/consignment/service.ts';
import { Failure } from '../../engine/failure.ts';
import type { Carrier, ServiceRow } from '../../engine/profile/carrier.ts';
import type { Destination, Slot } from '../../engine/slots/offered.ts';
import { slotTaken } from '../../engine/slots/of-order.ts';
import { instantOf, localDay } from '../../engine/time-zone.ts';
import type { Sealer } from '../records/sealer.ts';
import type { Owner } from '../records/shippers.ts';
import { type CarrierSlot, findReservation, noteAtCarrier, type Reservation, reserveSlot } from '../records/slots.ts';
import type { ShipperBearer } from './bearer.ts';
import type { ApiDeps, AskedCarrier } from './deps.ts';
import { failedAsk } from './failed-ask.ts';
import { badGateway, conflict, type HttpAnswer, unavailable } from './http-answer.ts';
import { type AcceptableOrder, brokenRules } from './order-intake.ts';

type Asking = Omit<AskedCarrier, 'environment'>;

/** What a slot id of such a slot holds, sealed: nobody but us can have made it. */
interface OfferedSlot extends CarrierSlot {
  readonly carrierCode: string;
  readonly timeZone: string;
}

const about = ({ shipperId, environment }: Owner): string => `slot/${shipperId}/${environment}`;
const writeId = (sealer: Sealer, owner: Owner, offered: OfferedSlot): string =>
  sealer.seal(Buffer.from(JSON.stringify(offered)), about(owner)).toString('base64url');
/** Undefined: it is none of ours, or another shipper's. */
export const readOfferedSlot = (sealer: Sealer, owner: Owner, id: string): OfferedSlot | undefined => {
  try {
    return JSON.parse(sealer.open(Buffer.from(id, 'base64url'), about(owner)).toString('utf8')) as OfferedSlot;
  } catch (thrown) {
    if (thrown instanceof Failure) return undefined;
    throw thrown;
  }
};

export interface SlotQuestion {
  readonly destination: Destination;
  readonly service: string | undefined;
  readonly fromDate: string | undefined;
  readonly toDate: string | undefined;
}

const DAYS_ASKED = 14;
/** Of a reservation of which the carrier does not say how long it holds. */
const HOLD_MS = 15 * 60_000;

const serviceOf = (carrier: Carrier, serviceType: string | undefined): ServiceRow | undefined =>
  serviceType === undefined
    ? undefined
    : findService(carrier, { consignmentDetails: { serviceType } as Order['consignmentDetails'] });

/** Before there is an order: where it goes, and nothing else. */
const rootsOf = (carrier: Carrier, { destination, service }: Pick<CarrierSlot, 'destination' | 'service'>) => ({
  consignment: { destinationCountry: destination.country, destinationPostalCode: destination.postcode },
  service: serviceOf(carrier, service),
});

/** Those that a carrier has, where it keeps slots. */
export const findCarrierSlots = async (
  deps: ApiDeps,
  shipper: ShipperBearer,
  account: Asking,
  { destination, service, fromDate, toDate }: SlotQuestion,
) => {
  const { carrier } = account;
  if (carrier.operations.slots === undefined || (service !== undefined && serviceOf(carrier, service) === undefined))
    return [];
  const { zone: timeZone } = carrier.time;
  const today = localDay(deps.nowMs(), timeZone);
  const from = fromDate === undefined || fromDate < today ? today : fromDate;
  const to = toDate ?? Temporal.PlainDate.from(from).add({ days: DAYS_ASKED }).toString();
  if (to < from) return [];
  const slotQuery = { kind: 'DELIVERY', from, to } as const;
  const { environment } = shipper;
  const roots = rootsOf(carrier, { destination, service });
  const asked = await deps.ask('slots', { slotQuery, ...roots }, { ...account, environment });
  if (!asked.ok) return failedAsk(asked);
  return asked.result.map(({ total, currency, ...slot }) => ({
    slotId: writeId(deps.sealer, shipper, { carrierCode: carrier.code, slot, destination, service, timeZone }),
    date: slot.from.slice(0, 10),
    from: slot.from.slice(11, 16),
    to: slot.to.slice(11, 16),
    timezone: timeZone,
    ...(total === undefined ? {} : { total }),
    ...(currency === undefined ? {} : { currency }),
  }));
};

const momentOf = (local: string, timeZone: string): number => {
  const asUtcMs = Date.parse(`${local.replace(' ', 'T')}Z`);
  return instantOf(asUtcMs, timeZone) ?? asUtcMs;
};

/** No more is known of how many there are: the carrier says whether it has one more. */
const CAPACITY = 1_000_000_000;

/**
 * Asks the carrier to hold it. The reservation is recorded before, and nobody may use it until the carrier has said so:
 * one of which nobody knows whether it is held is asked for by nobody again, and lapses at the carrier.
 */
export const reserveCarrierSlot = async (
  deps: ApiDeps,
  shipper: ShipperBearer,
  account: Asking,
  { carrierCode, slot, timeZone, ...bookedFor }: OfferedSlot,
): Promise<Reservation | 'too_many' | HttpAnswer> => {
  const { shipperId, environment } = shipper;
  const [startsAtMs, endsAtMs] = [momentOf(slot.from, timeZone), momentOf(slot.to, timeZone)];
  if (startsAtMs <= deps.nowMs()) return conflict('The slot has begun: choose another', 'slot_closed');
  const place: Slot = {
    zone: '',
    window: '',
    day: slot.from.slice(0, 10),
    from: slot.from.slice(11, 16),
    to: slot.to.slice(11, 16),
    timeZone,
    startsAtMs,
    endsAtMs,
    capacity: CAPACITY,
  };
  const booked = { slot, ...bookedFor };
  const most = { held: deps.slotsHeld, nowMs: deps.nowMs() };
  const wanted = { shipperId, environment, carrierCode, slot: place, holdMs: HOLD_MS, most, booked };
  const reserved = await reserveSlot(deps.pool, wanted);
  if (typeof reserved === 'string') return 'too_many';
  const { token } = reserved;
  const roots = rootsOf(account.carrier, bookedFor);
  const asked = await deps.ask('reserveSlot', { slot, ...roots }, { ...account, environment });
  if (!asked.ok) {
    const isKnown = asked.why !== 'unknown_outcome' && (asked.why !== 'waiting' || asked.problem.code === 'held_back');
    if (!isKnown) return badGateway(UNKNOWN, 'slot_unknown');
    await noteAtCarrier(deps.pool, token, 'gone');
    if (asked.why !== 'rejected') return failedAsk(asked);
    const { messages } = asked.problem;
    return conflict(`The carrier does not give it: ${messages.join('; ')}`, 'slot_sold_out', undefined, messages);
  }
  const { reservation, expiresAt, memo = slot.memo } = asked.result;
  await noteAtCarrier(deps.pool, token, 'reserved', {
    booked: { ...booked, slot: { ...slot, ...(memo && { memo }), reservation } },
    expiresAtMs: expiresAt === undefined ? undefined : Date.parse(expiresAt),
  });
  return (await findReservation(deps.pool, shipper, token)) ?? reserved;
};

const UNKNOWN = 'Nobody knows whether the carrier holds the slot; if it does, that lapses by itself. Reserve another';

/** Confirms it at the carrier that keeps it, where that was not done before; an answer: it is not confirmed. */
export const confirmAtCarrier = async (
  deps: ApiDeps,
  { environment }: Pick<ShipperBearer, 'environment'>,
  { carrier, accountId }: Asking,
  { token, atCarrier, booked }: Pick<Reservation, 'token' | 'atCarrier' | 'booked'>,
  roots: { readonly consignment?: Consignment; readonly service?: ServiceRow } = {},
): Promise<HttpAnswer | undefined> => {
  if (atCarrier !== 'reserved' || booked === undefined) return undefined;
  const about = { slot: booked.slot, consignment: roots.consignment, service: roots.service };
  const asked = await deps.ask('confirmSlot', about, { carrier, accountId, environment });
  const isRefused = !asked.ok && asked.why === 'rejected';
  if (!asked.ok && asked.why !== 'not_offered' && !isRefused)
    return unavailable(UNCONFIRMED, AGAIN_MS, 'slot_unconfirmed');
  await noteAtCarrier(deps.pool, token, isRefused ? 'gone' : 'confirmed');
  return isRefused ? brokenRules([slotTaken()], {}) : undefined;
};

/** Confirms the slot that an order names, which nothing was recorded of yet. */
export const confirmNamed = async (
  deps: ApiDeps,
  shipper: ShipperBearer,
  { reservation, ...order }: AcceptableOrder,
): Promise<HttpAnswer | undefined> =>
  reservation === undefined ? undefined : await confirmAtCarrier(deps, shipper, order, reservation, order);

const UNCONFIRMED = 'The carrier has not confirmed the slot; nothing was done: try again';
const AGAIN_MS = 5_000;
