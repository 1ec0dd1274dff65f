/** A shipper's webhooks: made, listed, rotated, paused, tried, ended. */
import { type TObject, Type } from 'typebox';
import { readSubscription } from '../../engine/webhooks/subscription.ts';
import { isMap } from '../../engine/value.ts';
import { sendTestEvent } from '../../engine/webhooks/delivery.ts';
import type { Owner } from '../records/shippers.ts';
import * as records from '../records/subscriptions.ts';
import { yieldTurn } from './admission.ts';
import type { ApiDeps } from './deps.ts';
import { badRequest, conflict, type HttpAnswer, notFound, ok, tooManyRequests } from './http-answer.ts';
import { viewOf } from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';
import { NewWebhook, WebhookChange, WebhookTested, WebhookView, WebhookWithSecret } from './webhook-shapes.ts';

export const WebhookPath = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', 'x-must': 'be the id of a webhook' }),
});

/** Each event is delivered to all that want it. */
const MOST = 100;

const found = (subscription: records.Subscription | undefined, shape: TObject = WebhookView): HttpAnswer =>
  subscription === undefined
    ? notFound('There is no such webhook', 'unknown_webhook')
    : ok(viewOf(shape, subscription));

/** Of a route about one webhook. */
const one = (shape: object) => ({ path: WebhookPath, reply: [shape, 'As it is now.'], errors: [404] }) as const;

export const WEBHOOK_CHANGE = {
  summary: 'Change a webhook; what is not supplied stays, and null clears',
  description: 'Headers are replaced as a whole. The secret, the deliveries and what waits stay.',
  body: WebhookChange,
  readsBody: true,
} as const;

export const changeWebhook = async (
  { pool, sealer, addressPolicy }: ApiDeps,
  owner: Owner,
  id: string,
  body: unknown,
): Promise<HttpAnswer> => {
  const before = await records.findSubscription(pool, owner, id);
  if (before === undefined) return found(undefined);
  const given = body ?? {};
  if (!isMap(given)) return badRequest([{ message: 'the request must be an object' }]);
  const read = readSubscription({ ...before, ...given }, addressPolicy);
  if (!read.ok) return badRequest(read.errors.map((message) => ({ message })));
  const isElsewhere = new URL(read.value.url).origin !== new URL(before.url).origin;
  if (isElsewhere && before.headerNames !== undefined && given['headers'] === undefined)
    return badRequest([
      {
        path: 'headers',
        message: 'headers is needed with a url of another host: what it held is sent there only if you say so',
      },
    ]);
  const headers = given['headers'] === null ? { headers: {} } : {};
  return found(await records.updateSubscription(pool, sealer, owner, id, { ...read.value, ...headers }));
};

export const WEBHOOK_TEST = {
  path: WebhookPath,
  summary: 'Send a signed test event now, and say what came of it',
  reply: [WebhookTested, 'What the receiver answered.'],
  errors: [404],
} as const;

export const testWebhook = async (deps: ApiDeps, owner: Owner, id: string): Promise<HttpAnswer> => {
  const { pool, sealer, nowMs, limits } = deps;
  const receiver = await records.findReceiver(pool, sealer, owner, id, nowMs());
  if (receiver === undefined) return found(undefined);
  const taken = limits.testEvents.take(String(owner.shipperId));
  if (!taken.ok) return tooManyRequests('Too many test events', taken.retryAfterMs, 'test_events');
  const tested = await yieldTurn(async () => await sendTestEvent(receiver, deps));
  const { eventId, means, outcome, status, message } = tested;
  return ok({ eventId, delivered: means === 'delivered', outcome, status, message });
};

export const addSubscriptionRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, { auth: 'shipper', tag: 'Webhooks' });
  const { pool, sealer, nowMs } = deps;
  route('POST /v2/webhooks', {
    id: 'createWebhook',
    summary: 'Subscribe a URL to the events of consignments',
    body: NewWebhook,
    readsBody: true,
    reply: [WebhookWithSecret, 'With its secret, which is shown once.'],
    errors: [409],
    handle: async ({ shipper, body }) => {
      const read = readSubscription(body, deps.addressPolicy);
      if (!read.ok) return badRequest(read.errors.map((message) => ({ message })));
      if ((await records.listSubscriptions(pool, shipper)).length >= MOST)
        return conflict(`There are ${MOST} webhooks already, as many as may be`, 'webhook_limit');
      return ok(viewOf(WebhookWithSecret, await records.createSubscription(pool, sealer, shipper, read.value)));
    },
  });
  route('GET /v2/webhooks', {
    id: 'listWebhooks',
    summary: 'The webhooks there are',
    reply: [Type.Object({ data: Type.Array(WebhookView) }), 'All.'],
    handle: async ({ shipper }) => {
      const all = await records.listSubscriptions(pool, shipper);
      return ok({ data: all.map((each) => viewOf(WebhookView, each)) });
    },
  });
  route('GET /v2/webhooks/:id', {
    ...one(WebhookView),
    id: 'readWebhook',
    summary: 'One webhook',
    handle: async ({ shipper, path: { id } }) => found(await records.findSubscription(pool, shipper, id)),
  });
  route('PATCH /v2/webhooks/:id', {
    ...one(WebhookView),
    id: 'updateWebhook',
    ...WEBHOOK_CHANGE,
    handle: async ({ shipper, path: { id }, body }) => await changeWebhook(deps, shipper, id, body),
  });
  route('DELETE /v2/webhooks/:id', {
    ...one(Type.Object({ id: Type.String(), deleted: Type.Literal(true) })),
    id: 'deleteWebhook',
    summary: 'End a webhook, with its deliveries',
    handle: async ({ shipper, path: { id } }) =>
      (await records.deleteSubscription(pool, shipper, id)) ? ok({ id, deleted: true }) : found(undefined),
  });
  route('POST /v2/webhooks/:id/rotate', {
    ...one(WebhookWithSecret),
    id: 'rotateWebhookSecret',
    summary: 'A new secret; the old one signs for 24 hours more',
    handle: async ({ shipper, path: { id } }) =>
      found(await records.rotateSecret(pool, sealer, shipper, id, nowMs()), WebhookWithSecret),
  });
  route('POST /v2/webhooks/:id/pause', {
    ...one(WebhookView),
    id: 'pauseWebhook',
    summary: 'Keep deliveries back until it is resumed',
    handle: async ({ shipper, path: { id } }) => found(await records.pauseSubscription(pool, shipper, id, nowMs())),
  });
  route('POST /v2/webhooks/:id/resume', {
    ...one(WebhookView),
    id: 'resumeWebhook',
    summary: 'Deliver what waited',
    handle: async ({ shipper, path: { id } }) => {
      const resumed = await records.resumeSubscription(pool, shipper, id);
      return found(resumed);
    },
  });
  route('POST /v2/webhooks/:id/test', {
    ...WEBHOOK_TEST,
    id: 'testWebhook',
    handle: async ({ shipper, path: { id } }) => await testWebhook(deps, shipper, id),
  });
};
