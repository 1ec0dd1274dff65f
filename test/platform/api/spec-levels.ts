/** The field tables of the specification (spec/shipper-api.md, "Consignment create request"), one row a field. */

/** The line of the specification, the field, its levels for OP, OB, FP and FB, a right value, and a wrong one. */
export type LevelRow = readonly [line: number, path: string, levels: string, right: unknown, wrong: unknown];

const number = [2, '2'] as const;
const text = ['Example', 5] as const;
const flag = [true, 'yes'] as const;
const local = (at: string) => [at, at.replace(' ', 'T')] as const;

const details: readonly LevelRow[] = (
  [
    [26, 'referenceNumber', 'MMMM', 'REF', 5],
    [27, 'orderNumber', 'MMMM', 'ORD-1', 5],
    [28, 'consignmentNumber', 'MMMM', 'CON-1', null],
    [29, 'consignmentType', 'MMMM', 'FORWARD', 'Forward'],
    [30, 'serviceType', 'MMMM', 'Express', ' '],
    [31, 'shipByDate', 'MMMM', '2026-05-01', '2026-02-30'],
    [32, 'totalWeight', 'MMMM', 2.5, '2.5'],
    [33, 'totalWeightUom', 'MMMM', 'KG', 'kg'],
    [34, 'totalQuantity', 'MMMM', 1, 1.5],
    [35, 'businessUnit', 'RRRR', ...text],
    [36, 'totalVolume', 'RMRM', ...number],
    [36, 'totalVolumeUom', 'RMRM', 'CBM', 5],
    [37, 'specialInstructions', 'RMRM', ...text],
    [38, 'deliveryInstructions', 'RRRR', ...text],
    [39, 'paymentTobeCollected', 'OOOO', { paymentMode: 'PREPAID', amount: 5, currency: 'EUR' }, 'COD'],
    [39, 'paymentTobeCollected.paymentMode', '----', 'PREPAID', 'CASH'],
    [39, 'paymentTobeCollected.amount', '----', ...number],
    [39, 'paymentTobeCollected.currency', '----', 'EUR', 5],
    [40, 'labelFormat', 'OO--', 'PDF', 'GIF'],
    [42, 'consignmentGroupId', '----', ...text],
    [42, 'routingPriority', '----', 3, 'high'],
    [42, 'totalPalletQuantity', '----', 1, 0.5],
    [42, 'routingTags', '----', ['north'], 'north'],
    [42, 'routingType', '----', ...text],
    [42, 'slotToken', '----', ...text],
    [42, 'additionalInformation', '----', { isSignatureRequired: true, atl: false }, []],
    [42, 'additionalInformation.isSignatureRequired', '----', ...flag],
    [42, 'additionalInformation.atl', '----', ...flag],
    ...['stackable', 'fragile', 'vip', 'hazmat', 'heavyWeight', 'scannable'].map((name): LevelRow => [
      42,
      name,
      '----',
      ...flag,
    ]),
  ] satisfies LevelRow[]
).map(([line, name, ...rest]): LevelRow => [line, `consignmentDetails.${name}`, ...rest]);

const packages: readonly LevelRow[] = (
  [
    [48, 'id', 'MMMM', 'P1', 5],
    [49, 'type', 'MMMM', 'Carton', 5],
    [50, 'length', 'MMRM', 30, '30'],
    [50, 'width', 'MMRM', 20, '20'],
    [50, 'height', 'MMRM', 10, null],
    [51, 'dimensionUom', 'MMRM', 'CM', 'cm'],
    [52, 'weight', 'MMMM', 2.5, '2.5'],
    [53, 'weightUom', 'MMMM', 'KG', 'G'],
    [54, 'quantity', 'MMMM', 1, 1.5],
    [55, 'description', 'RMRM', ...text],
    [56, 'value', 'RRRR', ...number],
    [57, 'volume', '-MRM', ...number],
    [57, 'volumeUom', '-MRM', 'CM3', 5],
    [58, 'tags', 'OROR', ['Fragile'], 'Fragile'],
    [59, 'instructions', 'OROR', ...text],
    [60, 'trackingDetails', 'OO--', [{ trackingNumber: 'X-1', barcode: 'X-1' }], {}],
    [60, 'trackingDetails[0].trackingNumber', 'OO--', 'X-1', 5],
    [60, 'trackingDetails[0].barcode', 'OO--', 'X-1', 5],
    [60, 'trackingDetails[0].labelUrl', 'OO--', 'https://labels.example.com/1.pdf', 'javascript:1'],
    [61, 'additionalInformation', 'OOOO', { any: 'thing' }, 'x'],
    [62, 'packageStatus', '----', 'AVAILABLE', 5],
  ] satisfies LevelRow[]
).map(([line, name, ...rest]): LevelRow => [line, `consignmentDetails.packageDetails[0].${name}`, ...rest]);

const skus: readonly LevelRow[] = (
  [
    [68, 'code', 'R', ...text],
    [69, 'name', 'R', ...text],
    [70, 'quantity', 'R', 1, '1'],
    [71, 'unitPrice', 'R', ...number],
    [71, 'value', 'R', ...number],
    [72, 'packageIds', 'R', ['P1'], 'P1'],
    [73, 'lineItemNo', 'O', '1', 1],
    [74, 'category', 'O', ...text],
    [75, 'hsnName', 'O', ...text],
    [76, 'originCountry', 'O', 'DE', 'Germany'],
    [77, 'weight', 'O', ...number],
    [77, 'weightUom', 'O', 'LB', 'OZ'],
    [78, 'length', 'O', ...number],
    [78, 'width', 'O', ...number],
    [78, 'height', 'O', ...number],
    [78, 'dimensionUom', 'O', 'IN', 'FT'],
    [79, 'volume', 'O', ...number],
    [79, 'volumeUom', 'O', 'CM3', 5],
    [80, 'description', 'O', ...text],
    [81, 'imageUrl', 'O', 'https://images.example.com/1.png', 'no url'],
    [82, 'uom', 'O', 'BOX', 5],
    [83, 'deliveryServiceTime', 'O', ...number],
    [83, 'pickupServiceTime', 'O', ...number],
    ...['fragile', 'stackable', 'hazmat', 'heavyWeight', 'vip'].map((name): LevelRow => [84, name, 'O', ...flag]),
  ] satisfies LevelRow[]
).map(([line, name, level, ...rest]): LevelRow => [
  line,
  `consignmentDetails.skuDetails[0].${name}`,
  `-${level.repeat(3)}`,
  ...rest,
]);

const vas: readonly LevelRow[] = [
  [90, 'consignmentDetails.vas[0].vasCode', 'RRRR', 'INSTALLATION', 5],
  [91, 'consignmentDetails.vas[0].level', 'RRRR', 'CONSIGNMENT', 'PACKAGE'],
  [92, 'consignmentDetails.vas[0].targetIds', 'RRRR', ['P1'], 'P1'],
  [93, 'consignmentDetails.vas[0].serviceTime', 'RRRR', ...number],
  [94, 'consignmentDetails.vas[0].remark', 'OOOO', ...text],
];

const parties: readonly LevelRow[] = [
  [100, 'carrier.code', 'MMMM', 'acme', 5],
  [106, 'shipFrom.contact.name', 'MMMM', 'Ann Example', 5],
  [107, 'shipFrom.contact.contactNumber', 'MMMM', '+49 30 000001', 49],
  [108, 'shipFrom.address.line1', 'MMMM', '1 Example Street', 5],
  [108, 'shipFrom.address.city', 'MMMM', 'Berlin', 5],
  [108, 'shipFrom.address.pincode', 'MMMM', '10115', 10_115],
  [109, 'shipFrom.address.country', 'MMMM', 'DE', 'XX'],
  [110, 'shipFrom.pickupStartDateTime', 'RMRM', ...local('2026-05-01 09:00:00')],
  [111, 'shipFrom.pickupEndDateTime', 'RMRM', ...local('2026-05-01 12:00:00')],
  [112, 'shipFrom.originFacilityCode', 'RRRR', ...text],
  [113, 'shipFrom.contact.email', 'RRRR', 'ann@example.com', 5],
  [113, 'shipFrom.contact.companyName', 'RRRR', ...text],
  [114, 'shipFrom.timezone', 'RRRR', 'Europe/Berlin', 'Europe/Nowhere'],
  [115, 'shipFrom.address.latitude', 'OOOO', 52.5, '52.5'],
  [115, 'shipFrom.address.longitude', 'OOOO', 13.4, null],
  [116, 'shipFrom.address.type', 'OOOO', 'FACILITY', 'RESIDENTIAL'],
  ...['line2', 'line3', 'landmark', 'state', 'county', 'poBoxNumber', 'code'].map((name): LevelRow => [
    118,
    `shipFrom.address.${name}`,
    '----',
    ...text,
  ]),
  [118, 'shipFrom.contact.secondaryContactNumber', '----', '+49 30 000002', 49],
  [124, 'shipTo.contact.name', 'MMMM', 'Bob Example', 5],
  [125, 'shipTo.contact.contactNumber', 'MMMM', '+49 40 000003', 49],
  [126, 'shipTo.address.line1', 'MMMM', '2 Example Road', 5],
  [126, 'shipTo.address.pincode', 'MMMM', '20095', 20_095],
  [127, 'shipTo.address.county', 'MMMM', 'Altstadt', 5],
  [128, 'shipTo.address.country', 'MMMM', 'DE', 'Germany'],
  [129, 'shipTo.address.city', 'RRRR', 'Hamburg', 5],
  [130, 'shipTo.destinationFacilityCode', 'RRRR', ...text],
  [131, 'shipTo.contact.email', 'RRRR', 'bob@example.com', 5],
  [132, 'shipTo.address.type', 'RRRR', 'Residential', 'Facility'],
  [133, 'shipTo.deliveryStartDateTime', 'RMRM', ...local('2026-05-03 09:00:00')],
  [134, 'shipTo.deliveryEndDateTime', 'RMRM', ...local('2026-05-03 12:00:00')],
  [135, 'shipTo.timezone', 'RRRR', 'Europe/Berlin', 'Berlin'],
  [136, 'shipTo.address.latitude', 'OOOO', 53.5, '53.5'],
  [136, 'shipTo.address.longitude', 'OOOO', 10, 'ten'],
  [137, 'shipTo.address.poBoxNumber', 'OOOO', ...text],
  [143, 'returnTo.returnFacilityCode', 'RRRR', ...text],
  [144, 'returnTo.contact.name', 'RRRR', ...text],
  [144, 'returnTo.contact.contactNumber', 'RRRR', '+49 30 000004', 49],
  [145, 'returnTo.address.line1', 'RRRR', ...text],
  [146, 'returnTo.address.city', 'RRRR', ...text],
  [146, 'returnTo.address.pincode', 'RRRR', '10115', 10_115],
  [146, 'returnTo.address.country', 'RRRR', 'DE', 'D'],
  [147, 'returnTo.contact.email', 'OOOO', 'back@example.com', 5],
  [147, 'returnTo.contact.companyName', 'OOOO', ...text],
  [148, 'returnTo.address.type', 'OOOO', 'FACILITY', 'facility'],
  [148, 'returnTo.address.state', 'OOOO', ...text],
  [149, 'returnTo.address.latitude', 'OOOO', 52.5, '52.5'],
  [149, 'returnTo.address.longitude', 'OOOO', 13.4, []],
  [155, 'routeDetails.skills', '---M', ['two-man'], 'two-man'],
  [156, 'routeDetails.serviceAreaCode', '---R', ...text],
  [157, 'routeDetails.priority', '---O', 1, 'high'],
  [158, 'routeDetails.vehicleType', '---R', ...text],
];

export const LEVELS: readonly LevelRow[] = [...details, ...packages, ...skus, ...vas, ...parties];
