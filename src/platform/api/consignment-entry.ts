/** A consignment as replies name it: what its carrier gave, package by package, and how it stands. */
import type { ConsignmentEntry, Warning } from '../../engine/consignment/reply.ts';
import { labelLink } from '../../engine/labels/serve.ts';
import { carrierWarningsOf, standingOf } from '../records/acceptance.ts';
import type { ConsignmentState, ShownConsignment } from '../records/consignments.ts';
import type { ApiDeps } from './deps.ts';

/** What of a consignment is known before its carrier was asked, and may be known of it. */
export type Named = Pick<ShownConsignment, 'referenceNumber' | 'orderNumber' | 'consignmentNumber' | 'carrierCode'> &
  Partial<Pick<ShownConsignment, 'masterTrackingNumber' | 'packages' | 'labels'>>;

/** Labels that may be asked for: those we have, and those that are fetched when somebody does. */
export const isServed = ({ state }: ConsignmentState['labels'][number]): boolean =>
  state === 'stored' || state === 'pending';

export const entryOf = (
  { stands, packages = [], labels = [], ...record }: Named & Pick<ShownConsignment, 'stands'>,
  { carriers, publicUrl }: Pick<ApiDeps, 'carriers' | 'publicUrl'>,
): ConsignmentEntry => {
  const { referenceNumber, orderNumber, consignmentNumber, masterTrackingNumber, carrierCode: code } = record;
  const served = labels.filter(isServed);
  const forAll = served.find(({ position }) => position === undefined);
  const warnings = warningsOf(stands);
  const carrierDetails = { name: carriers.find(code)?.name ?? code, code, info: {} };
  return {
    referenceNumber,
    orderNumber,
    consignmentNumber,
    ...(masterTrackingNumber === undefined ? {} : { masterTrackingNumber }),
    trackingDetails: packages.flatMap(({ position, reference, trackingNumber }) => {
      if (trackingNumber === undefined) return [];
      const label = served.find((entry) => entry.position === position) ?? forAll;
      const link = label === undefined ? {} : { label: labelLink(publicUrl, label.id) };
      return [{ packageId: reference, trackingNumber, ...link, carrierDetails }];
    }),
    ...standingOf(stands),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
};

const warningsOf = (stands: ShownConsignment['stands']): Warning[] =>
  carrierWarningsOf(stands).map((message) => ({ code: 'carrier_warning', message }));
