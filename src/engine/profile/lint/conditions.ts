/** What comparisons of a condition admit: whether it can hold, and whether one holds wherever another does. */
import type { Ast } from '../../jsonata/parse.ts';

/** What a path may hold: numbers from one to another, or some texts. */
interface Bound {
  readonly from: number;
  readonly to: number;
  /** Whether the ends do not belong to it. */
  readonly isOpen: readonly [from: boolean, to: boolean];
  /** undefined: any. */
  readonly texts: readonly string[] | undefined;
}

/** All of these hold together. */
interface Case {
  readonly bounds: ReadonlyMap<string, Bound>;
  /** Something more is asked that is not known here. */
  readonly isMore: boolean;
}

/** One of these holds; of what is not known, one that admits all. */
export type Cases = readonly Case[];

const CASES_MAX = 64;
export const ANY: Cases = [{ bounds: new Map(), isMore: false }];
const UNKNOWN: Cases = [{ bounds: new Map(), isMore: true }];
const ALL: Bound = { from: -Infinity, to: Infinity, isOpen: [false, false], texts: undefined };

export const casesOf = (tree: Ast): Cases => {
  if (tree.type === 'block' && tree.expressions?.length === 1 && tree.expressions[0] !== undefined)
    return casesOf(tree.expressions[0]);
  if (tree.type === 'value') return tree.value === false ? [] : tree.value === true ? ANY : UNKNOWN;
  if (tree.type !== 'binary') return UNKNOWN;
  const [one, other] = [tree.lhs, tree.rhs] as [Ast, Ast];
  if (tree.value === 'and') return both(casesOf(one), casesOf(other));
  if (tree.value === 'or') return [...casesOf(one), ...casesOf(other)].slice(0, CASES_MAX + 1);
  return (
    compared(String(tree.value), one, other) ?? compared(MIRRORED[String(tree.value)] ?? '', other, one) ?? UNKNOWN
  );
};

const MIRRORED: Readonly<Record<string, string>> = { '<': '>', '>': '<', '<=': '>=', '>=': '<=', '=': '=' };

/** Both hold. */
export const both = (ones: Cases, others: Cases): Cases => {
  if (ones.length * others.length > CASES_MAX) return UNKNOWN;
  return ones.flatMap((one) =>
    others.flatMap((other): Cases => {
      const bounds = new Map(one.bounds);
      for (const [path, bound] of other.bounds) bounds.set(path, within(bounds.get(path) ?? ALL, bound));
      return bounds.values().some(isEmpty) ? [] : [{ bounds, isMore: one.isMore || other.isMore }];
    }),
  );
};

/** Wherever `narrow` holds, `wide` does, too. */
export const isWithin = (narrow: Cases, wide: Cases): boolean =>
  narrow.every(({ bounds }) =>
    wide.some(
      (other) => !other.isMore && other.bounds.entries().every(([path, bound]) => lies(bounds.get(path), bound)),
    ),
  );

const compared = (operator: string, left: Ast, right: Ast): Cases | undefined => {
  const path = pathOf(left);
  if (path === undefined) return undefined;
  const is = (bound: Partial<Bound>): Cases => [{ bounds: new Map([[path, { ...ALL, ...bound }]]), isMore: false }];
  const number = numberOf(right);
  const texts = operator === 'in' ? textsOf(right) : operator === '=' ? textsOf(right)?.slice(0, 1) : undefined;
  if (texts !== undefined) return is({ texts });
  if (number === undefined) return undefined;
  switch (operator) {
    case '=':
      return is({ from: number, to: number });
    case '<':
      return is({ to: number, isOpen: [false, true] });
    case '<=':
      return is({ to: number });
    case '>':
      return is({ from: number, isOpen: [true, false] });
    case '>=':
      return is({ from: number });
    default:
      return undefined;
  }
};

/** A path of names alone. */
const pathOf = ({ type, steps = [] }: Ast): string | undefined => {
  const isPlain =
    type === 'path' && steps.every((step) => ['name', 'variable'].includes(step.type) && !('stages' in step));
  return isPlain ? steps.map(({ value }) => String(value)).join('.') : undefined;
};

const numberOf = ({ type, value, expression }: Ast): number | undefined => {
  if (type === 'number') return Number(value);
  return type === 'unary' && value === '-' && expression?.type === 'number' ? -Number(expression.value) : undefined;
};

const textsOf = ({ type, value, expressions = [] }: Ast): readonly string[] | undefined => {
  if (type === 'string') return [String(value)];
  const isList = type === 'unary' && value === '[' && expressions.every((one) => one.type === 'string');
  return isList ? expressions.map((one) => String(one.value)) : undefined;
};

const within = (one: Bound, other: Bound): Bound => {
  const [from, to] = [one.from > other.from ? one : other, one.to < other.to ? one : other];
  const isOpenAt = (end: 'from' | 'to', at: 0 | 1): boolean =>
    one[end] === other[end] ? one.isOpen[at] || other.isOpen[at] : (end === 'from' ? from : to).isOpen[at];
  const texts =
    one.texts === undefined || other.texts === undefined
      ? (one.texts ?? other.texts)
      : one.texts.filter((text) => other.texts?.includes(text));
  return { from: from.from, to: to.to, isOpen: [isOpenAt('from', 0), isOpenAt('to', 1)], texts };
};

const isEmpty = ({ from, to, isOpen, texts }: Bound): boolean =>
  from > to || (from === to && isOpen.includes(true)) || texts?.length === 0;

const lies = (narrow: Bound | undefined, wide: Bound): boolean => {
  if (narrow === undefined) return false;
  if (wide.texts !== undefined)
    return narrow.texts !== undefined && narrow.texts.every((text) => wide.texts?.includes(text));
  const { from, to, isOpen } = within(narrow, wide);
  return from === narrow.from && to === narrow.to && isOpen.every((is, at) => is === narrow.isOpen[at]);
};
