import { describe, expect, test } from 'vitest';
import { PROFILES, profileOf } from '../../../src/engine/consignment/levels.ts';
import { createSchema, updateSchema } from '../../../src/engine/consignment/order.ts';
import { readOrder } from '../../../src/engine/consignment/read.ts';
import { FIELDS } from '../../platform/api/fields.ts';
import { changed, fullOrder, leastOrder } from './orders.ts';

/** What holds the fields of the specification's tables; the tables say the rest. */
const CONTAINERS: Readonly<Record<string, string>> = {
  MMMM: `consignmentDetails carrier shipFrom shipTo consignmentDetails.packageDetails shipFrom.contact shipFrom.address
    shipTo.contact shipTo.address`,
  '---M': 'routeDetails',
  OOOO: 'returnTo',
  '----': 'shipTo.contact.companyName',
};

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly 'x-level'?: string;
}
/** The level of a field in a derived schema, and whether it is required there. */
const levelAt = (schema: Node, path: string): { level: string; required: boolean } => {
  const keys = path.replaceAll('[0]', '').split('.');
  let parent: Node = {};
  let node: Node = schema;
  for (const key of keys) {
    parent = node.items ?? node;
    node = parent.properties![key]!;
  }
  return { level: node['x-level'] ?? '-', required: parent.required!.includes(keys.at(-1)!) };
};

const rows = [
  ...FIELDS.map(([field, levels]) => [field, levels] as const),
  ...Object.entries(CONTAINERS).flatMap(([levels, fields]) =>
    fields.split(/\s+/).map((field) => [field, levels] as const),
  ),
];

const missing = (profile: (typeof PROFILES)[number]): string[] => {
  const read = readOrder(leastOrder(), profile);
  return read.ok ? [] : read.issues.map(({ path }) => path);
};

describe('the create request', () => {
  test.each(rows)('has %s with the levels %s', (field, levels) => {
    for (const [at, profile] of PROFILES.entries()) {
      const level = levels[at]!;
      expect(levelAt(createSchema(profile), field), profile).toEqual({ level, required: level === 'M' });
    }
  });

  test.each(PROFILES)('of %s is met by an order that has all', (profile) => {
    expect(readOrder(fullOrder(), profile)).toEqual({ ok: true, value: fullOrder() });
  });

  test('of a parcel is met by the least order, of the others not', () => {
    expect(missing('OP')).toEqual([]);
    expect(missing('FP')).toEqual([]);
    const bulky = [
      'consignmentDetails.totalVolume',
      'consignmentDetails.totalVolumeUom',
      'consignmentDetails.specialInstructions',
      'consignmentDetails.packageDetails[0].description',
      'consignmentDetails.packageDetails[0].volume',
      'consignmentDetails.packageDetails[0].volumeUom',
      'shipFrom.pickupStartDateTime',
      'shipFrom.pickupEndDateTime',
      'shipTo.deliveryStartDateTime',
      'shipTo.deliveryEndDateTime',
    ];
    expect(missing('OB').toSorted()).toEqual(bulky.toSorted());
    expect(missing('FB').toSorted()).toEqual([...bulky, 'routeDetails'].toSorted());
  });

  test('asks for what is mandatory to say something', () => {
    const read = readOrder(changed(fullOrder(), { 'consignmentDetails.specialInstructions': ' ' }), 'OB');
    expect(read).toMatchObject({
      issues: [{ message: 'consignmentDetails.specialInstructions must not be blank' }],
    });
    expect(readOrder(changed(leastOrder(), { 'consignmentDetails.specialInstructions': '' }), 'OP').ok).toBe(true);
  });
});

describe('the update request', () => {
  test.each(PROFILES)('of %s requires the reference only, but whole objects', (profile) => {
    const schema = updateSchema(profile) as Node;
    expect(schema.required).toEqual(['consignmentDetails']);
    expect(schema.properties!['consignmentDetails']!.required).toEqual(['referenceNumber']);
    expect(schema.properties!['shipTo']).toEqual((createSchema(profile) as Node).properties!['shipTo']);
  });
});

test('the profile of a carrier follows from its fleet and what it can carry', () => {
  expect(profileOf({ fleet: 'outsourced', bulky: false })).toBe('OP');
  expect(profileOf({ fleet: 'outsourced', bulky: true })).toBe('OB');
  expect(profileOf({ fleet: 'own', bulky: false })).toBe('FP');
  expect(profileOf({ fleet: 'own', bulky: true })).toBe('FB');
});
