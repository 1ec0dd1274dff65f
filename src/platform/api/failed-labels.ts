/** Labels that failed: listed for operators, and asked for anew by them or by the shipper. */
import { Type } from 'typebox';
import { optionalReason } from '../../engine/consignment/reply.ts';
import { type FailedLabel, listFailedLabels, retryLabel } from '../records/failed-labels.ts';
import { labelReason } from './consignment-entry.ts';
import type { ApiDeps } from './deps.ts';
import { conflict, type HttpAnswer, notFound, ok } from './http-answer.ts';
import { LabelPath } from './labels.ts';
import { ANY, listsOf, NUMBER } from './lists.ts';
import { optionalTexts, texts, viewOf } from './query-fields.ts';
import { type AddRoutes, routesOf } from './route.ts';

const Retried = Type.Object({ id: Type.String(), state: Type.Literal('pending') });
const ADMIN = { auth: 'admin', tag: 'Admin' } as const;
const FailedView = Type.Object({
  ...texts('id', 'shipper', 'environment', 'referenceNumber', 'carrierCode'),
  ...optionalTexts('packageId', 'trackingNumber'),
  reason: optionalReason('Why it failed.'),
});

export const addFailedLabelRoutes: AddRoutes = (scope, deps) => {
  const shippers = routesOf(scope, deps, { auth: 'shipper', tag: 'Labels' });
  const operators = routesOf(scope, deps, ADMIN);
  const list = listsOf(scope, deps, ADMIN);
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
  list('GET /admin/labels/failed', {
    id: 'listFailedLabels',
    summary: 'Labels that failed, of consignments that have not ended, those of the newest first',
    entry: FailedView,
    place: [({ consignmentId, id }: FailedLabel) => [consignmentId, id], NUMBER, ANY],
    read: async ({ after, limit }) => await listFailedLabels(deps.pool, { after, limit }),
    show: (label) => viewOf(FailedView, { ...label, reason: labelReason(label) }),
  });
};

const retry = async (
  { pool, carriers }: ApiDeps,
  asked: Pick<Parameters<typeof retryLabel>[1], 'labelId' | 'owner' | 'actor'>,
): Promise<HttpAnswer> => {
  const carrierBrings = (code: string) => {
    const { operations, labelTemplate } = carriers.find(code) ?? {};
    return operations?.label !== undefined || labelTemplate !== undefined;
  };
  const retried = await retryLabel(pool, { ...asked, carrierBrings });
  switch (retried.kind) {
    case 'retried':
      return ok({ id: asked.labelId, state: 'pending' });
    case 'unknown':
      return notFound('There is no such label', 'unknown_label');
    case 'not_failed':
      return conflict(`The label is ${retried.state}; only one that failed is asked for anew`, 'label_not_failed');
    case 'carrier_cannot':
      return conflict(
        `The label came with the carrier’s answer, and carrier ${retried.carrierCode} has no operation that brings it ` +
          'again; take it from the carrier, or cancel the consignment and create it anew',
        'label_cannot_be_fetched',
      );
  }
};
