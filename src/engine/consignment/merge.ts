import { type Issue, type Validated, validator } from '../validate.ts';
import { unaliased } from './alias.ts';
import { boundsOf } from './bounds.ts';
import type { Profile } from './field.ts';
import { updateSchema } from './profile-schema.ts';
import type { Order } from './schema.ts';

/**
 * An update that passed `readUpdate`: any part of an order, fields unknown to the schema included. Beyond
 * `consignmentDetails.referenceNumber` nothing needs to be there.
 */
export type OrderChange = { readonly consignmentDetails: { readonly referenceNumber: string } } & Fields;
type Fields = Readonly<Record<string, unknown>>;

const checks = new Map<Profile, (value: unknown) => Validated<unknown>>();

/**
 * The structure of an update (400). What is included follows its own required structure, as in a create; a party
 * written with the flat names of `ALIASES` is laid over the current one first, as its sample names only some of them.
 */
export const readUpdate = (body: unknown, profile: Profile, current: Order): Validated<OrderChange> => {
  const outside = boundsOf(body);
  if (outside.length > 0) return { ok: false, issues: outside };
  const issues: Issue[] = [];
  let change = body;
  for (const key of ['shipFrom', 'shipTo'] as const) {
    if (!isMap(change) || !Object.hasOwn(change, key)) continue;
    const { party, flat, issues: found } = unaliased(change[key], key);
    issues.push(...found);
    if (flat) change = { ...change, [key]: laidOver(current[key], party, key) };
  }
  let check = checks.get(profile);
  if (check === undefined) {
    check = validator(updateSchema(profile), 'the request');
    checks.set(profile, check);
  }
  const checked = check(change);
  if (!checked.ok) issues.push(...checked.issues);
  return issues.length === 0 ? { ok: true, value: change as OrderChange } : { ok: false, issues };
};

export type Merged =
  | { readonly ok: true; readonly order: Order }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/**
 * The order as the update leaves it, or the rules it breaks (422): only what is supplied changes, the order number
 * stays, and with a label so does the carrier. A list that is supplied is the new list; its entries that the order
 * already has (packages by `id`, SKUs by `lineItemNo` or `code`) keep the fields they leave out. Pure. The result
 * has still to pass `readOrder` and `breachesOf`, as any order.
 */
export const mergeUpdate = (current: Order, change: OrderChange, { labelExists }: { labelExists: boolean }): Merged => {
  const order = laidOver(current, change, '') as Order;
  const issues: Issue[] = [];
  const breach = (path: string, rule: string, says: string): void => {
    issues.push({ path, rule, message: `${path} ${says}` });
  };
  const before = current.consignmentDetails;
  const after = order.consignmentDetails;
  if (after.orderNumber !== before.orderNumber)
    breach('consignmentDetails.orderNumber', 'order_number_fixed', 'cannot be changed');
  if (labelExists && order.carrier.code !== current.carrier.code)
    breach('carrier.code', 'carrier_fixed', 'cannot be changed once a label exists');
  const kept = new Set(after.packageDetails.map(({ id }) => id));
  const dropped = before.packageDetails.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
  if (dropped.length > 0 && !Object.hasOwn(change.consignmentDetails, 'totalQuantity')) {
    const says = `leaves out ${dropped.slice(0, 10).join(', ')}: supply every package, or totalQuantity with their new number`;
    breach('consignmentDetails.packageDetails', 'packages_kept', says);
  }
  return issues.length === 0 ? { ok: true, order } : { ok: false, issues };
};

/** Lists whose entries are known again, by path. */
const IDENTITIES: Readonly<Record<string, (entry: Fields) => unknown>> = {
  'consignmentDetails.packageDetails': ({ id }) => id,
  'consignmentDetails.skuDetails': ({ lineItemNo, code }) => lineItemNo ?? code,
};

const laidOver = (current: unknown, change: unknown, path: string): unknown => {
  const identity = Object.hasOwn(IDENTITIES, path) ? IDENTITIES[path] : undefined;
  if (identity !== undefined && Array.isArray(current) && Array.isArray(change)) {
    // Entries that share an identity, as two lines of one SKU, are known again in their order.
    const known = Map.groupBy(current.filter(isMap), identity);
    return change.map((entry: unknown) =>
      isMap(entry) && identity(entry) !== undefined
        ? laidOver(known.get(identity(entry))?.shift(), entry, `${path}[]`)
        : entry,
    );
  }
  if (!isMap(current) || !isMap(change)) return change;
  const entries = new Map(Object.entries(current));
  for (const [key, value] of Object.entries(change)) {
    const inner = path === '' ? key : `${path}.${key}`;
    entries.set(key, entries.has(key) ? laidOver(entries.get(key), value, inner) : value);
  }
  return Object.fromEntries(entries);
};

const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
