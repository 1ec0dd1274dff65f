import { type Ast, walk } from '../../jsonata/parse.ts';
import { slipsOf } from '../../mapping/closest.ts';
import { Consignment, ConsignmentItem, ConsignmentVas } from '../../consignment/consignment.ts';
import type { Node } from '../tree.ts';
import { type LintInput, placeOfNode, type Rule } from './rule.ts';

interface Literal {
  readonly text: string;
  /** Texts that begin so are meant as well. */
  readonly kind: 'key' | 'text' | 'prefix';
  readonly place: () => Node['place'];
}

/**
 * unshown-word: a key, code or part of a URL that no case has, although one has a word with a letter more, fewer or
 * swapped, or, of a longer word, another. Where the carrier has both, a waiver says so.
 */
export const unshownWord: Rule = (input) => {
  const { keys, texts } = input.evidence.words();
  if (keys.size === 0) return;
  const words = [...new Set([...keys, ...texts])];
  const shown = new Set(words.map(plain));
  const literals = literalsOf(input);
  const written = new Set(literals.map(({ text }) => plain(text)));
  const ownKeys = literals.filter(({ kind }) => kind === 'key').map(({ text }) => text);
  const timesOwn = Map.groupBy(ownKeys, plain);
  for (const { text, kind, place } of literals) {
    if (shown.has(plain(text)) || (kind === 'prefix' && words.some((word) => plain(word).startsWith(plain(text)))))
      continue;
    const known = kind === 'key' ? keys : kind === 'text' ? words : words.map((word) => word.slice(0, text.length));
    const near = slipsOf(text, known).filter((word) => isSlip(text, word, !written.has(plain(word))));
    // A key that stands in several places, with a letter wrong in one of them.
    const isLone = kind === 'key' && near.length === 0 && timesOwn.get(plain(text))?.length === 1;
    if (isLone) near.push(...slipsOf(text, ownKeys).filter((word) => isSlip(text, word, false)));
    const [meant] = near;
    if (meant === undefined || near.some((other) => plain(other) !== plain(meant))) continue;
    input.findings.report('unshown-word', place(), `no case has "${text}"`, `did you mean "${meant}"?`);
  }
};

const literalsOf = ({ uses, trees, texts, urls, carrier }: LintInput): readonly Literal[] => {
  const found: Literal[] = [];
  const add = (text: string, kind: Literal['kind'], place: Literal['place']): void => {
    found.push({ text: text.replace(PREFIX, ''), kind, place });
  };
  const addKeys = (node: Node): void => {
    if (node.kind === 'list') node.items.forEach(addKeys);
    if (node.kind !== 'map') return;
    for (const { key, value } of node.entries) {
      add(key.text, 'key', () => key.place);
      addKeys(value);
    }
  };
  for (const { source, tree } of uses) {
    const [keys, agreed] = [keysOf(tree), agreedIn(tree)];
    walk(tree, (node) => {
      if (node.type !== 'string' || agreed.has(node)) return;
      add(String(node.value), keys.has(node) ? 'key' : 'text', () => placeOfNode(source, node));
    });
  }
  for (const { node } of trees) addKeys(node);
  for (const { text, place } of texts) if (!/^\/|\$\{/.test(text)) add(text, 'text', () => place);
  for (const { text, place } of urls)
    for (const part of text.replaceAll(/\$\{[^}]*\}/g, '/').split(/[/?&=]/)) add(part, 'text', () => place);
  for (const { key, place } of carrier.statuses.table)
    for (const part of key.split('/'))
      add(part.replace(/\*.*/, '').trim(), part.includes('*') ? 'prefix' : 'text', () => place);
  return found;
};

/** Words of the contract, by the fields that hold them. */
const AGREED = new Map(
  [Consignment, ConsignmentItem, ConsignmentVas].flatMap(({ properties }) =>
    Object.entries(properties as Readonly<Record<string, { readonly enum?: readonly string[] }>>).map(
      ([name, { enum: words = [] }]) => [name, words] as const,
    ),
  ),
);

/** Texts that are compared with fields of the order which hold such words: no case need have them. */
const agreedIn = (tree: Ast): ReadonlySet<Ast> => {
  const found = new Set<Ast>();
  walk(tree, ({ type, value, lhs, rhs }) => {
    if (type !== 'binary' || !['=', '!=', 'in'].includes(String(value)) || rhs === undefined) return;
    const sides = [lhs as Ast, rhs];
    const words = sides.flatMap(({ steps }) => AGREED.get(String(steps?.at(-1)?.value)) ?? []);
    for (const side of sides) if (side.type === 'string' && words.includes(String(side.value))) found.add(side);
  });
  return found;
};

/** Of a namespace, or what marks an attribute. */
const PREFIX = /^@?(?:[A-Za-z][\w-]*:)?/;

/** The keys of objects that an expression writes out. */
export const keysOf = (tree: Ast): ReadonlySet<Ast> => {
  const found = new Set<Ast>();
  walk(tree, ({ type, value, lhs }) => {
    if (type === 'unary' && value === '{') for (const [key] of lhs as readonly (readonly [Ast, Ast])[]) found.add(key);
  });
  return found;
};

/**
 * Not every word with another letter is a misspelt one: a code of the same kind, a plural, another way to write it.
 * `isLost`: the known word is written nowhere, as it would be if it were meant here.
 */
const isSlip = (word: string, known: string, isLost: boolean): boolean => {
  if (plain(word) === plain(known) || digits(word) !== digits(known)) return false;
  const letterCount = word.replaceAll(/\P{L}/gu, '').length;
  if (word.length !== known.length || isSwapped(word, known))
    return letterCount >= (isLost && Math.min(word.length, known.length) > 1 ? 1 : 3);
  return letterCount >= (word === word.toUpperCase() ? 8 : 5);
};

/** Without what two ways to write the same differ in. */
const plain = (word: string): string => word.toLowerCase().replaceAll(/[\s_-]|s$/g, '');
const digits = (word: string): string => word.replaceAll(/\D/g, '');
const isSwapped = (one: string, other: string): boolean =>
  one.split('').toSorted().join('') === other.split('').toSorted().join('');
