/** Consignments as their shipper reads them: one with all that is known of it, or a list. */
import { labelLink } from '../../engine/labels/serve.ts';
import { listConsignmentEvents } from '../records/events.ts';
import { standingOf } from '../records/acceptance.ts';
import { listConsignments, type ListPosition } from '../records/list-consignments.ts';
import { type ConsignmentRecord, findLastConsignment } from '../records/consignments.ts';
import { type DispatchView, listDispatches } from '../records/dispatches.ts';
import type { ShipperBearer } from './bearer.ts';
import {
  ConsignmentView,
  DispatchEntry,
  EventView,
  LabelView,
  ListEntry,
  type ListQuery,
  type ListReply,
  PackageView,
} from './consignment-shapes.ts';
import type { ApiDeps } from './deps.ts';
import { entryOf, isServed, labelReason } from './consignment-entry.ts';
import { type HttpAnswer, notFound, stamped, success, wrong } from './http-answer.ts';
import { limitOf, readCursor, timeOf, viewOf, writeCursor } from './query-fields.ts';

const EVENTS_MAX = 1_000;

/** GET /v2/consignments?referenceNumber= */
export const readConsignment = async (
  deps: ApiDeps,
  { shipperId, environment }: ShipperBearer,
  referenceNumber: string,
): Promise<HttpAnswer> => {
  const record = await findLastConsignment(deps.pool, shipperId, environment, referenceNumber);
  if (record === undefined) return notFound(`referenceNumber ${referenceNumber} is not known`, 'unknown_consignment');
  return success(await viewConsignment(deps, record, EVENTS_MAX));
};

/** All that a shipper may know of it; of very many events, the latest. */
export const viewConsignment = async (
  deps: ApiDeps,
  record: ConsignmentRecord,
  eventsMax: number,
): Promise<ConsignmentView> => {
  const [events, dispatches] = await Promise.all([
    listConsignmentEvents(deps.pool, record.id, eventsMax),
    listDispatches(deps.pool, record.id),
  ]);
  const packageIdOf = (at: number | undefined) => record.packages.find(({ position }) => position === at)?.reference;
  const { choice, ...entry } = entryOf(record, deps);
  return viewOf(ConsignmentView, {
    ...record,
    ...entry,
    choice: choice && record.choice && { ...choice, considered: [...record.choice.considered] },
    packages: record.packages.map((one) => viewOf(PackageView, { ...one, packageId: one.reference })),
    labels: record.labels.map((label) => {
      const url = isServed(label) ? labelLink(deps.publicUrl, label.id) : undefined;
      const reason = labelReason(label);
      return viewOf(LabelView, { ...label, packageId: packageIdOf(label.position), url, ...(reason && { reason }) });
    }),
    events: events.map((event) =>
      viewOf(EventView, { ...event, packageId: packageIdOf(event.position), carrierStatus: event.update }),
    ),
    dispatches: dispatches.map(({ dueAt, attempt, awaySince, failure, ...dispatch }) =>
      viewOf(DispatchEntry, {
        ...dispatch,
        attempts: attempt,
        awaySince: dispatch.state === 'waiting' ? awaySince : undefined,
        dueAt: dispatch.state === 'pending' || dispatch.state === 'waiting' ? dueAt : undefined,
        failure: failure && failureView(failure),
      }),
    ),
  });
};

export const failureView = ({ why, problem: { code, messages } }: NonNullable<DispatchView['failure']>) => ({
  why,
  code,
  messages,
});

// Lists --------------------------------------------------------------------------------------------------------------

/** GET /v2/consignments without a referenceNumber. */
export const listShippersConsignments = async (
  { pool }: ApiDeps,
  { shipperId, environment }: ShipperBearer,
  query: ListQuery,
): Promise<HttpAnswer> => {
  const { cursor, limit, carrier: carrierCode, createdFrom, createdBefore, ...rest } = query;
  const after = cursor === undefined ? undefined : placeOf(cursor);
  if (cursor !== undefined && after === undefined) return wrong('cursor is none that we gave');
  const created = { fromMs: timeOf(createdFrom)?.getTime(), beforeMs: timeOf(createdBefore)?.getTime() };
  const count = limitOf(limit, 50, 200);
  const rows = await listConsignments(
    pool,
    { shipperId, environment, carrierCode, ...rest, ...created },
    { after, limit: count + 1 },
  );
  const last = rows.length > count ? rows[count - 1] : undefined;
  return stamped<ListReply>({
    status: 'OK',
    data: rows.slice(0, count).map(({ stands, ...listed }) => viewOf(ListEntry, { ...listed, ...standingOf(stands) })),
    ...(last === undefined ? {} : { nextCursor: writeCursor([last.createdUs, String(last.id)]) }),
  });
};

const isNumber = (text: string | undefined): text is string => text !== undefined && /^\d{1,18}$/.test(text);

const placeOf = (cursor: string): ListPosition | undefined => {
  const [createdUs, id] = readCursor(cursor, 2) ?? [];
  return isNumber(createdUs) && isNumber(id) ? { createdUs, id } : undefined;
};
