import { describe, expect, it } from 'vitest';
import { checkAccount } from '../../../src/engine/profile/account.ts';
import type { Carrier } from '../../../src/engine/profile/carrier.ts';
import { Failure } from '../../../src/engine/failure.ts';
import { compiledEngine } from '../../../src/engine/mapping/engine.ts';
import { stockEngine } from '../../../src/engine/mapping/stock-engine.ts';
import { compileExpression } from '../../../src/engine/mapping/expression.ts';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { type LoadedCarrier, loadCarrier } from '../../../src/engine/profile/load.ts';
import { startCost } from '../../support/cost.ts';

const HIDDEN = `0,${'0'.repeat(57)}30`;
const nested = (times: number, inner: string, quantifier: string): string =>
  `${'('.repeat(times)}${inner}${`)${quantifier}`.repeat(times)}`;

/** Patterns that are to keep an engine busy, each with what is repeated to do so, and what then does not fit. */
const PATTERNS: readonly (readonly [pattern: string, unit: string, end: string])[] = [
  ['^(a+)+$', 'a', '!'],
  [`^(a|a){${HIDDEN}}$`, 'a', '!'],
  [`^(a|a){${HIDDEN}}?$`, 'a', '!'],
  ['^(a*)*$', 'a', '!'],
  ['^(a+)*$', 'a', '!'],
  ['^(a?)*$', 'a', '!'],
  ['^(a|a)*$', 'a', '!'],
  ['^(a|aa)+$', 'a', '!'],
  ['^(a|b|ab)*c$', 'ab', '!'],
  ['^((a+)+)+$', 'a', '!'],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a', '!'],
  ['(x+x+)+y', 'x', '!'],
  ['(.*)*=(.*)*', '=', '!'],
  ['^(.*a){20}$', 'a', '!'],
  ['^(.*?,){30}P', '1,', '!'],
  ['^(?:a?){40}a{40}$', 'a', '!'],
  ['^(?:a?){1000}a{1000}$', 'a', '!'],
  ['(a*)(a*)(a*)(a*)(a*)(a*)(a*)(a*)b', 'a', '!'],
  ['.*.*.*.*=.*', 'a', '!'],
  ['\\s+$', ' ', '!'],
  ['^\\s+|\\s+$', ' ', '!'],
  ['a*b', 'a', '!'],
  ['(\\d+)*x', '1', '!'],
  ['^(\\w+\\s?)*$', 'ab ', '!'],
  ['^([\\w.-]+)+@([\\w-]+\\.)+\\w{2,}$', 'a.', '!'],
  ['^(([^@]+)@)*x$', 'a@', '!'],
  ['^(\\p{L}+)+$', 'é', '!'],
  ['^(\\u0061+)+$', 'a', '!'],
  ['^(\\x61*)*$', 'a', '!'],
  ['^(?<first>a+)+$', 'a', '!'],
  [`^(?<${'n'.repeat(300)}>a+)+$`, 'a', '!'],
  ['^(a+)+(?=b)$', 'a', '!'],
  ['^(?=(a+)+$)', 'a', '!'],
  ['^(?!(a+)+$)', 'a', '!'],
  ['(?<=(a+)+)b', 'a', '!'],
  ['^(a+)\\1+$', 'a', '!'],
  ['^(a*)\\1\\1\\1b', 'a', '!'],
  ['^(?<n>a+)+\\k<n>$', 'a', '!'],
  ['(a|b)*?(a|b)*?(a|b)*?(?!a)c', 'ab', '!'],
  ['(?<!(a+)+)b', 'a', '!'],
  ['(?<=^(a|a)*)b', 'a', '!'],
  ['(?<!(?:a|b|ab)*)c', 'ab', 'c'],
  ['(?<=\\s+)x', ' ', '!'],
  ['(?<=a*b*)c', 'ab', 'c'],
  ['(?=(.*)*x)', 'a', '!'],
  ['^(?=(a|aa)+$)(?!b)', 'a', '!'],
  ['(?=.*a)(?=.*b)(?=.*c).*$', 'ab', '!'],
  ['(?=a{0,30}a{0,30}a{0,30}$)b', 'a', '!'],
  ['((?=a*)a)*b', 'a', '!'],
  ['(?:(?=a+)a)+$', 'a', '!'],
  ['(?:(?!(a+)+b)a)*$', 'a', '!'],
  ['(?=(a+))\\1b', 'a', '!'],
  ['(?:(?<=(a*))a)+b', 'a', '!'],
  ['(?:(?=(?=(?=a*)a*)a*)a)*b', 'a', '!'],
  ['(?:a{1000}){1000}', 'a', ''],
  ['a{0,99999999}b', 'a', '!'],
  ['(?:){999999999}x', 'a', '!'],
  ['(?:\\b){99999999}x', 'a ', '!'],
  ['(?:a|){99999}x', 'a', '!'],
  [nested(12, 'a', '{3}'), 'a', '!'],
  [nested(14, 'a', '{0,3}'), 'a', '!'],
  [nested(90, 'a', '*'), 'a', '!'],
  [nested(900, 'a', '?'), 'a', '!'],
  ['(?:a|b|c|d|e|f|g|h){900}z', 'abcdefgh', 'z'],
  [`(?:${'[a-z]|'.repeat(400)}x){40}!`, 'a', '!'],
  [`${'a?'.repeat(300)}${'a'.repeat(300)}`, 'a', '!'],
  [`${'(a|b|ab)'.repeat(40)}c`, 'ab', 'c'],
  [`${'\\w*'.repeat(60)}!!`, 'a', '!'],
  ['((a|b)*a(a|b){200})+c', 'ab', 'c'],
];

const LENGTHS = [10, 32, 300, 3_000, 65_000];
const texts = (unit: string, end: string): readonly string[] =>
  LENGTHS.map((length) => unit.repeat(length / unit.length) + end);

/** The least of three times. */
const costOf = async (work: () => unknown): Promise<number> => {
  const times: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    const cost = startCost();
    await work();
    times.push(cost());
  }
  return Math.min(...times);
};

const load = (settings: string, order: string): LoadedCarrier => {
  const profile = `carrier: acme
name: Acme
environments: { production: { url: 'https://acme.example' } }
settings: ${settings}
operations:
  create:
    post: /orders
    body: { json: order.jsonata }
    result: '{ "itemsTrackDetails": response.body.{ "trackingNumber": number } }'
`;
  const home = memoryFiles({ 'carriers/acme.yaml': profile, 'mappings/acme/order.jsonata': order });
  return loadCarrier('acme', { home, shipped: memoryFiles({}) });
};
const rulesOf = ({ findings }: LoadedCarrier): readonly string[] =>
  findings.filter(({ severity }) => severity === 'error').map(({ rule }) => rule);

const asSetting = (pattern: string): LoadedCarrier =>
  load(`{ account: { pattern: '${pattern}' } }`, '{ "a": settings.account }');
const asLiteral = (pattern: string): LoadedCarrier =>
  load('{ account: {} }', `{ "a": $contains(settings.account, /${pattern}/) }`);
const check = (carrier: Carrier, account: string): readonly string[] => {
  const checked = checkAccount(carrier, 'production', { settings: { account } });
  return checked.ok ? [] : checked.issues;
};

const literal = (pattern: string, engine: typeof stockEngine) => {
  const source = { text: `$contains(text, /${pattern}/)`, placeAt: () => ({ file: 'a', line: 1, column: 1 }) };
  return compileExpression(source, engine);
};
const CONTEXT = { tables: {}, time: { zone: 'UTC', formats: [] }, nowMs: 0, drawn: () => '' };

/** A regular expression is true or false of a text, or costs too much for it. */
const matched = (thrown: unknown): void => {
  if (!(thrown instanceof Failure)) throw thrown;
  expect(thrown.message).toContain('could take too long on this text');
};

const named = PATTERNS.map(([pattern, unit, end]) => ({ shown: pattern.slice(0, 60), pattern, unit, end }));

describe.each(named)('$shown', ({ pattern, unit, end }) => {
  it.each([
    ['of a setting', asSetting],
    ['in a mapping', asLiteral],
  ])('%s loads or is refused for what it costs, at once', async (_, written) => {
    expect(await costOf(() => written(pattern))).toBeLessThan(100);
    const rules = rulesOf(written(pattern));
    if (rules.length > 0) expect(['costly-regex', 'wrong-value']).toContain(rules[0]);
  });

  it('of a setting, once loaded, takes no time on its worst text', async () => {
    const { carrier } = asSetting(pattern);
    if (carrier === undefined) return;
    for (const text of texts(unit, end)) expect(await costOf(() => check(carrier, text))).toBeLessThan(50);
  });

  it.each([
    ['compiled', compiledEngine],
    ['stock', stockEngine],
  ])('in a mapping, once loaded, takes no time on its worst text: %s', async (_, engine) => {
    if (asLiteral(pattern).carrier === undefined) return;
    const mapping = literal(pattern, engine);
    for (const text of texts(unit, end)) {
      const evaluate = async (): Promise<unknown> => await mapping.evaluate({ text }, CONTEXT);
      expect(await costOf(async () => await evaluate().catch(matched)), `${text.length}`).toBeLessThan(50);
    }
  });
});

it('patterns of the kind that carriers need load, and tell right from wrong', () => {
  const right: readonly (readonly [string, string, string])[] = [
    ['^[A-Z]{3}$', 'AUD', 'AUDX'],
    ['^\\d{4,10}$', '12345', '123'],
    ['^(?:GB)?\\d{9}(?:\\d{3})?$', 'GB123456789', 'GB12'],
    ['^[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+$', 'a.b@c.example', 'a.b@'],
    ['^(?=.*\\d)(?=.*[A-Z]).{8,}$', 'Passw0rd', 'password'],
    ['^(\\d)(?!\\1)\\d+$', '1234', '1134'],
    ['^.{1,5000}$', 'x'.repeat(5_000), 'a\nb'],
  ];
  for (const [pattern, good, bad] of right) {
    const { carrier, findings } = asSetting(pattern);
    expect(findings, pattern).toEqual([]);
    if (carrier === undefined) return;
    expect(check(carrier, bad), pattern).toEqual([`settings.account must match ${pattern}`]);
    if (good.length < 100) expect(check(carrier, good), pattern).toEqual([]);
    else expect(check(carrier, good)).toEqual([`settings.account is too long to be compared with ${pattern}`]);
  }
});
