import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { listAudit } from '../records/audit.ts';
import { requireAdmin } from './bearer.ts';
import type { ApiDeps } from './deps.ts';
import { ADMIN, answers, json } from './documents.ts';
import { ok, send } from './http-answer.ts';
import { number, numberOf } from './numbers.ts';
import { time, timeOf } from './times.ts';

const word = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }));
const Query = Type.Object({
  actor: word('`admin`, `command`, `engine`, or `shipper:<code>`.'),
  action: word('Such as `save_account`.'),
  subject: word('Such as `account:7`.'),
  since: Type.Optional(time()),
  before: Type.Optional(number()),
  limit: Type.Optional(number(3)),
});
const Entry = Type.Object({
  id: Type.Integer(),
  at: Type.String(),
  actor: Type.String(),
  action: Type.String(),
  subject: Type.String(),
  detail: Type.Optional(Type.String({ description: 'Words, or JSON; never a secret.' })),
});
const LIMIT = 100;
const LIMIT_MAX = 500;

/** Who did what, and when. */
export const adminAuditRoutes =
  (deps: ApiDeps) =>
  (app: FastifyInstance): void => {
    app.addHook('onRequest', requireAdmin(deps));
    app.route<{ Querystring: Static<typeof Query> }>({
      method: 'GET',
      url: '/admin/audit',
      schema: {
        tags: ['Admin'],
        security: ADMIN,
        operationId: 'listAudit',
        summary: 'Who did what and when, the newest first',
        querystring: Query,
        response: answers({
          200: json(
            Type.Object({ data: Type.Array(Entry), nextBefore: Type.Optional(Type.Integer()) }),
            '`nextBefore` is `before` of the next page.',
          ),
        }),
      },
      handler: async (request, reply) => {
        const { actor, action, subject, since, before, limit: asked } = request.query;
        const limit = Math.min(numberOf(asked) ?? LIMIT, LIMIT_MAX);
        const filter = { actor, action, subject, since: timeOf(since), beforeId: numberOf(before) };
        const rows = await listAudit(deps.pool, { ...filter, limit: limit + 1 });
        const page = rows.slice(0, limit);
        const nextBefore = rows.length > limit ? page.at(-1)?.id : undefined;
        return send(
          reply,
          ok({
            data: page.map(({ at, detail, ...rest }) => ({
              ...rest,
              at: at.toISOString(),
              detail: detail ?? undefined,
            })),
            nextBefore,
          }),
        );
      },
    });
  };
