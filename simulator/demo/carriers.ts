// What the demo needs to know of each bundled carrier: an account, a shipment it takes, and what its journey ends in.
export interface DemoCarrier {
  readonly code: string;
  readonly serviceType: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly labelFormat: 'PDF' | 'ZPL';
  readonly from: Address;
  readonly to: Address;
  /** By which way its statuses come to us. */
  readonly statuses: 'push' | 'poll';
  /** Its orders are big and bulky: volumes, windows, something to be done on site. */
  readonly bulky?: true;
}

interface Address {
  readonly country: string;
  readonly city: string;
  readonly county: string;
  readonly state: string;
  readonly pincode: string;
  readonly timezone: string;
  readonly phone: string;
}

const HAMBURG: Address = {
  country: 'DE',
  city: 'Hamburg',
  county: 'Altstadt',
  state: 'HH',
  pincode: '20095',
  timezone: 'Europe/Berlin',
  phone: '+49405550100',
};
const MUNICH: Address = {
  ...HAMBURG,
  city: 'Munich',
  county: 'Altstadt',
  state: 'BY',
  pincode: '80331',
  phone: '+49895550100',
};
const AUCKLAND: Address = {
  country: 'NZ',
  city: 'Auckland',
  county: 'Mount Eden',
  state: 'AUK',
  pincode: '1024',
  timezone: 'Pacific/Auckland',
  phone: '+6495550100',
};
const WELLINGTON: Address = { ...AUCKLAND, city: 'Wellington', county: 'Te Aro', state: 'WGN', pincode: '6011' };
const NEW_YORK: Address = {
  country: 'US',
  city: 'New York',
  county: 'Manhattan',
  state: 'NY',
  pincode: '10001',
  timezone: 'America/New_York',
  phone: '+12125550100',
};
const LOS_ANGELES: Address = {
  ...NEW_YORK,
  city: 'Los Angeles',
  county: 'Downtown',
  state: 'CA',
  pincode: '90001',
  timezone: 'America/Los_Angeles',
  phone: '+12135550100',
};
const SYDNEY: Address = {
  country: 'AU',
  city: 'Sydney',
  county: 'Haymarket',
  state: 'NSW',
  pincode: '2000',
  timezone: 'Australia/Sydney',
  phone: '+61295550100',
};
const MELBOURNE: Address = { ...SYDNEY, city: 'Melbourne', county: 'Docklands', state: 'VIC', pincode: '3000' };

const LONDON: Address = {
  country: 'GB',
  city: 'London',
  county: 'Greater London',
  state: 'LND',
  pincode: 'SW1A 1AA',
  timezone: 'Europe/London',
  phone: '+442079460100',
};
const LEEDS: Address = { ...LONDON, city: 'Leeds', county: 'West Yorkshire', state: 'LDS', pincode: 'LS1 1AA' };

const MECHELEN: Address = {
  country: 'BE',
  city: 'Mechelen',
  county: 'Antwerp',
  state: 'VAN',
  pincode: '2800',
  timezone: 'Europe/Brussels',
  phone: '+3215550100',
};
const GHENT: Address = { ...MECHELEN, city: 'Ghent', county: 'East Flanders', state: 'VOV', pincode: '9000' };
const TORONTO: Address = {
  country: 'CA',
  city: 'Toronto',
  county: 'Toronto',
  state: 'ON',
  pincode: 'M5V 2T6',
  timezone: 'America/Toronto',
  phone: '+14165550100',
};
const BURNABY: Address = {
  ...TORONTO,
  city: 'Burnaby',
  county: 'Metro Vancouver',
  state: 'BC',
  pincode: 'V5C 5A9',
  timezone: 'America/Vancouver',
};
const DUBAI: Address = {
  country: 'AE',
  city: 'Dubai',
  county: 'Deira',
  state: 'DU',
  pincode: '00000',
  timezone: 'Asia/Dubai',
  phone: '+97145550100',
};
const ABU_DHABI: Address = { ...DUBAI, city: 'Abu Dhabi', county: 'Al Zahiyah', state: 'AZ' };

const ACROSS_GERMANY = { from: HAMBURG, to: MUNICH };
const ACROSS_AMERICA = { from: NEW_YORK, to: LOS_ANGELES };
const ACROSS_AUSTRALIA = { from: SYDNEY, to: MELBOURNE };

/** A carrier that is polled and gives labels as PDF. */
const carrier = (
  code: string,
  serviceType: string,
  route: Pick<DemoCarrier, 'from' | 'to'>,
  own: Partial<DemoCarrier> = {},
): DemoCarrier => ({
  code,
  serviceType,
  settings: {},
  labelFormat: 'PDF',
  statuses: 'poll',
  ...route,
  ...own,
});

export const DEMO_CARRIERS: readonly DemoCarrier[] = [
  carrier('plain', 'Standard', ACROSS_GERMANY, {
    statuses: 'push',
  }),
  carrier('dhl_express', 'Express', ACROSS_GERMANY, { settings: { account: '999000111' } }),
  carrier(
    'seko',
    'Domestic Express',
    { from: AUCKLAND, to: WELLINGTON },
    {
      settings: { currency: 'NZD', timezone: 'Pacific/Auckland' },
    },
  ),
  carrier('ups', 'Ground', ACROSS_AMERICA, { settings: { account: 'A1B2C3' } }),
  carrier('fedex', '2Day', ACROSS_AMERICA, { settings: { account: '700001234' }, labelFormat: 'ZPL' }),
  carrier('example_bulky', 'Two-Man', ACROSS_GERMANY, { statuses: 'push', bulky: true }),
  carrier('australia_post', 'Parcel Post', ACROSS_AUSTRALIA, { settings: { account: '0001234567' } }),
  carrier('sendle', 'Standard', ACROSS_AUSTRALIA),
  carrier('teleship', 'Expedited', { from: LONDON, to: NEW_YORK }, { settings: { currency: 'GBP' } }),
  carrier('royal_mail', 'Tracked 24', { from: LEEDS, to: LONDON }),
  carrier('usps', 'Ground Advantage', ACROSS_AMERICA, {
    settings: { crid: '12345678', mid: '900100200', manifestMid: '900100201', account: '1000200030' },
    labelFormat: 'ZPL',
  }),
  carrier('dpd', 'Standard', { from: MECHELEN, to: GHENT }),
  carrier('landmark', 'Standard', { from: NEW_YORK, to: TORONTO }),
  carrier('purolator', 'Ground', { from: TORONTO, to: BURNABY }, { settings: { account: '9999999999' } }),
  carrier('aramex', 'Express', { from: DUBAI, to: ABU_DHABI }),
];
