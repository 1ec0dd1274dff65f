import { parseDuration } from '../../duration.ts';
import { readBoolean, readNumber } from '../scalar-forms.ts';
import { type Entry, entryOf, isNull, itemsOf, type Node } from '../tree.ts';

/**
 * Maps laid over each other, nearest first: step, operation, profile. The nearest that writes a key wins; one that
 * writes `null` takes the inherited value back, so that the built-in default holds.
 */
export type Layers = readonly (Node | undefined)[];

export const inherited = (layers: Layers, key: string): Node | undefined => {
  for (const layer of layers) {
    const entry = entryOf(layer, key);
    if (entry !== undefined) return isNull(entry.value) ? undefined : entry.value;
  }
  return undefined;
};

/** All that is written for a key, nearest first, down to a `null`. */
export const inheritedAll = (layers: Layers, key: string): readonly Node[] => {
  const found: Node[] = [];
  for (const layer of layers) {
    const entry = entryOf(layer, key);
    if (entry === undefined) continue;
    if (isNull(entry.value)) break;
    found.push(entry.value);
  }
  return found;
};

/** The entries of maps laid over each other. `sameKey` says when two keys are the same, as header names are. */
export const mergedEntries = (
  maps: readonly Node[],
  sameKey: (key: string) => string = (key) => key,
): readonly Entry[] => {
  const entries = new Map<string, Entry>();
  for (const map of maps) {
    if (map.kind !== 'map') continue;
    for (const entry of map.entries) {
      const key = sameKey(entry.key.text);
      if (!entries.has(key)) entries.set(key, entry);
    }
  }
  return [...entries.values()].filter((entry) => !isNull(entry.value));
};

// Readers of checked nodes. What has the wrong form is a finding already, and reads as if it were not there.

export const textOf = (node: Node | undefined): string | undefined => (node?.kind === 'scalar' ? node.text : undefined);

export const numberOf = (node: Node | undefined): number | undefined =>
  node?.kind === 'scalar' ? readNumber(node) : undefined;

export const flagOf = (node: Node | undefined): boolean | undefined =>
  node?.kind === 'scalar' ? readBoolean(node) : undefined;

export const durationOf = (node: Node | undefined): number | undefined =>
  node?.kind === 'scalar' ? parseDuration(node.text) : undefined;

export const wordOf = <W extends string>(node: Node | undefined, words: readonly W[]): W | undefined => {
  const text = textOf(node);
  return words.find((word) => word === text);
};

export const textsOf = (node: Node | undefined): readonly string[] | undefined =>
  node?.kind === 'list' ? itemsOf(node).flatMap((item) => textOf(item) ?? []) : undefined;
