// The parts of the published schema of a shipment request that the simulated carrier enforces, keys it does not know included.
import { isObject } from './reply.ts';

interface TextRule {
  readonly text: true;
  readonly min?: number;
  readonly max: number;
  readonly oneOf?: readonly string[];
}
interface NumberRule {
  readonly number: true;
  readonly min: number;
}
interface ListRule {
  readonly list: Rule;
  readonly min: number;
  readonly max: number;
}
interface MapRule {
  readonly required: readonly string[];
  readonly keys: Readonly<Record<string, Rule>>;
}
/** `true` is a boolean, `null` anything. */
type Rule = TextRule | NumberRule | ListRule | MapRule | true | null;

const text = (max: number, min = 1): TextRule => ({ text: true, min, max });
const oneOf = (...values: string[]): TextRule => ({ text: true, max: 99, oneOf: values });
const positive: NumberRule = { number: true, min: 0.001 };
const amount: NumberRule = { number: true, min: 0 };
const list = (rule: Rule, min: number, max: number): ListRule => ({ list: rule, min, max });
const map = (required: string, keys: Readonly<Record<string, Rule>>): MapRule => ({
  required: required === '' ? [] : required.split(' '),
  keys,
});

const address = map('postalCode cityName countryCode addressLine1', {
  postalCode: text(12, 0),
  cityName: text(45),
  countryCode: text(2, 2),
  provinceCode: text(35, 2),
  addressLine1: text(45),
  addressLine2: text(45),
  addressLine3: text(45),
  countyName: text(45),
  provinceName: text(35),
  countryName: text(35),
});

const contact = map('phone companyName fullName', {
  email: text(70),
  phone: text(70),
  mobilePhone: text(70),
  companyName: text(100),
  fullName: text(255),
});

const party = map('postalAddress contactInformation', {
  postalAddress: address,
  contactInformation: contact,
  registrationNumbers: null,
  bankDetails: null,
  typeCode: oneOf('business', 'direct_consumer', 'government', 'other', 'private', 'reseller'),
});

const references = list(
  map('value', {
    value: text(35),
    typeCode: oneOf('AAO', 'CU', 'FF', 'FN', 'IBC', 'LLR', 'OBC', 'PRN', 'ACP', 'ACS', 'ACR', 'CDN', 'STD', 'CO'),
  }),
  0,
  999,
);

const unit = oneOf('metric', 'imperial');
const accounts = list(
  map('typeCode number', { typeCode: oneOf('shipper', 'payer', 'duties-taxes'), number: text(12) }),
  1,
  3,
);

const packages = list(
  map('weight', {
    typeCode: text(3, 2),
    weight: positive,
    dimensions: map('length width height', { length: positive, width: positive, height: positive }),
    customerReferences: references,
    identifiers: null,
    description: text(70),
    labelBarcodes: null,
    labelText: null,
    labelDescription: text(80),
    referenceNumber: { number: true, min: 1 },
  }),
  1,
  999,
);

const incoterms = 'EXW FCA CPT CIP DPU DAP DDP FAS FOB CFR CIF DAF DAT DDU DEQ DES';

export const shipmentSchema = map('plannedShippingDateAndTime pickup productCode accounts customerDetails content', {
  plannedShippingDateAndTime: text(29),
  pickup: map('isRequested', {
    isRequested: true,
    closeTime: text(5),
    location: text(80),
    specialInstructions: null,
    pickupDetails: null,
    pickupRequestorDetails: null,
  }),
  productCode: text(6),
  localProductCode: text(3),
  getRateEstimates: true,
  accounts,
  valueAddedServices: list(
    map('serviceCode', {
      serviceCode: text(6),
      value: amount,
      currency: text(3, 3),
      method: text(20),
      dangerousGoods: null,
    }),
    0,
    99,
  ),
  outputImageProperties: map('', {
    printerDPI: { number: true, min: 200 },
    encodingFormat: oneOf('pdf', 'zpl', 'lp2', 'epl'),
    imageOptions: list(
      map('typeCode', {
        typeCode: oneOf('label', 'waybillDoc', 'invoice', 'qr-code', 'shipmentReceipt'),
        templateName: text(25),
        isRequested: true,
        hideAccountNumber: true,
        numberOfCopies: { number: true, min: 1 },
        invoiceType: oneOf('commercial', 'proforma', 'returns'),
        languageCode: text(3, 3),
        languageCountryCode: text(2, 2),
        languageScriptCode: text(4, 4),
        encodingFormat: oneOf('png'),
        renderDHLLogo: true,
        fitLabelsToA4: true,
        labelFreeText: text(150),
        labelCustomerDataText: text(250),
        shipmentReceiptCustomerDataText: text(700),
      }),
      0,
      20,
    ),
    customerBarcodes: null,
    customerLogos: null,
    splitTransportAndWaybillDocLabels: true,
    allDocumentsInOneImage: true,
    splitDocumentsByPages: true,
    splitInvoiceAndReceipt: true,
    receiptAndLabelsInOneImage: true,
  }),
  customerReferences: references,
  identifiers: null,
  customerDetails: map('shipperDetails receiverDetails', {
    shipperDetails: party,
    receiverDetails: party,
    buyerDetails: party,
    importerDetails: party,
    exporterDetails: party,
    sellerDetails: party,
    payerDetails: party,
    ultimateConsigneeDetails: party,
    brokerDetails: party,
  }),
  content: map('packages isCustomsDeclarable description incoterm unitOfMeasurement', {
    packages,
    areMorePackagesToBeAddedLater: true,
    isCustomsDeclarable: true,
    declaredValue: amount,
    declaredValueCurrency: text(3, 3),
    exportDeclaration: null,
    description: text(70),
    USFilingTypeValue: text(20),
    incoterm: oneOf(...incoterms.split(' ')),
    unitOfMeasurement: unit,
  }),
  documentImages: null,
  onDemandDelivery: null,
  requestOndemandDeliveryURL: true,
  shipmentNotification: null,
  prepaidCharges: null,
  getTransliteratedResponse: true,
  estimatedDeliveryDate: null,
  getAdditionalInformation: list(
    map('isRequested', {
      typeCode: oneOf('pickupDetails', 'optionalShipmentData', 'barcodeInformation', 'linkLabelsByPieces'),
      isRequested: true,
    }),
    0,
    5,
  ),
  parentShipment: null,
});

export const pickupSchema = map('plannedPickupDateAndTime accounts customerDetails shipmentDetails', {
  plannedPickupDateAndTime: text(29),
  closeTime: text(5),
  location: text(80),
  locationType: text(20),
  accounts,
  specialInstructions: null,
  remark: text(80),
  customerDetails: map('shipperDetails', {
    shipperDetails: party,
    receiverDetails: party,
    bookingRequestorDetails: party,
    pickupDetails: party,
  }),
  shipmentDetails: list(
    map('productCode isCustomsDeclarable unitOfMeasurement packages', {
      productCode: text(6),
      localProductCode: text(3),
      accounts,
      valueAddedServices: null,
      isCustomsDeclarable: true,
      declaredValue: amount,
      declaredValueCurrency: text(3, 3),
      unitOfMeasurement: unit,
      shipmentTrackingNumber: text(20),
      packages,
    }),
    1,
    999,
  ),
});

/** One text a breach, beginning with the place as `#/content/packages/0`. */
export function findBreaches(value: unknown, rule: Rule, place = '#'): readonly string[] {
  if (rule === null) return [];
  if (rule === true) return typeof value === 'boolean' ? [] : [`${place}: expected type: Boolean`];
  if ('text' in rule) return checkText(value, rule, place);
  if ('number' in rule) return checkNumber(value, rule, place);
  if ('list' in rule) {
    if (!Array.isArray(value)) return [`${place}: expected type: JSONArray`];
    if (value.length < rule.min) return [`${place}: expected minimum item count: ${rule.min}, found: ${value.length}`];
    if (value.length > rule.max) return [`${place}: expected maximum item count: ${rule.max}, found: ${value.length}`];
    return value.flatMap((entry, index) => findBreaches(entry, rule.list, `${place}/${index}`));
  }
  if (!isObject(value)) return [`${place}: expected type: JSONObject`];
  return [
    ...rule.required.filter((key) => !(key in value)).map((key) => `${place}: required key [${key}] not found`),
    ...Object.entries(value).flatMap(([key, entry]) => {
      const inner = rule.keys[key];
      if (inner === undefined) return [`${place}: extraneous key [${key}] is not permitted`];
      return findBreaches(entry, inner, `${place}/${key}`);
    }),
  ];
}

function checkText(value: unknown, rule: TextRule, place: string): readonly string[] {
  if (typeof value !== 'string') return [`${place}: expected type: String`];
  if (rule.oneOf && !rule.oneOf.includes(value)) return [`${place}: ${value} is not a valid enum value`];
  if (value.length < (rule.min ?? 0)) return [`${place}: expected minLength: ${rule.min}, actual: ${value.length}`];
  if (value.length > rule.max) return [`${place}: expected maxLength: ${rule.max}, actual: ${value.length}`];
  return [];
}

function checkNumber(value: unknown, rule: NumberRule, place: string): readonly string[] {
  if (typeof value !== 'number') return [`${place}: expected type: Number`];
  if (value < rule.min) return [`${place}: ${value} is not greater or equal to ${rule.min}`];
  if (Math.abs(Math.round(value * 1000) - value * 1000) > 1e-6)
    return [`${place}: ${value} is not a multiple of 0.001`];
  return [];
}
