import { valueAt } from '../../value.ts';
import { valueType } from './sample-type.ts';
import {
  ANY,
  BOOLEAN,
  listOf,
  MISSING,
  NEVER,
  NULL,
  NUMBER,
  objectOf,
  TEXT,
  type Type,
  union,
  unionOf,
} from './type.ts';

/** The keywords of JSON Schema, and of OpenAPI's dialect of it, that are read. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema | boolean;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

const DEPTH_MAX = 24;

/**
 * The type that a schema describes. Properties that it lists are all there are, unless it says `additionalProperties`:
 * a schema without them is taken as the complete list of what a carrier knows. Whatever else a schema says is `ANY`.
 */
export const schemaType = (given: object, name: string): Type => {
  const schema: JsonSchema = given;
  const reading = (each: JsonSchema, as: string, depth: number): Type => {
    if (depth > DEPTH_MAX) return ANY;
    const inner = (next: JsonSchema, called = as): Type => reading(next, called, depth + 1);
    if (each.$ref !== undefined) {
      const found = resolveReference(schema, each.$ref);
      return found === undefined ? ANY : inner(found);
    }
    if (each.const !== undefined) return constant(each.const);
    if (each.enum !== undefined) return { ...unionOf(each.enum.map(constant)), closed: true };
    const choice = each.oneOf ?? each.anyOf;
    if (each.allOf !== undefined) return inner(mergeAll(schema, each));
    if (choice !== undefined && each.properties === undefined) {
      return unionOf(choice.map((one) => inner(one)));
    }
    const kinds = [each.type ?? impliedType(each) ?? []].flat();
    if (kinds.length === 0) return ANY;
    const base = each.nullable === true ? NULL : NEVER;
    return kinds.reduce((joined, kind) => union(joined, ofKind(each, kind, as, inner)), base);
  };
  return reading(schema, name, 0);
};

const ofKind = (
  schema: JsonSchema,
  kind: string,
  name: string,
  inner: (next: JsonSchema, name?: string) => Type,
): Type => {
  switch (kind) {
    case 'string':
      return TEXT;
    case 'number':
    case 'integer':
      return NUMBER;
    case 'boolean':
      return BOOLEAN;
    case 'null':
      return NULL;
    case 'array':
      return listOf(typeof schema.items === 'object' ? inner(schema.items) : ANY);
    case 'object':
      return objectType(schema, name, inner);
    default:
      return ANY;
  }
};

const objectType = (schema: JsonSchema, name: string, inner: (next: JsonSchema, name?: string) => Type): Type => {
  const required = new Set(schema.required);
  const fields = new Map<string, Type>();
  for (const [key, held] of Object.entries(schema.properties ?? {})) {
    const type = inner(held, key);
    fields.set(key, required.has(key) ? type : union(type, MISSING));
  }
  const { additionalProperties: more } = schema;
  const open =
    more === true || (more === undefined && schema.properties === undefined) || schema.patternProperties !== undefined;
  return objectOf(fields, { name, others: typeof more === 'object' ? inner(more) : open ? ANY : undefined });
};

const impliedType = (schema: JsonSchema): string | undefined =>
  schema.properties !== undefined ? 'object' : schema.items === undefined ? undefined : 'array';

/** Constant objects and lists are not looked into. */
const constant = (value: unknown): Type =>
  typeof value === 'object' && value !== null ? ANY : valueType(value, 'the constant');

/** `#/$defs/Address`: within the schema itself. */
export const resolveReference = (root: object, reference: string): object | undefined => {
  if (!reference.startsWith('#/')) return undefined;
  const keys = reference.slice(2).split('/');
  const found = valueAt(root, ...keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')));
  return typeof found === 'object' && found !== null ? found : undefined;
};

/** The parts of an `allOf` as one schema; a later part overrides an earlier one. */
const mergeAll = (root: JsonSchema, { allOf = [], ...own }: JsonSchema): JsonSchema => {
  const parts = allOf.map((part): JsonSchema =>
    part.$ref === undefined ? part : (resolveReference(root, part.$ref) ?? {}),
  );
  return [...parts, own].reduce<JsonSchema>(
    (merged, part) => ({
      ...merged,
      ...part,
      ...(merged.properties === undefined && part.properties === undefined
        ? {}
        : { properties: { ...merged.properties, ...part.properties } }),
      required: [...(merged.required ?? []), ...(part.required ?? [])],
    }),
    {},
  );
};
