import { expect, it } from 'vitest';
import { checkAddress } from '../../../src/engine/consignment/check-address.ts';

const BERLIN = { line1: '1 Example St', city: 'Berlin', pincode: '10115', country: 'DE' };

it.each([
  ['a whole address', {}, []],
  ['a county in the place of the city', { city: '', county: 'Mitte' }, []],
  [
    'nothing',
    { line1: ' ', city: undefined, pincode: '', country: '' },
    ['required line1', 'required city', 'required pincode', 'required country'],
  ],
  ['a line of marks', { line1: '--' }, ['malformed line1']],
  ['a postcode that is too short', { pincode: '1011' }, ['postcode_form pincode']],
  ['one with a blank', { pincode: '10 115' }, ['postcode_form pincode → 10115']],
  ['one with its country', { pincode: 'D-10115' }, ['postcode_form pincode → 10115']],
  ['one in small letters', { country: 'NL', pincode: '1012 ab' }, ['postcode_form pincode → 1012 AB']],
  ['one without its dash', { country: 'JP', pincode: '1000001' }, ['postcode_form pincode → 100-0001']],
  ['British ones, with or without a blank', { country: 'GB', pincode: 'sw1a1aa' }, []],
  ['a country without postcodes', { country: 'HK', pincode: '0000' }, []],
  ['a country in small letters', { country: 'de' }, ['malformed country → DE']],
  ['a country by three letters', { country: 'AUT' }, ['malformed country → AT']],
  ['a country by its name', { country: 'germany' }, ['malformed country → DE']],
  ['a country that is misspelt', { country: 'Germny' }, ['malformed country → DE']],
  ['the United Kingdom', { country: 'UK' }, ['malformed country → GB']],
  ['no country', { country: 'Atlantis' }, ['malformed country']],
  ['a region by its code', { state: 'BE' }, []],
  ['a region by its name', { country: 'AU', pincode: '3000', state: 'victoria' }, []],
  ['a region that is misspelt', { country: 'US', pincode: '90210', state: 'Califronia' }, ['region_known state → CA?']],
  ['a region that there is not', { country: 'US', pincode: '90210', state: 'QQ' }, ['region_known state?']],
  ['a place beyond the poles', { latitude: 91, longitude: -181 }, ['on_earth latitude', 'on_earth longitude']],
])('of %s', (_, change, wanted) => {
  const told = checkAddress({ ...BERLIN, ...change } as typeof BERLIN).map(
    ({ code, field, suggestion, isDoubt }) =>
      `${code} ${field}${suggestion === undefined ? '' : ` → ${suggestion}`}${isDoubt ? '?' : ''}`,
  );
  expect(told).toEqual(wanted);
});
