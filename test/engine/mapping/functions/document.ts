import type { Example, MappingFunction } from '../../../../src/engine/mapping/functions/function.ts';
import { GROUPS } from '../../../../src/engine/mapping/functions/library.ts';
import type { EvaluationContext } from '../../../../src/engine/mapping/mapping.ts';

/** The profile and the moment that the examples of the documentation are evaluated in. */
export const EXAMPLE_CONTEXT: EvaluationContext = {
  tables: { docFormat: { ZPL: 'ZPL2' }, zone: { DE: 'domestic', '*': 'abroad' } },
  time: { zone: 'Europe/Berlin', formats: ['M/d/yyyy h:mm:ss a'] },
  nowMs: Date.UTC(2026, 2, 2, 12),
  drawn: ({ kind }) => (kind === 'uuid' ? '7f0c3e0a-2c57-4d8e-9f3b-1a6f0d9b2c44' : '42'),
};

const TIME_LETTERS: readonly (readonly [letters: string, meaning: string])[] = [
  ['`yyyy` `yy`', 'year in four digits, or two (70 to 99 are 19..)'],
  ['`M` `MM` `MMM` `MMMM`', 'month: 3, 03, Mar, March (English; each parses both)'],
  ['`d` `dd`', 'day: 2, 02'],
  ['`E` to `EEE`, `EEEE`', 'day of the week: Mon, Monday; when parsed, it must match the date'],
  ['`H` `HH`', 'hour 0 to 23'],
  ['`h` `hh` with `a`', 'hour 1 to 12 with AM or PM'],
  ['`m` `mm`, `s` `ss`', 'minute, second'],
  ['`S` to `SSSSSSSSS`', 'fraction of a second; any number of digits is parsed'],
  ['`X` `XX` `XXX`', 'offset: +02, +0200, +02:00; Z for none'],
  ['`x` `xx` `xxx`', 'the same, but +00, +0000, +00:00 for none'],
  ['`Z`, `ZZZZZ`', 'offset: +0200; +02:00'],
  ['`z`', 'UTC, GMT, GMT+02:00; other abbreviations are ambiguous and not parsed'],
  ['`VV`', 'name of the time zone: Europe/Berlin'],
  ["`T`, `'…'`, `''`", 'the letter T; literal text; a quote'],
];

/** `docs/functions.md`, written from the functions themselves. */
export function functionsDocument(): string {
  const { tables, time } = EXAMPLE_CONTEXT;
  const parts = [
    '# Functions',
    'Functions that an expression can call in addition to those of JSONata. This file is generated from `src/engine/mapping/functions/`; every example is run as a test.',
    'If the first argument is missing or null, the result is nothing, unless stated otherwise. An argument of the wrong type is an error. Numbers and booleans are accepted as text. `$now()`, `$millis()`, `$random()`, `$shuffle()` and `$eval()` are refused, because a retry would not give the same value.',
    `The examples assume a profile with \`tables: ${JSON.stringify(tables)}\` and \`time: ${JSON.stringify(time)}\`.`,
    ...GROUPS.flatMap(({ title, functions }) => [`## ${title}`, ...functions.flatMap(describe)]),
    '## Letters of time formats',
    [
      '| letters | meaning |',
      '| --- | --- |',
      ...TIME_LETTERS.map(([letters, meaning]) => `| ${letters} | ${meaning} |`),
    ].join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

const describe = ({ name, usage, doc, examples }: MappingFunction): readonly string[] => [
  `### $${name}`,
  `\`${usage}\``,
  doc,
  ['```jsonata', ...examples.map(line), '```'].join('\n'),
];

function line({ expression, result, given }: Example): string {
  const where = given === undefined ? '' : `, given ${JSON.stringify(given)}`;
  return `${expression}  /* ${JSON.stringify(result)}${where} */`;
}
