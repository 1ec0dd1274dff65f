/** A consignment as its shipper reads it: packages, statuses, labels, what the carrier said, what was asked of it. */
import { labelLink } from '../../engine/labels/serve.ts';
import { successReply } from '../../engine/consignment/reply.ts';
import { type ConsignmentEvent, listConsignmentEvents } from '../records/consignment-events.ts';
import type { ConsignmentRecord } from '../records/consignments.ts';
import { type DispatchView, listDispatches } from '../records/dispatches.ts';
import { type LabelEntry, listLabels } from '../records/label-links.ts';
import { findLastConsignment } from '../records/released.ts';
import type { ShipperBearer } from './bearer.ts';
import type { ConsignmentView, DispatchEntry } from './consignment-shapes.ts';
import { entryOf, isServed, trackingDetailsOf } from './consignment-entry.ts';
import type { ApiDeps } from './deps.ts';
import { type HttpAnswer, notFound, ok } from './http-answer.ts';

const EVENTS_MAX = 1_000;

/** GET /v2/consignments?referenceNumber= */
export const readConsignment = async (
  deps: ApiDeps,
  { shipperId, environment }: ShipperBearer,
  referenceNumber: string,
): Promise<HttpAnswer> => {
  const record = await findLastConsignment(deps.pool, shipperId, environment, referenceNumber);
  if (record === undefined) return notFound(deps.nowMs(), `referenceNumber ${referenceNumber} is not known`);
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
  return ok(successReply([view], deps.nowMs()));
};

const iso = (atMs: number): string => new Date(atMs).toISOString();

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
