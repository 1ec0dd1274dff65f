import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { type Keyed, type Manner, mannerOf, replyAfter } from './after-dispatch.ts';
import { requireShipper, shipperOf } from './bearer.ts';
import { cancelConsignments } from './cancel.ts';
import { createConsignment } from './create.ts';
import type { ApiDeps } from './deps.ts';
import { answers, json, named, SHIPPER } from './documents.ts';
import { badRequest, type HttpAnswer, send } from './http-answer.ts';
import { idempotently, type Try, type Work } from './idempotent.ts';
import { listFilter } from './consignment-shapes.ts';
import { listShippersConsignments } from './list.ts';
import { readConsignment } from './read.ts';
import { leaveToHandler } from './request-check.ts';
import { retryDispatch } from './retry.ts';
import { updateConsignment } from './update.ts';

const reference = () => Type.String({ pattern: '\\S', maxLength: 100, 'x-must': 'not be blank' });
const ReadQuery = Type.Object(
  { referenceNumber: Type.Optional(reference()), ...listFilter },
  { additionalProperties: false },
);
const RetryPath = Type.Object({ referenceNumber: reference() });

const SYNC =
  'The reply waits for the carrier, for at most CREATE_WAIT_MS; `Prefer: respond-async` does not wait. ' +
  '`trackingDetails` is empty when the carrier has not answered in time, or when the dispatch is held because it ' +
  'failed or nobody knows its outcome: what follows comes by webhook, and GET shows it.';
const KEYED = ' `Idempotency-Key`: repeats get the answer of the first time.';

/** What acts on one consignment: where an earlier try has acted, that is what is answered of. */
const onOne =
  (deps: ApiDeps, manner: Manner, work: (keyed: Keyed) => Promise<HttpAnswer>): Work =>
  async ({ claim, acts: [act] }) =>
    act === undefined ? await work({ ...manner, claim }) : await replyAfter(deps, act, manner);

/** A shipper's consignments: create, update, cancel, read, dispatch again. */
export const consignmentRoutes =
  (deps: ApiDeps) =>
  (app: FastifyInstance): void => {
    app.addHook('onRequest', requireShipper(deps));
    const common = { tags: ['Consignments'], security: SHIPPER };
    const done = json(named('SuccessReply'), 'What the carrier gave, package by package.');

    app.route({
      method: 'POST',
      url: '/v2/consignments',
      validatorCompiler: leaveToHandler,
      schema: {
        ...common,
        operationId: 'createConsignment',
        summary: 'Create a consignment',
        description: `Which levels hold follows from the carrier. ${SYNC}${KEYED}`,
        body: {
          anyOf: [
            named('CreateParcel'),
            named('CreateBulky'),
            named('CreateOwnFleetParcel'),
            named('CreateOwnFleetBulky'),
          ],
        },
        response: answers({ 200: done }, 403, 409, 422),
      },
      handler: async (request, reply) => {
        const manner = mannerOf(request.headers.prefer);
        const work = onOne(
          deps,
          manner,
          async (keyed) => await createConsignment(deps, shipperOf(request), request.body, keyed),
        );
        return send(reply, await idempotently(deps, request, work));
      },
    });

    for (const [url, operationId] of [
      ['/v2/consignments', 'updateConsignment'],
      ['/api/v2/consignments', 'updateConsignmentByApiPath'],
    ] as const) {
      app.route({
        method: 'PUT',
        url,
        validatorCompiler: leaveToHandler,
        schema: {
          ...common,
          operationId,
          summary: 'Change a consignment before the carrier picks it up',
          description: `Only what is supplied changes; what is included is complete in itself. ${SYNC}${KEYED}`,
          body: named('Update'),
          response: answers({ 200: done }, 403, 404, 409, 422),
        },
        handler: async (request, reply) => {
          const manner = mannerOf(request.headers.prefer);
          const work = onOne(
            deps,
            manner,
            async (keyed) => await updateConsignment(deps, shipperOf(request), request.body, keyed),
          );
          return send(reply, await idempotently(deps, request, work));
        },
      });
    }

    app.route({
      method: 'POST',
      url: '/v2/consignments-cancel',
      validatorCompiler: leaveToHandler,
      schema: {
        ...common,
        operationId: 'cancelConsignments',
        summary: 'Cancel consignments before the carrier picks them up',
        description: `Each is cancelled on its own. The reply waits for the carriers.${KEYED}`,
        body: named('CancelRequest'),
        response: {
          ...answers({ 200: json(named('CancelReply'), 'What became of each.') }, 403, 409),
          400: json(
            { anyOf: [named('CancelRefusedReply'), named('BadRequestReply')] },
            'References that are not known are named; the others were carried out.',
          ),
        },
      },
      handler: async (request, reply) => {
        const work = async (once: Try) => await cancelConsignments(deps, shipperOf(request), request.body, once);
        return send(reply, await idempotently(deps, request, work));
      },
    });

    app.route<{ Querystring: Static<typeof ReadQuery> }>({
      method: 'GET',
      url: '/v2/consignments',
      schema: {
        ...common,
        operationId: 'readConsignment',
        summary: 'One consignment, or a list of them',
        description:
          'With `referenceNumber`: that one, with its packages, statuses, labels, events and dispatches. Without: all ' +
          'that fit the other parameters, the newest first, at most 200 a page.',
        querystring: ReadQuery,
        response: answers(
          { 200: json({ anyOf: [named('ReadReply'), named('ListReply')] }, 'The consignment, or the list.') },
          403,
          404,
        ),
      },
      handler: async (request, reply) => {
        const { referenceNumber, ...filter } = request.query;
        if (referenceNumber === undefined)
          return send(reply, await listShippersConsignments(deps, shipperOf(request), filter));
        if (Object.keys(filter).length > 0)
          return send(reply, badRequest(deps.nowMs(), [{ message: 'referenceNumber names one: leave the rest out' }]));
        return send(reply, await readConsignment(deps, shipperOf(request), referenceNumber));
      },
    });

    app.route<{ Params: Static<typeof RetryPath> }>({
      method: 'POST',
      url: '/v2/consignments/:referenceNumber/dispatch',
      schema: {
        ...common,
        operationId: 'retryDispatch',
        summary: 'Take a held dispatch up again',
        description: `What certainly failed is sent anew; what nobody knows is asked for. ${SYNC}${KEYED}`,
        params: RetryPath,
        response: answers({ 200: done }, 403, 404, 409, 422),
      },
      handler: async (request, reply) => {
        const { referenceNumber } = request.params;
        const manner = mannerOf(request.headers.prefer);
        const work = onOne(
          deps,
          manner,
          async (keyed) => await retryDispatch(deps, shipperOf(request), referenceNumber, keyed),
        );
        return send(reply, await idempotently(deps, request, work));
      },
    });
  };
