/** The log of what was sent to webhooks, and sending again: one, or all that match. */
import { Type } from 'typebox';
import {
  type DeliveryFilter,
  type DeliveryView,
  findDelivery,
  listDeliveries,
  type LoggedTry,
} from '../records/delivery-log.ts';
import { beginRedelivery, findRedelivery, type Redelivery, redeliverOne } from '../records/redeliveries.ts';
import { conflict, notFound, ok } from './http-answer.ts';
import { iso, limitOf, number, numberOf } from './query-fields.ts';
import { pageReply, route, type Routes } from './route.ts';
import { DeliveriesFilter, DeliveriesQuery, DeliveryEntry, DeliveryWhole, RedeliveryView } from './webhook-shapes.ts';

const Path = Type.Object({ id: number() });

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

const common = { auth: 'shipper', tag: 'Webhooks' } as const;
const noDelivery = notFound('There is no such delivery');

export const deliveryRoutes: Routes = ({ pool, nowMs, nudge }) => [
  route({
    on: 'GET /v2/webhooks/deliveries',
    ...common,
    id: 'listDeliveries',
    summary: 'The delivery log, the newest first',
    query: DeliveriesQuery,
    reply: pageReply(DeliveryEntry, 'before'),
    handle: async ({ shipper, query }) => {
      const page = { limit: limitOf(query.limit), before: numberOf(query.before) };
      const { items, next } = await listDeliveries(pool, shipper, filterOf(query), page);
      const data = items.map(({ lastTry, ...item }) => ({
        ...shown(item),
        lastTry: lastTry === undefined ? undefined : tryShown(lastTry),
      }));
      return ok({ data, nextBefore: next });
    },
  }),
  route({
    on: 'GET /v2/webhooks/deliveries/:id',
    ...common,
    id: 'readDelivery',
    summary: 'One delivery, with its body and every try',
    path: Path,
    reply: [DeliveryWhole, 'The delivery.'],
    errors: [404],
    handle: async ({ shipper, path }) => {
      const delivery = await findDelivery(pool, shipper, Number(path.id));
      if (delivery === undefined) return noDelivery;
      const { tries, body, ...rest } = delivery;
      return ok({ ...shown(rest), tries: tries.map(tryShown), body: JSON.parse(body) as unknown });
    },
  }),
  route({
    on: 'POST /v2/webhooks/deliveries/:id/redeliver',
    ...common,
    id: 'redeliver',
    summary: 'Send one delivery again, under its webhook-id',
    path: Path,
    reply: [
      Type.Object({ id: Type.Integer(), state: Type.Enum(['queued', 'paused']) }),
      'Paused: it goes out when its webhook is resumed.',
    ],
    errors: [404, 409],
    handle: async ({ shipper, path }) => {
      const id = Number(path.id);
      const state = await redeliverOne(pool, shipper, id, nowMs());
      nudge();
      if (state === undefined) return noDelivery;
      return state === 'under_way' ? conflict('It is being sent at this moment') : ok({ id, state });
    },
  }),
  route({
    on: 'POST /v2/webhooks/redeliveries',
    ...common,
    id: 'redeliverMatching',
    summary: 'Send all that match again, in the background; without a state, those that failed',
    body: DeliveriesFilter,
    reply: [RedeliveryView, 'How far it has come.'],
    handle: async ({ shipper, body }) => {
      const begun = await beginRedelivery(pool, shipper, filterOf(body));
      nudge();
      return ok(redeliveryShown(begun));
    },
  }),
  route({
    on: 'GET /v2/webhooks/redeliveries/:id',
    ...common,
    id: 'readRedelivery',
    summary: 'How far a redelivery has come',
    path: Path,
    reply: [RedeliveryView, 'How far it has come.'],
    errors: [404],
    handle: async ({ shipper, path }) => {
      const redelivery = await findRedelivery(pool, shipper, Number(path.id));
      return redelivery === undefined ? notFound('There is no such redelivery') : ok(redeliveryShown(redelivery));
    },
  }),
];
