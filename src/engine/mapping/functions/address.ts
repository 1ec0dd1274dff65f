import { define, NO_TEXT, text } from './function.ts';

interface Street {
  readonly name?: string;
  readonly number?: string;
  readonly addition?: string;
}

/** `12`, `12-14`, `12/3`: no letters, which are an addition. */
const NUMBER = String.raw`\d{1,5}(?:\s?[-–/]\s?\d{1,5})?`;
/** `b`, `bis`; or a floor, flat, room and the like with all that follows. */
const LETTER = String.raw`\p{L}|bis|ter|quater`;
const UNIT = String.raw`(?:(?:apt|apartment|unit|suite|ste|flat|floor|fl|room|rm|bus|box|bte|hs|whg|etage|stock|links|rechts|tür|top)(?!\p{L})|#).*`;

/** `Teststraat 5b`, `Example Street 5, floor 2`. */
const NUMBER_LAST = new RegExp(
  String.raw`^(?<name>.*?\p{L}.*?)[\s,]+(?<number>${NUMBER})\s?(?<letter>(?:${LETTER})?)(?:[\s,-]+(?<unit>(?:${UNIT})|\p{L}{1,3}\d{0,4}))?$`,
  'iu',
);
/** `5b Example Street`, `5 bis rue de l’Exemple, apt 3`. */
const NUMBER_FIRST = new RegExp(
  String.raw`^(?<number>${NUMBER})\s?(?<letter>(?:(?:${LETTER})(?![\p{L}'’.]))?)[\s,]+(?<name>\S*\p{L}.*?)(?:[\s,]+(?<unit>${UNIT}))?$`,
  'iu',
);
/** `2e Teststraat 5`, `1st Example Street`: the number is part of the name. */
const ORDINAL_FIRST = /^\d+(?:st|nd|rd|th|e|de|ste|er|ère|ème|ª|º|\.)(?=[\s.])/iu;

const MAX_LINE = 200;

const street = define({
  name: 'street',
  doc: 'Splits an address line heuristically into `{ name, number, addition }`; parts that are not found are omitted. The number may come before or after the name.',
  refuses: NO_TEXT,
  parameters: [text('line')],
  examples: [
    { expression: "$street('Teststraat 5b').number", result: '5' },
    { expression: "$street('Teststraat 5b')", result: { name: 'Teststraat', number: '5', addition: 'b' } },
    { expression: "$street('221B Example Street')", result: { name: 'Example Street', number: '221', addition: 'B' } },
    { expression: "$street('Example House')", result: { name: 'Example House' } },
  ],
  call: (line) => streetOf(line.trim().replaceAll(/\s+/gu, ' ')),
});

function streetOf(line: string): Street {
  // The patterns look far ahead; no street is that long.
  if (line.length > MAX_LINE) return { name: line };
  const found = (ORDINAL_FIRST.test(line) ? null : NUMBER_FIRST.exec(line)) ?? NUMBER_LAST.exec(line);
  const { name, number, letter = '', unit = '' } = found?.groups ?? {};
  if (name === undefined || number === undefined) return line === '' ? {} : { name: line };
  const addition = [letter, unit].filter((part) => part !== '').join(' ');
  return { name: name.replace(/[\s,]+$/u, ''), number, ...(addition === '' ? {} : { addition }) };
}

const PARTICLES = new Set(
  'al bin da dal de del della den der di dos du el la le ten ter van vom von y zu zum zur'.split(' '),
);
const SUFFIX = /^(?:jr|sr|ii|iii|iv)\.?$/iu;

const person = define({
  name: 'person',
  doc: 'Splits a name heuristically into `{ first, last }`. The last word is the last name, together with any particles before it (van, de la). `Last, First` is recognised. A single word is a last name.',
  refuses: NO_TEXT,
  parameters: [text('name')],
  examples: [
    { expression: "$person('Lee Ann Ray').last", result: 'Ray' },
    { expression: "$person('Anna van der Example')", result: { first: 'Anna', last: 'van der Example' } },
    { expression: "$person('Example, Anna')", result: { first: 'Anna', last: 'Example' } },
  ],
  call: (name) => personOf(name.trim().replaceAll(/\s+/gu, ' ')),
});

function personOf(name: string): { readonly first?: string; readonly last?: string } {
  const [beforeComma = '', afterComma = ''] = name.split(/\s?,\s?/u, 2);
  if (afterComma !== '' && beforeComma !== '' && !SUFFIX.test(afterComma)) {
    return { first: afterComma, last: beforeComma };
  }
  const words = name.split(' ').filter((word) => word !== '');
  let from = words.length - 1;
  if (from > 1 && SUFFIX.test(words[from] ?? '')) from -= 1;
  while (from > 1 && PARTICLES.has(words[from - 1] ?? '')) from -= 1;
  const [first, last] = [words.slice(0, Math.max(0, from)).join(' '), words.slice(Math.max(0, from)).join(' ')];
  return { ...(first === '' ? {} : { first }), ...(last === '' ? {} : { last }) };
}

export const ADDRESSES = [street, person];
