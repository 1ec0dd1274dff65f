/** Announcing our webhook at a carrier for an account, and taking it back: the profile's `register` and `unregister`. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { requireAdmin } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { ADMIN, answers, json } from './documents.ts';
import { notFound, ok, send, unprocessable } from './http-answer.ts';

const AccountPath = Type.Object({ id: Type.String({ pattern: '^\\d{1,15}$', 'x-must': 'be the id of an account' }) });
const Done = Type.Object({ id: Type.Integer(), webhook: Type.String({ description: 'What the carrier calls.' }) });

const SAYS = {
  register: 'Announces our webhook at the carrier and keeps in the account what it gives for it',
  unregister: 'Takes our webhook back at the carrier',
} as const;

/** A carrier is logged in at and asked, perhaps in several steps, while an operator waits. */
const CARRIER_LIMIT_MS = 120_000;

export const registrationRoutes =
  (deps: ApiDeps) =>
  (app: FastifyInstance): void => {
    app.addHook('onRequest', requireAdmin(deps));
    for (const operation of ['register', 'unregister'] as const) {
      app.route<{ Params: Static<typeof AccountPath> }>({
        method: 'POST',
        url: `/admin/accounts/:id/${operation}`,
        config: { answerWithinMs: CARRIER_LIMIT_MS },
        schema: {
          tags: ['Admin'],
          security: ADMIN,
          operationId: `${operation}Webhook`,
          summary: SAYS[operation],
          params: AccountPath,
          response: answers({ 200: json(Done, 'The carrier has answered.') }, 404, 422),
        },
        handler: async (request, reply) => {
          const id = Number(request.params.id);
          const registered = await deps.registerAccount(id, operation);
          const nowMs = deps.nowMs();
          switch (registered.kind) {
            case 'unknown':
              return send(reply, notFound(nowMs, `There is no account ${id}`));
            case 'not_offered':
              return send(reply, notFound(nowMs, `The carrier of account ${id} has no ${operation}`));
            case 'failed': {
              const { messages } = registered.problem;
              return send(reply, unprocessable(nowMs, `The carrier did not ${operation}`, messages));
            }
            case 'done':
              return send(reply, ok({ id, webhook: registered.webhookUrl }));
          }
        },
      });
    }
  };
