import type { Consignment } from '../../src/engine/consignment/consignment.ts';
import { LIBRARY } from '../../src/engine/mapping/functions/library.ts';
import { Rejection, type Roots, type EvaluationContext } from '../../src/engine/mapping/mapping.ts';

/** What somebody who writes a carrier in TypeScript would have around: the platform's functions, and little more. */

type Values = Readonly<Record<string, unknown>>;

export interface Given extends Roots {
  readonly consignment: Consignment;
  readonly service: { readonly code?: string };
  readonly settings: Values;
  readonly credentials: Values;
  readonly environment: Values;
  readonly tables: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
  readonly documents?: { readonly commercialInvoice?: string };
  readonly item: { readonly trackingNumber?: string };
  readonly now: string;
}

/** A mapping written by hand. What the mapping leaves out may be undefined here only where it is pruned. */
export type ByHand = (given: Given, context: EvaluationContext) => unknown;

export type Kind = 'request' | 'response' | 'status';

/** The mappings of one carrier. */
export type Hands = Readonly<Record<Kind, ByHand>>;

const platform = (name: string): ((context: EvaluationContext, ...args: readonly unknown[]) => unknown) => {
  const found = LIBRARY.get(name);
  if (found === undefined) throw new Error(`there is no function $${name}`);
  return (context, ...args) => found.call(context, args);
};

const convertUnit = platform('convert');
const upTo = platform('roundUp');
const wrapWords = platform('wrap');
const readTime = platform('time');
const writeTime = platform('formatTime');
const laterTime = platform('addTime');
const regionOf = platform('region');
const pruneAll = platform('prune');

export const convert = (
  s: EvaluationContext,
  n: number | undefined,
  from: unknown,
  to: string,
  digits?: number,
): number => convertUnit(s, n, from, to, digits) as number;
export const roundUp = (s: EvaluationContext, n: number, step: number): number => upTo(s, n, step) as number;
export const wrap = (s: EvaluationContext, lines: readonly string[], width: number, count: number): readonly string[] =>
  wrapWords(s, lines, width, count) as readonly string[];
export const time = (s: EvaluationContext, text: string, format: string, zone: string): string =>
  readTime(s, text, format, zone) as string;
export const formatTime = (s: EvaluationContext, instant: string, format: string, zone: string): string =>
  writeTime(s, instant, format, zone) as string;
export const addTime = (s: EvaluationContext, instant: string, duration: string): string =>
  laterTime(s, instant, duration) as string;
export const region = (s: EvaluationContext, text: string | undefined, country: string): string | undefined =>
  regionOf(s, text, country) as string | undefined;
export const prune = (s: EvaluationContext, value: unknown): unknown => pruneAll(s, value);

/** In the test data no glyph is made of several characters. */
export const cut = (text: string | undefined, max: number): string | undefined =>
  text === undefined || text.length <= max ? text : text.slice(0, max);

export const first = <T>(...values: readonly (T | null | undefined)[]): T | undefined => {
  for (const value of values) if (value !== undefined && value !== null && (value as unknown) !== '') return value;
  return undefined;
};

export const present = (values: readonly (string | undefined)[]): readonly string[] =>
  values.filter((value) => value !== undefined);

export const longest = (lines: readonly string[]): number => Math.max(...lines.map((line) => line.length));

export const reject = (message: string, code: string): never => {
  throw new Rejection(message, code);
};

/** Halves to even, as $round has it, on the decimal that the number is written as. */
export const round = (value: number, digits: number): number => {
  const scaled = Number(`${value}e${digits}`);
  const whole = Math.round(scaled);
  const even = Math.abs(whole - scaled) === 0.5 && Math.abs(whole % 2) === 1 ? whole - 1 : whole;
  return Number(`${even}e${-digits}`);
};

export const asText = (value: number): string => String(Number(value.toPrecision(15)));

export const asList = <T>(value: T | readonly T[] | undefined | null): readonly T[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? (value as readonly T[]) : [value as T];

/** Sets what is there. */
export const put = (target: Record<string, unknown>, key: string, value: unknown): void => {
  if (value !== undefined) target[key] = value;
};

/** The object without the keys that have no value. */
export const compact = (object: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(object)) if (object[key] !== undefined) kept[key] = object[key];
  return kept;
};

/** The body of the answer, or of the message that a carrier sent. */
export const bodyOf = (given: Given, root: 'response' | 'request' = 'response'): unknown =>
  (given[root] as { readonly body: unknown }).body;
