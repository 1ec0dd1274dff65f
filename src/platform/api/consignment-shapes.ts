/** What reading consignments takes and shows: schemas for checks and OpenAPI, types for the client. */
import { type Static, Type } from 'typebox';
import { NORMALISED_STATUSES } from '../../engine/statuses/status.ts';
import {
  ACCEPTANCES,
  ChoiceEntry,
  ConsignmentEntry,
  optionalReason,
  Standing,
} from '../../engine/consignment/reply.ts';
import { OfferShape } from './inquiry-shapes.ts';
import { filled, instant, limit, optionalTexts, texts, time } from './query-fields.ts';

const name = (description: string) => Type.Optional(filled(200, description));

/** What a list may be asked by; all of it must fit. */
export const listFilter = {
  status: Type.Optional(Type.Enum([...NORMALISED_STATUSES])),
  acceptance: Type.Optional(Type.Enum([...ACCEPTANCES])),
  carrier: Type.Optional(Type.String({ maxLength: 100, description: 'A carrier’s code.' })),
  referencePrefix: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'How the referenceNumber begins.' }),
  ),
  consignmentType: Type.Optional(Type.Enum(['FORWARD', 'REVERSE'])),
  trackingNumber: name('That a package, or the whole, has or had.'),
  orderNumber: name('Of the order.'),
  consignmentNumber: name('Of the consignment.'),
  createdFrom: Type.Optional(time('Created then or later.')),
  createdBefore: Type.Optional(time('Created earlier than that.')),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: '`nextCursor` of the page before.' })),
  limit,
};
export const ListQuery = Type.Object(listFilter);
export type ListQuery = Static<typeof ListQuery>;

export const ListEntry = Type.Object({
  ...texts('referenceNumber', 'orderNumber', 'consignmentNumber'),
  consignmentType: Type.Enum(['FORWARD', 'REVERSE']),
  carrierCode: Type.String(),
  status: Type.String(),
  ...Standing.properties,
  masterTrackingNumber: Type.Optional(Type.String()),
  packages: Type.Array(Type.Object({ ...texts('packageId', 'status'), trackingNumber: Type.Optional(Type.String()) })),
  createdAt: instant(),
  updatedAt: instant(),
});
export type ListEntry = Static<typeof ListEntry>;

export const ListReply = Type.Object({
  timestamp: Type.String(),
  status: Type.Literal('OK'),
  data: Type.Array(ListEntry),
  nextCursor: Type.Optional(Type.String({ description: 'Missing on the last page.' })),
});
export type ListReply = Static<typeof ListReply>;

const text = () => Type.Optional(Type.String());

export const LabelView = Type.Object({
  id: Type.String(),
  ...optionalTexts('packageId', 'url', 'format'),
  state: Type.Enum(['pending', 'stored', 'failed', 'revoked']),
  reason: optionalReason('Why it is not there, or not yet.'),
});
export const PackageView = Type.Object({
  packageId: Type.String(),
  trackingNumber: text(),
  status: Type.String(),
  reason: text(),
  statusAt: Type.Optional(instant()),
});
export const EventView = Type.Object({
  packageId: text(),
  status: Type.String(),
  reason: text(),
  occurredAt: instant(),
  receivedAt: instant(),
  carrierStatus: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The status update as the carrier sent it.',
  }),
});
/** Why a dispatch was rejected or is held. */
export const DispatchFailure = Type.Object({
  ...texts('why', 'code'),
  messages: Type.Array(Type.String()),
});
export const DispatchEntry = Type.Object({
  id: Type.Integer(),
  operation: Type.String(),
  state: Type.Enum(['pending', 'sending', 'waiting', 'done', 'rejected', 'held', 'cancelled']),
  attempts: Type.Integer(),
  dueAt: Type.Optional(instant()),
  awaySince: Type.Optional(instant('Since when it waits for a carrier that is away.')),
  createdAt: instant(),
  finishedAt: Type.Optional(instant()),
  failure: Type.Optional(DispatchFailure),
});
export type DispatchEntry = Static<typeof DispatchEntry>;

const why = (description: string) =>
  Type.Optional(Type.Object({ code: Type.String(), reason: Type.String() }, { description }));
/** What a policy made of a carrier, or of one of its services. */
const ConsideredView = Type.Object({
  carrier: Type.String(),
  service: text(),
  rank: Type.Optional(Type.Integer({ description: '1 is taken; the others come next, in their order.' })),
  score: Type.Optional(Type.Number({ description: 'From 0 to 100, where the policy ranks by scores.' })),
  offer: Type.Optional(OfferShape),
  unpriced: why('Why it is ranked without a price.'),
  excluded: why('Why the order cannot go with it.'),
});
const considered = Type.Array(ConsideredView, {
  description: 'All carriers: by their ranks, then those that were left out.',
});
const ChoiceView = Type.Object({ ...ChoiceEntry.properties, considered });

export const ConsignmentView = Type.Object({
  ...ConsignmentEntry.properties,
  choice: Type.Optional(ChoiceView),
  consignmentType: Type.Enum(['FORWARD', 'REVERSE']),
  carrierCode: Type.String(),
  environment: Type.Enum(['sandbox', 'production']),
  status: Type.String({ description: 'Of all packages, rolled up.' }),
  createdAt: instant(),
  updatedAt: instant(),
  packages: Type.Array(PackageView),
  labels: Type.Array(LabelView),
  events: Type.Array(EventView, { description: 'In the order they happened.' }),
  dispatches: Type.Array(DispatchEntry, { description: 'What was asked of the carrier.' }),
});
export type ConsignmentView = Static<typeof ConsignmentView>;

export const ReadReply = Type.Object({
  timestamp: Type.String(),
  status: Type.Literal('OK'),
  data: Type.Array(ConsignmentView),
});
export type ReadReply = Static<typeof ReadReply>;

/** What a policy would choose. */
export const ChoiceReply = Type.Object({
  timestamp: Type.String(),
  status: Type.Literal('OK'),
  data: Type.Object({
    policy: Type.String(),
    rule: Type.Optional(Type.String({ description: 'Of the policy: the one that decides.' })),
    carrierCode: Type.Optional(Type.String({ description: 'Missing where none is left: a create would be 422.' })),
    service: Type.Optional(Type.String()),
    total: Type.Optional(Type.Number()),
    currency: Type.Optional(Type.String()),
    considered: Type.Array(ConsideredView, { description: 'By their ranks, then those that are left out.' }),
  }),
});
export type ChoiceReply = Static<typeof ChoiceReply>;
export type CarrierChoice = ChoiceReply['data'];
