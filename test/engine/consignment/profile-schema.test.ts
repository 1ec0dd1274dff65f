import { describe, expect, test } from 'vitest';
import { PROFILES, profileOf } from '../../../src/engine/consignment/levels.ts';
import { createSchema, updateSchema } from '../../../src/engine/consignment/order.ts';
import { readOrder } from '../../../src/engine/consignment/read.ts';
import { changed, fullOrder, leastOrder } from './orders.ts';

/** Levels in OP, OB, FP, FB, written from the specification: levels → fields. */
const LEVELS: Readonly<Record<string, string>> = {
  MMMM: `consignmentDetails carrier carrier.code shipFrom shipTo
    consignmentDetails.referenceNumber consignmentDetails.orderNumber consignmentDetails.consignmentNumber
    consignmentDetails.consignmentType consignmentDetails.serviceType consignmentDetails.shipByDate
    consignmentDetails.totalWeight consignmentDetails.totalWeightUom consignmentDetails.totalQuantity
    consignmentDetails.packageDetails packageDetails.id packageDetails.type packageDetails.weight
    packageDetails.weightUom packageDetails.quantity
    shipFrom.contact shipFrom.contact.name shipFrom.contact.contactNumber shipFrom.address shipFrom.address.line1
    shipFrom.address.city shipFrom.address.pincode shipFrom.address.country
    shipTo.contact shipTo.contact.name shipTo.contact.contactNumber shipTo.address shipTo.address.line1
    shipTo.address.pincode shipTo.address.county shipTo.address.country`,
  RMRM: `consignmentDetails.totalVolume consignmentDetails.totalVolumeUom consignmentDetails.specialInstructions
    packageDetails.description shipFrom.pickupStartDateTime shipFrom.pickupEndDateTime shipTo.deliveryStartDateTime
    shipTo.deliveryEndDateTime`,
  MMRM: 'packageDetails.length packageDetails.width packageDetails.height packageDetails.dimensionUom',
  '-MRM': 'packageDetails.volume packageDetails.volumeUom',
  OROR: 'packageDetails.tags packageDetails.instructions',
  'OO--': 'consignmentDetails.labelFormat packageDetails.trackingDetails',
  '---M': 'routeDetails routeDetails.skills',
  '---R': 'routeDetails.serviceAreaCode routeDetails.vehicleType',
  '---O': 'routeDetails.priority',
  RRRR: `consignmentDetails.businessUnit consignmentDetails.deliveryInstructions packageDetails.value
    shipFrom.originFacilityCode shipFrom.contact.email shipFrom.contact.companyName shipFrom.timezone
    shipTo.address.city shipTo.destinationFacilityCode shipTo.contact.email shipTo.address.type shipTo.timezone
    vas.vasCode vas.level vas.targetIds vas.serviceTime returnTo.returnFacilityCode returnTo.contact.name
    returnTo.contact.contactNumber returnTo.address.line1 returnTo.address.city returnTo.address.pincode
    returnTo.address.country`,
  '-RRR': `skuDetails.code skuDetails.name skuDetails.quantity skuDetails.unitPrice skuDetails.value
    skuDetails.packageIds`,
  '-OOO': `skuDetails.lineItemNo skuDetails.category skuDetails.hsnName skuDetails.originCountry skuDetails.weight
    skuDetails.weightUom skuDetails.length skuDetails.width skuDetails.height skuDetails.dimensionUom skuDetails.volume
    skuDetails.volumeUom skuDetails.description skuDetails.imageUrl skuDetails.uom skuDetails.deliveryServiceTime
    skuDetails.pickupServiceTime skuDetails.fragile skuDetails.stackable skuDetails.hazmat skuDetails.heavyWeight
    skuDetails.vip`,
  OOOO: `consignmentDetails.paymentTobeCollected packageDetails.additionalInformation vas.remark returnTo
    shipFrom.address.latitude shipFrom.address.longitude shipFrom.address.type shipTo.address.latitude
    shipTo.address.longitude shipTo.address.poBoxNumber returnTo.contact.email returnTo.contact.companyName
    returnTo.address.state returnTo.address.type returnTo.address.latitude
    returnTo.address.longitude`,
  '----': `consignmentDetails.consignmentGroupId consignmentDetails.routingPriority
    consignmentDetails.totalPalletQuantity consignmentDetails.routingTags consignmentDetails.routingType
    consignmentDetails.slotToken consignmentDetails.additionalInformation consignmentDetails.stackable
    consignmentDetails.fragile consignmentDetails.vip consignmentDetails.hazmat consignmentDetails.heavyWeight
    consignmentDetails.scannable packageDetails.packageStatus shipFrom.contact.secondaryContactNumber
    shipFrom.address.code shipFrom.address.line2 shipFrom.address.line3 shipFrom.address.landmark
    shipFrom.address.state shipFrom.address.county shipFrom.address.poBoxNumber shipTo.contact.companyName`,
};

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly 'x-level'?: string;
}
const LISTS = ['packageDetails', 'skuDetails', 'vas'];
/** The level of a field in a derived schema, and whether it is required there. */
const levelAt = (schema: Node, path: string): { level: string; required: boolean } => {
  const keys = path.split('.');
  if (LISTS.includes(keys[0]!)) keys.unshift('consignmentDetails');
  let parent: Node = {};
  let node: Node = schema;
  for (const key of keys) {
    parent = node.items ?? node;
    node = parent.properties![key]!;
  }
  return { level: node['x-level'] ?? '-', required: parent.required!.includes(keys.at(-1)!) };
};

const rows = Object.entries(LEVELS).flatMap(([levels, fields]) =>
  fields.split(/\s+/).map((field): [field: string, levels: string] => [field, levels]),
);

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
