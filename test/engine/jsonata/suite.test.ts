import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { compile } from '../../../src/engine/jsonata/compile.ts';
import { ExpressionFailure } from '../../../src/engine/jsonata/failure.ts';
import { describe, expect, it } from 'vitest';
import ratchet from './suite-ratchet.json' with { type: 'json' };

interface SuiteCase {
  readonly group: string;
  readonly file: string;
  readonly index: number;
  readonly expr: string;
  readonly data?: unknown;
  readonly dataset?: string | null;
  readonly bindings: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly undefinedResult?: boolean;
  readonly unordered?: boolean;
  readonly code?: string;
  readonly error?: { readonly code: string };
}

const suiteFolder =
  process.env['JSONATA_TEST_SUITE'] ?? fileURLToPath(new URL('../../../../shared/jsonata-test-suite', import.meta.url));

const suiteExists = existsSync(`${suiteFolder}/cases.json`);

const read = (file: string): unknown => JSON.parse(readFileSync(`${suiteFolder}/${file}`, 'utf8'));

/** How a case ended: as the suite says; or why not. */
type Ending = 'equal' | 'expected-error' | 'eval-off' | 'limit-code' | 'wrong';

interface CaseReport {
  readonly name: string;
  readonly ending: Ending;
  readonly inputChanged: boolean;
}

// The suite allocates up to ten million items and runs its own clock.
const limits = { sequence: 10_000_000, allocation: 1_000_000_000, timeoutMs: 60_000, steps: 3_000_000 };

const plain = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value) ?? 'null');

const sorted = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((item) => JSON.stringify(item)).toSorted((a, b) => a.localeCompare(b)) : value;

const endingOf = (one: SuiteCase, value: unknown, failure: ExpressionFailure | undefined): Ending => {
  const wanted = one.code ?? one.error?.code;
  if (failure?.jsonataCode === 'W0005') return 'eval-off';
  // U1001 is the suite's own name for its limits on depth and time; ours are others.
  if (wanted === 'U1001') return failure === undefined || failure.code === 'expression_limit' ? 'limit-code' : 'wrong';
  if (wanted !== undefined) return failure?.jsonataCode === wanted ? 'expected-error' : 'wrong';
  if (failure !== undefined) return 'wrong';
  if (one.undefinedResult === true) return value === undefined ? 'equal' : 'wrong';
  const [got, want] = [plain(value), one.result];
  const same = one.unordered === true ? isDeepStrictEqual(sorted(got), sorted(want)) : isDeepStrictEqual(got, want);
  return same ? 'equal' : 'wrong';
};

const runCase = (one: SuiteCase, data: unknown): CaseReport => {
  const before = JSON.stringify(data);
  let value: unknown;
  let failure: ExpressionFailure | undefined;
  try {
    value = compile(one.expr, { limits }).evaluate(data, one.bindings);
  } catch (thrown) {
    if (!(thrown instanceof ExpressionFailure)) throw thrown;
    failure = thrown;
  }
  return {
    name: `${one.group}/${one.file}#${one.index}: ${one.expr}`,
    ending: endingOf(one, value, failure),
    inputChanged: JSON.stringify(data) !== before,
  };
};

/** Runs the whole suite. */
const runSuite = (): readonly CaseReport[] => {
  const { cases } = read('cases.json') as { readonly cases: readonly SuiteCase[] };
  const datasets = read('datasets.json') as Readonly<Record<string, unknown>>;
  return cases.map((one) => runCase(one, one.dataset ? datasets[one.dataset] : one.data));
};

if (!suiteExists) console.warn(`The official JSONata test suite is not in ${suiteFolder}: its tests are skipped`);

describe.skipIf(!suiteExists)('the official JSONata test suite', () => {
  const reports = suiteExists ? runSuite() : [];

  it('has no wrong case', () => {
    expect(reports.filter(({ ending }) => ending === 'wrong').map(({ name }) => name)).toEqual([]);
  });

  it('leaves every input as it was', () => {
    expect(reports.filter(({ inputChanged }) => inputChanged)).toEqual([]);
  });

  it('ends exactly as the ratchet file says', () => {
    const endings = Map.groupBy(reports, ({ ending }) => ending);
    expect(Object.fromEntries([...endings].map(([ending, all]) => [ending, all.length]))).toEqual(ratchet);
  });
});
