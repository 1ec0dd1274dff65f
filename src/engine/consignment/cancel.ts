import { type Static, Type } from 'typebox';
import { type Validated, validator } from '../validate.ts';
import { boundsOf } from './bounds.ts';

/** A cancel request (spec/shipper-api.md, "Cancel request"): one consignment or many. */
export const CancelRequest = Type.Object({
  consignments: Type.Array(
    Type.Object({
      referenceNumber: Type.String({
        maxLength: 100,
        pattern: '\\S',
        'x-must': 'not be blank',
        'x-level': 'M',
        description: 'As in the create.',
      }),
      remark: Type.Optional(Type.String({ maxLength: 1_000, 'x-level': 'R', description: 'Why; kept for reports.' })),
    }),
    { minItems: 1, maxItems: 500, 'x-level': 'M' },
  ),
});
export type CancelRequest = Static<typeof CancelRequest>;

const check = validator(CancelRequest, 'the request');

/** A cancel request, or everything that is wrong with its structure (400). */
export const readCancel = (body: unknown): Validated<CancelRequest> => {
  const outside = boundsOf(body);
  return outside.length > 0 ? { ok: false, issues: outside } : check(body);
};
