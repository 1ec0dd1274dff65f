/** What both generated clients carry out: the journey of one parcel of the test carrier, and a webhook's life. */
import { env } from 'node:process';

export const url = env['WAYBILL_URL'] ?? '';
export const token = env['WAYBILL_TOKEN'] ?? '';

export const orderOf = (referenceNumber: string) => ({
  consignmentDetails: {
    referenceNumber,
    orderNumber: `O-${referenceNumber}`,
    consignmentNumber: `C-${referenceNumber}`,
    consignmentType: 'FORWARD' as const,
    serviceType: 'Express',
    shipByDate: '2030-05-01',
    totalWeight: 1.5,
    totalWeightUom: 'KG' as const,
    totalQuantity: 1,
    packageDetails: [
      {
        id: 'PKG-1',
        type: 'Carton',
        quantity: 1,
        weight: 1.5,
        weightUom: 'KG' as const,
        length: 30,
        width: 20,
        height: 10,
        dimensionUom: 'CM' as const,
      },
    ],
  },
  carrier: { code: 'test_carrier' },
  shipFrom: {
    contact: { name: 'Example Goods', contactNumber: '+49405550100' },
    address: { line1: 'Example Street 1', city: 'Hamburg', pincode: '20095', country: 'DE' },
  },
  shipTo: {
    contact: { name: 'Max Sample', contactNumber: '+49895550101' },
    address: { line1: 'Sample Road 22', city: 'Munich', county: 'Altstadt', pincode: '80331', country: 'DE' },
  },
});

export const webhook = { url: 'https://shop.example/waybill', orderTypes: ['FORWARD' as const] };
