import type { Consignment, ConsignmentShipper } from './consignment.ts';
import type { LabelFormat, ServiceRow } from '../profile/carrier.ts';
import { type Facilities, withFacilities } from './facility.ts';
import { type Links, linksOf } from './links.ts';
import { keysOf, nothingTaken, remainder, take, type Taken, valueAt, within } from './remainder.ts';
import type { Order, Sku, Vas } from './schema.ts';
import { type Conversion, HEAD_ROWS, ITEM_ROWS, type Row, SKU_ROWS, VAS_ROWS } from './translation-table.ts';
import { toContractVolume } from './volume.ts';

/** What the canonical form needs beside the order. */
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
  readonly facilities?: Facilities | undefined;
}

/**
 * A valid order in the canonical form of the carrier contract. Every value of the order is in it: in its field, or,
 * where it has none or the field holds something made of it, in `info` under its own path. Pure.
 */
export const translate = (order: Order, context: TranslationContext): Consignment => {
  const source = context.facilities === undefined ? order : withFacilities(order, context.facilities);
  const taken = nothingTaken();
  const { consignmentDetails: details, shipFrom, shipTo } = source;
  const links = linksOf(details);
  const entry = (list: string, at: number): Taken => within(taken, ['consignmentDetails', list, String(at)]);

  const head = moved(HEAD_ROWS_KEYED, source, taken);
  if (source.carrier.code === context.carrierCode) take(taken, ['carrier', 'code']);
  if (details.labelFormat === context.labelFormat) take(taken, ['consignmentDetails', 'labelFormat']);
  if (blank(shipTo.address.city)) head['destinationCity'] = shipTo.address.county;
  const volume = toContractVolume(details.totalVolume, details.totalVolumeUom);
  if (volume?.exact === true) {
    take(taken, ['consignmentDetails', 'totalVolume']);
    take(taken, ['consignmentDetails', 'totalVolumeUom']);
  }

  return withoutMissing({
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
    itemList: details.packageDetails.map((item, at) => moved(ITEM_ROWS_KEYED, item, entry('packageDetails', at))),
    skuList: details.skuDetails?.map((sku, at) => skuOf(sku, at, links, entry('skuDetails', at))),
    vas: details.vas?.map((vas, at) => vasOf(vas, links, entry('vas', at))),
    shipper: context.shipper ?? shipperOf(head),
    billTo: context.billTo,
    info: infoOf(source, taken),
  }) as Consignment;
};

// Rows ----------------------------------------------------------------------------------------------------------------

interface KeyedRow {
  readonly keys: readonly string[];
  readonly to: string;
  readonly convert: Conversion | undefined;
}
const keyed = <T>(rows: readonly Row<T>[]): readonly KeyedRow[] =>
  rows.map(({ from, to, convert }) => ({ keys: keysOf(from), to, convert }));
const HEAD_ROWS_KEYED = keyed(HEAD_ROWS);
const ITEM_ROWS_KEYED = keyed(ITEM_ROWS);
const SKU_ROWS_KEYED = keyed(SKU_ROWS);
const VAS_ROWS_KEYED = keyed(VAS_ROWS);

const moved = (rows: readonly KeyedRow[], source: unknown, taken: Taken): Record<string, unknown> => {
  const target: Record<string, unknown> = {};
  for (const { keys, to, convert } of rows) {
    const value = valueAt(source, keys);
    if (value === undefined) continue;
    target[to] = convert === undefined ? value : CONVERSIONS[convert](value);
    take(taken, keys);
  }
  return target;
};

const CONVERSIONS: Readonly<Record<Conversion, (value: unknown) => unknown>> = {
  decimal: (value) => digits(Number(value)),
  addressType: (value) => (value === 'Residential' ? 'RESIDENTIAL' : 'BUSINESS'),
};

/** `String` without an exponent: 1e-7 → 0.0000001. */
const digits = (value: number): string => {
  const text = String(value);
  return text.includes('e') ? value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 }) : text;
};

// Parts ---------------------------------------------------------------------------------------------------------------

/** The contract must have code, name and quantity; docs/translation.md says what stands in for a missing one. */
const skuOf = (sku: Sku, at: number, links: Links, taken: Taken): unknown => {
  const fields = moved(SKU_ROWS_KEYED, sku, taken);
  const code = [sku.code, sku.lineItemNo].find((text) => !blank(text)) ?? String(at + 1);
  if (sku.packageIds?.length === 1) take(taken, ['packageIds']);
  return {
    ...fields,
    itemReferenceNumber: links.packagesOf(sku)[0],
    skuCode: code,
    skuNumber: code,
    skuItemName: [sku.name, sku.description].find((text) => !blank(text)) ?? code,
    skuQuantity: sku.quantity ?? links.unitsOf(sku),
  };
};

/** The contract's `targetIds` are item references: a SKU's line number becomes the package that SKU goes to. */
const vasOf = (vas: Vas, links: Links, taken: Taken): unknown => {
  const fields = moved(VAS_ROWS_KEYED, vas, taken);
  if (vas.targetIds === undefined) return fields;
  const targets = vas.targetIds.map((target) => links.packageOfTarget(target, vas.level) ?? target);
  if (targets.every((target, at) => target === vas.targetIds?.[at])) take(taken, ['targetIds']);
  return { ...fields, targetIds: [...new Set(targets)] };
};

const shipperOf = (head: Readonly<Record<string, unknown>>): ConsignmentShipper =>
  withoutMissing({
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

/** Special instructions stand at the top of `info`, unless a field of the shipper's own is there already. */
const infoOf = (source: Order, taken: Taken): unknown => {
  const special = source.consignmentDetails.specialInstructions;
  if (special === undefined || Object.hasOwn(source, 'specialInstructions')) return remainder(source, taken);
  take(taken, ['consignmentDetails', 'specialInstructions']);
  return { specialInstructions: special, ...(remainder(source, taken) as object | undefined) };
};

const blank = (text: string | undefined): boolean => text === undefined || text.trim() === '';

const withoutMissing = (fields: Readonly<Record<string, unknown>>): unknown =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
