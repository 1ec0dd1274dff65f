/** Customs documents of a shipper's consignment, made from its order when they are asked for. */
import { Type } from 'typebox';
import { CUSTOMS_DOCUMENTS, drawCustoms, lackingOf } from '../../engine/labels/customs.ts';
import { canonicalOf, findConsignment } from '../records/consignments.ts';
import { notFound, ok, unprocessable } from './http-answer.ts';
import { filled } from './query-fields.ts';
import { type AddRoutes, content, routesOf } from './route.ts';

const DocumentPath = Type.Object({ referenceNumber: filled(100), kind: Type.Enum([...CUSTOMS_DOCUMENTS]) });

export const addCustomsDocumentRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, { auth: 'shipper', tag: 'Labels' });
  route('GET /v2/consignments/:referenceNumber/documents/:kind', {
    id: 'readCustomsDocument',
    summary: 'A customs document of a consignment',
    description:
      'The commercial invoice, or the declarations CN22 or CN23 with a page or more for each package. What the order ' +
      'lacks for it is named by `findings`.',
    path: DocumentPath,
    reply: [content(['application/pdf'], { type: 'string', format: 'binary' }), 'The document as PDF.'],
    errors: [404, 422],
    handle: async ({ shipper, path: { referenceNumber, kind } }) => {
      const record = await findConsignment(deps.pool, shipper.shipperId, shipper.environment, referenceNumber);
      if (record === undefined)
        return notFound(`referenceNumber ${referenceNumber} is not known`, 'unknown_consignment');
      const consignment = canonicalOf(record);
      const lacking = lackingOf(kind, consignment);
      if (lacking.length > 0)
        return unprocessable(`The order lacks fields of the ${kind}`, lacking, record, 'rules_broken');
      const trackingNumbers = record.packages.map(({ trackingNumber }) => trackingNumber);
      const fonts = await deps.fonts();
      const pdf = await drawCustoms(kind, { consignment, trackingNumbers, fonts, nowMs: deps.nowMs() });
      return ok(pdf, {
        'Content-Type': 'application/pdf',
        'Content-Disposition': `inline; filename="${kind}.pdf"`,
      });
    },
  });
};
