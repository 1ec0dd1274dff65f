/** Consignments as their shipper reads them: one with all that is known of it, or a list. */
import { labelLink } from '../../engine/labels/serve.ts';
import { timestampText } from '../../engine/consignment/reply.ts';
import { type ConsignmentEvent, listConsignmentEvents } from '../records/events.ts';
import { listConsignments, type ListedConsignment, type Place } from '../records/consignment-list.ts';
import { type ConsignmentRecord, findLastConsignment } from '../records/consignments.ts';
import { type DispatchView, listDispatches } from '../records/dispatches.ts';
import { type LabelEntry, listLabels } from '../records/labels.ts';
import type { ShipperBearer } from './bearer.ts';
import type { ConsignmentView, DispatchEntry, ListEntry, ListQuery, ListReply } from './consignment-shapes.ts';
import type { ApiDeps } from './deps.ts';
import { entryOf, isServed, trackingDetailsOf } from './dispatch-reply.ts';
import { badRequest, type HttpAnswer, notFound, success } from './http-answer.ts';
import { iso, limitOf, readCursor, writeCursor } from './query-fields.ts';

const EVENTS_MAX = 1_000;

/** GET /v2/consignments?referenceNumber= */
export const readConsignment = async (
  deps: ApiDeps,
  { shipperId, environment }: ShipperBearer,
  referenceNumber: string,
): Promise<HttpAnswer> => {
  const record = await findLastConsignment(deps.pool, shipperId, environment, referenceNumber);
  if (record === undefined) return notFound(`referenceNumber ${referenceNumber} is not known`);
  const [labels, events, dispatches] = await Promise.all([
    listLabels(deps.pool, record.id),
    listConsignmentEvents(deps.pool, record.id, EVENTS_MAX),
    listDispatches(deps.pool, record.id),
  ]);
  const view: ConsignmentView = {
    ...entryOf(record, trackingDetailsOf(record, labels, deps)),
    consignmentType: record.consignmentType,
    carrierCode: record.carrierCode,
    environment: record.environment,
    status: record.status,
    acceptance: record.acceptance,
    createdAt: iso(record.createdAtMs),
    updatedAt: iso(record.updatedAtMs),
    packages: record.packages.map((one) => ({
      packageId: one.reference,
      ...present({ trackingNumber: one.trackingNumber, reason: one.reason }),
      status: one.status,
      ...(one.statusAtMs === undefined ? {} : { statusAt: iso(one.statusAtMs) }),
    })),
    labels: labels.map((label) => labelView(label, record, deps.publicUrl)),
    events: events.map((event) => eventView(event, record)),
    dispatches: dispatches.map(dispatchEntry),
  };
  return success(view);
};

const packageIdOf = (record: ConsignmentRecord, position: number | undefined): string | undefined =>
  position === undefined ? undefined : record.packages.find((one) => one.position === position)?.reference;

const labelView = (label: LabelEntry, record: ConsignmentRecord, publicUrl: string) => ({
  ...present({
    packageId: packageIdOf(record, label.position),
    url: isServed(label) ? labelLink(publicUrl, label.id) : undefined,
    format: label.format,
  }),
  state: label.state,
});

const eventView = (event: ConsignmentEvent, record: ConsignmentRecord) => ({
  ...present({ packageId: packageIdOf(record, event.position), reason: event.reason }),
  status: event.status,
  occurredAt: event.occurredAt.toISOString(),
  receivedAt: event.receivedAt.toISOString(),
  carrierStatus: { ...event.update },
});

const dispatchEntry = ({ id, operation, state, attempt, failure, ...at }: DispatchView) => ({
  id,
  operation,
  state: state as DispatchEntry['state'],
  attempts: attempt,
  ...(state === 'pending' || state === 'waiting' ? { dueAt: at.dueAt.toISOString() } : {}),
  createdAt: at.createdAt.toISOString(),
  ...(at.finishedAt === undefined ? {} : { finishedAt: at.finishedAt.toISOString() }),
  ...(failure === undefined
    ? {}
    : { failure: { why: failure.why, code: failure.problem.code, messages: [...failure.problem.messages] } }),
});

const present = <Fields extends Record<string, string | undefined>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: string;
  };

// Lists --------------------------------------------------------------------------------------------------------------

/** GET /v2/consignments without a referenceNumber. */
export const listShippersConsignments = async (
  { pool }: ApiDeps,
  { shipperId, environment }: ShipperBearer,
  query: ListQuery,
): Promise<HttpAnswer> => {
  const issues: { message: string }[] = [];
  const timeOf = (name: 'createdFrom' | 'createdBefore'): number | undefined => {
    const text = query[name];
    if (text === undefined) return undefined;
    const atMs = Date.parse(text);
    // The parser takes the 30th of February for a day in March.
    if (Number.isNaN(atMs) || !new Date(atMs).toISOString().startsWith(text.slice(0, 10)))
      issues.push({ message: `${name} must be a day that there is` });
    return atMs;
  };
  const [fromMs, beforeMs] = [timeOf('createdFrom'), timeOf('createdBefore')];
  const after = query.cursor === undefined ? undefined : placeOf(query.cursor);
  if (query.cursor !== undefined && after === undefined) issues.push({ message: 'cursor is none that we gave' });
  if (issues.length > 0) return badRequest(issues);
  const { status, acceptance, carrier: carrierCode, referencePrefix } = query;
  const { consignments, next } = await listConsignments(
    pool,
    { shipperId, environment, status, acceptance, carrierCode, referencePrefix, fromMs, beforeMs },
    { after, limit: limitOf(query.limit, 50, 200) },
  );
  return {
    status: 200,
    bodyAt: (nowMs): ListReply => ({
      timestamp: timestampText(nowMs),
      status: 'OK',
      data: consignments.map(listEntry),
      ...(next === undefined ? {} : { nextCursor: writeCursor([next.createdUs, next.id]) }),
    }),
  };
};

const isNumber = (text: string | undefined): text is string => text !== undefined && /^\d{1,18}$/.test(text);

const placeOf = (cursor: string): Place | undefined => {
  const [createdUs, id] = readCursor(cursor, 2) ?? [];
  return isNumber(createdUs) && isNumber(id) ? { createdUs, id } : undefined;
};

const listEntry = (listed: ListedConsignment): ListEntry => ({
  referenceNumber: listed.referenceNumber,
  orderNumber: listed.orderNumber,
  consignmentNumber: listed.consignmentNumber,
  consignmentType: listed.consignmentType,
  carrierCode: listed.carrierCode,
  status: listed.status,
  acceptance: listed.acceptance,
  ...(listed.masterTrackingNumber === undefined ? {} : { masterTrackingNumber: listed.masterTrackingNumber }),
  packages: listed.packages.map(({ trackingNumber, ...one }) => ({
    ...one,
    ...(trackingNumber === undefined ? {} : { trackingNumber }),
  })),
  createdAt: iso(listed.createdAtMs),
  updatedAt: iso(listed.updatedAtMs),
});
