import { type Static, Type } from 'typebox';
import type { Warning } from './reply.ts';
import { LABEL_FORMATS, type LabelFormat } from './consignment.ts';

/**
 * What a create, update or lookup yields: the success body of the carrier contract as the engine uses it. Unknown keys
 * are errors. Echoes are filled in by the engine, so all but the
 * entries may be missing; `coerce` makes a lone entry an array of one. URLs are not judged here: a label that cannot
 * be fetched must not turn an accepted shipment into an unknown one.
 */

const closed = { additionalProperties: false } as const;

/** Its content (base64, a data URI, or bytes), or where to fetch it. Without `format`, its first bytes decide. */
export type Label =
  | { content: string | Uint8Array; url?: never; format?: LabelFormat }
  | { url: string; content?: never; format?: LabelFormat };

export const Label = Type.Unsafe<Label>({
  type: 'object',
  properties: {
    content: { 'x-content': true, description: 'Base64, a data URI, or the bytes of a binary answer.' },
    url: { type: 'string', minLength: 1 },
    format: { enum: [...LABEL_FORMATS] },
  },
  oneOf: [{ required: ['content'] }, { required: ['url'] }],
  'x-must': 'have either content or url',
  ...closed,
});

// Longer than any carrier's number, short enough for an index.
const trackingNumber = () => Type.Optional(Type.String({ minLength: 1, maxLength: 200 }));
const memo = () => Type.Optional(Type.Record(Type.String(), Type.Unknown()));

const ItemTrackDetails = Type.Object(
  {
    itemReferenceNumber: Type.Optional(Type.String()),
    trackingNumber: trackingNumber(),
    labelUrl: Type.Optional(Type.String()),
    label: Type.Optional(Label),
    carrierCode: Type.Optional(Type.String()),
    orderNumber: Type.Optional(Type.String()),
    memo: memo(),
  },
  closed,
);
export type ItemTrackDetails = Static<typeof ItemTrackDetails>;

export const Answer = Type.Object(
  {
    status: Type.Optional(Type.Integer()),
    referenceId: Type.Optional(Type.String()),
    timestamp: Type.Optional(Type.Integer({ description: 'Milliseconds since 1970.' })),
    executionTime: Type.Optional(Type.Integer({ description: 'Milliseconds.' })),
    itemsTrackDetails: Type.Array(ItemTrackDetails),
    masterTrackingNumber: trackingNumber(),
    label: Type.Optional(Label),
    memo: memo(),
    warnings: Type.Optional(Type.Array(Type.String())),
    numbersUnknown: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
  },
  closed,
);
export type Answer = Static<typeof Answer>;

/** The error body of the contract, as a carrier sends it with 400. */
export const ErrorBody = Type.Object({
  status: Type.Integer(),
  referenceId: Type.Optional(Type.String()),
  timestamp: Type.Optional(Type.Integer({ description: 'Milliseconds since 1970.' })),
  errors: Type.Array(Type.String()),
});
export type ErrorBody = Static<typeof ErrorBody>;

export interface AcceptedPackage {
  readonly itemReferenceNumber: string;
  readonly trackingNumber: string;
  readonly label?: Label | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
  /** Index of the package, where others are missing. */
  readonly position?: number;
}

/** A carrier's acceptance of a consignment, checked: one entry for each package that exists, in the packages' order. */
export interface Accepted {
  readonly packages: readonly AcceptedPackage[];
  readonly masterTrackingNumber?: string | undefined;
  /** One document for all packages. */
  readonly label?: Label | undefined;
  readonly memo: Readonly<Record<string, unknown>>;
  /** What the carrier said, and what was not done. */
  readonly warnings: readonly (string | Warning)[];
  /** It exists, though not all of its packages have numbers here: why. */
  readonly numbersUnknown?: string;
}
