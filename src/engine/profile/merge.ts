import type { Shape } from './language/kinds.ts';
import { alternativeFor, isTree, shapeOfKey } from './language/shape.ts';
import { type Entry, isNull, type MapNode, type Node } from './tree.ts';

/**
 * Lays a profile over its base: maps merge, lists and scalars replace, `null` takes a key away. Where a map
 * has one of several keys (a method, a codec, a kind of auth), the profile's choice replaces the base's. Every node
 * keeps the place it was written at. A `null` stays in the result, since it also takes back what a step would inherit.
 */
export const mergeTrees = (base: Node, over: Node, shape: Shape | undefined): Node => {
  if (base.kind !== 'map' || over.kind !== 'map') return over;
  const map = alternativeFor(shape, 'map');
  const free = map !== undefined && isTree(map);
  const inner = (key: string): Shape | undefined => (free ? map : shapeOfKey(map, key));
  const replaced = replacedKeys(over, map);
  const entries: Entry[] = [];
  for (const entry of base.entries) {
    const key = entry.key.text;
    const own = over.entries.find((candidate) => candidate.key.text === key);
    if (own === undefined) {
      if (!replaced.has(key)) entries.push(entry);
    } else if (own.value.kind === 'scalar' && isNull(own.value)) {
      // In a free tree null is a value, so that a key taken away has to be gone.
      if (!free) entries.push({ key: own.key, value: { ...own.value, removed: true } });
    } else entries.push({ key: own.key, value: mergeTrees(entry.value, own.value, inner(key)) });
  }
  const known = new Set(base.entries.map((entry) => entry.key.text));
  entries.push(...over.entries.filter((entry) => !known.has(entry.key.text)));
  return { ...over, entries };
};

/** Keys of the base that the profile's own choice among alternatives replaces. */
const replacedKeys = (over: MapNode, shape: Shape | undefined): ReadonlySet<string> => {
  const keys = shape?.meta?.oneOf?.keys ?? [];
  const isChosen = over.entries.some((entry) => keys.includes(entry.key.text) && !isNull(entry.value));
  return new Set(isChosen ? keys : []);
};
