import { describe, expect, test } from 'vitest';
import type { Capabilities, ServiceRow } from '../../../src/engine/profile/carrier.ts';
import { breachesOf, unknownCarrier } from '../../../src/engine/consignment/rules.ts';
import { chooseLabelFormat, findService, serviceNames } from '../../../src/engine/consignment/service.ts';
import { carrierWith, changed, fullOrder, leastOrder } from './orders.ts';
import { startCost } from '../../support/cost.ts';

const D = 'consignmentDetails.';
const messages = (changes: Readonly<Record<string, unknown>>, carrier = carrierWith()): string[] =>
  breachesOf(changed(fullOrder(), changes), carrier).map(({ message }) => message);
const twoPackages = (first = 1, second = 1) => {
  const [entry] = fullOrder().consignmentDetails.packageDetails;
  return {
    [`${D}totalQuantity`]: 2,
    [`${D}packageDetails`]: [
      { ...entry, quantity: first },
      { ...entry, id: 'P2', quantity: second },
    ],
  };
};

const sku = (...skus: object[]) => ({ [`${D}skuDetails`]: skus });
const vas = (...entries: object[]) => ({ [`${D}vas`]: entries });

test('an order without faults breaks no rule', () => {
  expect(messages({})).toEqual([]);
  expect(breachesOf(leastOrder(), carrierWith())).toEqual([]);
});

test('an order is told all it breaks at once', () => {
  const breaches = breachesOf(
    changed(fullOrder(), {
      [`${D}serviceType`]: 'Teleport',
      [`${D}totalWeight`]: 0,
      [`${D}paymentTobeCollected`]: { paymentMode: 'COD' },
      'returnTo.contact.name': 'Eve Example',
    }),
    carrierWith(),
  );
  expect(breaches.map(({ path, code }) => [path, code])).toEqual([
    [`${D}serviceType`, 'service_known'],
    [`${D}totalWeight`, 'positive'],
    [`${D}paymentTobeCollected.amount`, 'cod_complete'],
    [`${D}paymentTobeCollected.currency`, 'cod_complete'],
    ['returnTo.address.line1', 'return_address'],
  ]);
});

test('a carrier that is not known is named', () => {
  expect(unknownCarrier('nobody').message).toBe(
    'carrier.code "nobody" is neither a carrier nor a policy of this platform',
  );
});

describe('the service', () => {
  const glove: ServiceRow = { name: 'White Glove', typeOfService: 'STANDARD', code: 'WG', orders: ['FORWARD'] };
  const express: ServiceRow = { name: 'Express', typeOfService: 'EXPRESS', code: 'E', orders: undefined };
  const [bare, table, fleet] = [carrierWith(), carrierWith({}, [glove, express]), carrierWith({ fleet: 'own' })];

  test.each([
    ['is one of the contract where the carrier names none', bare, ' express ', { typeOfService: 'EXPRESS' }],
    ['is one of the contract where the carrier names none', bare, 'Ground', { typeOfService: 'GROUND' }],
    ['is one of the contract where the carrier names none', bare, 'STANDARD', { typeOfService: 'STANDARD' }],
    ['is one of the contract where the carrier names none', bare, 'economy', { typeOfService: 'ECONOMY' }],
    ['is none that the contract has not', bare, 'White Glove', undefined],
    ['is one of the carrier, in any case', table, 'white glove', glove],
    ['is only one of the carrier', table, 'Economy', undefined],
    [
      'of an own fleet may be a skill the route asks for',
      fleet,
      'Two-Man',
      { typeOfService: 'STANDARD', code: 'two-man' },
    ],
    ['of an own fleet may be one of the contract', fleet, 'Express', { typeOfService: 'EXPRESS' }],
    ['of an own fleet is no other skill', fleet, 'Crane', undefined],
    ['of others is no skill', bare, 'Two-Man', undefined],
  ])('%s', (_, carrier, serviceType, row) => {
    const changes = { [`${D}serviceType`]: serviceType };
    const found = findService(carrier, changed(fullOrder(), changes));
    if (row === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(row);
    const names = serviceNames(carrier).join(', ');
    expect(messages(changes, carrier)).toEqual(
      row === undefined
        ? [`${D}serviceType "${serviceType}" is not a service of carrier acme, which has ${names}`]
        : [],
    );
  });

  test('is listed by name', () => {
    expect(serviceNames(bare)).toEqual(['GROUND', 'EXPRESS', 'STANDARD', 'ECONOMY']);
    expect(serviceNames(table)).toEqual(['White Glove', 'Express']);
  });

  test('may be for one kind of order only', () => {
    const changes = { [`${D}serviceType`]: 'White Glove', [`${D}consignmentType`]: 'REVERSE' };
    expect(messages(changes, table)).toEqual([`${D}serviceType "White Glove" is not offered for REVERSE orders`]);
  });
});

test.each([
  ['the one asked for', 'ZPL', ['PDF', 'ZPL'], 'ZPL'],
  ['PDF where none is', undefined, ['ZPL', 'PDF'], 'PDF'],
  ['else the carrier’s best', 'ZPL', ['PNG', 'PDF'], 'PNG'],
  ['else the carrier’s best', undefined, ['ZPL'], 'ZPL'],
] as const)('the format of a label is %s', (_, labelFormat, formats, chosen) => {
  expect(chooseLabelFormat(labelFormat === undefined ? {} : { labelFormat }, formats)).toBe(chosen);
});

describe('what the carrier cannot do', () => {
  test.each<[Partial<Capabilities>, Record<string, unknown>, string]>([
    [
      { orders: ['FORWARD'] },
      { [`${D}consignmentType`]: 'REVERSE' },
      `${D}consignmentType REVERSE is not offered by carrier acme`,
    ],
    [{ maxPackages: 1 }, twoPackages(), `${D}packageDetails must not have more than 1 entries for carrier acme`],
    [
      { cod: false },
      { [`${D}paymentTobeCollected`]: { paymentMode: 'COD', amount: 5, currency: 'EUR' } },
      `${D}paymentTobeCollected.paymentMode COD is not offered by carrier acme`,
    ],
    [
      { vas: ['INSTALLATION'] },
      { [`${D}vas`]: [{ vasCode: 'INSTALLATION' }, { vasCode: 'HAUL_AWAY_OLD' }] },
      `${D}vas[1].vasCode "HAUL_AWAY_OLD" is not offered by carrier acme`,
    ],
    [{ from: ['AT'] }, {}, 'shipFrom.address.country DE is not a country that carrier acme ships from'],
    [{ to: ['DE'] }, {}, 'shipTo.address.country IN is not a country that carrier acme delivers to'],
  ])('%j refuses it', (capabilities, changes, message) => {
    expect(messages(changes)).toEqual([]);
    expect(messages(changes, carrierWith(capabilities))).toEqual([message]);
  });
});

describe('numbers', () => {
  test.each([
    [`${D}totalWeight`, -1, 'must be greater than 0'],
    [`${D}totalQuantity`, 0, 'must be greater than 0'],
    [`${D}totalVolume`, -1, 'must not be negative'],
    [`${D}packageDetails[0].weight`, 0, 'must be greater than 0'],
    [`${D}packageDetails[0].quantity`, 0, 'must be greater than 0'],
    [`${D}packageDetails[0].length`, -1, 'must not be negative'],
    [`${D}packageDetails[0].value`, -0.01, 'must not be negative'],
    ['shipFrom.address.latitude', 90.1, 'must be between -90 and 90'],
    ['shipTo.address.longitude', -180.5, 'must be between -180 and 180'],
  ])('%s as %d %s', (path, value, says) => {
    expect(messages({ [path]: value })).toEqual([`${path} ${says}`]);
  });
});

const of = (quantity: number | undefined, ...packageIds: string[]) => ({ ...(quantity && { quantity }), packageIds });

describe('packages and SKUs', () => {
  test('have ids of their own', () => {
    const [entry] = fullOrder().consignmentDetails.packageDetails;
    expect(messages({ [`${D}totalQuantity`]: 2, [`${D}packageDetails[1]`]: entry })).toEqual([
      `${D}packageDetails[1].id is the same as that of packageDetails[0]; package ids must be unique`,
    ]);
    expect(messages(sku({ lineItemNo: '1' }, { lineItemNo: '2' }, { lineItemNo: '1' }))).toEqual([
      `${D}skuDetails[2].lineItemNo is the same as that of skuDetails[0]; line numbers must be unique`,
    ]);
  });

  test('refer to packages there are, and must where there are several', () => {
    expect(messages(sku({ packageIds: ['P1', 'P7'] }))).toEqual([
      `${D}skuDetails[0].packageIds[1] "P7" is not the id of a package`,
    ]);
    expect(messages({ ...twoPackages(), ...sku({ code: 'A' }) })).toEqual([
      `${D}skuDetails[0].packageIds is required where there is more than one package`,
    ]);
  });

  test.each([
    ['one SKU in one package', [2, 1], [of(2, 'P1')], 0],
    ['one SKU in two packages', [2, 1], [of(3, 'P1', 'P2')], 0],
    ['two SKUs that share a package', [3, 1], [of(2, 'P1'), of(1, 'P1')], 0],
    ['two SKUs that each count the units', [2, 1], [of(2, 'P1'), of(2, 'P1')], 0],
    ['three SKUs in a chain of packages', [2, 2], [of(1, 'P1'), of(2, 'P1', 'P2'), of(1, 'P2')], 0],
    ['a SKU without a quantity', [2, 1], [of(undefined, 'P1')], 0],
    ['too many', [2, 1], [of(5, 'P1')], 1],
    ['too few', [2, 1], [of(1, 'P1')], 1],
    ['too many together', [2, 1], [of(2, 'P1'), of(3, 'P1')], 1],
  ])('agree in quantity: %s', (_, [first, second], skus, faults) => {
    expect(messages({ ...twoPackages(first, second), ...sku(...skus) })).toHaveLength(faults);
  });

  test('say by how much they do not', () => {
    expect(messages({ ...twoPackages(2, 1), ...sku({ quantity: 5, packageIds: ['P1'] }) })).toEqual([
      `${D}skuDetails[0].quantity is 5, but must equal the units of its packages, which is 2`,
    ]);
  });

  test('are checked in a moment, however many there are', () => {
    const [entry] = fullOrder().consignmentDetails.packageDetails;
    const packages = Array.from({ length: 500 }, (_, at) => ({ ...entry, id: `P${at}` }));
    const skus = Array.from({ length: 1_000 }, (_, at) => ({
      quantity: 9,
      lineItemNo: String(at),
      packageIds: Array.from({ length: 20 }, (_, index) => `P${(at + index) % 500}`),
    }));
    const targetIds = Array.from({ length: 1_000 }, (_, at) => `X${at}`);
    const order = changed(fullOrder(), {
      [`${D}packageDetails`]: packages,
      ...sku(...skus),
      [`${D}vas`]: Array.from({ length: 10 }, () => ({ level: 'SKU', targetIds })),
    });
    const cost = startCost();
    expect(breachesOf(order, carrierWith())).toHaveLength(100);
    expect(cost()).toBeLessThan(1_000);
  });
});

describe('value-added services', () => {
  test('of level SKU name their targets', () => {
    expect(messages(vas({ level: 'SKU' }, { level: 'SKU', targetIds: [] }, { level: 'CONSIGNMENT' }))).toEqual([
      `${D}vas[0].targetIds is required when level is SKU`,
      `${D}vas[1].targetIds is required when level is SKU`,
    ]);
  });

  test('name packages or line numbers that there are', () => {
    const skus = { [`${D}skuDetails`]: [{ lineItemNo: '10' }] };
    expect(messages({ ...skus, ...vas({ level: 'SKU', targetIds: ['10', 'P1', '11'] }) })).toEqual([
      `${D}vas[0].targetIds[2] "11" is neither the line number of a SKU nor the id of a package`,
    ]);
  });
});

describe('payment on delivery', () => {
  const path = `${D}paymentTobeCollected`;

  test.each([
    [{ paymentMode: 'COD', amount: 10, currency: 'INR' }, []],
    [{ paymentMode: 'PREPAID' }, []],
    [{ paymentMode: 'COD', currency: 'INR' }, [`${path}.amount is required for COD`]],
    [{ paymentMode: 'COD', amount: 0, currency: 'INR' }, [`${path}.amount must be greater than 0 for COD`]],
    [{ paymentMode: 'COD', amount: 10 }, [`${path}.currency is required for COD`]],
    [
      { paymentMode: 'COD', amount: 10, currency: 'RUP' },
      [`${path}.currency must be a currency code of ISO 4217, such as EUR`],
    ],
    [{ paymentMode: 'PREPAID', amount: -1 }, [`${path}.amount must not be negative`]],
  ])('%j', (payment, expected) => {
    expect(messages({ [path]: payment })).toEqual(expected);
  });
});

describe('the way back', () => {
  test.each([
    [{ returnFacilityCode: 'FAC-1' }, 0],
    [{ address: { line1: '1 Example Lane' } }, 0],
    [{}, 1],
    [{ returnFacilityCode: ' ', address: { city: 'Bonn' } }, 1],
  ])('%j', (returnTo, faults) => {
    expect(messages({ returnTo })).toHaveLength(faults);
  });
});
