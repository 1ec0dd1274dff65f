import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { definitions } from '../../../src/engine/profile/language/profile.ts';
import { carrierJsonSchema, alternativesOf, CARRIER_SHAPE } from '../../../src/engine/profile/language/shape.ts';
import type { Shape } from '../../../src/engine/profile/language/kinds.ts';
import { checked } from './profiles.ts';

const written = JSON.parse(
  readFileSync(new URL('../../../schemas/carrier.schema.json', import.meta.url), 'utf8'),
) as unknown;

test('the JSON Schema in schemas/ is the one the definition yields', () => {
  expect(written, 'run npm run schemas').toEqual(JSON.parse(JSON.stringify(carrierJsonSchema())));
});

/** Every key of the language, with its schema. */
const keysOf = (shape: Shape, path: string, seen = new Set<Shape>()): readonly (readonly [string, Shape])[] => {
  if (seen.has(shape)) return [];
  seen.add(shape);
  const own = Object.entries(shape.properties ?? {}).map(([key, inner]) => [`${path}.${key}`, inner] as const);
  const inner = [
    ...own.flatMap(([at, each]) => keysOf(each, at, seen)),
    ...(shape.items === undefined ? [] : keysOf(shape.items, `${path}[]`, seen)),
    ...(shape.additionalProperties === undefined || shape.additionalProperties === false
      ? []
      : keysOf(shape.additionalProperties, `${path}.*`, seen)),
    ...(shape.anyOf ?? []).flatMap((each, at) => keysOf(each, `${path}|${at}`, seen)),
  ];
  return [...own, ...inner];
};
const keys = [
  ...keysOf(CARRIER_SHAPE, ''),
  ...Object.entries(definitions).flatMap(([name, shape]) => keysOf(shape, name)),
];

test('every key has a description and an example', () => {
  expect(keys.length).toBeGreaterThan(150);
  const bare = keys.filter(([, shape]) => shape.description === undefined || shape.examples?.length !== 1);
  expect(bare.map(([path]) => path)).toEqual([]);
});

test('every key at the top passes its own check with its example', () => {
  for (const [key, shape] of Object.entries(CARRIER_SHAPE.properties ?? {})) {
    const example = shape.examples?.[0];
    const others = { carrier: 'acme', environments: { production: { url: 'https://acme.example' } } };
    expect(checked(stringify({ ...others, [key]: example })), key).toEqual([]);
  }
});

test('the alternatives of a schema differ in the form they take', () => {
  for (const [path, shape] of keys) {
    const forms = alternativesOf(shape).map((each) => (each['x-kind'] === undefined ? each.type : 'scalar'));
    expect(new Set(forms).size, path).toBe(forms.length);
  }
});

const ajv = new Ajv2020({ strict: false });
const validate = ajv.compile(carrierJsonSchema());
const carriers = new URL('../../../carriers/', import.meta.url);
test.each(readdirSync(carriers).filter((name) => name.endsWith('.yaml')))(
  'an editor finds nothing wrong with %s',
  (name) => {
    expect(validate(parse(readFileSync(new URL(name, carriers), 'utf8'))), JSON.stringify(validate.errors)).toBe(true);
  },
);

test.each([
  ['an unknown key', { heders: {} }],
  ['a wrong type', { memo: 'orderId' }],
  ['an unknown word', { outcomes: [{ do: 'rejct' }] }],
  ['a duration without its unit', { limits: { timeout: '30' } }],
])('an editor sees %s', (_name, wrong) => {
  expect(validate({ carrier: 'acme', ...wrong })).toBe(false);
});

test('an editor takes null wherever a key may be taken back', () => {
  expect(
    validate({ carrier: 'acme', auth: null, headers: null, operations: { cancel: null, create: { auth: null } } }),
  ).toBe(true);
});
