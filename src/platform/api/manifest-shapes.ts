/** Manifests as the shipper API takes and shows them. */
import { type Static, Type } from 'typebox';
import { FacilityCode } from '../../engine/consignment/facility.ts';
import { carrierCode, filled, instant, texts } from './query-fields.ts';

const day = (description: string) => Type.String({ format: 'date', description, examples: ['2026-05-04'] });

export const NewManifest = Type.Object(
  {
    carrier: Type.Object({ code: carrierCode() }),
    facilityCode: FacilityCode,
    day: Type.Optional(day('Local to the facility; by default today.')),
  },
  { additionalProperties: false },
);
export type NewManifest = Static<typeof NewManifest>;

export const manifestFilter = {
  carrier: Type.Optional(carrierCode()),
  facilityCode: Type.Optional(FacilityCode),
  fromDate: Type.Optional(day('Of this day or later.')),
  toDate: Type.Optional(day('Of this day or earlier.')),
};
const Filter = Type.Object(manifestFilter);
export type ManifestFilter = Static<typeof Filter>;

const ManifestDocumentView = Type.Object({
  kind: Type.Enum(['list', 'carrier'], { description: '`list` is our own, with what is struck out.' }),
  number: Type.Optional(Type.String({ description: 'The carrier’s.' })),
  url: Type.String({ description: 'Whoever holds the link may read it.' }),
});

const summary = {
  number: Type.String({ examples: ['M00000042'] }),
  ...texts('carrierCode', 'facilityCode'),
  day: day('Local to `timezone`.'),
  timezone: Type.String(),
  acceptance: Type.Enum(['accepted', 'pending', 'held', 'rejected'], {
    description: 'Of the carrier’s close-out; what needs none is `accepted`.',
  }),
  reason: Type.Optional(Type.Object(texts('code', 'message'))),
  nextTryAt: Type.Optional(instant('When a `pending` one is tried again.')),
  carrierNumbers: Type.Array(Type.String(), { description: 'What the carrier calls it.' }),
  packageCount: Type.Integer(),
  warnings: Type.Array(Type.String()),
  documents: Type.Array(ManifestDocumentView),
  createdAt: instant(),
};
export const ManifestEntry = Type.Object(summary);
export type ManifestEntry = Static<typeof ManifestEntry>;

export const ManifestView = Type.Object({
  ...summary,
  struckOutCount: Type.Integer({ description: 'Of its packages.' }),
  packages: Type.Array(
    Type.Object({
      ...texts('referenceNumber', 'packageId', 'trackingNumber'),
      service: Type.Optional(Type.String()),
      weightKg: Type.Number(),
      struckOutAt: Type.Optional(
        instant('It was cancelled then, or made anew under another number: it is not handed over.'),
      ),
    }),
  ),
});
export type ManifestView = Static<typeof ManifestView>;

export const ManifestReply = Type.Object({
  timestamp: Type.String(),
  status: Type.Literal('OK'),
  data: Type.Array(ManifestView),
});
export type ManifestReply = Static<typeof ManifestReply>;

export const ManifestPath = Type.Object({ number: filled(50) });
