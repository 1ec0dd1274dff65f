import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import {
  FacilityBody,
  FacilityCode,
  type FacilityDetails,
  facilityProperties,
} from '../../engine/consignment/facility-schema.ts';
import {
  deleteFacility,
  type FacilityRecord,
  findFacility,
  listFacilities,
  saveFacility,
} from '../records/facilities.ts';
import { requireShipper, shipperOf } from './bearer.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { ApiDeps } from './deps.ts';
import { answers, json, SHIPPER } from './documents.ts';
import { badRequest, notFound, ok, send } from './http-answer.ts';
import { number, numberOf } from './numbers.ts';

const Path = Type.Object({ code: FacilityCode });
const ListQuery = Type.Object({
  cursor: Type.Optional(Type.String({ maxLength: 1_000 })),
  limit: Type.Optional(number(3)),
});
const FacilityView = {
  type: 'object',
  properties: {
    code: Type.String(),
    ...facilityProperties,
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  required: ['code', 'address', 'createdAt', 'updatedAt'],
};

const LIMIT = 50;
const LIMIT_MAX = 200;

const shown = ({ code, details, createdAtMs, updatedAtMs }: FacilityRecord) => ({
  code,
  ...details,
  createdAt: new Date(createdAtMs).toISOString(),
  updatedAt: new Date(updatedAtMs).toISOString(),
});

/** A shipper's facilities, whose codes fill in the addresses of orders. */
export const facilityRoutes =
  (deps: ApiDeps) =>
  (app: FastifyInstance): void => {
    const { pool, nowMs } = deps;
    app.addHook('onRequest', requireShipper(deps));
    const common = { tags: ['Facilities'], security: SHIPPER };
    const unknown = (code: string) => notFound(nowMs(), `There is no facility ${code}`);

    app.route<{ Params: Static<typeof Path>; Body: FacilityDetails }>({
      method: 'PUT',
      url: '/v2/facilities/:code',
      schema: {
        ...common,
        operationId: 'saveFacility',
        summary: 'Register a facility, or replace the one with this code',
        description: 'Orders that were made with the one before keep its address.',
        params: Path,
        body: FacilityBody,
        response: answers({ 200: json(FacilityView, 'As it is now.') }, 403),
      },
      handler: async (request, reply) => {
        const { address, ...rest } = request.body;
        const details = { ...rest, address: { type: 'FACILITY' as const, ...address } };
        return send(reply, ok(shown(await saveFacility(pool, shipperOf(request), request.params.code, details))));
      },
    });

    app.route<{ Params: Static<typeof Path> }>({
      method: 'GET',
      url: '/v2/facilities/:code',
      schema: {
        ...common,
        operationId: 'readFacility',
        summary: 'One facility',
        params: Path,
        response: answers({ 200: json(FacilityView, 'The facility.') }, 403, 404),
      },
      handler: async (request, reply) => {
        const { code } = request.params;
        const found = await findFacility(pool, shipperOf(request), code);
        return send(reply, found === undefined ? unknown(code) : ok(shown(found)));
      },
    });

    app.route<{ Params: Static<typeof Path> }>({
      method: 'DELETE',
      url: '/v2/facilities/:code',
      schema: {
        ...common,
        operationId: 'deleteFacility',
        summary: 'Forget a facility',
        description: 'Orders that were made with it keep its address.',
        params: Path,
        response: answers(
          { 200: json(Type.Object({ code: Type.String(), deleted: Type.Literal(true) }), 'It is gone.') },
          403,
          404,
        ),
      },
      handler: async (request, reply) => {
        const { code } = request.params;
        const isGone = await deleteFacility(pool, shipperOf(request), code);
        return send(reply, isGone ? ok({ code, deleted: true }) : unknown(code));
      },
    });

    app.route<{ Querystring: Static<typeof ListQuery> }>({
      method: 'GET',
      url: '/v2/facilities',
      schema: {
        ...common,
        operationId: 'listFacilities',
        summary: 'The facilities there are, by their codes',
        querystring: ListQuery,
        response: answers(
          {
            200: json(
              Type.Object({ data: Type.Array(FacilityView as never), nextCursor: Type.Optional(Type.String()) }),
              '`nextCursor` is `cursor` of the next page.',
            ),
          },
          403,
        ),
      },
      handler: async (request, reply) => {
        const { cursor } = request.query;
        const after = cursor === undefined ? [] : readCursor(cursor, 1);
        if (after === undefined) return send(reply, badRequest(nowMs(), [{ message: 'cursor is none that we gave' }]));
        const limit = Math.min(numberOf(request.query.limit) ?? LIMIT, LIMIT_MAX);
        const found = await listFacilities(pool, shipperOf(request), { afterCode: after[0], limit: limit + 1 });
        const page = found.slice(0, limit);
        const last = page.at(-1);
        return send(
          reply,
          ok({
            data: page.map(shown),
            ...(found.length > limit && last !== undefined ? { nextCursor: writeCursor([last.code]) } : {}),
          }),
        );
      },
    });
  };
