import { priceAt, type PriceTable } from '../../../src/engine/rates/price-table.ts';
import { describe, expect, test } from 'vitest';
import { carrierWith, consignmentOf, priced, totalOf } from './tariffs.ts';

const PRICES = 'to,home,islands,eu\n1,4.00,14,9.00\n5,6.00,16,12.00\n+1,0.50,1,1.25\n';
const tariffOf = (keys: string, prices = '{ prices: prices.csv }', name = 'acme') =>
  `tariff: ${name}
currency: EUR
zones:
  home: { countries: [DE] }
  islands: { countries: [DE], postcodes: [25846..25849, '27498'] }
  eu: [ { countries: [FR] }, { countries: [ES], postcodes: ['35*'], from: { countries: [DE] } } ]
services:
  Express: ${prices}
${keys}`;
const PROFILE = 'tariff: acme\nservices: { Express: { typeOfService: EXPRESS }, Slow: { typeOfService: GROUND } }\n';
const carrierOf = (keys = '', files: Readonly<Record<string, string>> = {}, profile = PROFILE, prices?: string) =>
  carrierWith(profile, {
    'tariffs/acme.yaml': tariffOf(keys, prices),
    'tariffs/prices.csv': PRICES,
    ...files,
  });
const plain = carrierOf();

const box = (itemLength: number, itemWidth: number, itemHeight: number) => ({ itemLength, itemWidth, itemHeight });

const on = (day: string) => consignmentOf({ shippingDateTime: `${day} 00:00:00` });

const row = (weight: number, price: number | undefined) => ({ weight, limits: [], prices: [price] });

describe('the price of a service', () => {
  test('is not there where the cell of the first line that fits is empty', () => {
    const rows = [row(1, 4), row(5, undefined), row(20, 30)];
    const table = { columns: new Map([['home', 0]]), rows, above: undefined } as unknown as PriceTable;
    expect([1, 3, 6].map((weight) => priceAt(table, 'home', weight, []))).toEqual([4, undefined, 30]);
  });

  test.each([
    [0.2, 'DE', '80331', 4],
    [1, 'DE', '80331', 4],
    [1.01, 'DE', '80331', 6],
    [5, 'DE', '80331', 6],
    [5.1, 'DE', '80331', 6.5],
    [7, 'DE', '80331', 7],
    [7.1, 'DE', '80331', 7.5],
    [1, 'DE', '25847', 14],
    [1, 'DE', '25 848', 14],
    [1, 'DE', '27498', 14],
    [1, 'DE', '25850', 4],
    [1, 'FR', '75001', 9],
    [1, 'ES', '35001', 9],
    [8, 'FR', '75001', 15.75],
  ])('of %d kg to %s %s is %d', async (totalWeight, destinationCountry, destinationPostalCode, total) => {
    const consignment = consignmentOf({ totalWeight, destinationCountry, destinationPostalCode });
    expect(await priced(plain, consignment)).toEqual([{ service: 'Express', total, currency: 'EUR' }]);
  });

  test.each([
    ['weightStep: 5', {}, [{}], 6],
    ['weightUnit: LB', {}, [{}], 6],
    ['', { totalWeight: 2.2, uomTotalWeight: 'LB' }, [{}], 4],
    ['volumetric: 5000', {}, [{ itemLength: 40, itemWidth: 30, itemHeight: 25, itemDimensionUom: 'CM' }], 6.5],
    ['volumetric: 5000', {}, [{ itemLength: 10, itemWidth: 10, itemHeight: 10, itemDimensionUom: 'IN' }], 6],
    ['volumetric: 5000', {}, [{ itemVolume: 0.03, itemVolumeUom: 'CBM' }], 6.5],
    ['minimum: 5', {}, [{}], 5],
    ['per: package', {}, [{}, {}, { itemWeight: 2 }], 14],
    // Alike packages are one entry, of as many units as there are packages; else units are what is in a package.
    ['per: package', { numberOfShipments: 4 }, [{ itemQuantity: 3 }, { itemWeight: 2 }], 18],
    ['per: package', { numberOfShipments: 2 }, [{ itemQuantity: 3 }, { itemWeight: 2 }], 10],
    ['', {}, [{}, {}, { itemWeight: 2 }], 6],
    ['tax: 19', {}, [{}], 4.76],
    ['tax: { eu: 0, "*": 7 }', {}, [{}], 4.28],
    ['fuel: 12.5', {}, [{}], 4.5],
    ['fuel: [ { from: 2026-03-03, percent: 50 }, { from: 2026-03-01, percent: 25 } ]', {}, [{}], 5],
    [
      'fuel: [ { from: 2026-03-03, percent: 50 }, { from: 2026-03-01, percent: 25 } ]',
      { shippingDateTime: '2026-03-04 09:00:00' },
      [{}],
      6,
    ],
    ['fuel: [ { from: 2026-03-03, percent: 50 } ]', {}, [{}], 4],
  ] as const)('with %s, %o and %o is %d', async (keys, change, items, total) => {
    expect(await totalOf(carrierOf(keys), consignmentOf(change, items))).toBe(total);
  });

  test('has surcharges by condition, per package, as percent and as discount, some with fuel, and tax on all of it', async () => {
    const carrier = carrierOf(`fuel: 10
tax: 20
surcharges:
  - { code: HEAVY, title: Heavy, when: item.itemWeight > 1, amount: 2, per: package, fuel: true }
  - { code: COD, when: "consignment.paymentMode = 'COD'", amount: '$max([1, consignment.amountToBeCollected * 0.02])' }
  - { code: RES, percent: 10, zones: [home], services: [express] }
  - { code: FAR, amount: 5, zones: [eu] }
  - { code: SLOW, amount: 5, services: [Slow] }
  - { code: WEB, amount: -0.5 }
`);
    const consignment = consignmentOf({ paymentMode: 'COD', amountToBeCollected: 80 }, [
      { itemWeight: 1 },
      { itemWeight: 1.5 },
      { itemWeight: 1.5 },
    ]);
    // 6 + (4 + 1.6 + 0.6 - 0.5) + 10 % of (6 + 4), and 20 % of that
    expect(await priced(carrier, consignment)).toEqual([
      {
        service: 'Express',
        total: 15.24,
        tax: 2.54,
        currency: 'EUR',
        surcharges: [
          { code: 'HEAVY', name: 'Heavy', amount: 4 },
          { code: 'COD', amount: 1.6 },
          { code: 'RES', amount: 0.6 },
          { code: 'WEB', amount: -0.5 },
          { code: 'FUEL', name: 'Fuel', amount: 1 },
        ],
      },
    ]);
  });

  test('has percent of the price of each package that a surcharge is for', async () => {
    const surcharges = '  - { code: BULKY, when: item.itemWeight > 1, percent: 50, per: package }\n';
    const carrier = carrierOf(`per: package\nsurcharges:\n${surcharges}`);
    const consignment = consignmentOf({ numberOfShipments: 3 }, [{}, { itemWeight: 2, itemQuantity: 2 }]);
    expect(await priced(carrier, consignment)).toMatchObject([
      { total: 22, surcharges: [{ code: 'BULKY', amount: 6 }] },
    ]);
  });

  test('by size is that of the first row in which every package fits, and needs the size', async () => {
    const lines = ['to,longest,girth,home,islands,eu', '2,30,,3,3,3', '20,60,200,5,5,5', ',200,,9,9,9'];
    const prices = `\n    prices: |\n      ${lines.join('\n      ')}`;
    const each = carrierOf('per: package', {}, PROFILE, prices);
    for (const [total, ...items] of [
      [3, box(10, 30, 10)],
      [5, box(10, 31, 10)],
      [5, { ...box(10, 30, 10), itemWeight: 3 }],
      [9, box(60, 40, 31)],
      [9, { ...box(1, 1, 1), itemWeight: 500 }],
      [9, { ...box(10, 30, 10), itemDimensionUom: 'IN' as const }],
      [8, box(10, 30, 10), box(31, 10, 10)],
    ] as const)
      expect(await totalOf(each, consignmentOf({}, items))).toBe(total);
    expect(await priced(each, consignmentOf({}, [box(201, 1, 1)]))).toMatchObject({ code: 'tariff_no_price' });
    expect(await priced(each, consignmentOf({}, [box(1, 1, 1), { itemLength: 2 }]))).toMatchObject({
      code: 'tariff_no_size',
      fields: ['length', 'width', 'height'].map((side) => `consignmentDetails.packageDetails[1].${side}`),
    });
    const whole = carrierOf('', {}, PROFILE, prices);
    expect(await totalOf(whole, consignmentOf({}, [box(10, 30, 10), box(31, 10, 10)]))).toBe(5);
  });
});

test('a tariff holds on its days, one after another', async () => {
  const carrier = carrierWith(PROFILE.replace('acme', '[new, old]'), {
    'tariffs/old.yaml': tariffOf('to: 2026-03-31', undefined, 'old'),
    'tariffs/new.yaml': tariffOf('from: 2026-04-01\nto: 2026-04-30', '{ prices: new.csv }', 'new'),
    'tariffs/prices.csv': 'to;home;islands;eu\n5;4,00;1;1\n',
    'tariffs/new.csv': 'to\thome\tislands\teu\r\n5\t4,50\t1\t1\r\n',
  });
  expect(await totalOf(carrier, on('2026-03-31'))).toBe(4);
  expect(await totalOf(carrier, on('2026-04-01'))).toBe(4.5);
  expect(await priced(carrier, on('2026-05-01'))).toEqual({
    code: 'tariff_not_valid',
    messages: ['no prices are known for 2026-05-01, when it is shipped (old, new)'],
  });
});

describe('without a price it says why', () => {
  test.each([
    [
      'no zone',
      { destinationCountry: 'ES', destinationPostalCode: '28001' },
      'tariff_no_zone',
      'no zone of tariff acme is for DE 10115 to ES 28001',
      'shipTo.address.pincode',
    ],
    [
      'another origin',
      { originCountry: 'FR', originPostalCode: '1', destinationCountry: 'ES', destinationPostalCode: '35001' },
      'tariff_no_zone',
      'no zone of tariff acme is for FR 1 to ES 35001',
      'shipTo.address.pincode',
    ],
  ])('%s', async (_, change, code, message, field) => {
    expect(await priced(plain, consignmentOf(change))).toEqual({ code, messages: [message], fields: [field] });
  });

  test('a weight beyond the last bracket, in whole and in one package', async () => {
    const files = { 'tariffs/prices.csv': 'to,home,islands,eu\n1,4,4,9\n5,6,6,\n' };
    const far = { destinationCountry: 'FR', totalWeight: 1.5 };
    expect(await priced(carrierOf('', files), consignmentOf({ totalWeight: 5.5 }))).toEqual({
      code: 'tariff_no_price',
      messages: ['Express has no price for 5.5 KG, or for its size, in zone home'],
      fields: ['consignmentDetails.totalWeight'],
    });
    expect(await priced(carrierOf('per: package', files), consignmentOf(far, [{}, { itemWeight: 1.5 }]))).toEqual({
      code: 'tariff_no_price',
      messages: ['Express has no price for 1.5 KG, or for its size, in zone eu'],
      fields: ['consignmentDetails.packageDetails[1].weight'],
    });
  });

  test('a service that the tariff lacks, and a surcharge that is no number', async () => {
    expect(await priced(plain, consignmentOf(), 'Slow')).toMatchObject({
      code: 'tariff_no_service',
      messages: ['tariff acme has no service Slow'],
    });
    const carrier = carrierOf('surcharges: [ { code: X, amount: consignment.destinationCity } ]');
    expect(await priced(carrier, consignmentOf({ destinationCity: 'Munich' }))).toMatchObject({
      code: 'tariff_failed',
      messages: ['the amount of a surcharge is no number'],
    });
  });
});
