import { parseDuration } from '../../duration.ts';
import { type Field, nameWithUnit, type Read } from '../language/field.ts';
import { KINDS, type Shape } from '../language/kinds.ts';
import { alternativeFor } from '../language/shape.ts';
import { dataOf, type Entry, entryOf, isNull, nodeOf, type Node, type ScalarNode, valueOf } from '../tree.ts';
import { compileExpr, compileMapping, compileText, compileValue, type Context, type Site } from './context.ts';

/** All that is written for a key in maps laid over each other, nearest first: step, operation, profile; down to a `null`. */
export const inheritedAll = (layers: readonly (Node | undefined)[], key: string): readonly Node[] => {
  const found: Node[] = [];
  for (const layer of layers) {
    const entry = entryOf(layer, key);
    if (entry === undefined) continue;
    if (isNull(entry.value)) break;
    found.push(entry.value);
  }
  return found;
};

/** The nearest that is written for a key; a `null` takes the inherited value back, so that the default holds. */
export const inherited = (layers: readonly (Node | undefined)[], key: string): Node | undefined =>
  inheritedAll(layers, key)[0];

/**
 * What a field compiles to, from the nodes that are laid over each other for it, nearest first. Maps are merged key
 * by key, of all else the nearest counts. What does not have the form of the field is a finding already, and reads
 * as undefined, as does a map without a key that it needs.
 */
export const read = <F extends Field>(
  context: Context,
  field: F,
  nodes: Node | readonly Node[] | undefined,
  site: Site,
): Read<F> => readShape(context, field, nodes === undefined ? [] : [nodes].flat(), site) as Read<F>;

const readShape = (context: Context, shape: Shape, written: readonly Node[], outer: Site): unknown => {
  const nodes = written.length > 0 || shape.default === undefined ? written : [nodeOf(shape.default)];
  const [node] = nodes;
  if (node === undefined || shape.meta?.byHand === true) return node;
  const site = { ...outer, ...shape.meta?.site };
  const form = alternativeFor(shape, node.kind);
  const value = form === shape ? readForm(context, shape, nodes, site) : form && readShape(context, form, nodes, site);
  // In the place of what is wrong, which the check has told: other rules look at the rest.
  if (value === undefined && written.length > 0 && shape.default !== undefined) {
    return readShape(context, shape, [], outer);
  }
  return value === undefined ? undefined : (shape.meta?.as?.(value as never) ?? value);
};

const readForm = (context: Context, shape: Shape, nodes: readonly Node[], site: Site): unknown => {
  const [node] = nodes;
  if (node === undefined) return undefined;
  const kind = shape['x-kind'];
  switch (kind) {
    case 'text':
      return compileText(context, node as ScalarNode, site, shape.meta?.encoding ?? 'text');
    case 'expr':
      return compileExpr(context, node as ScalarNode, site);
    case 'lifetime':
      return readLifetime(context, node as ScalarNode, site);
    case 'mapping':
      return compileMapping(context, node, site);
    case 'value':
      return compileValue(context, node, site);
    case 'data':
      return dataOf(node);
    case undefined:
      if (node.kind !== 'list') return readMap(context, shape, nodes, site);
      return node.items.flatMap((item) => readShape(context, shape.items ?? {}, [item], site) ?? []);
    default:
      return KINDS[kind].read?.(node as ScalarNode, shape) ?? undefined;
  }
};

const readMap = (context: Context, shape: Shape, nodes: readonly Node[], site: Site): unknown => {
  if (shape.properties === undefined) {
    const held = shape.additionalProperties || {};
    const rows = mergedEntries(nodes, shape.meta?.anyCase === true);
    return Object.fromEntries(
      rows.flatMap(({ key, value }) => {
        const read = readShape(context, held, [value], site);
        return read === undefined ? [] : [[key.text, read]];
      }),
    );
  }
  // A choice among alternatives is the nearest layer's; of the others those count that have chosen the same.
  const { keys, needed } = shape.meta?.oneOf ?? { keys: [], needed: false };
  const chosen = needed ? keys.find((key) => valueOf(nodes[0], key) !== undefined) : undefined;
  const layers = needed
    ? nodes.filter((node, at) => at === 0 || (chosen !== undefined && valueOf(node, chosen)))
    : nodes;
  const values = Object.entries(shape.properties).map(
    ([key, inner]) =>
      [key, nameWithUnit(key, inner), readShape(context, inner, inheritedAll(layers, key), site)] as const,
  );
  const lacksOne = values.some(([key, , value]) => value === undefined && shape.required?.includes(key) === true);
  return lacksOne ? undefined : Object.fromEntries(values.map(([, name, value]) => [name, value]));
};

const mergedEntries = (maps: readonly Node[], anyCase: boolean): readonly Entry[] => {
  const entries = new Map<string, Entry>();
  for (const entry of maps.flatMap((map) => (map.kind === 'map' ? map.entries : []))) {
    const key = anyCase ? entry.key.text.toLowerCase() : entry.key.text;
    if (!entries.has(key)) entries.set(key, entry);
  }
  return [...entries.values()].filter((entry) => !isNull(entry.value));
};

const readLifetime = (context: Context, node: ScalarNode, site: Site): unknown => {
  const ms = parseDuration(node.text);
  return ms === undefined ? compileExpr(context, node, site) : { ms };
};
