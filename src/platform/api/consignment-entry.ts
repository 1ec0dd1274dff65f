import { labelLink } from '../../engine/labels/serve.ts';
import type { ConsignmentEntry, TrackingDetail } from '../../engine/consignment/reply-schema.ts';
import type { ConsignmentRecord } from '../records/consignments.ts';
import { type LabelEntry, listLabels } from '../records/label-links.ts';
import type { ApiDeps } from './deps.ts';

/** Labels that may be asked for: those we have, and those that are fetched when somebody does. */
export const isServed = ({ state }: LabelEntry): boolean => state === 'stored' || state === 'pending';

/** What the carrier gave, package by package; empty while it gave nothing. */
export const trackingDetailsOf = (
  record: ConsignmentRecord,
  labels: readonly LabelEntry[],
  { carriers, publicUrl }: Pick<ApiDeps, 'carriers' | 'publicUrl'>,
): TrackingDetail[] => {
  const served = labels.filter(isServed);
  const forAll = served.find(({ position }) => position === undefined);
  const name = carriers.find(record.carrierCode)?.name ?? record.carrierCode;
  return record.packages.flatMap(({ position, reference, trackingNumber }) => {
    if (trackingNumber === undefined) return [];
    const label = served.find((entry) => entry.position === position) ?? forAll;
    return [
      {
        packageId: reference,
        trackingNumber,
        ...(label === undefined ? {} : { label: labelLink(publicUrl, label.id) }),
        carrierDetails: { name, code: record.carrierCode, info: {} },
      },
    ];
  });
};

/** The consignment as replies name it. */
export const entryOf = (record: ConsignmentRecord, trackingDetails: TrackingDetail[]): ConsignmentEntry => ({
  referenceNumber: record.referenceNumber,
  orderNumber: record.orderNumber,
  consignmentNumber: record.consignmentNumber,
  ...(record.masterTrackingNumber === undefined ? {} : { masterTrackingNumber: record.masterTrackingNumber }),
  trackingDetails,
});

export const currentEntry = async (deps: ApiDeps, record: ConsignmentRecord): Promise<ConsignmentEntry> =>
  entryOf(record, trackingDetailsOf(record, await listLabels(deps.pool, record.id), deps));
