/** What carriers send us. It is answered when its bytes are committed, as they came. */
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { timestampText } from '../../engine/consignment/reply.ts';
import type { IncomingRequest } from '../../engine/statuses/carrier-webhook.ts';
import { hideNamed, withoutAuth } from '../../engine/transport/masking.ts';
import { enterIfLarge } from './admission.ts';
import { badRequest, ok, refusal, wrong } from './http-answer.ts';
import { type AddRoutes, content, routesOf } from './route.ts';
import { guardWebhooks, noWebhook, rememberProof } from './body-gate.ts';

const code = () => Type.String({ pattern: '^[\\w-]{1,64}$', 'x-must': 'be the code of a carrier' });
const CarrierPath = Type.Object({ carrierCode: code() });
const AccountPath = Type.Object({ carrierCode: code(), account: Type.String({ maxLength: 100 }) });
const PushReply = Type.Object({
  timestamp: Type.String(),
  status: Type.Literal('OK'),
  errors: Type.Optional(
    Type.Array(Type.String(), { description: 'Why entries of the list could not be read; the others are recorded.' }),
  ),
});

/** In a scope of their own: of these requests the bytes are read, whatever type they name. */
export const addCarrierRoutes: AddRoutes = (scope, deps) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    await enterIfLarge(request, body.byteLength);
    return body;
  });
  // A type that cannot be read would be refused before the bytes are; many carriers never send them again.
  scope.addHook('onRequest', async ({ raw: { headers } }) => {
    const type = headers['content-type'];
    if (type !== undefined && !MEDIA_TYPE.test(type)) headers['content-type'] = 'application/octet-stream';
  });
  scope.register(async (pushes) => addPushRoute(pushes, deps));
  scope.register(async (webhooks) => addWebhookRoutes(webhooks, deps));
};

const addPushRoute: AddRoutes = (scope, deps) => {
  const { intake, nowMs } = deps;
  const route = routesOf(scope, deps, { auth: 'carrier', tag: 'Carriers' });
  route('POST /v2/carriers/:carrierCode/statuses', {
    id: 'pushStatuses',
    summary: 'A status update of the carrier contract, or an array of them',
    description: 'Answered when it is recorded. What is no status update is recorded too, and refused.',
    path: CarrierPath,
    reply: [PushReply, 'Recorded.'],
    handle: async ({ request, path: { carrierCode } }) => {
      const { method, url, headers, bearer } = request;
      const { faults = [], isRefused } = await intake.take({
        carrierCode,
        source: 'contract',
        environment: bearer?.environment,
        request: { method, url: hideNamed(url), headers: withoutAuth(joined(headers)) },
        body: bytesOf(request),
        receivedAtMs: nowMs(),
      });
      if (isRefused === true) return badRequest(faults);
      const errors = faults.length === 0 ? {} : { errors: faults.map(({ message }) => message) };
      return ok({ timestamp: timestampText(nowMs()), status: 'OK', ...errors });
    },
  });
};

const addWebhookRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, { auth: 'nobody', tag: 'Carriers' });
  guardWebhooks(scope, deps);
  const receive = (on: `POST ${string}`, id: string, path: typeof CarrierPath | typeof AccountPath) =>
    route(on, {
      id,
      summary: 'What a carrier sends in its own format; its profile says how it proves itself and is answered',
      path,
      reply: [content(['*/*'], {}), 'Recorded; as the profile answers.'],
      errors: [401, 403, 404, 429],
      handle: async ({ request, path: given }) => {
        const { carrierCode, account }: { carrierCode: string; account?: string } = given;
        const incoming = incomingRequest(request, deps.publicUrl);
        const received = await deps.receiveWebhook(carrierCode, account, incoming);
        rememberProof(deps, request, received);
        switch (received.kind) {
          case 'admitted':
          case 'handshake': {
            const { status, headers, body } = received.reply;
            return { ...ok(body, headers), status };
          }
          case 'refused':
            return received.status === 400
              ? wrong('The request lacks what its reply is made of')
              : refusal(received.status, 'Nothing proves that this request comes from the carrier');
          case 'unknown':
            return noWebhook(carrierCode);
        }
      },
    });
  receive('POST /v2/carriers/:carrierCode/webhook', 'receiveWebhook', CarrierPath);
  receive('POST /v2/carriers/:carrierCode/webhook/:account', 'receiveWebhookOfAccount', AccountPath);
};

/** RFC 9110, 8.3.1, with whatever follows a semicolon. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/** Under the URL that the carrier called, which it may have signed. */
const incomingRequest = (request: FastifyRequest, publicUrl: string): IncomingRequest => ({
  method: request.method,
  url: `${publicUrl.replace(/\/+$/, '')}${request.url}`,
  headers: joined(request.headers),
  body: bytesOf(request),
  from: request.ip,
});

const bytesOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));

const joined = (headers: FastifyRequest['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );
