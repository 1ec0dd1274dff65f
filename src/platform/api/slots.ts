/** Delivery slots: which there are, and holding one until the order is made. */
import { type Static, Type } from 'typebox';
import { type Slot, slotsFor, zonesAt } from '../../engine/slots/offered.ts';
import { confirmReservation, freePlaces, releaseReservation, type Reservation, reserveSlot } from '../records/slots.ts';
import { conflict, type HttpAnswer, notFound, stamped, tooManyRequests } from './http-answer.ts';
import { brokenRules, openAccountOf } from './order-intake.ts';
import { carrierCode, filled, instant, readCursor, viewOf, writeCursor } from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

const AREA = { auth: 'shipper', tag: 'Slots' } as const;

const day = (description: string) => Type.Optional(Type.String({ format: 'date', description }));
const Search = Type.Object({
  carrier: Type.Object({ code: carrierCode() }),
  shipTo: Type.Object({
    address: Type.Object({ country: Type.String({ format: 'country' }), pincode: filled(30) }),
  }),
  serviceType: Type.Optional(filled(100, 'A service of the carrier.')),
  fromDate: day('The first day.'),
  toDate: day('The last day.'),
});
const time = (description: string) => Type.String({ description, examples: ['08:00'] });
const SlotView = Type.Object({
  slotId: Type.String({ description: 'For reserving it.' }),
  date: Type.String({ examples: ['2026-05-05'] }),
  from: time('When it begins, local to `timezone`.'),
  to: time('When it ends.'),
  timezone: Type.String(),
  available: Type.Integer({ description: 'How many may be reserved still.' }),
});
const ReservationView = Type.Object({
  slotToken: Type.String({ description: '`consignmentDetails.slotToken` of the order.' }),
  state: Type.Enum(['reserved', 'confirmed', 'released'], { description: 'Only what is `reserved` expires.' }),
  carrierCode: Type.String(),
  date: Type.String({ examples: ['2026-05-05'] }),
  timezone: Type.String(),
  startsAt: instant(),
  endsAt: instant(),
  expiresAt: Type.Optional(instant('Until when it is held.')),
});
const replyOf = <Entry extends typeof SlotView | typeof ReservationView>(entry: Entry) =>
  Type.Object({ timestamp: Type.String(), status: Type.Literal('OK'), data: Type.Array(entry) });
const Token = Type.Object({ slotToken: filled(500) });

const answer = (data: readonly object[]): HttpAnswer =>
  stamped<{ timestamp: string; status: 'OK'; data: readonly object[] }>({ status: 'OK', data });

const idOf = (code: string, { zone, window, day }: Slot): string => writeCursor([code, zone, window, day]);

const shown = ({ token, day, timeZone, state, expiresAtMs, ...rest }: Reservation): Static<typeof ReservationView> =>
  viewOf(ReservationView, {
    ...rest,
    slotToken: token,
    state,
    date: day,
    timezone: timeZone,
    ...(state === 'reserved' && { expiresAtMs }),
  });

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
    body: Search,
    reply: [replyOf(SlotView), 'Those that have places left, by their time.'],
    errors: [422],
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
      const zones = zonesAt(carrier, { country: address.country, postcode: address.pincode });
      const found = slotsFor(carrier, { zones, service: serviceType, fromDay: fromDate, toDay: toDate }, deps.nowMs());
      const { shipperId, environment } = shipper;
      const wanted = found.map((slot) => ({ shipperId, environment, carrierCode: code, slot, holdMs: 0 }));
      const free = await freePlaces(pool, wanted);
      return answer(
        found.flatMap((slot, at) => {
          const { day: date, from, to, timeZone: timezone } = slot;
          const available = free[at] ?? 0;
          return available === 0 ? [] : [{ slotId: idOf(code, slot), date, from, to, timezone, available }];
        }),
      );
    },
  });
  route('POST /v2/slots/reserve', {
    id: 'reserveSlot',
    summary: 'Reserve a slot',
    description: 'It is held for a while: confirm it, or create a consignment with its `slotToken`, which confirms it.',
    body: Type.Object({ slotId: filled(500) }),
    reply: [replyOf(ReservationView), 'It is held.'],
    errors: [404, 409],
    handle: async ({ shipper, body: { slotId } }) => {
      const { shipperId, environment } = shipper;
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
    body: Token,
    reply: [replyOf(ReservationView), 'It is confirmed.'],
    errors: [404, 409],
    handle: async ({ shipper, body: { slotToken } }) =>
      became('confirmed', await confirmReservation(pool, shipper, slotToken)),
  });
  route('POST /v2/slots/release', {
    id: 'releaseSlot',
    summary: 'Give a reserved slot back',
    description: 'Cancelling a consignment releases its slot.',
    body: Token,
    reply: [replyOf(ReservationView), 'It is released.'],
    errors: [404, 409],
    handle: async ({ shipper, body: { slotToken } }) =>
      became('released', await releaseReservation(pool, shipper, slotToken)),
  });
};
