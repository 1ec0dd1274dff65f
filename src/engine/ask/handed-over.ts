/** What operations about many consignments are told of each: the place, and the packages. */
import type { Consignment } from '../consignment/consignment.ts';
import type { FacilityDetails } from '../consignment/facility.ts';
import { CM_PER, KG_PER } from '../rates/price.ts';
import type { Address, Manifest } from './shapes.ts';

type Package = Manifest['shipments'][number]['packages'][number];

const TYPES = { FACILITY: 'BUSINESS', RESIDENTIAL: 'RESIDENTIAL' } as const;

/** A party of the shipper's form. */
export const placeOf = ({
  contact,
  address,
  timezone,
}: Pick<FacilityDetails, 'contact' | 'address' | 'timezone'>): Address => {
  const { type, latitude, longitude } = address;
  const text = {
    name: contact?.name,
    companyName: contact?.companyName,
    contactNumber: contact?.contactNumber,
    email: contact?.email,
    timezone,
    addressLine1: address.line1,
    addressLine2: address.line2,
    addressLine3: address.line3,
    city: address.city,
    stateProvince: address.state,
    postalCode: address.pincode,
  };
  return {
    ...Object.fromEntries(Object.entries(text).filter(([, value]) => value !== undefined && value.trim() !== '')),
    country: address.country,
    ...(type !== undefined && { type: TYPES[type.toUpperCase() as keyof typeof TYPES] }),
    ...(latitude !== undefined && { latitude }),
    ...(longitude !== undefined && { longitude }),
  };
};

/** In the order of the consignment; `trackingNumbers` likewise. */
export const packagesOf = (
  { itemList }: Pick<Consignment, 'itemList'>,
  trackingNumbers: readonly (string | undefined)[],
): readonly Package[] =>
  itemList.map(({ itemReferenceNumber, itemWeight, itemWeightUom, itemDimensionUom = 'CM', ...item }, at) => {
    const sides = { lengthCm: item.itemLength, widthCm: item.itemWidth, heightCm: item.itemHeight };
    const trackingNumber = trackingNumbers[at];
    return {
      itemReferenceNumber,
      ...(trackingNumber !== undefined && { trackingNumber }),
      weightKg: rounded(itemWeight * KG_PER[itemWeightUom]),
      ...Object.fromEntries(
        Object.entries(sides).flatMap(([name, side]) =>
          side === undefined ? [] : [[name, rounded(side * CM_PER[itemDimensionUom])]],
        ),
      ),
    };
  });

/** To the gram, and to the hundredth of a millimetre. */
export const rounded = (measure: number): number => Math.round(measure * 1_000) / 1_000;
