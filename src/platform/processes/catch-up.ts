/** What a changed profile makes good: statuses that it has learnt, pushes that it can now read. */
import { messageOf } from '../../engine/failure.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { listFailedPushes } from '../records/pushes.ts';
import { processPush, type ProcessDeps } from '../records/process-push.ts';
import { renormalise } from '../records/reread-events.ts';
import type { Platform } from './platform.ts';

const PAGE = 200;
/** Pushes that no profile will ever read must not keep every start busy. */
const PAGES_MAX = 10;

/** Events that were `Unmapped` are normalised again and shippers told; failed pushes are processed again. */
export const catchUp = async (
  { records: { pool }, settle, log, relay }: Platform,
  carriers: readonly Carrier[],
  deps: ProcessDeps,
): Promise<void> => {
  for (const carrier of carriers) {
    try {
      const learnt = await renormalise(pool, carrier, settle);
      if (learnt > 0)
        log.info({ carrier: carrier.code, events: learnt }, 'statuses that the table has learnt were normalised again');
      await processFailed(pool, carrier, deps);
    } catch (error) {
      log.warn({ carrier: carrier.code, error: messageOf(error) }, 'catching up with a changed profile failed');
    }
  }
  relay.nudge();
};

const processFailed = async (pool: Platform['records']['pool'], carrier: Carrier, deps: ProcessDeps): Promise<void> => {
  let afterId = 0;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const failed = await listFailedPushes(pool, { carrierCode: carrier.code, limit: PAGE, afterId });
    for (const { id } of failed) await processPush(pool, id, deps);
    const last = failed.at(-1);
    if (last === undefined || failed.length < PAGE) return;
    afterId = last.id;
  }
};
