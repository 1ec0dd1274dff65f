/** What belongs together: a value that is sent, the expression that makes it, and the fields that it is made of. */
import type { TryReply } from '../../../src/cli/playground-shapes.ts';

type Played = NonNullable<TryReply['played']>;
export type Value = Played['results'][number];

/** What is pointed at. */
export type Point =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'line'; readonly file: string; readonly line: number }
  /** Of the given consignment, as `itemList[0].itemWeight`. */
  | { readonly kind: 'field'; readonly field: string };

export const valuesOf = ({ exchanges, results }: Played): readonly Value[] => [
  ...exchanges.flatMap(({ values }) => values),
  ...results,
];

/** Whether what an expression reads is that field, or holds it: `item` is any of `itemList`. */
const isRead = (read: string, field: string): boolean => {
  const own = read.replace(/^consignment\./, '').replace(/^items?(?:\[\d+\])?\./, 'itemList.');
  const plain = own.startsWith('itemList.') ? field.replace(/^itemList\[\d+\]/, 'itemList') : field;
  return plain === own || plain.startsWith(`${own}.`) || plain.startsWith(`${own}[`);
};

export const litValues = (point: Point | undefined, values: readonly Value[]): ReadonlySet<Value> => {
  switch (point?.kind) {
    case 'value':
      return new Set([point.value]);
    case 'line':
      return new Set(values.filter(({ file, line }) => file === point.file && line === point.line));
    case 'field':
      return new Set(values.filter(({ reads }) => reads.some((read) => isRead(read, point.field))));
    case undefined:
      return new Set();
  }
};

export const isLitField = (field: string, lit: ReadonlySet<Value>): boolean =>
  [...lit].some(({ reads }) => reads.some((read) => isRead(read, field)));

/** Each scalar of a consignment, by its path. */
export const leavesOf = (value: unknown, path = ''): readonly (readonly [path: string, value: unknown])[] => {
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => {
    const below = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    return leavesOf(inner, below);
  });
};
