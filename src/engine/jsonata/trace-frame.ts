/** What is noted of one part of an expression while it is evaluated. */
import type { Closure } from './scope.ts';
import type { Known } from './trace-parts.ts';
import { deepest, type Origin } from './trace-result.ts';
import type { Made, Source } from './trace-sources.ts';

/** Where an evaluation broke off. */
export interface Ended extends Origin {
  /** The field that was being made. */
  readonly path: readonly string[];
  /** Of a call: of what the value of each argument is made, what chose it left aside. */
  readonly args: readonly (readonly string[])[] | undefined;
}

type Called = Pick<Ended, 'at' | 'args'>;

export const frame = () => ({
  reads: new Set<string>(),
  /** Of `surface`, what was not read by parts of it. */
  own: new Set<string>(),
  surface: new Set<string>(),
  data: new Set<string>(),
  /** Of the values of its pairs or items, in their order. */
  made: [] as Made[],
  /** What names that are not written out are made of. */
  keys: new Set<string>(),
  /** What only chose between its values. */
  chosen: new Set<string>(),
  /** Of its arguments. */
  args: new Map<Closure, Source>(),
  /** What functions of the expression, called by it, are made of. */
  bodies: new Set<string>(),
  unheld: undefined as number | undefined,
  /** A call that is left to whoever called the function that ends with it. */
  left: undefined as Called | undefined,
});
export type Frame = ReturnType<typeof frame>;

export const add = (to: Set<string>, paths: Iterable<string>): void => {
  for (const path of paths) to.add(path);
};

export const calledBy = (part: Known, { args }: Frame): Called =>
  part?.kind === 'call'
    ? { at: part.at, args: part.args.map((one) => deepest(args.get(one)?.data ?? [])) }
    : { at: 0, args: undefined };

export const replace = (paths: Set<string>, by: Iterable<string>): void => {
  const all = [...by];
  paths.clear();
  add(paths, all);
};

export const union = (one: Source, other: Source): Source => ({
  ...other,
  reads: one.reads.union(other.reads),
  surface: one.surface.union(other.surface),
  data: one.data.union(other.data),
});
