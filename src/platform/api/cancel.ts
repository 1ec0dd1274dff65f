import { type CancelRequest, readCancel } from '../../engine/consignment/read.ts';
import type { CancelEntry } from '../../engine/consignment/reply.ts';
import type { Order } from '../../engine/consignment/order.ts';
import { findService } from '../../engine/consignment/service.ts';
import { type ConsignmentRecord, findConsignment, findConsignmentById } from '../records/consignments.ts';
import { findDispatch } from '../records/dispatches.ts';
import { type AcceptedCancel, acceptCancel } from '../records/accept-cancel.ts';
import type { ShipperBearer } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { REFUSALS } from './dispatch-reply.ts';
import { cancelAnswer, badRequest, type HttpAnswer, lasting } from './http-answer.ts';
import type { Try } from './idempotent.ts';

type Entry = CancelRequest['consignments'][number];

/** Of one batch at a time; the database is shared. */
const AT_ONCE = 4;
const TRIES = 3;

/** POST /v2/consignments-cancel: each on its own; the answer waits for the carriers. */
export const cancelConsignments = async (
  deps: ApiDeps,
  bearer: ShipperBearer,
  body: unknown,
  once: Try,
): Promise<HttpAnswer> => {
  const read = readCancel(body);
  if (!read.ok) return badRequest(read.issues);
  // A reference named twice is one consignment, and one entry of the answer.
  const asked = [...new Map(read.value.consignments.map((entry) => [entry.referenceNumber, entry])).values()];
  const deadlineMs = deps.nowMs() + deps.createWaitMs;
  const beginOne = async (entry: Entry): Promise<Begun | undefined> => await begin(deps, bearer, entry, once);
  const begun = await inTurns(asked, beginOne);
  deps.nudge();
  const known = begun.filter((one) => one !== undefined);
  const entries = await Promise.all(known.map(async (one) => await finish(deps, one, beginOne, deadlineMs)));
  const unknown = asked.filter((_, at) => begun[at] === undefined).map(({ referenceNumber }) => referenceNumber);
  const answer = cancelAnswer(entries, unknown);
  return known.length === 0 ? answer : lasting(answer);
};

const inTurns = async <T, R>(list: readonly T[], work: (entry: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  for (let at = 0; at < list.length; at += AT_ONCE) {
    results.push(...(await Promise.all(list.slice(at, at + AT_ONCE).map(work))));
  }
  return results;
};

interface Begun {
  readonly entry: Entry;
  readonly record: ConsignmentRecord;
  readonly accepted: AcceptedCancel;
}

/** Undefined: the shipper has no consignment of this reference. */
const begin = async (
  deps: ApiDeps,
  bearer: ShipperBearer,
  entry: Entry,
  { claim, acts }: Try,
): Promise<Begun | undefined> => {
  const { shipperId, shipperCode, environment } = bearer;
  const record = await findConsignment(deps.pool, shipperId, environment, entry.referenceNumber);
  if (record === undefined) return undefined;
  const act = acts.find(({ consignmentId }) => consignmentId === record.id);
  if (act !== undefined) return { entry, record, accepted: { kind: 'accepted', dispatchId: act.dispatchId } };
  const carrier = deps.carriers.find(record.carrierCode);
  const accepted = await acceptCancel(deps, {
    consignmentId: record.id,
    remark: entry.remark,
    service: carrier === undefined ? undefined : findService(carrier, JSON.parse(record.orderText) as Order),
    profileHash: carrier?.operations.cancel === undefined ? undefined : carrier.hash,
    actor: `shipper:${shipperCode}`,
    claim,
  });
  return { entry, record, accepted };
};

/** Waits for what decides the entry: its own dispatch, or the earlier action that is under way. */
const finish = async (
  deps: ApiDeps,
  begun: Begun,
  beginOne: (entry: Entry) => Promise<Begun | undefined>,
  deadlineMs: number,
): Promise<CancelEntry> => {
  let { accepted } = begun;
  for (let tries = 0; accepted.kind === 'busy' && tries < TRIES; tries += 1) {
    await deps.waitForDispatch(accepted.dispatchId, Math.max(0, deadlineMs - deps.nowMs()));
    const again = await beginOne(begun.entry);
    // Rejected meanwhile, so that the reference names nothing any more.
    if (again === undefined) return resultOf(begun.record, false, REFUSALS.rejected);
    ({ accepted } = again);
    deps.nudge();
  }
  if (accepted.kind === 'accepted' && accepted.dispatchId !== undefined) {
    await deps.waitForDispatch(accepted.dispatchId, Math.max(0, deadlineMs - deps.nowMs()));
  }
  const record = (await findConsignmentById(deps.pool, begun.record.id)) ?? begun.record;
  const { isCancelled, message } = await outcomeOf(deps, record, accepted);
  return resultOf(record, isCancelled, message, begun.entry.remark);
};

interface Outcome {
  readonly isCancelled: boolean;
  readonly message: string;
}
const no = (message: string): Outcome => ({ isCancelled: false, message });
const CANCELLED: Outcome = { isCancelled: true, message: 'Cancelled' };

const outcomeOf = async (
  deps: ApiDeps,
  { carrierCode }: ConsignmentRecord,
  accepted: AcceptedCancel,
): Promise<Outcome> => {
  switch (accepted.kind) {
    case 'carrier_cannot':
      return no(`Carrier ${carrierCode} cannot cancel by this platform`);
    case 'busy':
      return no('An earlier action on this consignment is still under way; try again in a while');
    case 'refused':
      return no(
        accepted.why === 'cancelled' ? 'Cancellation is not allowed: already cancelled' : REFUSALS[accepted.why],
      );
    case 'accepted':
      break;
  }
  if (accepted.dispatchId === undefined) return CANCELLED;
  const dispatch = await findDispatch(deps.pool, accepted.dispatchId);
  const reason = dispatch?.failure?.problem.messages.join('; ') ?? '';
  switch (dispatch?.state) {
    case 'done':
      return CANCELLED;
    case 'rejected':
      return no(`The carrier refused the cancellation: ${reason}`);
    case 'held':
      return no(`The cancellation is held: ${reason}`);
    default:
      return no('The carrier has not confirmed the cancellation yet; it goes on, and a webhook tells its end');
  }
};

const resultOf = (
  record: ConsignmentRecord,
  isCancelled: boolean,
  message: string,
  remark: string = message,
): CancelEntry => {
  const status = isCancelled ? 'Success' : 'Failed';
  return {
    referenceNumber: record.referenceNumber,
    status,
    message,
    trackingDetails: record.packages.flatMap(({ trackingNumber }) =>
      trackingNumber === undefined ? [] : [{ trackingNumber, status, remark: isCancelled ? remark : message }],
    ),
  };
};
