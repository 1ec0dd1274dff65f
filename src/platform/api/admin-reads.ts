/** For operators: carriers as they are loaded, what nobody understood, what was exchanged, and who did what. */
import { Type } from 'typebox';
import { formatFinding } from '../../engine/profile/finding.ts';
import type { AccountField, Carrier } from '../../engine/profile/carrier.ts';
import { type AuditRow, listAudit, recordAudit } from '../records/audit.ts';
import { type ExchangeRow, listExchanges } from '../records/exchanges.ts';
import { findLastConsignment } from '../records/consignments.ts';
import { findShipper } from '../records/shippers.ts';
import { camelCase } from '../records/sql.ts';
import { listUnmapped } from '../records/events.ts';
import { type FailedPush, listFailedPushes } from '../records/pushes.ts';
import { invalid, notFound, ok, Refused, wrong } from './http-answer.ts';
import { listsOf, NUMBER } from './lists.ts';
import * as f from './query-fields.ts';
import { type AddRoutes, json, named, routesOf } from './route.ts';

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
const CarriersReply = Type.Object({
  carriers: Type.Array(anything()),
  findings: Type.Array(anything(), { description: 'What keeps carriers from loading, or is doubtful.' }),
});

export const addAdminReadRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const list = listsOf(scope, deps, AREA);
  const { pool, carriers } = deps;
  const loaded = (isShown: (carrier: Carrier) => boolean = () => true) =>
    ok({
      carriers: carriers.list().filter(isShown).map(carrierView),
      findings: carriers.findings().map((finding) => ({ ...finding, text: formatFinding(finding) })),
    });
  route('GET /admin/carriers', {
    id: 'listCarriers',
    role: 'read',
    summary: 'The carriers that are loaded, and what is wrong with those that are not',
    reply: [CarriersReply, 'As loaded now.'],
    handle: () => loaded(),
  });
  route('POST /admin/reload', {
    id: 'reloadCarriers',
    role: 'operate',
    summary: 'Read all profiles anew; a carrier that no longer loads stays as it was',
    query: Type.Object({
      only: Type.Optional(
        Type.Enum(['changed'], { description: 'Of the carriers only those that are new or changed.' }),
      ),
    }),
    reply: [CarriersReply, 'As loaded now.'],
    answers: { 422: json(named('ErrorReply'), 'Profiles have errors, which are named; the others are loaded.') },
    handle: async ({ actor, query: { only } }) => {
      const before = new Map(carriers.list().map(({ code, hash }) => [code, hash]));
      await carriers.reload();
      const errors = carriers.findings().filter(({ severity }) => severity === 'error');
      const detail = JSON.stringify({ carriers: carriers.list().length, errors: errors.length });
      await recordAudit(pool, { actor, action: 'reload', subject: 'carriers', detail });
      if (errors.length === 0) return loaded(({ code, hash }) => only === undefined || before.get(code) !== hash);
      return invalid(
        'Carriers with errors were not loaded: what was loaded of them before stays',
        errors.map(formatFinding),
        'profiles_invalid',
      );
    },
  });
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

const carrierView = (carrier: Carrier) => ({
  code: carrier.code,
  name: carrier.name,
  hash: carrier.hash,
  capabilities: carrier.capabilities,
  services: carrier.services === undefined ? undefined : [...carrier.services.values()],
  environments: Object.keys(carrier.environments),
  operations: Object.keys(carrier.operations),
  credentials: fieldsView(carrier.credentials),
  settings: fieldsView(carrier.settings),
  labelFormats: carrier.labels.formats,
  statuses: {
    rows: carrier.statuses.table.length,
    webhook: carrier.statuses.webhook !== undefined,
    poll: carrier.statuses.poll !== undefined,
  },
});

/** What an account must supply; an example or default of a secret stays out. */
const fieldsView = (fields: Readonly<Record<string, AccountField>>) =>
  Object.entries(fields).map(([name, field]) => ({
    name,
    type: field.type,
    secret: field.secret,
    optional: field.optional,
    title: field.title,
    oneOf: field.oneOf,
    pattern: field.pattern?.source,
    default: field.secret ? undefined : field.default,
    example: field.secret ? undefined : field.example,
    fromRegister: field.fromRegister,
  }));

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
