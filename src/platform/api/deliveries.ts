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
import type { Owner } from '../records/shippers.ts';
import type { ApiDeps } from './deps.ts';
import { conflict, type HttpAnswer, notFound, ok } from './http-answer.ts';
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

/** What is the same for a shipper, of its own, and for operators, of all; undefined: nobody's. */
export const ONE_DELIVERY = {
  summary: 'One delivery, with its body and every try',
  path: Path,
  reply: [shapes.DeliveryWhole, 'The delivery.'],
  errors: [404],
} as const;
export const answerDelivery = async ({ pool }: ApiDeps, whose: Partial<Owner>, id: string): Promise<HttpAnswer> => {
  const delivery = await findDelivery(pool, whose, Number(id));
  if (delivery === undefined) return noDelivery;
  return ok({ ...viewDelivery(shapes.DeliveryWhole, delivery), body: JSON.parse(delivery.body) as unknown });
};

export const REDELIVER = {
  summary: 'Send one delivery again, under its webhook-id',
  path: Path,
  reply: [
    Type.Object({ id: Type.Integer(), state: Type.Enum(['queued', 'paused']) }),
    'Paused: it goes out when its webhook is resumed.',
  ],
  errors: [404, 409],
} as const;
export const redeliver = async (
  { pool, nowMs }: ApiDeps,
  owner: Owner | undefined,
  given: string,
): Promise<HttpAnswer> => {
  const id = Number(given);
  const state = owner && (await redeliverOne(pool, owner, id, nowMs()));
  if (state === undefined) return noDelivery;
  return state === 'under_way' ? conflict('It is being sent at this moment', 'under_way') : ok({ id, state });
};

export const ONE_REDELIVERY = {
  summary: 'How far a redelivery has come',
  path: Path,
  reply: [shapes.RedeliveryView, 'How far it has come.'],
  errors: [404],
} as const;
export const answerRedelivery = async (
  { pool }: ApiDeps,
  owner: Owner | undefined,
  id: string,
): Promise<HttpAnswer> => {
  const redelivery = owner && (await findRedelivery(pool, owner, Number(id)));
  return redelivery === undefined
    ? notFound('There is no such redelivery', 'unknown_redelivery')
    : ok(viewOf(shapes.RedeliveryView, redelivery));
};

const noDelivery = notFound('There is no such delivery', 'unknown_delivery');

export const addDeliveryRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const list = listsOf(scope, deps, AREA);
  const { pool } = deps;
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
    ...ONE_DELIVERY,
    handle: async ({ shipper, path }) => await answerDelivery(deps, shipper, path.id),
  });
  route('POST /v2/webhooks/deliveries/:id/redeliver', {
    id: 'redeliver',
    ...REDELIVER,
    handle: async ({ shipper, path }) => await redeliver(deps, shipper, path.id),
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
    ...ONE_REDELIVERY,
    handle: async ({ shipper, path }) => await answerRedelivery(deps, shipper, path.id),
  });
};
