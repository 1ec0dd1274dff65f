/** Labels that failed: listed for operators, and asked for anew by them or by the shipper. */
import { Type } from 'typebox';
import { optionalReason } from '../../engine/consignment/reply.ts';
import { listFailedLabels, retryLabel } from '../records/failed-labels.ts';
import { labelReason } from './consignment-entry.ts';
import type { ApiDeps } from './deps.ts';
import { conflict, type HttpAnswer, notFound, ok, wrong } from './http-answer.ts';
import { LabelPath } from './labels.ts';
import { limit, limitOf, optionalTexts, readCursor, readPage, texts, viewOf, writeCursor } from './query-fields.ts';
import { type AddRoutes, pageReply, routesOf } from './route.ts';

const Retried = Type.Object({ id: Type.String(), state: Type.Literal('pending') });
const ListQuery = Type.Object({ cursor: Type.Optional(Type.String({ maxLength: 200 })), limit });
const FailedView = Type.Object({
  ...texts('id', 'shipper', 'environment', 'referenceNumber', 'carrierCode'),
  ...optionalTexts('packageId', 'trackingNumber'),
  reason: optionalReason('Why it failed.'),
});

export const addFailedLabelRoutes: AddRoutes = (scope, deps) => {
  const shippers = routesOf(scope, deps, { auth: 'shipper', tag: 'Labels' });
  const operators = routesOf(scope, deps, { auth: 'admin', tag: 'Admin' });
  const described = {
    summary: 'Ask the carrier anew for a label that failed',
    description: 'It is pending again. `consignment.label` tells of its end, and GET shows it.',
    path: LabelPath,
    reply: [Retried, 'It is on its way.'],
    errors: [404, 409],
  } as const;
  shippers('POST /v2/labels/:id/retry', {
    id: 'retryLabel',
    ...described,
    handle: async ({ shipper, path, actor }) => await retry(deps, { labelId: path.id, owner: shipper, actor }),
  });
  operators('POST /admin/labels/:id/retry', {
    id: 'retryAnyLabel',
    role: 'operate',
    ...described,
    handle: async ({ path, actor }) => await retry(deps, { labelId: path.id, owner: undefined, actor }),
  });
  operators('GET /admin/labels/failed', {
    id: 'listFailedLabels',
    role: 'read',
    summary: 'Labels that failed, of consignments that have not ended, those of the newest first',
    query: ListQuery,
    reply: pageReply(FailedView, 'cursor'),
    handle: async ({ query: { cursor, limit } }) => {
      const after = cursor === undefined ? undefined : readCursor(cursor, 2);
      if (cursor !== undefined && !/^\d{1,18}$/.test(after?.[0] ?? '')) return wrong('cursor is none that we gave');
      const { page, last } = await readPage(
        limitOf(limit),
        async (limit) => await listFailedLabels(deps.pool, { after, limit }),
      );
      return ok({
        data: page.map((label) => viewOf(FailedView, { ...label, reason: labelReason(label) })),
        nextCursor: last && writeCursor([String(last.consignmentId), last.id]),
      });
    },
  });
};

const retry = async (
  { pool, carriers }: ApiDeps,
  asked: Pick<Parameters<typeof retryLabel>[1], 'labelId' | 'owner' | 'actor'>,
): Promise<HttpAnswer> => {
  const carrierBrings = (code: string) => carriers.find(code)?.operations.label !== undefined;
  const retried = await retryLabel(pool, { ...asked, carrierBrings });
  switch (retried.kind) {
    case 'retried':
      return ok({ id: asked.labelId, state: 'pending' });
    case 'unknown':
      return notFound('There is no such label');
    case 'not_failed':
      return conflict(`The label is ${retried.state}; only one that failed is asked for anew`);
    case 'carrier_cannot':
      return conflict(
        `The label came with the carrier’s answer, and carrier ${retried.carrierCode} has no operation that brings it ` +
          'again; take it from the carrier, or cancel the consignment and create it anew',
      );
  }
};
