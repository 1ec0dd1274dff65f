import { DEMO_CARRIERS } from '../../../simulator/demo/carriers.ts';
import { orderFor } from '../../../simulator/demo/order.ts';

const [first] = DEMO_CARRIERS;
if (first === undefined) throw new Error('the demo lost its first carrier');
const demoCarrier = first;

/** A create request of an invented shipper to a carrier of the contract. */
export const orderTo = (carrier: string, reference: string, packages = 1): Record<string, unknown> =>
  orderFor({ ...demoCarrier, code: carrier }, reference, packages);
