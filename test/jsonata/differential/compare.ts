import { isDeepStrictEqual } from 'node:util';
import jsonata from 'jsonata';
import { compile } from '../../../src/jsonata/compile.ts';
import { ExpressionFailure } from '../../../src/jsonata/failure.ts';

/**
 * What an evaluation came to. `crash`: the stock evaluator failed with an error of JavaScript's, not of JSONata's, or
 * changed its input on the way: then whatever it gave is void.
 */
export type Outcome =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'undefined' }
  | { readonly kind: 'error'; readonly code: string }
  | { readonly kind: 'crash'; readonly message: string };

interface Marked {
  readonly _jsonata_lambda?: boolean;
  readonly _jsonata_function?: boolean;
}

/** The value without what differs by design: classes of arrays, prototypes, the form of functions. */
const comparable = (value: unknown): unknown => {
  if (typeof value === 'function') return '<function>';
  if (typeof value === 'number') return Object.is(value, -0) ? 0 : Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null) return value;
  // Where an object is built of an empty array, the stock evaluator pushes undefined into that array.
  if (Array.isArray(value)) return value.filter((item) => item !== undefined).map(comparable);
  const marked = value as Marked;
  if (marked._jsonata_lambda === true || marked._jsonata_function === true) return '<function>';
  return Object.entries(value)
    .map(([key, field]) => [key, comparable(field)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
};

const outcomeOf = (value: unknown): Outcome =>
  value === undefined ? { kind: 'undefined' } : { kind: 'value', value: comparable(value) };

const failureOf = (thrown: unknown): Outcome => {
  if (thrown instanceof ExpressionFailure) return { kind: 'error', code: thrown.jsonataCode };
  const code = (thrown as { code?: unknown } | undefined)?.code;
  if (typeof code === 'string') return { kind: 'error', code };
  return { kind: 'crash', message: String(thrown) };
};

/** Bounded by steps, not by time: what a loaded machine takes must decide nothing. */
const limits = { timeoutMs: 60_000 } as const;

export const evaluateStock = async (source: string, input: unknown): Promise<Outcome> => {
  try {
    return outcomeOf(
      await jsonata(source, { timeout: limits.timeoutMs, stack: 2000 }).evaluate(structuredClone(input)),
    );
  } catch (thrown) {
    return failureOf(thrown);
  }
};

/** Where an object is built of an empty array of the input, the stock evaluator pushes into that array. */
const changesInput = async (source: string, input: unknown): Promise<boolean> => {
  const copy = structuredClone(input);
  await jsonata(source, { timeout: limits.timeoutMs, stack: 2000 })
    .evaluate(copy)
    .catch(() => undefined);
  return !isDeepStrictEqual(copy, input);
};

/** What a call of ours came to. */
export const outcomeOfCall = (call: () => unknown): Outcome => {
  try {
    return outcomeOf(call());
  } catch (thrown) {
    return failureOf(thrown);
  }
};

export const evaluateOurs = (source: string, input: unknown, generate: boolean): Outcome => {
  const copy = structuredClone(input);
  const outcome = outcomeOfCall(() => compile(source, { generate, limits }).evaluate(copy));
  if (!isDeepStrictEqual(copy, input)) return { kind: 'crash', message: 'the input was changed' };
  return outcome;
};

/**
 * How two outcomes compare. `order`: both are errors, of different classes, in an expression with siblings: the stock
 * evaluator starts array items and object values side by side, so that another of them may fail first.
 */
export type Verdict = 'equal' | 'order' | 'stock crashed' | 'different';

/** Errors are equal by class: the letter and first digit of the code. */
export const judge = (source: string, stock: Outcome, ours: Outcome): Verdict => {
  if (ours.kind === 'crash') return 'different';
  if (stock.kind === 'crash') return 'stock crashed';
  if (stock.kind === 'error' && ours.kind === 'error') {
    if (stock.code.slice(0, 2) === ours.code.slice(0, 2)) return 'equal';
    return /[[{]/.test(source) ? 'order' : 'different';
  }
  return isDeepStrictEqual(stock, ours) ? 'equal' : 'different';
};

/** As `judge`, with the stock evaluator put on trial where they differ. */
export const judgeAll = async (
  { source, input }: { readonly source: string; readonly input: unknown },
  stock: Outcome,
  ours: readonly Outcome[],
): Promise<readonly Verdict[]> => {
  const verdicts = ours.map((one) => judge(source, stock, one));
  if (!verdicts.includes('different') || !(await changesInput(source, input))) return verdicts;
  return verdicts.map((verdict) => (verdict === 'different' ? 'stock crashed' : verdict));
};
