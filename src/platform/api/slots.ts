/** Delivery slots: which there are, and holding one until the order is made. */
import { Type } from 'typebox';
import { type Slot, slotsFor, zonesAt } from '../../engine/slots/offered.ts';
import { localDay } from '../../engine/time-zone.ts';
import { type Issue, issueAt } from '../../engine/validate.ts';
import {
  confirmReservation,
  findReservation,
  freePlaces,
  releaseReservation,
  type Reservation,
  reserveSlot,
} from '../records/slots.ts';
import { confirmAtCarrier, findCarrierSlots, readOfferedSlot, reserveCarrierSlot } from './carrier-slots.ts';
import { conflict, type HttpAnswer, notFound, stamped, tooManyRequests } from './http-answer.ts';
import { brokenRules, openAccountOf } from './order-intake.ts';
import { filled, readCursor, viewOf, writeCursor } from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';
import { replyOf, ReservationView, SlotSearch, SlotView } from './slot-shapes.ts';

const AREA = { auth: 'shipper', tag: 'Slots' } as const;
/** Where the carrier is asked. */
const ANSWER_WITHIN_MS = 35_000;
const OWN_HOLD_MS = 15 * 60_000;

const TOKEN = Type.Object({ slotToken: filled(500) });

const answer = (data: readonly object[]): HttpAnswer =>
  stamped<{ timestamp: string; status: 'OK'; data: readonly object[] }>({ status: 'OK', data });

const timeOf = ({ date, from, to }: Pick<SlotView, 'date' | 'from' | 'to'>) => `${date} ${from} ${to}`;

const idOf = (code: string, { zone, window, day }: Slot): string => writeCursor([code, zone, window, day]);

const shown = ({ token, day, timeZone, state, expiresAtMs, ...rest }: Reservation): ReservationView =>
  viewOf(ReservationView, {
    ...rest,
    slotToken: token,
    state,
    date: day,
    timezone: timeZone,
    ...(state === 'reserved' && { expiresAtMs }),
  });

const dayIssues = (fromDate: string | undefined, toDate: string | undefined, today: string): readonly Issue[] => {
  if (toDate === undefined) return [];
  if (toDate < today) return [issueAt('toDate', 'window_past', 'is over already')];
  return fromDate !== undefined && toDate < fromDate
    ? [issueAt('toDate', 'window_order', 'must not be before fromDate')]
    : [];
};

const TOO_MANY = 'As many slots are reserved as may be: order with them, or release some';
const SOLD_OUT = 'All places of the slot are reserved: choose another';
const unknown = (what: string) => notFound(`There is no such ${what}`, 'unknown_slot');

/** How a reservation is after it was to become `wanted`. */
const became = (wanted: 'confirmed' | 'released', reservation: Reservation | undefined): HttpAnswer => {
  if (reservation === undefined) return unknown('reservation');
  const { state, referenceNumber } = reservation;
  if (state === wanted) return answer([shown(reservation)]);
  return state === 'used'
    ? conflict(`Consignment ${referenceNumber} uses the reservation: cancel that, or change its slotToken`, 'slot_used')
    : conflict(
        `The reservation ${state === 'expired' ? 'has expired' : 'was released'}: reserve a slot anew`,
        'slot_ended',
      );
};

export const addSlotRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const { pool } = deps;
  route('POST /v2/slots', {
    id: 'findSlots',
    summary: 'The delivery slots there are for a destination',
    description: 'Of a return, give where it is picked up as `shipTo`.',
    body: SlotSearch,
    reply: [replyOf(SlotView), 'Those that have places left, by their time.'],
    errors: [422, 502],
    answerWithinMs: ANSWER_WITHIN_MS,
    handle: async ({ shipper, body }) => {
      const {
        carrier: { code },
        shipTo: { address },
        serviceType,
        fromDate,
        toDate,
      } = body;
      const account = await openAccountOf(deps, shipper, code);
      if ('issues' in account) return brokenRules(account.issues, {});
      const { carrier } = account;
      const wrong = dayIssues(fromDate, toDate, localDay(deps.nowMs(), carrier.time.zone));
      if (wrong.length > 0) return brokenRules(wrong, {}, ['The question breaks rules', 'rules_broken']);
      const zones = zonesAt(carrier, { country: address.country, postcode: address.pincode });
      const found = slotsFor(carrier, { zones, service: serviceType, fromDay: fromDate, toDay: toDate }, deps.nowMs());
      const { shipperId, environment } = shipper;
      const wanted = found.map((slot) => ({ shipperId, environment, carrierCode: code, slot, holdMs: 0 }));
      const free = await freePlaces(pool, wanted);
      const ours = found.flatMap((slot, at) => {
        const { day: date, from, to, timeZone: timezone } = slot;
        const available = free[at] ?? 0;
        return available === 0 ? [] : [{ slotId: idOf(code, slot), date, from, to, timezone, available }];
      });
      const theirs = await findCarrierSlots(deps, shipper, account, {
        destination: { country: address.country, postcode: address.pincode },
        service: serviceType,
        fromDate,
        toDate,
      });
      if ('status' in theirs) return theirs;
      return answer([...ours, ...theirs].toSorted((one, other) => (timeOf(one) < timeOf(other) ? -1 : 1)));
    },
  });
  route('POST /v2/slots/reserve', {
    id: 'reserveSlot',
    summary: 'Reserve a slot',
    description: 'It is held for a while: confirm it, or create a consignment with its `slotToken`, which confirms it.',
    body: Type.Object({ slotId: filled(8_000) }),
    reply: [replyOf(ReservationView), 'It is held.'],
    errors: [404, 409, 422, 502],
    answerWithinMs: ANSWER_WITHIN_MS,
    handle: async ({ shipper, body: { slotId } }) => {
      const { shipperId, environment } = shipper;
      const offered = readOfferedSlot(deps.sealer, shipper, slotId);
      if (offered !== undefined) {
        const account = await openAccountOf(deps, shipper, offered.carrierCode);
        if ('issues' in account) return unknown('slot');
        const held = await reserveCarrierSlot(deps, shipper, account, offered);
        if (held === 'too_many') return tooManyRequests(TOO_MANY, OWN_HOLD_MS, 'slots_held');
        return 'status' in held ? held : answer([shown(held)]);
      }
      const [code = '', zone = '', window = '', date = ''] = readCursor(slotId, 4) ?? [];
      const account = await openAccountOf(deps, shipper, code);
      if ('issues' in account) return unknown('slot');
      const { carrier } = account;
      const { slots } = carrier;
      if (slots?.zones[zone] === undefined || slots.windows[window] === undefined) return unknown('slot');
      const open = slotsFor(carrier, { zones: [zone], fromDay: date, toDay: date }, deps.nowMs());
      const slot = open.find((one) => one.window === window);
      if (slot === undefined) return conflict('The slot is not to be reserved any more: choose another', 'slot_closed');
      const most = { held: deps.slotsHeld, nowMs: deps.nowMs() };
      const wanted = { shipperId, environment, carrierCode: code, slot, holdMs: slots.holdMs, most };
      const reserved = await reserveSlot(pool, wanted);
      if (reserved === 'sold_out') return conflict(SOLD_OUT, 'slot_sold_out');
      if (reserved === 'too_many') return tooManyRequests(TOO_MANY, slots.holdMs, 'slots_held');
      return answer([shown(reserved)]);
    },
  });
  route('POST /v2/slots/confirm', {
    id: 'confirmSlot',
    summary: 'Keep a reserved slot',
    description: 'It does not expire any more.',
    body: TOKEN,
    reply: [replyOf(ReservationView), 'It is confirmed.'],
    errors: [404, 409, 422],
    answerWithinMs: ANSWER_WITHIN_MS,
    handle: async ({ shipper, body: { slotToken } }) => {
      const reservation = await findReservation(pool, shipper, slotToken);
      if (reservation?.atCarrier === 'reserved' && reservation.state === 'reserved') {
        const account = await openAccountOf(deps, shipper, reservation.carrierCode);
        if ('issues' in account) return brokenRules(account.issues, {});
        const refused = await confirmAtCarrier(deps, shipper, account, reservation);
        if (refused !== undefined) return refused;
      }
      return became('confirmed', await confirmReservation(pool, shipper, slotToken));
    },
  });
  route('POST /v2/slots/release', {
    id: 'releaseSlot',
    summary: 'Give a reserved slot back',
    description: 'Cancelling a consignment releases its slot.',
    body: TOKEN,
    reply: [replyOf(ReservationView), 'It is released.'],
    errors: [404, 409],
    handle: async ({ shipper, body: { slotToken } }) =>
      became('released', await releaseReservation(pool, shipper, slotToken)),
  });
};
