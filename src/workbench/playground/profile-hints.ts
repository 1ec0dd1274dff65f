/** What may be written at a place of a profile or a case, and what stands there means: by the language's own definition. */
import { Consignment } from '../../engine/consignment/consignment.ts';
import { defaultOf } from '../../engine/profile/language/field.ts';
import { KINDS, type Shape } from '../../engine/profile/language/kinds.ts';
import { alternativeFor, alternativesOf, CARRIER_SHAPE, shapeOfKey } from '../../engine/profile/language/shape.ts';
import type { ValuePath } from '../../engine/value.ts';
import { Case } from '../cases/schema.ts';
import { type YamlCursor, yamlCursor } from './yaml-cursor.ts';

export interface Completion {
  readonly label: string;
  readonly kind: 'key' | 'word' | 'file' | 'field' | 'function' | 'variable';
  readonly detail?: string | undefined;
  /** What it means. */
  readonly info?: string | undefined;
}

export interface Completions {
  /** Where the word begins that is completed. */
  readonly from: number;
  readonly options: readonly Completion[];
}

export interface Meaning {
  readonly from: number;
  readonly to: number;
  readonly title: string;
  readonly text: string;
}

/** undefined: files of that name have none. */
const shapeOfFile = (path: string): Shape | undefined => {
  if (path.startsWith('carriers/')) return CARRIER_SHAPE;
  if (!path.endsWith('.yaml')) return undefined;
  return (path.startsWith('fixtures/_consignments/') ? Consignment : Case) as unknown as Shape;
};

const shapeAt = (root: Shape, path: ValuePath): Shape | undefined => {
  let shape: Shape | undefined = root;
  for (const part of path) {
    const forms: readonly Shape[] = shape === undefined ? [] : alternativesOf(shape);
    shape =
      typeof part === 'number'
        ? forms.find(({ items }) => items !== undefined)?.items
        : forms
            .map((form) => shapeOfKey(form.type === 'object' ? form : undefined, part))
            .find((one) => one !== undefined);
  }
  return shape;
};

const kindName = (shape: Shape): string =>
  alternativesOf(shape)
    .map(({ 'x-kind': kind, type, enum: words }) => {
      if (words !== undefined) return 'word';
      if (kind !== undefined) return KINDS[kind].listed.replaceAll('`', '');
      return type === 'object' ? 'map' : type === 'array' ? 'list' : String(type);
    })
    .join(' or ');

const infoOf = (shape: Shape): string => {
  const otherwise = defaultOf(shape);
  const example: unknown = shape.examples?.[0];
  return [
    shape.description ?? '',
    ...(otherwise === undefined ? [] : [`Default: ${otherwise}.`]),
    ...(example === undefined ? [] : [`Example: ${JSON.stringify(example)}`]),
  ].join('\n');
};

const wordsOf = (shape: Shape): readonly string[] =>
  alternativesOf(shape).flatMap(({ enum: words, 'x-kind': kind, type }) =>
    words !== undefined ? words : kind === 'flag' || type === 'boolean' ? ['true', 'false'] : [],
  );

/** `mappings`: names of mapping files. `expression`: the place is in one. */
export const completeYaml = (
  path: string,
  text: string,
  offset: number,
  mappings: readonly string[],
): Completions | 'expression' | undefined => {
  const root = shapeOfFile(path);
  if (root === undefined) return undefined;
  const { path: at, isKey, from, word } = yamlCursor(text, offset);
  const shape = shapeAt(root, at);
  const kinds = shape === undefined ? [] : alternativesOf(shape).map(({ 'x-kind': kind }) => kind);
  const isMapping = kinds.includes('mapping');
  const isBare = kinds.includes('expr') || (isMapping && /[\s.$({[]/.test(word));
  if (/\$\{[^}]*$/.test(word) || (isBare && !isKey)) return 'expression';
  if (shape === undefined) return undefined;
  const keys = isKey ? keysOf(shape) : [];
  const words = wordsOf(shape).map((label): Completion => ({ label, kind: 'word' }));
  const files = isMapping && !isKey ? mappings.map((label): Completion => ({ label, kind: 'file' })) : [];
  return { from, options: [...keys, ...words, ...files] };
};

const keysOf = (shape: Shape): readonly Completion[] => {
  const map = alternativeFor(shape, 'map');
  const named = map?.propertyNames?.enum?.map((label): Completion => ({ label, kind: 'key' })) ?? [];
  const own = Object.entries(map?.properties ?? {}).map(([label, inner]): Completion => ({
    label,
    kind: 'key',
    detail: kindName(inner),
    info: infoOf(inner),
  }));
  return [...own, ...named];
};

/** Of the key or word at a place. */
export const explainYaml = (path: string, text: string, offset: number): Meaning | undefined => {
  const root = shapeOfFile(path);
  const [before = ''] = /[\w.$-]*$/.exec(text.slice(0, offset)) ?? [];
  const [after = ''] = /^[\w.$-]*/.exec(text.slice(offset)) ?? [];
  const name = before + after;
  if (root === undefined || name === '') return undefined;
  const [from, to] = [offset - before.length, offset + after.length];
  const cursor: YamlCursor = yamlCursor(text, to);
  const isKey = cursor.isKey && /^["']?\s*:(?:\s|$)/.test(text.slice(to));
  const shape = shapeAt(root, isKey ? [...cursor.path, name] : cursor.path);
  if (shape === undefined || (!isKey && !wordsOf(shape).includes(name))) return undefined;
  const title = isKey ? `${[...cursor.path, name].join('.')}: ${kindName(shape)}` : cursor.path.join('.');
  return { from, to, title, text: infoOf(shape) };
};
