import { isMap, valueAt } from '../../value.ts';
import { valueType } from './sample-type.ts';
import { COUNTRIES } from '../../validate.ts';
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
  readonly format?: string;
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
    if (each.$ref !== undefined || each.allOf !== undefined) {
      const whole = wholeSchema(schema, each);
      return whole === undefined ? t.ANY : inner(whole);
    }
    if (each.const !== undefined) return constant(each.const);
    if (each.enum !== undefined) return { ...t.unionOf(each.enum.map(constant)), closed: true };
    const choice = each.oneOf ?? each.anyOf;
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

/** One of ours, which API and contract hold to. */
export const COUNTRY = t.closedTexts([...COUNTRIES]);

const ofKind = (
  schema: JsonSchema,
  kind: string,
  name: string,
  inner: (next: JsonSchema, name?: string) => t.Type,
): t.Type => {
  switch (kind) {
    case 'string':
      return schema.format === 'country' ? COUNTRY : t.TEXT;
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

/** What a reference leads to, within the schema itself: `#/$defs/Address`. */
const resolveReference = (root: object, reference: string): unknown => {
  if (!reference.startsWith('#/')) return undefined;
  const keys = reference.slice(2).split('/');
  return valueAt(root, ...keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')));
};

/** A schema in the place of its reference, with the parts of its `allOf`, of which a later one overrides an earlier. */
export const wholeSchema = (root: object, given: unknown, depth = 0): JsonSchema | undefined => {
  if (depth > DEPTH_MAX || !isMap(given)) return undefined;
  const schema: JsonSchema = given;
  if (typeof schema.$ref === 'string') return wholeSchema(root, resolveReference(root, schema.$ref), depth + 1);
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return schema;
  const parts = [...allOf.map((part) => wholeSchema(root, part, depth + 1) ?? {}), own];
  const properties = parts.some((part) => part.properties !== undefined)
    ? { properties: Object.assign({}, ...parts.map((part) => part.properties)) as JsonSchema['properties'] }
    : {};
  const required = parts.flatMap((part) => part.required ?? []);
  return Object.assign({}, ...parts, properties, { required }) as JsonSchema;
};
