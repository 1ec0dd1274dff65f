import { describe, expect, test } from 'vitest';
import {
  Consignment,
  ConsignmentItem,
  ConsignmentSku,
  ConsignmentVas,
} from '../../../src/engine/consignment/consignment.ts';
import { validator } from '../../../src/engine/validate.ts';

/** The levels of the contract, written from the specification: M, R, O → the fields. */
const LEVELS: Readonly<Record<'head' | 'item' | 'sku' | 'vas', Readonly<Record<string, string>>>> = {
  head: {
    M: `referenceId orderNumber consignmentNumber typeOfOrder typeOfService typeOfAction carrierCode originName
      originContactNumber originAddressLine1 originCity originCountry originPostalCode destinationContactNumber
      destinationAddressLine1 destinationCity destinationCountry destinationPostalCode numberOfShipments totalQuantity
      totalWeight uomTotalWeight shippingDateTime itemList`,
    R: `merchantCode originType originTimezone originCode originContactPerson originEmail originLatitude
      originLongitude destinationType destinationTimezone destinationCode destinationContactPerson destinationEmail
      destinationStateProvince destinationLatitude destinationLongitude totalVolume totalVolumeUom
      deliveryInstructions labelFormat`,
    O: `exchangeOrderNumber shipperTaxNumber originCompanyName originContactNumber2 originAddressLine2
      originAddressLine3 originLandmark originCounty originStateProvince originPoBoxNumber originPreferredStartTime
      originPreferredEndTime originShipFromCode destinationName destinationCompanyName destinationContactNumber2
      destinationAddressLine2 destinationAddressLine3 destinationLandmark destinationCounty destinationPoBoxNumber
      destinationPreferredStartTime destinationPreferredEndTime destinationShipToCode paymentMode amountToBeCollected
      invoiceValue currencyCode slotToken`,
  },
  item: {
    M: 'itemReferenceNumber itemQuantity itemWeight itemWeightUom',
    R: 'itemLength itemWidth itemHeight itemDimensionUom',
    O: `itemCode itemName itemStatus itemValue itemSpecialInstruction instructions itemDeliveryServiceTime itemVolume
      itemVolumeUom itemTrackingNumber tags`,
  },
  sku: {
    M: 'itemReferenceNumber skuCode skuNumber skuItemName skuQuantity',
    R: 'skuItemDescription skuWeight skuWeightUom',
    O: `skuCategory skuItemUnitPrice skuLength skuWidth skuHeight skuDimensionUom skuVolume skuVolumeUom skuHsnCode
      skuOriginCountry skuDeliveryServiceTime skuPickupServiceTime skuLineItemNo skuItemSequence skuUom skuImageUrl`,
  },
  vas: { R: 'vasCode level targetIds', O: 'serviceTime remark' },
};
const SCHEMAS = { head: Consignment, item: ConsignmentItem, sku: ConsignmentSku, vas: ConsignmentVas };

const cases = Object.entries(LEVELS).flatMap(([part, levels]) =>
  Object.entries(levels).flatMap(([level, fields]) =>
    fields
      .split(/\s+/)
      .map((field): [part: keyof typeof SCHEMAS, field: string, level: string] => [
        part as keyof typeof SCHEMAS,
        field,
        level,
      ]),
  ),
);

describe('the consignment of the contract', () => {
  test.each(cases)('%s has %s with level %s', (part, field, level) => {
    const { properties, required = [] } = SCHEMAS[part];
    expect((properties as Record<string, object>)[field]).toMatchObject({ 'x-level': level });
    expect((required as string[]).includes(field)).toBe(level === 'M');
  });

  test('has no other fields but its objects', () => {
    for (const [part, schema] of Object.entries(SCHEMAS)) {
      const named = new Set(cases.filter(([of]) => of === part).map(([, field]) => field));
      const others = Object.keys(schema.properties).filter((field) => !named.has(field));
      expect(others).toEqual(part === 'head' ? ['skuList', 'vas', 'shipper', 'billTo', 'info'] : []);
    }
  });

  test.each([
    ['typeOfOrder', ['FORWARD', 'REVERSE']],
    ['typeOfService', ['GROUND', 'EXPRESS', 'STANDARD', 'ECONOMY']],
    ['typeOfAction', ['CREATE', 'UPDATE', 'CANCEL']],
    ['originType', ['BUSINESS', 'RESIDENTIAL']],
    ['destinationType', ['BUSINESS', 'RESIDENTIAL']],
    ['uomTotalWeight', ['KG', 'LB']],
    ['totalVolumeUom', ['CBM', 'CFT']],
    ['paymentMode', ['PREPAID', 'COD', 'CREDIT']],
    ['labelFormat', ['PDF', 'ZPL', 'PNG']],
  ] as const)('allows in %s what the contract lists', (field, values) => {
    expect(Consignment.properties[field]).toMatchObject({ enum: values });
  });

  test('is closed: a misspelt field is named', () => {
    const checked = validator(Consignment)({ refrenceId: 'x' });
    expect(checked.ok ? [] : checked.issues.map(({ message }) => message)).toContain('refrenceId is not a known field');
  });

  test('is plain JSON Schema for editors', () => {
    expect(JSON.parse(JSON.stringify(Consignment))).toMatchObject({ type: 'object', additionalProperties: false });
  });
});
