/** What the platform itself would send, of a carrier that has no case yet. */
import { serviceNames } from '../../../engine/consignment/service.ts';
import type { Carrier } from '../../../engine/profile/carrier.ts';
import { type CaseFile, unwrittenCase } from '../read.ts';

type Town = readonly [city: string, postalCode: string, state: string | undefined, phone: string, zone: string];

const BERLIN: Town = ['Berlin', '10115', undefined, '+49305550100', 'Europe/Berlin'];
const TOWNS: Readonly<Record<string, Town>> = {
  DE: BERLIN,
  AE: ['Dubai', '00000', undefined, '+97145550100', 'Asia/Dubai'],
  AU: ['Melbourne', '3000', 'VIC', '+61355501000', 'Australia/Melbourne'],
  BE: ['Brussel', '1000', undefined, '+3225550100', 'Europe/Brussels'],
  CA: ['Toronto', 'M5H 2N2', 'ON', '+14165550100', 'America/Toronto'],
  FR: ['Paris', '75001', undefined, '+33155501000', 'Europe/Paris'],
  GB: ['London', 'SW1A 1AA', undefined, '+442079460100', 'Europe/London'],
  IN: ['Bengaluru', '560001', 'KA', '+918055501000', 'Asia/Kolkata'],
  NL: ['Utrecht', '3511 AA', undefined, '+31305550100', 'Europe/Amsterdam'],
  SA: ['Riyadh', '11564', undefined, '+966115550100', 'Asia/Riyadh'],
  US: ['Chicago', '60601', 'IL', '+13125550100', 'America/Chicago'],
};
const DEFAULT_COUNTRY = 'DE';

const ONE_PACKAGE = {
  totalQuantity: 1,
  totalWeight: 2.4,
  uomTotalWeight: 'KG',
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
} as const;

const party = (prefix: 'origin' | 'destination', country: string, name: string): Record<string, unknown> => {
  const [city, postalCode, stateProvince, phone, timezone] = TOWNS[country] ?? BERLIN;
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

/** One package, where the carrier goes, inside one country if it can be. Everybody in it is invented. */
export const exampleConsignment = (
  { from, to, orders }: Pick<Carrier['capabilities'], 'from' | 'to' | 'orders'>,
  typeOfService: string,
): Readonly<Record<string, unknown>> => {
  const origin = from?.find((country) => country in TOWNS) ?? from?.[0] ?? DEFAULT_COUNTRY;
  const destination =
    to === undefined || to.includes(origin) ? origin : (to.find((country) => country in TOWNS) ?? to[0] ?? origin);
  return {
    referenceId: 'REF-1001',
    orderNumber: 'ORD-1001',
    consignmentNumber: 'CON-1001',
    typeOfOrder: orders.includes('FORWARD') ? 'FORWARD' : 'REVERSE',
    typeOfService,
    ...party('origin', origin, 'Erika Example'),
    originCompanyName: 'Example Goods',
    ...party('destination', destination, 'Max Sample'),
    shippingDateTime: '2026-01-19 10:00:00',
    ...ONE_PACKAGE,
  };
};

/** A case of the platform's own: nothing in it is anybody's file. */
export const ownCase = (carrier: Carrier): CaseFile => {
  const rows = [...(carrier.services?.values() ?? [])];
  const row = rows.find(({ orders }) => orders?.includes('FORWARD') ?? true) ?? rows[0];
  const orders = row?.orders ?? carrier.capabilities.orders;
  const consignment = exampleConsignment({ ...carrier.capabilities, orders }, row?.typeOfService ?? 'STANDARD');
  const service = row?.name ?? serviceNames(carrier)[0];
  const given = { consignment, ...(service === undefined ? {} : { service }) };
  return unwrittenCase({ case: 'the pack', given, flow: [{ do: 'create' }] }, carrier.place, carrier.code);
};
