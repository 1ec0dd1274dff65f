import { describe, expect, it } from 'vitest';
import { evaluate, misuseOf } from '../evaluating.ts';

describe('$country', () => {
  it.each([
    ['aus', 'alpha2', 'AU'],
    ['CH', 'numeric', '756'],
    ['US', 'name', 'United States'],
  ])('%s as %s is %s', async (code, form, result) => {
    expect(await evaluate('$country(code, form)', { code, form })).toBe(result);
  });

  it.each(['UK', 'EU', 'ZZ', 'Germany', ''])('%j is no country', async (code) => {
    expect(await misuseOf("$country(code, 'alpha3')", { code })).toMatch(/not a country code/);
  });
});

describe('$region', () => {
  it.each([
    ['VIC', 'AU', 'VIC'],
    ['AU-VIC', 'AU', 'VIC'],
    ['new  south wales', 'AU', 'NSW'],
    ['California', 'US', 'CA'],
    ['California', 'USA', 'CA'],
    ['Québec', 'CA', 'QC'],
    ['quebec', 'CA', 'QC'],
    ['Asturias', 'ES', 'AS'],
    ['Principado de Asturias', 'ES', 'AS'],
    ['Alicante', 'ES', 'A'],
    ['Puducherry', 'IN', 'PY'],
    ['Bolzano', 'IT', 'BZ'],
    ['Baden-Wurttemberg', 'DE', 'BW'],
  ])('%s of %s is %s', async (text, country, code) => {
    expect(await evaluate('$region(text, country)', { text, country })).toBe(code);
  });
});

describe('$phone', () => {
  it.each([
    ['+61 491 570 313', 'DE', 'e164', '+61491570313'],
    ['+61491570313', 'AU', 'national', '0491 570 313'],
    ['(202) 555-0143', 'US', 'digits', '2025550143'],
    [2025550143, 'US', 'e164', '+12025550143'],
  ])('%s, in %s, as %s is %s', async (text, country, form, result) => {
    expect(await evaluate('$phone(text, country, form)', { text, country, form })).toBe(result);
  });

  it.each(['12', 'none', '123456789012345678'])('%s is no telephone number', async (text) => {
    expect(await misuseOf("$phone(text, 'AU', 'e164')", { text })).toMatch(/not a telephone number of AU/);
  });
});
