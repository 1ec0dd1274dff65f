import type { Issue } from '../validate.ts';
import type { Carrier } from '../profile/carrier.ts';
import type { Order } from './schema.ts';

/** What the carrier's profile says it cannot do (`capabilities`, profile-language.md §2.1). */
export const capabilityRules = (
  { consignmentDetails: details, shipFrom, shipTo }: Order,
  { code, capabilities }: Pick<Carrier, 'code' | 'capabilities'>,
): readonly Issue[] => {
  const found: Issue[] = [];
  const lacks = (path: string, says: string): void => {
    found.push({ path, message: `${path} ${says}`, rule: 'capability' });
  };
  const { orders, maxPackages, vas, cod, from, to } = capabilities;
  const type = details.consignmentType;
  if (!orders.includes(type)) lacks('consignmentDetails.consignmentType', `${type} is not offered by carrier ${code}`);
  if (maxPackages !== undefined && details.packageDetails.length > maxPackages)
    lacks('consignmentDetails.packageDetails', `must not have more than ${maxPackages} entries for carrier ${code}`);
  if (!cod && details.paymentTobeCollected?.paymentMode === 'COD')
    lacks('consignmentDetails.paymentTobeCollected.paymentMode', `COD is not offered by carrier ${code}`);
  details.vas?.forEach(({ vasCode }, at) => {
    if (vas !== undefined && vasCode !== undefined && !vas.includes(vasCode))
      lacks(`consignmentDetails.vas[${at}].vasCode`, `"${vasCode}" is not offered by carrier ${code}`);
  });
  if (from !== undefined && !from.includes(shipFrom.address.country))
    lacks('shipFrom.address.country', `${shipFrom.address.country} is not a country that carrier ${code} ships from`);
  if (to !== undefined && !to.includes(shipTo.address.country))
    lacks('shipTo.address.country', `${shipTo.address.country} is not a country that carrier ${code} delivers to`);
  return found;
};
