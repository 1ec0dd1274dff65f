import { carrierDefs, carrierSchema } from './carrier-schema.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema (2020-12) of a carrier's profile, for editors. It knows YAML values where the engine knows
 * characters, so it takes numbers and booleans where text is meant, and `null` wherever a key may be taken back.
 */
export const carrierJsonSchema = (): Json => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Waybill carrier',
  ...forEditors(carrierSchema as unknown as Json),
  // A profile that extends another one, and a base, may lack what this one inherits or leaves open.
  required: ['carrier'],
  $defs: Object.fromEntries(
    Object.entries(carrierDefs).map(([name, schema]) => [name, forEditors(schema as unknown as Json)]),
  ),
});

/** Outside lists a key that is needed may be inherited; an entry of a list is always whole. */
const forEditors = (schema: Json, whole = false): Json => {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') result[key] = mapValues(value as Json, (inner) => orNull(forEditors(inner, whole)));
    else if (key === 'additionalProperties' && value !== false) result[key] = orNull(forEditors(value as Json, whole));
    else if (key === 'items') result[key] = forEditors(value as Json, true);
    else if (key === 'anyOf') result[key] = (value as readonly Json[]).map((inner) => forEditors(inner, whole));
    else if (key === 'required' && !whole) continue;
    else if (key === 'x-one-of' || key === 'x-rule' || key === 'x-must') continue;
    else result[key] = value;
  }
  return result;
};

const mapValues = (map: Json, change: (value: Json) => Json): Json =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value as Json)]));

const orNull = (schema: Json): Json => {
  const { description, examples, ...rest } = schema;
  if (Object.keys(rest).every((key) => key.startsWith('x-'))) return schema;
  const { type, enum: words } = rest;
  if (words !== undefined) return { ...schema, enum: [...(words as readonly unknown[]), null] };
  if (type !== undefined) return { ...schema, type: [type, 'null'].flat() };
  return { description, examples, anyOf: [rest, { type: 'null' }] };
};
