import { type CancelRequest, readCancel } from '../../engine/consignment/read.ts';
import type { CancelEntry } from '../../engine/consignment/reply.ts';
import { type CancelCode, UNUSABLE_VALUE } from '../../engine/error-codes.ts';
import { fieldsOfProblem } from '../../engine/failure.ts';
import { findService } from '../../engine/consignment/service.ts';
import {
  type ConsignmentRecord,
  type ConsignmentState,
  findActedUpon,
  findConsignment,
  orderOf,
} from '../records/consignments.ts';
import { type AcceptedCancel, acceptCancel, type OrderStore } from '../records/accept-change.ts';
import { standingOf } from '../records/acceptance.ts';
import type { ShipperBearer } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { afterBusy, awaitDispatch, REFUSALS } from './dispatch-reply.ts';
import { badRequest, cancelAnswer, type HttpAnswer, lasting } from './http-answer.ts';
import type { Attempt } from './idempotent.ts';

type Entry = CancelRequest['consignments'][number];

/** Of one batch at a time; the database is shared. */
const AT_ONCE = 4;

/** POST /v2/consignments-cancel: each on its own; the answer waits for the carriers. */
export const cancelConsignments = async (
  deps: ApiDeps,
  bearer: ShipperBearer,
  body: unknown,
  attempt: Attempt,
): Promise<HttpAnswer> => {
  const read = readCancel(body);
  if (!read.ok) return badRequest(read.issues);
  // A reference named twice is one consignment, and one entry of the answer.
  const wanted = [...new Map(read.value.consignments.map((entry) => [entry.referenceNumber, entry])).values()];
  const deadlineMs = deps.nowMs() + deps.createWaitMs;
  const beginOne = async (entry: Entry) => await begin(deps, bearer, entry, attempt);
  const begun: Awaited<ReturnType<typeof beginOne>>[] = [];
  for (let at = 0; at < wanted.length; at += AT_ONCE)
    begun.push(...(await Promise.all(wanted.slice(at, at + AT_ONCE).map(beginOne))));
  deps.handOn(begun.flatMap((one) => (one?.accepted.kind === 'accepted' ? (one.accepted.dispatchId ?? []) : [])));
  const known = begun.filter((one) => one !== undefined);
  const entries = await Promise.all(known.map(async (one) => await finish(deps, one, beginOne, deadlineMs)));
  const unknown = wanted.filter((_, at) => begun[at] === undefined).map(({ referenceNumber }) => referenceNumber);
  const answer = cancelAnswer(entries, unknown);
  return known.length === 0 ? answer : lasting(answer);
};

interface Begun {
  readonly entry: Entry;
  readonly record: ConsignmentRecord;
  readonly accepted: AcceptedCancel;
}

/** Undefined: the shipper has no consignment of this reference. */
const begin = async (
  deps: ApiDeps,
  { shipperId, code, environment }: ShipperBearer,
  entry: Entry,
  { claim, acts, trace }: Attempt,
): Promise<Begun | undefined> => {
  const record = await findConsignment(deps.pool, shipperId, environment, entry.referenceNumber);
  if (record === undefined) return undefined;
  const act = acts.find(({ consignmentId }) => consignmentId === record.id);
  if (act !== undefined) return { entry, record, accepted: { kind: 'accepted', dispatchId: act.dispatchId } };
  const accepted = await beginCancel(deps, record, { remark: entry.remark, actor: `shipper:${code}`, claim, trace });
  return { entry, record, accepted };
};

export const beginCancel = async (
  deps: Pick<ApiDeps, 'carriers'> & OrderStore,
  record: ConsignmentRecord,
  asked: Pick<Parameters<typeof acceptCancel>[1], 'remark' | 'actor' | 'claim' | 'trace'>,
): Promise<AcceptedCancel> => {
  const carrier = deps.carriers.find(record.carrierCode);
  return await acceptCancel(deps, {
    ...asked,
    consignmentId: record.id,
    service: carrier === undefined ? undefined : findService(carrier, orderOf(record)),
    profileHash: carrier?.operations.cancel === undefined ? undefined : carrier.hash,
  });
};

/** Its reference names nothing any more. */
const REJECTED_MEANWHILE = { kind: 'refused', why: 'rejected' } as const;

/** Waits for what decides the entry: its own dispatch, or the earlier action that is under way. */
const finish = async (
  deps: ApiDeps,
  begun: Begun,
  beginOne: (entry: Entry) => Promise<Begun | undefined>,
  deadlineMs: number,
): Promise<CancelEntry> => {
  const again = async () => (await beginOne(begun.entry))?.accepted ?? REJECTED_MEANWHILE;
  const accepted = await afterBusy(deps, deadlineMs, begun.accepted, again);
  const dispatchId = accepted.kind === 'accepted' ? accepted.dispatchId : undefined;
  if (dispatchId !== undefined && accepted !== begun.accepted) deps.handOn([dispatchId]);
  await awaitDispatch(deps, dispatchId, deadlineMs);
  const found = await findActedUpon(deps.pool, { consignmentId: begun.record.id, dispatchId });
  const record = found ?? begun.record;
  const failure = failureOf(record, accepted, found?.dispatch);
  const status = failure === undefined ? 'Success' : 'Failed';
  const carrierTold = found?.dispatch?.cancelled?.carrierTold ?? true;
  return {
    referenceNumber: record.referenceNumber,
    status,
    message: carrierTold ? CANCELLED : NOT_TOLD,
    ...(carrierTold ? {} : { carrierTold }),
    ...failure,
    ...standingOf(record.stands),
    trackingDetails: record.packages.flatMap(({ trackingNumber }) =>
      trackingNumber === undefined
        ? []
        : [{ trackingNumber, status, remark: failure?.message ?? begun.entry.remark ?? CANCELLED }],
    ),
  };
};
const CANCELLED = 'Cancelled';
const NOT_TOLD = 'Cancelled; there was nothing to tell the carrier';

/** Undefined: it is cancelled. */
export const failureOf = (
  { carrierCode }: ConsignmentState,
  accepted: AcceptedCancel,
  dispatch: NonNullable<Awaited<ReturnType<typeof findActedUpon>>>['dispatch'],
): (Pick<CancelEntry, 'message' | 'fields'> & { readonly code: CancelCode }) | undefined => {
  switch (accepted.kind) {
    case 'carrier_cannot':
      return { code: 'carrier_cannot', message: `Carrier ${carrierCode} cannot cancel by this platform` };
    case 'busy':
      return {
        code: 'under_way',
        message: 'An earlier action on this consignment is still under way; try again in a while',
      };
    case 'refused': {
      const code = accepted.why;
      const isRepeated = code === 'cancelled';
      return { code, message: isRepeated ? 'Cancellation is not allowed: already cancelled' : REFUSALS[code] };
    }
    case 'accepted':
      break;
  }
  if (accepted.dispatchId === undefined) return undefined;
  const { code, messages = [], ...about } = dispatch?.failure?.problem ?? {};
  const reason = messages.join('; ');
  switch (dispatch?.state) {
    case 'done':
      return undefined;
    case 'rejected':
      return code === UNUSABLE_VALUE
        ? { code, message: `The cancellation was not sent: ${reason}`, ...fieldsOfProblem(about) }
        : {
            code: 'carrier_rejected',
            message: `The carrier refused the cancellation: ${reason}`,
            ...fieldsOfProblem(about),
          };
    case 'held':
      return { code: 'held', message: `The cancellation is held: ${reason}` };
    default:
      return {
        code: 'pending',
        message: 'The carrier has not confirmed the cancellation yet; it goes on, and a webhook tells its end',
      };
  }
};
