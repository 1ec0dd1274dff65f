/** From what a shipper asks to be picked up to all that the records need of it, or what is wrong with it. */
import { sha256 } from '../../engine/digest.ts';
import { type FacilityDetails, type PickupTimes, withFacilities } from '../../engine/consignment/facility.ts';
import { issuesBeyondSchema } from '../../engine/consignment/read.ts';
import { findService } from '../../engine/consignment/service.ts';
import {
  packagesToPickUp,
  pickupOf,
  PickupRequest,
  type PickupPlace,
  type Waiting,
  windowIssues,
} from '../../engine/pickups/request.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { type Issue, issueAt, validator } from '../../engine/validate.ts';
import { isMap, valueAt } from '../../engine/value.ts';
import { findFacility } from '../records/facilities.ts';
import { findHandedOver, type HandedOver, isWaiting } from '../records/handed-over.ts';
import type { WantedPickup } from '../records/pickups.ts';
import type { Owner } from '../records/shippers.ts';
import type { ApiDeps } from './deps.ts';
import { openAccountOf } from './order-intake.ts';

export type PickupDeps = Pick<ApiDeps, 'pool' | 'sealer' | 'carriers' | 'nowMs'>;

interface ReadyPickup {
  readonly kind: 'ready';
  readonly carrier: Carrier;
  readonly accountId: number;
  readonly facilityCode: string | undefined;
  readonly day: string;
  readonly wantedAs: (referenceNumber: string) => WantedPickup;
}
/** `invalid`: its structure; `refused`: a rule. */
export type TakenPickup = ReadyPickup | { readonly kind: 'invalid' | 'refused'; readonly issues: readonly Issue[] };

const check = validator(PickupRequest, 'the pickup');

export const takePickup = async (deps: PickupDeps, owner: Owner, given: unknown): Promise<TakenPickup> => {
  const outside = issuesBeyondSchema(given);
  if (outside.length > 0) return { kind: 'invalid', issues: outside };
  const code = valueAt(given, 'shipFrom', 'originFacilityCode');
  const facilityCode = typeof code === 'string' && code.trim() !== '' && code.length <= 100 ? code : undefined;
  const facility = facilityCode === undefined ? undefined : await findFacility(deps.pool, owner, facilityCode);
  if (facilityCode !== undefined && facility === undefined)
    return refused([issueAt('shipFrom.originFacilityCode', 'facility_known', 'is no facility of yours')]);
  const { pickupTimes, name: _, ...details }: Partial<FacilityDetails> = facility?.details ?? {};
  const checked = check(withFacilities(given, { origin: facility && (details as FacilityDetails) }));
  if (!checked.ok) return { kind: 'invalid', issues: checked.issues };
  const { referenceNumber: __, ...asked } = checked.value;
  const { carrier: named, shipFrom } = asked;
  const opened = await openAccountOf(deps, owner, named.code);
  if ('issues' in opened) return refused(opened.issues);
  const { carrier, accountId } = opened;
  if (carrier.operations.pickup === undefined)
    return refused([
      issueAt('carrier.code', 'capability', `is ${carrier.code}, which books no pickups by this platform`),
    ]);
  const place = placeAt(carrier, shipFrom.address, pickupTimes);
  const timeZone = shipFrom.timezone ?? carrier.time.zone;
  const day = shipFrom.pickupStartDateTime.slice(0, 10);
  const found = await waitingFor(deps, owner, asked, { carrier, facilityCode, day });
  const packages = found.issues.length > 0 ? [] : packagesToPickUp(asked, found.waiting);
  const issues = [
    ...windowIssues(asked, { place, timeZone, nowMs: deps.nowMs() }),
    ...found.issues,
    ...packages.filter(isIssue),
  ];
  if (issues.length > 0) return refused(issues);
  return {
    kind: 'ready',
    carrier,
    accountId,
    facilityCode,
    day,
    wantedAs: (referenceNumber) => ({
      gist: gistOf(given),
      asked,
      consignments: found.waiting.map((one) => one.referenceNumber),
      pickup: pickupOf(referenceNumber, asked, packages as WantedPickup['pickup']['packages'], timeZone),
    }),
  };
};

const refused = (issues: readonly Issue[]) => ({ kind: 'refused', issues }) as const;
const isIssue = (one: object): one is Issue => 'message' in one;

/** By it a repeat of a request is known. */
export const gistOf = (given: unknown): string => sha256(JSON.stringify(given)).toString('base64');

export const placeAt = (
  carrier: Carrier,
  { country, state }: FacilityDetails['address'],
  times: PickupTimes | undefined,
): PickupPlace => ({ country, region: state, times, carrier });

/** Those that are named, or wait at the facility. */
const waitingFor = async (
  { pool }: PickupDeps,
  owner: Owner,
  { consignments, totalQuantity }: Pick<PickupRequest, 'consignments' | 'totalQuantity'>,
  { carrier, facilityCode, day }: Pick<ReadyPickup, 'carrier' | 'facilityCode' | 'day'>,
): Promise<{ readonly waiting: readonly Waiting[]; readonly issues: readonly Issue[] }> => {
  if (consignments === undefined) {
    if (facilityCode === undefined || totalQuantity !== undefined) return { waiting: [], issues: [] };
    const found = await findHandedOver(pool, owner, { carrierCode: carrier.code, facilityCode, day });
    return { waiting: found.map((one) => waitingOf(carrier, one)), issues: [] };
  }
  const references = consignments.map(({ referenceNumber }) => referenceNumber);
  const found = await findHandedOver(pool, owner, { references });
  const issues = references.flatMap((reference, at) => {
    const path = `consignments[${at}].referenceNumber`;
    const one = found.find(({ referenceNumber }) => referenceNumber === reference);
    if (one === undefined) return [issueAt(path, 'consignment_known', 'is no consignment of yours')];
    if (references.indexOf(reference) < at) return [issueAt(path, 'unique', 'comes twice')];
    if (one.carrierCode !== carrier.code)
      return [issueAt(path, 'consignment_fits', `is a consignment of ${one.carrierCode}, not of ${carrier.code}`)];
    return isWaiting(one) ? [] : [issueAt(path, 'consignment_fits', 'is cancelled, or has been picked up')];
  });
  return { waiting: found.map((one) => waitingOf(carrier, one)), issues };
};

const waitingOf = (carrier: Carrier, { referenceNumber, consignment, order, packages }: HandedOver): Waiting => ({
  referenceNumber,
  consignment,
  trackingNumbers: packages.map(({ trackingNumber }) => trackingNumber ?? undefined),
  service: findService(carrier, order)?.code,
});

/** The pickup as a change leaves it: only what is supplied changes, and `null` clears. */
export const changedPickup = (asked: WantedPickup['asked'], change: unknown): unknown => {
  if (!isMap(change)) return change;
  const { shipFrom: to, ...rest } = change;
  const from = isMap(to) ? to : {};
  const { originFacilityCode } = asked.shipFrom;
  const moves = 'originFacilityCode' in from && from['originFacilityCode'] !== originFacilityCode;
  const { contact: _, address: __, timezone: ___, ...window } = asked.shipFrom;
  const { totalQuantity: ____, totalWeight: _____, ...others } = asked;
  // Of other consignments, or at another place, what there is to pick up follows from that.
  const kept = 'consignments' in rest || moves ? others : asked;
  const shipFrom = to === undefined || isMap(to) ? { ...(moves ? window : asked.shipFrom), ...from } : to;
  return withoutNulls({ ...kept, ...rest, shipFrom });
};

const withoutNulls = (value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, held]) =>
      held === null ? [] : [[name, isMap(held) ? withoutNulls(held) : held] as const],
    ),
  );
