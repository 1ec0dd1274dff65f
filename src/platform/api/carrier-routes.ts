/** What carriers send us. Bytes are committed as they came before they are looked at. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { Failure } from '../../engine/failure.ts';
import { timestampText } from '../../engine/consignment/reply.ts';
import { readContractPush } from '../../engine/statuses/contract-push.ts';
import type { IncomingRequest } from '../../engine/statuses/webhook.ts';
import { recordPush } from '../records/status-push.ts';
import { withoutProofs } from '../../engine/transport/masking.ts';
import { hideNamed } from '../../engine/transport/masking.ts';
import { carrierOf, requireCarrier } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { answers, CARRIER, json } from './documents.ts';
import { badRequest, ok, refusal, send } from './http-answer.ts';
import { guardWebhooks, noWebhook, rememberProof } from './webhook-gate.ts';

const code = () => Type.String({ pattern: '^[\\w-]{1,64}$', 'x-must': 'be the code of a carrier' });
const StatusPath = Type.Object({ carrierCode: code() });
const WebhookPath = Type.Object({ carrierCode: code(), account: Type.Optional(Type.String({ maxLength: 100 })) });
const PushReply = Type.Object({ timestamp: Type.String(), status: Type.Literal('OK') });

export const carrierRoutes =
  (deps: ApiDeps) =>
  (app: FastifyInstance): void => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    // A type that cannot be read would be refused before the bytes are; many carriers never send them again.
    app.addHook('onRequest', async ({ raw: { headers } }) => {
      const type = headers['content-type'];
      if (type !== undefined && !MEDIA_TYPE.test(type)) headers['content-type'] = 'application/octet-stream';
    });

    app.register((pushes) => {
      pushes.addHook('onRequest', requireCarrier(deps));
      pushes.route<{ Params: Static<typeof StatusPath> }>({
        method: 'POST',
        url: '/v2/carriers/:carrierCode/statuses',
        schema: {
          tags: ['Carriers'],
          operationId: 'pushStatuses',
          security: CARRIER,
          summary: 'A status update of the carrier contract, or an array of them',
          description:
            'Answered when it is recorded; it is read afterwards. What is not JSON is recorded too, and refused.',
          params: StatusPath,
          response: answers({ 200: json(PushReply, 'Recorded.') }, 403),
        },
        handler: async (request, reply) => {
          const { carrierCode, environment } = carrierOf(request);
          const body = bytesOf(request);
          await recordPush(deps.pool, {
            carrierCode,
            source: 'contract',
            environment,
            request: {
              method: request.method,
              url: hideNamed(request.url),
              headers: withoutProofs(joined(request.headers)),
            },
            body,
            receivedAtMs: deps.nowMs(),
          });
          deps.nudge();
          const wrong = faultOf(body);
          return send(
            reply,
            wrong === undefined
              ? ok({ timestamp: timestampText(deps.nowMs()), status: 'OK' })
              : badRequest(deps.nowMs(), [{ message: wrong }]),
          );
        },
      });
    });

    app.register(async (webhooks) => {
      guardWebhooks(deps)(webhooks);
      for (const url of ['/v2/carriers/:carrierCode/webhook', '/v2/carriers/:carrierCode/webhook/:account']) {
        const operationId = url.endsWith('account') ? 'receiveWebhookOfAccount' : 'receiveWebhook';
        webhooks.route<{ Params: Static<typeof WebhookPath> }>({
          method: 'POST',
          url,
          schema: {
            tags: ['Carriers'],
            operationId,
            security: [],
            summary: 'What a carrier sends in its own format; its profile says how it proves itself and is answered',
            params: WebhookPath,
            response: answers(
              { 200: { description: 'Recorded; as the profile answers.', content: { '*/*': { schema: {} } } } },
              401,
              403,
              404,
              429,
            ),
          },
          handler: async (request, reply) => {
            const { carrierCode, account } = request.params;
            const received = await deps.receiveWebhook(carrierCode, account, cameIn(request, deps.publicUrl));
            rememberProof(deps, request, received);
            switch (received.kind) {
              case 'admitted':
              case 'handshake': {
                const { status, headers, body } = received.reply;
                return await reply.code(status).headers(headers).send(body);
              }
              case 'refused':
                return send(
                  reply,
                  refusal(deps.nowMs(), received.status, 'The request does not prove that it is the carrier’s'),
                );
              case 'unknown':
                return send(reply, noWebhook(deps.nowMs(), carrierCode));
            }
          },
        });
      }
    });
  };

/** RFC 9110, 8.3.1, with whatever follows a semicolon. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/** Under the URL that the carrier called, which it may have signed. */
const cameIn = (request: FastifyRequest, publicUrl: string): IncomingRequest => ({
  method: request.method,
  url: `${publicUrl.replace(/\/+$/, '')}${request.url}`,
  headers: joined(request.headers),
  body: bytesOf(request),
  from: request.ip,
});

const bytesOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));

const faultOf = (body: Buffer): string | undefined => {
  try {
    readContractPush(body);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown.message;
    throw thrown;
  }
};

const joined = (headers: FastifyRequest['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );
