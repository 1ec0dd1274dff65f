/** A shipper's webhooks: made, listed, rotated, paused, tried, ended. */
import { Type } from 'typebox';
import { readSubscription } from '../../engine/webhooks/subscription.ts';
import { sendTestEvent } from '../../engine/webhooks/delivery.ts';
import {
  createSubscription,
  deleteSubscription,
  findReceiver,
  findSubscription,
  listSubscriptions,
  pauseSubscription,
  resumeSubscription,
  rotateSecret,
  type Subscription,
} from '../records/subscriptions.ts';
import { badRequest, conflict, type HttpAnswer, notFound, ok, tooManyRequests } from './http-answer.ts';
import { iso } from './query-fields.ts';
import { route, type Routes } from './route.ts';
import { NewWebhook, WebhookTested, WebhookView, WebhookWithSecret } from './webhook-shapes.ts';

const Path = Type.Object({ id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', 'x-must': 'be the id of a webhook' }) });

/** Each event is delivered to all that want it. */
const MOST = 100;

const shown = (subscription: Subscription): WebhookView => ({
  id: subscription.id,
  url: subscription.url,
  orderTypes: [...subscription.orderTypes],
  state: subscription.state,
  ...(subscription.pauseReason === undefined ? {} : { pauseReason: subscription.pauseReason }),
  ...(subscription.pausedAtMs === undefined ? {} : { pausedAt: iso(subscription.pausedAtMs) }),
  ...(subscription.failingSinceMs === undefined ? {} : { failingSince: iso(subscription.failingSinceMs) }),
  createdAt: iso(subscription.createdAtMs),
});

const found = (subscription: Subscription | undefined): HttpAnswer =>
  subscription === undefined ? notFound('There is no such webhook') : ok(shown(subscription));

const common = { auth: 'shipper', tag: 'Webhooks' } as const;
/** Of a route about one webhook. */
const one = (shape: object) => ({ ...common, path: Path, reply: [shape, 'As it is now.'], errors: [404] }) as const;

export const subscriptionRoutes: Routes = (deps) => {
  const { pool, sealer, nowMs } = deps;
  return [
    route({
      on: 'POST /v2/webhooks',
      ...common,
      id: 'createWebhook',
      summary: 'Subscribe a URL to the events of consignments',
      body: NewWebhook,
      readsBody: true,
      reply: [WebhookWithSecret, 'With its secret, which is shown once.'],
      errors: [409],
      handle: async ({ shipper, body }) => {
        const read = readSubscription(body, deps.addressPolicy);
        if (!read.ok) return badRequest(read.errors.map((message) => ({ message })));
        if ((await listSubscriptions(pool, shipper)).length >= MOST)
          return conflict(`There are ${MOST} webhooks already, as many as may be`);
        const { secret, ...subscription } = await createSubscription(pool, sealer, shipper, read.value);
        return ok({ ...shown(subscription), secret });
      },
    }),
    route({
      on: 'GET /v2/webhooks',
      ...common,
      id: 'listWebhooks',
      summary: 'The webhooks there are',
      reply: [Type.Object({ data: Type.Array(WebhookView) }), 'All.'],
      handle: async ({ shipper }) => ok({ data: (await listSubscriptions(pool, shipper)).map(shown) }),
    }),
    route({
      on: 'GET /v2/webhooks/:id',
      ...one(WebhookView),
      id: 'readWebhook',
      summary: 'One webhook',
      handle: async ({ shipper, path: { id } }) => found(await findSubscription(pool, shipper, id)),
    }),
    route({
      on: 'DELETE /v2/webhooks/:id',
      ...one(Type.Object({ id: Type.String(), deleted: Type.Literal(true) })),
      id: 'deleteWebhook',
      summary: 'End a webhook, with its deliveries',
      handle: async ({ shipper, path: { id } }) =>
        (await deleteSubscription(pool, shipper, id)) ? ok({ id, deleted: true }) : found(undefined),
    }),
    route({
      on: 'POST /v2/webhooks/:id/rotate',
      ...one(WebhookWithSecret),
      id: 'rotateWebhookSecret',
      summary: 'A new secret; the old one signs for 24 hours more',
      handle: async ({ shipper, path: { id } }) => {
        const rotated = await rotateSecret(pool, sealer, shipper, id, nowMs());
        if (rotated === undefined) return found(undefined);
        return ok({ ...shown(rotated), secret: rotated.secret, oldSecretUntil: iso(rotated.oldSecretUntilMs) });
      },
    }),
    route({
      on: 'POST /v2/webhooks/:id/pause',
      ...one(WebhookView),
      id: 'pauseWebhook',
      summary: 'Keep deliveries back until it is resumed',
      handle: async ({ shipper, path: { id } }) => found(await pauseSubscription(pool, shipper, id, nowMs())),
    }),
    route({
      on: 'POST /v2/webhooks/:id/resume',
      ...one(WebhookView),
      id: 'resumeWebhook',
      summary: 'Deliver what waited',
      handle: async ({ shipper, path: { id } }) => {
        const resumed = await resumeSubscription(pool, shipper, id);
        deps.nudge();
        return found(resumed);
      },
    }),
    route({
      on: 'POST /v2/webhooks/:id/test',
      ...one(WebhookTested),
      id: 'testWebhook',
      summary: 'Send a signed test event now, and say what came of it',
      handle: async ({ shipper, path: { id } }) => {
        const receiver = await findReceiver(pool, sealer, shipper, id, nowMs());
        if (receiver === undefined) return found(undefined);
        const taken = deps.limits.testEvents.take(String(shipper.shipperId));
        if (!taken.ok) return tooManyRequests('Too many test events', taken.retryAfterMs);
        const { eventId, means, outcome, status, message } = await sendTestEvent(receiver, deps);
        return ok({ eventId, delivered: means === 'delivered', outcome, status, message });
      },
    }),
  ];
};
