import type { Node } from '../tree.ts';
import type { Shape } from './kinds.ts';
import type { Kind } from './kinds.ts';
import { definitions, profile } from './profile.ts';

export const CARRIER_SHAPE: Shape = profile;

/** Kinds of value that take a whole tree. */
const TREES: ReadonlySet<Kind> = new Set(['mapping', 'value', 'data']);

export const isTree = ({ 'x-kind': kind }: Shape): boolean => kind !== undefined && TREES.has(kind);

/** What a schema takes: a scalar, a list or a map; a tree takes all three. */
const takes = (shape: Shape, kind: Node['kind']): boolean =>
  isTree(shape) ||
  (shape['x-kind'] === undefined
    ? shape.type === (kind === 'map' ? 'object' : kind === 'list' ? 'array' : '')
    : kind === 'scalar');

/** The name under `$defs` of what a schema refers to. */
export const referenceOf = ({ $ref }: Shape): string | undefined => $ref?.slice('#/$defs/'.length);

const dereference = (shape: Shape): Shape => definitions[referenceOf(shape) ?? ''] ?? shape;

/** The alternatives of a schema: one, unless the form written decides. */
export const alternativesOf = (shape: Shape): readonly Shape[] => {
  const direct = dereference(shape);
  return direct.anyOf === undefined ? [direct] : direct.anyOf.flatMap(alternativesOf);
};

/** The alternative that takes a node of this kind, if there is one. */
export const alternativeFor = (shape: Shape | undefined, kind: Node['kind']): Shape | undefined =>
  shape === undefined ? undefined : alternativesOf(shape).find((alternative) => takes(alternative, kind));

/** The schema of a key in a map; undefined when the key is unknown there. */
export const shapeOfKey = (map: Shape | undefined, key: string): Shape | undefined => {
  if (map === undefined) return undefined;
  if (map.properties !== undefined && Object.hasOwn(map.properties, key)) return map.properties[key];
  return map.additionalProperties === false ? undefined : map.additionalProperties;
};
