import { countryName } from '../mapping/functions/country.ts';

export type End = 'origin' | 'destination';

/** Where the postcode stands behind the town and the state; elsewhere it stands before. */
const POSTCODE_LAST: ReadonlySet<string> = new Set(
  'AE AU BD BR CA CO GB HK ID IE IN JP KR MY NZ PH PK SA SG TH TW US VN ZA'.split(' '),
);

/** An end of a canonical consignment, or an address alone, as it is written on a parcel; what is missing is left out. */
export const addressLines = (whole: unknown, end?: End): readonly string[] => {
  const fields = (whole ?? {}) as Readonly<Record<string, string>>;
  const of = (name: string): string =>
    (fields[end === undefined ? `${name.charAt(0).toLowerCase()}${name.slice(1)}` : `${end}${name}`] ?? '').trim();
  const [code, city, state, country] = [of('PostalCode'), of('City'), of('StateProvince'), of('Country')];
  const town = POSTCODE_LAST.has(country) ? [city, state, code] : [code, city, state];
  const lines = [
    of('CompanyName'),
    of('Name') || of('ContactPerson'),
    of('AddressLine1'),
    of('AddressLine2'),
    of('AddressLine3'),
    of('PoBoxNumber'),
    town.filter((part) => part !== '').join(' '),
    countryName(country).toUpperCase(),
  ];
  return [...new Set(lines.filter((line) => line !== ''))];
};
