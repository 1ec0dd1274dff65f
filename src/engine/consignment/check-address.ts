/** Whether an address is one that an order may have, as far as its country tells. */
import { postcodeValidator, postcodeValidatorExistsForCountry } from 'postcode-validator';
import type { ShipperAddress } from '../ask/places.ts';
import type { FindingCode } from '../error-codes.ts';
import { meantCountry, unknownRegion } from '../mapping/functions/country.ts';
import { isBlank } from '../text.ts';
import { isCountry } from '../validate.ts';

export interface AddressFinding {
  readonly code: FindingCode;
  readonly field: keyof ShipperAddress;
  readonly says: string;
  /** Of the field. */
  readonly suggestion?: string | undefined;
  /** It may be right all the same. */
  readonly isDoubt?: true;
}

/** All that is wrong with it, by field. */
export const checkAddress = (address: ShipperAddress): readonly AddressFinding[] => {
  const found: AddressFinding[] = [];
  const { line1 = '', city, county, state, pincode = '', country = '', latitude = 0, longitude = 0 } = address;
  const needs = (field: keyof ShipperAddress, ...values: (string | undefined)[]): void => {
    if (values.every(isBlank)) found.push({ code: 'required', field, says: 'is required' });
  };
  needs('line1', line1);
  needs('city', city, county);
  needs('pincode', pincode);
  needs('country', country);
  if (!isBlank(line1) && !/[\p{L}\p{N}]/u.test(line1))
    found.push({ code: 'malformed', field: 'line1', says: 'has no letter and no digit' });
  if (Math.abs(latitude) > 90) found.push({ code: 'on_earth', field: 'latitude', says: 'must be between -90 and 90' });
  if (Math.abs(longitude) > 180)
    found.push({ code: 'on_earth', field: 'longitude', says: 'must be between -180 and 180' });
  if (!isCountry(country)) {
    const says = 'must be a country code of ISO 3166-1 alpha-2, such as DE';
    if (!isBlank(country)) found.push({ code: 'malformed', field: 'country', says, suggestion: meantCountry(country) });
    return found;
  }
  if (!isBlank(pincode) && !isPostcode(pincode, country)) {
    const says = `is not written as postcodes of ${country} are`;
    found.push({ code: 'postcode_form', field: 'pincode', says, suggestion: meantPostcode(pincode, country) });
  }
  const strange = isBlank(state) ? undefined : unknownRegion(state ?? '', country);
  if (strange !== undefined) {
    const says = `is no state or province of ${country} that ISO 3166-2 names`;
    found.push({ code: 'region_known', field: 'state', says, suggestion: strange.meant, isDoubt: true });
  }
  return found;
};

const isPostcode = (text: string, country: string): boolean =>
  !postcodeValidatorExistsForCountry(country) || postcodeValidator(text, country);

/** What differs in case, in blanks and dashes, or in a country written before it is meant. */
const meantPostcode = (text: string, country: string): string | undefined => {
  const upper = text.trim().toUpperCase();
  return [upper, upper.replace(/^[A-Z]{1,3}[\s-]+(?=\d)/, '')]
    .flatMap((written) => {
      const bare = written.replaceAll(/[^A-Z\d]/g, '');
      const parted = [' ', '-'].flatMap((mark) =>
        Array.from({ length: bare.length }, (_, at) => `${bare.slice(0, at + 1)}${mark}${bare.slice(at + 1)}`),
      );
      return [written, bare, ...parted.slice(0, 60)];
    })
    .find((one) => postcodeValidator(one, country));
};
