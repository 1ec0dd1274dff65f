import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ENGINE_NAMES, engineNamed } from '../../../../src/engine/mapping/chosen-engine.ts';
import { standardNames } from '../../../../src/engine/jsonata/functions/library.ts';
import { compileExpression } from '../../../../src/engine/mapping/expression.ts';
import { GROUPS, LIBRARY } from '../../../../src/engine/mapping/functions/library.ts';
import { isRoot } from '../../../../src/engine/mapping/roots.ts';
import { sourceText } from '../../../../src/engine/mapping/source-text.ts';
import type { Example, MappingFunction } from '../../../../src/engine/mapping/functions/function.ts';
import type { EvaluationContext } from '../../../../src/engine/mapping/mapping.ts';
import { evaluate, misuseOf } from '../evaluating.ts';

/** The profile and the moment that the examples of the documentation are evaluated in. */
const EXAMPLE_CONTEXT: EvaluationContext = {
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
function functionsDocument(): string {
  const { tables, time } = EXAMPLE_CONTEXT;
  const parts = [
    '# Functions',
    'Functions that an expression can call in addition to those of JSONata. This file is generated from `src/engine/mapping/functions/`; every example is run as a test.',
    'If the first argument is missing or null, the result is nothing, unless stated otherwise. An argument of the wrong type is refused. Numbers and booleans are accepted as text. `$now()`, `$millis()`, `$random()`, `$shuffle()` and `$eval()` are refused, because a retry would not give the same value.',
    'A value that a function cannot take it *refuses*. If the value is made of the order, wholly or in part, and a create, update or cancel has not been sent, the outcome is `reject` with the code `unusable_value`: the shipper gets 422 with the field, such as `shipTo.contact.contactNumber`, and nobody is alarmed. This holds for the functions of JSONata, too (`$number`, `$toMillis`, …). A value of the profile, the account or an answer of the carrier that is refused is an error, as any other: before sending `config_error`. What only chose the value (a condition, a filter, the key of a table) does not count. To go on instead, use `$try` or ask before by a function whose name begins with `is`, or `$fits`.',
    `The examples assume a profile with \`tables: ${JSON.stringify(tables)}\` and \`time: ${JSON.stringify(time)}\`.`,
    ...GROUPS.flatMap(({ title, functions }) => [`## ${title}`, ...functions.flatMap(describeFunction)]),
    '## Letters of time formats',
    [
      '| letters | meaning |',
      '| --- | --- |',
      ...TIME_LETTERS.map(([letters, meaning]) => `| ${letters} | ${meaning} |`),
    ].join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

const describeFunction = ({ name, usage, doc, refuses, examples }: MappingFunction): readonly string[] => [
  `### $${name}`,
  `\`${usage}\``,
  doc,
  ...(refuses === undefined ? [] : [`Refuses ${refuses}.`]),
  ['```jsonata', ...examples.map(line), '```'].join('\n'),
];

function line({ expression, result, given }: Example): string {
  const where = given === undefined ? '' : `, given ${JSON.stringify(given)}`;
  return `${expression}  /* ${JSON.stringify(result)}${where} */`;
}

const functions = GROUPS.flatMap((group) => group.functions);

describe.each(ENGINE_NAMES)('the examples of the documentation hold by the engine %s', (name) => {
  it.each(functions.flatMap(({ examples }) => examples.map((each) => [each.expression, each] as const)))(
    '%s',
    async (expression, { result, given = {} }) => {
      const mapping = compileExpression(sourceText('example', expression), engineNamed(name));
      expect(await mapping.evaluate(given, EXAMPLE_CONTEXT)).toEqual(result);
    },
  );
});

it('docs/functions.md says what the functions say (vitest -u writes it anew)', async () => {
  await expect(functionsDocument()).toMatchFileSnapshot(
    fileURLToPath(new URL('../../../../docs/functions.md', import.meta.url)),
  );
});

describe('the library', () => {
  it('has every function of the language, each once', () => {
    const language =
      'first list prune table try reject convert roundUp cut wrap ascii digits street person phone country region time minor zone ' +
      'isUnit isNumber fits isCountry isRegion isPhone isTime ' +
      'formatTime addTime workday json xml toXml jwt base64 unbase64 hash hmac uuid sequence checkDigit';
    expect(functions.map(({ name }) => name).toSorted()).toEqual(language.split(' ').toSorted());
  });

  it('takes the name of no root and no function of JSONata', () => {
    expect([...LIBRARY.keys()].filter((name) => isRoot(name) || standardNames.has(name))).toEqual([]);
  });

  const predicates = ['fits', ...[...LIBRARY.keys()].filter((name) => name.startsWith('is'))];
  it.each(predicates)('$%s of nothing is false', async (name) => {
    expect(await evaluate(`[$${name}(nowhere), $${name}(null)]`)).toEqual([false, false]);
  });

  it('says of each function what it refuses, unless it takes anything', () => {
    const others = functions.filter(({ refuses }) => refuses === undefined).map(({ name }) => name);
    expect(others.filter((name) => !predicates.includes(name))).toEqual([
      'first',
      'list',
      'prune',
      'try',
      'reject',
      'uuid',
    ]);
  });

  const exceptions = ['first', 'list', 'prune', 'table', 'try', 'reject', 'uuid', ...predicates];
  it.each([...LIBRARY.keys()].filter((name) => !exceptions.includes(name)))(
    '$%s of a missing or null first argument gives nothing',
    async (name) => {
      expect(await evaluate(`$${name}(nowhere)`)).toBeUndefined();
      expect(await evaluate(`$${name}(null)`)).toBeUndefined();
    },
  );
});

describe('a call that means nothing is refused, with what was wrong', () => {
  it.each([
    ["$cut('a')", /^\$cut needs max, a whole number from 0 to 100000, but it is missing$/],
    ["$cut('a', 'b')", /^\$cut needs a whole number from 0 to 100000 as max, but was given a string$/],
    ['$cut({}, 1)', /\$cut needs a text as text, but was given a map/],
    ["$ascii('a', 'b')", /takes 1 argument/],
    ["$country('DE', 'iso')", /one of alpha2, alpha3, numeric, name/],
    ["$wrap('abcdefgh', 7, 2)", /a word has 8 characters/],
    ["$wrap('abc def ghi', 7, 1)", /does not fit into 1 lines/],
    ['$reject(nowhere)', /needs message/],
    ["$convert(1, 'STONE', 'KG')", /one of KG, G, LB, OZ/],
    ["$convert(1, 'KG', 'CM')", /CM, a length, of KG, a weight/],
    ["$convert('1', 'KG', 'G')", /needs a number as n/],
    ['$roundUp(1, 0)', /step above zero/],
    ["$region('Atlantis', 'AU')", /^\$region: AU has no state or province 'Atlantis'$/],
    ["$region('Victoria', 'UK')", /not a country code/],
    ["$time('soon')", /^\$time: the text has none of the forms/],
    ["$formatTime('5/2/2026', 'HHmm')", /which \$time makes of others/],
    ["$formatTime('2026-05-02', 'QQ')", /'QQ' means nothing/],
    ["$addTime('2026-03-02', '1 week')", /needs a duration/],
    ["$workday('2026-03-06', 0, 'UK')", /ISO 3166-1/],
    ['$toXml({"a b": 1})', /\$toXml: .*a b/],
    ["$unbase64('a?b')", /not Base64/],
    ["$unbase64('/wA=')", /not a text/],
    ["$jwt('abc')", /not a JSON Web Token/],
    ["$jwt('a.WzFd.c')", /not a map/],
    ["$hash('md4', 'abc')", /one of md5, sha1/],
    ["$hash('md5', 'abc', 'latin1')", /one of hex, base64, base64url/],
    ["$hash('md5', nowhere)", /needs text/],
    [`$sequence('s', {"step": 2})`, /not 'step'/],
    [`$sequence('s', {"min": 9, "max": 5})`, /max that is not below/],
    [`$sequence('s', {"pad": 1.5})`, /whole number/],
    [`$sequence('s', {"pad": 99})`, /40 digits/],
    ["$checkDigit('mod10', '12a')", /does not know/],
    ["$checkDigit('gs1', '')", /does not know|empty/],
    ["$checkDigit('s10', '1234567')", /8 digits/],
    ["$checkDigit('mod11', '6')", /would be 10|no check digit/],
  ])('%s: %s', async (expression, message) => {
    expect(await misuseOf(expression)).toMatch(message);
  });
});
