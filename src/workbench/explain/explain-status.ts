/** Which row of the status table decides, and which others would fit. */
import type { Place } from '../../engine/failure.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { tableOf } from '../../engine/statuses/table.ts';

export interface ExplainedStatus {
  readonly carrier: string;
  readonly code: string;
  readonly subCode: string;
  readonly description: string;
  /** `Unmapped` where no row decides. */
  readonly status: string;
  readonly reason: string | undefined;
  /** All that fit, the one that decides first. */
  readonly rows: readonly (Place & {
    readonly key: string;
    readonly status: string;
    /** As good as the one before it, so that only equal statuses decide. */
    readonly ties: boolean;
  })[];
}

/** `text`: `code`, `code/subCode` or `code/subCode/description`. */
export const explainStatus = (carrier: Carrier, text: string): ExplainedStatus => {
  const [code = '', subCode = '', ...rest] = text.split('/');
  const description = rest.join('/');
  const table = tableOf(carrier);
  const row = table.match(code, subCode, description);
  return {
    carrier: carrier.code,
    code,
    subCode,
    description,
    status: row?.status ?? 'Unmapped',
    reason: row?.reason,
    rows: table.rivals(code, subCode, description).map(({ row: { place, key, status }, ties }) => ({
      ...place,
      key,
      status,
      ties,
    })),
  };
};
