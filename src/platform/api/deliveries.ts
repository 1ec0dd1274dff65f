/** The log of what was sent to webhooks, and sending again: one, or all that match. */
import { type TObject, Type } from 'typebox';
import {
  type DeliveryFilter,
  type DeliveryView,
  findDelivery,
  listDeliveries,
  type LoggedTry,
} from '../records/delivery-log.ts';
import { beginRedelivery, findRedelivery, redeliverOne } from '../records/redeliveries.ts';
import { conflict, notFound, ok } from './http-answer.ts';
import { limitOf, number, numberOf, timeOf, viewOf } from './query-fields.ts';
import { type AddRoutes, pageReply, routesOf } from './route.ts';
import * as shapes from './webhook-shapes.ts';

const Path = Type.Object({ id: number() });

const shown = <Shape extends TObject>(
  shape: Shape,
  delivery: DeliveryView & { readonly tries?: readonly LoggedTry[] },
) =>
  viewOf(shape, {
    ...delivery,
    webhookId: delivery.subscriptionId,
    lastTry: delivery.lastTry && viewOf(shapes.DeliveryTry, delivery.lastTry),
    tries: delivery.tries?.map((one) => viewOf(shapes.DeliveryTry, one)),
  });

const filterOf = ({ webhookId, since, state, event, referenceNumber }: shapes.DeliveriesFilter): DeliveryFilter => ({
  subscriptionId: webhookId,
  state,
  event,
  referenceNumber,
  sinceMs: timeOf(since)?.getTime(),
});

const noDelivery = notFound('There is no such delivery');

export const addDeliveryRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, { auth: 'shipper', tag: 'Webhooks' });
  const { pool, nowMs } = deps;
  route('GET /v2/webhooks/deliveries', {
    id: 'listDeliveries',
    summary: 'The delivery log, the newest first',
    query: shapes.DeliveriesQuery,
    reply: pageReply(shapes.DeliveryEntry, 'before'),
    handle: async ({ shipper, query }) => {
      const page = { limit: limitOf(query.limit), before: numberOf(query.before) };
      const { items, next } = await listDeliveries(pool, shipper, filterOf(query), page);
      return ok({ data: items.map((item) => shown(shapes.DeliveryEntry, item)), nextBefore: next });
    },
  });
  route('GET /v2/webhooks/deliveries/:id', {
    id: 'readDelivery',
    summary: 'One delivery, with its body and every try',
    path: Path,
    reply: [shapes.DeliveryWhole, 'The delivery.'],
    errors: [404],
    handle: async ({ shipper, path }) => {
      const delivery = await findDelivery(pool, shipper, Number(path.id));
      if (delivery === undefined) return noDelivery;
      return ok({ ...shown(shapes.DeliveryWhole, delivery), body: JSON.parse(delivery.body) as unknown });
    },
  });
  route('POST /v2/webhooks/deliveries/:id/redeliver', {
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
      if (state === undefined) return noDelivery;
      return state === 'under_way' ? conflict('It is being sent at this moment') : ok({ id, state });
    },
  });
  route('POST /v2/webhooks/redeliveries', {
    id: 'redeliverMatching',
    summary: 'Send all that match again, in the background; without a state, those that failed',
    body: shapes.DeliveriesFilter,
    reply: [shapes.RedeliveryView, 'How far it has come.'],
    handle: async ({ shipper, body }) => {
      const begun = await beginRedelivery(pool, shipper, filterOf(body));
      return ok(viewOf(shapes.RedeliveryView, begun));
    },
  });
  route('GET /v2/webhooks/redeliveries/:id', {
    id: 'readRedelivery',
    summary: 'How far a redelivery has come',
    path: Path,
    reply: [shapes.RedeliveryView, 'How far it has come.'],
    errors: [404],
    handle: async ({ shipper, path }) => {
      const redelivery = await findRedelivery(pool, shipper, Number(path.id));
      return redelivery === undefined
        ? notFound('There is no such redelivery')
        : ok(viewOf(shapes.RedeliveryView, redelivery));
    },
  });
};
