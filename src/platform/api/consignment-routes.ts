/** A shipper's consignments: create, update, cancel, read, dispatch again. */
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { acceptRetry } from '../records/accept-change.ts';
import { findConsignment } from '../records/consignments.ts';
import { progressOf } from './admission.ts';
import type { ShipperBearer } from './bearer.ts';
import { cancelConsignments } from './cancel.ts';
import { createConsignment } from './create.ts';
import { listFilter } from './consignment-shapes.ts';
import type { ApiDeps } from './deps.ts';
import { conflictWith, prefersAsync, REFUSALS, replyAfter, type ReplyOptions } from './dispatch-reply.ts';
import { type HttpAnswer, notFound, unprocessable, wrong } from './http-answer.ts';
import { idempotently } from './idempotent.ts';
import { filled } from './query-fields.ts';
import { listShippersConsignments, readConsignment } from './read.ts';
import { type AddRoutes, json, named, routesOf } from './route.ts';
import { updateConsignment } from './update.ts';

const ReadQuery = Type.Object({ referenceNumber: Type.Optional(filled(100)), ...listFilter });
const ReferencePath = Type.Object({ referenceNumber: filled(100) });
const anyOf = (...names: readonly string[]) => Type.Unsafe<unknown>({ anyOf: names.map(named) });

const SYNC =
  'The reply waits for the carrier, for at most CREATE_WAIT_MS; `Prefer: respond-async` does not wait. ' +
  '`acceptance` is `pending` when the carrier has not answered in time, and `held` when the dispatch failed or nobody ' +
  'knows its outcome: what follows comes by webhook, and GET shows it.';

const done = [named('SuccessReply'), 'What the carrier gave, package by package.'] as const;

export const addConsignmentRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, { auth: 'shipper', tag: 'Consignments' });
  /** What acts on one consignment: where an earlier try has acted, that is what is answered of. */
  const once = async (request: FastifyRequest, act: (options: ReplyOptions) => Promise<HttpAnswer>) => {
    const progress = progressOf(request);
    const isAsync = prefersAsync(request.headers.prefer);
    return await idempotently(deps, request, async ({ claim, trace, acts: [earlier] }) =>
      earlier === undefined
        ? await act({ isAsync, claim, trace, progress })
        : await replyAfter(deps, earlier, { isAsync, progress }),
    );
  };
  route('POST /v2/consignments', {
    id: 'createConsignment',
    summary: 'Create a consignment',
    description: `Which levels hold follows from the carrier. ${SYNC}`,
    headers: ['Idempotency-Key', 'Prefer'],
    body: anyOf('CreateParcel', 'CreateBulky', 'CreateOwnFleetParcel', 'CreateOwnFleetBulky'),
    readsBody: true,
    reply: done,
    errors: [409, 422],
    handle: async ({ request, shipper, body }) =>
      await once(request, async (options) => await createConsignment(deps, shipper, body, options)),
  });
  const update = (on: `PUT ${string}`, id: string) =>
    route(on, {
      id,
      summary: 'Change a consignment before the carrier picks it up',
      description: `Only what is supplied changes; what is included is complete in itself. ${SYNC}`,
      headers: ['Idempotency-Key', 'Prefer'],
      body: Type.Unsafe<unknown>(named('Update')),
      readsBody: true,
      reply: done,
      errors: [404, 409, 422],
      handle: async ({ request, shipper, body }) =>
        await once(request, async (options) => await updateConsignment(deps, shipper, body, options)),
    });
  update('PUT /v2/consignments', 'updateConsignment');
  update('PUT /api/v2/consignments', 'updateConsignmentByApiPath');
  route('POST /v2/consignments-cancel', {
    id: 'cancelConsignments',
    summary: 'Cancel consignments before the carrier picks them up',
    description: 'Each is cancelled on its own. The reply waits for the carriers.',
    headers: ['Idempotency-Key'],
    body: Type.Unsafe<unknown>(named('CancelRequest')),
    readsBody: true,
    reply: [named('CancelReply'), 'What became of each.'],
    errors: [409],
    answers: {
      400: json(
        anyOf('CancelRefusedReply', 'BadRequestReply'),
        'References that are not known are named; the others were carried out.',
      ),
    },
    handle: async ({ request, shipper, body }) =>
      await idempotently(deps, request, async (attempt) => await cancelConsignments(deps, shipper, body, attempt)),
  });
  route('GET /v2/consignments', {
    id: 'readConsignment',
    summary: 'One consignment, or a list of them',
    description:
      'With `referenceNumber`: that one, with its packages, statuses, labels, events and dispatches. Without: all ' +
      'that fit the other parameters, the newest first, at most 200 a page.',
    query: ReadQuery,
    reply: [anyOf('ReadReply', 'ListReply'), 'The consignment, or the list.'],
    errors: [404],
    handle: async ({ shipper, query: { referenceNumber, ...filter } }) => {
      if (referenceNumber === undefined) return await listShippersConsignments(deps, shipper, filter);
      if (Object.keys(filter).length > 0) return wrong('referenceNumber names one: leave the rest out');
      return await readConsignment(deps, shipper, referenceNumber);
    },
  });
  route('GET /v2/consignments/:referenceNumber', {
    id: 'readConsignmentByReference',
    summary: 'One consignment',
    description: 'With its packages, statuses, labels, events and dispatches.',
    path: ReferencePath,
    reply: [named('ReadReply'), 'The consignment.'],
    errors: [404],
    handle: async ({ shipper, path }) => await readConsignment(deps, shipper, path.referenceNumber),
  });
  route('POST /v2/consignments/:referenceNumber/dispatch', {
    id: 'retryDispatch',
    summary: 'Take a held dispatch up again',
    description: `What certainly failed is sent anew; what nobody knows is asked for. ${SYNC}`,
    path: ReferencePath,
    headers: ['Idempotency-Key', 'Prefer'],
    reply: done,
    errors: [404, 409, 422],
    handle: async ({ request, shipper, path }) =>
      await once(request, async (options) => await retryDispatch(deps, shipper, path.referenceNumber, options)),
  });
};

/** Takes up what is held. */
const retryDispatch = async (
  deps: ApiDeps,
  { shipperId, code, environment }: ShipperBearer,
  referenceNumber: string,
  options: ReplyOptions,
): Promise<HttpAnswer> => {
  const record = await findConsignment(deps.pool, shipperId, environment, referenceNumber);
  if (record === undefined) return notFound(`referenceNumber ${referenceNumber} is not known`, 'unknown_consignment');
  const carrier = deps.carriers.find(record.carrierCode);
  if (carrier === undefined) {
    const message = `carrier ${record.carrierCode} is not on this platform at present`;
    return unprocessable('The dispatch cannot be retried', [message], record, 'carrier_not_loaded');
  }
  const accepted = await acceptRetry(deps, {
    consignmentId: record.id,
    profileHash: carrier.hash,
    actor: `shipper:${code}`,
    claim: options.claim,
    trace: options.trace,
  });
  switch (accepted.kind) {
    case 'accepted':
      return await replyAfter(deps, { consignmentId: record.id, dispatchId: accepted.dispatchId }, options, record);
    case 'busy':
      return conflictWith(deps, record, 'under_way', 'Its dispatch is under way already');
    case 'refused':
      return conflictWith(deps, record, accepted.why, REFUSALS[accepted.why]);
  }
};
