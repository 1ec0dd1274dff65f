/**
 * What orders may say beyond the carrier contract, in the `additionalInformation` of a consignment, a package or a
 * SKU. This is the only definition: of what the API takes and OpenAPI shows, of what mappings and lint see in `info`,
 * and of docs/fields.md. Keys that are not here are kept, not checked.
 */
import { type TObject, type TProperties, Type } from 'typebox';
import { may, must } from './levels.ts';

const text = (description: string, maxLength = 100) => may('----', Type.String({ maxLength }), description);
const flag = (description: string) => may('----', Type.Boolean(), description);
const form = (pattern: string, says: string, description: string, example: string) =>
  may('----', Type.String({ pattern, 'x-must': says, examples: [example] }), description);
const date = (description: string) => may('----', Type.String({ format: 'date' }), description);
const amount = (description: string) =>
  may('----', Type.Number({ minimum: 0 }), `${description} An amount in \`currency\`.`);
const age = (description: string) => may('----', Type.Integer({ minimum: 1, maximum: 120 }), description);
const word = <const W extends string>(words: readonly W[], description: string) =>
  may('----', Type.Enum([...words]), description);
const country = () => Type.String({ format: 'country', examples: ['DE'] });

const EORI = ['^[A-Z]{2}[A-Za-z0-9]{1,15}$', 'be a country and up to 15 letters and digits'] as const;
const VAT = ['^[A-Za-z0-9][A-Za-z0-9 ./-]{3,29}$', 'be 4 to 30 letters, digits, blanks and . / -'] as const;

const ImporterOfRecord = Type.Object({
  name: must(Type.String({ maxLength: 200 }), 'Who it is.'),
  companyName: text('The company.', 200),
  addressLine1: text('Street address.', 200),
  addressLine2: text('More of it.', 200),
  city: text('City.'),
  stateProvince: text('State or province.'),
  postalCode: text('Postal code.', 30),
  country: must(country(), 'Country.'),
  contactNumber: text('Phone.', 50),
  email: text('E-mail address.', 254),
  eori: form(...EORI, 'EORI number.', 'DE123456789012345'),
  vatNumber: form(...VAT, 'VAT number.', 'DE123456789'),
});

/** How a recipient may be told, and whether that goes to a phone or to an e-mail address. */
export const CHANNELS = { EMAIL: 'email', SMS: 'phone', WHATSAPP: 'phone', PHONE: 'phone' } as const;

const Notification = Type.Object({
  channel: must(Type.Enum(Object.keys(CHANNELS) as (keyof typeof CHANNELS)[]), 'How to tell.'),
  contact: must(Type.String({ maxLength: 254 }), 'The e-mail address of EMAIL, else a phone number.'),
  name: text('Who it is.', 200),
  language: form(
    '^[a-z]{2}(-[A-Z]{2})?$',
    'be a language such as de or de-CH',
    'ISO 639-1, also with a country.',
    'de',
  ),
});

const dangerousGoods = () =>
  may(
    '----',
    Type.Array(
      Type.Object({
        unNumber: must(
          Type.String({
            pattern: '^(UN|ID)[0-9]{4}$',
            'x-must': 'be UN, or ID, and four digits',
            examples: ['UN3481'],
          }),
          'UN number; ID8000 for consumer commodities.',
        ),
        class: must(
          Type.String({
            pattern: '^[1-9](\\.[1-6][A-S]?)?$',
            'x-must': 'be a class or division such as 3, 1.4S or 6.1',
            examples: ['9'],
          }),
          'Class or division; with its compatibility group in class 1.',
        ),
        packingGroup: word(['I', 'II', 'III'], 'Packing group, where the substance has one.'),
        properShippingName: text('Proper shipping name.', 200),
        quantity: must(Type.Number({ exclusiveMinimum: 0 }), 'How much there is of it, in `quantityUom`.'),
        quantityUom: must(Type.Enum(['KG', 'G', 'L', 'ML']), 'Unit: kilograms, grams, litres, millilitres, net.'),
        isLimitedQuantity: flag('It goes as a limited quantity.'),
      }),
      { maxItems: 20 },
    ),
    'Dangerous goods, an entry for each substance.',
  );

const placeFields = (of: string) => ({
  Door: text(`Door, flat or room of ${of}.`, 50),
  Floor: may('----', Type.Integer({ minimum: -20, maximum: 200 }), `Floor of ${of}; 0 is at street level.`),
  Eori: form(...EORI, `EORI number of ${of}.`, 'DE123456789012345'),
  VatNumber: form(...VAT, `VAT number of ${of}.`, 'DE123456789'),
});
type PlaceFields = ReturnType<typeof placeFields>;

/** What is alike at both ends, under the contract's names for them. */
const endFields = <End extends 'origin' | 'destination'>(
  end: End,
  of: string,
): { [Name in keyof PlaceFields as `${End}${Name}`]: PlaceFields[Name] } =>
  Object.fromEntries(Object.entries(placeFields(of)).map(([name, field]) => [`${end}${name}`, field])) as never;

/** Of the whole consignment that have a field of the contract: see `x-from` in consignment.ts. */
const CONTRACT_FIELDS = {
  exchangeOrderNumber: text('The order this one is exchanged for.'),
  declaredValue: amount('What the goods are worth; without COD as well.'),
};

/** Of the whole consignment: `info.<name>` for mappings. */
export const CONSIGNMENT_FIELDS = {
  currency: may(
    '----',
    Type.String({ format: 'currency', examples: ['EUR'] }),
    'Currency of all amounts, and of the values of packages and SKUs: ISO 4217. Without it `paymentTobeCollected.currency`.',
  ),
  insuredAmount: amount('What the consignment is to be insured for.'),
  slotReservation: text('The carrier’s own number of the reserved slot that an order names; filled in.', 500),
  rateId: text('The carrier’s own number of a quote; of an offer that an order takes up it is filled in.', 2_000),
  shippingCost: amount('What the buyer paid for the transport, for customs.'),
  incoterm: word(
    ['EXW', 'FCA', 'CPT', 'CIP', 'DAP', 'DPU', 'DDP', 'FAS', 'FOB', 'CFR', 'CIF', 'DDU', 'DAT'],
    'Who pays for transport, risk and duties: Incoterms 2020, and DDU and DAT of earlier editions.',
  ),
  reasonForExport: word(
    ['SALE', 'GIFT', 'SAMPLE', 'RETURN', 'REPAIR', 'TEMPORARY', 'PERSONAL', 'DOCUMENTS', 'OTHER'],
    'Why the goods cross the border: sold, given, as a sample, sent back, to be repaired, for a time (a fair), personal effects, papers.',
  ),
  customsInvoiceNumber: text('Number of the commercial or pro forma invoice.', 50),
  customsInvoiceDate: date('Its date.'),
  importerOfRecord: may('----', ImporterOfRecord, 'Who imports the goods, where that is not the recipient.'),
  ioss: form(
    '^IM[0-9]{10}$',
    'be IM and ten digits',
    'IOSS number, for VAT of the EU paid at the sale.',
    'IM0123456789',
  ),
  ...endFields('origin', 'the sender'),
  ...endFields('destination', 'the recipient'),
  pickUpPointCode: text('The carrier’s code of the shop, locker or post office at which the recipient collects it.'),
  pickUpPointName: text('Its name, for people.', 200),
  notifications: may(
    '----',
    Type.Array(Notification, { maxItems: 10 }),
    'Who is notified of the delivery, and how; without it the carrier notifies the contact of `shipTo` in its usual way.',
  ),
  isSignatureRequired: flag('Somebody signs for it.'),
  atl: flag('Authority to leave: it may be left without anybody there.'),
  identityCheck: flag('It is given to the recipient in person only, who shows a document.'),
  recipientBirthDate: date('Date of birth that the document has to show.'),
  minimumAge: age('Years that whoever takes it must have, by a document.'),
};

/** Of a package: `info.packages[n].<name>`, where n is its place in `itemList`. */
const PACKAGE_FIELDS = {
  insuredAmount: amount('What the package is to be insured for.'),
  dangerousGoods: dangerousGoods(),
};

/** Of a SKU: `info.skus[n].<name>`, where n is its place in `skuList`. */
const SKU_FIELDS = {
  dangerousGoods: dangerousGoods(),
  minimumAge: age('Years that a buyer of it must have.'),
};

export const AdditionalInformation = Type.Object({ ...CONTRACT_FIELDS, ...CONSIGNMENT_FIELDS });
export const PackageInformation = Type.Object(PACKAGE_FIELDS);
export const SkuInformation = Type.Object(SKU_FIELDS);

/** Those of a list's entries that the fields name, entry by entry; undefined: no entry has any. */
const listOf = (entries: readonly Informed[] | undefined, { properties }: TObject): readonly object[] | undefined => {
  const known = entries?.map(({ additionalInformation }) => knownOf(additionalInformation, properties));
  return known?.some((entry) => Object.keys(entry).length > 0) === true ? known : undefined;
};

const knownOf = (given: object | undefined, fields: TProperties): object =>
  Object.fromEntries(Object.entries(given ?? {}).filter(([name]) => Object.hasOwn(fields, name)));

interface Informed {
  readonly additionalInformation?: object | undefined;
}

/** What the additional information of an order comes to in `info`. Pure. */
export const informationOf = (details: InformedOrder): object => {
  const packages = listOf(details.packageDetails, PackageInformation);
  const skus = listOf(details.skuDetails, SkuInformation);
  return {
    ...knownOf(details.additionalInformation, CONSIGNMENT_FIELDS),
    ...(packages && { packages }),
    ...(skus && { skus }),
  };
};
/** Where the fields come from and get to, as the translation tells it. */
export const INFORMATION = (
  [
    ['additionalInformation', 'info', CONSIGNMENT_FIELDS],
    ['packageDetails[].additionalInformation', 'info.packages[]', PACKAGE_FIELDS],
    ['skuDetails[].additionalInformation', 'info.skus[]', SKU_FIELDS],
  ] as const
).flatMap(([from, to, fields]) =>
  Object.keys(fields).map((name) => ({ from: `consignmentDetails.${from}.${name}`, to: `${to}.${name}` })),
);

interface InformedOrder extends Informed {
  readonly packageDetails: readonly Informed[];
  readonly skuDetails?: readonly Informed[] | undefined;
}
