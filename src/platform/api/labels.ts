import { Type } from 'typebox';
import { LABEL_CONTENT_TYPES } from '../../engine/labels/serve.ts';
import { findLabelOwner } from '../records/labels.ts';
import { bearerOf } from './bearer.ts';
import { badGateway, notFound, ok, unavailable } from './http-answer.ts';
import { type AddRoutes, content, routesOf } from './route.ts';

export const LabelPath = Type.Object({
  id: Type.String({ pattern: '^[A-Za-z0-9_-]{16,64}$', 'x-must': 'be the id of a label' }),
});
const bytes = content(Object.values(LABEL_CONTENT_TYPES), { type: 'string', format: 'binary' });

/** Of a label whose next attempt nobody knows. */
const RETRY_AFTER_MS = 30_000;

/** The id is the key: whoever holds the link may read the label. Who brings a token sees only what is theirs. */
export const addLabelRoutes: AddRoutes = (scope, deps) => {
  const route = routesOf(scope, deps, { auth: 'link', tag: 'Labels' });
  route('GET /v2/labels/:id', {
    id: 'readLabel',
    summary: 'A label, by the link that replies carry',
    path: LabelPath,
    reply: [bytes, 'The label as the carrier made it.'],
    errors: [404, 502],
    handle: async ({ request, reply, path: { id } }) => {
      const unknown = notFound('There is no such label', 'unknown_label');
      if (request.headers.authorization !== undefined) {
        const bearer = await bearerOf(deps, request, reply);
        const owner = await findLabelOwner(deps.pool, id);
        if (bearer.kind !== 'shipper' || owner === undefined) return unknown;
        if (owner.shipperId !== bearer.shipperId || owner.environment !== bearer.environment) return unknown;
      }
      const label = await deps.serveLabel(id);
      switch (label.kind) {
        case 'unknown':
          return unknown;
        case 'not_ready': {
          const dueInMs = label.dueAtMs === undefined ? RETRY_AFTER_MS : label.dueAtMs - deps.nowMs();
          const { failure } = label.record;
          const why = failure === undefined ? '' : `: ${failure}`;
          return unavailable(`The carrier has not made the label yet${why}`, dueInMs, 'label_pending');
        }
        case 'gone':
          return label.why === 'revoked'
            ? notFound('The label was revoked with its consignment', 'label_revoked')
            : badGateway(
                `The carrier gave no label: ${label.record.failure ?? 'it could not be read'}`,
                'label_failed',
              );
        case 'ready':
          return ok(label.bytes, {
            'Content-Type': label.contentType,
            'Content-Disposition': `inline; filename="label.${label.format.toLowerCase()}"`,
            // What a label document could do if it were a page, it must not.
            'Content-Security-Policy': "default-src 'none'; sandbox",
          });
      }
    },
  });
};
