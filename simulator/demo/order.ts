import type { DemoCarrier } from './carriers.ts';

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

type Place = DemoCarrier['from'];

const party = (place: Place, name: string, street: string): Record<string, unknown> => ({
  contact: {
    name,
    contactNumber: place.phone,
    email: `${name.toLowerCase().replaceAll(' ', '.')}@example.com`,
    companyName: name,
  },
  address: {
    line1: street,
    city: place.city,
    county: place.county,
    state: place.state,
    pincode: place.pincode,
    country: place.country,
    type: 'Residential',
  },
  timezone: place.timezone,
});

/** A create request as a shipper sends it; everybody in it is invented. */
export function orderFor(carrier: DemoCarrier, referenceNumber: string, packages: number): Record<string, unknown> {
  const day = inDays(2);
  return {
    consignmentDetails: {
      referenceNumber,
      orderNumber: `O-${referenceNumber}`,
      consignmentNumber: `C-${referenceNumber}`,
      consignmentType: 'FORWARD',
      serviceType: carrier.serviceType,
      shipByDate: day,
      totalWeight: 1.5 * packages,
      totalWeightUom: 'KG',
      totalQuantity: packages,
      labelFormat: carrier.labelFormat,
      deliveryInstructions: 'Example: ring twice',
      packageDetails: Array.from({ length: packages }, (_, index) => ({
        id: `PKG-${index + 1}`,
        type: 'Carton',
        length: 30,
        width: 20,
        height: 10,
        dimensionUom: 'CM',
        weight: 1.5,
        weightUom: 'KG',
        quantity: 1,
        description: 'Example books',
        value: 20,
        ...(carrier.bulky ? { volume: 0.006, volumeUom: 'CBM' } : {}),
      })),
      ...(carrier.bulky ? bulkyDetails(packages) : {}),
    },
    carrier: { code: carrier.code },
    shipFrom: {
      ...party(carrier.from, 'Example Goods', 'Example Street 1'),
      pickupStartDateTime: `${day} 10:00:00`,
      pickupEndDateTime: `${day} 16:00:00`,
    },
    shipTo: {
      ...party(carrier.to, 'Erika Example', 'Sample Road 22'),
      ...(carrier.bulky
        ? { deliveryStartDateTime: `${inDays(4)} 09:00:00`, deliveryEndDateTime: `${inDays(4)} 13:00:00` }
        : {}),
    },
  };
}

/** Two people bring it to the room of choice, and put the first package up. */
function bulkyDetails(packages: number): Record<string, unknown> {
  return {
    totalVolume: 0.006 * packages,
    totalVolumeUom: 'CBM',
    specialInstructions: 'Example: narrow stairs',
    skuDetails: Array.from({ length: packages }, (_, index) => ({
      code: `SHELF-${index + 1}`,
      name: 'Example shelf',
      quantity: 1,
      packageIds: [`PKG-${index + 1}`],
      lineItemNo: String(index + 1),
    })),
    vas: [
      { vasCode: 'TWO_MAN_DELIVERY', level: 'CONSIGNMENT', targetIds: ['PKG-1'], serviceTime: 20 },
      { vasCode: 'INSTALLATION', level: 'SKU', targetIds: ['1'], serviceTime: 30 },
    ],
  };
}
