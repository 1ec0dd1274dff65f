import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import { compileFunction } from 'node:vm';
import stock from 'jsonata';
import { compile } from '../../../../src/engine/jsonata/compile.ts';

type Interpreter = typeof stock;

const file = createRequire(import.meta.url).resolve('jsonata');

/** Where an object is built of an empty array, be it the input's or a variable's, the interpreter pushes into it. */
const change = 'input.push(undefined);';

const load = (): Interpreter => {
  const parts = readFileSync(file, 'utf8').split(change);
  if (parts.length !== 2) throw new Error('This release of jsonata is not the one that the judge knows');
  const module = { exports: {} as Interpreter };
  compileFunction(parts.join('input = [undefined];'), ['module', 'exports'])(module, module.exports);
  return module.exports;
};

let loaded: Interpreter | undefined;

/** The interpreter, made to leave every value as it is. */
const unchanging = (): Interpreter => (loaded ??= load());

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
  // Not by its class: a compiler that a bug was planted in has one of its own.
  const { jsonataCode, code } = thrown as { readonly jsonataCode?: unknown; readonly code?: unknown };
  const known = jsonataCode ?? code;
  return typeof known === 'string' ? { kind: 'error', code: known } : { kind: 'crash', message: String(thrown) };
};

/** Bounded by steps, not by time: what a loaded machine takes must decide nothing. */
const limits = { timeoutMs: 60_000 } as const;

const interpret = async (interpreter: Interpreter, { source, input }: FuzzCase): Promise<Outcome> => {
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

/** What our engine makes of it. */
export const evaluateOurs = ({ source, input }: FuzzCase): Outcome => {
  const copy = structuredClone(input);
  const outcome = outcomeOfCall(() => compile(source, { limits }).evaluate(copy));
  return isDeepStrictEqual(copy, input) ? outcome : { kind: 'crash', message: 'the input was changed' };
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
export const judgeWithTrial = async (one: FuzzCase, expected: Outcome, ours: Outcome): Promise<Verdict> => {
  const verdict = judge(one.source, expected, ours);
  if (verdict !== 'different') return verdict;
  const kept = await interpret(unchanging(), one);
  return judge(one.source, kept, ours) === 'equal' ? 'stock changed a value' : verdict;
};
