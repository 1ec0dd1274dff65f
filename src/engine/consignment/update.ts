import { isDeepStrictEqual } from 'node:util';
import { type Issue, issueAt, type Validated } from '../validate.ts';
import { isMap, valueAt } from '../value.ts';
import { type Facilities, type Facility, FACILITY_CODES, isFilledBy, PARTS, withFacilities } from './facility.ts';
import type { Profile } from './levels.ts';
import { type Order, updateSchema } from './order.ts';
import { checksOf, issuesBeyondSchema } from './read.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * An update that passed `readUpdate`: any part of an order, fields unknown to the schema included. Beyond
 * `consignmentDetails.referenceNumber` nothing needs to be there.
 */
export type OrderChange = { readonly consignmentDetails: { readonly referenceNumber: string } } & Fields;

const checks = checksOf(updateSchema);

/**
 * The structure of an update (400). What is included follows its own required structure, as in a create; a party
 * written with the flat names of `ALIASES` is laid over the current one first, as its sample names only some of them.
 */
export const readUpdate = (body: unknown, profile: Profile, current: Order): Validated<OrderChange> => {
  const outside = issuesBeyondSchema(body);
  if (outside.length > 0) return { ok: false, issues: outside };
  const issues: Issue[] = [];
  let change = body;
  for (const key of ['shipFrom', 'shipTo'] as const) {
    const party = valueAt(change, key);
    if (!isMap(change) || !hasFlatNames(party)) continue;
    const { structured, contradictions } = withoutFlatNames(party, key);
    issues.push(...contradictions);
    change = { ...change, [key]: laidOver(current[key], structured, { path: key, keepsNulls: true }) };
  }
  const checked = checks[profile](change);
  if (!checked.ok) issues.push(...checked.issues);
  return issues.length === 0 ? { ok: true, value: change as OrderChange } : { ok: false, issues };
};

/**
 * The flat names that the shipper API's sample of an update writes inside `shipTo` (and `shipFrom`), and where a
 * create has them. Names that are the same in both, such as `city`, are flat in the sample too.
 */
export const ALIASES: Readonly<Record<string, readonly [string, string]>> = {
  contactName: ['contact', 'name'],
  phoneNumber: ['contact', 'contactNumber'],
  email: ['contact', 'email'],
  companyName: ['contact', 'companyName'],
  addressLine1: ['address', 'line1'],
  addressLine2: ['address', 'line2'],
  addressLine3: ['address', 'line3'],
  landmark: ['address', 'landmark'],
  city: ['address', 'city'],
  county: ['address', 'county'],
  state: ['address', 'state'],
  country: ['address', 'country'],
  pinCode: ['address', 'pincode'],
};

const hasFlatNames = (party: unknown): party is Fields =>
  isMap(party) && Object.keys(party).some((name) => Object.hasOwn(ALIASES, name));

/** The party with its flat names in their places. Two names for one field must not contradict. */
const withoutFlatNames = (party: Fields, path: string) => {
  const contradictions: Issue[] = [];
  const structured = Object.fromEntries(Object.entries(party).filter(([name]) => !Object.hasOwn(ALIASES, name)));
  for (const [name, [part, field]] of Object.entries(ALIASES)) {
    if (!Object.hasOwn(party, name)) continue;
    const other = valueAt(party, part, field);
    if (other !== undefined && other !== party[name])
      contradictions.push(issueAt(`${path}.${name}`, 'alias', `contradicts ${path}.${part}.${field}`));
    const own = Object.hasOwn(structured, part) ? structured[part] : {};
    if (isMap(own)) structured[part] = { ...own, [field]: party[name] };
  }
  return { structured, contradictions };
};

/**
 * Facilities in an update: a code alone moves an order's end to another place. The same code again keeps the order's
 * address; another brings that facility's, unless the update has its own. A party in flat names is left alone: it is
 * an address of the shipper's own. `body`: the update, filled in; `current`: the order to lay it over, without the
 * address and contact that those of another facility replace. Pure.
 */
export const changeFacilities = (current: Order, body: unknown, facilities: Facilities) => {
  const sources: Record<string, Facility> = {};
  const base: Record<string, unknown> = { ...current };
  for (const [end, [key, codeName]] of Object.entries(FACILITY_CODES)) {
    const [given, facility] = [valueAt(body, key), facilities[end as keyof Facilities]];
    if (facility === undefined || !isMap(given) || hasFlatNames(given)) continue;
    const before: Fields = current[key] ?? {};
    if (before[codeName] === given[codeName]) {
      sources[end] = { contact: before['contact'] as Fields, address: before['address'] as Fields };
      continue;
    }
    sources[end] = facility;
    const replaced: readonly string[] = PARTS.filter((part) => isFilledBy(facility, given, part));
    base[key] = Object.fromEntries(Object.entries(before).filter(([part]) => !replaced.includes(part)));
  }
  return { body: withFacilities(body, sources), current: base as unknown as Order };
};

const FIXED = [
  ['orderNumber', 'order_number_fixed'],
  ['consignmentNumber', 'consignment_number_fixed'],
  ['consignmentType', 'consignment_type_fixed'],
] as const;

export type Merged =
  | { readonly ok: true; readonly order: Order }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * The order as the update leaves it, or the rules it breaks (422): only what is supplied changes, `null` clears a field
 * (as JSON Merge Patch, RFC 7396, has it), what identifies the consignment stays, and with a label so does the carrier:
 * `carrierCode`, where the order names a policy. A list that is supplied is the new list; its entries that the order
 * already has (packages by `id`, SKUs by `lineItemNo` or `code`) keep the fields they leave out. Pure. The result
 * has still to pass `readUpdated` and `breachesOf`.
 */
export const mergeUpdate = (
  current: Order,
  change: OrderChange,
  { labelExists, carrierCode = current.carrier.code }: { labelExists: boolean; carrierCode?: string },
): Merged => {
  const order = laidOver(current, change, { path: '', keepsNulls: false }) as Order;
  const issues: Issue[] = [];
  const before = current.consignmentDetails;
  const after = order.consignmentDetails;
  for (const [field, code] of FIXED)
    if (after[field] !== before[field]) {
      const says = `is ${before[field]} and cannot be changed; cancel the consignment and create it anew`;
      issues.push(issueAt(`consignmentDetails.${field}`, code, says));
    }
  if (labelExists && ![current.carrier.code, carrierCode].includes(order.carrier.code))
    issues.push(
      issueAt(
        'carrier.code',
        'carrier_fixed',
        'cannot be changed once a label exists; cancel the consignment and create it anew',
      ),
    );
  const kept = new Set(after.packageDetails.map(({ id }) => id));
  const dropped = before.packageDetails.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
  if (dropped.length > 0 && !Object.hasOwn(change.consignmentDetails, 'totalQuantity')) {
    const says = `leaves out ${dropped.slice(0, 10).join(', ')}: supply every package, or totalQuantity with their new number`;
    issues.push(issueAt('consignmentDetails.packageDetails', 'packages_kept', says));
  }
  return issues.length === 0 ? { ok: true, order } : { ok: false, issues };
};

/** Lists whose entries are known again, by path. */
const IDENTITIES: Readonly<Record<string, (entry: Fields) => unknown>> = {
  'consignmentDetails.packageDetails': ({ id }) => id,
  'consignmentDetails.skuDetails': ({ lineItemNo, code }) => lineItemNo ?? code,
};

interface Laying {
  readonly path: string;
  /** What the update clears is still to be told of. */
  readonly keepsNulls: boolean;
}

const laidOver = (current: unknown, change: unknown, { path, keepsNulls }: Laying): unknown => {
  // Also where a shipper's own fields hold null.
  if (isDeepStrictEqual(current, change)) return current;
  if (Array.isArray(change)) {
    const identity = Object.hasOwn(IDENTITIES, path) ? IDENTITIES[path] : undefined;
    // Entries that share an identity, as two lines of one SKU, are known again in their order.
    const known =
      identity === undefined || !Array.isArray(current) ? undefined : Map.groupBy(current.filter(isMap), identity);
    return change.map((entry: unknown) => {
      const name = isMap(entry) ? identity?.(entry) : undefined;
      const before = name === undefined ? undefined : known?.get(name)?.shift();
      return laidOver(before, entry, { path: `${path}[]`, keepsNulls });
    });
  }
  if (!isMap(change)) return change;
  const entries = new Map(isMap(current) ? Object.entries(current) : []);
  for (const [key, value] of Object.entries(change)) {
    if (value === null && !keepsNulls) entries.delete(key);
    else
      entries.set(key, laidOver(entries.get(key), value, { path: path === '' ? key : `${path}.${key}`, keepsNulls }));
  }
  return Object.fromEntries(entries);
};
