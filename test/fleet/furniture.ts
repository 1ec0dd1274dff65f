/** What an own fleet of the tests has: for whoever fills one over its routes, in a test or beside it. */

/** The town that it serves, as the demo's carriers have theirs. */
export const BERLIN = {
  country: 'DE',
  city: 'Berlin',
  county: 'Mitte',
  state: 'BE',
  pincode: '10117',
  timezone: 'Europe/Berlin',
  phone: '+49305550123',
};

export const DEPOT = {
  name: 'Example Depot',
  address: { addressLine1: 'Example Street 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
  latitude: 52.53,
  longitude: 13.38,
  timeZone: 'Europe/Berlin',
  opens: '05:00',
  closes: '22:00',
};

export const ZONE = {
  name: 'Berlin',
  depot: 'BER',
  countries: ['DE'],
  postcodes: ['10*'],
  latitude: 52.52,
  longitude: 13.4,
};

export const everyDay = (from: string, to: string) => [
  { weekdays: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'], from, to },
];

/** Of one white point. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=',
  'base64',
);
