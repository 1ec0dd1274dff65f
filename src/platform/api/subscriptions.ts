import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
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
import { readSubscription } from '../../engine/webhooks/subscription.ts';
import { sendTestEvent } from '../../engine/webhooks/test-event.ts';
import { requireShipper, shipperOf } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { answers, json, SHIPPER } from './documents.ts';
import { badRequest, conflict, type HttpAnswer, notFound, ok, send, tooManyRequests } from './http-answer.ts';
import { leaveToHandler } from './request-check.ts';
import { NewWebhook, WebhookTested, WebhookView, WebhookWithSecret } from './webhook-shapes.ts';

const Path = Type.Object({ id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', 'x-must': 'be the id of a webhook' }) });

/** Each event is delivered to all that want it. */
const MOST = 100;

const iso = (atMs: number): string => new Date(atMs).toISOString();

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

/** A shipper's webhooks: made, listed, rotated, paused, tried, ended. */
export const subscriptionRoutes =
  (deps: ApiDeps) =>
  (app: FastifyInstance): void => {
    const { pool, sealer, nowMs } = deps;
    app.addHook('onRequest', requireShipper(deps));
    const common = { tags: ['Webhooks'], security: SHIPPER };
    const found = (subscription: Subscription | undefined): HttpAnswer =>
      subscription === undefined ? notFound(nowMs(), 'There is no such webhook') : ok(shown(subscription));

    app.route({
      method: 'POST',
      url: '/v2/webhooks',
      validatorCompiler: leaveToHandler,
      schema: {
        ...common,
        operationId: 'createWebhook',
        summary: 'Subscribe a URL to the events of consignments',
        body: NewWebhook,
        response: answers({ 200: json(WebhookWithSecret, 'With its secret, which is shown once.') }, 403, 409),
      },
      handler: async (request, reply) => {
        const read = readSubscription(request.body, deps.addressPolicy);
        if (!read.ok)
          return send(
            reply,
            badRequest(
              nowMs(),
              read.errors.map((message) => ({ message })),
            ),
          );
        const owner = shipperOf(request);
        if ((await listSubscriptions(pool, owner)).length >= MOST)
          return send(reply, conflict(nowMs(), `There are ${MOST} webhooks already, as many as may be`));
        const { secret, ...subscription } = await createSubscription(pool, sealer, owner, read.value);
        return send(reply, ok({ ...shown(subscription), secret }));
      },
    });

    app.route({
      method: 'GET',
      url: '/v2/webhooks',
      schema: {
        ...common,
        operationId: 'listWebhooks',
        summary: 'The webhooks there are',
        response: answers({ 200: json(Type.Object({ data: Type.Array(WebhookView) }), 'All.') }, 403),
      },
      handler: async (request, reply) =>
        send(reply, ok({ data: (await listSubscriptions(pool, shipperOf(request))).map(shown) })),
    });

    const onOne = (
      method: 'GET' | 'POST' | 'DELETE',
      url: string,
      about: { readonly operationId: string; readonly summary: string; readonly reply: object },
      act: (owner: ReturnType<typeof shipperOf>, id: string) => Promise<HttpAnswer>,
    ): void => {
      const { operationId, summary, reply: shape } = about;
      app.route<{ Params: Static<typeof Path> }>({
        method,
        url,
        schema: {
          ...common,
          operationId,
          summary,
          params: Path,
          response: answers({ 200: json(shape, 'As it is now.') }, 403, 404),
        },
        handler: async (request, reply) => send(reply, await act(shipperOf(request), request.params.id)),
      });
    };

    onOne(
      'GET',
      '/v2/webhooks/:id',
      { operationId: 'readWebhook', summary: 'One webhook', reply: WebhookView },
      async (owner, id) => found(await findSubscription(pool, owner, id)),
    );
    onOne(
      'DELETE',
      '/v2/webhooks/:id',
      {
        operationId: 'deleteWebhook',
        summary: 'End a webhook, with its deliveries',
        reply: Type.Object({ id: Type.String(), deleted: Type.Literal(true) }),
      },
      async (owner, id) => ((await deleteSubscription(pool, owner, id)) ? ok({ id, deleted: true }) : found(undefined)),
    );
    onOne(
      'POST',
      '/v2/webhooks/:id/rotate',
      {
        operationId: 'rotateWebhookSecret',
        summary: 'A new secret; the old one signs for 24 hours more',
        reply: WebhookWithSecret,
      },
      async (owner, id) => {
        const rotated = await rotateSecret(pool, sealer, owner, id, nowMs());
        if (rotated === undefined) return found(undefined);
        return ok({ ...shown(rotated), secret: rotated.secret, oldSecretUntil: iso(rotated.oldSecretUntilMs) });
      },
    );
    onOne(
      'POST',
      '/v2/webhooks/:id/pause',
      { operationId: 'pauseWebhook', summary: 'Keep deliveries back until it is resumed', reply: WebhookView },
      async (owner, id) => found(await pauseSubscription(pool, owner, id, nowMs())),
    );
    onOne(
      'POST',
      '/v2/webhooks/:id/resume',
      { operationId: 'resumeWebhook', summary: 'Deliver what waited', reply: WebhookView },
      async (owner, id) => {
        const resumed = await resumeSubscription(pool, owner, id);
        deps.nudge();
        return found(resumed);
      },
    );
    onOne(
      'POST',
      '/v2/webhooks/:id/test',
      {
        operationId: 'testWebhook',
        summary: 'Send a signed test event now, and say what came of it',
        reply: WebhookTested,
      },
      async (owner, id) => {
        const receiver = await findReceiver(pool, sealer, owner, id, nowMs());
        if (receiver === undefined) return found(undefined);
        const taken = deps.limits.testEvents.take(String(owner.shipperId));
        if (!taken.ok) return tooManyRequests(nowMs(), 'Too many test events', taken.retryAfterMs);
        const { eventId, means, outcome, status, message } = await sendTestEvent(receiver, deps);
        return ok({ eventId, delivered: means === 'delivered', outcome, status, message });
      },
    );
  };
