/** A shipper's consignments as a list: GET /v2/consignments without a referenceNumber. */
import { timestampText } from '../../engine/consignment/reply.ts';
import { listConsignments, type ListedConsignment, type Place } from '../records/consignment-list.ts';
import type { ShipperBearer } from './bearer.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { ListEntry, ListQuery, ListReply } from './consignment-shapes.ts';
import type { ApiDeps } from './deps.ts';
import { badRequest, type HttpAnswer, ok } from './http-answer.ts';
import { numberOf } from './numbers.ts';

const LIMIT = 50;
const LIMIT_MAX = 200;

export const listShippersConsignments = async (
  { pool, nowMs }: ApiDeps,
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
  if (issues.length > 0) return badRequest(nowMs(), issues);
  const { status, acceptance, carrier: carrierCode, referencePrefix } = query;
  const { consignments, next } = await listConsignments(
    pool,
    { shipperId, environment, status, acceptance, carrierCode, referencePrefix, fromMs, beforeMs },
    { after, limit: Math.min(numberOf(query.limit) ?? LIMIT, LIMIT_MAX) },
  );
  return ok({
    timestamp: timestampText(nowMs()),
    status: 'OK',
    data: consignments.map(shown),
    ...(next === undefined ? {} : { nextCursor: writeCursor([next.createdUs, next.id]) }),
  } satisfies ListReply);
};

const isNumber = (text: string | undefined): text is string => text !== undefined && /^\d{1,18}$/.test(text);

const placeOf = (cursor: string): Place | undefined => {
  const [createdUs, id] = readCursor(cursor, 2) ?? [];
  return isNumber(createdUs) && isNumber(id) ? { createdUs, id } : undefined;
};

const shown = (listed: ListedConsignment): ListEntry => ({
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
  createdAt: new Date(listed.createdAtMs).toISOString(),
  updatedAt: new Date(listed.updatedAtMs).toISOString(),
});
