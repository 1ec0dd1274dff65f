/** For operators: what is held, and saying what became of it where only a look at the carrier can tell. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { factsOf } from '../../engine/dispatch/effects.ts';
import { type HeldDispatch, listHeld, resolveDispatch, type ManualResolution } from '../records/resolve.ts';
import { requireAdmin } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { ADMIN, answers, json } from './documents.ts';
import { badRequest, conflict, notFound, ok, send } from './http-answer.ts';
import { number, numberOf } from './numbers.ts';

const filled = (maxLength: number) => Type.String({ pattern: '\\S', maxLength, 'x-must': 'not be blank' });
const Path = Type.Object({ id: number() });
const ListQuery = Type.Object({ after: Type.Optional(number()), limit: Type.Optional(number(3)) });
const Body = Type.Object(
  {
    outcome: Type.Enum(['done', 'not_done', 'rejected'], {
      description:
        'done: the carrier has done it. not_done: nothing of it is left there, so that it may be retried, changed or ' +
        'cancelled. rejected: it will not be done; a create frees its reference.',
    }),
    trackingNumbers: Type.Optional(
      Type.Array(Type.Object({ packageId: filled(100), trackingNumber: filled(200) }), {
        maxItems: 500,
        description: 'Of every package, with `done`: needed where the carrier had not accepted before.',
      }),
    ),
    masterTrackingNumber: Type.Optional(filled(200)),
    note: Type.String({ pattern: '\\S', maxLength: 1_000, 'x-must': 'not be blank', description: 'How you know.' }),
  },
  { additionalProperties: false },
);
const Resolved = Type.Object({
  id: Type.Integer(),
  state: Type.Enum(['done', 'held', 'rejected']),
  referenceNumber: Type.String(),
  acceptance: Type.Enum(['pending', 'accepted', 'rejected', 'cancelled']),
});
const HeldView = Type.Object({
  id: Type.Integer(),
  operation: Type.String(),
  shipper: Type.String(),
  environment: Type.String(),
  referenceNumber: Type.String(),
  carrierCode: Type.String(),
  packages: Type.Array(Type.String()),
  failure: Type.Object({ why: Type.String(), code: Type.String(), messages: Type.Array(Type.String()) }),
  heldAt: Type.String(),
});

const LIMIT = 100;
const LIMIT_MAX = 500;

const shown = ({ failure, heldAt, packages, ...rest }: HeldDispatch): Static<typeof HeldView> => ({
  ...rest,
  packages: [...packages],
  failure: { why: failure.why, code: failure.problem.code, messages: [...failure.problem.messages] },
  heldAt: heldAt.toISOString(),
});

const resolutionOf = ({ outcome, trackingNumbers = [], masterTrackingNumber }: Static<typeof Body>): ManualResolution =>
  outcome === 'done'
    ? {
        outcome,
        trackingNumbers: new Map(trackingNumbers.map((one) => [one.packageId, one.trackingNumber.trim()])),
        ...(masterTrackingNumber === undefined ? {} : { master: masterTrackingNumber.trim() }),
      }
    : { outcome };

export const heldDispatchRoutes =
  (deps: ApiDeps) =>
  (app: FastifyInstance): void => {
    const { pool, nowMs } = deps;
    app.addHook('onRequest', requireAdmin(deps));
    const common = { tags: ['Admin'], security: ADMIN };

    app.route<{ Querystring: Static<typeof ListQuery> }>({
      method: 'GET',
      url: '/admin/dispatches/held',
      schema: {
        ...common,
        operationId: 'listHeldDispatches',
        summary: 'Dispatches that wait for an operator or a retry, the oldest first',
        querystring: ListQuery,
        response: answers({
          200: json(
            Type.Object({ data: Type.Array(HeldView), nextAfter: Type.Optional(Type.Integer()) }),
            '`nextAfter` is `after` of the next page.',
          ),
        }),
      },
      handler: async (request, reply) => {
        const limit = Math.min(numberOf(request.query.limit) ?? LIMIT, LIMIT_MAX);
        const held = await listHeld(pool, { afterId: numberOf(request.query.after), limit: limit + 1 });
        const page = held.slice(0, limit);
        const nextAfter = held.length > limit ? page.at(-1)?.id : undefined;
        return send(reply, ok({ data: page.map(shown), ...(nextAfter === undefined ? {} : { nextAfter }) }));
      },
    });

    app.route<{ Params: Static<typeof Path>; Body: Static<typeof Body> }>({
      method: 'POST',
      url: '/admin/dispatches/:id/resolve',
      schema: {
        ...common,
        operationId: 'resolveDispatch',
        summary: 'Say what became of a held dispatch, after a look at the carrier',
        description: 'Its shipper is told what follows by webhook. What was said is kept in the audit log.',
        params: Path,
        body: Body,
        response: answers({ 200: json(Resolved, 'As it is now.') }, 404, 409),
      },
      handler: async (request, reply) => {
        const { trackingNumbers, masterTrackingNumber, outcome, note } = request.body;
        if (outcome !== 'done' && (trackingNumbers !== undefined || masterTrackingNumber !== undefined))
          return send(reply, badRequest(nowMs(), [{ message: `tracking numbers do not go with outcome ${outcome}` }]));
        const dispatchId = Number(request.params.id);
        const resolved = await resolveDispatch(deps, {
          dispatchId,
          truth: resolutionOf(request.body),
          note,
          actor: 'admin',
          factsOf: (code) => factsOf(deps.carriers.find(code)),
        });
        switch (resolved.kind) {
          case 'unknown':
            return send(reply, notFound(nowMs(), `There is no dispatch ${dispatchId}`));
          case 'not_held':
            return send(
              reply,
              conflict(nowMs(), `The dispatch is ${resolved.state}; only one that is held is resolved`),
            );
          case 'numbers':
            return send(
              reply,
              badRequest(nowMs(), [
                ...resolved.missing.map((one) => ({ message: `trackingNumbers lacks package ${one}` })),
                ...resolved.strange.map((one) => ({
                  message: `trackingNumbers names ${one}, which is no package of it`,
                })),
              ]),
            );
          case 'resolved': {
            const { dispatch, consignment } = resolved;
            deps.nudge();
            return send(
              reply,
              ok({
                id: dispatch.id,
                state: dispatch.state,
                referenceNumber: consignment.referenceNumber,
                acceptance: consignment.acceptance,
              }),
            );
          }
        }
      },
    });
  };
