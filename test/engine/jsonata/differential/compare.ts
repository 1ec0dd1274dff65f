import { isDeepStrictEqual } from 'node:util';
import { compile } from '../../../../src/engine/jsonata/compile.ts';
import { ExpressionFailure } from '../../../../src/engine/jsonata/failure.ts';
import { type Ast, parse } from '../../../../src/engine/jsonata/parse.ts';
import { stock, unchanging } from './interpreter.ts';

export interface FuzzCase {
  readonly source: string;
  readonly input: unknown;
}

/** What an evaluation came to. `crash`: it failed with an error of JavaScript's, not of JSONata's. */
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
  if (Array.isArray(value)) return value.map(comparable);
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

const interpret = async (interpreter: typeof stock, { source, input }: FuzzCase): Promise<Outcome> => {
  try {
    return outcomeOf(
      await interpreter(source, { timeout: limits.timeoutMs, stack: 2000 }).evaluate(structuredClone(input)),
    );
  } catch (thrown) {
    return failureOf(thrown);
  }
};

export const evaluateStock = async (one: FuzzCase): Promise<Outcome> => await interpret(stock, one);

/** What a call of ours came to. */
export const outcomeOfCall = (call: () => unknown): Outcome => {
  try {
    return outcomeOf(call());
  } catch (thrown) {
    return failureOf(thrown);
  }
};

/** What closures and generated code make of it, in this order. */
export const evaluateOurs = ({ source, input }: FuzzCase): readonly [Outcome, Outcome] => {
  let tree: Ast;
  try {
    tree = parse(source);
  } catch (thrown) {
    return [failureOf(thrown), failureOf(thrown)];
  }
  const evaluate = (generate: boolean): Outcome => {
    const copy = structuredClone(input);
    const outcome = outcomeOfCall(() => compile(source, { tree, generate, limits }).evaluate(copy));
    return isDeepStrictEqual(copy, input) ? outcome : { kind: 'crash', message: 'the input was changed' };
  };
  return [evaluate(false), evaluate(true)];
};

/**
 * How two outcomes compare. `order`: both are errors, of different classes, in an expression with siblings: the stock
 * evaluator starts array items and object values side by side, so that another of them may fail first. `stock changed a
 * value`: they differ, but not once it is kept from doing that.
 */
export type Verdict = 'equal' | 'order' | 'stock crashed' | 'stock changed a value' | 'different';

/** Errors are equal by class: the letter and first digit of the code. */
export const judge = (source: string, expected: Outcome, ours: Outcome): Verdict => {
  if (ours.kind === 'crash') return 'different';
  if (expected.kind === 'crash') return 'stock crashed';
  if (expected.kind === 'error' && ours.kind === 'error') {
    if (expected.code.slice(0, 2) === ours.code.slice(0, 2)) return 'equal';
    return /[[{]/.test(source) ? 'order' : 'different';
  }
  return isDeepStrictEqual(expected, ours) ? 'equal' : 'different';
};

/** As `judge`, with the stock evaluator put on trial where they differ. */
export const judgeAll = async (
  one: FuzzCase,
  expected: Outcome,
  ours: readonly Outcome[],
): Promise<readonly Verdict[]> => {
  const verdicts = ours.map((outcome) => judge(one.source, expected, outcome));
  if (!verdicts.includes('different')) return verdicts;
  const kept = await interpret(unchanging(), one);
  return verdicts.map((verdict, index) =>
    verdict === 'different' && judge(one.source, kept, ours[index] as Outcome) === 'equal'
      ? 'stock changed a value'
      : verdict,
  );
};
