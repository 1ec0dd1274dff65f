// What the demo needs to know of each bundled carrier: an account, a shipment it takes, and what its journey ends in.
export interface DemoCarrier {
  readonly code: string;
  readonly serviceType: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The account's credentials, from what the simulated carrier accepts. */
  readonly credentials: (accepted: Readonly<Record<string, string>>) => Readonly<Record<string, unknown>>;
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

export const DEMO_CARRIERS: readonly DemoCarrier[] = [
  {
    code: 'plain',
    serviceType: 'Standard',
    settings: {},
    credentials: (accepted) => ({ token: accepted['token'] }),
    labelFormat: 'PDF',
    from: HAMBURG,
    to: MUNICH,
    statuses: 'push',
  },
  {
    code: 'dhl_express',
    serviceType: 'Express',
    settings: { account: '999000111' },
    credentials: (accepted) => accepted,
    labelFormat: 'PDF',
    from: HAMBURG,
    to: MUNICH,
    statuses: 'poll',
  },
  {
    code: 'seko',
    serviceType: 'Domestic Express',
    settings: { currency: 'NZD', timezone: 'Pacific/Auckland' },
    credentials: (accepted) => ({ accessKey: accepted['accessKey'] }),
    labelFormat: 'PDF',
    from: AUCKLAND,
    to: WELLINGTON,
    statuses: 'poll',
  },
  {
    code: 'ups',
    serviceType: 'Ground',
    settings: { account: 'A1B2C3' },
    credentials: (accepted) => accepted,
    labelFormat: 'PDF',
    from: NEW_YORK,
    to: LOS_ANGELES,
    statuses: 'poll',
  },
  {
    code: 'fedex',
    serviceType: '2Day',
    settings: { account: '700001234' },
    credentials: (accepted) => accepted,
    labelFormat: 'ZPL',
    from: NEW_YORK,
    to: LOS_ANGELES,
    statuses: 'poll',
  },
  {
    code: 'example_bulky',
    serviceType: 'Two-Man',
    settings: {},
    credentials: (accepted) => accepted,
    labelFormat: 'PDF',
    from: HAMBURG,
    to: MUNICH,
    statuses: 'push',
    bulky: true,
  },
  {
    code: 'australia_post',
    serviceType: 'Parcel Post',
    settings: { account: '0001234567' },
    credentials: (accepted) => accepted,
    labelFormat: 'PDF',
    from: SYDNEY,
    to: MELBOURNE,
    statuses: 'poll',
  },
  {
    code: 'sendle',
    serviceType: 'Standard',
    settings: {},
    credentials: (accepted) => accepted,
    labelFormat: 'PDF',
    from: SYDNEY,
    to: MELBOURNE,
    statuses: 'poll',
  },
  {
    code: 'teleship',
    serviceType: 'Expedited',
    settings: { currency: 'GBP' },
    credentials: (accepted) => accepted,
    labelFormat: 'PDF',
    from: LONDON,
    to: NEW_YORK,
    statuses: 'poll',
  },
  {
    code: 'royal_mail',
    serviceType: 'Tracked 24',
    settings: {},
    credentials: (accepted) => accepted,
    labelFormat: 'PDF',
    from: LEEDS,
    to: LONDON,
    statuses: 'poll',
  },
  {
    code: 'usps',
    serviceType: 'Ground Advantage',
    settings: { crid: '12345678', mid: '900100200', manifestMid: '900100201', account: '1000200030' },
    credentials: (accepted) => accepted,
    labelFormat: 'ZPL',
    from: NEW_YORK,
    to: LOS_ANGELES,
    statuses: 'poll',
  },
  {
    code: 'dpd',
    serviceType: 'Standard',
    settings: {},
    credentials: (accepted) => accepted,
    labelFormat: 'PDF',
    from: MECHELEN,
    to: GHENT,
    statuses: 'poll',
  },
  {
    code: 'landmark',
    serviceType: 'Standard',
    settings: {},
    credentials: (accepted) => accepted,
    labelFormat: 'PDF',
    from: NEW_YORK,
    to: TORONTO,
    statuses: 'poll',
  },
  {
    code: 'purolator',
    serviceType: 'Ground',
    settings: { account: '9999999999' },
    credentials: (accepted) => accepted,
    labelFormat: 'PDF',
    from: TORONTO,
    to: BURNABY,
    statuses: 'poll',
  },
  {
    code: 'aramex',
    serviceType: 'Express',
    settings: {},
    credentials: (accepted) => accepted,
    labelFormat: 'PDF',
    from: DUBAI,
    to: ABU_DHABI,
    statuses: 'poll',
  },
];
