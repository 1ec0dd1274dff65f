/** A shipper's consignments as a list: GET /v2/consignments without a referenceNumber. */
import { type Static, Type } from 'typebox';
import { NORMALISED_STATUSES } from '../domain/status.ts';
import { timestampText } from '../order/reply.ts';
import { listConsignments, type ListedConsignment, type Place } from '../store/consignment-list.ts';
import type { ShipperBearer } from './bearer.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { ApiDeps } from './deps.ts';
import { badRequest, type HttpAnswer, ok } from './http-answer.ts';
import { number, numberOf } from './numbers.ts';

const ACCEPTANCES = ['pending', 'accepted', 'rejected', 'cancelled'] as const;

const moment = (description: string) =>
  Type.Optional(
    Type.String({
      description: `${description} A date (its midnight UTC), or a time written YYYY-MM-DDTHH:MM:SSZ.`,
      pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,3})?Z)?$',
      'x-must': 'be a date written YYYY-MM-DD, or a time written YYYY-MM-DDTHH:MM:SSZ',
    }),
  );

/** What a list may be asked by; all of it must fit. */
export const listFilter = {
  status: Type.Optional(Type.Enum([...NORMALISED_STATUSES])),
  acceptance: Type.Optional(Type.Enum([...ACCEPTANCES])),
  carrier: Type.Optional(Type.String({ maxLength: 100, description: 'A carrier’s code.' })),
  referencePrefix: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'How the referenceNumber begins.' }),
  ),
  createdFrom: moment('Created then or later.'),
  createdBefore: moment('Created earlier than that.'),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: '`nextCursor` of the page before.' })),
  limit: Type.Optional(number(3)),
};
const ListQuery = Type.Object(listFilter);
export type ListQuery = Static<typeof ListQuery>;

const ListEntry = Type.Object({
  referenceNumber: Type.String(),
  orderNumber: Type.String(),
  consignmentNumber: Type.String(),
  consignmentType: Type.Enum(['FORWARD', 'REVERSE']),
  carrierCode: Type.String(),
  status: Type.String(),
  acceptance: Type.Enum([...ACCEPTANCES]),
  masterTrackingNumber: Type.Optional(Type.String()),
  packages: Type.Array(
    Type.Object({
      packageId: Type.String(),
      status: Type.String(),
      trackingNumber: Type.Optional(Type.String()),
    }),
  ),
  createdAt: Type.String(),
  updatedAt: Type.String(),
});

export const ListReply = Type.Object({
  timestamp: Type.String(),
  status: Type.Literal('OK'),
  data: Type.Array(ListEntry),
  nextCursor: Type.Optional(Type.String({ description: 'Missing on the last page.' })),
});

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
  } satisfies Static<typeof ListReply>);
};

const isNumber = (text: string | undefined): text is string => text !== undefined && /^\d{1,18}$/.test(text);

const placeOf = (cursor: string): Place | undefined => {
  const [createdUs, id] = readCursor(cursor, 2) ?? [];
  return isNumber(createdUs) && isNumber(id) ? { createdUs, id } : undefined;
};

const shown = (listed: ListedConsignment): Static<typeof ListEntry> => ({
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
