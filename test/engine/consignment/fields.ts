/** The fields of a create request, with what each of the four profiles makes of them. */
import { put } from './orders.ts';

/** A field, its levels for OP, OB, FP and FB, a right value, and a wrong one. */
type Field = readonly [path: string, levels: string, right: unknown, wrong: unknown];

const number = [2, '2'] as const;
const text = ['Example', 5] as const;
const flag = [true, 'yes'] as const;
const local = (at: string) => [at, at.replace(' ', 'T')] as const;

/** Fields of one object; what is alike in all shares a row. */
const of = (parent: string, rows: readonly (readonly [names: string, ...rest: readonly unknown[]])[]): Field[] =>
  rows.flatMap(([names, levels, right, wrong]) =>
    names.split(' ').map((name): Field => [`${parent}.${name}`, levels as string, right, wrong]),
  );

const dangerousGoods = (parent: string): Field[] => [
  ...of(`${parent}.dangerousGoods[0]`, [
    ['unNumber', 'MMMM', 'UN3481', '3481'],
    ['class', 'MMMM', '9', '10'],
    ['packingGroup', '----', 'II', '2'],
    ['properShippingName', '----', ...text],
    ['quantity', 'MMMM', 0.4, 0],
    ['quantityUom', 'MMMM', 'KG', 'kg'],
    ['isLimitedQuantity', '----', ...flag],
  ]),
];

/** What orders may say beyond the contract. */
export const INFORMATION: readonly Field[] = [
  ...of('consignmentDetails.additionalInformation', [
    ['isSignatureRequired atl identityCheck', '----', ...flag],
    [
      'rateId slotReservation exchangeOrderNumber pickUpPointCode pickUpPointName originDoor destinationDoor',
      '----',
      ...text,
    ],
    ['declaredValue insuredAmount shippingCost', '----', 12.5, -1],
    ['currency', '----', 'EUR', 'euro'],
    ['incoterm', '----', 'DDP', 'ddp'],
    ['reasonForExport', '----', 'SALE', 'SOLD'],
    ['customsInvoiceNumber', '----', 'INV-1', 1],
    ['customsInvoiceDate recipientBirthDate', '----', '2000-02-29', '2001-02-29'],
    ['ioss', '----', 'IM0123456789', '0123456789'],
    ['originEori destinationEori', '----', 'DE123456789012345', 'de1'],
    ['originVatNumber destinationVatNumber', '----', 'CHE-123.456.789', '!'],
    ['originFloor destinationFloor', '----', -1, 'second'],
    ['minimumAge', '----', 18, 0],
    ['importerOfRecord.name', 'MMMM', 'Example Imports', 5],
    ['importerOfRecord.country', 'MMMM', 'US', 'USA'],
    ['importerOfRecord.companyName importerOfRecord.addressLine1 importerOfRecord.addressLine2', '----', ...text],
    ['importerOfRecord.city importerOfRecord.stateProvince', '----', ...text],
    ['importerOfRecord.postalCode', '----', '10115', 10_115],
    ['importerOfRecord.contactNumber importerOfRecord.email', '----', ...text],
    ['importerOfRecord.eori', '----', 'DE1', 'd'],
    ['importerOfRecord.vatNumber', '----', 'DE123456789', '?'],
    ['notifications[0].channel', 'MMMM', 'EMAIL', 'FAX'],
    ['notifications[0].contact', 'MMMM', 'max@example.com', 5],
    ['notifications[0].name', '----', ...text],
    ['notifications[0].language', '----', 'de-CH', 'German'],
  ]),
  ...of('consignmentDetails.packageDetails[0].additionalInformation', [['insuredAmount', '----', 12.5, -1]]),
  ...dangerousGoods('consignmentDetails.packageDetails[0].additionalInformation'),
  ...of('consignmentDetails.skuDetails[0].additionalInformation', [['minimumAge', '----', 16, 200]]),
  ...dangerousGoods('consignmentDetails.skuDetails[0].additionalInformation'),
];

export const FIELDS: readonly Field[] = [
  ...of('consignmentDetails', [
    ['referenceNumber', 'MMMM', 'REF', 5],
    ['orderNumber', 'MMMM', 'ORD-1', 5],
    ['consignmentNumber', 'MMMM', 'CON-1', null],
    ['consignmentType', 'MMMM', 'FORWARD', 'Forward'],
    ['serviceType', 'MMMM', 'Express', ' '],
    ['shipByDate', 'MMMM', '2026-05-01', '2026-02-30'],
    ['totalWeight', 'MMMM', 2.5, '2.5'],
    ['totalWeightUom', 'MMMM', 'KG', 'kg'],
    ['totalQuantity', 'MMMM', 1, 1.5],
    ['businessUnit', 'RRRR', ...text],
    ['totalVolume', 'RMRM', ...number],
    ['totalVolumeUom', 'RMRM', 'CBM', 5],
    ['specialInstructions', 'RMRM', ...text],
    ['deliveryInstructions', 'RRRR', ...text],
    ['paymentTobeCollected', 'OOOO', { paymentMode: 'PREPAID', amount: 5, currency: 'EUR' }, 'COD'],
    ['paymentTobeCollected.paymentMode', '----', 'PREPAID', 'CASH'],
    ['paymentTobeCollected.amount', '----', ...number],
    ['paymentTobeCollected.currency', '----', 'EUR', 5],
    ['labelFormat', 'OO--', 'PDF', 'GIF'],
    ['consignmentGroupId routingType slotToken', '----', ...text],
    ['routingPriority', '----', 3, 'high'],
    ['totalPalletQuantity', '----', 1, 0.5],
    ['routingTags', '----', ['north'], 'north'],
    ['additionalInformation', '----', { isSignatureRequired: true, atl: false }, []],
    ['stackable fragile vip hazmat heavyWeight scannable', '----', ...flag],
  ]),
  ...of('consignmentDetails.packageDetails[0]', [
    ['id', 'MMMM', 'P1', 5],
    ['type', 'MMMM', 'Carton', 5],
    ['length', 'MMRM', 30, '30'],
    ['width', 'MMRM', 20, '20'],
    ['height', 'MMRM', 10, null],
    ['dimensionUom', 'MMRM', 'CM', 'cm'],
    ['weight', 'MMMM', 2.5, '2.5'],
    ['weightUom', 'MMMM', 'KG', 'G'],
    ['quantity', 'MMMM', 1, 1.5],
    ['description', 'RMRM', ...text],
    ['value', 'RRRR', ...number],
    ['volume', '-MRM', ...number],
    ['volumeUom', '-MRM', 'CM3', 5],
    ['tags', 'OROR', ['Fragile'], 'Fragile'],
    ['instructions', 'OROR', ...text],
    ['trackingDetails', 'OO--', [{ trackingNumber: 'X-1', barcode: 'X-1' }], {}],
    ['trackingDetails[0].trackingNumber trackingDetails[0].barcode', 'OO--', 'X-1', 5],
    ['trackingDetails[0].labelUrl', 'OO--', 'https://labels.example.com/1.pdf', 'javascript:1'],
    ['additionalInformation', 'OOOO', { any: 'thing' }, 'x'],
    ['packageStatus', '----', 'AVAILABLE', 5],
  ]),
  ...of('consignmentDetails.skuDetails[0]', [
    ['code name', '-RRR', ...text],
    ['quantity', '-RRR', 1, '1'],
    ['unitPrice value', '-RRR', ...number],
    ['packageIds', '-RRR', ['P1'], 'P1'],
    ['lineItemNo', '-OOO', '1', 1],
    ['category hsnName description', '-OOO', ...text],
    ['originCountry', '-OOO', 'DE', 'Germany'],
    ['weight length width height volume deliveryServiceTime pickupServiceTime', '-OOO', ...number],
    ['weightUom', '-OOO', 'LB', 'OZ'],
    ['dimensionUom', '-OOO', 'IN', 'FT'],
    ['volumeUom', '-OOO', 'CM3', 5],
    ['imageUrl', '-OOO', 'https://images.example.com/1.png', 'no url'],
    ['uom', '-OOO', 'BOX', 5],
    ['fragile stackable hazmat heavyWeight vip', '-OOO', ...flag],
  ]),
  ...of('consignmentDetails.vas[0]', [
    ['vasCode', 'RRRR', 'INSTALLATION', 5],
    ['level', 'RRRR', 'CONSIGNMENT', 'PACKAGE'],
    ['targetIds', 'RRRR', ['P1'], 'P1'],
    ['serviceTime', 'RRRR', ...number],
    ['remark', 'OOOO', ...text],
  ]),
  ...of('carrier', [['code', 'MMMM', 'acme', 5]]),
  ...of('shipFrom', [
    ['contact.name', 'MMMM', 'Ann Example', 5],
    ['contact.contactNumber', 'MMMM', '+49 30 000001', 49],
    ['address.line1', 'MMMM', '1 Example Street', 5],
    ['address.city', 'MMMM', 'Berlin', 5],
    ['address.pincode', 'MMMM', '10115', 10_115],
    ['address.country', 'MMMM', 'DE', 'XX'],
    ['pickupStartDateTime', 'RMRM', ...local('2026-05-01 09:00:00')],
    ['pickupEndDateTime', 'RMRM', ...local('2026-05-01 12:00:00')],
    ['originFacilityCode contact.companyName', 'RRRR', ...text],
    ['contact.email', 'RRRR', 'ann@example.com', 5],
    ['timezone', 'RRRR', 'Europe/Berlin', 'Europe/Nowhere'],
    ['address.latitude', 'OOOO', 52.5, '52.5'],
    ['address.longitude', 'OOOO', 13.4, null],
    ['address.type', 'OOOO', 'FACILITY', 'RESIDENTIAL'],
    ['address.line2 address.line3 address.landmark address.state address.county', '----', ...text],
    ['address.poBoxNumber address.code', '----', ...text],
    ['contact.secondaryContactNumber', '----', '+49 30 000002', 49],
  ]),
  ...of('shipTo', [
    ['contact.name', 'MMMM', 'Bob Example', 5],
    ['contact.contactNumber', 'MMMM', '+49 40 000003', 49],
    ['address.line1', 'MMMM', '2 Example Road', 5],
    ['address.pincode', 'MMMM', '20095', 20_095],
    ['address.county', 'MMMM', 'Altstadt', 5],
    ['address.country', 'MMMM', 'DE', 'Germany'],
    ['address.city', 'RRRR', 'Hamburg', 5],
    ['destinationFacilityCode', 'RRRR', ...text],
    ['contact.email', 'RRRR', 'bob@example.com', 5],
    ['address.type', 'RRRR', 'Residential', 'Facility'],
    ['deliveryStartDateTime', 'RMRM', ...local('2026-05-03 09:00:00')],
    ['deliveryEndDateTime', 'RMRM', ...local('2026-05-03 12:00:00')],
    ['timezone', 'RRRR', 'Europe/Berlin', 'Berlin'],
    ['address.latitude', 'OOOO', 53.5, '53.5'],
    ['address.longitude', 'OOOO', 10, 'ten'],
    ['address.poBoxNumber', 'OOOO', ...text],
  ]),
  ...of('returnTo', [
    ['returnFacilityCode contact.name address.line1 address.city', 'RRRR', ...text],
    ['contact.contactNumber', 'RRRR', '+49 30 000004', 49],
    ['address.pincode', 'RRRR', '10115', 10_115],
    ['address.country', 'RRRR', 'DE', 'D'],
    ['contact.email', 'OOOO', 'back@example.com', 5],
    ['contact.companyName address.state', 'OOOO', ...text],
    ['address.type', 'OOOO', 'FACILITY', 'facility'],
    ['address.latitude', 'OOOO', 52.5, '52.5'],
    ['address.longitude', 'OOOO', 13.4, []],
  ]),
  ...of('routeDetails', [
    ['skills', '---M', ['two-man'], 'two-man'],
    ['serviceAreaCode vehicleType', '---R', ...text],
    ['priority', '---O', 1, 'high'],
  ]),
  ...INFORMATION,
];

/** A carrier for each of the four profiles. */
const CARRIERS = { OP: 'acme', OB: 'heavy', FP: 'fleet', FB: 'heavyfleet' } as const;
export type Profile = keyof typeof CARRIERS;
export const PROFILE_NAMES = Object.keys(CARRIERS) as Profile[];

const carrier = (code: string, capabilities: string): string => `
carrier: ${code}
name: Example ${code}
capabilities: ${capabilities}
environments: { production: { url: 'https://${code}.example.com' } }
services: { Express: { typeOfService: EXPRESS }, Standard: { typeOfService: STANDARD } }
operations:
  create: { post: /orders, body: { json: consignment }, result: response.body }
  update: { put: /orders, body: { json: consignment } }
  cancel: { post: /cancel, body: { json: consignment } }
statuses: { table: { DELIVERED: Order Delivered } }
`;

/** Those that `apiWorld` does not have by itself. */
export const profiles = {
  heavy: carrier('heavy', '{ bulky: true, vas: [INSTALLATION, TWO_MAN_DELIVERY] }'),
  fleet: carrier('fleet', '{ fleet: own }'),
  heavyfleet: carrier('heavyfleet', '{ fleet: own, bulky: true }'),
};

/** Every field, with a right value. */
export const wholeOrder = (profile: Profile, reference: string): Record<string, unknown> => {
  const order = {};
  for (const [path, , right] of FIELDS) put(order, path, structuredClone(right));
  put(order, 'carrier.code', CARRIERS[profile]);
  put(order, 'consignmentDetails.referenceNumber', reference);
  return order;
};

/** What the records must know, or refuse. */
export const SLOT_TOKEN = 'consignmentDetails.slotToken';
/** All fields but the token of a slot, as there is no reservation. */
export const unslottedOrder = (...of: Parameters<typeof wholeOrder>): Record<string, unknown> => {
  const order = wholeOrder(...of);
  delete (order['consignmentDetails'] as Record<string, unknown>)['slotToken'];
  return order;
};

/** Fields that this profile may lack. */
export const optionalsOf = (profile: Profile): readonly string[] =>
  FIELDS.filter(([, levels]) => levels[PROFILE_NAMES.indexOf(profile)] !== 'M').map(([path]) => path);
