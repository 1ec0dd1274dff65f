import { type Static, Type } from 'typebox';

/**
 * The canonical consignment: the flat request of the carrier contract (spec/carrier-contract.md, "Consignment
 * request"). Mandatory fields are required here, so a mapping may rely on them; `x-level` says M, R or O.
 */

const M = { 'x-level': 'M' } as const;
const R = { 'x-level': 'R' } as const;
const O = { 'x-level': 'O' } as const;
type Level = typeof M | typeof R | typeof O;

// A mandatory text that is blank would be no text at all.
const must = () => Type.String({ ...M, pattern: '\\S', 'x-must': 'not be blank' });
const text = (level: Level) => Type.Optional(Type.String(level));
const number = (level: Level) => Type.Optional(Type.Number(level));
const instantText = { format: 'local-date-time' } as const;
const closed = { additionalProperties: false } as const;

const WEIGHT_UNITS = ['KG', 'LB'] as const;
const LENGTH_UNITS = ['IN', 'CM'] as const;
const weightUnit = () => Type.Enum([...WEIGHT_UNITS], M);
const lengthUnit = (level: Level) => Type.Optional(Type.Enum([...LENGTH_UNITS], level));
const country = (level: Level) => Type.String({ ...level, format: 'country' });

export const ConsignmentItem = Type.Object(
  {
    itemReferenceNumber: must(),
    itemQuantity: Type.Number(M),
    itemWeight: Type.Number(M),
    itemWeightUom: weightUnit(),
    itemCode: text(O),
    itemName: text(O),
    itemStatus: text(O),
    itemValue: number(O),
    itemSpecialInstruction: text(O),
    instructions: text(O),
    itemDeliveryServiceTime: number(O),
    itemLength: number(R),
    itemWidth: number(R),
    itemHeight: number(R),
    itemDimensionUom: lengthUnit(R),
    itemVolume: number(O),
    itemVolumeUom: text(O),
    itemTrackingNumber: text(O),
    tags: Type.Optional(Type.Array(Type.String(), O)),
  },
  closed,
);
export type ConsignmentItem = Static<typeof ConsignmentItem>;

export const ConsignmentSku = Type.Object(
  {
    itemReferenceNumber: must(),
    skuCode: must(),
    skuNumber: must(),
    skuItemName: must(),
    skuQuantity: Type.Number(M),
    skuItemDescription: text(R),
    skuWeight: number(R),
    skuWeightUom: Type.Optional(Type.Enum([...WEIGHT_UNITS], R)),
    skuCategory: text(O),
    skuItemUnitPrice: text(O),
    skuLength: number(O),
    skuWidth: number(O),
    skuHeight: number(O),
    skuDimensionUom: lengthUnit(O),
    skuVolume: number(O),
    skuVolumeUom: text(O),
    skuHsnCode: text(O),
    skuOriginCountry: Type.Optional(country(O)),
    skuDeliveryServiceTime: number(O),
    skuPickupServiceTime: number(O),
    skuLineItemNo: text(O),
    skuItemSequence: Type.Optional(Type.Integer(O)),
    skuUom: text(O),
    skuImageUrl: text(O),
  },
  closed,
);
export type ConsignmentSku = Static<typeof ConsignmentSku>;

export const ConsignmentVas = Type.Object(
  {
    vasCode: text(R),
    level: Type.Optional(Type.Enum(['SKU', 'CONSIGNMENT'], R)),
    targetIds: Type.Optional(Type.Array(Type.String(), R)),
    serviceTime: number(O),
    remark: text(O),
  },
  closed,
);
export type ConsignmentVas = Static<typeof ConsignmentVas>;

const partyFields = (level: Level) => ({
  name: text(level),
  addressLine1: text(level),
  city: text(level),
  stateProvince: text(level),
  country: Type.Optional(country(level)),
  postalCode: text(level),
  contactPerson: text(level),
  contactNumber: text(level),
  email: text(level),
});
const Shipper = Type.Object({ ...partyFields(R), companyName: text(R) }, closed);
export type ConsignmentShipper = Static<typeof Shipper>;

export const Consignment = Type.Object(
  {
    referenceId: must(),
    orderNumber: must(),
    consignmentNumber: must(),
    exchangeOrderNumber: text(O),
    typeOfOrder: Type.Enum(['FORWARD', 'REVERSE'], M),
    typeOfService: Type.Enum(['GROUND', 'EXPRESS', 'STANDARD', 'ECONOMY'], M),
    typeOfAction: Type.Enum(['CREATE', 'UPDATE', 'CANCEL'], M),
    carrierCode: must(),
    merchantCode: text(R),
    shipperTaxNumber: text(O),

    originType: Type.Optional(Type.Enum(['BUSINESS', 'RESIDENTIAL'], R)),
    originTimezone: Type.Optional(Type.String({ ...R, format: 'time-zone' })),
    originCode: text(R),
    originShipFromCode: text(O),
    originName: must(),
    originCompanyName: text(O),
    originContactPerson: text(R),
    originContactNumber: must(),
    originContactNumber2: text(O),
    originEmail: text(R),
    originAddressLine1: must(),
    originAddressLine2: text(O),
    originAddressLine3: text(O),
    originLandmark: text(O),
    originCity: must(),
    originCounty: text(O),
    originStateProvince: text(O),
    originCountry: country(M),
    originPostalCode: must(),
    originPoBoxNumber: text(O),
    originLatitude: text(R),
    originLongitude: text(R),
    originPreferredStartTime: Type.Optional(Type.String({ ...O, ...instantText })),
    originPreferredEndTime: Type.Optional(Type.String({ ...O, ...instantText })),

    destinationType: Type.Optional(Type.Enum(['BUSINESS', 'RESIDENTIAL'], R)),
    destinationTimezone: Type.Optional(Type.String({ ...R, format: 'time-zone' })),
    destinationCode: text(R),
    destinationShipToCode: text(O),
    destinationName: text(O),
    destinationCompanyName: text(O),
    destinationContactPerson: text(R),
    destinationContactNumber: must(),
    destinationContactNumber2: text(O),
    destinationEmail: text(R),
    destinationAddressLine1: must(),
    destinationAddressLine2: text(O),
    destinationAddressLine3: text(O),
    destinationLandmark: text(O),
    destinationCity: must(),
    destinationCounty: text(O),
    destinationStateProvince: text(R),
    destinationCountry: country(M),
    destinationPostalCode: must(),
    destinationPoBoxNumber: text(O),
    destinationLatitude: text(R),
    destinationLongitude: text(R),
    destinationPreferredStartTime: Type.Optional(Type.String({ ...O, ...instantText })),
    destinationPreferredEndTime: Type.Optional(Type.String({ ...O, ...instantText })),

    numberOfShipments: Type.Integer(M),
    totalQuantity: Type.Integer(M),
    totalWeight: Type.Number(M),
    uomTotalWeight: weightUnit(),
    totalVolume: number(R),
    totalVolumeUom: Type.Optional(Type.Enum(['CBM', 'CFT'], R)),
    paymentMode: Type.Optional(Type.Enum(['PREPAID', 'COD', 'CREDIT'], O)),
    amountToBeCollected: number(O),
    invoiceValue: number(O),
    currencyCode: text(O),
    shippingDateTime: Type.String({ ...M, ...instantText }),
    deliveryInstructions: text(R),
    labelFormat: Type.Optional(Type.Enum(['PDF', 'ZPL', 'PNG'], R)),
    slotToken: text(O),

    itemList: Type.Array(ConsignmentItem, { ...M, minItems: 1 }),
    skuList: Type.Optional(Type.Array(ConsignmentSku)),
    vas: Type.Optional(Type.Array(ConsignmentVas)),

    shipper: Type.Optional(Shipper),
    billTo: Type.Optional(Type.Object(partyFields(O), closed)),
    info: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  closed,
);
export type Consignment = Static<typeof Consignment>;
