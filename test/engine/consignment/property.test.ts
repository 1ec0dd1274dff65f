import * as fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { Consignment } from '../../../src/engine/consignment/consignment.ts';
import { validator } from '../../../src/engine/validate.ts';
import {
  readCancel,
  carrierCodeOf,
  orderNumberOf,
  referenceNumberOf,
  readOrder,
} from '../../../src/engine/consignment/read.ts';
import { facilityCodesOf, withFacilities } from '../../../src/engine/consignment/facility.ts';
import { PROFILES } from '../../../src/engine/consignment/levels.ts';
import { mergeUpdate, readUpdate } from '../../../src/engine/consignment/update.ts';
import { breachesOf } from '../../../src/engine/consignment/rules.ts';
import type { Order } from '../../../src/engine/consignment/order.ts';
import { translate } from '../../../src/engine/consignment/translate.ts';
import { optionalsOf, wholeOrder } from './fields.ts';
import { brokenBy, carrierWith, changed, fullOrder, leastOrder, peekAt, placesOf, put } from './orders.ts';

const RUNS = { numRuns: 300 };
const context = {
  operation: 'create',
  carrierCode: 'acme',
  service: { typeOfService: 'EXPRESS' },
  labelFormat: 'PDF',
} as const;

// Names that mean something to JavaScript, to the translation, or to nobody.
const anyKey = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'length', 'info', 'contact.name', 'id', '0'),
  fc.constantFrom('specialInstructions', 'consignmentDetails', 'itemList', 'shipper', 'timezone', 'colour'),
  fc.string({ minLength: 1, maxLength: 12 }),
);
const leaf = fc.oneof(fc.string({ maxLength: 12 }), fc.integer(), fc.boolean(), fc.constant(null));
// Made by JSON.parse, as requests are: a key `__proto__` is then an own property.
const tree = fc.letrec((again) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(again('node'), { maxLength: 4 }),
    fc
      .array(fc.tuple(anyKey, again('node')), { maxLength: 4 })
      .map(
        (entries) =>
          JSON.parse(
            `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`,
          ) as unknown,
      ),
  ),
})).node;

const wordy = fc.stringMatching(/^[A-Za-z]{1,12}$/);
/** Valid values for optional fields, any of which may be there. */
const optionals = fc.record(
  {
    'consignmentDetails.businessUnit': wordy,
    'consignmentDetails.specialInstructions': wordy,
    'consignmentDetails.totalVolume': fc.integer({ min: 1, max: 1e9 }),
    'consignmentDetails.totalVolumeUom': fc.constantFrom('MM3', 'CM3', 'CBM', 'CFT', 'BUSHEL'),
    'consignmentDetails.labelFormat': fc.constantFrom('PDF', 'ZPL'),
    'consignmentDetails.routingTags': fc.array(wordy, { maxLength: 3 }),
    'consignmentDetails.paymentTobeCollected': fc.constant({ paymentMode: 'COD', amount: 12.5, currency: 'EUR' }),
    'consignmentDetails.packageDetails[0].tags': fc.array(wordy, { maxLength: 3 }),
    'consignmentDetails.packageDetails[0].trackingDetails': fc.array(
      fc.record({ trackingNumber: wordy, barcode: wordy }),
    ),
    'consignmentDetails.packageDetails[0].additionalInformation': fc.dictionary(wordy, wordy),
    'consignmentDetails.skuDetails': fc.array(
      fc.record(
        {
          code: wordy,
          name: wordy,
          unitPrice: fc.integer({ min: 1 }),
          vip: fc.boolean(),
          packageIds: fc.constant(['P1']),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 3 },
    ),
    'consignmentDetails.vas': fc.array(
      fc.record({ vasCode: wordy, targetIds: fc.constant(['P1']), remark: wordy }, { requiredKeys: [] }),
      { maxLength: 3 },
    ),
    'shipFrom.timezone': fc.constantFrom('Asia/Kolkata', 'Europe/Berlin'),
    'shipFrom.pickupStartDateTime': fc.constant('2026-05-01 09:00:00'),
    'shipTo.address.city': wordy,
    'shipTo.address.latitude': fc.integer({ min: -90, max: 90 }),
    'shipTo.address.type': fc.constantFrom('FACILITY', 'Residential'),
    'returnTo.address.line1': wordy,
  },
  { requiredKeys: [] },
);
const PLACES = [
  [],
  ['carrier'],
  ['consignmentDetails'],
  ['consignmentDetails', 'packageDetails', '0'],
  ['shipFrom'],
  ['shipFrom', 'contact'],
  ['shipTo', 'address'],
] as const;

/** A valid order with fields of the shipper's own in it, at any place. */
const anyOrder: fc.Arbitrary<Order> = fc
  .tuple(optionals, fc.array(fc.tuple(fc.constantFrom(...PLACES), anyKey, tree), { maxLength: 6 }))
  .map(([fields, extras]) => {
    const order = changed(leastOrder(), fields);
    for (const [place, key, value] of extras) {
      const at = place.reduce<Record<string, unknown>>(
        (node, step) => node[step] as Record<string, unknown>,
        order as unknown as Record<string, unknown>,
      );
      if (!Object.hasOwn(at, key) && !KNOWN.has(key))
        Object.defineProperty(at, key, { value, enumerable: true, configurable: true, writable: true });
    }
    // As a request comes: a key `__proto__` is an own property of a plain object.
    return JSON.parse(JSON.stringify(order)) as Order;
  });
const KNOWN = new Set(['id', 'timezone', 'consignmentDetails', 'specialInstructions']);

type Leaf = string | number | boolean | null;
const leavesOf = (value: unknown): Leaf[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value as Leaf];
const objectsIn = (value: unknown): object[] =>
  typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
const ALSO = new Map<Leaf, string>([
  ['FACILITY', 'BUSINESS'],
  ['Residential', 'RESIDENTIAL'],
]);

const check = validator(Consignment, 'the consignment');
const prototypes = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Map.prototype];
const before = prototypes.map((prototype) => Reflect.ownKeys(prototype));
afterEach(() => {
  expect(prototypes.map((prototype) => Reflect.ownKeys(prototype))).toEqual(before);
});

describe('whatever a shipper sends', () => {
  test('nothing of an order is lost, and no object made of it has another prototype', () => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        expect(readOrder(order, 'OP')).toMatchObject({ ok: true });
        const consignment = translate(order, context);
        expect(check(consignment)).toMatchObject({ ok: true });
        const found = new Set(leavesOf(consignment).map(String));
        for (const value of leavesOf(order)) expect(found).toContain(ALSO.get(value) ?? String(value));
        for (const each of objectsIn(consignment))
          expect([Object.prototype, Array.prototype]).toContain(Object.getPrototypeOf(each));
      }),
      RUNS,
    );
  });

  test('no request makes reading throw', () => {
    fc.assert(
      fc.property(tree, fc.constantFrom(...PROFILES), (body, profile) => {
        readOrder(body, profile);
        readUpdate(body, profile, leastOrder());
        readCancel(body);
        facilityCodesOf(body);
        withFacilities(body, { origin: { address: { line1: 'x' } }, return: { contact: { name: 'x' } } });
        referenceNumberOf(body);
        orderNumberOf(body);
        carrierCodeOf(body);
      }),
      RUNS,
    );
  });

  test('no part of an order that is replaced by something else makes anything throw', () => {
    const changes = fc.array(fc.tuple(fc.constantFrom(...placesOf(wholeOrder('FB', 'REF'))), tree), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(changes, fc.constantFrom(...PROFILES), (broken, profile) => {
        const body = brokenBy(wholeOrder(profile, 'REF'), broken);
        const read = readOrder(body, profile);
        if (read.ok) {
          breachesOf(read.value, carrierWith());
          translate(read.value, context);
        } else for (const { message } of read.issues) expect(message.length).toBeLessThan(2_000);
        const update = readUpdate(body, profile, fullOrder());
        if (update.ok) mergeUpdate(fullOrder(), update.value, { labelExists: true });
      }),
      RUNS,
    );
  });

  test.each(PROFILES)('an order of profile %s is right whatever it leaves out that it may', (profile) => {
    fc.assert(
      fc.property(fc.subarray([...optionalsOf(profile)]), (left) => {
        const order = wholeOrder(profile, 'REF');
        for (const path of left) if (peekAt(order, path) !== undefined) put(order, path, undefined);
        const read = readOrder(order, profile);
        expect(read).toMatchObject({ ok: true });
        if (!read.ok) return;
        breachesOf(read.value, carrierWith());
        translate(read.value, context);
      }),
      RUNS,
    );
  });

  test('an update that repeats the order changes nothing', () => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        const update = readUpdate(order, 'OP', order);
        // Flat names such as shipTo.city are aliases there, no fields of the shipper's own.
        if (!update.ok) return;
        const merged = mergeUpdate(order, update.value, { labelExists: true });
        expect(merged).toEqual({ ok: true, order });
      }),
      RUNS,
    );
  });
});
