import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { CONSIGNMENT_FIELDS, PackageInformation, SkuInformation } from './additional.ts';

/**
 * The canonical consignment: the flat request of the carrier contract. Mandatory fields are required, so a mapping may
 * rely on them. Each field says where `translate.ts` takes it from; docs/translation.md shows the same, and a test
 * keeps the two in step:
 * - `x-from`: the path of the shipper's form, from the scope of the object, that is copied; numbers become text where
 *   the contract has text, and `x-values` names values by other words.
 * - `x-made-of`: what the value is made of where copying is not enough.
 */
type Level = 'M' | 'R' | 'O';
type Source = string | { readonly 'x-made-of': string };

const noted = (level: Level, source?: Source) => ({
  'x-level': level,
  ...(typeof source === 'string' ? { 'x-from': source } : source),
});
const madeOf = (path: string) => ({ 'x-made-of': path });
const DETAILS = 'consignmentDetails';
const REGISTERED = madeOf("(the shipper's registered details)");

// A mandatory text that is blank would be no text at all.
const must = (source: Source) => Type.String({ ...noted('M', source), pattern: '\\S', 'x-must': 'not be blank' });
const text = (level: Level, source?: Source) => Type.Optional(Type.String(noted(level, source)));
const number = (level: Level, source?: Source) => Type.Optional(Type.Number(noted(level, source)));
const mustNumber = (source: Source) => Type.Number(noted('M', source));
const country = (level: Level, source?: Source) => Type.String({ ...noted(level, source), format: 'country' });
const time = (level: Level, source: Source) => Type.String({ ...noted(level, source), format: 'local-date-time' });
const weightUnit = (level: Level, source: string) => Type.Enum(['KG', 'LB'], noted(level, source));
const lengthUnit = (level: Level, source: string) => Type.Optional(Type.Enum(['IN', 'CM'], noted(level, source)));
const closed = { additionalProperties: false } as const;

export const TYPES_OF_SERVICE = ['GROUND', 'EXPRESS', 'STANDARD', 'ECONOMY'] as const;
export type TypeOfService = (typeof TYPES_OF_SERVICE)[number];

export const LABEL_FORMATS = ['PDF', 'ZPL', 'PNG'] as const;
export type LabelFormat = (typeof LABEL_FORMATS)[number];

export const ConsignmentItem = Type.Object(
  {
    itemReferenceNumber: must('id'),
    itemQuantity: mustNumber('quantity'),
    itemWeight: mustNumber('weight'),
    itemWeightUom: weightUnit('M', 'weightUom'),
    itemCode: text('O'),
    itemName: text('O', 'description'),
    itemStatus: text('O', 'packageStatus'),
    itemValue: number('O', 'value'),
    itemSpecialInstruction: text('O'),
    instructions: text('O', 'instructions'),
    itemDeliveryServiceTime: number('O'),
    itemLength: number('R', 'length'),
    itemWidth: number('R', 'width'),
    itemHeight: number('R', 'height'),
    itemDimensionUom: lengthUnit('R', 'dimensionUom'),
    itemVolume: number('O', 'volume'),
    itemVolumeUom: text('O', 'volumeUom'),
    itemTrackingNumber: text('O', 'trackingDetails[0].trackingNumber'),
    tags: Type.Optional(Type.Array(Type.String(), noted('O', 'tags'))),
  },
  closed,
);

export const ConsignmentSku = Type.Object(
  {
    itemReferenceNumber: must(madeOf(`${DETAILS}.skuDetails[].packageIds`)),
    skuCode: must('code'),
    skuNumber: must('code'),
    skuItemName: must('name'),
    skuQuantity: mustNumber('quantity'),
    skuItemDescription: text('R', 'description'),
    skuWeight: number('R', 'weight'),
    skuWeightUom: Type.Optional(weightUnit('R', 'weightUom')),
    skuCategory: text('O', 'category'),
    skuItemUnitPrice: text('O', 'unitPrice'),
    skuLength: number('O', 'length'),
    skuWidth: number('O', 'width'),
    skuHeight: number('O', 'height'),
    skuDimensionUom: lengthUnit('O', 'dimensionUom'),
    skuVolume: number('O', 'volume'),
    skuVolumeUom: text('O', 'volumeUom'),
    skuHsnCode: text('O', 'hsnName'),
    skuOriginCountry: Type.Optional(country('O', 'originCountry')),
    skuDeliveryServiceTime: number('O', 'deliveryServiceTime'),
    skuPickupServiceTime: number('O', 'pickupServiceTime'),
    skuLineItemNo: text('O', 'lineItemNo'),
    skuItemSequence: Type.Optional(Type.Integer(noted('O'))),
    skuUom: text('O', 'uom'),
    skuImageUrl: text('O', 'imageUrl'),
  },
  closed,
);

export const ConsignmentVas = Type.Object(
  {
    vasCode: text('R', 'vasCode'),
    level: Type.Optional(Type.Enum(['SKU', 'CONSIGNMENT'], noted('R', 'level'))),
    targetIds: Type.Optional(Type.Array(Type.String(), noted('R', madeOf(`${DETAILS}.vas[].targetIds`)))),
    serviceTime: number('O', 'serviceTime'),
    remark: text('O', 'remark'),
  },
  closed,
);

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
const Shipper = Type.Object({ ...partyFields('R'), companyName: text('R') }, { ...closed, ...REGISTERED });
export type ConsignmentShipper = Static<typeof Shipper>;

type End = 'origin' | 'destination';
type Party = 'shipFrom' | 'shipTo';

/** Who and when at an end of a consignment, before `prefixed` gives each name its end. */
const visitFields = <Name extends TSchema>(end: End, party: Party, window: 'pickup' | 'delivery', name: Name) => ({
  Code: text('R', `${party}.${end}FacilityCode`),
  Timezone: Type.Optional(Type.String({ ...noted('R', `${party}.timezone`), format: 'time-zone' })),
  PreferredStartTime: Type.Optional(time('O', `${party}.${window}StartDateTime`)),
  PreferredEndTime: Type.Optional(time('O', `${party}.${window}EndDateTime`)),
  Name: name,
  ContactPerson: text('R', `${party}.contact.name`),
  CompanyName: text('O', `${party}.contact.companyName`),
  ContactNumber: must(`${party}.contact.contactNumber`),
  ContactNumber2: text('O', `${party}.contact.secondaryContactNumber`),
  Email: text('R', `${party}.contact.email`),
});

/** Where an end of a consignment is. */
const addressFields = (party: Party, stateLevel: Level) => ({
  Type: Type.Optional(
    Type.Enum(['BUSINESS', 'RESIDENTIAL'], {
      ...noted('R', `${party}.address.type`),
      'x-values': { FACILITY: 'BUSINESS', Residential: 'RESIDENTIAL' },
    }),
  ),
  AddressLine1: must(`${party}.address.line1`),
  AddressLine2: text('O', `${party}.address.line2`),
  AddressLine3: text('O', `${party}.address.line3`),
  Landmark: text('O', `${party}.address.landmark`),
  City: must(`${party}.address.city`),
  County: text('O', `${party}.address.county`),
  StateProvince: text(stateLevel, `${party}.address.state`),
  Country: country('M', `${party}.address.country`),
  PostalCode: must(`${party}.address.pincode`),
  PoBoxNumber: text('O', `${party}.address.poBoxNumber`),
  Latitude: text('R', `${party}.address.latitude`),
  Longitude: text('R', `${party}.address.longitude`),
});

type Prefixed<Prefix extends string, Fields> = {
  [Name in keyof Fields & string as `${Prefix}${Name}`]: Fields[Name];
};
const prefixed = <Prefix extends string, Fields extends TProperties>(prefix: Prefix, fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [`${prefix}${name}`, field])) as unknown as Prefixed<
    Prefix,
    Fields
  >;

/** What has no field of its own; beside these, whatever the order says more. */
export const Info = Type.Object(
  {
    specialInstructions: text('R'),
    ...CONSIGNMENT_FIELDS,
    packages: Type.Optional(Type.Array(PackageInformation, { description: 'An entry for each of `itemList`.' })),
    skus: Type.Optional(Type.Array(SkuInformation, { description: 'An entry for each of `skuList`.' })),
  },
  { additionalProperties: true },
);

// Fields are sent in this order.
export const Consignment = Type.Object(
  {
    referenceId: must(`${DETAILS}.referenceNumber`),
    orderNumber: must(`${DETAILS}.orderNumber`),
    consignmentNumber: must(`${DETAILS}.consignmentNumber`),
    exchangeOrderNumber: text('O', `${DETAILS}.additionalInformation.exchangeOrderNumber`),
    typeOfOrder: Type.Enum(['FORWARD', 'REVERSE'], noted('M', `${DETAILS}.consignmentType`)),
    numberOfShipments: Type.Integer(noted('M', `${DETAILS}.totalQuantity`)),
    totalWeight: mustNumber(`${DETAILS}.totalWeight`),
    uomTotalWeight: weightUnit('M', `${DETAILS}.totalWeightUom`),
    paymentMode: Type.Optional(
      Type.Enum(['PREPAID', 'COD', 'CREDIT'], noted('O', `${DETAILS}.paymentTobeCollected.paymentMode`)),
    ),
    amountToBeCollected: number('O', `${DETAILS}.paymentTobeCollected.amount`),
    currencyCode: text('O', `${DETAILS}.paymentTobeCollected.currency`),
    invoiceValue: number('O', `${DETAILS}.additionalInformation.declaredValue`),
    deliveryInstructions: text('R', `${DETAILS}.deliveryInstructions`),
    slotToken: text('O', `${DETAILS}.slotToken`),

    ...prefixed('origin', visitFields('origin', 'shipFrom', 'pickup', must('shipFrom.contact.name'))),
    originShipFromCode: text('O', 'shipFrom.address.code'),
    ...prefixed('origin', addressFields('shipFrom', 'O')),

    ...prefixed('destination', visitFields('destination', 'shipTo', 'delivery', text('O', 'shipTo.contact.name'))),
    destinationShipToCode: text('O', 'shipTo.address.code'),
    ...prefixed('destination', addressFields('shipTo', 'R')),

    typeOfService: Type.Enum([...TYPES_OF_SERVICE], noted('M', madeOf(`${DETAILS}.serviceType`))),
    typeOfAction: Type.Enum(['CREATE', 'UPDATE', 'CANCEL'], noted('M', madeOf('(the operation)'))),
    carrierCode: must(madeOf('carrier.code')),
    merchantCode: text('R', REGISTERED),
    shipperTaxNumber: text('O', REGISTERED),
    totalQuantity: Type.Integer(noted('M', madeOf(`${DETAILS}.packageDetails[].quantity`))),
    totalVolume: number('R', madeOf(`${DETAILS}.totalVolume`)),
    totalVolumeUom: Type.Optional(Type.Enum(['CBM', 'CFT'], noted('R', madeOf(`${DETAILS}.totalVolumeUom`)))),
    shippingDateTime: time('M', madeOf('shipFrom.pickupStartDateTime')),
    labelFormat: Type.Optional(Type.Enum([...LABEL_FORMATS], noted('R', madeOf(`${DETAILS}.labelFormat`)))),

    itemList: Type.Array(ConsignmentItem, { ...noted('M', madeOf(`${DETAILS}.packageDetails`)), minItems: 1 }),
    skuList: Type.Optional(Type.Array(ConsignmentSku, { 'x-made-of': `${DETAILS}.skuDetails` })),
    vas: Type.Optional(Type.Array(ConsignmentVas, { 'x-made-of': `${DETAILS}.vas` })),

    shipper: Type.Optional(Shipper),
    billTo: Type.Optional(Type.Object(partyFields('O'), { ...closed, ...REGISTERED })),
    info: Type.Optional(Info),
  },
  closed,
);
export type Consignment = Static<typeof Consignment>;

/** What is seen of the consignment of a number that is asked about with others. */
export const SEEN_OF_MANY = ['originCountry', 'originTimezone', 'destinationCountry', 'destinationTimezone'] as const;
export type SeenOfMany = Readonly<Partial<Record<(typeof SEEN_OF_MANY)[number], string>>>;
export const seenOfMany = (consignment: Readonly<Record<string, unknown>> = {}): SeenOfMany =>
  Object.fromEntries(SEEN_OF_MANY.filter((name) => name in consignment).map((name) => [name, consignment[name]]));
