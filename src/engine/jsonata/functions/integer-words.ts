const small = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen ' +
  'seventeen eighteen nineteen'
).split(' ');
const smallOrdinals = (
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth ' +
  'fifteenth sixteenth seventeenth eighteenth nineteenth'
).split(' ');
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const powers = 'thousand million billion trillion'.split(' ');

const title = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const ordinalOfTens = (word: string): string => `${word.slice(0, -1)}ieth`;

/** The words of a number without sign, each with a capital: `One Thousand, Two Hundred and Thirty-Four`. */
export const numberToWords = (value: number, ordinal: boolean, first = true): string => {
  if (value < 20) {
    const word = (ordinal ? smallOrdinals : small)[value] ?? '';
    return (first ? '' : ' and ') + title(word);
  }
  if (value < 100) {
    const word = tens[Math.floor(value / 10) - 2] ?? '';
    const rest = value % 10;
    const lead = first ? '' : ' and ';
    if (rest > 0) return `${lead}${title(word)}-${numberToWords(rest, ordinal)}`;
    return lead + title(ordinal ? ordinalOfTens(word) : word);
  }
  const lead = first ? '' : ', ';
  const ending = ordinal ? 'th' : '';
  if (value < 1000) {
    const rest = value % 100;
    const hundreds = `${lead}${title(small[Math.floor(value / 100)] ?? '')} Hundred`;
    return hundreds + (rest > 0 ? numberToWords(rest, ordinal, false) : ending);
  }
  const power = Math.min(powers.length, Math.floor(Math.log10(value) / 3));
  const factor = 10 ** (power * 3);
  const many = Math.floor(value / factor);
  const rest = value - many * factor;
  const counted = `${lead}${numberToWords(many, false)} ${title(powers[power - 1] ?? '')}`;
  return counted + (rest > 0 ? numberToWords(rest, ordinal, false) : ending);
};

const valueOfWord = new Map<string, number>([
  ...small.map((word, value) => [word, value] as const),
  ...smallOrdinals.map((word, value) => [word, value] as const),
  ...tens.flatMap((word, index) => [
    [word, (index + 2) * 10] as const,
    [ordinalOfTens(word), (index + 2) * 10] as const,
  ]),
  ['hundred', 100],
  ['hundredth', 100],
  ...powers.flatMap((word, index) => [
    [word, 1000 ** (index + 1)] as const,
    [`${word}th`, 1000 ** (index + 1)] as const,
  ]),
]);

/** Every word that a number may be made of, in lower case. */
export const numberWords: readonly string[] = [...valueOfWord.keys()];

/** The value of number words in lower case; NaN if one is unknown. */
export const wordsToNumber = (text: string): number => {
  const segments = [0];
  for (const word of text.split(/,\s|\sand\s|[\s\\-]/)) {
    const value = valueOfWord.get(word) ?? Number.NaN;
    const last = segments.pop() ?? 0;
    if (value >= 100 || Number.isNaN(value)) segments.push(last * value);
    else if (last >= 1000) segments.push(last, value);
    else segments.push(last + value);
  }
  return segments.reduce((sum, segment) => sum + segment, 0);
};

const romanNumerals: readonly (readonly [number, string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

/** Roman numerals in lower case, for values up to the text limit given. */
export const toRoman = (value: number): string => {
  let rest = value;
  let text = '';
  for (const [unit, numeral] of romanNumerals) {
    const times = Math.floor(rest / unit);
    text += numeral.repeat(times);
    rest -= times * unit;
  }
  return text;
};

const romanUnits: Readonly<Record<string, number>> = { m: 1000, d: 500, c: 100, l: 50, x: 10, v: 5, i: 1 };

/** The value of Roman numerals in either case. */
export const fromRoman = (text: string): number => {
  let total = 0;
  let largest = 1;
  for (const numeral of text.toLowerCase().split('').toReversed()) {
    const value = romanUnits[numeral] ?? Number.NaN;
    if (value < largest) {
      total -= value;
    } else {
      largest = value;
      total += value;
    }
  }
  return total;
};

/** a, b, … z, aa, ab, … from 1 on, beginning with the letter given. */
export const toLetters = (value: number, first: string): string => {
  const base = first.charCodeAt(0);
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    text = String.fromCharCode(((rest - 1) % 26) + base) + text;
  }
  return text;
};

export const fromLetters = (text: string, first: string): number => {
  const base = first.charCodeAt(0);
  return text.split('').reduce((value, letter) => value * 26 + (letter.charCodeAt(0) - base + 1), 0);
};
