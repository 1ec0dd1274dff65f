/** Pickups: booked at the carrier, changed, cancelled, and read with what there is still to pick up. */
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { PickupRequest } from '../../engine/pickups/request.ts';
import { type Errand, listErrands } from '../records/errands.ts';
import type { PickupErrand } from '../records/pickups.ts';
import { progressOf } from './admission.ts';
import { prefersAsync, type ReplyOptions } from './dispatch-reply.ts';
import type { HttpAnswer } from './http-answer.ts';
import { idempotently } from './idempotent.ts';
import { listsOf, NUMBER } from './lists.ts';
import { actOn, type Begin, bookPickup, cancel, changePickup, retry } from './pickup-acts.ts';
import { answerOf, findPickup, KIND, shown, unknown, wholeOf } from './pickup-reply.ts';
import { PickupView, Reply } from './pickup-shapes.ts';
import { carrierCode, filled, numberOf, viewOf } from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

const AREA = { auth: 'shipper', tag: 'Pickups' } as const;
const Path = Type.Object({ referenceNumber: filled(100) });
const day = (description: string) => Type.Optional(Type.String({ format: 'date', description }));
const CHANGE = Type.Unsafe<unknown>({
  type: 'object',
  description: 'As in a booking; only what is supplied changes, and `null` clears.',
});
const WAITS =
  'The reply waits for the carrier, for at most CREATE_WAIT_MS; `Prefer: respond-async` does not wait. `acceptance` is ' +
  '`pending` when the carrier has not answered in time, and `held` when it failed or nobody knows its outcome.';

export const addPickupRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const list = listsOf(scope, deps, AREA);
  const once = async (request: FastifyRequest, act: (options: ReplyOptions) => Promise<HttpAnswer>) => {
    const [progress, isAsync] = [progressOf(request), prefersAsync(request.headers.prefer)];
    return await idempotently(
      deps,
      request,
      async ({ claim, trace }) => await act({ isAsync, claim, trace, progress }),
    );
  };
  const headers = ['Idempotency-Key', 'Prefer'] as const;
  route('POST /v2/pickups', {
    id: 'bookPickup',
    summary: 'Book a pickup',
    description: `A second booking with the same \`referenceNumber\` is the first. ${WAITS}`,
    headers,
    body: PickupRequest,
    readsBody: true,
    reply: [Reply, 'The pickup.'],
    errors: [409, 422],
    handle: async ({ request, shipper, body }) =>
      await once(request, async (options) => await bookPickup(deps, shipper, body, options)),
  });
  route('PUT /v2/pickups/:referenceNumber', {
    id: 'changePickup',
    summary: 'Change a pickup',
    description:
      'Where the carrier has no call for that, it is cancelled and booked anew, in this order: when the cancellation is ' +
      `refused it stays as it was; when the new one is, there is none any more, and it is \`held\`, to be retried or cancelled. ${WAITS}`,
    path: Path,
    headers,
    body: CHANGE,
    readsBody: true,
    reply: [Reply, 'The pickup.'],
    errors: [404, 409, 422],
    handle: async ({ request, shipper, path, body }) =>
      await once(request, async (options) => await changePickup(deps, shipper, path.referenceNumber, body, options)),
  });
  const act = (action: 'cancel' | 'dispatch', id: string, summary: string, description: string, begin: Begin) =>
    route(`POST /v2/pickups/:referenceNumber/${action}`, {
      id,
      summary,
      description: `${description} ${WAITS}`,
      path: Path,
      headers,
      reply: [Reply, 'The pickup.'],
      errors: [404, 409, 422],
      handle: async ({ request, shipper, path, actor }) =>
        await once(
          request,
          async (options) =>
            await actOn(
              deps,
              shipper,
              path.referenceNumber,
              options,
              async (errand) => await begin(deps, errand, { ...options, errandId: errand.id, actor }),
            ),
        ),
    });
  act('cancel', 'cancelPickup', 'Cancel a pickup', 'A second time does nothing.', cancel);
  act(
    'dispatch',
    'retryPickup',
    'Take a held pickup up again',
    'What certainly failed is sent anew; what nobody knows is asked for.',
    retry,
  );
  route('GET /v2/pickups/:referenceNumber', {
    id: 'readPickup',
    summary: 'One pickup, with what remains to be picked up',
    description: 'Cancelling a consignment does not cancel its pickup: `remaining` tells what is left.',
    path: Path,
    reply: [Reply, 'The pickup.'],
    errors: [404],
    handle: async ({ shipper, path: { referenceNumber } }) => {
      const errand = await findPickup(deps, shipper, referenceNumber);
      return errand === undefined ? unknown(referenceNumber) : answerOf([await wholeOf(deps, errand)]);
    },
  });
  list('GET /v2/pickups', {
    id: 'listPickups',
    summary: 'Pickups, the newest first',
    filter: {
      carrier: Type.Optional(carrierCode()),
      originFacilityCode: Type.Optional(filled(100)),
      fromDate: day('The first day.'),
      toDate: day('The last day.'),
    },
    entry: PickupView,
    place: [({ id }: Errand) => [id], NUMBER],
    read: async ({ shipper, query: { carrier, originFacilityCode, fromDate, toDate }, after, limit }) =>
      await listErrands(deps.pool, shipper, KIND, {
        carrierCode: carrier,
        facilityCode: originFacilityCode,
        dayFrom: fromDate,
        dayTo: toDate,
        beforeId: numberOf(after?.[0]),
        limit,
      }),
    show: (errand) => viewOf(PickupView, shown(errand as PickupErrand)),
  });
};
