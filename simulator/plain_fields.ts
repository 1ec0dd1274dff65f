// The fields of the carrier contract's consignment request, as a carrier that read the contract would check them.
import { at, isObject, listAt } from './reply.ts';

type Kind = 'text' | 'number' | 'integer' | 'date' | 'country' | 'texts' | 'object' | readonly string[];

interface Field {
  readonly name: string;
  readonly kind: Kind;
}

const fields = (kind: Kind, names: string): readonly Field[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => ({ name, kind }));

const weights = ['KG', 'LB'];
const lengths = ['IN', 'CM'];

const mandatory: readonly Field[] = [
  ...fields('text', 'referenceId orderNumber consignmentNumber carrierCode'),
  { name: 'typeOfOrder', kind: ['FORWARD', 'REVERSE'] },
  { name: 'typeOfService', kind: ['GROUND', 'EXPRESS', 'STANDARD', 'ECONOMY'] },
  { name: 'typeOfAction', kind: ['CREATE', 'UPDATE', 'CANCEL'] },
  ...fields('text', 'originName originContactNumber originAddressLine1 originCity originPostalCode'),
  ...fields('text', 'destinationContactNumber destinationAddressLine1 destinationCity destinationPostalCode'),
  ...fields('country', 'originCountry destinationCountry'),
  ...fields('integer', 'numberOfShipments totalQuantity'),
  { name: 'totalWeight', kind: 'number' },
  { name: 'uomTotalWeight', kind: weights },
  { name: 'shippingDateTime', kind: 'date' },
];

const mandatoryItem: readonly Field[] = [
  { name: 'itemReferenceNumber', kind: 'text' },
  ...fields('number', 'itemQuantity itemWeight'),
  { name: 'itemWeightUom', kind: weights },
];

const mandatorySku: readonly Field[] = [
  ...fields('text', 'itemReferenceNumber skuCode skuNumber skuItemName'),
  { name: 'skuQuantity', kind: 'number' },
];

const addressSuffixes =
  'Code CompanyName ContactPerson ContactNumber2 Email AddressLine2 AddressLine3 Landmark County StateProvince PoBoxNumber Latitude Longitude PreferredStartTime PreferredEndTime Timezone';

const optional: readonly Field[] = [
  ...fields('text', 'exchangeOrderNumber merchantCode shipperTaxNumber originShipFromCode destinationShipToCode'),
  ...['origin', 'destination'].flatMap((end) => [
    ...addressSuffixes.split(' ').map((suffix): Field => ({ name: end + suffix, kind: 'text' })),
    { name: `${end}Type`, kind: ['BUSINESS', 'RESIDENTIAL'] },
  ]),
  ...fields('text', 'destinationName currencyCode deliveryInstructions slotToken'),
  ...fields('number', 'totalVolume amountToBeCollected invoiceValue'),
  { name: 'totalVolumeUom', kind: ['CBM', 'CFT'] },
  { name: 'paymentMode', kind: ['PREPAID', 'COD', 'CREDIT'] },
  { name: 'labelFormat', kind: ['PDF', 'ZPL', 'PNG'] },
  ...fields('object', 'shipper billTo info'),
];

const optionalItem: readonly Field[] = [
  ...fields(
    'text',
    'itemCode itemName itemStatus itemSpecialInstruction instructions itemVolumeUom itemTrackingNumber',
  ),
  ...fields('number', 'itemDeliveryServiceTime itemLength itemWidth itemHeight itemVolume'),
  { name: 'itemDimensionUom', kind: lengths },
  { name: 'tags', kind: 'texts' },
];

const optionalSku: readonly Field[] = [
  ...fields('text', 'skuItemDescription skuWeightUom skuCategory skuItemUnitPrice skuVolumeUom skuHsnCode'),
  ...fields('text', 'skuLineItemNo skuUom skuImageUrl'),
  ...fields('number', 'skuWeight skuLength skuWidth skuHeight skuVolume skuDeliveryServiceTime skuPickupServiceTime'),
  { name: 'skuDimensionUom', kind: lengths },
  { name: 'skuOriginCountry', kind: 'country' },
  { name: 'skuItemSequence', kind: 'integer' },
];

const optionalVas: readonly Field[] = [
  ...fields('text', 'vasCode remark'),
  { name: 'level', kind: ['SKU', 'CONSIGNMENT'] },
  { name: 'targetIds', kind: 'texts' },
  { name: 'serviceTime', kind: 'number' },
];

/** What makes the contract's request unacceptable: mandatory fields missing or malformed, one text each. */
export function findErrors(body: unknown): readonly string[] {
  if (!isObject(body)) return ['the body must be a JSON object'];
  const errors = check(body, mandatory, '', true);
  if (listAt(body, 'itemList').length === 0) errors.push('itemList must have at least one entry');
  listAt(body, 'itemList').forEach((item, index) =>
    errors.push(...check(item, mandatoryItem, `itemList[${index}].`, true)),
  );
  const items = listAt(body, 'itemList').map((item) => at(item, 'itemReferenceNumber'));
  if (new Set(items).size < items.length) errors.push('itemList.itemReferenceNumber must be unique');
  listAt(body, 'skuList').forEach((sku, index) => {
    errors.push(...check(sku, mandatorySku, `skuList[${index}].`, true));
    if (!items.includes(at(sku, 'itemReferenceNumber')))
      errors.push(`skuList[${index}].itemReferenceNumber names no entry of itemList`);
  });
  return errors;
}

/** What a tolerant carrier overlooks: fields that are not mandatory and of a wrong kind, or unknown. */
export function findRemarks(body: unknown): readonly string[] {
  const remarks = [...check(body, optional, '', false), ...unknownKeys(body, [...mandatory, ...optional], '')];
  const lists = [
    ['itemList', mandatoryItem, optionalItem],
    ['skuList', mandatorySku, optionalSku],
    ['vas', [], optionalVas],
  ] as const;
  for (const [name, must, may] of lists) {
    listAt(body, name).forEach((entry, index) => {
      const where = `${name}[${index}].`;
      remarks.push(...check(entry, may, where, false), ...unknownKeys(entry, [...must, ...may], where));
    });
  }
  return remarks;
}

const notFields = new Set(['itemList', 'skuList', 'vas', 'itemValue']);

function unknownKeys(value: unknown, known: readonly Field[], where: string): readonly string[] {
  if (!isObject(value)) return [];
  return Object.keys(value)
    .filter((key) => !notFields.has(key) && !known.some(({ name }) => name === key))
    .map((key) => `${where}${key} is not a field of the contract`);
}

function check(value: unknown, wanted: readonly Field[], where: string, required: boolean): string[] {
  const errors: string[] = [];
  for (const { name, kind } of wanted) {
    const given = at(value, name);
    if (given === undefined || given === null || (required && given === '')) {
      if (required) errors.push(`${where}${name} is required`);
    } else if (!fits(given, kind)) errors.push(`${where}${name} must be ${describe(kind)}`);
  }
  return errors;
}

function fits(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' && value >= 0;
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0;
    case 'date':
      return typeof value === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value);
    case 'country':
      return typeof value === 'string' && /^[A-Z]{2}$/.test(value);
    case 'texts':
      return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
    case 'object':
      return isObject(value);
    default:
      return typeof value === 'string' && kind.includes(value);
  }
}

function describe(kind: Kind): string {
  if (typeof kind !== 'string') return `one of ${kind.join(', ')}`;
  if (kind === 'date') return 'a time as YYYY-MM-DD HH:MM:SS';
  if (kind === 'country') return 'an ISO 3166-1 alpha-2 code';
  if (kind === 'texts') return 'an array of texts';
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}
