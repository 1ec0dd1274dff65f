/** For operators: what nobody understood, what was exchanged, and who did what. */
import { Type } from 'typebox';
import { type AuditRow, listAudit } from '../records/audit.ts';
import { type ExchangeRow, listExchanges } from '../records/exchanges.ts';
import { findLastConsignment } from '../records/consignments.ts';
import { findShipper } from '../records/shippers.ts';
import { camelCase } from '../records/sql.ts';
import { listUnmapped } from '../records/events.ts';
import { type FailedPush, listFailedPushes } from '../records/pushes.ts';
import { notFound, ok, Refused, wrong } from './http-answer.ts';
import { listsOf, NUMBER } from './lists.ts';
import * as f from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

const anything = () => Type.Record(Type.String(), Type.Unknown());
const word = (maxLength: number, description?: string) =>
  Type.Optional(Type.String({ maxLength, ...(description === undefined ? {} : { description }) }));

const AREA = { auth: 'admin', tag: 'Admin' } as const;
const UnmappedQuery = Type.Object({ carrier: word(100), limit: f.limit });
/** Of a page of exchanges, each of which has an equal part of it; `size` tells of what was cut. */
const BODIES_MAX = 32 * 1024 * 1024;
const exchangeFilter = {
  carrier: word(100),
  shipper: word(100, 'Goes with referenceNumber.'),
  referenceNumber: word(100, 'Goes with shipper.'),
  environment: Type.Optional(f.Environment),
  consignmentId: Type.Optional(f.number()),
  dispatchId: Type.Optional(f.number()),
};
const auditFilter = {
  actor: word(200, '`admin`, `operator:<name>`, `shipper:<code>`, `command` or `engine`.'),
  action: word(200, 'Such as `save_account`.'),
  subject: word(200, 'Such as `account:7`.'),
  since: Type.Optional(f.time()),
};
const AuditEntry = Type.Object({
  id: Type.Integer(),
  at: f.instant(),
  ...f.texts('actor', 'action', 'subject'),
  detail: Type.Optional(Type.String({ description: 'Words, or JSON; never a secret.' })),
});
export const addAdminReadRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const list = listsOf(scope, deps, AREA);
  const { pool } = deps;
  route('GET /admin/statuses/unmapped', {
    id: 'listUnmappedStatuses',
    role: 'read',
    summary: 'What no row of a status table knows, the most frequent first',
    query: UnmappedQuery,
    reply: [Type.Object({ data: Type.Array(anything()) }), 'By what was said.'],
    handle: async ({ query }) =>
      ok({ data: await listUnmapped(pool, { carrierCode: query.carrier, limit: f.limitOf(query.limit) }) }),
  });
  list('GET /admin/pushes/failed', {
    id: 'listFailedPushes',
    summary: 'Pushes of carriers of which not all could be read or recorded, and why, the oldest first',
    filter: { carrier: word(100) },
    entry: anything(),
    place: [({ id }: FailedPush) => [id], NUMBER],
    byId: 'after',
    read: async ({ query: { carrier: carrierCode }, after, limit }) =>
      await listFailedPushes(pool, { carrierCode, afterId: f.numberOf(after?.[0]), limit }),
    show: (push) => push,
  });
  list('GET /admin/exchanges', {
    id: 'listExchanges',
    summary: 'Requests to carriers and their answers, masked, the newest first',
    filter: exchangeFilter,
    entry: anything(),
    errors: [404],
    place: [({ id }: ExchangeRow) => [id], NUMBER],
    byId: 'before',
    read: async ({ query: { shipper, referenceNumber, environment = 'production', ...query }, after, limit }) => {
      if ((shipper === undefined) !== (referenceNumber === undefined))
        throw new Refused(wrong('shipper and referenceNumber go together'));
      let consignmentId = f.numberOf(query.consignmentId);
      if (shipper !== undefined && referenceNumber !== undefined) {
        const { id } = (await findShipper(pool, shipper)) ?? {};
        const record = id === undefined ? undefined : await findLastConsignment(pool, id, environment, referenceNumber);
        if (record === undefined) throw new Refused(notFound('There is no such consignment', 'unknown_consignment'));
        consignmentId = record.id;
      }
      const dispatchId = f.numberOf(query.dispatchId);
      const beforeId = f.numberOf(after?.[0]);
      const bodyMax = Math.floor(BODIES_MAX / limit);
      return await listExchanges(pool, {
        carrierCode: query.carrier,
        consignmentId,
        dispatchId,
        beforeId,
        limit,
        bodyMax,
      });
    },
    show: exchangeView,
  });
  list('GET /admin/audit', {
    id: 'listAudit',
    summary: 'Who did what and when, the newest first',
    filter: auditFilter,
    entry: AuditEntry,
    place: [({ id }: AuditRow) => [id], NUMBER],
    byId: 'before',
    read: async ({ query: { since, ...query }, after, limit }) =>
      await listAudit(pool, { ...query, since: f.timeOf(since), beforeId: f.numberOf(after?.[0]), limit }),
    show: (entry) => f.viewOf(AuditEntry, entry),
  });
};

export const exchangeView = ({ carrier_code: carrier, method, url, status, ...row }: ExchangeRow) => {
  const { request_headers, request_body, request_size, response_headers, response_body, response_size, ...rest } = row;
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [camelCase(name), value])),
    carrier,
    request: { method, url, ...messageView(request_headers, request_body, request_size) },
    response: status === null ? null : { status, ...messageView(response_headers, response_body, response_size) },
  };
};

const messageView = (headersText: unknown, bytes: unknown, size: unknown) => {
  const headers: unknown = typeof headersText === 'string' ? JSON.parse(headersText) : null;
  return { headers, ...(Buffer.isBuffer(bytes) ? { ...bodyView(bytes), size } : { body: null }) };
};

/** A body is text where it is UTF-8, else base64, as `encoding` says; a character that a cut went through is left out. */
export const bodyView = (bytes: Buffer) => {
  try {
    const body = new TextDecoder('utf8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    return { body, encoding: 'utf8' };
  } catch {
    return { body: bytes.toString('base64'), encoding: 'base64' };
  }
};
