import { isDeepStrictEqual } from 'node:util';
import { issuesBeyondSchema, referenceNumberOf } from '../../engine/consignment/read.ts';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import { facilityCodesOf } from '../../engine/consignment/facility.ts';
import { changeFacilities, mergeUpdate, readUpdate } from '../../engine/consignment/update.ts';
import { profileOf } from '../../engine/consignment/levels.ts';
import type { Order } from '../../engine/consignment/order.ts';
import { findService } from '../../engine/consignment/service.ts';
import { translate } from '../../engine/consignment/translate.ts';
import { findNumberDuplicate } from '../records/accept-create.ts';
import { acceptUpdate, findMoved } from '../records/accept-change.ts';
import { canonicalOf, type ConsignmentRecord, findConsignment, orderOf } from '../records/consignments.ts';
import type { RequestAct } from '../records/idempotency.ts';
import { facilitiesOf } from '../records/facilities.ts';
import type { ShipperBearer } from './bearer.ts';
import { confirmNamed } from './carrier-slots.ts';
import { readyUpdate } from './choosing.ts';
import { isServed } from './consignment-entry.ts';
import { duplicateAnswer } from './create.ts';
import type { ApiDeps } from './deps.ts';
import {
  afterBusy,
  awaitDispatch,
  type Busy,
  conflictWith,
  REFUSALS,
  replyAfter,
  type ReplyOptions,
} from './dispatch-reply.ts';
import { badRequest, conflict, type HttpAnswer, notFound } from './http-answer.ts';
import { type Answered, answered, brokenRules } from './order-intake.ts';

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
  const attempt = async () => await tryUpdate(deps, bearer, body, { ...options, deadlineMs });
  const tried = await afterBusy(deps, deadlineMs, await attempt(), attempt);
  return tried.kind === 'answered'
    ? tried.answer
    : conflict('An earlier action on this consignment is still under way; try again in a while', 'under_way');
};

const tryUpdate = async (
  deps: ApiDeps,
  bearer: ShipperBearer,
  body: unknown,
  { deadlineMs, ...options }: ReplyOptions & { readonly deadlineMs: number },
): Promise<Answered | Busy> => {
  const reference = referenceNumberOf(body);
  const { shipperId, environment } = bearer;
  const record = reference && (await findConsignment(deps.pool, shipperId, environment, reference));
  if (!record) return answered(withoutRecord(body, reference));
  const before = orderOf(record);
  const merged = await mergeInto(deps, record, body);
  if (merged.kind === 'answered') return merged;
  const ready = await readyUpdate(deps, bearer, { record, before, order: merged.order, body });
  if (ready.kind === 'answered') return ready;
  const { order, carrier, service, orderTypes, consignment, accountId, slotToken, chosen, warnings } = ready;
  const carrierCode = carrier.code;
  const assigning = { accountId, carrierCode, consignmentId: record.id, consignment };
  const duplicate = await findNumberDuplicate(deps.pool, assigning);
  if (duplicate !== undefined) return answered(duplicateAnswer(deps, duplicate));
  const unconfirmed = await confirmNamed(deps, bearer, ready);
  if (unconfirmed !== undefined) return answered(unconfirmed);
  const isMoved = carrierCode !== record.carrierCode;
  const accepted = await acceptUpdate(deps, {
    consignmentId: record.id,
    basedOn: record,
    orderText: JSON.stringify(order),
    consignment,
    service,
    orderTypes,
    profileHash: carrier.hash,
    slot: order.consignmentDetails.slotToken === before.consignmentDetails.slotToken ? undefined : { token: slotToken },
    tellCarrier: !isDeepStrictEqual(
      [findService(carrier, before), seenByCarrier(consignmentNow(record, before))],
      [service, seenByCarrier(consignment)],
    ),
    chosen: chosen ?? (record.choice && { choice: null }),
    carrierUpdates: carrier.operations.update !== undefined || carrier.recreate,
    recreates: carrier.recreate,
    move: isMoved ? { carrierCode, accountId, cancel: cancelOf(deps, record) } : undefined,
    claim: options.claim,
    trace: options.trace,
  });
  switch (accepted.kind) {
    case 'busy':
      return accepted;
    case 'outdated':
      return { kind: 'busy', dispatchId: undefined };
    case 'refused':
      return answered(conflictWith(deps, record, accepted.why, REFUSALS[accepted.why]));
    case 'partial': {
      const message = 'The carrier has only some packages of it: retry what is missing, or cancel it, then change it';
      return answered(conflictWith(deps, record, 'partial', message));
    }
    case 'carrier_cannot': {
      const message = isMoved
        ? `carrier.code cannot be changed: carrier ${record.carrierCode} has the order and cannot cancel it by this platform`
        : `carrier ${carrierCode} takes no updates; cancel the consignment and create it anew`;
      return answered(brokenRules([{ message, path: 'carrier.code', code: 'carrier_updates' }], order));
    }
    case 'accepted': {
      const act = { consignmentId: record.id, dispatchId: accepted.dispatchId };
      const last = isMoved && !options.isAsync ? await afterMove(deps, act, deadlineMs) : act;
      return answered(await replyAfter(deps, last, { ...options, warnings }, record, deadlineMs));
    }
  }
};

/** What the carrier that may have the order is sent to cancel it; undefined: it cannot be asked. */
const cancelOf = (deps: ApiDeps, record: ConsignmentRecord) => {
  const carrier = deps.carriers.find(record.carrierCode);
  if (carrier?.operations.cancel === undefined) return undefined;
  const consignment = { ...canonicalOf(record), typeOfAction: 'CANCEL' };
  const service = findService(carrier, orderOf(record));
  return { profileHash: carrier.hash, inputs: { consignment, service } };
};

/** Waits for the end of the cancel: then it is the create at the other carrier that is answered of. */
const afterMove = async (deps: ApiDeps, act: RequestAct, deadlineMs: number): Promise<RequestAct> => {
  const { consignmentId, dispatchId } = act;
  if (dispatchId !== undefined) deps.handOn([dispatchId]);
  await awaitDispatch(deps, dispatchId, deadlineMs);
  return { ...act, dispatchId: (await findMoved(deps.pool, consignmentId, dispatchId)) ?? dispatchId };
};

/** What is wrong with the body, else that there is no such consignment. */
const withoutRecord = (body: unknown, reference: string | undefined): HttpAnswer => {
  // Flat names are laid over the party as it is; where there is no order, over nothing.
  const read = readUpdate(body, 'OP', {} as Order);
  return read.ok
    ? notFound(`consignmentDetails.referenceNumber ${reference} is not known`, 'unknown_consignment')
    : badRequest(read.issues, reference);
};

/** The order as the update leaves it. */
const mergeInto = async (
  deps: ApiDeps,
  record: ConsignmentRecord,
  given: unknown,
): Promise<{ readonly kind: 'merged'; readonly order: Order } | Answered> => {
  const before = JSON.parse(record.orderText) as Order;
  const facilities = await facilitiesOf(deps.pool, record, facilityCodesOf(given));
  const { body, current } = changeFacilities(before, given, facilities);
  const carrier = deps.carriers.find(record.carrierCode);
  const read = readUpdate(body, carrier === undefined ? 'OP' : profileOf(carrier.capabilities), current);
  if (!read.ok) return answered(badRequest(read.issues, record.referenceNumber));
  const labelExists = record.labels.some(isServed);
  const merged = mergeUpdate(current, read.value, { labelExists, carrierCode: record.carrierCode });
  if (!merged.ok) return answered(brokenRules(merged.issues, current));
  return { kind: 'merged', order: merged.order };
};

/** As its order would be translated today: a version that translated less is no change that the carrier must know. */
const consignmentNow = (record: ConsignmentRecord, before: Order): Consignment => {
  const was = canonicalOf(record);
  return translate(before, { ...was, operation: 'update', service: was, labelFormat: was.labelFormat ?? 'PDF' });
};

/** Fields of `info.consignmentDetails` by which the shipper or this platform sorts orders; no carrier acts on them. */
const OURS: ReadonlySet<string> = new Set([
  'businessUnit',
  'consignmentGroupId',
  'routingPriority',
  'routingTags',
  'routingType',
]);

/** Two that are equal here say the same to a carrier. Pure. */
const seenByCarrier = ({ info, ...consignment }: Consignment): unknown => {
  const { consignmentDetails, ...rest }: Readonly<Record<string, unknown>> = info ?? {};
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
