/** The API's description: OpenAPI 3.1, made of the routes' own schemas. */
import swagger, { type SwaggerOptions } from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import packageJson from '../../../package.json' with { type: 'json' };
import { CancelRequest } from '../../engine/consignment/read.ts';
import { createSchema, updateSchema } from '../../engine/consignment/order.ts';
import * as reply from '../../engine/consignment/reply.ts';
import { WebhookEvent } from '../../engine/webhooks/event.ts';
import { ListReply, ReadReply } from './consignment-shapes.ts';

/** Shapes that OpenAPI names once and routes refer to. */
const SHAPES = {
  CreateParcel: createSchema('OP'),
  CreateBulky: createSchema('OB'),
  CreateOwnFleetParcel: createSchema('FP'),
  CreateOwnFleetBulky: createSchema('FB'),
  Update: updateSchema('OP'),
  CancelRequest,
  SuccessReply: reply.SuccessReply,
  CancelReply: reply.CancelReply,
  CancelRefusedReply: reply.CancelRefusedReply,
  ReadReply,
  ListReply,
  BadRequestReply: reply.BadRequestReply,
  ConflictReply: reply.ConflictReply,
  UnprocessableReply: reply.UnprocessableReply,
  ErrorReply: reply.ErrorReply,
  WebhookEvent,
};

export const describeApi = (app: FastifyInstance, publicUrl: string): void => {
  for (const [name, shape] of Object.entries(SHAPES)) {
    // Without what TypeBox keeps out of sight in its schemas.
    app.addSchema({ ...(JSON.parse(JSON.stringify(shape)) as object), $id: name });
  }
  app.register(swagger, optionsOf(publicUrl));
};

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description }) as const;

/** What the routes are about, for whom. */
export const TAGS = {
  Consignments: 'For shippers: create, change, cancel and read consignments.',
  Facilities: 'For shippers: places that orders name by a code.',
  Checkout: 'For shippers: prices and times before there is an order.',
  Slots: 'For shippers: delivery slots of carriers that have them, reserved before the order.',
  Pickups: 'For shippers: pickups at the shipper’s places, once and on certain days.',
  Manifests: 'For shippers: what carriers are handed over at a facility on a day.',
  Labels: 'By the links that replies carry.',
  Webhooks: 'For shippers: where events are sent, what was sent, and sending it again.',
  Carriers: 'For carriers: status updates by the contract, or in a format of their own.',
  Admin: 'For operators: carriers, shippers, accounts, tokens, and what needs a look.',
  Operations: 'For whoever runs the server.',
} as const;

const optionsOf = (publicUrl: string): SwaggerOptions => ({
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Waybill',
      version: packageJson.version,
      description: 'Delivery orchestration: shippers send consignments, carriers get them in their own form.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    webhooks: {
      event: {
        post: {
          operationId: 'webhookEvent',
          summary: 'What your webhook receives',
          security: [],
          description:
            'Signed by the Standard Webhooks scheme: webhook-id, webhook-timestamp, webhook-signature. Events may come ' +
            'twice or out of order: `eventId` names one, `sequence` orders those of a consignment.',
          requestBody: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/WebhookEvent' } } },
          },
          responses: { 200: { description: 'Within 30 seconds; whatever else comes is tried again.' } },
        },
      },
    },
    servers: [{ url: publicUrl }],
    components: {
      securitySchemes: {
        shipper: bearer('A shipper’s token, for one environment.'),
        carrier: bearer('A token of the carrier that the path names.'),
        admin: bearer('WAYBILL_ADMIN_TOKEN, or an operator’s token with the role that is named, or a higher one.'),
      },
    },
  },
  refResolver: { buildLocalReference: ({ $id }, _uri, _fragment, at) => (typeof $id === 'string' ? $id : `def-${at}`) },
});
