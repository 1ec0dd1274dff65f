/** Words of the trade, and what of a consignment they mean. No carrier's: what documents of any of them say. */

/** Which end of the way. */
export const ENDS: Readonly<Record<'origin' | 'destination', readonly string[]>> = {
  origin: ['sender', 'shipper', 'from', 'origin', 'pickup', 'collection', 'consignor', 'source', 'dispatch'],
  destination: [
    'receiver',
    'recipient',
    'consignee',
    'to',
    'destination',
    'delivery',
    'deliver',
    'dropoff',
    'customer',
    'addressee',
    'buyer',
  ],
};

/** Lists by what they are of. */
export const LISTS: Readonly<Record<'package' | 'sku', readonly string[]>> = {
  package: [
    'parcel',
    'parcels',
    'package',
    'packages',
    'piece',
    'pieces',
    'box',
    'boxes',
    'colli',
    'carton',
    'cartons',
    'item',
    'items',
    'unit',
    'units',
    'shipment',
    'shipments',
    'orders',
  ],
  sku: [
    'sku',
    'skus',
    'line',
    'lines',
    'article',
    'articles',
    'product',
    'products',
    'goods',
    'commodity',
    'commodities',
    'customs',
    'contents',
  ],
};

/** What a field holds, by words of its name (all of one row); the row with most words wins, then the first. */
export interface Meaning {
  readonly words: readonly (readonly string[])[];
  readonly expression: string;
  readonly type: 'text' | 'number' | 'weight' | 'length';
  /** For weights and lengths: the field with the unit. */
  readonly unit?: string;
}

const text = (expression: string, ...words: readonly string[]): Meaning => ({
  expression,
  type: 'text',
  words: split(words),
});
const number = (expression: string, ...words: readonly string[]): Meaning => ({
  expression,
  type: 'number',
  words: split(words),
});
const measure = (
  type: 'weight' | 'length',
  expression: string,
  unit: string,
  ...words: readonly string[]
): Meaning => ({ expression, type, unit, words: split(words) });
const split = (words: readonly string[]): string[][] => words.map((row) => row.split(' '));

/** Of one end; `end` is `origin` or `destination`. */
export const endMeanings = (end: 'origin' | 'destination'): readonly Meaning[] => [
  text(
    `${end}AddressLine1`,
    'street',
    'address 1',
    'line 1',
    'address line 1',
    'street 1',
    'address',
    'road',
    'addr 1',
    'street name',
  ),
  text(`${end}AddressLine2`, 'address 2', 'line 2', 'address line 2', 'street 2', 'addr 2', 'apartment', 'suite'),
  text(`${end}AddressLine3`, 'address 3', 'line 3', 'address line 3', 'street 3', 'addr 3'),
  text(`${end}PostalCode`, 'zip', 'postcode', 'postal code', 'post code', 'zip code', 'postal', 'pincode', 'pin code'),
  text(`${end}City`, 'city', 'town', 'suburb', 'locality', 'place', 'city name'),
  text(`${end}StateProvince`, 'state', 'province', 'region', 'state code', 'state name', 'province code'),
  text(`${end}Country`, 'country', 'country code', 'iso', 'country iso'),
  text(`${end}County`, 'county', 'district'),
  text(
    `$first(${end}ContactPerson, ${end}Name)`,
    'name',
    'contact',
    'contact name',
    'person',
    'full name',
    'attention',
    'attn',
    'contact person',
  ),
  text(`${end}CompanyName`, 'company', 'company name', 'business', 'organisation', 'organization', 'business name'),
  text(
    `${end}ContactNumber`,
    'phone',
    'telephone',
    'tel',
    'mobile',
    'phone number',
    'contact number',
    'telephone number',
  ),
  text(`${end}Email`, 'email', 'mail', 'email address', 'e mail'),
  text(`${end}Landmark`, 'landmark'),
  text(`${end}Latitude`, 'latitude', 'lat'),
  text(`${end}Longitude`, 'longitude', 'lng', 'lon'),
];

export const HEAD_MEANINGS: readonly Meaning[] = [
  text(
    'referenceId',
    'reference',
    'customer reference',
    'ref',
    'reference number',
    'reference id',
    'shipment reference',
    'client reference',
    'external id',
  ),
  text('orderNumber', 'order', 'order number', 'order id', 'order reference', 'order no'),
  text('consignmentNumber', 'consignment', 'consignment number', 'shipment number', 'shipment id'),
  text(
    '$service.code',
    'service',
    'product',
    'service code',
    'product code',
    'service type',
    'service level',
    'product id',
    'service id',
  ),
  measure('weight', 'totalWeight', 'uomTotalWeight', 'weight', 'total weight', 'gross weight'),
  number(
    'numberOfShipments',
    'pieces',
    'number of pieces',
    'parcel count',
    'package count',
    'number of parcels',
    'quantity',
    'number of packages',
  ),
  number('amountToBeCollected', 'cod', 'cod amount', 'cash on delivery', 'collect amount'),
  number('invoiceValue', 'value', 'declared value', 'invoice value', 'goods value', 'insured value', 'customs value'),
  text('currencyCode', 'currency', 'currency code'),
  text(
    'deliveryInstructions',
    'instructions',
    'delivery instructions',
    'remarks',
    'note',
    'notes',
    'comment',
    'comments',
    'special instructions',
  ),
  text(
    'shippingDateTime',
    'ship date',
    'shipping date',
    'pickup date',
    'collection date',
    'dispatch date',
    'planned date',
  ),
  text('labelFormat', 'label format', 'label type', 'format'),
  text('$first(itemList[0].itemName, "Goods")', 'description', 'contents', 'goods description', 'content'),
  text('typeOfOrder', 'order type', 'shipment type'),
];

export const PACKAGE_MEANINGS: readonly Meaning[] = [
  text(
    'itemReferenceNumber',
    'reference',
    'id',
    'number',
    'ref',
    'parcel id',
    'package id',
    'reference number',
    'parcel reference',
  ),
  measure('weight', 'itemWeight', 'itemWeightUom', 'weight', 'gross weight', 'weight value', 'mass'),
  measure('length', 'itemLength', 'itemDimensionUom', 'length', 'depth'),
  measure('length', 'itemWidth', 'itemDimensionUom', 'width', 'breadth'),
  measure('length', 'itemHeight', 'itemDimensionUom', 'height'),
  number('itemQuantity', 'quantity', 'qty', 'count', 'pieces'),
  text('itemName', 'description', 'name', 'contents', 'content', 'title'),
  number('itemValue', 'value', 'declared value', 'price', 'amount'),
  text('itemCode', 'code', 'sku'),
];

export const SKU_MEANINGS: readonly Meaning[] = [
  text('skuCode', 'code', 'sku', 'id', 'article number', 'product code', 'number'),
  text('skuItemName', 'name', 'title', 'product name'),
  text('$first(skuItemDescription, skuItemName)', 'description', 'goods description'),
  number('skuQuantity', 'quantity', 'qty', 'count', 'units', 'pieces'),
  measure('weight', 'skuWeight', 'skuWeightUom', 'weight', 'net weight', 'weight value'),
  number('$number(skuItemUnitPrice)', 'price', 'value', 'unit price', 'amount', 'unit value'),
  text('skuHsnCode', 'hs', 'hs code', 'tariff', 'hsn', 'commodity code', 'customs code', 'harmonized code'),
  text(
    'skuOriginCountry',
    'origin',
    'country',
    'origin country',
    'country of origin',
    'country of manufacture',
    'made in',
  ),
];

/** Units as they are written, and as `$convert` knows them. */
export const UNITS: Readonly<Record<'weight' | 'length', Readonly<Record<string, string>>>> = {
  weight: {
    g: 'G',
    gram: 'G',
    grams: 'G',
    kg: 'KG',
    kgs: 'KG',
    kilo: 'KG',
    kilos: 'KG',
    kilogram: 'KG',
    kilograms: 'KG',
    lb: 'LB',
    lbs: 'LB',
    pound: 'LB',
    pounds: 'LB',
    oz: 'OZ',
    ounce: 'OZ',
    ounces: 'OZ',
  },
  length: {
    mm: 'MM',
    cm: 'CM',
    cms: 'CM',
    centimeter: 'CM',
    centimeters: 'CM',
    centimetre: 'CM',
    centimetres: 'CM',
    m: 'M',
    inch: 'IN',
    inches: 'IN',
    ins: 'IN',
    ft: 'FT',
    foot: 'FT',
    feet: 'FT',
  },
};

/** What a status says, by words of its code or description: the first row with one of them. */
export const STATUS_WORDS: readonly (readonly [string, string])[] = [
  ['return', 'Returned to Origin'],
  ['rts', 'Returned to Origin'],
  ['cancel', 'Cancelled'],
  ['void', 'Cancelled'],
  ['out_for', 'Out for Delivery'],
  ['on_van', 'Out for Delivery'],
  ['courier', 'Out for Delivery'],
  ['not_delivered', 'Delivery Failed'],
  ['undeliver', 'Delivery Failed'],
  ['fail', 'Delivery Failed'],
  ['missed', 'Delivery Failed'],
  ['attempt', 'Delivery Failed'],
  ['refus', 'Delivery Failed'],
  ['deliver', 'Order Delivered'],
  ['pod', 'Order Delivered'],
  ['customs_clear', 'Customs Cleared'],
  ['customs', 'Customs Hold'],
  ['delay', 'Delayed'],
  ['hold', 'On Hold'],
  ['lost', 'Lost'],
  ['damage', 'Damaged'],
  ['pick', 'Order Picked Up'],
  ['collect', 'Order Picked Up'],
  ['transit', 'In Transit'],
  ['depart', 'In Transit'],
  ['moving', 'In Transit'],
  ['hub', 'At Facility'],
  ['depot', 'At Facility'],
  ['facility', 'At Facility'],
  ['arriv', 'At Facility'],
  ['label', 'Label Generated'],
  ['creat', 'Order Created'],
  ['regist', 'Order Created'],
  ['book', 'Order Created'],
  ['new', 'Order Created'],
  ['accept', 'Order Created'],
];
