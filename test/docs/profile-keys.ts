import { stringify } from 'yaml';
import { defaultOf } from '../../src/engine/profile/language/field.ts';
import type { Shape } from '../../src/engine/profile/language/kinds.ts';
import { KINDS } from '../../src/engine/profile/language/kinds.ts';
import { definitions } from '../../src/engine/profile/language/profile.ts';
import { CARRIER_SHAPE, referenceOf } from '../../src/engine/profile/language/shape.ts';

/** One key as the reference shows it: all but its path and the example are Markdown. */
type KeyRow = readonly [path: string, kind: string, otherwise: string, meaning: string, example: string];

/** Maps with keys that were shown, by their properties, and under which path. */
export type Told = Map<object, string>;

/** What describes itself in a section of its own, by its name under `$defs`, and the section. */
const SECTIONS: Readonly<Record<string, string>> = {
  auth: '[auth](#authentication)',
  authKind: '[kind of auth](#authentication)',
  headers: 'map of text',
  field: '[field](fields.md)',
  limits: '[limits](#limits-and-retries)',
  retry: '[retry](#limits-and-retries)',
  outcomes: '[outcomes](#outcomes)',
  body: '[body](#bodies)',
  asked: '[operation](#prices-slots-pickups-manifests)',
  lookup: '[lookup](#unknown-outcomes-and-idempotency)',
  step: '[step](#steps)',
  undo: '[step](#steps) without id, forEach, batch, parallel, undo',
  login: '[step](#steps) without id, forEach, batch, parallel, undo',
};

const definitionOf = (name: string): Shape => {
  const found = definitions[name];
  if (found === undefined) throw new Error(`there is no definition ${name}`);
  return found;
};

/**
 * The rows of keys at the top of a profile, or of those of one definition, each with all that stands below it. What
 * `told` knows already is only named.
 */
export const keyRows = (names: readonly string[], definition: string | undefined, told: Told): readonly KeyRow[] => {
  const shape = definition === undefined ? CARRIER_SHAPE : definitionOf(definition);
  const map = shape.anyOf?.find((each) => each.properties !== undefined) ?? shape.items ?? shape;
  return [...rowsOf('', map, names.length === 0 ? Object.keys(map.properties ?? {}) : names, told)];
};

/** What an operation takes as the defaults of its steps, and is told with them; what it promises is its own. */
const STEP_KEYS: ReadonlySet<string> = new Set(
  ['steps', ...Object.keys(definitionOf('step').properties ?? {})].filter((key) => key !== 'idempotency'),
);

function* rowsOf(under: string, map: Shape, keys: readonly string[], told: Told): Generator<KeyRow> {
  for (const key of keys) {
    const shape = map.properties?.[key];
    if (shape === undefined) throw new Error(`there is no key ${key} below "${under}"`);
    const otherwise = map.required?.includes(key) === true ? '**needed**' : (defaultOf(shape) ?? '–');
    yield [under + key, kindOf(shape, told), otherwise, shape.description ?? '', exampleOf(shape)];
    yield* rowsBelow(under + key, shape, told);
  }
}

function* rowsBelow(path: string, shape: Shape, told: Told): Generator<KeyRow> {
  const { properties, additionalProperties: others = false, items, anyOf = [] } = shape;
  if (properties !== undefined) {
    if (told.has(properties)) return;
    told.set(properties, path);
    const isOperation = /^operations\.\w+(?:\.variants\[\])?$/.test(path);
    const isOwn = (key: string): boolean => !STEP_KEYS.has(key) || (key === 'when' && path.endsWith('[]'));
    const keys = Object.keys(properties).filter((key) => !isOperation || isOwn(key));
    yield* rowsOf(`${path}.`, shape, keys, told);
  }
  if (others !== false) yield* rowsBelow(`${path}.<name>`, others, told);
  if (items !== undefined) yield* rowsBelow(`${path}[]`, items, told);
  for (const each of anyOf) yield* rowsBelow(path, each, told);
}

const WORDS_SHOWN = 9;

const kindOf = (shape: Shape, told: Told): string => {
  const reference = referenceOf(shape);
  if (reference !== undefined) return SECTIONS[reference] ?? reference;
  const kind = shape['x-kind'];
  if (shape.enum !== undefined && shape.enum.length <= WORDS_SHOWN) {
    return shape.enum.map((word) => `\`${word}\``).join(', ');
  }
  if (kind === 'word') return shape.enum === undefined ? 'name' : 'one of the words below';
  if (kind === 'integer') return `number from ${shape.minimum} to ${shape.maximum}`;
  if (kind !== undefined) return KINDS[kind].listed;
  if (shape.anyOf !== undefined) return [...new Set(shape.anyOf.map((each) => kindOf(each, told)))].join(', or ');
  if (shape.items !== undefined) return `list of ${kindOf(shape.items, told)}`;
  const others = shape.additionalProperties;
  if (shape.properties === undefined && others !== undefined && others !== false)
    return `map of ${kindOf(others, told)}`;
  const known = told.get(shape.properties ?? shape);
  return known === undefined ? 'map' : `map, as \`${known}\``;
};

const exampleOf = (shape: Shape): string => {
  const [example] = shape.examples ?? [];
  return stringify(example, { collectionStyle: 'flow', lineWidth: 0, singleQuote: true, flowCollectionPadding: true })
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ');
};
