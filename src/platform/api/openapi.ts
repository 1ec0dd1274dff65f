import type { SwaggerOptions } from '@fastify/swagger';
import packageJson from '../../../package.json' with { type: 'json' };

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description }) as const;

/** OpenAPI 3.1, made of the routes' own schemas. */
export const openApiOptions = (publicUrl: string): SwaggerOptions => ({
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Waybill',
      version: packageJson.version,
      description: 'Delivery orchestration: shippers send consignments, carriers get them in their own form.',
    },
    webhooks: {
      event: {
        post: {
          operationId: 'webhookEvent',
          summary: 'What your webhook receives',
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
        admin: bearer('WAYBILL_ADMIN_TOKEN.'),
      },
    },
  },
  refResolver: { buildLocalReference: ({ $id }, _uri, _fragment, at) => (typeof $id === 'string' ? $id : `def-${at}`) },
});
