/** Which row of the status table decides, and which others would fit. */
import type { Carrier } from '../../engine/profile/carrier.ts';
import { tablesOf } from '../../engine/statuses/table.ts';

/** `text`: `code`, `code/subCode` or `code/subCode/description`. */
export const explainStatus = (carrier: Carrier, text: string) => {
  const [code = '', subCode = '', ...rest] = text.split('/');
  const description = rest.join('/');
  const { FORWARD, REVERSE } = tablesOf(carrier);
  const meaning = (table: typeof FORWARD) => {
    const row = table.match(code, subCode, description);
    return {
      /** `Unmapped` where no row decides. */
      status: row?.status ?? 'Unmapped',
      reason: row?.reason,
      /** All that fit, the one that decides first. */
      rows: table.rivals(code, subCode, description).map(({ row: { place, key, status }, ties }) => ({
        ...place,
        key,
        status,
        /** As good as the one before it, so that only equal statuses decide. */
        ties,
      })),
    };
  };
  return {
    carrier: carrier.code,
    code,
    subCode,
    description,
    ...meaning(FORWARD),
    /** Where the profile has rows for returns. */
    ofReturns: FORWARD === REVERSE ? undefined : meaning(REVERSE),
  };
};
export type ExplainedStatus = ReturnType<typeof explainStatus>;
