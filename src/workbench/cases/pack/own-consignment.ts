/** What the platform itself would send, of a carrier that has no case yet. */
import { serviceNames } from '../../../engine/consignment/service.ts';
import type { Carrier } from '../../../engine/profile/carrier.ts';
import type { CaseFile } from '../read.ts';

interface Town {
  readonly city: string;
  readonly postalCode: string;
  readonly stateProvince?: string;
  readonly phone: string;
  readonly timezone: string;
}

const TOWNS: Readonly<Record<string, Town>> = {
  DE: { city: 'Berlin', postalCode: '10115', phone: '+49305550100', timezone: 'Europe/Berlin' },
  AE: { city: 'Dubai', postalCode: '00000', phone: '+97145550100', timezone: 'Asia/Dubai' },
  AU: {
    city: 'Melbourne',
    postalCode: '3000',
    stateProvince: 'VIC',
    phone: '+61355501000',
    timezone: 'Australia/Melbourne',
  },
  BE: { city: 'Brussel', postalCode: '1000', phone: '+3225550100', timezone: 'Europe/Brussels' },
  CA: {
    city: 'Toronto',
    postalCode: 'M5H 2N2',
    stateProvince: 'ON',
    phone: '+14165550100',
    timezone: 'America/Toronto',
  },
  FR: { city: 'Paris', postalCode: '75001', phone: '+33155501000', timezone: 'Europe/Paris' },
  GB: { city: 'London', postalCode: 'SW1A 1AA', phone: '+442079460100', timezone: 'Europe/London' },
  IN: {
    city: 'Bengaluru',
    postalCode: '560001',
    stateProvince: 'KA',
    phone: '+918055501000',
    timezone: 'Asia/Kolkata',
  },
  NL: { city: 'Utrecht', postalCode: '3511 AA', phone: '+31305550100', timezone: 'Europe/Amsterdam' },
  SA: { city: 'Riyadh', postalCode: '11564', phone: '+966115550100', timezone: 'Asia/Riyadh' },
  US: {
    city: 'Chicago',
    postalCode: '60601',
    stateProvince: 'IL',
    phone: '+13125550100',
    timezone: 'America/Chicago',
  },
};
const DEFAULT_COUNTRY = 'DE';

const townOf = (country: string): Town => TOWNS[country] ?? { ...(TOWNS[DEFAULT_COUNTRY] as Town) };

const party = (prefix: 'origin' | 'destination', country: string, name: string): Record<string, unknown> => {
  const { city, postalCode, stateProvince, phone, timezone } = townOf(country);
  return Object.fromEntries(
    Object.entries({
      Type: prefix === 'origin' ? 'BUSINESS' : 'RESIDENTIAL',
      Timezone: timezone,
      Name: name,
      ContactPerson: name,
      ContactNumber: phone,
      Email: `${prefix}@example.com`,
      AddressLine1: '1 Example Street',
      City: city,
      StateProvince: stateProvince,
      Country: country,
      PostalCode: postalCode,
    }).flatMap(([key, value]) => (value === undefined ? [] : [[`${prefix}${key}`, value]])),
  );
};

/** One package, where the carrier goes, inside one country if it can be. */
const consignmentFor = ({ capabilities, services }: Carrier): Readonly<Record<string, unknown>> => {
  const { from, to, orders } = capabilities;
  const origin = from?.find((country) => country in TOWNS) ?? from?.[0] ?? DEFAULT_COUNTRY;
  const destination =
    to === undefined || to.includes(origin) ? origin : (to.find((country) => country in TOWNS) ?? to[0] ?? origin);
  return {
    referenceId: 'PACK-1001',
    orderNumber: 'PACK-ORD-1001',
    consignmentNumber: 'PACK-CON-1001',
    typeOfOrder: orders.includes('FORWARD') ? 'FORWARD' : 'REVERSE',
    typeOfService: [...(services?.values() ?? [])][0]?.typeOfService ?? 'STANDARD',
    ...party('origin', origin, 'Erika Example'),
    originCompanyName: 'Example Goods',
    ...party('destination', destination, 'Max Sample'),
    totalQuantity: 1,
    totalWeight: 2.4,
    uomTotalWeight: 'KG',
    shippingDateTime: '2026-01-19 10:00:00',
    itemList: [
      {
        itemReferenceNumber: 'PKG-1',
        itemQuantity: 1,
        itemWeight: 2.4,
        itemWeightUom: 'KG',
        itemName: 'Coffee grinder',
        itemLength: 30,
        itemWidth: 20,
        itemHeight: 10,
        itemDimensionUom: 'CM',
      },
    ],
  };
};

/** A case of the platform's own: nothing in it is anybody's file. */
export const ownCase = (carrier: Carrier): CaseFile => {
  const [service] = serviceNames(carrier);
  return {
    file: `carriers/${carrier.code}.yaml`,
    carrier: carrier.code,
    text: '',
    content: { case: 'the pack', given: service === undefined ? {} : { service }, flow: [{ do: 'create' }] },
    consignment: consignmentFor(carrier),
    beside: () => undefined,
    placeAt: () => carrier.place,
  };
};
