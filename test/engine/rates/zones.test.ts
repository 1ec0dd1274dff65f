import { describe, expect, it } from 'vitest';
import { isInZone, parsePostcodes } from '../../../src/engine/rates/zones.ts';

const zone = (...postcodes: readonly string[]) => ({
  countries: ['DE', 'GB'],
  postcodes: postcodes.flatMap((text) => parsePostcodes(text) ?? []),
});

describe('a zone', () => {
  it.each([
    ['one postcode', '10117', ['10117', '10 117', '10-117'], ['10118', '1011', '101170']],
    ['a beginning', '10*', ['10117', '10', '10999'], ['11000', '1', '01000']],
    ['a range', '20000..29999', ['20000', '25000', '29999'], ['19999', '30000', '2500']],
    ['a range with dashes', '00-001..00-950', ['00-001', '00 500', '00950'], ['00-951', '01-000']],
    ['letters', 'AB10..AB56', ['ab10 1aa', 'AB56 9ZZ'], ['AB57 1AA', 'AA10 1AA']],
  ])('of %s holds those and no others', (_, text, inside, outside) => {
    for (const postcode of inside) expect(isInZone(zone(text), 'DE', postcode), postcode).toBe(true);
    for (const postcode of outside) expect(isInZone(zone(text), 'DE', postcode), postcode).toBe(false);
  });

  it.each([
    ['N1', ['N1 1AA', 'n1c 4ag'], ['N10 1AA', 'NE1 1AA', 'NW1 1AA']],
    ['N1*', ['N1 1AA'], ['N19 1AA']],
    ['N', ['N1 1AA', 'N22 8HH'], ['NE1 1AA', 'NW10 4UA']],
    ['SW1A', ['SW1A 1AA'], ['SW1P 3BU', 'SW11 1AA']],
    ['M1 1*', ['M1 1AE', 'M11AF'], ['M1 2AE', 'M11 2AA', 'M11 1AA']],
    ['EC1A 1*', ['EC1A 1BB'], ['EC1A 2BB', 'EC1 1AA']],
    ['M1 1AE', ['M1 1AE', 'M11AE'], ['M1 1AF', 'M11 1AE']],
    ['IV1..IV28', ['IV1 1AA', 'IV9 8SR', 'IV28 3XA'], ['IV30 1AA', 'KW1 1AA']],
    ['AB30..AB39', ['AB30 1XA', 'AB39 3DX'], ['AB3 1AA', 'AB40 1AA']],
  ])('of %s holds British districts as a whole', (text, inside, outside) => {
    for (const postcode of inside) expect(isInZone(zone(text), 'GB', postcode), postcode).toBe(true);
    for (const postcode of outside) expect(isInZone(zone(text), 'GB', postcode), postcode).toBe(false);
  });

  it('of British districts says nothing of other countries', () => {
    expect(isInZone(zone('IV1..IV28'), 'DE', 'IV1 1AA')).toBe(false);
    expect(isInZone(zone('N1*'), 'DE', 'N19 1AA')).toBe(true);
  });

  it('is of its countries alone; without countries or postcodes of all', () => {
    expect(isInZone(zone('10117'), 'FR', '10117')).toBe(false);
    expect(isInZone({ countries: ['FR'] }, 'FR', '')).toBe(true);
    expect(isInZone({}, 'ZA', '0001')).toBe(true);
  });

  it.each(['', '*', '..', '10..9', '100..99', '1..2..3', '10*x', 'Zürich', '10*..20*', '1000-1999', 'IV1-IV28'])(
    '%j is no postcodes',
    (text) => {
      expect(parsePostcodes(text)).toBeUndefined();
    },
  );
});
