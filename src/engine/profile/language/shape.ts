import type { Node } from '../tree.ts';
import type { Shape, Kind } from './kinds.ts';
import { labelTemplate } from './label-template.ts';
import { definitions, profile } from './profile.ts';
import { policy } from './policy.ts';
import { tariff, transit } from './rates.ts';
import { defaultOf } from './field.ts';

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

type Json = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema (2020-12) of a carrier's profile, for editors. It knows YAML values where the engine knows
 * characters, so it takes numbers and booleans where text is meant, and `null` wherever a key may be taken back.
 */
export const carrierJsonSchema = (): Json => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Waybill carrier',
  ...forEditors(profile),
  // A profile that extends another one, and a base, may lack what this one inherits or leaves open.
  required: ['carrier'],
  $defs: mapValues(definitions, (shape) => forEditors(shape)),
});

/** That of the template of a label, which inherits nothing. */
export const labelJsonSchema = (): Json => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Waybill label',
  ...forEditors(labelTemplate, true),
});
/** Of the files of policies, tariffs and transit times, which inherit nothing. */
export const sharedJsonSchemas = (): Readonly<Record<'policy' | 'tariff' | 'transit', Json>> => {
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  return {
    policy: { $schema, title: 'Waybill policy', ...forEditors(policy, true) },
    tariff: { $schema, title: 'Waybill tariff', ...forEditors(tariff, true) },
    transit: { $schema, title: 'Waybill transit times', ...forEditors(transit, true) },
  };
};

/** Outside lists a key that is needed may be inherited; an entry of a list is always whole. */
const forEditors = (shape: Shape, whole = false): Json => {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(shape)) {
    if (key === 'properties') {
      result[key] = mapValues(value as Readonly<Record<string, Shape>>, (inner) => orNull(forEditors(inner, whole)));
    } else if (key === 'additionalProperties' && value !== false) {
      result[key] = orNull(forEditors(value as Shape, whole));
    } else if (key === 'items') result[key] = forEditors(value as Shape, true);
    else if (key === 'anyOf') result[key] = (value as readonly Shape[]).map((inner) => forEditors(inner, whole));
    else if (key === 'description') result[key] = describe(shape);
    else if (key === 'default' ? defaultOf(shape) === undefined : key === 'required' && !whole) continue;
    else if (key === 'meta') continue;
    else result[key] = value;
  }
  return result;
};

const describe = (shape: Shape): string => {
  const otherwise = defaultOf(shape);
  return otherwise === undefined ? (shape.description ?? '') : `${shape.description} Default: ${otherwise}.`;
};

const mapValues = <V>(map: Readonly<Record<string, V>>, change: (value: V) => Json): Json =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));

const orNull = (schema: Json): Json => {
  const { description, examples, default: otherwise, ...rest } = schema;
  if (Object.keys(rest).every((key) => key.startsWith('x-'))) return schema;
  const { type, enum: words } = rest;
  if (words !== undefined) return { ...schema, enum: [...(words as readonly unknown[]), null] };
  if (type !== undefined) return { ...schema, type: [type, 'null'].flat() };
  const texts = { description, examples, ...(otherwise === undefined ? {} : { default: otherwise }) };
  return { ...texts, anyOf: [rest, { type: 'null' }] };
};
