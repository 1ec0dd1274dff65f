import type { ErrorRule } from '../rules.ts';
import type { Node } from '../tree.ts';
import { carrierDefs, carrierSchema } from './carrier-schema.ts';
import type { Kind, OneOf } from './kinds.ts';

/** The keywords of a schema that checking and merging read. */
export interface Shape {
  readonly 'x-kind'?: Kind;
  readonly 'x-one-of'?: readonly OneOf[];
  readonly 'x-rule'?: ErrorRule;
  readonly 'x-must'?: string;
  readonly $ref?: string;
  readonly anyOf?: readonly Shape[];
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Shape;
  readonly propertyNames?: { readonly pattern?: string; readonly enum?: readonly string[] };
  readonly items?: Shape;
  readonly minItems?: number;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

export const CARRIER_SHAPE = carrierSchema as Shape;

/** Kinds of value that take a whole tree. */
const TREES: ReadonlySet<Kind> = new Set(['mapping', 'value', 'data']);

export const isTree = (shape: Shape): boolean => shape['x-kind'] !== undefined && TREES.has(shape['x-kind']);

/** What a schema takes: a scalar, a list or a map; a tree takes all three. */
const takes = (shape: Shape, kind: Node['kind']): boolean =>
  isTree(shape) ||
  (shape['x-kind'] === undefined
    ? shape.type === (kind === 'map' ? 'object' : kind === 'list' ? 'array' : '')
    : kind === 'scalar');

const dereference = (shape: Shape): Shape => {
  const name = shape.$ref?.slice('#/$defs/'.length);
  return name === undefined ? shape : (carrierDefs[name] ?? shape);
};

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
