import type { Carrier } from '../profile/carrier.ts';
import type { FindingCode } from '../error-codes.ts';
import { isBlank } from '../text.ts';
import { isCurrency, type Issue, issueAt } from '../validate.ts';
import { capabilityIssues } from './capabilities.ts';
import { informationRules } from './information-rules.ts';
import type { Order } from './order.ts';
import { findService, serviceNames } from './service.ts';
import { Temporal } from 'temporal-polyfill';
import { instantOf } from '../time-zone.ts';
import { type Links, linksOf } from './links.ts';

export type RuleCarrier = Pick<Carrier, 'code' | 'capabilities' | 'services' | 'vas'>;
type Rule = (order: Order, carrier: RuleCarrier, before?: Order) => readonly Issue[];

const FINDINGS_MAX = 100;

/**
 * What a well-formed order breaks (422), all of it at once: each finding names the field and the rule. Pure; the
 * order is one that `readOrder` passed, or `readUpdated` after an update, with the order `before` that.
 */
export const breachesOf = (order: Order, carrier: RuleCarrier, before?: Order): readonly Issue[] =>
  RULES.flatMap((rule) => rule(order, carrier, before)).slice(0, FINDINGS_MAX);

/** The finding for a carrier the platform does not have, or not for dispatch. */
export const unknownCarrier = (code: string): Issue =>
  issueAt('carrier.code', 'carrier_known', `"${code}" is neither a carrier nor a policy of this platform`);

const DETAILS = 'consignmentDetails';

const service: Rule = (order, carrier) => {
  const { serviceType, consignmentType } = order.consignmentDetails;
  const row = findService(carrier, order);
  const path = `${DETAILS}.serviceType`;
  if (row === undefined) {
    const names = serviceNames(carrier).slice(0, 20).join(', ');
    const says = `"${serviceType}" is not a service of carrier ${carrier.code}, which has ${names}`;
    return [issueAt(path, 'service_known', says)];
  }
  if (row.orders === undefined || row.orders.includes(consignmentType)) return [];
  return [issueAt(path, 'service_for_order_type', `"${serviceType}" is not offered for ${consignmentType} orders`)];
};

const capabilities: Rule = ({ consignmentDetails: details, shipFrom, shipTo }, carrier) =>
  capabilityIssues(
    {
      type: details.consignmentType,
      packages: details.packageDetails.length,
      isCod: details.paymentTobeCollected?.paymentMode === 'COD',
      vasCodes: details.vas?.map(({ vasCode }) => vasCode) ?? [],
      origin: shipFrom.address.country,
      destination: shipTo.address.country,
    },
    carrier,
  );

/** Numbers that cannot be: nothing weighs nothing, no place lies beyond a pole. */
const numbers = ({ consignmentDetails: details, shipFrom, shipTo, returnTo }: Order): readonly Issue[] => {
  const found: Issue[] = [];
  const check =
    (code: FindingCode, says: string, isRight: (value: number) => boolean) =>
    <Fields extends object>(path: string, held: Fields | undefined, ...fields: (keyof Fields & string)[]): void => {
      for (const field of fields) {
        const value: unknown = held?.[field];
        if (typeof value === 'number' && !isRight(value)) found.push(issueAt(`${path}.${field}`, code, says));
      }
    };
  const positive = check('positive', 'must be greater than 0', (value) => value > 0);
  const natural = check('not_negative', 'must not be negative', (value) => value >= 0);
  const within = (limit: number) =>
    check('on_earth', `must be between -${limit} and ${limit}`, (value) => Math.abs(value) <= limit);
  positive(DETAILS, details, 'totalWeight', 'totalQuantity');
  natural(DETAILS, details, 'totalVolume');
  details.packageDetails.forEach((entry, at) => {
    const path = `${DETAILS}.packageDetails[${at}]`;
    positive(path, entry, 'weight', 'quantity');
    natural(path, entry, 'length', 'width', 'height', 'volume', 'value');
  });
  details.skuDetails?.forEach((entry, at) => {
    const path = `${DETAILS}.skuDetails[${at}]`;
    positive(path, entry, 'quantity');
    natural(path, entry, 'weight', 'length', 'width', 'height', 'volume', 'unitPrice', 'value');
    natural(path, entry, 'deliveryServiceTime', 'pickupServiceTime');
  });
  details.vas?.forEach((entry, at) => natural(`${DETAILS}.vas[${at}]`, entry, 'serviceTime'));
  for (const [party, held] of Object.entries({ shipFrom, shipTo, returnTo })) {
    within(90)(`${party}.address`, held?.address, 'latitude');
    within(180)(`${party}.address`, held?.address, 'longitude');
  }
  return found;
};

const payment = ({ consignmentDetails: { paymentTobeCollected: payment } }: Order): readonly Issue[] => {
  if (payment === undefined) return [];
  const found: Issue[] = [];
  const breach = (field: 'amount' | 'currency', code: FindingCode, says: string): void =>
    void found.push(issueAt(`${DETAILS}.paymentTobeCollected.${field}`, code, says));
  const { amount, currency } = payment;
  const cod = payment.paymentMode === 'COD';
  if (cod && amount === undefined) breach('amount', 'cod_complete', 'is required for COD');
  else if (cod && Number(amount) <= 0) breach('amount', 'cod_complete', 'must be greater than 0 for COD');
  else if (amount !== undefined && amount < 0) breach('amount', 'not_negative', 'must not be negative');
  if (cod && currency === undefined) breach('currency', 'cod_complete', 'is required for COD');
  if (currency !== undefined && !isCurrency(currency))
    breach('currency', 'currency_known', 'must be a currency code of ISO 4217, such as EUR');
  return found;
};

const returnAddress = ({ returnTo }: Order): readonly Issue[] => {
  if (returnTo === undefined || !isBlank(returnTo.returnFacilityCode) || !isBlank(returnTo.address?.line1)) return [];
  const says = 'is required when returnTo.returnFacilityCode is absent';
  return [issueAt('returnTo.address.line1', 'return_address', says)];
};

/** A local time of an order, its place in the request, and its moment where a zone is named. */
interface Time {
  readonly path: string;
  readonly local: string;
  readonly zone: string | undefined;
  readonly atMs: number | 'skipped' | undefined;
}

/**
 * Times that exist, windows in their order, and none over before `shipByDate`. Times of two places are compared as
 * moments where both name a zone, else as they are written. A start that comes twice is the earlier, an end the later,
 * so that a window never shrinks.
 */
export const windowRules = ({ consignmentDetails: { shipByDate }, shipFrom, shipTo }: Order): readonly Issue[] => {
  const pickupStart = time('shipFrom.pickupStartDateTime', shipFrom.pickupStartDateTime, shipFrom.timezone, 'earlier');
  const pickupEnd = time('shipFrom.pickupEndDateTime', shipFrom.pickupEndDateTime, shipFrom.timezone, 'later');
  const deliveryStart = time('shipTo.deliveryStartDateTime', shipTo.deliveryStartDateTime, shipTo.timezone, 'earlier');
  const deliveryEnd = time('shipTo.deliveryEndDateTime', shipTo.deliveryEndDateTime, shipTo.timezone, 'later');
  return [
    ...[pickupStart, pickupEnd, deliveryStart, deliveryEnd].flatMap(existing),
    ...inOrder(pickupStart, pickupEnd),
    ...inOrder(deliveryStart, deliveryEnd),
    ...inOrder(pickupStart, deliveryEnd),
    ...notOverBefore(pickupEnd ?? pickupStart, shipByDate, shipFrom.timezone),
    ...notOverBefore(deliveryEnd ?? deliveryStart, shipByDate, shipFrom.timezone),
  ];
};

const time = (
  path: string,
  local: string | undefined,
  zone: string | undefined,
  twice: 'earlier' | 'later',
): Time | undefined =>
  local === undefined
    ? undefined
    : { path, local, zone, atMs: zone === undefined ? undefined : momentOf(local, zone, twice) };

const existing = (given: Time | undefined): Issue[] => {
  if (given?.atMs !== 'skipped') return [];
  const says = `${given.local} does not exist in ${given.zone}: the clocks jump over it`;
  return [issueAt(given.path, 'time_exists', says)];
};

const inOrder = (first: Time | undefined, second: Time | undefined): Issue[] =>
  first !== undefined && second !== undefined && compare(first, second) > 0
    ? [issueAt(second.path, 'window_order', `must not be before ${first.path}`)]
    : [];

const compare = (first: Time, second: Time): number =>
  typeof first.atMs === 'number' && typeof second.atMs === 'number'
    ? first.atMs - second.atMs
    : first.local.localeCompare(second.local);

const notOverBefore = (end: Time | undefined, shipByDate: string, zone: string | undefined): Issue[] => {
  if (end === undefined) return [];
  const before =
    typeof end.atMs === 'number' && zone !== undefined
      ? end.atMs < startOfDay(shipByDate, zone)
      : end.local.slice(0, 10) < shipByDate;
  return before ? [issueAt(end.path, 'window_after_ship_by', 'must not be before consignmentDetails.shipByDate')] : [];
};

/** The moment of a local time `YYYY-MM-DD HH:MM:SS` in a zone; `twice` as for `instantOf`. */
export const momentOf = (local: string, zone: string, twice: 'earlier' | 'later'): number | 'skipped' =>
  instantOf(Date.parse(`${local.replace(' ', 'T')}Z`), zone, twice) ?? 'skipped';

/** The first moment of a day `YYYY-MM-DD` in a zone: midnight, or where that is skipped, what follows it. */
export const startOfDay = (date: string, zone: string): number =>
  instantOf(Date.parse(`${date}T00:00:00Z`), zone) ??
  Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds;

type Details = Order['consignmentDetails'];

/** Packages, SKUs and services that refer to each other: ids are unique, references lead somewhere, units add up. */
const packageRules = ({ consignmentDetails: details }: Order): readonly Issue[] => {
  const links = linksOf(details);
  return [
    ...uniqueIds(details),
    ...quantities(details),
    ...skuPackages(details, links),
    ...skuQuantities(details, links),
    ...targets(details, links),
  ];
};

/** The one that the carrier is given. */
const NUMBER = 'trackingDetails[0].trackingNumber';

const uniqueIds = ({ packageDetails, skuDetails = [] }: Details): Issue[] => [
  ...repeated('packageDetails', 'id', 'package ids', packageDetails),
  ...repeated(
    'packageDetails',
    NUMBER,
    'tracking numbers',
    packageDetails.map(({ trackingDetails }) => ({ [NUMBER]: trackingDetails?.[0]?.trackingNumber })),
  ),
  ...repeated('skuDetails', 'lineItemNo', 'line numbers', skuDetails),
];

const repeated = <Key extends string>(
  list: string,
  key: Key,
  names: string,
  entries: readonly Partial<Record<Key, unknown>>[],
): Issue[] => {
  const firsts = new Map<unknown, number>();
  return entries.flatMap((entry, at) => {
    const id: unknown = entry[key];
    if (id === undefined || id === '') return [];
    const first = firsts.get(id);
    firsts.set(id, first ?? at);
    if (first === undefined) return [];
    const says = `is the same as that of ${list}[${first}]; ${names} must be unique`;
    return [issueAt(`${DETAILS}.${list}[${at}].${key}`, 'unique', says)];
  });
};

const skuPackages = ({ skuDetails = [] }: Details, links: Links): Issue[] =>
  skuDetails.flatMap((sku, at) => {
    const path = `${DETAILS}.skuDetails[${at}].packageIds`;
    if (links.packagesOf(sku).length === 0)
      return [issueAt(path, 'sku_in_package', 'is required where there is more than one package')];
    return (sku.packageIds ?? []).flatMap((id, index) =>
      links.hasPackage(id)
        ? []
        : [issueAt(`${path}[${index}]`, 'sku_in_package', `"${id}" is not the id of a package`)],
    );
  });

/** The packages that are told of: an entry for each, or one for several that are alike, of which it has the number. */
const quantities = ({ totalQuantity, packageDetails }: Details): Issue[] => {
  const entries = packageDetails.length;
  const units = packageDetails.reduce((sum, { quantity }) => sum + quantity, 0);
  if (totalQuantity <= 0 || totalQuantity === entries || totalQuantity === units) return [];
  const says = `is ${totalQuantity}, but packageDetails has ${entries} ${entries === 1 ? 'entry' : 'entries'} of ${units} in all; it must be one of the two`;
  return [issueAt(`${DETAILS}.totalQuantity`, 'total_quantity', says)];
};

/**
 * A SKU's quantity is the units of its packages. SKUs that share packages satisfy it together: two different SKUs in
 * one package of two units, one of each, are right as well.
 */
const skuQuantities = ({ skuDetails = [] }: Details, links: Links): Issue[] =>
  skuDetails.flatMap((sku, at) => {
    const units = links.unitsOf(sku);
    if (sku.quantity === undefined || units === 0 || sku.quantity === units) return [];
    const shared = links.sharedBy(sku);
    if (shared.quantity === shared.units) return [];
    const says = `is ${sku.quantity}, but must equal the units of its packages, which is ${units}`;
    return [issueAt(`${DETAILS}.skuDetails[${at}].quantity`, 'sku_units', says)];
  });

const UNKNOWN_TARGET = 'neither the line number of a SKU nor the id of a package';

const targets = ({ vas = [] }: Details, links: Links): Issue[] =>
  vas.flatMap(({ level, targetIds = [] }, at) => {
    const path = `${DETAILS}.vas[${at}].targetIds`;
    if (level === 'SKU' && targetIds.length === 0)
      return [issueAt(path, 'targets_for_sku', 'is required when level is SKU')];
    return targetIds.flatMap((id, index) =>
      links.packageOfTarget(id, level) === undefined
        ? [issueAt(`${path}[${index}]`, 'target_known', `"${id}" is ${UNKNOWN_TARGET}`)]
        : [],
    );
  });

/** The same for every carrier. */
const OF_ORDER: readonly ((order: Order) => readonly Issue[])[] = [
  numbers,
  packageRules,
  payment,
  returnAddress,
  windowRules,
];
const RULES: readonly Rule[] = [service, capabilities, ...OF_ORDER, informationRules];

/** What an order breaks whatever carrier it goes to. */
export const breachesOfAny = (order: Order): readonly Issue[] =>
  OF_ORDER.flatMap((rule) => rule(order)).slice(0, FINDINGS_MAX);
