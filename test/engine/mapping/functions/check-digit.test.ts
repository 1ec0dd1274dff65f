import { describe, expect, it } from 'vitest';
import { evaluate } from '../evaluating.ts';

// Published: Luhn in ISO/IEC 7812, a Norwegian account number by mod11, GRid by MOD 37,36, Code 39, GS1's own SSCC and GTIN, UPU S10.
describe('$checkDigit', () => {
  it.each([
    ['mod10', '7992739871', '3'],
    ['mod10', '401288888888188', '1'],
    ['mod11', '8601111794', '7'],
    ['mod36', '0', '2'],
    ['mod43', 'CODE39', 'W'],
    ['gs1', '629104150021', '3'],
    ['gs1', '400638133393', '1'],
    ['s10', '00000000', '5'],
  ])('by %s, that of %s is %s', async (scheme, text, digit) => {
    expect(await evaluate('$checkDigit(scheme, text)', { scheme, text })).toBe(digit);
  });
});
