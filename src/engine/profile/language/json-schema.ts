import { defaultOf } from './field.ts';
import type { Shape } from './kinds.ts';
import { definitions, profile } from './profile.ts';

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
