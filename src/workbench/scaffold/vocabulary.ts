/** Words of the trade, and what of a consignment they mean: what documents of any carrier say. */
import { phrasesOf } from './shape.ts';

export const words = (text: string): readonly string[] => text.trim().split(/\s+/);
/** Lines of `name: text`. */
const entries = (table: string): [name: string, text: string][] =>
  table
    .trim()
    .split('\n')
    .map((line) => /^(.*?): (.*)$/.exec(line)?.slice(1) as [string, string]);

/** Which end of the way. */
export const ENDS = {
  origin: words(
    'sender shipper from origin pickup collection consignor source dispatch fulfillment fulfilment warehouse depot exporter',
  ),
  destination: words(
    'receiver recipient recipients consignee to destination delivery deliver dropoff customer addressee buyer importer',
  ),
} as const;
export type End = keyof typeof ENDS;

/** Lists by what they are of, and what elements of theirs have. */
export const LISTS = {
  sku: {
    names: words(
      'sku skus line lines article articles product products goods commodity commodities customs content contents item items',
    ),
    has: words('hs tariff sku price origin commodity currency country'),
  },
  package: {
    names: words(
      'parcel parcels package packages piece pieces box boxes colli collo carton cartons item items unit units shipment shipments orders',
    ),
    has: words('weight kg length height width volume'),
  },
} as const;

export type MeaningType =
  | 'text'
  | 'person'
  | 'company'
  | 'street'
  | 'postcode'
  | 'country'
  | 'state'
  | 'phone'
  | 'email'
  | 'number'
  | 'price'
  | 'weight'
  | 'length'
  | 'day'
  | 'currency'
  | 'service'
  | 'reference'
  | 'words';

/** What a field holds, by words of its name (all of one phrase); the most words win, then the first row. */
export interface Meaning {
  readonly type: MeaningType;
  readonly field: string;
  /** For weights and lengths: the field with the unit. */
  readonly unit: string | undefined;
  readonly end: End | undefined;
  readonly phrases: readonly (readonly string[])[];
}

/** Lines of `type field: phrase, phrase`; behind a measure `in` and the field with its unit. */
const meanings = (table: string, end?: End): readonly Meaning[] =>
  entries(table).map(([head, phrases]) => {
    const [, type, field = '', unit] = /^(\w+) (\w+)(?: in (\w+))?$/.exec(head) ?? [];
    const own = end === undefined ? field : `${end}${field}`;
    return { type: type as MeaningType, field: own, unit, end, phrases: phrasesOf(phrases) };
  });

/** Of one end. */
const endMeanings = (end: End): readonly Meaning[] =>
  meanings(
    `
street AddressLine1: street, address 1, line 1, address line 1, address line, street 1, address, road, addr 1, street name, street lines, street address, lines, house number, house no, street number
street AddressLine2: address 2, line 2, address line 2, street 2, addr 2, apartment, suite, building, additional address
street AddressLine3: address 3, line 3, address line 3, street 3, addr 3
postcode PostalCode: zip, postcode, postal code, post code, zip code, postal, pincode, pin code, post
text City: city, town, suburb, locality, place, city name
state StateProvince: state, province, region, state code, state name, province code, state province, state or province code
country Country: country, country code, iso, country iso, country name
text County: county, district
company CompanyName: company, company name, business, organisation, organization, business name, trading name, name, name 1, firm
person Name: name, full name, name 1, first name, last name, surname
person ContactPerson: contact, contact name, person, person name, attention, attn, attention name, contact person, name 2
phone ContactNumber: phone, telephone, tel, mobile, phone number, contact number, telephone number, phone number 1, cell phone, mobile number
email Email: email, mail, email address, e mail, e mail address
text Landmark: landmark
text Latitude: latitude, lat
text Longitude: longitude, lng, lon`,
    end,
  );
export const END_MEANINGS = { origin: endMeanings('origin'), destination: endMeanings('destination') } as const;

/** Where a field stands: in the document, or in the entries of a list of ours. */
export type Inside = 'head' | 'package' | 'sku';

export const MEANINGS: Readonly<Record<Inside, readonly Meaning[]>> = {
  head: meanings(`
reference referenceId: reference, customer reference, ref, reference number, reference id, shipment reference, client reference, external id, reference 1, customer reference number 1, delivery reference, order reference, customer context
reference orderNumber: order, order number, order id, order no, reference 2, customer reference number 2, invoice number, order tracking reference, field 1
reference consignmentNumber: consignment, consignment number, shipment number, shipment id, reference 3, field 2
service Code: service, product, service code, product code, service type, service level, product id, service id, product type, ship method
weight totalWeight in uomTotalWeight: weight, total weight, gross weight, actual weight, weight value, shipment weight, kg, g, gram, grams, kilograms, lb, lbs, pounds
number numberOfShipments: pieces, number of pieces, parcel count, package count, number of parcels, number of packages, total package count, piece count
number amountToBeCollected: cod, cod amount, cash on delivery, collect amount
number invoiceValue: declared value, invoice value, goods value, insured value, customs value
currency currencyCode: currency, currency code, items currency
words deliveryInstructions: instructions, delivery instructions, remarks, note, notes, comment, comments, special instructions
day shippingDateTime: ship date, shipping date, pickup date, collection date, dispatch date, despatch date, planned date, ship datestamp, shipping date time, planned shipping date, planned shipping date and time, planned despatch date, shipment date
words itemName: description, contents, goods description, content, description of goods`),
  package: meanings(`
reference itemReferenceNumber: reference, id, ref, package, parcel id, package id, reference number, parcel reference, package reference, customer reference, customer reference number 1, name
weight itemWeight in itemWeightUom: weight, gross weight, weight value, mass, kg, g, gram, grams, kilos, kilograms, lb, lbs, pounds
length itemLength in itemDimensionUom: length, depth
length itemWidth in itemDimensionUom: width, breadth
length itemHeight in itemDimensionUom: height
number itemQuantity: quantity, qty, count, pieces
words itemName: description, contents, content, title, comments, customer reference number 2
number itemValue: value, declared value, price, amount
text itemCode: code, sku`),
  sku: meanings(`
text skuCode: code, sku, article number, product code, number, part number
words skuItemName: name, title, product name, description
words skuItemDescription: description, goods description
number skuQuantity: quantity, qty, count, units, pieces
weight skuWeight in skuWeightUom: weight, net weight, weight value, unit weight, unit kg
price skuItemUnitPrice: price, value, unit price, amount, unit value, value amount
text skuHsnCode: hs, hs code, tariff, hsn, commodity code, customs code, harmonized code, tariff code
country skuOriginCountry: origin, country, origin country, country of origin, country of manufacture, made in`),
};

/** Word → what it stands for, of lines `what it stands for: its words`. */
const byWord = (table: string): [word: string, meaning: string][] =>
  entries(table).flatMap(([meaning, text]) => words(text).map((word): [string, string] => [word, meaning]));

export const UNITS: Readonly<Record<'weight' | 'length', ReadonlyMap<string, string>>> = {
  weight: new Map(
    byWord(`
G: g gr gram grams gms grm
KG: kg kgs kgm kilo kilos kilogram kilograms
LB: lb lbs pound pounds
OZ: oz ounce ounces`),
  ),
  length: new Map(
    byWord(`
MM: mm mms millimetre millimeter millimetres millimeters
CM: cm cms cmt centimeter centimeters centimetre centimetres
M: m mtr metre meter
IN: in inch inches ins inh
FT: ft foot feet`),
  ),
};

/** What a status says, by words of its code or description: the first row with one of them. */
export const STATUS_HINTS: readonly (readonly [word: string, status: string])[] = byWord(`
Return in Transit: returning
Returned to Origin: return rts
Cancelled: cancel void
Out for Delivery: out_for on_van courier
Delivery Failed: not_delivered undeliver fail missed attempt refus
Order Delivered: deliver pod
Customs Cleared: customs_clear
Customs Hold: customs
Delayed: delay
On Hold: hold
Lost: lost
Damaged: damage
Order Picked Up: pick collect
In Transit: transit depart moving
At Facility: hub depot facility arriv
Label Generated: label
Order Created: creat regist book new accept`);
