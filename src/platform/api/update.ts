import { isDeepStrictEqual } from 'node:util';
import { issuesBeyondSchema, referenceNumberOf } from '../../engine/consignment/read.ts';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import { facilityCodesOf } from '../../engine/consignment/facility.ts';
import { changeFacilities, mergeUpdate, readUpdate } from '../../engine/consignment/update.ts';
import { profileOf } from '../../engine/consignment/levels.ts';
import type { Order } from '../../engine/consignment/order.ts';
import type { Issue } from '../../engine/validate.ts';
import { acceptUpdate } from '../records/accept-update.ts';
import { canonicalOf, type ConsignmentRecord, findConsignment } from '../records/consignments.ts';
import { facilitiesOf } from '../records/facilities.ts';
import { listLabels } from '../records/labels.ts';
import type { ShipperBearer } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { conflictWith, isServed, REFUSALS, replyAfter, type ReplyOptions } from './dispatch-reply.ts';
import { badRequest, conflict, type HttpAnswer, notFound } from './http-answer.ts';
import { brokenRules, readyOrder } from './order-intake.ts';

/** Tries in a row when others change the consignment between our reading and our writing. */
const TRIES = 5;

/** PUT /v2/consignments: what is supplied is laid over the order, and goes to the carrier where that must know. */
export const updateConsignment = async (
  deps: ApiDeps,
  bearer: ShipperBearer,
  body: unknown,
  options: ReplyOptions,
): Promise<HttpAnswer> => {
  // Its reference is looked for before the rest is read, so it has to be one that the records can hold.
  const outside = issuesBeyondSchema(body);
  if (outside.length > 0) return badRequest(outside);
  const deadlineMs = deps.nowMs() + deps.createWaitMs;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const tried = await tryUpdate(deps, bearer, body, options);
    if (tried.kind === 'answered') return tried.answer;
    if (tried.busyWith === undefined) continue;
    deps.nudge();
    await deps.waitForDispatch(tried.busyWith, Math.max(0, deadlineMs - deps.nowMs()));
  }
  return conflict('An earlier action on this consignment is still under way; try again in a while');
};

type Tried =
  | { readonly kind: 'answered'; readonly answer: HttpAnswer }
  /** `busyWith`: a dispatch to wait for. */
  | { readonly kind: 'again'; readonly busyWith: number | undefined };

const answered = (answer: HttpAnswer): Tried => ({ kind: 'answered', answer });

const tryUpdate = async (
  deps: ApiDeps,
  bearer: ShipperBearer,
  body: unknown,
  options: ReplyOptions,
): Promise<Tried> => {
  const reference = referenceNumberOf(body);
  const record =
    reference === undefined
      ? undefined
      : await findConsignment(deps.pool, bearer.shipperId, bearer.environment, reference);
  if (record === undefined) return answered(withoutRecord(body, reference));
  const merged = await mergeInto(deps, record, body);
  if (!merged.ok) return answered(merged.answer);
  const ready = await readyOrder(deps, bearer, merged.order, 'update');
  if (ready.kind === 'answered') return ready;
  const { order, carrier, service, orderTypes, consignment } = ready;
  const accepted = await acceptUpdate(deps, {
    consignmentId: record.id,
    basedOn: record.orderText,
    orderText: JSON.stringify(order),
    consignment,
    service,
    orderTypes,
    profileHash: carrier.hash,
    tellCarrier: !isSameToCarrier(canonicalOf(record), consignment),
    carrierUpdates: carrier.operations.update !== undefined || carrier.recreate,
    claim: options.claim,
  });
  switch (accepted.kind) {
    case 'busy':
      return { kind: 'again', busyWith: accepted.dispatchId };
    case 'outdated':
      return { kind: 'again', busyWith: undefined };
    case 'refused':
      return answered(await conflictWith(deps, record, REFUSALS[accepted.why]));
    case 'carrier_cannot': {
      const message = `carrier ${carrier.code} takes no updates; cancel the consignment and create it anew`;
      return answered(brokenRules([{ message }], order));
    }
    case 'accepted':
      return answered(await replyAfter(deps, { consignmentId: record.id, dispatchId: accepted.dispatchId }, options));
  }
};

/** What is wrong with the body, else that there is no such consignment. */
const withoutRecord = (body: unknown, reference: string | undefined): HttpAnswer => {
  // Flat names are laid over the party as it is; where there is no order, over nothing.
  const read = readUpdate(body, 'OP', {} as Order);
  return read.ok
    ? notFound(`consignmentDetails.referenceNumber ${reference} is not known`)
    : badRequest(read.issues, reference);
};

type Laid = { readonly ok: true; readonly order: Order } | { readonly ok: false; readonly answer: HttpAnswer };

const mergeInto = async (deps: ApiDeps, record: ConsignmentRecord, given: unknown): Promise<Laid> => {
  const facilities = await facilitiesOf(deps.pool, record, facilityCodesOf(given));
  const { body, current } = changeFacilities(JSON.parse(record.orderText) as Order, given, facilities);
  const carrier = deps.carriers.find(record.carrierCode);
  const read = readUpdate(body, carrier === undefined ? 'OP' : profileOf(carrier.capabilities), current);
  if (!read.ok) return { ok: false, answer: badRequest(read.issues, record.referenceNumber) };
  const labelExists = (await listLabels(deps.pool, record.id)).some(isServed);
  const merged = mergeUpdate(current, read.value, { labelExists });
  const issues = merged.ok ? carrierKept(record, merged.order) : merged.issues;
  if (merged.ok && issues.length === 0) return merged;
  return { ok: false, answer: brokenRules(issues, current) };
};

const carrierKept = ({ carrierCode }: ConsignmentRecord, { carrier }: Order): readonly Pick<Issue, 'message'>[] => {
  const message = 'carrier.code cannot be changed by an update; cancel the consignment and create it anew';
  return carrier.code === carrierCode ? [] : [{ message }];
};

/** Fields of `info.consignmentDetails` by which the shipper or this platform sorts orders; no carrier acts on them. */
const OURS: ReadonlySet<string> = new Set([
  'businessUnit',
  'consignmentGroupId',
  'routingPriority',
  'routingTags',
  'routingType',
]);

/** Do both say the same to a carrier? Pure. */
const isSameToCarrier = (before: Consignment, after: Consignment): boolean =>
  isDeepStrictEqual(seenByCarrier(before), seenByCarrier(after));

const seenByCarrier = ({ info, ...consignment }: Consignment): unknown => {
  const { consignmentDetails, ...rest } = info ?? {};
  const details =
    typeof consignmentDetails === 'object' && consignmentDetails !== null
      ? Object.entries(consignmentDetails).filter(([field]) => !OURS.has(field))
      : [];
  // Through JSON, as the records hold it: what is undefined is not there.
  const seen = {
    ...consignment,
    typeOfAction: undefined,
    info: { ...rest, consignmentDetails: Object.fromEntries(details) },
  };
  return JSON.parse(JSON.stringify(seen)) as unknown;
};
