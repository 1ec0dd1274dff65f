import { valueAt } from '../../value.ts';
import { valueType } from './sample-type.ts';
import * as t from './type.ts';

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
export const schemaType = (given: object, name: string): t.Type => {
  const schema: JsonSchema = given;
  const reading = (each: JsonSchema, as: string, depth: number): t.Type => {
    if (depth > DEPTH_MAX) return t.ANY;
    const inner = (next: JsonSchema, called = as): t.Type => reading(next, called, depth + 1);
    if (each.$ref !== undefined) {
      const found = resolveReference(schema, each.$ref);
      return found === undefined ? t.ANY : inner(found);
    }
    if (each.const !== undefined) return constant(each.const);
    if (each.enum !== undefined) return { ...t.unionOf(each.enum.map(constant)), closed: true };
    const choice = each.oneOf ?? each.anyOf;
    if (each.allOf !== undefined) return inner(mergeAll(schema, each));
    if (choice !== undefined && each.properties === undefined) {
      return t.unionOf(choice.map((one) => inner(one)));
    }
    const kinds = [each.type ?? impliedType(each) ?? []].flat();
    if (kinds.length === 0) return t.ANY;
    const base = each.nullable === true ? t.NULL : t.NEVER;
    return kinds.reduce((joined, kind) => t.union(joined, ofKind(each, kind, as, inner)), base);
  };
  return reading(schema, name, 0);
};

const ofKind = (
  schema: JsonSchema,
  kind: string,
  name: string,
  inner: (next: JsonSchema, name?: string) => t.Type,
): t.Type => {
  switch (kind) {
    case 'string':
      return t.TEXT;
    case 'number':
    case 'integer':
      return t.NUMBER;
    case 'boolean':
      return t.BOOLEAN;
    case 'null':
      return t.NULL;
    case 'array':
      return t.listOf(typeof schema.items === 'object' ? inner(schema.items) : t.ANY);
    case 'object':
      return objectType(schema, name, inner);
    default:
      return t.ANY;
  }
};

const objectType = (schema: JsonSchema, name: string, inner: (next: JsonSchema, name?: string) => t.Type): t.Type => {
  const required = new Set(schema.required);
  const fields = new Map<string, t.Type>();
  for (const [key, held] of Object.entries(schema.properties ?? {})) {
    const type = inner(held, key);
    fields.set(key, required.has(key) ? type : t.union(type, t.MISSING));
  }
  const { additionalProperties: more } = schema;
  const open =
    more === true || (more === undefined && schema.properties === undefined) || schema.patternProperties !== undefined;
  return t.objectOf(fields, { name, others: typeof more === 'object' ? inner(more) : open ? t.ANY : undefined });
};

const impliedType = (schema: JsonSchema): string | undefined =>
  schema.properties !== undefined ? 'object' : schema.items === undefined ? undefined : 'array';

/** Constant objects and lists are not looked into. */
const constant = (value: unknown): t.Type =>
  typeof value === 'object' && value !== null ? t.ANY : valueType(value, 'the constant');

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
