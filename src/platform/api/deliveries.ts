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
import { listsOf, NUMBER } from './lists.ts';
import { number, numberOf, timeOf, viewOf } from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';
import * as shapes from './webhook-shapes.ts';

const AREA = { auth: 'shipper', tag: 'Webhooks' } as const;
const Path = Type.Object({ id: number() });

/** A delivery as the shape has it. */
export const viewDelivery = <Shape extends TObject>(
  shape: Shape,
  delivery: DeliveryView & { readonly tries?: readonly LoggedTry[] },
) =>
  viewOf(shape, {
    ...delivery,
    webhookId: delivery.subscriptionId,
    lastTry: delivery.lastTry && viewOf(shapes.DeliveryTry, delivery.lastTry),
    tries: delivery.tries?.map((one) => viewOf(shapes.DeliveryTry, one)),
  });

/** The filter as the records take it. */
export const filterOf = ({
  webhookId,
  since,
  state,
  event,
  referenceNumber,
}: shapes.DeliveriesFilter): DeliveryFilter => ({
  subscriptionId: webhookId,
  state,
  event,
  referenceNumber,
  sinceMs: timeOf(since)?.getTime(),
});

const noDelivery = notFound('There is no such delivery', 'unknown_delivery');

export const addDeliveryRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const list = listsOf(scope, deps, AREA);
  const { pool, nowMs } = deps;
  list('GET /v2/webhooks/deliveries', {
    id: 'listDeliveries',
    summary: 'The delivery log, the newest first',
    filter: shapes.DeliveriesFilter.properties,
    entry: shapes.DeliveryEntry,
    place: [({ id }: DeliveryView) => [id], NUMBER],
    byId: 'before',
    read: async ({ shipper, query, after, limit }) =>
      await listDeliveries(pool, shipper, filterOf(query), { limit, before: numberOf(after?.[0]) }),
    show: (delivery) => viewDelivery(shapes.DeliveryEntry, delivery),
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
      return ok({ ...viewDelivery(shapes.DeliveryWhole, delivery), body: JSON.parse(delivery.body) as unknown });
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
      return state === 'under_way' ? conflict('It is being sent at this moment', 'under_way') : ok({ id, state });
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
        ? notFound('There is no such redelivery', 'unknown_redelivery')
        : ok(viewOf(shapes.RedeliveryView, redelivery));
    },
  });
};
