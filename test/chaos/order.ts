/** An order and the contract's answer to it, and what a reference says of its life by its last letter. */
import { DEMO_CARRIERS } from '../../simulator/demo/carriers.ts';
import { orderFor } from '../../simulator/demo/order.ts';

export const PUSHED = 'P';
export const REFUSED = 'R';
export const CANCELLED = 'C';
export const UPDATED = 'U';
export const PLAIN = 'N';

/** The receiver that never takes anything. */
export const DEAD = 'dead';

const [demoCarrier] = DEMO_CARRIERS;

/** A create request of an invented shipper to a carrier of the contract. */
export const orderTo = (carrier: string, reference: string, packages = 1): Record<string, unknown> => {
  if (demoCarrier === undefined) throw new Error('the demo lost its first carrier');
  return orderFor({ ...demoCarrier, code: carrier }, reference, packages);
};

/** What a carrier of the contract is sent. */
export interface ContractOrder {
  readonly referenceId: string;
  readonly orderNumber: string;
  readonly carrierCode: string;
  readonly typeOfAction: string;
  readonly itemList: readonly { readonly itemReferenceNumber: string }[];
}

export const trackingNumberOf = (reference: string, item = 'PKG-1'): string => `T-${reference}-${item}`;

/** A number for each package. */
export const answerTo = ({ referenceId, orderNumber, carrierCode, itemList }: ContractOrder) => ({
  status: 200,
  referenceId,
  timestamp: Date.now(),
  itemsTrackDetails: itemList.map(({ itemReferenceNumber }) => ({
    itemReferenceNumber,
    trackingNumber: trackingNumberOf(referenceId, itemReferenceNumber),
    carrierCode,
    orderNumber,
  })),
});

const STARTS = ['PICKED_UP', 'IN_TRANSIT', 'AT_HUB', 'OUT_FOR_DELIVERY'] as const;
const ENDS: Readonly<Record<string, string>> = {
  DELIVERED: 'Order Delivered',
  RETURNED_TO_ORIGIN: 'Returned to Origin',
  DELIVERY_FAILED: 'Delivery Failed',
  OUT_FOR_DELIVERY: 'Out for Delivery',
};

/** What its carrier pushes of a parcel, each event at a time of its own, and how the consignment ends by it. */
export const lifeOf = (trackingNumber: string, count: number, random: () => number) => {
  const names = Object.keys(ENDS);
  const end = names[Math.floor(random() * names.length)] ?? 'DELIVERED';
  const codes = Array.from({ length: count - 1 }, (_, at) => STARTS[at % STARTS.length] ?? 'IN_TRANSIT');
  const events = [...codes, end].map((carrierStatusCode, at) => ({
    type: 'Tracking',
    value: trackingNumber,
    carrierStatusCode,
    statusReceivedAt: `2026-05-${String(1 + at).padStart(2, '0')} 10:00:00`,
    eventTimezone: 'Europe/Berlin',
  }));
  return { events, endsAs: ENDS[end] ?? '' };
};
