import { isDeepStrictEqual } from 'node:util';
import type { Consignment } from '../../engine/consignment/consignment.ts';

/** Fields of `info.consignmentDetails` by which the shipper or this platform sorts orders; no carrier acts on them. */
const OURS: ReadonlySet<string> = new Set([
  'businessUnit',
  'consignmentGroupId',
  'routingPriority',
  'routingTags',
  'routingType',
]);

/** Do both say the same to a carrier? Pure. */
export const isSameToCarrier = (before: Consignment, after: Consignment): boolean =>
  isDeepStrictEqual(seenByCarrier(before), seenByCarrier(after));

const seenByCarrier = ({ info, ...consignment }: Consignment): unknown => {
  const { consignmentDetails, ...rest } = info ?? {};
  const details =
    typeof consignmentDetails === 'object' && consignmentDetails !== null
      ? Object.entries(consignmentDetails).filter(([field]) => !OURS.has(field))
      : [];
  // Through JSON, as the records hold it: what is undefined is not there.
  const seen = {
    ...consignment,
    typeOfAction: undefined,
    info: { ...rest, consignmentDetails: Object.fromEntries(details) },
  };
  return JSON.parse(JSON.stringify(seen)) as unknown;
};
