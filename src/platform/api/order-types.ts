import type { Facilities } from '../../engine/consignment/facility.ts';
import type { Order } from '../../engine/consignment/schema.ts';
import type { SubscribedOrderType } from '../../engine/webhooks/subscription.ts';

/**
 * What subscriptions may ask for an order by (design.md, "Consignments"): its `consignmentType`; EXCHANGE when it names
 * the order it is exchanged for; TRANSFER when both ends are facilities that the shipper registered.
 */
export const orderTypesOf = (
  { consignmentDetails }: Order,
  { origin, destination }: Facilities,
): readonly SubscribedOrderType[] => {
  const types: SubscribedOrderType[] = [consignmentDetails.consignmentType];
  if (isGiven(consignmentDetails.additionalInformation?.exchangeOrderNumber)) types.push('EXCHANGE');
  if (origin !== undefined && destination !== undefined) types.push('TRANSFER');
  return types;
};

const isGiven = (text: string | undefined): boolean => text !== undefined && text.trim() !== '';
