import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { LABEL_CONTENT_TYPES } from '../../engine/labels/serve.ts';
import { findLabelOwner } from '../records/label-links.ts';
import { bearerOf } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { answers } from './documents.ts';
import { badGateway, notFound, OK, send, unavailable } from './http-answer.ts';

const LabelPath = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{16,64}$', 'x-must': 'be the id of a label' }),
});
const bytes = { schema: { type: 'string', format: 'binary' } };

/**
 * GET /v2/labels/{id}. The id is the key: whoever holds the link may read the label, with or without a token. Who
 * brings a token brings a valid one, and sees only what is theirs.
 */
export const labelRoutes =
  (deps: ApiDeps) =>
  (app: FastifyInstance): void => {
    app.route<{ Params: Static<typeof LabelPath> }>({
      method: 'GET',
      url: '/v2/labels/:id',
      schema: {
        tags: ['Labels'],
        operationId: 'readLabel',
        summary: 'A label, by the link that replies carry',
        security: [{}, { shipper: [] }],
        params: LabelPath,
        response: answers(
          {
            200: {
              description: 'The label as the carrier made it.',
              content: Object.fromEntries(Object.values(LABEL_CONTENT_TYPES).map((type) => [type, bytes])),
            },
          },
          404,
          502,
        ),
      },
      handler: async (request, reply) => {
        const { id } = request.params;
        const unknown = (message = 'There is no such label') => send(reply, notFound(deps.nowMs(), message));
        if (request.headers.authorization !== undefined) {
          const bearer = await bearerOf(deps, request);
          const owner = await findLabelOwner(deps.pool, id);
          const isOwn =
            bearer.kind === 'shipper' &&
            owner?.shipperId === bearer.shipperId &&
            owner.environment === bearer.environment;
          if (!isOwn) return unknown();
        }
        const label = await deps.serveLabel(id);
        switch (label.kind) {
          case 'unknown':
            return unknown();
          case 'revoked':
            return unknown('The label was revoked with its consignment');
          case 'pending': {
            const retryAfterS = Math.max(1, Math.ceil(label.retryAfterMs / 1_000));
            return send(reply, unavailable(deps.nowMs(), 'The carrier has not made the label yet', retryAfterS));
          }
          case 'failed':
            return send(reply, badGateway(deps.nowMs(), `The carrier gave no label: ${label.message}`));
          case 'served':
            return await reply
              .code(OK)
              .headers({
                'Content-Type': label.contentType,
                'Content-Disposition': `inline; filename="${label.fileName.replaceAll(/[^\w.-]/g, '_')}"`,
                // What a label document could do if it were a page, it must not.
                'Content-Security-Policy': "default-src 'none'; sandbox",
              })
              .send(label.content);
        }
      },
    });
  };
