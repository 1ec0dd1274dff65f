/** Every field of the specification's tables, for the four profiles: its level, and whatever may be wrong there. */
import { describe, expect, it, test } from 'vitest';
import { clearable, type Profile, PROFILES, profileOf } from '../../../src/engine/consignment/levels.ts';
import { createSchema, updateSchema } from '../../../src/engine/consignment/order.ts';
import { readOrder } from '../../../src/engine/consignment/read.ts';
import { FIELDS, wholeOrder } from './fields.ts';
import { changed, fullOrder, leastOrder, messagesOf, put } from './orders.ts';

/** What holds the fields of the tables; the tables say the rest. */
const CONTAINERS: Readonly<Record<string, string>> = {
  MMMM: `consignmentDetails carrier shipFrom shipTo consignmentDetails.packageDetails shipFrom.contact shipFrom.address
    shipTo.contact shipTo.address`,
  '---M': 'routeDetails',
  OOOO: 'returnTo',
  '----': 'shipTo.contact.companyName',
};
const rows = [
  ...FIELDS.map(([field, levels]) => [field, levels] as const),
  ...Object.entries(CONTAINERS).flatMap(([levels, fields]) =>
    fields.split(/\s+/).map((field) => [field, levels] as const),
  ),
];

interface Node {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly 'x-level'?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
}
/** A field in the schema of a profile, and whether it is required there. */
const fieldAt = (path: string, profile: Profile): { readonly field: Node; readonly required: boolean } => {
  let parent: Node = {};
  let field: Node = createSchema(profile);
  const keys = path.replaceAll(/\[\d+\]/g, '').split('.');
  for (const key of keys) {
    parent = field.items ?? field;
    field = parent.properties![key]!;
  }
  return { field: path.endsWith(']') ? field.items! : field, required: parent.required!.includes(keys.at(-1)!) };
};

describe('the create request', () => {
  test.each(rows)('has %s with the levels %s', (path, levels) => {
    for (const [at, profile] of PROFILES.entries()) {
      const { field, required } = fieldAt(path, profile);
      const level = levels[at]!;
      expect([field['x-level'] ?? '-', required], profile).toEqual([level, level === 'M']);
    }
  });

  test.each(PROFILES)('of %s is met by an order that has all', (profile) => {
    expect(readOrder(fullOrder(), profile)).toEqual({ ok: true, value: fullOrder() });
    expect(readOrder(wholeOrder(profile, 'R'), profile)).toMatchObject({ ok: true });
  });

  const BULKY = `consignmentDetails.packageDetails[0].description consignmentDetails.packageDetails[0].volume
    consignmentDetails.packageDetails[0].volumeUom consignmentDetails.specialInstructions
    consignmentDetails.totalVolume consignmentDetails.totalVolumeUom shipFrom.pickupEndDateTime
    shipFrom.pickupStartDateTime shipTo.deliveryEndDateTime shipTo.deliveryStartDateTime`.split(/\s+/);
  test.each<[Profile, readonly string[]]>([
    ['OP', []],
    ['FP', []],
    ['OB', BULKY],
    ['FB', ['routeDetails', ...BULKY]],
  ])('of %s asks for %j beyond the least order of a parcel', (profile, lacking) => {
    expect(messagesOf(readOrder(leastOrder(), profile)).toSorted()).toEqual(
      lacking.map((path) => `${path} is required`).toSorted(),
    );
  });

  test('asks for what is mandatory to say something', () => {
    const path = 'consignmentDetails.specialInstructions';
    const read = readOrder(changed(fullOrder(), { [path]: ' ' }), 'OB');
    expect(messagesOf(read)).toEqual([`${path} must not be blank`]);
    expect(readOrder(changed(leastOrder(), { [path]: '' }), 'OP').ok).toBe(true);
  });
});

const deep = (levels: number): unknown => (levels === 0 ? 'x' : [deep(levels - 1)]);
const OTHER_TYPE: Readonly<Record<string, unknown>> = {
  string: 5,
  number: '2',
  integer: '2',
  boolean: 'yes',
  array: {},
  object: [],
};
const WRONG_FORMAT: Readonly<Record<string, readonly unknown[]>> = {
  date: ['2026-02-30', '2026-13-01', '01.05.2026'],
  'local-date-time': ['2026-02-30 10:00:00', '2026-05-01T10:00:00', '2026-05-01 25:00:00'],
  'time-zone': ['Mars/Olympus', 'GMT+25', ' '],
  country: ['XX', 'Germany', 'de'],
  'http-url': ['javascript:1', 'no url'],
};

/** What must be refused at such a field. */
const badFor = (field: Node): readonly unknown[] => {
  const { type = 'string', format, maxLength, maxItems } = field;
  const isMandatory = field['x-level'] === 'M';
  const isFreeText = type === 'string' && field.enum === undefined;
  const bad: readonly (readonly [boolean, ...unknown[]])[] = [
    [true, null, OTHER_TYPE[type], deep(30)],
    [type === 'number' || type === 'integer', '12', 'NaN', Number.POSITIVE_INFINITY],
    [type === 'integer', 1.5],
    [field.enum !== undefined, 'NOPE', ''],
    [format !== undefined, '', ...(WRONG_FORMAT[format ?? ''] ?? [])],
    [maxLength !== undefined, 'x'.repeat((maxLength ?? 0) + 1)],
    [maxItems !== undefined, Array.from({ length: (maxItems ?? 0) + 1 }, () => 'x')],
    [isMandatory, undefined],
    [isMandatory && type === 'string', ' '],
    [isFreeText, 'a\u0000b', 'a\uD83Db'],
  ];
  return bad.flatMap(([applies, ...values]) => (applies ? values : []));
};

describe.each(PROFILES)('an order of profile %s', (profile) => {
  it.each(FIELDS)('names %s for whatever is wrong there', (path, _levels, _right, wrong) => {
    for (const value of [wrong, ...badFor(fieldAt(path, profile).field)]) {
      const order = wholeOrder(profile, 'R');
      put(order, path, value);
      const read = readOrder(order, profile);
      const named = read.ok ? [] : read.issues.filter((issue) => issue.path.startsWith(path));
      expect(named.length, `${String(value).slice(0, 50)}: ${JSON.stringify(read).slice(0, 500)}`).toBeGreaterThan(0);
    }
  });
});

test.each(PROFILES)('the update request of %s requires the reference only, but whole objects', (profile) => {
  const schema = updateSchema(profile) as Node;
  expect(schema.required).toEqual(['consignmentDetails']);
  expect(schema.properties!['consignmentDetails']!.required).toEqual(['referenceNumber']);
  expect(schema.properties!['shipTo']).toEqual(clearable(createSchema(profile).properties!['shipTo']!));
});

test('the profile of a carrier follows from its fleet and what it can carry', () => {
  expect(profileOf({ fleet: 'outsourced', bulky: false })).toBe('OP');
  expect(profileOf({ fleet: 'outsourced', bulky: true })).toBe('OB');
  expect(profileOf({ fleet: 'own', bulky: false })).toBe('FP');
  expect(profileOf({ fleet: 'own', bulky: true })).toBe('FB');
});
