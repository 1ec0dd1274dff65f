import { type TSchema, Type } from 'typebox';
import type { ErrorRule } from '../rules.ts';

/**
 * What a position of a profile takes. `text` may hold `${ }`, `plain` text may not; `expr` is bare JSONata; `mapping` a `.jsonata` file
 * name, bare JSONata or a tree; `value` a tree whose texts may hold `${ }`; `data` a tree without; `literal` a scalar
 * whose type another key says; `lifetime` a duration, or an expr in seconds; `httpStatus` `404` or `4xx`.
 */
export type Kind =
  | 'text'
  | 'plain'
  | 'word'
  | 'expr'
  | 'mapping'
  | 'value'
  | 'data'
  | 'literal'
  | 'duration'
  | 'lifetime'
  | 'rate'
  | 'size'
  | 'httpStatus'
  | 'integer'
  | 'flag';

/** Keys of which a map has one at most, or exactly one; a profile's own choice replaces that of its base. */
export interface OneOf {
  readonly keys: readonly string[];
  readonly needed: boolean;
}

/** A description ends in `; <default> unless said.` where there is a default. */
interface Said {
  readonly description: string;
  readonly examples: readonly unknown[];
}
const said = (description: string, example: unknown): Said => ({ description, examples: [example] });
const scalar = (kind: Kind, type: unknown, options: object): TSchema =>
  Type.Unsafe<unknown>({ 'x-kind': kind, ...(type === undefined ? {} : { type }), ...options });

/** Takes the characters as written, whatever YAML would make of them. */
const AS_WRITTEN = ['string', 'number', 'boolean'];

export const text = (description: string, example: unknown, options: object = {}): TSchema =>
  scalar('text', AS_WRITTEN, { ...said(description, example), ...options });
/** Text without `${ }`: it is the same for every consignment and account. */
export const plain = (description: string, example: unknown): TSchema =>
  scalar('plain', AS_WRITTEN, said(description, example));
/** One of a few words; `rule` names the finding for another one. */
export const word = (words: readonly string[], description: string, example: string, rule?: ErrorRule): TSchema =>
  scalar('word', undefined, {
    enum: [...words],
    ...said(description, example),
    ...(rule === undefined ? {} : { 'x-rule': rule }),
  });
/** Text that names something, without `${ }`; `pattern` is a regular expression, `must` says it in words. */
export const name = (description: string, example: string, pattern: string, must: string): TSchema =>
  scalar('word', 'string', { pattern, 'x-must': must, ...said(description, example) });
export const expr = (description: string, example: string): TSchema =>
  scalar('expr', AS_WRITTEN, said(description, example));
export const mapping = (description: string, example: unknown): TSchema =>
  scalar('mapping', undefined, said(description, example));
export const value = (description: string, example: unknown): TSchema =>
  scalar('value', undefined, said(description, example));
export const data = (description: string, example: unknown): TSchema =>
  scalar('data', undefined, said(description, example));
export const literal = (description: string, example: unknown): TSchema =>
  scalar('literal', AS_WRITTEN, said(description, example));
export const duration = (description: string, example: string): TSchema =>
  scalar('duration', 'string', { pattern: '^[0-9]+(ms|s|m|h|d)$', ...said(description, example) });
export const lifetime = (description: string, example: string): TSchema =>
  scalar('lifetime', AS_WRITTEN, said(description, example));
export const rate = (description: string, example: string): TSchema =>
  scalar('rate', 'string', { pattern: '^([0-9]+/(s|m|h|d)|none)$', ...said(description, example) });
export const size = (description: string, example: string): TSchema =>
  scalar('size', 'string', { pattern: '^[0-9]+(KB|MB)$', ...said(description, example) });
export const httpStatus = (description: string, example: string | number): TSchema =>
  scalar('httpStatus', ['string', 'integer'], { pattern: '^[1-5](xx|[0-9][0-9])$', ...said(description, example) });
export const integer = (description: string, example: number, minimum: number, maximum?: number): TSchema =>
  scalar('integer', 'integer', {
    minimum,
    ...(maximum === undefined ? {} : { maximum }),
    ...said(description, example),
  });
export const flag = (description: string, example: boolean): TSchema =>
  scalar('flag', 'boolean', said(description, example));

export const list = (of: TSchema, description: string, example: readonly unknown[], options: object = {}): TSchema =>
  Type.Array(of, { ...said(description, example), ...options });

/** A map with keys of the author's choosing. */
export const mapOf = (of: TSchema, description: string, example: unknown, options: object = {}): TSchema =>
  Type.Unsafe<unknown>({ type: 'object', additionalProperties: of, ...said(description, example), ...options });

export interface GroupOptions {
  readonly required?: readonly string[];
  readonly oneOf?: readonly OneOf[];
  /** What further keys hold; without it they are errors. */
  readonly others?: TSchema;
  readonly propertyNames?: object;
}

/** A map with fixed keys. */
export const group = (
  keys: Readonly<Record<string, TSchema>>,
  description: string,
  example: unknown,
  options: GroupOptions = {},
): TSchema =>
  Type.Unsafe<unknown>({
    type: 'object',
    properties: { ...keys },
    ...(options.required === undefined ? {} : { required: [...options.required] }),
    additionalProperties: options.others ?? false,
    ...(options.oneOf === undefined ? {} : { 'x-one-of': options.oneOf }),
    ...(options.propertyNames === undefined ? {} : { propertyNames: options.propertyNames }),
    ...said(description, example),
  });

/** Alternatives that differ in being a scalar, a list or a map: the form written decides. */
export const either = (alternatives: readonly TSchema[], description: string, example: unknown): TSchema =>
  Type.Unsafe<unknown>({ anyOf: [...alternatives], ...said(description, example) });

/** A schema under `$defs`, by its name. */
export const ref = (to: string, description: string, example: unknown): TSchema =>
  Type.Unsafe<unknown>({ $ref: `#/$defs/${to}`, ...said(description, example) });

/** A schema of `$defs` where it is used, as it describes itself. */
export const shared = (to: string, schema: TSchema): TSchema => {
  const { description, examples } = schema as { readonly description?: string; readonly examples?: readonly unknown[] };
  return ref(to, description ?? to, examples?.[0]);
};

/** Names that expressions use after a point. */
export const NAME = '^[A-Za-z_][A-Za-z0-9_]*$';
export const NAMES = { pattern: NAME };
