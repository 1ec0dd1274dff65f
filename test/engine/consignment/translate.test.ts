import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  Consignment,
  ConsignmentItem,
  ConsignmentSku,
  ConsignmentVas,
} from '../../../src/engine/consignment/consignment.ts';
import { validator } from '../../../src/engine/validate.ts';
import { Order } from '../../../src/engine/consignment/order.ts';
import { translate, type TranslationContext } from '../../../src/engine/consignment/translate.ts';
import { TRANSLATION } from '../../../src/engine/consignment/translation.ts';
import { INFORMATION as INFORMATION_WAYS } from '../../../src/engine/consignment/additional.ts';
import { INFORMATION } from './fields.ts';
import { changed, fullOrder, leastOrder, peekAt, put } from './orders.ts';

const context: TranslationContext = {
  operation: 'create',
  carrierCode: 'acme',
  service: { typeOfService: 'EXPRESS' },
  labelFormat: 'PDF',
};
const check = validator(Consignment, 'the consignment');

const D = 'consignmentDetails.';
const P = 'consignmentDetails.packageDetails[0].';
const S = 'consignmentDetails.skuDetails[0].';
const V = 'consignmentDetails.vas[0].';
const INFO = 'info';

/** Written from the specification, not from the table of the code: path, value, where it goes, as what. */
type Field = readonly [path: string, value: unknown, to: string, as?: unknown];
const partyFields = (party: string, end: string): Field[] => [
  [`${party}.contact.name`, 'Cleo Example', `${end}Name`],
  [`${party}.contact.name`, 'Cleo Example', `${end}ContactPerson`],
  [`${party}.contact.contactNumber`, '+49 1', `${end}ContactNumber`],
  [`${party}.contact.secondaryContactNumber`, '+49 2', `${end}ContactNumber2`],
  [`${party}.contact.email`, 'cleo@example.com', `${end}Email`],
  [`${party}.contact.companyName`, 'Example Works', `${end}CompanyName`],
  [`${party}.address.line1`, '9 Example Street', `${end}AddressLine1`],
  [`${party}.address.line2`, 'Hall 2', `${end}AddressLine2`],
  [`${party}.address.line3`, 'Gate 3', `${end}AddressLine3`],
  [`${party}.address.landmark`, 'Water tower', `${end}Landmark`],
  [`${party}.address.city`, 'Bonn', `${end}City`],
  [`${party}.address.state`, 'NW', `${end}StateProvince`],
  [`${party}.address.county`, 'Beuel', `${end}County`],
  [`${party}.address.pincode`, '53111', `${end}PostalCode`],
  [`${party}.address.country`, 'AT', `${end}Country`],
  [`${party}.address.poBoxNumber`, '12', `${end}PoBoxNumber`],
  [`${party}.address.latitude`, -19.05, `${end}Latitude`, '-19.05'],
  [`${party}.address.longitude`, 0.0000001, `${end}Longitude`, '0.0000001'],
  [`${party}.address.type`, 'FACILITY', `${end}Type`, 'BUSINESS'],
  [`${party}.address.type`, 'Residential', `${end}Type`, 'RESIDENTIAL'],
  [`${party}.${end}FacilityCode`, 'FAC-1', `${end}Code`],
  [`${party}.timezone`, 'Europe/Berlin', `${end}Timezone`],
];
/** Fields without a place of their own in the contract. */
const onlyInInfo = (parent: string, names: string, value: unknown): Field[] =>
  names.split(' ').map((name) => [`${parent}${name}`, value, INFO]);

const FIELDS: readonly Field[] = [
  [`${D}referenceNumber`, 'R-9', 'referenceId'],
  [`${D}orderNumber`, 'O-9', 'orderNumber'],
  [`${D}consignmentNumber`, 'C-9', 'consignmentNumber'],
  [`${D}consignmentType`, 'REVERSE', 'typeOfOrder'],
  [`${D}serviceType`, 'White Glove', INFO],
  [`${D}shipByDate`, '2026-04-30', INFO],
  [`${D}totalWeight`, 7.25, 'totalWeight'],
  [`${D}totalWeightUom`, 'LB', 'uomTotalWeight'],
  [`${D}totalQuantity`, 9, 'numberOfShipments'],
  [`${D}totalVolume`, 1.5, 'totalVolume'],
  [`${D}totalVolumeUom`, 'CBM', 'totalVolumeUom'],
  [`${D}specialInstructions`, 'Ring twice', 'info.specialInstructions'],
  [`${D}deliveryInstructions`, 'Back door', 'deliveryInstructions'],
  [`${D}paymentTobeCollected.paymentMode`, 'COD', 'paymentMode'],
  [`${D}paymentTobeCollected.amount`, 99.95, 'amountToBeCollected'],
  [`${D}paymentTobeCollected.currency`, 'INR', 'currencyCode'],
  [`${D}labelFormat`, 'PDF', 'labelFormat'],
  [`${D}labelFormat`, 'ZPL', INFO],
  [`${D}routingTags`, ['north'], INFO],
  [`${D}slotToken`, 'slot-1', 'slotToken'],
  [`${D}additionalInformation.exchangeOrderNumber`, 'X-1', 'exchangeOrderNumber'],
  ...onlyInInfo(D, 'businessUnit consignmentGroupId routingType', 'Example'),
  ...onlyInInfo(D, 'routingPriority totalPalletQuantity', 3),
  [`${D}additionalInformation.declaredValue`, 120, 'invoiceValue'],
  ...onlyInInfo(D, 'stackable fragile vip hazmat heavyWeight scannable', true),

  [`${P}id`, 'P9', 'itemList[0].itemReferenceNumber'],
  [`${P}type`, 'Crate', INFO],
  [`${P}length`, 31, 'itemList[0].itemLength'],
  [`${P}width`, 21, 'itemList[0].itemWidth'],
  [`${P}height`, 11, 'itemList[0].itemHeight'],
  [`${P}dimensionUom`, 'IN', 'itemList[0].itemDimensionUom'],
  [`${P}weight`, 3.75, 'itemList[0].itemWeight'],
  [`${P}weightUom`, 'LB', 'itemList[0].itemWeightUom'],
  [`${P}quantity`, 4, 'itemList[0].itemQuantity'],
  [`${P}description`, 'Chair', 'itemList[0].itemName'],
  [`${P}value`, 120.5, 'itemList[0].itemValue'],
  [`${P}volume`, 7000, 'itemList[0].itemVolume'],
  [`${P}volumeUom`, 'CM3', 'itemList[0].itemVolumeUom'],
  [`${P}tags`, ['Fragile', 'Up'], 'itemList[0].tags'],
  [`${P}instructions`, 'Keep dry', 'itemList[0].instructions'],
  [`${P}trackingDetails[0].trackingNumber`, 'T-1', 'itemList[0].itemTrackingNumber'],
  [`${P}trackingDetails[0].barcode`, '0123456789', INFO],
  [`${P}trackingDetails[0].labelUrl`, 'https://example.com/label.pdf', INFO],
  [`${P}trackingDetails[1]`, { trackingNumber: 'T-2' }, INFO],
  [`${P}additionalInformation.batch`, 'B7', INFO],
  [`${P}packageStatus`, 'AVAILABLE', 'itemList[0].itemStatus'],

  [`${S}code`, 'SKU-1', 'skuList[0].skuCode'],
  [`${S}code`, 'SKU-1', 'skuList[0].skuNumber'],
  [`${S}name`, 'Lamp', 'skuList[0].skuItemName'],
  [`${S}quantity`, 6, 'skuList[0].skuQuantity'],
  [`${S}unitPrice`, 12.5, 'skuList[0].skuItemUnitPrice', '12.5'],
  [`${S}value`, 25, INFO],
  [`${S}packageIds`, ['P1'], 'skuList[0].itemReferenceNumber', 'P1'],
  [`${S}lineItemNo`, '10', 'skuList[0].skuLineItemNo'],
  [`${S}category`, 'Lighting', 'skuList[0].skuCategory'],
  [`${S}hsnName`, '9405', 'skuList[0].skuHsnCode'],
  [`${S}originCountry`, 'CN', 'skuList[0].skuOriginCountry'],
  [`${S}weight`, 1.25, 'skuList[0].skuWeight'],
  [`${S}weightUom`, 'KG', 'skuList[0].skuWeightUom'],
  [`${S}length`, 12, 'skuList[0].skuLength'],
  [`${S}width`, 13, 'skuList[0].skuWidth'],
  [`${S}height`, 14, 'skuList[0].skuHeight'],
  [`${S}dimensionUom`, 'CM', 'skuList[0].skuDimensionUom'],
  [`${S}volume`, 2184, 'skuList[0].skuVolume'],
  [`${S}volumeUom`, 'CM3', 'skuList[0].skuVolumeUom'],
  [`${S}description`, 'A lamp', 'skuList[0].skuItemDescription'],
  [`${S}imageUrl`, 'https://example.com/lamp.png', 'skuList[0].skuImageUrl'],
  [`${S}uom`, 'EACH', 'skuList[0].skuUom'],
  [`${S}deliveryServiceTime`, 15, 'skuList[0].skuDeliveryServiceTime'],
  [`${S}pickupServiceTime`, 5, 'skuList[0].skuPickupServiceTime'],
  ...onlyInInfo(S, 'fragile stackable hazmat heavyWeight vip', false),

  [`${V}vasCode`, 'INSTALLATION', 'vas[0].vasCode'],
  [`${V}level`, 'CONSIGNMENT', 'vas[0].level'],
  [`${V}targetIds`, ['P1'], 'vas[0].targetIds'],
  [`${V}serviceTime`, 30, 'vas[0].serviceTime'],
  [`${V}remark`, 'Second floor', 'vas[0].remark'],

  ['carrier.code', 'acme', 'carrierCode'],

  ...partyFields('shipFrom', 'origin'),
  ['shipFrom.address.code', 'WH-1', 'originShipFromCode'],
  ['shipFrom.pickupStartDateTime', '2026-05-01 08:00:00', 'originPreferredStartTime'],
  ['shipFrom.pickupStartDateTime', '2026-05-01 08:00:00', 'shippingDateTime'],
  ['shipFrom.pickupEndDateTime', '2026-05-01 10:00:00', 'originPreferredEndTime'],

  ...partyFields('shipTo', 'destination'),
  ['shipTo.address.code', 'ST-1', 'destinationShipToCode'],
  ['shipTo.deliveryStartDateTime', '2026-05-04 08:00:00', 'destinationPreferredStartTime'],
  ['shipTo.deliveryEndDateTime', '2026-05-04 10:00:00', 'destinationPreferredEndTime'],

  ...onlyInInfo('returnTo.', 'returnFacilityCode contact.name address.line1', 'Example'),
  ['returnTo.address.latitude', 1.5, INFO],
  ...onlyInInfo('routeDetails.', 'serviceAreaCode vehicleType', 'Example'),
  ['routeDetails.skills', ['two-man'], INFO],
  ['routeDetails.priority', 5, INFO],
  ['shipTo.gateCode', '4711', INFO],
  ['consignmentDetails.packageDetails[0].colour', 'red', INFO],
  ['carrier.contract', 'K-1', INFO],
  ['ownField', { deep: [1, { down: null }] }, INFO],
];

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
}
const leavesOf = (node: Node, path = ''): string[] => {
  if (node.items?.properties !== undefined) return leavesOf(node.items, `${path}[]`);
  if (node.properties === undefined) return [path];
  return Object.entries(node.properties).flatMap(([key, field]) =>
    leavesOf(field, path === '' ? key : `${path}.${key}`),
  );
};

describe('the translation of an order', () => {
  for (const [path, value, to, as = value] of FIELDS) {
    test(`brings ${path} (${JSON.stringify(value)}) to ${to}`, () => {
      const order = changed(path.startsWith(D) ? fullOrder() : leastOrder(), { [path]: value });
      const consignment = translate(order, context);
      if (to === INFO) expect(peekAt(consignment, `info.${path}`)).toEqual(value);
      else {
        expect(peekAt(consignment, to)).toEqual(as);
        if (to !== 'shippingDateTime') expect(peekAt(consignment, `info.${path}`)).toBeUndefined();
      }
      expect(check(consignment)).toMatchObject({ ok: true });
    });
  }

  const beyond = TRANSLATION.flatMap(({ from, to }) =>
    from.includes('additionalInformation') && to.startsWith('info') ? [[from, to] as const] : [],
  );
  test.each(beyond)('brings %s to %s, and leaves it under its own path', (from, to) => {
    const rows = INFORMATION.filter(([path]) => path.replace(/\[0\]/, '[]').startsWith(from));
    const order = fullOrder();
    for (const [path, , right] of rows) put(order, path, right);
    const consignment = translate(order, context);
    const path = from.replace('[]', '[0]');
    expect(peekAt(order, path)).toBeDefined();
    expect(peekAt(consignment, to.replace('[]', '[0]'))).toEqual(peekAt(order, path));
    expect(peekAt(consignment, `info.${path}`)).toEqual(peekAt(order, path));
    expect(check(consignment)).toMatchObject({ ok: true });
  });

  test('has an entry in info for each package and SKU where one has something to say', () => {
    const order = changed(fullOrder(), { [`${P}additionalInformation.insuredAmount`]: 5 });
    expect(peekAt(translate(order, context), 'info.packages')).toEqual([
      { insuredAmount: 5 },
      ...order.consignmentDetails.packageDetails.slice(1).map(() => ({})),
    ]);
    expect(peekAt(translate(fullOrder(), context), 'info.packages')).toBeUndefined();
  });

  test('takes the currency of amounts where none is to be collected', () => {
    const order = changed(fullOrder(), {
      [`${D}paymentTobeCollected`]: undefined,
      [`${D}additionalInformation.currency`]: 'CHF',
    });
    expect(translate(order, context)).toMatchObject({ currencyCode: 'CHF' });
  });

  test('leaves a field of a known name at the very top of an order where it was', () => {
    const order = changed(fullOrder(), { incoterm: 'mine', [`${D}additionalInformation.incoterm`]: 'DDP' });
    expect(translate(order, context).info).toMatchObject({
      incoterm: 'mine',
      consignmentDetails: { additionalInformation: { incoterm: 'DDP' } },
    });
  });

  test('keeps an offer and its price from the carrier', () => {
    const order = changed(leastOrder(), { 'carrier.offerId': 'sealed', 'carrier.quoted': { total: 5 } });
    expect(JSON.stringify(translate(order, context))).not.toMatch(/sealed|quoted/);
  });

  test('is tested here for every field of the order', () => {
    const tested = new Set(FIELDS.map(([path]) => path.replaceAll(/\[\d+\]/g, '[]')));
    const partOfOne = /^returnTo\.|^carrier\.(?:offerId|quoted)|additionalInformation(?:\.|$)|trackingDetails\[\]\./;
    expect(leavesOf(Order as unknown as Node).filter((path) => !tested.has(path) && !partOfOne.test(path))).toEqual([]);
  });

  test('yields a consignment of the contract from the least order', () => {
    const consignment = translate(leastOrder(), context);
    expect(check(consignment)).toMatchObject({ ok: true });
    expect(consignment).toMatchObject({
      typeOfAction: 'CREATE',
      typeOfService: 'EXPRESS',
      shippingDateTime: '2026-05-01 00:00:00',
      totalQuantity: 1,
      numberOfShipments: 1,
      labelFormat: 'PDF',
    });
  });

  test.each([
    ['update', 'UPDATE'],
    ['cancel', 'CANCEL'],
  ] as const)('takes the action from the operation %s', (operation, action) => {
    expect(translate(leastOrder(), { ...context, operation }).typeOfAction).toBe(action);
  });

  test('uses the county as the city where there is none', () => {
    const consignment = translate(leastOrder(), context);
    expect(consignment.destinationCity).toBe('Fort');
    expect(consignment.destinationCounty).toBe('Fort');
  });

  test('adds up the units of the packages', () => {
    const order = leastOrder();
    const [first] = order.consignmentDetails.packageDetails;
    order.consignmentDetails.packageDetails = [
      { ...first!, quantity: 2 },
      { ...first!, id: 'P2', quantity: 3 },
    ];
    order.consignmentDetails.totalQuantity = 2;
    expect(translate(order, context)).toMatchObject({ totalQuantity: 5, numberOfShipments: 2 });
  });

  test.each([
    [120_000_000, 'MM3', 0.12, 'CBM'],
    [120_000, 'cm3', 0.12, 'CBM'],
    [3, 'M3', 3, 'CBM'],
    [1_728, 'IN3', 1, 'CFT'],
    [2, 'CFT', 2, 'CFT'],
  ])('converts %d %s to %d %s and keeps what was written unless it is the same', (value, unit, as, to) => {
    const order = changed(fullOrder(), { [`${D}totalVolume`]: value, [`${D}totalVolumeUom`]: unit });
    const consignment = translate(order, context);
    expect(consignment).toMatchObject({ totalVolume: as, totalVolumeUom: to });
    expect(peekAt(consignment, `info.${D}totalVolumeUom`)).toBe(unit === to ? undefined : unit);
  });

  test('leaves a volume in a unit it does not know to info', () => {
    const consignment = translate(changed(fullOrder(), { [`${D}totalVolumeUom`]: 'BUSHEL' }), context);
    expect(consignment.totalVolume).toBeUndefined();
    expect(peekAt(consignment, `info.${D}totalVolume`)).toBe(0.006);
  });

  test('puts a SKU into the first of its packages and keeps the others', () => {
    const order = changed(fullOrder(), {
      [`${D}packageDetails[1]`]: { ...fullOrder().consignmentDetails.packageDetails[0], id: 'P2' },
      [`${D}skuDetails`]: [{ packageIds: ['P2', 'P1'] }],
    });
    const consignment = translate(order, context);
    expect(consignment.skuList).toEqual([
      { itemReferenceNumber: 'P2', skuCode: '1', skuNumber: '1', skuItemName: '1', skuQuantity: 2 },
    ]);
    expect(peekAt(consignment, `info.${D}skuDetails[0].packageIds`)).toEqual(['P2', 'P1']);
  });

  test('turns line numbers of SKUs into item references and keeps the line numbers', () => {
    const order = changed(fullOrder(), {
      [`${D}skuDetails`]: [{ lineItemNo: '10', code: 'A' }],
      [`${D}vas`]: [{ vasCode: 'INSTALLATION', level: 'SKU', targetIds: ['10'] }],
    });
    const consignment = translate(order, context);
    expect(consignment.vas).toEqual([{ vasCode: 'INSTALLATION', level: 'SKU', targetIds: ['P1'] }]);
    expect(peekAt(consignment, `info.${D}vas[0].targetIds`)).toEqual(['10']);
  });

  test('names the registered shipper, or who ships', () => {
    const registered = { name: 'Example Retail', city: 'Köln' };
    expect(translate(leastOrder(), { ...context, shipper: registered }).shipper).toEqual(registered);
    expect(translate(leastOrder(), context).shipper).toEqual({
      name: 'Ann Example',
      contactPerson: 'Ann Example',
      contactNumber: '+49 30 000001',
      addressLine1: '1 Example Street',
      city: 'Berlin',
      postalCode: '10115',
      country: 'DE',
    });
  });

  test('keeps the special instructions under their path where the top of info is taken', () => {
    const order = changed(fullOrder(), { specialInstructions: 'mine' });
    expect(translate(order, context).info).toMatchObject({
      specialInstructions: 'mine',
      consignmentDetails: { specialInstructions: 'Two people' },
    });
  });

  test('keeps an unknown field whose name looks like a path', () => {
    const order = changed(leastOrder(), {});
    Object.assign(order.shipFrom, { 'contact.name': 'kept' });
    expect(translate(order, context).info).toMatchObject({ shipFrom: { 'contact.name': 'kept' } });
  });

  test('does not change the order', () => {
    const order = fullOrder();
    const before = structuredClone(order);
    translate(order, context);
    expect(order).toEqual(before);
  });
});

describe('the table of the translation', () => {
  const page = readFileSync(new URL('../../../docs/translation.md', import.meta.url), 'utf8');

  test('stands whole in the documentation, and the documentation has nothing else', () => {
    const rows = [...page.matchAll(/^\| (?:`([^`]+)`|(\([^)]+\))) \| `([^`]+)` \|/gm)];
    const written = rows.map(([, path, elsewhere, to]) => `${path ?? elsewhere} → ${to}`);
    // docs/fields.md has the rest, and is made of it.
    const told = TRANSLATION.filter((way) => !INFORMATION_WAYS.includes(way));
    expect(written.toSorted()).toEqual(told.map(({ from, to }) => `${from} → ${to}`).toSorted());
  });

  test('reaches every field of the contract, or the documentation says that nothing does', () => {
    const reached = new Set(TRANSLATION.map(({ to }) => to));
    const nested = { itemList: ConsignmentItem, skuList: ConsignmentSku, vas: ConsignmentVas };
    const fields = Object.keys(Consignment.properties).flatMap((field) =>
      Object.hasOwn(nested, field)
        ? Object.keys(nested[field as keyof typeof nested].properties).map((inner) => `${field}[].${inner}`)
        : field === 'info'
          ? []
          : [field],
    );
    const unreached = [...page.matchAll(/^- `([^`]+)`/gm)].map(([, field]) => field!);
    expect(fields.filter((field) => !reached.has(field)).toSorted()).toEqual(unreached.toSorted());
  });
});
