/** For operators: what waits for its next try, and trying it now. */
import { Type } from 'typebox';
import { listWaiting, sendNow, type WaitingDispatch } from '../records/waiting-dispatches.ts';
import { DispatchFailure } from './consignment-shapes.ts';
import { conflict, notFound, ok } from './http-answer.ts';
import { listsOf, NUMBER, TIME } from './lists.ts';
import { carrierCode, instant, number, texts, viewOf } from './query-fields.ts';
import { failureView } from './read.ts';
import { type AddRoutes, routesOf } from './route.ts';

const AREA = { auth: 'admin', tag: 'Admin' } as const;
const Sent = Type.Object({ id: Type.Integer(), state: Type.Literal('waiting') });
const WaitingView = Type.Object({
  id: Type.Integer(),
  ...texts('operation', 'shipper', 'environment', 'referenceNumber', 'carrierCode'),
  attempts: Type.Integer(),
  failure: DispatchFailure,
  awaySince: Type.Optional(instant('Since when its carrier is away: out of reach, or asking for time.')),
  nextTryAt: instant(),
});

export const addWaitingDispatchRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, AREA);
  const list = listsOf(scope, deps, AREA);
  list('GET /admin/dispatches/waiting', {
    id: 'listWaitingDispatches',
    summary: 'Dispatches that wait for their next try, with the reason, the soonest first',
    filter: { carrier: Type.Optional(carrierCode()) },
    entry: WaitingView,
    place: [({ nextTryAt, id }: WaitingDispatch) => [nextTryAt.toISOString(), id], TIME, NUMBER],
    read: async ({ query: { carrier }, after, limit }) =>
      await listWaiting(deps.pool, { carrierCode: carrier, after, limit }),
    show: (waiting) => viewOf(WaitingView, { ...waiting, failure: failureView(waiting.failure) }),
  });
  route('POST /admin/dispatches/:id/send', {
    id: 'sendDispatch',
    role: 'operate',
    summary: 'Try a dispatch that waits now',
    description: 'The limits and the circuit breaker of its carrier hold as ever.',
    path: Type.Object({ id: number() }),
    reply: [Sent, 'It is due.'],
    errors: [404, 409],
    handle: async ({ path, actor }) => {
      const dispatchId = Number(path.id);
      const sent = await sendNow(deps.pool, { dispatchId, actor, nowMs: deps.nowMs() });
      switch (sent.kind) {
        case 'unknown':
          return notFound(`There is no dispatch ${dispatchId}`, 'unknown_dispatch');
        case 'not_waiting':
          return conflict(`The dispatch is ${sent.state}; only one that waits is sent now`, 'dispatch_not_waiting');
        case 'due':
          deps.handOn([dispatchId]);
          return ok({ id: dispatchId, state: 'waiting' });
      }
    },
  });
};
