import { define, misuse } from './function.ts';
import { oneOf, text } from './parameter.ts';

const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const CODE_39 = `${ALPHANUMERIC}-. $/+%`;

const valuesIn = (alphabet: string, word: string): readonly number[] => {
  const values = word.split('').map((character) => alphabet.indexOf(character));
  if (values.length === 0 || values.includes(-1)) {
    throw misuse('$checkDigit: the text is empty, or holds a character that this scheme does not know');
  }
  return values;
};
const digitsOf = (word: string): readonly number[] => valuesIn('0123456789', word);

const sum = (values: readonly number[], weigh: (value: number, fromRight: number) => number): number =>
  values.reduce((total, value, at) => total + weigh(value, values.length - 1 - at), 0);

const SCHEMES = {
  /** Luhn, ISO/IEC 7812-1. */
  mod10(word: string): string {
    const total = sum(digitsOf(word), (digit, fromRight) => {
      const doubled = fromRight % 2 === 0 ? digit * 2 : digit;
      return doubled > 9 ? doubled - 9 : doubled;
    });
    return String((10 - (total % 10)) % 10);
  },
  /** Weights 2 to 7 from the right, again and again. */
  mod11(word: string): string {
    const check = (11 - (sum(digitsOf(word), (digit, fromRight) => digit * (2 + (fromRight % 6))) % 11)) % 11;
    if (check === 10) throw misuse('$checkDigit: this text has no check digit by mod11: it would be 10');
    return String(check);
  },
  /** ISO/IEC 7064, MOD 37,36. */
  mod36(word: string): string {
    const product = valuesIn(ALPHANUMERIC, word).reduce((carried, value) => {
      const added = (carried + value) % 36 || 36;
      return (added * 2) % 37;
    }, 36);
    return ALPHANUMERIC.charAt((37 - product) % 36);
  },
  /** Code 39. */
  mod43: (word: string): string => CODE_39.charAt(sum(valuesIn(CODE_39, word), (value) => value) % 43),
  /** GTIN, SSCC and the other keys of GS1: weights 3 and 1 from the right. */
  gs1(word: string): string {
    const total = sum(digitsOf(word), (digit, fromRight) => digit * (fromRight % 2 === 0 ? 3 : 1));
    return String((10 - (total % 10)) % 10);
  },
  /** The serial number of a postal item, UPU S10. */
  s10(word: string): string {
    const digits = digitsOf(word);
    if (digits.length !== 8) throw misuse('$checkDigit: s10 takes the 8 digits of the serial number');
    const weights = [8, 6, 4, 2, 3, 5, 9, 7];
    const check = 11 - (digits.reduce((total, digit, at) => total + digit * (weights[at] ?? 0), 0) % 11);
    return String(check === 10 ? 0 : check === 11 ? 5 : check);
  },
} as const;

const checkDigit = define({
  name: 'checkDigit',
  doc: 'Computes the check character of a text: `mod10` (Luhn), `mod11` (weights 2 to 7), `mod36` (ISO 7064 MOD 37,36), `mod43` (Code 39), `gs1` (SSCC, GTIN), `s10` (postal items).',
  parameters: [oneOf('scheme', ['mod10', 'mod11', 'mod36', 'mod43', 'gs1', 's10']), text('text')],
  gives: 'text',
  examples: [
    { expression: "$checkDigit('s10', '47312482')", result: '9' },
    { expression: "$checkDigit('gs1', '37610425002123456')", result: '9' },
    { expression: "$checkDigit('mod36', 'A12425GABC1234002')", result: 'M' },
  ],
  call: (scheme, word) => SCHEMES[scheme](word),
});

export const CHECKING = [checkDigit];
