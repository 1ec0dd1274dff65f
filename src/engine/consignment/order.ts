import { type Static, Type } from 'typebox';
import { AdditionalInformation, PackageInformation, SkuInformation } from './additional.ts';
import { clearable, type LevelledSchema, may, must, type OptionalLevels, type Profile, schemaFor } from './levels.ts';

/**
 * The shipper's create request: each field once, with its type and its levels in the profiles OP, OB, FP, FB. Fields
 * that are not named here are kept, not refused; they reach mappings in the consignment's `info`.
 */

/** Text; not blank where its field is mandatory. */
export const text = (maxLength = 200) => Type.String({ maxLength });
const decimal = () => Type.Number();
const integer = () => Type.Integer();
const flag = () => Type.Boolean();
const country = () => Type.String({ format: 'country', examples: ['IN', 'DE'] });
const timeZone = () => Type.String({ format: 'time-zone', examples: ['Asia/Kolkata'] });
const localTime = () => Type.String({ format: 'local-date-time', examples: ['2026-05-01 09:00:00'] });
const url = () => Type.String({ format: 'http-url', maxLength: 2_000 });
const texts = (maxItems: number) => Type.Array(text(), { maxItems });
const weightUnit = () => Type.Enum(['KG', 'LB']);
const volumeUnit = () => Type.String({ maxLength: 10, examples: ['MM3', 'CM3', 'CBM'] });

/** Most packages, SKUs and services of one consignment. */
export const PACKAGES_MAX = 500;
export const SKUS_MAX = 1_000;
const VAS_MAX = 200;

const OTHER_KEYS = 'Any other keys and values are kept as well.';

const flags = (levels: OptionalLevels) => ({
  fragile: may(levels, flag()),
  stackable: may(levels, flag()),
  hazmat: may(levels, flag()),
  heavyWeight: may(levels, flag()),
  vip: may(levels, flag()),
});
const dimensions = (levels: OptionalLevels) => ({
  length: may(levels, decimal()),
  width: may(levels, decimal()),
  height: may(levels, decimal()),
  dimensionUom: may(levels, Type.Enum(['CM', 'IN'])),
});

const PackageTracking = Type.Object({
  trackingNumber: may('OO--', text()),
  barcode: may('OO--', text(500)),
  labelUrl: may('OO--', url()),
});

const Package = Type.Object({
  id: must(text(100), 'Unique among the packages of the consignment.'),
  type: must(text(50), 'Kind of unit: Carton, Pallet, Envelope, Crate, Bag.'),
  ...dimensions('MMRM'),
  weight: must(decimal()),
  weightUom: must(weightUnit()),
  quantity: must(integer(), 'Units in this entry.'),
  description: may('RMRM', text(500)),
  value: may('RRRR', decimal(), 'Declared value.'),
  volume: may('-MRM', decimal()),
  volumeUom: may('-MRM', volumeUnit()),
  tags: may('OROR', texts(50), 'For example Fragile.'),
  instructions: may('OROR', text(2_000), 'Takes the place of the instructions of the consignment for this package.'),
  trackingDetails: may(
    'OO--',
    Type.Array(PackageTracking, { maxItems: 50 }),
    'Filled where labels are made elsewhere.',
  ),
  additionalInformation: may('OOOO', PackageInformation, OTHER_KEYS),
  packageStatus: may('----', text(50), 'For example AVAILABLE.'),
});
export type Package = Static<typeof Package>;

const Sku = Type.Object({
  code: may('-RRR', text(100)),
  name: may('-RRR', text(500)),
  quantity: may('-RRR', decimal(), 'Equal to the units of the packages it is in.'),
  unitPrice: may('-RRR', decimal()),
  value: may('-RRR', decimal()),
  packageIds: may('-RRR', texts(PACKAGES_MAX), 'The packages it is in, by their id.'),
  lineItemNo: may('-OOO', text(100)),
  category: may('-OOO', text()),
  hsnName: may('-OOO', text(50), 'Tariff code.'),
  originCountry: may('-OOO', country()),
  weight: may('-OOO', decimal()),
  weightUom: may('-OOO', weightUnit()),
  ...dimensions('-OOO'),
  volume: may('-OOO', decimal()),
  volumeUom: may('-OOO', volumeUnit()),
  description: may('-OOO', text(1_000)),
  imageUrl: may('-OOO', url()),
  uom: may('-OOO', text(50), 'For example BOX, EACH, PAIR.'),
  deliveryServiceTime: may('-OOO', decimal(), 'Minutes.'),
  pickupServiceTime: may('-OOO', decimal(), 'Minutes.'),
  ...flags('-OOO'),
  additionalInformation: may('----', SkuInformation, OTHER_KEYS),
});
export type Sku = Static<typeof Sku>;

const Vas = Type.Object({
  vasCode: may('RRRR', text(100), 'ROOM_OF_CHOICE, TWO_MAN_DELIVERY, HAUL_AWAY_OLD, INSTALLATION, …'),
  level: may('RRRR', Type.Enum(['SKU', 'CONSIGNMENT'])),
  targetIds: may('RRRR', texts(SKUS_MAX), 'Line numbers of SKUs, or ids of packages; required when level is SKU.'),
  serviceTime: may('RRRR', decimal(), 'Minutes at the stop.'),
  remark: may('OOOO', text(1_000)),
});
export type Vas = Static<typeof Vas>;

const Payment = Type.Object({
  paymentMode: may('----', Type.Enum(['PREPAID', 'COD'])),
  amount: may('----', decimal(), 'Required for COD.'),
  currency: may('----', text(3), 'ISO 4217; required for COD.'),
});

const ConsignmentDetails = Type.Object({
  referenceNumber: must(text(100), 'Unique per order; webhooks carry it.'),
  orderNumber: must(text(100)),
  consignmentNumber: must(text(100)),
  consignmentType: must(Type.Enum(['FORWARD', 'REVERSE'])),
  serviceType: must(text(100), 'A service of the carrier, or in the own fleet a skill of drivers.'),
  shipByDate: must(Type.String({ format: 'date', examples: ['2026-05-01'] })),
  totalWeight: must(decimal()),
  totalWeightUom: must(weightUnit()),
  totalQuantity: must(integer(), 'Number of packages.'),
  businessUnit: may('RRRR', text()),
  totalVolume: may('RMRM', decimal()),
  totalVolumeUom: may('RMRM', volumeUnit()),
  specialInstructions: may('RMRM', text(2_000)),
  deliveryInstructions: may('RRRR', text(2_000)),
  paymentTobeCollected: may('OOOO', Payment, 'Required for cash on delivery.'),
  labelFormat: may('OO--', Type.Enum(['PDF', 'ZPL']), 'Default: PDF.'),
  consignmentGroupId: may('----', text()),
  routingPriority: may('----', integer()),
  totalPalletQuantity: may('----', integer()),
  routingTags: may('----', texts(50)),
  routingType: may('----', text()),
  slotToken: may('----', text(500), 'From the booking of a slot.'),
  additionalInformation: may('----', AdditionalInformation, OTHER_KEYS),
  ...flags('----'),
  scannable: may('----', flag()),
  packageDetails: must(Type.Array(Package, { minItems: 1, maxItems: PACKAGES_MAX })),
  skuDetails: may('----', Type.Array(Sku, { maxItems: SKUS_MAX })),
  vas: may('----', Type.Array(Vas, { maxItems: VAS_MAX })),
});

type Optional = 'RRRR' | 'OOOO' | '----';
const contactExtras = (email: Optional, companyName: Optional) => ({
  email: may(email, text(254)),
  companyName: may(companyName, text()),
  secondaryContactNumber: may('----', text(50)),
});
const addressExtras = (state: Optional = '----') => ({
  code: may('----', text(100)),
  line2: may('----', text()),
  line3: may('----', text()),
  landmark: may('----', text()),
  state: may(state, text(100)),
  latitude: may('OOOO', decimal()),
  longitude: may('OOOO', decimal()),
});
const addressType = () => Type.Enum(['FACILITY', 'Residential']);

const ShipFrom = Type.Object({
  contact: must(Type.Object({ name: must(text()), contactNumber: must(text(50)), ...contactExtras('RRRR', 'RRRR') })),
  address: must(
    Type.Object({
      line1: must(text()),
      city: must(text(100)),
      pincode: must(text(30)),
      country: must(country()),
      type: may('OOOO', addressType()),
      county: may('----', text(100)),
      poBoxNumber: may('----', text(50)),
      ...addressExtras(),
    }),
  ),
  pickupStartDateTime: may('RMRM', localTime()),
  pickupEndDateTime: may('RMRM', localTime()),
  originFacilityCode: may('RRRR', text(100), 'Fills in what is missing of the address.'),
  timezone: may('RRRR', timeZone()),
});

const ShipTo = Type.Object({
  contact: must(Type.Object({ name: must(text()), contactNumber: must(text(50)), ...contactExtras('RRRR', '----') })),
  address: must(
    Type.Object({
      line1: must(text()),
      pincode: must(text(30)),
      county: must(text(100), 'Suburb or county.'),
      country: must(country()),
      city: may('RRRR', text(100)),
      type: may('RRRR', addressType()),
      poBoxNumber: may('OOOO', text(50)),
      ...addressExtras(),
    }),
  ),
  deliveryStartDateTime: may('RMRM', localTime()),
  deliveryEndDateTime: may('RMRM', localTime()),
  destinationFacilityCode: may('RRRR', text(100), 'Fills in what is missing of the address.'),
  timezone: may('RRRR', timeZone()),
});

const ReturnTo = Type.Object({
  returnFacilityCode: may('RRRR', text(100), 'Preferred over a full address.'),
  contact: may(
    'RRRR',
    Type.Object({ name: may('RRRR', text()), contactNumber: may('RRRR', text(50)), ...contactExtras('OOOO', 'OOOO') }),
  ),
  address: may(
    'RRRR',
    Type.Object({
      line1: may('RRRR', text(), 'Required without a returnFacilityCode.'),
      city: may('RRRR', text(100)),
      pincode: may('RRRR', text(30)),
      country: may('RRRR', country()),
      type: may('OOOO', addressType()),
      county: may('----', text(100)),
      poBoxNumber: may('----', text(50)),
      ...addressExtras('OOOO'),
    }),
  ),
});

const RouteDetails = Type.Object({
  skills: may('---M', texts(50), 'Only drivers who have all of them are assigned.'),
  serviceAreaCode: may('---R', text(100)),
  priority: may('---O', decimal(), 'Higher is earlier.'),
  vehicleType: may('---R', text(100)),
});

const Quoted = Type.Object({
  service: may('----', text(100)),
  total: may('----', decimal()),
  currency: may('----', text(3)),
});

/** One definition for all profiles: what every profile must have is required by the type, the rest is optional. */
export const Order = Type.Object({
  consignmentDetails: must(ConsignmentDetails),
  carrier: must(
    Type.Object({
      code: must(
        text(100),
        'A carrier of the platform, of which one of an own fleet selects own-fleet mode; or a policy that chooses one. `AUTO`: your default policy.',
      ),
      offerId: may('----', text(4_000), 'Of `POST /v2/checkout/rates`: it decides carrier, service and price.'),
      quoted: may('----', Quoted, 'Of the offer; filled in.'),
    }),
  ),
  shipFrom: must(ShipFrom),
  shipTo: must(ShipTo),
  returnTo: may('OOOO', ReturnTo),
  routeDetails: may('---M', RouteDetails),
});
export type Order = Static<typeof Order>;

const ORDER = Order as unknown as LevelledSchema;

export const createSchema = (profile: Profile): LevelledSchema => schemaFor(ORDER, profile);

/**
 * What an update leaves of an order. Its own additional information was checked as it came; the order may hold what an
 * earlier version did not check.
 */
export const updatedSchema = (profile: Profile): LevelledSchema =>
  JSON.parse(
    JSON.stringify(createSchema(profile), (key, held: unknown) => (key === 'additionalInformation' ? {} : held)),
  ) as LevelledSchema;

/**
 * The update request of a profile: only `consignmentDetails.referenceNumber` is required; what is included beside it
 * follows the same structure as in a create, and `null` clears what need not be there.
 */
export const updateSchema = (profile: Profile): LevelledSchema => {
  const { properties = {}, ...rest } = clearable(createSchema(profile));
  const consignmentDetails = { ...properties['consignmentDetails'], required: ['referenceNumber'] };
  return { ...rest, properties: { ...properties, consignmentDetails }, required: ['consignmentDetails'] };
};
