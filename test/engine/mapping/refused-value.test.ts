import { describe, expect, it } from 'vitest';
import { ENGINE_NAMES, engineNamed } from '../../../src/engine/mapping/chosen-engine.ts';
import { compileExpression } from '../../../src/engine/mapping/expression.ts';
import { LIBRARY } from '../../../src/engine/mapping/functions/library.ts';
import { EvaluationFailure, type RefusedValue, type Roots } from '../../../src/engine/mapping/mapping.ts';
import { sourceText } from '../../../src/engine/mapping/source-text.ts';
import { context } from './evaluating.ts';

/** Why an expression fails, by one of the engines. */
const refusedOf = async (text: string, roots: Roots, engine = ENGINE_NAMES[0]): Promise<RefusedValue | undefined> => {
  try {
    const mapping = compileExpression(sourceText('test', text), engineNamed(engine));
    await mapping.evaluate(roots, context({ tables: { t: { a: 1 }, phones: { DE: 'none' } } }));
  } catch (thrown) {
    if (thrown instanceof EvaluationFailure) return thrown.refused();
    throw thrown;
  }
  throw new Error(`${text} did not fail`);
};

const PHONE = (x: string): string => `$phone(${x}, 'DE', 'e164')`;

/** Each with a value that it refuses, as `X`. */
const CALLS: readonly (readonly [call: string, value: unknown])[] = [
  [PHONE('X'), 'ask at the door'],
  ["$phone('030 1234567', X, 'e164')", 'Germany'],
  ["$region(X, 'AU')", 'Atlantis'],
  ["$region('Victoria', X)", 'UK'],
  ["$country(X, 'alpha3')", 'Germany'],
  ['$number(X)', 'ten'],
  ["$convert(1, X, 'KG')", 'STONE'],
  ["$convert(1, X, 'KG')", 'CM'],
  ["$convert(X, 'LB', 'KG')", 'two'],
  ['$roundUp(X, 5)', 'two'],
  ['$minor(1, X)', 'Euro'],
  ['$zone(X)', 'US'],
  ['$wrap(X, 5, 1)', 'Bahnhofstraße'],
  ['$wrap([X, "b"], 9, 1)', 'abc defg'],
  ['$time(X)', 'soon'],
  ["$formatTime(X, 'yyyy')", 'soon'],
  ["$addTime(X, '1d')", 'soon'],
  ["$addTime('2026-03-02', X)", 'a week'],
  ['$workday(X, 1)', 'soon'],
  ["$workday('2026-03-02', 1, X)", 'UK'],
  ["$table('t', X)", 'b'],
  ["$checkDigit('mod10', X)", '12a'],
  ['$json(X)', '{'],
  ['$xml(X)', '<a>'],
  ['$jwt(X)', 'abc'],
  ['$unbase64(X)', 'a?b'],
  ['$toXml(X)', { 'a b': 1 }],
  ["$sequence('s', X)", { step: 2 }],
  ['$cut(X, 3)', { a: 1 }],
  ...['ascii', 'digits', 'street', 'person', 'base64'].map((name) => [`$${name}(X)`, { a: 1 }] as const),
  ["$hash('md5', X)", { a: 1 }],
  ["$hmac('md5', 'k', X)", { a: 1 }],
  ['$toMillis(X)', 'soon'],
  ['$decodeUrlComponent(X)', '%E0%A4%A'],
  ['$uppercase(X)', { a: 1 }],
  ['$substring("abc", X)', { a: 1 }],
];

it('every function that refuses anything is in the table', () => {
  const refusing = [...LIBRARY.values()].filter(({ refuses }) => refuses !== undefined).map(({ name }) => name);
  expect(refusing.filter((name) => !CALLS.some(([call]) => call.includes(`$${name}(`)))).toEqual([]);
});

describe.each(ENGINE_NAMES)('of %s, a value that is refused', (engine) => {
  it.each(CALLS)('by %s: %j', async (call, value) => {
    const text = typeof value === 'string';
    const places = ['consignment.v', 'settings.v', 'steps.a.body.v', ...(text ? ['"" & $trim(consignment.v)'] : [])];
    for (const place of [...places, JSON.stringify(value)]) {
      const refused = await refusedOf(
        call.replace(/\bX\b/, () => place),
        {
          consignment: { v: value },
          settings: { v: value },
          steps: { a: { body: { v: value } } },
        },
        engine,
      );
      const path = /[\w.]+\.v/.exec(place)?.[0];
      expect(
        refused?.madeOf.map((read) => read.replace(/\.v\..*$/, '.v')),
        place,
      ).toEqual(path === undefined ? [] : [path]);
      expect(refused?.said, place).toMatch(/^[^$]/);
    }
  });
});

const ROOTS: Roots = {
  consignment: {
    phone: 'ask',
    country: 'DE',
    name: 'Ada',
    itemList: [
      { no: 'A', name: 'short', unit: 'KG' },
      { no: 'B', name: 'a name too long', unit: 'STONE' },
      { no: 'C', name: 'brief' },
    ],
    info: { consignmentDetails: { packageDetails: [{}, { floor: 'top' }] } },
  },
  item: { no: 'B', name: 'a name too long', unit: 'STONE' },
  settings: { phone: 'office', prefix: '+49' },
};

describe('of what it is made', () => {
  it.each([
    [
      'what chose it does not count',
      PHONE("consignment.country = 'DE' ? settings.phone : consignment.phone"),
      ['settings.phone'],
    ],
    [
      'the side that was taken does',
      PHONE("consignment.country = 'DE' ? consignment.phone : settings.phone"),
      ['consignment.phone'],
    ],
    [
      '$first: the one whose value it is',
      PHONE('$first(consignment.nothing, consignment.phone, settings.phone)'),
      ['consignment.phone'],
    ],
    ['$first: of the others nothing', PHONE('$first(consignment.nothing, settings.phone)'), ['settings.phone']],
    ['a row of the profile, by a key of the order', PHONE("$table('phones', consignment.country)"), []],
    ['$lookup: not the key', PHONE('$lookup(settings, consignment.name = "Ada" ? "phone" : "")'), ['settings.phone']],
    [
      'both, where it is made of both',
      PHONE('settings.prefix & consignment.phone'),
      ['consignment.phone', 'settings.prefix'],
    ],
    ['a filter does not count', PHONE('consignment.itemList[unit = "STONE"].name'), ['consignment.itemList[1].name']],
    ['by a variable', `( $p := $trim(consignment.phone); ${PHONE('$p')} )`, ['consignment.phone']],
    ['by a parameter', `( $f := function($p) { ${PHONE('$p')} }; $f(consignment.phone) )`, ['consignment.phone']],
    ['by a chain', "consignment.phone ~> $trim() ~> $phone('DE', 'e164')", ['consignment.phone']],
    [
      'by a function that is passed on',
      '$map(consignment.itemList.name, function($n) { $wrap($n, 9, 1) })',
      ['consignment.itemList[1].name'],
    ],
    [
      'of an element, by a function',
      '$map(consignment.itemList, function($i) { { "n": $wrap($i.name, 9, 1) } })',
      ['consignment.itemList[1].name'],
    ],
    [
      'in a nested function',
      '$map([1], function($x) { $map(consignment.itemList, function($i) { $wrap($uppercase($i.name), 9, 1) }) })',
      ['consignment.itemList[1].name'],
    ],
    ['by the context', 'consignment.itemList.name.$wrap($, 9, 1)', ['consignment.itemList[1].name']],
    [
      'in an object for each element',
      'consignment.itemList.{ "n": $wrap(name, 9, 1) }',
      ['consignment.itemList[1].name'],
    ],
    [
      'of a field of an object that was made',
      '( $o := { "a": consignment.phone, "b": settings.phone }; ' + PHONE('$o.b') + ' )',
      ['settings.phone'],
    ],
    ['of the element at hand', '$wrap(item.name, 9, 1)', ['item.name']],
    ['of the root as a variable', PHONE('$consignment.phone'), ['consignment.phone']],
    [
      'that is missing',
      "consignment.itemList.$convert(1, unit = 'STONE' ? 'KG' : unit, 'G')",
      ['consignment.itemList[2].unit'],
    ],
    [
      'in info',
      '$number(consignment.info.consignmentDetails.packageDetails[1].floor)',
      ['consignment.info.consignmentDetails.packageDetails[1].floor'],
    ],
    ['inside $try', `$try($number('x'), ${PHONE('consignment.phone')})`, ['consignment.phone']],
    [
      'of several texts',
      '$wrap([consignment.name, consignment.phone], 4, 1)',
      ['consignment.name', 'consignment.phone'],
    ],
  ])('%s', async (_, text, madeOf) => {
    for (const engine of ENGINE_NAMES)
      expect((await refusedOf(text, ROOTS, engine))?.madeOf.toSorted(), engine).toEqual(madeOf);
  });

  it.each(["$error('no')", 'consignment.phone * 2', '( $f := function() { $f() + 1 }; $f() )'])(
    'nothing, of %s',
    async (text) => {
      expect(await refusedOf(text, ROOTS)).toBeUndefined();
    },
  );
});
