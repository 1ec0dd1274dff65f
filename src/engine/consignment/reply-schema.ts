import { type Static, Type } from 'typebox';

/** The bodies of the shipper API's answers (spec/shipper-api.md): schemas for OpenAPI, types for `reply.ts`. */

const timestamp = () =>
  Type.String({ description: 'Ends in GMT+0000.', examples: ['Fri May 01 2026 09:00:00 GMT+0000'] });
const messages = () => Type.Array(Type.String());

const TrackingDetail = Type.Object({
  packageId: Type.String(),
  trackingNumber: Type.Optional(Type.String()),
  label: Type.Optional(Type.String({ description: 'URL of the label.' })),
  carrierDetails: Type.Object({
    name: Type.String(),
    code: Type.String(),
    info: Type.Record(Type.String(), Type.Unknown()),
  }),
});
export type TrackingDetail = Static<typeof TrackingDetail>;

export const ConsignmentEntry = Type.Object({
  referenceNumber: Type.String(),
  orderNumber: Type.String(),
  consignmentNumber: Type.String(),
  masterTrackingNumber: Type.Optional(Type.String()),
  trackingDetails: Type.Array(TrackingDetail, { description: 'Empty while the carrier has not answered.' }),
});
export type ConsignmentEntry = Static<typeof ConsignmentEntry>;

export const SuccessReply = Type.Object({
  timestamp: timestamp(),
  status: Type.Literal('OK'),
  data: Type.Array(ConsignmentEntry),
});
export type SuccessReply = Static<typeof SuccessReply>;

export const ReferenceErrors = Type.Object({ referenceNumber: Type.Optional(Type.String()), details: messages() });
export type ReferenceErrors = Static<typeof ReferenceErrors>;

/** 400. */
export const BadRequestReply = Type.Object({
  timestamp: timestamp(),
  status: Type.Literal('BAD_REQUEST'),
  errors: Type.Array(ReferenceErrors),
});
export type BadRequestReply = Static<typeof BadRequestReply>;

/** 409. */
export const ConflictReply = Type.Object({
  timestamp: timestamp(),
  status: Type.Literal('CONFLICT'),
  message: Type.String(),
  errors: messages(),
  data: Type.Optional(ConsignmentEntry),
});
export type ConflictReply = Static<typeof ConflictReply>;

/** 422. */
export const UnprocessableReply = Type.Object({
  timestamp: timestamp(),
  status: Type.Literal('UNPROCESSABLE_ENTITY'),
  message: Type.String(),
  errors: messages(),
  data: Type.Object({
    orderNumber: Type.Optional(Type.String()),
    referenceNumber: Type.Optional(Type.String()),
    trackingDetails: Type.Array(TrackingDetail, { maxItems: 0 }),
  }),
});
export type UnprocessableReply = Static<typeof UnprocessableReply>;

/** Any other error. */
export const ErrorReply = Type.Object({
  timestamp: timestamp(),
  status: Type.String({ examples: ['UNAUTHORIZED', 'INTERNAL_SERVER_ERROR'] }),
  message: Type.String(),
  errors: messages(),
});
export type ErrorReply = Static<typeof ErrorReply>;

const outcome = () => Type.Enum(['Success', 'Failed']);

export const CancelEntry = Type.Object({
  referenceNumber: Type.String(),
  status: outcome(),
  message: Type.String(),
  trackingDetails: Type.Array(Type.Object({ trackingNumber: Type.String(), status: outcome(), remark: Type.String() })),
});
export type CancelEntry = Static<typeof CancelEntry>;

const counted = { successCount: Type.Integer(), failedCount: Type.Integer(), data: Type.Array(CancelEntry) };
export const CancelReply = Type.Object({ timestamp: timestamp(), ...counted });
export type CancelReply = Static<typeof CancelReply>;

/** 400 of a cancel: the references that are not known, beside what became of the rest. */
export const CancelRefusedReply = Type.Object({ ...BadRequestReply.properties, ...counted });
export type CancelRefusedReply = Static<typeof CancelRefusedReply>;
