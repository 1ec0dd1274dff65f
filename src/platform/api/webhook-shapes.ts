/** What the routes of webhooks take and show: schemas for checks and OpenAPI, types for the client. */
import { type Static, type TSchema, Type } from 'typebox';
import { EVENT_FILTERS } from '../../engine/webhooks/event.ts';
import { DELIVERY_STATES } from '../records/delivery-log.ts';
import { ORDER_TYPES } from '../../engine/webhooks/subscription.ts';
import { instant, texts, time } from './query-fields.ts';

const orNull = <Shape extends TSchema>(shape: Shape) => Type.Union([shape, Type.Null()]);

export const NewWebhook = Type.Object({
  url: Type.String({ description: 'HTTPS; answers 200 within 30 seconds.' }),
  orderTypes: Type.Array(Type.Enum([...ORDER_TYPES]), { minItems: 1, description: 'In any case.' }),
  events: Type.Optional(
    Type.Array(Type.Enum([...EVENT_FILTERS]), {
      minItems: 1,
      description: 'Only these; `consignment.status` stands for every status. Default: all.',
    }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'Sent with every delivery, 20 at most. Their values are kept sealed and not shown.',
      examples: [{ Authorization: 'Bearer example' }],
    }),
  ),
  retryAfterSeconds: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: 604_800 }), {
      minItems: 1,
      maxItems: 30,
      description:
        'How long after each failed try the next one comes, together 14 days at most. Default: four times 1800.',
      examples: [[60, 600, 3_600, 21_600, 86_400]],
    }),
  ),
});
export type NewWebhook = Static<typeof NewWebhook>;

/** What is supplied takes the place of what there was. */
export const WebhookChange = Type.Partial(
  Type.Object({
    ...NewWebhook.properties,
    events: orNull(NewWebhook.properties.events),
    headers: orNull(NewWebhook.properties.headers),
    retryAfterSeconds: orNull(NewWebhook.properties.retryAfterSeconds),
  }),
);
export type WebhookChange = Static<typeof WebhookChange>;

const webhook = {
  id: Type.String(),
  url: Type.String(),
  orderTypes: Type.Array(Type.String()),
  events: Type.Optional(Type.Array(Type.String())),
  headerNames: Type.Optional(
    Type.Array(Type.String(), { description: 'Of its own headers; their values are not shown.' }),
  ),
  retryAfterSeconds: Type.Optional(Type.Array(Type.Integer())),
  state: Type.Enum(['active', 'paused']),
  pauseReason: Type.Optional(Type.Enum(['requested', 'gone', 'failing'])),
  pausedAt: Type.Optional(instant()),
  failingSince: Type.Optional(instant()),
  createdAt: instant(),
};
export const WebhookView = Type.Object(webhook);
export type WebhookView = Static<typeof WebhookView>;

export const WebhookWithSecret = Type.Object({
  ...webhook,
  secret: Type.String({ description: 'Shown once: whsec_…, of Standard Webhooks.' }),
  oldSecretUntil: Type.Optional(instant('Until then the secret before signs too.')),
});
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const WebhookTested = Type.Object({
  eventId: Type.String(),
  delivered: Type.Boolean(),
  outcome: Type.String(),
  status: Type.Optional(Type.Integer({ description: 'What the receiver answered.' })),
  message: Type.Optional(Type.String()),
});
export type WebhookTested = Static<typeof WebhookTested>;

export const DeliveriesFilter = Type.Object(
  {
    webhookId: Type.Optional(Type.String({ maxLength: 64 })),
    state: Type.Optional(Type.Enum([...DELIVERY_STATES])),
    event: Type.Optional(Type.Enum([...EVENT_FILTERS])),
    referenceNumber: Type.Optional(Type.String({ maxLength: 100 })),
    since: Type.Optional(time()),
  },
  { additionalProperties: false },
);
export type DeliveriesFilter = Static<typeof DeliveriesFilter>;

export const DeliveryTry = Type.Object({
  attempt: Type.Integer(),
  at: instant(),
  status: Type.Optional(Type.Integer()),
  durationMs: Type.Number(),
  outcome: Type.String(),
  message: Type.Optional(Type.String()),
});

const delivery = {
  id: Type.Integer(),
  eventId: Type.String({ description: 'Also the webhook-id.' }),
  webhookId: Type.String({ description: 'The id of the webhook it goes to.' }),
  ...texts('event', 'referenceNumber'),
  state: Type.Enum([...DELIVERY_STATES]),
  attempts: Type.Integer(),
  dueAt: Type.Optional(instant()),
  createdAt: instant(),
  finishedAt: Type.Optional(instant()),
};
export const DeliveryEntry = Type.Object({ ...delivery, lastTry: Type.Optional(DeliveryTry) });
export type DeliveryEntry = Static<typeof DeliveryEntry>;

export const DeliveryWhole = Type.Object({ ...delivery, tries: Type.Array(DeliveryTry), body: Type.Unknown() });
export type DeliveryWhole = Static<typeof DeliveryWhole>;

export const RedeliveryView = Type.Object({
  id: Type.Integer(),
  state: Type.Enum(['running', 'done']),
  matching: Type.Integer(),
  redelivered: Type.Integer(),
  createdAt: instant(),
  finishedAt: Type.Optional(instant()),
});
export type RedeliveryView = Static<typeof RedeliveryView>;
