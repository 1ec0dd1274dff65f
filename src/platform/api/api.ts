import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { checkBounds } from '../../engine/codecs/json.ts';
import { Failure } from '../../engine/failure.ts';
import { piece, VALUES_MAX } from '../../engine/large.ts';
import { addActivityRoutes } from './admin-activity.ts';
import { addAdminCarrierRoutes } from './admin-carriers.ts';
import { addAdminConsignmentRoutes } from './admin-consignments.ts';
import { addAdminLimitRoutes } from './admin-limits.ts';
import { addAdminReadRoutes } from './admin-reads.ts';
import { addSettingRoutes } from './admin-settings.ts';
import { addTokenRoutes } from './admin-tokens.ts';
import { addAdminWebhookRoutes } from './admin-webhooks.ts';
import { addAccountRoutes } from './admin-accounts.ts';
import { addAdminResourceRoutes } from './admin-resources.ts';
import { admitInTurn, answerInTime, endTurns, enterIfLarge, tooMuch } from './admission.ts';
import { guardBodies } from './body-gate.ts';
import { addCarrierRoutes } from './carrier-routes.ts';
import { addShipperCarrierRoutes } from './carriers.ts';
import { addCheckoutRoutes } from './checkout.ts';
import { addChoiceRoutes } from './choice-routes.ts';
import { addConsoleRoutes } from './console.ts';
import { addConsignmentRoutes } from './consignment-routes.ts';
import { addDeliveryRoutes } from './deliveries.ts';
import type { ApiDeps } from './deps.ts';
import { addErrorAnswers, answerBrokenHttp, answerTo, SECURITY_HEADERS } from './errors.ts';
import { addFacilityRoutes } from './facilities.ts';
import { addFailedLabelRoutes } from './failed-labels.ts';
import { addPushRepairRoutes } from './push-repairs.ts';
import { addPushRoutes } from './pushes.ts';
import { addHeldDispatchRoutes } from './held-dispatches.ts';
import { type HttpAnswer, notAllowed, notFound, REFUSED, Refused, send, wrong } from './http-answer.ts';
import { addManyRoutes } from './many.ts';
import { addCustomsDocumentRoutes } from './customs-documents.ts';
import { addLabelRoutes } from './labels.ts';
import { describeApi } from './openapi.ts';
import { addManifestRoutes } from './manifests.ts';
import { addOperationRoutes } from './operations.ts';
import { addPlaceRoutes } from './places.ts';
import { addPickupRoutes } from './pickups.ts';
import { addPlanRoutes } from './plans.ts';
import { addRefusedLoginRoutes } from './refused-logins.ts';
import { checkRequest } from './request-check.ts';
import type { AddRoutes } from './route.ts';
import { addSessionRoutes } from './sessions.ts';
import { addSingleSignOnRoutes } from './single-sign-on.ts';
import { addSlotRoutes } from './slots.ts';
import { addSubscriptionRoutes } from './subscriptions.ts';
import { traceRequests } from './trace.ts';
import { addWaitingDispatchRoutes } from './waiting-dispatches.ts';

export const BODY_MAX = 2 * 1024 * 1024;
/** Of what is parsed; what an order may be is less, and then told by its place. */
const DEPTH_MAX = 100;
export const RECEIVE_LIMIT_MS = 30_000;
/** Who dribbles headers holds a connection no longer than this. */
export const HEADERS_LIMIT_MS = 10_000;
/** How long a connection may wait for its next request: longer than load balancers do, so that they end it. */
const KEEP_ALIVE_MS = 72_000;

/** What may stand in a log, a URL and a header as it is. */
const REQUEST_ID = /^[\w.:@+-]{1,128}$/;
/** The client's own, where it brings one that may be shown: it finds its request in our log by it. */
const requestIdOf = ({ headers: { 'x-request-id': own } }: IncomingMessage): string =>
  typeof own === 'string' && REQUEST_ID.test(own) ? own : randomUUID();

/** The HTTP API, not yet listening: `src/platform/processes` listens, tests inject. Everything it knows is in `deps`. */
export const buildApi = (deps: ApiDeps, extensions: readonly AddRoutes[] = []): FastifyInstance => {
  const app = Fastify({
    bodyLimit: BODY_MAX,
    trustProxy: deps.trustProxy.length === 0 ? false : [...deps.trustProxy],
    requestTimeout: RECEIVE_LIMIT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { headersTimeout: HEADERS_LIMIT_MS, connectionsCheckingInterval: 2_000, maxHeaderSize: 16_384 },
    routerOptions: { maxParamLength: 400 },
    genReqId: requestIdOf,
    clientErrorHandler: answerBrokenHttp(deps),
    frameworkErrors: (error, _request, reply) => {
      send(reply.headers(SECURITY_HEADERS), answerTo(error), deps.nowMs());
    },
    forceCloseConnections: 'idle',
    // What still comes while we close is served; its connection then ends.
    return503OnClosing: false,
  });
  app.setValidatorCompiler(checkRequest);
  // Schemas describe answers; what is sent is never cut down to them.
  app.setSerializerCompiler(() => (body) => JSON.stringify(body));
  addErrorAnswers(app, deps);
  readJson(app);
  const methodsAt = collectMethods(app);
  app.decorateRequest('bearer');
  app.decorateRequest('party');
  app.decorateRequest('actor');
  app.decorateRequest('span');
  app.decorateRequest('progress');
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'X-Request-Id': request.id, ...SECURITY_HEADERS });
    // Before its body is read.
    if (request.is404) throw new Refused(noRoute(request.method, request.url, methodsAt));
  });
  traceRequests(app, deps);
  app.addHook('onRequest', answerInTime(deps));
  guardBodies(app, deps);
  endTurns(app);
  app.addHook('onSend', async ({ routeOptions }, { statusCode }) => {
    if (REFUSED.has(statusCode)) deps.refused(statusCode, routeOptions.schema?.tags?.[0] ?? 'none');
  });
  closeConnectionsWhenClosing(app);
  describeApi(app, deps.publicUrl);
  for (const addRoutes of [
    addConsignmentRoutes,
    addFacilityRoutes,
    addSlotRoutes,
    addShipperCarrierRoutes,
    addCheckoutRoutes,
    addPlaceRoutes,
    addChoiceRoutes,
    addPickupRoutes,
    addPlanRoutes,
    addLabelRoutes,
    addCustomsDocumentRoutes,
    addManifestRoutes,
    addSubscriptionRoutes,
    addDeliveryRoutes,
    addAccountRoutes,
    addAdminWebhookRoutes,
    addAdminResourceRoutes,
    addTokenRoutes,
    addAdminReadRoutes,
    addActivityRoutes,
    addAdminCarrierRoutes,
    addSettingRoutes,
    addAdminLimitRoutes,
    addAdminConsignmentRoutes,
    addHeldDispatchRoutes,
    addManyRoutes,
    addWaitingDispatchRoutes,
    addFailedLabelRoutes,
    addRefusedLoginRoutes,
    addPushRoutes,
    addPushRepairRoutes,
    addSessionRoutes,
    addSingleSignOnRoutes,
    ...extensions,
  ]) {
    app.register(async (scope) => {
      admitInTurn(scope, deps);
      addRoutes(scope, deps);
    });
  }
  // Not every carrier repeats what it was not let in with, and operators look when there is much to do.
  app.register(async (scope) => addCarrierRoutes(scope, deps));
  app.register(async (scope) => addOperationRoutes(scope, deps));
  app.register(async (scope) => addConsoleRoutes(scope, deps));
  return app;
};

/** 405 where the path has other methods, else 404. */
const noRoute = (method: string, url: string, methodsAt: (path: string) => readonly string[]): HttpAnswer => {
  const path = url.split('?')[0] ?? '';
  const allowed = methodsAt(path);
  const shown = path.slice(0, 200);
  return allowed.length === 0
    ? notFound(`There is no ${method} ${shown}`, 'unknown_route')
    : notAllowed(method, shown, allowed);
};

/** The methods of all routes that a path fits; asked only where none serves a request. */
const collectMethods = (app: FastifyInstance): ((path: string) => readonly string[]) => {
  const routes: { readonly fits: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = url.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/:\w+/g, '[^/]+');
    routes.push({ fits: new RegExp(`^${pattern}$`), methods: [method].flat() });
  });
  return (path) => [...new Set(routes.flatMap(({ fits, methods }) => (fits.test(path) ? methods : [])))].toSorted();
};

/** A connection whose request was under way when we began to close would be kept for its next one, and we would wait. */
const closeConnectionsWhenClosing = (app: FastifyInstance): void => {
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('Connection', 'close');
  });
};

/** JSON in UTF-8, kept byte for byte; an empty body is none. Keys that would reach for a prototype are refused. */
const readJson = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (body.byteLength === 0) return undefined;
    await enterIfLarge(request, body.byteLength);
    // Whoever has hung up meanwhile would not learn what was done.
    if (request.raw.socket.destroyed) throw new Refused(tooMuch());
    if (!isUtf8(body)) throw new Refused(wrong('The request must be UTF-8', 'unreadable_request'));
    const text = body.toString('utf8');
    try {
      await piece(() => checkBounds(text, DEPTH_MAX, VALUES_MAX));
    } catch (thrown) {
      throw thrown instanceof Failure ? new Refused(wrong(`The request ${thrown.message}`)) : thrown;
    }
    return await piece(
      async () =>
        await new Promise((resolve, reject) => {
          void parse(request, text, (error, value) => (error === null ? resolve(value) : reject(error)));
        }),
    );
  });
};
