import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import {
  type DeliveryFilter,
  type DeliveryView,
  findDelivery,
  listDeliveries,
  type LoggedTry,
} from '../records/delivery-log.ts';
import { beginRedelivery, findRedelivery, type Redelivery, redeliverOne } from '../records/redeliveries.ts';
import { requireShipper, shipperOf } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { answers, json, SHIPPER } from './documents.ts';
import { conflict, notFound, ok, send } from './http-answer.ts';
import { number, numberOf } from './numbers.ts';
import { DeliveriesFilter, DeliveriesQuery, DeliveryEntry, DeliveryWhole, RedeliveryView } from './webhook-shapes.ts';

const Path = Type.Object({ id: number() });

const iso = (atMs: number): string => new Date(atMs).toISOString();
const tryShown = ({ atMs, ...rest }: LoggedTry) => ({ ...rest, at: iso(atMs) });

const shown = (delivery: Omit<DeliveryView, 'lastTry'>) => ({
  id: delivery.id,
  eventId: delivery.eventId,
  webhookId: delivery.subscriptionId,
  event: delivery.event,
  referenceNumber: delivery.referenceNumber,
  state: delivery.state,
  attempts: delivery.attempts,
  dueAt: delivery.dueAtMs === undefined ? undefined : iso(delivery.dueAtMs),
  createdAt: iso(delivery.createdAtMs),
  finishedAt: delivery.finishedAtMs === undefined ? undefined : iso(delivery.finishedAtMs),
});

const redeliveryShown = ({ createdAtMs, finishedAtMs, ...rest }: Redelivery) => ({
  ...rest,
  createdAt: iso(createdAtMs),
  finishedAt: finishedAtMs === undefined ? undefined : iso(finishedAtMs),
});

const filterOf = ({ webhookId, since, state, event, referenceNumber }: DeliveriesFilter): DeliveryFilter => ({
  subscriptionId: webhookId,
  state,
  event,
  referenceNumber,
  sinceMs: since === undefined ? undefined : Date.parse(since),
});

const LIMIT = 100;
const LIMIT_MAX = 500;

/** The log of what was sent to webhooks, and sending again: one, or all that match. */
export const deliveryRoutes =
  (deps: ApiDeps) =>
  (app: FastifyInstance): void => {
    const { pool, nowMs } = deps;
    app.addHook('onRequest', requireShipper(deps));
    const common = { tags: ['Webhooks'], security: SHIPPER };
    const noDelivery = () => notFound(nowMs(), 'There is no such delivery');

    app.route<{ Querystring: DeliveriesQuery }>({
      method: 'GET',
      url: '/v2/webhooks/deliveries',
      schema: {
        ...common,
        operationId: 'listDeliveries',
        summary: 'The delivery log, the newest first',
        querystring: DeliveriesQuery,
        response: answers(
          {
            200: json(
              Type.Object({ data: Type.Array(DeliveryEntry), nextBefore: Type.Optional(Type.Integer()) }),
              '`nextBefore` is `before` of the next page.',
            ),
          },
          403,
        ),
      },
      handler: async (request, reply) => {
        const { before, limit } = request.query;
        const page = { limit: Math.min(numberOf(limit) ?? LIMIT, LIMIT_MAX), before: numberOf(before) };
        const { items, next } = await listDeliveries(pool, shipperOf(request), filterOf(request.query), page);
        const data = items.map((item) => ({
          ...shown(item),
          lastTry: item.lastTry === undefined ? undefined : tryShown(item.lastTry),
        }));
        return send(reply, ok({ data, nextBefore: next }));
      },
    });

    app.route<{ Params: Static<typeof Path> }>({
      method: 'GET',
      url: '/v2/webhooks/deliveries/:id',
      schema: {
        ...common,
        operationId: 'readDelivery',
        summary: 'One delivery, with its body and every try',
        params: Path,
        response: answers({ 200: json(DeliveryWhole, 'The delivery.') }, 403, 404),
      },
      handler: async (request, reply) => {
        const delivery = await findDelivery(pool, shipperOf(request), Number(request.params.id));
        if (delivery === undefined) return send(reply, noDelivery());
        const { tries, body, ...rest } = delivery;
        return send(reply, ok({ ...shown(rest), tries: tries.map(tryShown), body: JSON.parse(body) as unknown }));
      },
    });

    app.route<{ Params: Static<typeof Path> }>({
      method: 'POST',
      url: '/v2/webhooks/deliveries/:id/redeliver',
      schema: {
        ...common,
        operationId: 'redeliver',
        summary: 'Send one delivery again, under its webhook-id',
        params: Path,
        response: answers(
          {
            200: json(
              Type.Object({ id: Type.Integer(), state: Type.Enum(['queued', 'paused']) }),
              'Paused: it goes out when its webhook is resumed.',
            ),
          },
          403,
          404,
          409,
        ),
      },
      handler: async (request, reply) => {
        const id = Number(request.params.id);
        const state = await redeliverOne(pool, shipperOf(request), id, nowMs());
        deps.nudge();
        if (state === undefined) return send(reply, noDelivery());
        if (state === 'under_way') return send(reply, conflict(nowMs(), 'It is being sent at this moment'));
        return send(reply, ok({ id, state }));
      },
    });

    app.route<{ Body: DeliveriesFilter }>({
      method: 'POST',
      url: '/v2/webhooks/redeliveries',
      schema: {
        ...common,
        operationId: 'redeliverMatching',
        summary: 'Send all that match again, in the background; without a state, those that failed',
        body: DeliveriesFilter,
        response: answers({ 200: json(RedeliveryView, 'How far it has come.') }, 403),
      },
      handler: async (request, reply) => {
        const begun = await beginRedelivery(pool, shipperOf(request), filterOf(request.body));
        deps.nudge();
        return send(reply, ok(redeliveryShown(begun)));
      },
    });

    app.route<{ Params: Static<typeof Path> }>({
      method: 'GET',
      url: '/v2/webhooks/redeliveries/:id',
      schema: {
        ...common,
        operationId: 'readRedelivery',
        summary: 'How far a redelivery has come',
        params: Path,
        response: answers({ 200: json(RedeliveryView, 'How far it has come.') }, 403, 404),
      },
      handler: async (request, reply) => {
        const redelivery = await findRedelivery(pool, shipperOf(request), Number(request.params.id));
        return send(
          reply,
          redelivery === undefined ? notFound(nowMs(), 'There is no such redelivery') : ok(redeliveryShown(redelivery)),
        );
      },
    });
  };
