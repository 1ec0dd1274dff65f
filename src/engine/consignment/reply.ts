/** The bodies of the shipper API's answers. */
import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { CANCEL_CODES, type CancelCode, ERROR_CODES, type ErrorCode } from '../error-codes.ts';

const stamped = <Fields extends TProperties>(fields: Fields) =>
  Type.Object({
    timestamp: Type.String({ description: 'Ends in GMT+0000.', examples: ['Fri May 01 2026 09:00:00 GMT+0000'] }),
    ...fields,
  });

/** `Fri May 01 2026 09:00:00 GMT+0000`: date-time text as the specification has it, readable by `Date.parse`. */
export const timestampText = (nowMs: number): string => {
  const [weekday = '', day = '', month = '', year = '', time = ''] = new Date(nowMs).toUTCString().split(' ');
  return `${weekday.replace(',', '')} ${month} ${day} ${year} ${time} GMT+0000`;
};

// Create and update ---------------------------------------------------------------------------------------------------

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

/** How a consignment stands with its carrier. */
export const ACCEPTANCES = ['accepted', 'partial', 'pending', 'held', 'rejected', 'cancelled'] as const;
export type Acceptance = (typeof ACCEPTANCES)[number];

const Reason = Type.Object({
  code: Type.String({ description: 'Stable, for programs.' }),
  message: Type.String(),
});

/** A reason that may be missing. */
export const optionalReason = (description: string) => Type.Optional(Type.Object(Reason.properties, { description }));

const unusable = {
  fields: Type.Optional(
    Type.Array(Type.String(), { description: 'Of `unusable_value`: the fields of the order that cannot be used.' }),
  ),
};

const Warning = Type.Object({ ...Reason.properties, packageId: Type.Optional(Type.String()) });
export type Warning = Static<typeof Warning>;

/** Whether the carrier has taken what was last asked of it, and why not. */
export const Standing = Type.Object({
  acceptance: Type.Enum([...ACCEPTANCES], {
    description:
      'accepted: the carrier has taken it. partial: of its packages only some have tracking numbers. pending: what ' +
      'was asked of the carrier is under way. held: it failed, or nobody knows its outcome, and waits for a retry or ' +
      'an operator. rejected: the carrier refused it. cancelled: it is cancelled.',
  }),
  reason: Type.Optional(
    Type.Object(
      {
        ...Reason.properties,
        ...unusable,
      },
      { description: 'Why it is held, was rejected, or waits.' },
    ),
  ),
  nextTryAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'When what waits is tried again by itself: ISO 8601, UTC. A cancel ends it unsent.',
    }),
  ),
});
export type Standing = Static<typeof Standing>;

const Tried = Type.Object({
  carrierCode: Type.String(),
  service: Type.Optional(Type.String()),
  at: Type.String({ format: 'date-time' }),
  code: Type.String({ description: 'Of the carrier, or of what kept it from being asked.' }),
  messages: Type.Array(Type.String()),
});

/** Of an order that names a policy. */
export const ChoiceEntry = Type.Object({
  policy: Type.String(),
  rule: Type.Optional(Type.String({ description: 'Of the policy: the one that decided.' })),
  carrierCode: Type.String({ description: 'The carrier that has it, or is to have it.' }),
  service: Type.Optional(Type.String()),
  total: Type.Optional(Type.Number({ description: 'What the carrier takes, where it said so.' })),
  currency: Type.Optional(Type.String({ description: 'ISO 4217.' })),
  tried: Type.Array(Tried, { description: 'Carriers that were asked before, and certainly have nothing of it.' }),
});
export type ChoiceEntry = Static<typeof ChoiceEntry>;

export const ConsignmentEntry = Type.Object({
  referenceNumber: Type.String(),
  orderNumber: Type.String(),
  consignmentNumber: Type.String(),
  masterTrackingNumber: Type.Optional(Type.String()),
  trackingDetails: Type.Array(TrackingDetail, { description: 'Empty while no tracking number is known.' }),
  ...Standing.properties,
  choice: Type.Optional(ChoiceEntry),
  warnings: Type.Optional(
    Type.Array(Warning, { description: 'What is not as it was asked for, though the carrier has accepted it.' }),
  ),
});
export type ConsignmentEntry = Static<typeof ConsignmentEntry>;

export const SuccessReply = stamped({ status: Type.Literal('OK'), data: Type.Array(ConsignmentEntry) });
export type SuccessReply = Static<typeof SuccessReply>;

// Errors --------------------------------------------------------------------------------------------------------------

const ReferenceErrors = Type.Object({
  referenceNumber: Type.Optional(Type.String()),
  details: Type.Array(Type.String()),
});
const coded = {
  code: Type.Enum(Object.keys(ERROR_CODES) as ErrorCode[], {
    description: 'Stable, for programs; docs/shipper-api.md has all.',
  }),
};
const findings = Type.Array(
  Type.Object({
    ...Reason.properties,
    field: Type.Optional(Type.String({ examples: ['consignmentDetails.packageDetails[0].weight'] })),
  }),
  { description: 'What `errors` says, for programs: each finding with a stable code, a carrier’s with the carrier’s.' },
);
export const BadRequestReply = stamped({
  status: Type.Literal('BAD_REQUEST'),
  ...coded,
  errors: Type.Array(ReferenceErrors),
  findings,
});
export type BadRequestReply = Static<typeof BadRequestReply>;

const failing = <Status extends TSchema>(status: Status) => ({
  status,
  ...coded,
  message: Type.String(),
  errors: Type.Array(Type.String()),
  findings: Type.Optional(findings),
});
/** The details belong to another consignment, or this one can no longer change; `data` is what there is. */
export const ConflictReply = stamped({
  ...failing(Type.Literal('CONFLICT')),
  data: Type.Optional(ConsignmentEntry),
});
export type ConflictReply = Static<typeof ConflictReply>;

/** Rules that are broken, or a carrier's refusal in its own words. */
export const UnprocessableReply = stamped({
  ...failing(Type.Literal('UNPROCESSABLE_ENTITY')),
  data: Type.Object({
    orderNumber: Type.Optional(Type.String()),
    referenceNumber: Type.Optional(Type.String()),
    trackingDetails: Type.Array(TrackingDetail, { maxItems: 0 }),
  }),
});
export type UnprocessableReply = Static<typeof UnprocessableReply>;

export const ErrorReply = stamped(failing(Type.String({ examples: ['UNAUTHORIZED', 'INTERNAL_SERVER_ERROR'] })));
export type ErrorReply = Static<typeof ErrorReply>;

// Cancel --------------------------------------------------------------------------------------------------------------

const outcome = () => Type.Enum(['Success', 'Failed']);

const CancelEntry = Type.Object({
  referenceNumber: Type.String(),
  status: outcome(),
  message: Type.String(),
  code: Type.Optional(
    Type.Enum(Object.keys(CANCEL_CODES) as CancelCode[], { description: 'Why it failed; stable, for programs.' }),
  ),
  carrierTold: Type.Optional(
    Type.Literal(false, { description: 'There was nothing to tell the carrier: an unused label costs nothing there.' }),
  ),
  ...unusable,
  ...Standing.properties,
  trackingDetails: Type.Array(Type.Object({ trackingNumber: Type.String(), status: outcome(), remark: Type.String() })),
});
export type CancelEntry = Static<typeof CancelEntry>;

const COUNTED = { successCount: Type.Integer(), failedCount: Type.Integer(), data: Type.Array(CancelEntry) };
export const CancelReply = stamped(COUNTED);
export type CancelReply = Static<typeof CancelReply>;

/** 400 of a cancel: the references that are not known, beside what became of the rest. */
export const CancelRefusedReply = Type.Object({ ...BadRequestReply.properties, ...COUNTED });
export type CancelRefusedReply = Static<typeof CancelRefusedReply>;
