import { describe, expect, it } from 'vitest';
import { directoryCaseFiles } from '../../src/workbench/cases/read.ts';
import { readSchemas } from '../../src/workbench/cases/request-schemas.ts';
import { writeDocument } from '../../src/workbench/simulate/document.ts';
import { readScenes } from '../../src/workbench/simulate/scenes.ts';
import { bundled, ROOT } from './bundled.ts';

const files = directoryCaseFiles(ROOT);
const CODES = files
  .folders('fixtures')
  .filter((code) => files.list(`fixtures/${code}`).some((name) => name.endsWith('.schema.json')));

/** What a request of a case is spoilt by, where it is sent, and what is said of it. */
type Refused = readonly [
  carrier: string,
  file: string,
  target: string,
  spoil: (body: string) => string,
  says: string | RegExp,
];

const set =
  (path: string, value?: unknown) =>
  (body: string): string => {
    const tree = JSON.parse(body) as unknown;
    const keys = path.split('.');
    // oxlint-disable-next-line typescript/no-explicit-any
    const holder = keys.slice(0, -1).reduce((held: any, key) => held[key], tree);
    if (value === undefined) delete holder[keys.at(-1) ?? ''];
    else holder[keys.at(-1) ?? ''] = value;
    return JSON.stringify(tree);
  };
const swap = (from: string | RegExp, to: string) => (body: string) => body.replace(from, to);

const ARAMEX = 'POST /Shipping/Service_1_0.svc';
const DPD = 'POST /soap/services/ShipmentService/V3_3';
const PUROLATOR = 'POST /EWS/V2/Shipping/ShippingService.asmx';
const FEDEX = 'POST /ship/v1/shipments';
const UPS = 'POST /api/shipments/v2409/ship';
const SHIPMENT = 'ShipmentRequest.Shipment';
const REFUSED: readonly Refused[] = [
  [
    'aramex',
    'one-package.request.xml',
    ARAMEX,
    swap(/(<v1:ActualWeight>[\s\S]*?<v1:Value>)2.4/, '$10'),
    'ActualWeight.Value must match',
  ],
  ['aramex', 'one-package.request.xml', ARAMEX, swap('>OND<', '>PPX<'), 'ProductType must be equal to one of'],
  [
    'aramex',
    'one-package.request.xml',
    ARAMEX,
    swap(/(<v1:ShippingDateTime>.*?>)\s*(<v1:DueDate>.*?>)/, '$2$1'),
    'Shipment has its elements in another order',
  ],
  [
    'australia_post',
    'one-package.request.json',
    'POST /shipping/v1/shipments',
    set('shipments.0.to.postcode', '300'),
    'to.postcode must match',
  ],
  [
    'australia_post',
    'one-package.request.json',
    'POST /shipping/v1/shipments',
    set('shipments.0.items.0.weight', 30),
    'weight must be <= 22',
  ],
  [
    'australia_post',
    'one-package.request.json',
    'POST /shipping/v1/shipments',
    set('shipments.0.items.0.product_id', 'X1'),
    'product_id must match',
  ],
  [
    'dpd',
    'three-packages.request.xml',
    DPD,
    swap(/<city>Mechelen<\/city>/, ''),
    "sender must have required property 'city'",
  ],
  ['dpd', 'three-packages.request.xml', DPD, swap('<weight>240<', '<weight>2.4<'), 'weight must match'],
  [
    'dpd',
    'three-packages.request.xml',
    DPD,
    swap(/(<country>BE.*?>)\s*(<zipCode>.*?>)/s, '$2$1'),
    'sender has its elements in another order',
  ],
  [
    'example_bulky',
    'one-package.request.json',
    'POST /',
    set('vas.0.vasCode', 'GIFT_WRAP'),
    'vas.0.vasCode must be equal to one of',
  ],
  ['example_bulky', 'one-package.request.json', 'POST /', set('vas', []), 'vas must contain at least 1'],
  [
    'example_bulky',
    'one-package.request.json',
    'POST /',
    set('destinationPreferredEndTime', ''),
    'destinationPreferredEndTime must NOT have fewer',
  ],
  [
    'example_bulky',
    'one-package.request.json',
    'POST /',
    set('info.serviceCode', 'ROCKET'),
    'info.serviceCode must be equal to one of',
  ],
  [
    'example_bulky',
    'one-package.request.json',
    'POST /',
    set('vas.1', { vasCode: 'INSTALLATION' }),
    "vas.1 must have required property 'serviceTime'",
  ],
  [
    'fedex',
    'one-package.request.json',
    FEDEX,
    set('requestedShipment.recipients.0.contact.phoneNumber', '555'),
    'phoneNumber must NOT have fewer',
  ],
  [
    'fedex',
    'one-package.request.json',
    FEDEX,
    set('requestedShipment.recipients.0.address.countryCode', 'DE'),
    'serviceType must be equal to one of the allowed values: INTERNATIONAL',
  ],
  [
    'fedex',
    'one-package.request.json',
    FEDEX,
    set('requestedShipment.recipients.0.address.countryCode', 'DE'),
    "must have required property 'customsClearanceDetail'",
  ],
  [
    'fedex',
    'one-package.request.json',
    FEDEX,
    set('requestedShipment.labelSpecification.labelStockType', 'STOCK_4X6'),
    'labelStockType must match',
  ],
  [
    'fedex',
    'one-package.request.json',
    FEDEX,
    set('requestedShipment.shipDatestamp', '1 May'),
    'shipDatestamp must match',
  ],
  [
    'landmark',
    'one-package.request.xml',
    'POST /Ship.php',
    swap('<State>ON<', '<State>Ontario<'),
    'ShipTo.State must match',
  ],
  ['landmark', 'one-package.request.xml', 'POST /Ship.php', swap('LGINTSTD', 'LGINTX'), 'ShipMethod must match'],
  [
    'landmark',
    'one-package.request.xml',
    'POST /Ship.php',
    swap('<Weight>4.5</Weight>', ''),
    "must have required property 'Weight'",
  ],
  ['plain', 'one-package.request.json', 'POST /', set('originCountry', 'Germany'), 'originCountry must match'],
  ['plain', 'one-package.request.json', 'POST /', set('totalQuantity', 1.5), 'totalQuantity must be integer'],
  ['plain', 'one-package.request.json', 'POST /', set('shippingDateTime', '2026-05-01'), 'shippingDateTime must match'],
  [
    'plain',
    'one-package.request.json',
    'POST /',
    set('itemList.0.itemWeight'),
    "itemList.0 must have required property 'itemWeight'",
  ],
  ['purolator', 'one-package.request.xml', PUROLATOR, swap('V5C5A9', '12345'), 'PostalCode must match'],
  [
    'purolator',
    'one-package.request.xml',
    PUROLATOR,
    swap('PurolatorExpress', 'PurolatorExpressU.S.'),
    'ServiceID must NOT be valid',
  ],
  [
    'purolator',
    'one-package.request.xml',
    PUROLATOR,
    swap(/(<v2:City>.*?<\/v2:City>)\s*(<v2:Province>.*?<\/v2:Province>)/, '$2$1'),
    'Address has its elements in another order',
  ],
  [
    'purolator',
    'one-package.request.xml',
    PUROLATOR,
    swap('<v2:Value>3<', '<v2:Value>2.4<'),
    'TotalWeight.Value must match',
  ],
  [
    'royal_mail',
    'three-packages.request.json',
    'POST /api/v1/orders',
    set('items.0.packages.0.weightInGrams', 1.5),
    'weightInGrams must be integer',
  ],
  [
    'royal_mail',
    'three-packages.request.json',
    'POST /api/v1/orders',
    set('items.0.packages.0.packageFormatIdentifier', 'box'),
    'packageFormatIdentifier must be equal',
  ],
  [
    'royal_mail',
    'three-packages.request.json',
    'POST /api/v1/orders',
    set('items', [{}, {}]),
    'items must NOT have more than 1',
  ],
  [
    'seko',
    'one-package.request.json',
    'POST /labels/printshipment',
    set('Destination.Address.CountryCode'),
    "must have required property 'CountryCode'",
  ],
  ['seko', 'one-package.request.json', 'POST /labels/printshipment', set('Packages.0.Kg', 0), 'Kg must be > 0'],
  [
    'seko',
    'one-package.request.json',
    'POST /labels/printshipment',
    set('Outputs', ['LABEL_GIF']),
    'Outputs.0 must match',
  ],
  [
    'seko',
    'one-package.request.json',
    'POST /labels/printshipment',
    set('Service', 'Teleport'),
    'Service must be equal to one of',
  ],
  [
    'sendle',
    'one-package.request.json',
    'POST /api/orders',
    set('weight', { units: 'kg', value: '0' }),
    'weight.value must match',
  ],
  [
    'sendle',
    'one-package.request.json',
    'POST /api/orders',
    set('receiver.address', {}),
    "receiver.address must have required property 'postcode'",
  ],
  [
    'sendle',
    'one-package.request.json',
    'POST /api/orders',
    set('receiver.address.country', 'NZ'),
    "must have required property 'parcel_contents'",
  ],
  [
    'teleship',
    'one-package.request.json',
    'POST /api/shipments/labels',
    set('customs', { contentType: 'Junk' }),
    'customs.contentType must be equal',
  ],
  [
    'teleship',
    'one-package.request.json',
    'POST /api/shipments/labels',
    set('commodities'),
    "must have required property 'commodities'",
  ],
  ['ups', 'one-package.request.json', UPS, set(`${SHIPMENT}.Shipper.ShipperNumber`, ''), 'ShipperNumber must match'],
  [
    'ups',
    'one-package.request.json',
    UPS,
    set(`${SHIPMENT}.ShipTo.Address.StateProvinceCode`, 'California'),
    'StateProvinceCode must match',
  ],
  [
    'ups',
    'one-package.request.json',
    UPS,
    set(`${SHIPMENT}.ShipTo.Address.PostalCode`, '9000'),
    'PostalCode must match',
  ],
  [
    'ups',
    'one-package.request.json',
    UPS,
    set(`${SHIPMENT}.ShipTo.Address.AddressLine.1`, 'x'.repeat(36)),
    'AddressLine.1 must NOT have more than 35',
  ],
  [
    'ups',
    'one-package.request.json',
    UPS,
    set(`${SHIPMENT}.Shipper.Phone.Number`, '+12125550100'),
    'Phone.Number must match',
  ],
  [
    'ups',
    'one-package.request.json',
    UPS,
    set(`${SHIPMENT}.Service.Code`, '99'),
    'Service.Code must be equal to one of',
  ],
  [
    'ups',
    'one-package.request.json',
    UPS,
    set(`${SHIPMENT}.ReferenceNumber`, [{ Value: 'REF-1' }]),
    'Shipment must NOT be valid',
  ],
  [
    'ups',
    'one-package.request.json',
    UPS,
    set(`${SHIPMENT}.Package.0.PackageWeight.UnitOfMeasurement.Code`, 'KGS'),
    'UnitOfMeasurement.Code must be equal to constant',
  ],
  [
    'ups',
    'one-package.request.json',
    UPS,
    set(`${SHIPMENT}.Package.0.PackageWeight.Weight`, 5.3),
    'Weight must be string',
  ],
  [
    'ups',
    'one-package.request.json',
    UPS,
    set(`${SHIPMENT}.ShipTo.Address.CountryCode`, 'GB'),
    'Service.Code must NOT be valid',
  ],
  [
    'usps',
    'one-package.request.json',
    'POST /labels/v3/label',
    set('packageDescription.weight', 71),
    'weight must be <= 70',
  ],
  [
    'usps',
    'one-package.request.json',
    'POST /labels/v3/label',
    set('packageDescription.mailClass', 'PIGEON'),
    'mailClass must be equal to one of',
  ],
  [
    'usps',
    'payment.request.json',
    'POST /payments/v3/payment-authorization',
    set('roles.1.roleName', 'OTHER'),
    'roles must contain at least 1',
  ],
  [
    'dhl_express',
    'one-package.request.json',
    'POST /shipments',
    set('productCode'),
    "must have required property 'productCode'",
  ],
  [
    'dhl_express',
    'one-package.request.json',
    'POST /shipments',
    set('accounts', [{ typeCode: 'shipper' }]),
    "accounts.0 must have required property 'number'",
  ],
  [
    'dhl_express',
    'one-package.request.json',
    'POST /shipments',
    set('surprise', 1),
    'additional properties (surprise)',
  ],
  [
    'dhl_express',
    'one-package.request.json',
    'POST /shipments',
    set('content.packages.0.weight', '2.4'),
    'weight must be number',
  ],
  [
    'dhl_express',
    'one-package.request.json',
    'POST /shipments',
    set('content.packages.0.dimensions', { length: 30, width: 20 }),
    "dimensions must have required property 'height'",
  ],
  [
    'dhl_express',
    'one-package.request.json',
    'POST /shipments',
    set('content.unitOfMeasurement', 'kg'),
    'unitOfMeasurement must be equal',
  ],
  [
    'dhl_express',
    'one-package.request.json',
    'POST /shipments',
    set('customerDetails.receiverDetails.postalAddress.addressLine2', ''),
    'addressLine2 must NOT have fewer',
  ],
  [
    'dhl_express',
    'one-package.request.json',
    'POST /shipments',
    set('plannedShippingDateAndTime', '2026-05-01T10:00:00Z'),
    'plannedShippingDateAndTime must match',
  ],
];

const sentTo = (target: string) => {
  const [method = '', where = ''] = target.split(' ');
  const url = new URL(where, 'https://carrier.example');
  return {
    method,
    segments: url.pathname.split('/').filter((one) => one !== ''),
    query: Object.fromEntries(url.searchParams),
  };
};

it.each(REFUSED)('%s does not take %s at %s: %#', (code, file, target, spoil, says) => {
  const schemas = readSchemas(code, files);
  const body = files.read(`fixtures/${code}/${file}`)?.toString() ?? '';
  const headers = { 'content-type': file.endsWith('.xml') ? 'text/xml' : 'application/json' };
  const findings = (text: string) => schemas.findingsOf({ ...sentTo(target), headers, body: Buffer.from(text) });
  expect(findings(body)).toEqual([]);
  expect(findings(spoil(body)).join('; ')).toMatch(says);
});

it.each([
  [
    'australia_post',
    `GET /shipping/v1/track?tracking_ids=${Array.from({ length: 11 }, (_, at) => `A${at}`).join(',')}`,
    undefined,
    'tracking_ids must match',
  ],
  [
    'fedex',
    'POST /track/v1/trackingnumbers',
    { trackingInfo: Array.from({ length: 31 }, () => ({})) },
    'trackingInfo must NOT have more than 30',
  ],
  ['seko', 'POST /labels/delete', Array.from({ length: 51 }, String), 'the body must NOT have more than 50'],
  ['teleship', 'POST /oauth/token', { clientId: 'a' }, "must have required property 'clientSecret'"],
  ['royal_mail', 'GET /api/v1/orders/1001/label', undefined, "must have required property 'documentType'"],
  ['dhl_express', 'DELETE /pickups/HAM260501000001', undefined, "must have required property 'requestorName'"],
  [
    'dhl_express',
    'GET /tracking?shipmentReference=REF-1001',
    undefined,
    "must have required property 'shipperAccountNumber'",
  ],
])('%s does not take %s', (code, target, json, says) => {
  const body = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
  const headers = { 'content-type': 'application/json' };
  expect(
    readSchemas(code, files)
      .findingsOf({ ...sentTo(target), headers, body })
      .join('; '),
  ).toMatch(says);
});

describe.each(CODES)('%s', (code) => {
  it('takes every request that its cases show it taking', async () => {
    const { scenes } = await readScenes(bundled(code), files);
    const schemas = readSchemas(code, files);
    const broken = scenes
      .filter(({ isGood }) => isGood)
      .flatMap(({ case: name, request }) => {
        const body = request.body.tree === undefined ? undefined : writeDocument(request.body);
        return schemas.findingsOf({ ...request, body }).map((finding) => `${name}: ${finding}`);
      });
    expect(broken).toEqual([]);
  });
});
