import type { Place } from '../failure.ts';
import type { SourceText } from '../mapping/source-text.ts';

/** A profile as written: every node knows its place, every scalar keeps its characters. */
export type Node = ScalarNode | MapNode | ListNode;

export interface ScalarNode extends SourceText {
  readonly kind: 'scalar';
  readonly place: Place;
  readonly style: 'plain' | 'single' | 'double' | 'literal' | 'folded';
  /** A `null` that took a key of a base away: nothing, also where `null` would be a value. */
  readonly removed?: true;
}

export interface MapNode {
  readonly kind: 'map';
  readonly place: Place;
  /** Written as `{ }`. */
  readonly flow: boolean;
  readonly source: SourceText;
  readonly entries: readonly Entry[];
}

/** What stands there as written; of a scalar its value. */
export const sourceOf = (node: Node): SourceText => (node.kind === 'scalar' ? node : node.source);

export interface Entry {
  readonly key: ScalarNode;
  readonly value: Node;
}

export interface ListNode {
  readonly kind: 'list';
  readonly place: Place;
  readonly flow: boolean;
  readonly source: SourceText;
  readonly items: readonly Node[];
}

export const isNull = (node: Node): boolean =>
  node.kind === 'scalar' && node.style === 'plain' && (node.text === 'null' || node.text === '');

/** The entry of a map by its key; undefined also for what is no map. */
export const entryOf = (node: Node | undefined, key: string): Entry | undefined =>
  node?.kind === 'map' ? node.entries.find((entry) => entry.key.text === key) : undefined;

/** What lies at the end of these keys, when it is there and not `null`. */
export const valueOf = (node: Node | undefined, ...keys: readonly string[]): Node | undefined => {
  const value = keys.reduce((map, key) => entryOf(map, key)?.value, node);
  return value === undefined || isNull(value) ? undefined : value;
};

/** The entries of a map that are not `null`; none for what is no map. */
export const entriesOf = (node: Node | undefined): readonly Entry[] =>
  node?.kind === 'map' ? node.entries.filter((entry) => !isNull(entry.value)) : [];

/** What lies right in a map or list. */
export const childrenOf = (node: MapNode | ListNode): readonly Node[] =>
  node.kind === 'list' ? node.items : node.entries.map(({ value }) => value);

export const itemsOf = (node: Node | undefined): readonly Node[] => (node?.kind === 'list' ? node.items : []);

export const textOf = (node: Node | undefined): string | undefined => (node?.kind === 'scalar' ? node.text : undefined);

/** `a map`, `a list`, `text`: for messages. */
export const nameOfKind = (node: Node): string =>
  node.kind === 'map' ? 'a map' : node.kind === 'list' ? 'a list' : isNull(node) ? 'nothing' : 'text';

/** A node of its own for a value, as if a profile wrote it. */
export const nodeOf = (value: unknown): Node => {
  const place = { file: '', line: 1, column: 1 };
  const source: SourceText = { text: String(value), placeAt: () => place };
  if (Array.isArray(value)) return { kind: 'list', place, flow: true, source, items: value.map(nodeOf) };
  if (typeof value !== 'object' || value === null) return { kind: 'scalar', place, style: 'plain', ...source };
  const entries = Object.entries(value).map(([key, inner]) => ({
    key: nodeOf(key) as ScalarNode,
    value: nodeOf(inner),
  }));
  return { kind: 'map', place, flow: true, source, entries };
};
