import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AccountField, Carrier } from '../../engine/profile/carrier.ts';
import { type Finding, formatFinding } from '../../engine/profile/finding.ts';
import { recordAudit } from '../records/audit.ts';
import { type ExchangeRow, listExchanges } from '../records/exchanges.ts';
import { findLastConsignment } from '../records/released.ts';
import { findShipper } from '../records/shippers.ts';
import { listUnmapped } from '../records/status-lists.ts';
import { requireAdmin } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { ADMIN, answers, json } from './documents.ts';
import { badRequest, notFound, ok, send } from './http-answer.ts';
import { number, numberOf } from './numbers.ts';

const anything = () => Type.Record(Type.String(), Type.Unknown());
const code = () => Type.Optional(Type.String({ maxLength: 100 }));
const UnmappedQuery = Type.Object({ carrier: code(), limit: Type.Optional(number(3)) });
const ExchangeQuery = Type.Object({
  carrier: code(),
  shipper: Type.Optional(Type.String({ maxLength: 100, description: 'Goes with referenceNumber.' })),
  referenceNumber: Type.Optional(Type.String({ maxLength: 100, description: 'Goes with shipper.' })),
  environment: Type.Optional(Type.Enum(['sandbox', 'production'])),
  consignmentId: Type.Optional(number()),
  dispatchId: Type.Optional(number()),
  before: Type.Optional(number()),
  limit: Type.Optional(number(3)),
});
const CarriersReply = Type.Object({
  carriers: Type.Array(anything()),
  findings: Type.Array(anything(), { description: 'What keeps carriers from loading, or is doubtful.' }),
});
const LIMIT = 100;
const LIMIT_MAX = 500;
const limitOf = (text: string | undefined): number => Math.min(numberOf(text) ?? LIMIT, LIMIT_MAX);

/** Carriers, what they said that nobody knows, and what was exchanged with them. */
export const adminReadRoutes =
  (deps: ApiDeps) =>
  (app: FastifyInstance): void => {
    const { pool, carriers, nowMs } = deps;
    app.addHook('onRequest', requireAdmin(deps));
    const common = { tags: ['Admin'], security: ADMIN };
    const loaded = () => ({
      carriers: carriers.list().map(carrierView),
      findings: carriers.findings().map(findingView),
    });

    app.route({
      method: 'GET',
      url: '/admin/carriers',
      schema: {
        ...common,
        operationId: 'listCarriers',
        summary: 'The carriers that are loaded, and what is wrong with those that are not',
        response: answers({ 200: json(CarriersReply, 'As loaded now.') }),
      },
      handler: async (_request, reply) => send(reply, ok(loaded())),
    });

    app.route({
      method: 'POST',
      url: '/admin/reload',
      schema: {
        ...common,
        operationId: 'reloadCarriers',
        summary: 'Read all profiles anew; a carrier that no longer loads stays as it was',
        response: answers({ 200: json(CarriersReply, 'As loaded now.') }),
      },
      handler: async (_request, reply) => {
        await carriers.reload();
        const broken = carriers.findings().filter(({ severity }) => severity === 'error').length;
        const detail = JSON.stringify({ carriers: carriers.list().length, errors: broken });
        await recordAudit(pool, { actor: 'admin', action: 'reload', subject: 'carriers', detail });
        return send(reply, ok(loaded()));
      },
    });

    app.route<{ Querystring: Static<typeof UnmappedQuery> }>({
      method: 'GET',
      url: '/admin/statuses/unmapped',
      schema: {
        ...common,
        operationId: 'listUnmappedStatuses',
        summary: 'What no row of a status table knows, the most frequent first',
        querystring: UnmappedQuery,
        response: answers({ 200: json(Type.Object({ data: Type.Array(anything()) }), 'By what was said.') }),
      },
      handler: async (request, reply) => {
        const { carrier, limit } = request.query;
        return send(reply, ok({ data: await listUnmapped(pool, { carrierCode: carrier, limit: limitOf(limit) }) }));
      },
    });

    app.route<{ Querystring: Static<typeof ExchangeQuery> }>({
      method: 'GET',
      url: '/admin/exchanges',
      schema: {
        ...common,
        operationId: 'listExchanges',
        summary: 'Requests to carriers and their answers, masked, the newest first',
        querystring: ExchangeQuery,
        response: answers(
          {
            200: json(
              Type.Object({ data: Type.Array(anything()), nextBefore: Type.Optional(Type.Integer()) }),
              '`nextBefore` is `before` of the next page.',
            ),
          },
          404,
        ),
      },
      handler: async (request, reply) => {
        const { carrier, shipper, referenceNumber, environment = 'production', ...query } = request.query;
        if ((shipper === undefined) !== (referenceNumber === undefined))
          return send(reply, badRequest(nowMs(), [{ message: 'shipper and referenceNumber go together' }]));
        let consignmentId = numberOf(query.consignmentId);
        if (shipper !== undefined && referenceNumber !== undefined) {
          const { id } = (await findShipper(pool, shipper)) ?? {};
          const record =
            id === undefined ? undefined : await findLastConsignment(pool, id, environment, referenceNumber);
          if (record === undefined) return send(reply, notFound(nowMs(), 'There is no such consignment'));
          consignmentId = record.id;
        }
        const limit = limitOf(query.limit);
        const rows = await listExchanges(pool, {
          carrierCode: carrier,
          consignmentId,
          dispatchId: numberOf(query.dispatchId),
          beforeId: numberOf(query.before),
          limit: limit + 1,
        });
        const page = rows.slice(0, limit);
        const next = rows.length > limit ? page.at(-1)?.id : undefined;
        return send(reply, ok({ data: page.map(exchangeView), nextBefore: next }));
      },
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

const findingView = (finding: Finding) => ({ ...finding, text: formatFinding(finding) });

/** Bodies are text where they are UTF-8, else base64, named by `…Encoding`. */
const exchangeView = (row: ExchangeRow) => ({
  id: row.id,
  at: row.at,
  carrier: row.carrier_code,
  environment: row.environment,
  accountId: row.account_id,
  consignmentId: row.consignment_id,
  dispatchId: row.dispatch_id,
  profileHash: row.profile_hash,
  operation: row.operation,
  step: row.step,
  element: row.element,
  attempt: row.attempt,
  outcome: row.outcome,
  message: row.message,
  durationMs: row.duration_ms,
  request: { method: row.method, url: row.url, headers: parsed(row.request_headers), ...bodyView(row.request_body) },
  response:
    row.status === null
      ? null
      : { status: row.status, headers: parsed(row.response_headers), ...bodyView(row.response_body) },
});

const parsed = (text: unknown): unknown => (typeof text === 'string' ? JSON.parse(text) : null);

const bodyView = (body: unknown) => {
  if (!Buffer.isBuffer(body)) return { body: null };
  return isUtf8(body)
    ? { body: body.toString('utf8'), encoding: 'utf8' }
    : { body: body.toString('base64'), encoding: 'base64' };
};
