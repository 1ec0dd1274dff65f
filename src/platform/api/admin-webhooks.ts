/** For operators: shippers' webhooks, the log of what was sent to them, and sending it again. */
import { Type } from 'typebox';
import { type AnyWebhook, listWebhooks, ownerOf } from '../records/any-webhook.ts';
import { recordAudit } from '../records/audit.ts';
import { type DeliveryView, listDeliveries } from '../records/delivery-log.ts';
import { beginRedelivery } from '../records/redeliveries.ts';
import { findShipper, type Owner } from '../records/shippers.ts';
import { deleteSubscription, pauseSubscription, resumeSubscription } from '../records/subscriptions.ts';
import type { ApiDeps } from './deps.ts';
import {
  answerDelivery,
  answerRedelivery,
  filterOf,
  ONE_DELIVERY,
  ONE_REDELIVERY,
  REDELIVER,
  redeliver,
  viewDelivery,
} from './deliveries.ts';
import { notFound, ok } from './http-answer.ts';
import { ANY, listsOf, NUMBER } from './lists.ts';
import * as f from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';
import { changeWebhook, testWebhook, WEBHOOK_CHANGE, WEBHOOK_TEST, WebhookPath } from './subscriptions.ts';
import * as shapes from './webhook-shapes.ts';

const AREA = { auth: 'admin', tag: 'Admin' } as const;
const whose = { shipper: Type.Optional(f.shipperCode()), environment: Type.Optional(f.Environment) };
const AnyView = Type.Object({ ...shapes.WebhookView.properties, shipper: Type.String(), environment: f.Environment });
const { shipper: _, ...environment } = whose;
const Redelivery = Type.Object(
  { shipper: f.shipperCode(), ...environment, ...shapes.DeliveriesFilter.properties },
  { additionalProperties: false },
);

const noWebhook = notFound('There is no such webhook', 'unknown_webhook');

export const addAdminWebhookRoutes: AddRoutes = (scope, deps) => {
  addWebhooks(scope, deps);
  addLog(scope, deps);
};

/** Acts in the owner's stead; the audit log names the operator. */
const inStead = async (
  { pool }: ApiDeps,
  kind: Parameters<typeof ownerOf>[1],
  id: string,
  actor?: string,
): Promise<Owner | undefined> => {
  const owner = await ownerOf(pool, kind, id);
  return owner && { ...owner, actor };
};

const addWebhooks: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const list = listsOf(scope, deps, AREA);
  const { pool, nowMs } = deps;
  list('GET /admin/webhooks', {
    id: 'listAnyWebhooks',
    summary: 'The webhooks of all shippers',
    filter: { ...whose, state: Type.Optional(Type.Enum(['active', 'paused'])) },
    entry: AnyView,
    place: [({ id }: AnyWebhook) => [id], ANY],
    read: async ({ query, after, limit }) => await listWebhooks(pool, { ...query, afterId: after?.[0], limit }),
    show: (webhook) => f.viewOf(AnyView, webhook),
  });
  const one = { role: 'operate', path: WebhookPath, errors: [404] } as const;
  for (const [word, change] of [
    ['pause', async (owner: Owner, id: string) => await pauseSubscription(pool, owner, id, nowMs())],
    ['resume', async (owner: Owner, id: string) => await resumeSubscription(pool, owner, id)],
  ] as const) {
    route(`POST /admin/webhooks/:id/${word}`, {
      ...one,
      id: `${word}AnyWebhook`,
      summary: word === 'pause' ? 'Keep its deliveries back until it is resumed' : 'Deliver what waited',
      reply: [shapes.WebhookView, 'As it is now.'],
      handle: async ({ path: { id }, actor }) => {
        const owner = await inStead(deps, 'webhook', id, actor);
        const changed = owner && (await change(owner, id));
        return changed === undefined ? noWebhook : ok(f.viewOf(shapes.WebhookView, changed));
      },
    });
  }
  route('PATCH /admin/webhooks/:id', {
    ...one,
    ...WEBHOOK_CHANGE,
    id: 'updateAnyWebhook',
    role: 'administer',
    reply: [shapes.WebhookView, 'As it is now.'],
    handle: async ({ path: { id }, body, actor }) => {
      const owner = await inStead(deps, 'webhook', id, actor);
      return owner === undefined ? noWebhook : await changeWebhook(deps, owner, id, body);
    },
  });
  route('POST /admin/webhooks/:id/test', {
    ...WEBHOOK_TEST,
    id: 'testAnyWebhook',
    role: 'operate',
    handle: async ({ path: { id }, actor }) => {
      const owner = await inStead(deps, 'webhook', id, actor);
      if (owner === undefined) return noWebhook;
      const tested = await testWebhook(deps, owner, id);
      if (tested.status === 200) await recordAudit(pool, { actor, action: 'test_webhook', subject: `webhook:${id}` });
      return tested;
    },
  });
  route('DELETE /admin/webhooks/:id', {
    ...one,
    id: 'deleteAnyWebhook',
    role: 'administer',
    summary: 'End a webhook, with its deliveries; one that is being sent ends as it ends',
    reply: [Type.Object({ id: Type.String(), deleted: Type.Literal(true) }), 'It is gone.'],
    handle: async ({ path: { id }, actor }) => {
      const owner = await inStead(deps, 'webhook', id, actor);
      return owner !== undefined && (await deleteSubscription(pool, owner, id)) ? ok({ id, deleted: true }) : noWebhook;
    },
  });
};

const addLog: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const list = listsOf(scope, deps, AREA);
  const { pool } = deps;
  list('GET /admin/webhooks/deliveries', {
    id: 'listAnyDeliveries',
    summary: 'What was sent to the webhooks of all shippers, the newest first',
    filter: { ...whose, ...shapes.DeliveriesFilter.properties },
    entry: shapes.DeliveryEntry,
    place: [({ id }: DeliveryView) => [id], NUMBER],
    read: async ({ query: { shipper: code, environment, ...query }, after, limit }) => {
      const shipper = code === undefined ? undefined : await findShipper(pool, code);
      if (code !== undefined && shipper === undefined) return [];
      const owner = { shipperId: shipper?.id, environment };
      return await listDeliveries(pool, owner, filterOf(query), { limit, before: f.numberOf(after?.[0]) });
    },
    show: (delivery) => viewDelivery(shapes.DeliveryEntry, delivery),
  });
  route('GET /admin/webhooks/deliveries/:id', {
    id: 'readAnyDelivery',
    role: 'read',
    ...ONE_DELIVERY,
    handle: async ({ path }) => await answerDelivery(deps, {}, path.id),
  });
  route('POST /admin/webhooks/deliveries/:id/redeliver', {
    id: 'redeliverAny',
    role: 'operate',
    ...REDELIVER,
    handle: async ({ path: { id }, actor }) => await redeliver(deps, await inStead(deps, 'delivery', id, actor), id),
  });
  route('POST /admin/webhooks/redeliveries', {
    id: 'redeliverAnyMatching',
    role: 'operate',
    summary:
      'Send all of a shipper (in production) that match again, in the background; without a state, those that failed',
    body: Redelivery,
    reply: [shapes.RedeliveryView, 'How far it has come.'],
    errors: [404],
    handle: async ({ body: { shipper: code, environment = 'production', ...filter }, actor }) => {
      const shipper = await findShipper(pool, code);
      if (shipper === undefined) return notFound(`There is no shipper ${code}`, 'unknown_shipper');
      const begun = await beginRedelivery(pool, { shipperId: shipper.id, environment, actor }, filterOf(filter));
      return ok(f.viewOf(shapes.RedeliveryView, begun));
    },
  });
  route('GET /admin/webhooks/redeliveries/:id', {
    id: 'readAnyRedelivery',
    role: 'read',
    ...ONE_REDELIVERY,
    handle: async ({ path: { id } }) => await answerRedelivery(deps, await inStead(deps, 'redelivery', id), id),
  });
};
