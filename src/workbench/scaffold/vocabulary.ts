/** Words of the trade, and what of a consignment they mean: what documents of any carrier say. */
import { phrasesOf } from './shape.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);
/** Lines of `name: text`. */
const entries = (table: string): [name: string, text: string][] =>
  table
    .trim()
    .split('\n')
    .map((line) => /^(.*?): (.*)$/.exec(line)?.slice(1) as [string, string]);

/** Which end of the way. */
export const ENDS = {
  origin: words('sender shipper from origin pickup collection consignor source dispatch'),
  destination: words('receiver recipient consignee to destination delivery deliver dropoff customer addressee buyer'),
} as const;
export type End = keyof typeof ENDS;

/** Lists by what they are of. */
export const LISTS = {
  package: words(
    `parcel parcels package packages piece pieces box boxes colli carton cartons item items unit units shipment shipments
     orders`,
  ),
  sku: words('sku skus line lines article articles product products goods commodity commodities customs contents'),
} as const;

/** What a field holds, by words of its name (all of one phrase); the most words win, then the first row. */
export interface Meaning {
  readonly phrases: readonly (readonly string[])[];
  readonly expression: string;
  readonly type: 'text' | 'number' | 'weight' | 'length';
  /** For weights and lengths: the field with the unit. */
  readonly unit: string | undefined;
}

/** Lines of `type expression: phrase, phrase`; behind a measure `in` and the field with its unit. */
const meanings = (table: string): readonly Meaning[] =>
  entries(table).map(([head, phrases]) => {
    const [, type, expression = '', unit] = /^(\w+) (.*?)(?: in (\w+))?$/.exec(head) ?? [];
    return { type: type as Meaning['type'], expression, unit, phrases: phrasesOf(phrases) };
  });

/** Of one end. */
export const endMeanings = (end: End): readonly Meaning[] =>
  meanings(`
text ${end}AddressLine1: street, address 1, line 1, address line 1, street 1, address, road, addr 1, street name
text ${end}AddressLine2: address 2, line 2, address line 2, street 2, addr 2, apartment, suite
text ${end}AddressLine3: address 3, line 3, address line 3, street 3, addr 3
text ${end}PostalCode: zip, postcode, postal code, post code, zip code, postal, pincode, pin code
text ${end}City: city, town, suburb, locality, place, city name
text ${end}StateProvince: state, province, region, state code, state name, province code
text ${end}Country: country, country code, iso, country iso
text ${end}County: county, district
text $first(${end}ContactPerson, ${end}Name): name, contact, contact name, person, full name, attention, attn, contact person
text ${end}CompanyName: company, company name, business, organisation, organization, business name
text ${end}ContactNumber: phone, telephone, tel, mobile, phone number, contact number, telephone number
text ${end}Email: email, mail, email address, e mail
text ${end}Landmark: landmark
text ${end}Latitude: latitude, lat
text ${end}Longitude: longitude, lng, lon`);

/** Where a field stands: in the document, or in the entries of a list of ours. */
export type Inside = 'head' | 'package' | 'sku';

export const MEANINGS: Readonly<Record<Inside, readonly Meaning[]>> = {
  head: meanings(`
text referenceId: reference, customer reference, ref, reference number, reference id, shipment reference, client reference, external id
text orderNumber: order, order number, order id, order reference, order no
text consignmentNumber: consignment, consignment number, shipment number, shipment id
text $service.code: service, product, service code, product code, service type, service level, product id, service id
weight totalWeight in uomTotalWeight: weight, total weight, gross weight
number numberOfShipments: pieces, number of pieces, parcel count, package count, number of parcels, quantity, number of packages
number amountToBeCollected: cod, cod amount, cash on delivery, collect amount
number invoiceValue: value, declared value, invoice value, goods value, insured value, customs value
text currencyCode: currency, currency code
text deliveryInstructions: instructions, delivery instructions, remarks, note, notes, comment, comments, special instructions
text shippingDateTime: ship date, shipping date, pickup date, collection date, dispatch date, planned date
text labelFormat: label format, label type, format
text $first(itemList[0].itemName, "Goods"): description, contents, goods description, content
text typeOfOrder: order type, shipment type`),
  package: meanings(`
text itemReferenceNumber: reference, id, number, ref, parcel id, package id, reference number, parcel reference
weight itemWeight in itemWeightUom: weight, gross weight, weight value, mass
length itemLength in itemDimensionUom: length, depth
length itemWidth in itemDimensionUom: width, breadth
length itemHeight in itemDimensionUom: height
number itemQuantity: quantity, qty, count, pieces
text itemName: description, name, contents, content, title
number itemValue: value, declared value, price, amount
text itemCode: code, sku`),
  sku: meanings(`
text skuCode: code, sku, id, article number, product code, number
text skuItemName: name, title, product name
text $first(skuItemDescription, skuItemName): description, goods description
number skuQuantity: quantity, qty, count, units, pieces
weight skuWeight in skuWeightUom: weight, net weight, weight value
number $number(skuItemUnitPrice): price, value, unit price, amount, unit value
text skuHsnCode: hs, hs code, tariff, hsn, commodity code, customs code, harmonized code
text skuOriginCountry: origin, country, origin country, country of origin, country of manufacture, made in`),
};

/** Word → what it stands for, of lines `what it stands for: its words`. */
const byWord = (table: string): [word: string, meaning: string][] =>
  entries(table).flatMap(([meaning, text]) => words(text).map((word): [string, string] => [word, meaning]));

export const UNITS: Readonly<Record<'weight' | 'length', ReadonlyMap<string, string>>> = {
  weight: new Map(
    byWord(`
G: g gram grams
KG: kg kgs kilo kilos kilogram kilograms
LB: lb lbs pound pounds
OZ: oz ounce ounces`),
  ),
  length: new Map(
    byWord(`
MM: mm
CM: cm cms centimeter centimeters centimetre centimetres
M: m
IN: inch inches ins
FT: ft foot feet`),
  ),
};

/** What a status says, by words of its code or description: the first row with one of them. */
export const STATUS_HINTS: readonly (readonly [word: string, status: string])[] = byWord(`
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
