/** What slots take and show: schemas for checks and OpenAPI, types for the client. */
import { type Static, Type } from 'typebox';
import { carrierCode, filled, instant } from './query-fields.ts';

const day = (description: string) => Type.Optional(Type.String({ format: 'date', description }));
export const SlotSearch = Type.Object({
  carrier: Type.Object({ code: carrierCode() }),
  shipTo: Type.Object({
    address: Type.Object({ country: Type.String({ format: 'country' }), pincode: filled(30) }),
  }),
  serviceType: Type.Optional(filled(100, 'A service of the carrier.')),
  fromDate: day('The first day.'),
  toDate: day('The last day.'),
});
const time = (description: string) => Type.String({ description, examples: ['08:00'] });
export const SlotView = Type.Object({
  slotId: Type.String({ description: 'For reserving it.' }),
  date: Type.String({ examples: ['2026-05-05'] }),
  from: time('When it begins, local to `timezone`.'),
  to: time('When it ends.'),
  timezone: Type.String(),
  available: Type.Optional(
    Type.Integer({ description: 'How many may be reserved still; missing: the carrier does not say.' }),
  ),
  total: Type.Optional(Type.Number({ description: 'What the carrier takes for it, tax included.' })),
  currency: Type.Optional(Type.String({ examples: ['EUR'] })),
});
export const ReservationView = Type.Object({
  slotToken: Type.String({ description: '`consignmentDetails.slotToken` of the order.' }),
  state: Type.Enum(['reserved', 'confirmed', 'released'], { description: 'Only what is `reserved` expires.' }),
  carrierCode: Type.String(),
  date: Type.String({ examples: ['2026-05-05'] }),
  timezone: Type.String(),
  startsAt: instant(),
  endsAt: instant(),
  expiresAt: Type.Optional(instant('Until when it is held.')),
});
export const replyOf = <Entry extends typeof SlotView | typeof ReservationView>(entry: Entry) =>
  Type.Object({ timestamp: Type.String(), status: Type.Literal('OK'), data: Type.Array(entry) });

export type SlotSearch = Static<typeof SlotSearch>;
export type SlotView = Static<typeof SlotView>;
export type ReservationView = Static<typeof ReservationView>;
