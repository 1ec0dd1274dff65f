import type { ServiceRow } from '../profile/carrier.ts';
import { isBlank } from '../text.ts';
import { present, valueAt } from '../value.ts';
import { informationOf } from './additional.ts';
import {
  Consignment,
  ConsignmentItem,
  type ConsignmentShipper,
  ConsignmentSku,
  ConsignmentVas,
  type LabelFormat,
} from './consignment.ts';
import { type Links, linksOf } from './links.ts';
import type { Order, Sku, Vas } from './order.ts';
import type { FieldSchema } from './translation.ts';

export interface TranslationContext {
  readonly operation: 'create' | 'update' | 'cancel';
  readonly carrierCode: string;
  /** The row of `services` for the order's `serviceType`: see `findService`. */
  readonly service: Pick<ServiceRow, 'typeOfService'>;
  /** See `chooseLabelFormat`. */
  readonly labelFormat: LabelFormat;
  /** The shipper's registered details; without them `shipFrom` stands for the shipper. */
  readonly shipper?: ConsignmentShipper | undefined;
  readonly merchantCode?: string | undefined;
  readonly shipperTaxNumber?: string | undefined;
  readonly billTo?: Consignment['billTo'] | undefined;
}

/**
 * A valid order in the canonical form of the carrier contract. Every value of the order is in it: in its field, or,
 * where it has none or the field holds something made of it, in `info` under its own path. Pure.
 */
export const translate = (order: Order, context: TranslationContext): Consignment => {
  const { consignmentDetails: details, shipFrom, shipTo } = order;
  const taken = takenBy(HEAD_FIELDS);
  const inDetails = within(taken, ['consignmentDetails']);

  const head = copied(HEAD_FIELDS, order);
  if (order.carrier.code === context.carrierCode) take(taken, ['carrier', 'code']);
  // Between the shipper and the platform.
  for (const field of ['offerId', 'quoted']) take(taken, ['carrier', field]);
  if (details.labelFormat === context.labelFormat) take(inDetails, ['labelFormat']);
  if (isBlank(shipTo.address.city)) head['destinationCity'] = shipTo.address.county;
  if (head['currencyCode'] === undefined) head['currencyCode'] = details.additionalInformation?.currency;
  const volume = toContractVolume(details.totalVolume, details.totalVolumeUom);
  if (volume?.exact === true) for (const field of ['totalVolume', 'totalVolumeUom']) take(inDetails, [field]);

  const links = linksOf(details);
  const takeEntry = (list: string, at: number, ofEntry: Taken) => within(inDetails, [list]).set(String(at), ofEntry);
  details.packageDetails.forEach((_, at) => takeEntry('packageDetails', at, OF_ITEM));
  details.skuDetails?.forEach((sku, at) => takeEntry('skuDetails', at, takenOfSku(sku)));
  details.vas?.forEach((vas, at) => takeEntry('vas', at, takenOfVas(vas, links)));
  return present({
    ...head,
    typeOfService: context.service.typeOfService,
    typeOfAction: context.operation.toUpperCase(),
    carrierCode: context.carrierCode,
    merchantCode: context.merchantCode,
    shipperTaxNumber: context.shipperTaxNumber,
    totalQuantity: details.packageDetails.reduce((sum, { quantity }) => sum + quantity, 0),
    totalVolume: volume?.value,
    totalVolumeUom: volume?.unit,
    shippingDateTime: shipFrom.pickupStartDateTime ?? `${details.shipByDate} 00:00:00`,
    labelFormat: context.labelFormat,
    itemList: details.packageDetails.map((item) => copied(ITEM_FIELDS, item)),
    skuList: details.skuDetails?.map((sku, at) => skuOf(sku, at, links)),
    vas: details.vas?.map((vas) => vasOf(vas, links)),
    shipper: context.shipper ?? shipperOf(head),
    billTo: context.billTo,
    info: infoOf(order, taken),
  }) as Consignment;
};

/** The contract must have code, name and quantity; docs/translation.md says what stands in for a missing one. */
const skuOf = (sku: Sku, at: number, links: Links): unknown => {
  const code = [sku.code, sku.lineItemNo].find((text) => !isBlank(text)) ?? String(at + 1);
  return {
    ...copied(SKU_FIELDS, sku),
    itemReferenceNumber: links.packagesOf(sku)[0],
    skuCode: code,
    skuNumber: code,
    skuItemName: [sku.name, sku.description].find((text) => !isBlank(text)) ?? code,
    skuQuantity: sku.quantity ?? links.unitsOf(sku),
  };
};

/** The contract's `targetIds` are item references: a SKU's line number becomes the package that SKU goes to. */
const vasOf = (vas: Vas, links: Links): unknown => ({
  ...copied(VAS_FIELDS, vas),
  ...(vas.targetIds && { targetIds: [...new Set(targetsOf(vas, links))] }),
});

const targetsOf = ({ targetIds = [], level }: Vas, links: Links): readonly string[] =>
  targetIds.map((target) => links.packageOfTarget(target, level) ?? target);

const shipperOf = (head: Readonly<Record<string, unknown>>): ConsignmentShipper =>
  present({
    name: head['originName'],
    companyName: head['originCompanyName'],
    addressLine1: head['originAddressLine1'],
    city: head['originCity'],
    stateProvince: head['originStateProvince'],
    country: head['originCountry'],
    postalCode: head['originPostalCode'],
    contactPerson: head['originContactPerson'],
    contactNumber: head['originContactNumber'],
    email: head['originEmail'],
  }) as ConsignmentShipper;

/**
 * Special instructions and what is known of the additional information stand at the top of `info`, unless a field of
 * the shipper's own is there already. The additional information stays under its own path as well.
 */
const infoOf = (source: Order, taken: Taken): unknown => {
  const { specialInstructions } = source.consignmentDetails;
  if (!Object.hasOwn(source, 'specialInstructions')) take(taken, ['consignmentDetails', 'specialInstructions']);
  const info = present({
    specialInstructions,
    ...informationOf(source.consignmentDetails),
    ...(remainder(source, taken) as object | undefined),
  });
  return Object.keys(info).length === 0 ? undefined : info;
};

const CONTRACT_VOLUMES: Readonly<Record<string, { readonly unit: 'CBM' | 'CFT'; readonly per: number }>> = {
  CBM: { unit: 'CBM', per: 1 },
  M3: { unit: 'CBM', per: 1 },
  DM3: { unit: 'CBM', per: 1e3 },
  L: { unit: 'CBM', per: 1e3 },
  CM3: { unit: 'CBM', per: 1e6 },
  MM3: { unit: 'CBM', per: 1e9 },
  CFT: { unit: 'CFT', per: 1 },
  FT3: { unit: 'CFT', per: 1 },
  IN3: { unit: 'CFT', per: 1_728 },
};

/**
 * A volume in the units of the carrier contract, or undefined without a value or with a unit that is not known;
 * `exact` where the shipper wrote this unit by this name. Twelve significant digits: enough for any volume, too few for
 * the noise of binary fractions.
 */
const toContractVolume = (value: number | undefined, unit: string | undefined) => {
  const known = unit === undefined ? undefined : valueAt(CONTRACT_VOLUMES, unit.trim().toUpperCase());
  if (value === undefined || known === undefined) return undefined;
  const { unit: name, per } = known as (typeof CONTRACT_VOLUMES)[string];
  const exact = unit === name;
  return { value: exact ? value : Number((value / per).toPrecision(12)), unit: name, exact };
};

// Fields by the schema of the contract --------------------------------------------------------------------------------

const fieldsOf = ({ properties }: { readonly properties: object }) =>
  Object.entries(properties as Record<string, FieldSchema>).flatMap(([to, schema]) => {
    const from = schema['x-from'];
    // `a.b[0].c`: names of the form hold neither dots nor brackets.
    return from === undefined ? [] : [{ keys: from.replaceAll(/\[(\d+)\]/g, '.$1').split('.'), to, schema }];
  });
const HEAD_FIELDS = fieldsOf(Consignment);
const ITEM_FIELDS = fieldsOf(ConsignmentItem);
const SKU_FIELDS = fieldsOf(ConsignmentSku);
const VAS_FIELDS = fieldsOf(ConsignmentVas);

const copied = (fields: ReturnType<typeof fieldsOf>, source: unknown): Record<string, unknown> => {
  const target: Record<string, unknown> = {};
  for (const { keys, to, schema } of fields) {
    const value = valueAt(source, ...keys);
    if (value !== undefined) target[to] = converted(value, schema);
  }
  return target;
};

const converted = (value: unknown, { type, 'x-values': values }: FieldSchema): unknown => {
  if (typeof value === 'string') return values?.[value] ?? value;
  return type === 'string' && typeof value === 'number' ? digits(value) : value;
};

/** `String` without an exponent: 1e-7 → 0.0000001. */
const digits = (value: number): string => {
  const text = String(value);
  return text.includes('e') ? value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 }) : text;
};

// What is left --------------------------------------------------------------------------------------------------------

/** What of a value was taken, by key; `true` for all of it. Keys are kept apart, never joined to a path. */
interface Taken extends Map<string, Taken | true> {}
const nothingTaken = (): Taken => new Map();

/** The part of `taken` that speaks of what lies at these keys. */
const within = (taken: Taken, keys: readonly string[]): Taken => {
  let level = taken;
  for (const key of keys) {
    const known = level.get(key);
    if (known === true) return nothingTaken();
    const below = known ?? nothingTaken();
    level.set(key, below);
    level = below;
  }
  return level;
};

/** Notes that the value at these keys was taken whole. */
const take = (taken: Taken, keys: readonly string[]): void => {
  const last = keys.at(-1);
  if (last !== undefined) within(taken, keys.slice(0, -1)).set(last, true);
};

/** What `copied` takes of any source. */
const takenBy = (fields: ReturnType<typeof fieldsOf>): Taken => {
  const taken = nothingTaken();
  for (const { keys } of fields) take(taken, keys);
  return taken;
};
/** Of entries: shared, and never added to. */
const OF_ITEM = takenBy(ITEM_FIELDS);
const OF_SKU = takenBy(SKU_FIELDS);
const OF_SKU_IN_ONE_PACKAGE = new Map(OF_SKU).set('packageIds', true);
const OF_VAS = takenBy(VAS_FIELDS);
const OF_VAS_FOR_PACKAGES = new Map(OF_VAS).set('targetIds', true);

const takenOfSku = ({ packageIds }: Sku): Taken => (packageIds?.length === 1 ? OF_SKU_IN_ONE_PACKAGE : OF_SKU);
const takenOfVas = (vas: Vas, links: Links): Taken =>
  targetsOf(vas, links).every((target, at) => target === vas.targetIds?.[at]) ? OF_VAS_FOR_PACKAGES : OF_VAS;

/**
 * What is left of a value when the taken is out; undefined when nothing is. An array of which something is left keeps
 * its length, so that every entry still stands at its index.
 */
const remainder = (value: unknown, taken: Taken | true | undefined): unknown => {
  if (taken === undefined) return value;
  if (taken === true) return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const left = value.map((entry: unknown, at) => remainder(entry, taken.get(String(at))));
    return left.every((entry) => entry === undefined) ? undefined : left.map((entry) => entry ?? {});
  }
  const entries: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    const left = remainder((value as Readonly<Record<string, unknown>>)[key], taken.get(key));
    if (left !== undefined) entries.push([key, left]);
  }
  // fromEntries defines, where assigning would let a key `__proto__` act.
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
};
