import { stringify } from 'yaml';
import { defaultOf } from '../../src/engine/profile/language/field.ts';
import type { Shape } from '../../src/engine/profile/language/kinds.ts';
import { KINDS } from '../../src/engine/profile/language/kinds.ts';
import { definitions } from '../../src/engine/profile/language/profile.ts';
import { CARRIER_SHAPE, referenceOf } from '../../src/engine/profile/language/shape.ts';

/** One key of the profile language as the reference shows it; all but `path` and `example` in Markdown. */
export interface KeyRow {
  /** `capabilities.orders`, `services.<name>.code`, `outcomes[].do`. */
  readonly path: string;
  readonly kind: string;
  readonly otherwise: string;
  readonly meaning: string;
  readonly example: string;
}

/** What describes itself in a section of its own, by its name under `$defs`, and the section. */
const SECTIONS: Readonly<Record<string, string>> = {
  auth: '[auth](#authentication)',
  authKind: '[kind of auth](#authentication)',
  headers: 'map of text',
  limits: '[limits](#limits-and-retries)',
  retry: '[retry](#limits-and-retries)',
  outcomes: '[outcomes](#outcomes)',
  body: '[body](#bodies)',
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
 * `told` knows already, by its schema’s properties → path, is only named.
 */
export const keyRows = (names: readonly string[], definition: string | undefined, told: Told): readonly KeyRow[] => {
  const shape = definition === undefined ? CARRIER_SHAPE : definitionOf(definition);
  const whole = shape.anyOf?.find((each) => each.properties !== undefined) ?? shape.items ?? shape;
  const properties = whole.properties ?? {};
  const chosen = names.length === 0 ? Object.keys(properties) : names;
  return chosen.flatMap((name) => {
    const inner = properties[name];
    if (inner === undefined) throw new Error(`there is no key ${name} in ${definition ?? 'a profile'}`);
    return rowsOf({ path: name, shape: inner, needed: whole.required?.includes(name) === true }, told);
  });
};

/** Maps with keys that were shown, and under which path. */
export type Told = Map<object, string>;

interface Keyed {
  readonly path: string;
  readonly shape: Shape;
  readonly needed: boolean;
}

/** What an operation takes as the defaults of its steps, and is told with them; what it promises is its own. */
const STEP_KEYS: ReadonlySet<string> = new Set(
  ['steps', ...Object.keys(definitionOf('step').properties ?? {})].filter((key) => key !== 'idempotency'),
);

const rowsOf = ({ path, shape, needed }: Keyed, told: Told): readonly KeyRow[] => {
  const own = {
    path,
    kind: kindOf(shape, told),
    otherwise: needed ? '**needed**' : (defaultOf(shape) ?? '–'),
    meaning: shape.description ?? '',
    example: exampleOf(shape),
  };
  return shape.$ref === undefined ? [own, ...rowsBelow(path, shape, told)] : [own];
};

const rowsBelow = (path: string, shape: Shape, told: Told): readonly KeyRow[] => {
  if (shape.properties !== undefined) {
    if (told.has(shape.properties)) return [];
    told.set(shape.properties, path);
  }
  const isOperation = /^operations\.\w+$/.test(path);
  const keys = Object.entries(shape.properties ?? {})
    .filter(([key]) => !isOperation || !STEP_KEYS.has(key))
    .flatMap(([key, inner]) => {
      const needed = shape.required?.includes(key) === true;
      return rowsOf({ path: `${path}.${key}`, shape: inner, needed }, told);
    });
  const others = shape.additionalProperties;
  const open = others === undefined || others === false ? [] : rowsInside(`${path}.<name>`, others, told);
  const items = shape.items === undefined ? [] : rowsInside(`${path}[]`, shape.items, told);
  const alternatives = (shape.anyOf ?? []).flatMap((each) => rowsBelow(path, each, told));
  return [...keys, ...open, ...items, ...alternatives];
};

/** Of what has no key of its own, only what stands below it. */
const rowsInside = (path: string, shape: Shape, told: Told): readonly KeyRow[] =>
  shape.$ref === undefined ? rowsBelow(path, shape, told) : [];

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
