/** A body as a tree that can be compared with another, changed and written again: JSON, XML, a form, or text. */
import { encoderNamed } from '../../engine/codecs/codecs.ts';
import { readForm } from '../../engine/codecs/form.ts';
import { codecOf, collectRepeats, DEFAULT_DECODE_LIMITS } from '../../engine/codecs/codec.ts';
import { decodeXmlText } from '../../engine/codecs/text.ts';
import { readXml, type XmlElement } from '../../engine/codecs/xml.ts';
import { isMap } from '../../engine/value.ts';
import { writable } from '../scaffold/sample.ts';

/** `kind` is how it is written again; of XML, elements of one name are a list. */
export interface Document {
  readonly kind: 'json' | 'xml' | 'form' | 'text' | 'bytes';
  readonly tree: unknown;
}

const NOTHING: Document = { kind: 'bytes', tree: undefined };

/** Never throws: what does not read as it says is text. */
export const readDocument = (bytes: Uint8Array | undefined, contentType: string | undefined): Document => {
  if (bytes === undefined || bytes.byteLength === 0) return NOTHING;
  const body = Buffer.from(bytes);
  const text = body.toString('utf8');
  try {
    switch (codecOf(contentType)) {
      case 'json':
        return { kind: 'json', tree: JSON.parse(text) as unknown };
      case 'xml':
      case 'soap':
        return {
          kind: 'xml',
          tree: treeOf(readXml(decodeXmlText(body, contentType), DEFAULT_DECODE_LIMITS)),
        };
      case 'form':
        return { kind: 'form', tree: collectRepeats(readForm(body, contentType, DEFAULT_DECODE_LIMITS.maxNodes)) };
      case 'binary':
        return { kind: 'bytes', tree: body };
      default:
    }
  } catch {
    // Told by the schema or the case that it does not fit.
  }
  return Buffer.from(text).equals(body) ? { kind: 'text', tree: text } : { kind: 'bytes', tree: body };
};

export const writeDocument = ({ kind, tree }: Document): Buffer => {
  switch (kind) {
    case 'json':
      return Buffer.from(JSON.stringify(tree));
    case 'xml':
    case 'form':
      return Buffer.from(encoderNamed(kind).encode(tree).bytes);
    case 'text':
    case 'bytes':
      return Buffer.isBuffer(tree) ? tree : Buffer.from(typeof tree === 'string' ? tree : '');
  }
};

const treeOf = (root: XmlElement): unknown =>
  Object.fromEntries(Object.entries(writable(root) as object).map(([name, held]) => [name, listed(held)]));

/** Elements are lists, also where there is one of a name: as with several, so that they compare. */
const listed = (tree: unknown): unknown =>
  isMap(tree)
    ? Object.fromEntries(
        Object.entries(tree).map(([name, held]) => [name, /^[@#]/.test(name) ? held : [held].flat().map(listed)]),
      )
    : tree;

// Trees ---------------------------------------------------------------------------------------------------------------

/** The children of a part of a tree, by their keys; none of a scalar. */
const entriesOf = (tree: unknown): readonly (readonly [string, unknown])[] => {
  if (Buffer.isBuffer(tree)) return [];
  if (Array.isArray(tree)) return tree.map((one, at) => [String(at), one] as const);
  return isMap(tree) ? Object.entries(tree) : [];
};

/** Whoever writes XML chooses its prefixes. */
export const localName = (key: string): string => key.replace(/^(@?)[\w-]+:(?=[\w.-]+$)/, '$1');

/** Every scalar as text, with the path to it, without prefixes; numbers of lists are left out of `shape`. */
export const leavesOf = (
  tree: unknown,
  path: readonly string[] = [],
  shape = '',
): readonly { readonly path: string; readonly shape: string; readonly text: string }[] => {
  if (isLeaf(tree)) {
    return tree === undefined || Buffer.isBuffer(tree)
      ? []
      : [{ path: path.join('\n'), shape, text: `${tree as string | number | boolean | null}` }];
  }
  const isList = Array.isArray(tree);
  return entriesOf(tree).flatMap(([key, value]) => {
    const name = localName(key);
    return leavesOf(value, [...path, name], isList ? shape : `${shape}/${name}`);
  });
};

const isLeaf = (tree: unknown): boolean => typeof tree !== 'object' || tree === null || Buffer.isBuffer(tree);

/** All texts that were seen under a name, or a shape. */
export const textsBy = (seen: readonly (readonly [string, string])[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const texts = new Map<string, Set<string>>();
  for (const [name, text] of seen) texts.set(name, (texts.get(name) ?? new Set()).add(text));
  return texts;
};

/** The tree with every text, number and key changed; a number that stays one in text stays a number. */
export const mapLeaves = (tree: unknown, change: (text: string) => string): unknown => {
  if (typeof tree === 'string') return change(tree);
  if (typeof tree === 'number') {
    const changed = change(String(tree));
    return changed === String(tree) || !Number.isSafeInteger(Number(changed)) ? tree : Number(changed);
  }
  if (isLeaf(tree)) return tree;
  if (Array.isArray(tree)) return tree.map((one) => mapLeaves(one, change));
  return Object.fromEntries(entriesOf(tree).map(([key, value]) => [change(key), mapLeaves(value, change)]));
};

/** Every list of a tree from the outside in, with its path. */
export const listsOf = (
  tree: unknown,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly list: readonly unknown[] }[] => [
  ...(Array.isArray(tree) ? [{ path, list: tree as readonly unknown[] }] : []),
  ...entriesOf(tree).flatMap(([key, value]) => listsOf(value, [...path, key])),
];

/** The tree with another list, or whatever else, at a path. */
export const withAt = (tree: unknown, [key, ...rest]: readonly string[], value: unknown): unknown => {
  if (key === undefined) return value;
  if (Array.isArray(tree)) return tree.map((one, at) => (String(at) === key ? withAt(one, rest, value) : one));
  return Object.fromEntries(entriesOf(tree).map(([own, one]) => [own, own === key ? withAt(one, rest, value) : one]));
};

export const textOf = (tree: unknown): string =>
  leavesOf(tree)
    .map(({ path, text }) => `${path}\n${text}`)
    .join('\n');
