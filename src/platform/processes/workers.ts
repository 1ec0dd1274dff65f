/** The workers of a process: pumps, housekeeping, polling, and catching up with changed profiles. */
import type { Pool } from 'pg';
import type { Carrier } from '../../engine/profile/carrier.ts';
import { messageOf } from '../../engine/failure.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import { deduplicationKey } from '../../engine/statuses/normalise.ts';
import { findRecordedKeys } from '../records/events.ts';
import type { DuePackage } from '../records/polls.ts';
import type { PushIntake } from '../records/process-push.ts';
import { claimDuePushes, listFailedPushes, type PushRecord } from '../records/pushes.ts';
import { renormalise } from '../records/reread-events.ts';
import { createRedeliveryPump } from './deliveries.ts';
import type { Loop } from './loop.ts';
import type { Platform } from './platform.ts';
import { startPlans } from './plans.ts';
import { createPump, type Pump, wakeByNotify } from './pump.ts';
import { createAsk } from './quoting.ts';
import { startSlotReleases } from './slot-releases.ts';
import { startPolling } from './tracking.ts';
import { startSweeping } from './upkeep.ts';

/** Works until it is closed, which waits for those under way. */
export const startWorkers = async (platform: Platform) => {
  const { pool, log, calls, carriers, dispatching } = platform;
  const pumps = [platform.deliveries, platform.labels, createRedeliveryPump(platform), createPushPump(platform)];
  await wakeByNotify([...pumps, dispatching.pump], platform.listener);
  // Before there is work: who does not know of the others takes all of a limit for its own.
  await platform.limits.join();
  for (const pump of pumps) pump.start();
  dispatching.start();
  let catchingUp = catchUp(platform, carriers.list());
  carriers.onChange((changed) => {
    catchingUp = catchingUp.then(async () => await catchUp(platform, changed));
  });

  const parts: readonly Pick<Loop, 'close'>[] = [
    dispatching,
    ...pumps,
    startSweeping(platform),
    startSlotReleases({ pool, log, carrierOf: carriers.find, ask: createAsk(calls) }),
    startPlans(platform),
    startPolling(pool, { ...calls, log, recordEvents: async (...told) => await recordPolled(platform, ...told) }),
  ];
  return {
    /** Takes no more work and waits for what is under way. */
    close: async (): Promise<void> => {
      // What has not been sent is not begun any more, or the time to close may cut it.
      platform.limits.stopWaiting();
      await catchingUp;
      await Promise.all(parts.map(async (part) => await part.close()));
    },
  };
};

/** Pushes of one process at once that were recorded and not processed, or are looked at again. */
const PUSHES = 16;
const LOOK_EVERY_MS = 2_000;

/** What intake could not write at once, and events that may have found their consignment. */
const createPushPump = ({ pool, intake, log, closeLimitMs }: Platform): Pump<PushRecord> =>
  createPump({
    name: 'push',
    slots: PUSHES,
    everyMs: LOOK_EVERY_MS,
    log,
    closeLimitMs,
    claim: async (free) => ({ work: await claimDuePushes(pool, free) }),
    perform: async (push) => await intake.resume(push),
  });

/** What a poll brought, as a push, if there is something new in it. */
const recordPolled = async (
  { pool, intake, nowMs }: Platform,
  { carrierCode, environment, accountId }: DuePackage,
  events: readonly StatusUpdate[],
): Promise<void> => {
  const keys = events.map((update) => deduplicationKey(update, { environment, accountId }));
  const known = await findRecordedKeys(pool, carrierCode, keys);
  const fresh = events.filter((_, at) => !known.has(keys[at]?.toString('hex') ?? ''));
  if (fresh.length === 0) return;
  await intake.take({
    carrierCode,
    accountId,
    source: 'poll',
    environment,
    request: { method: 'POLL', url: '', headers: {} },
    body: Buffer.from(JSON.stringify(fresh)),
    receivedAtMs: nowMs(),
  });
};

// What a changed profile makes good: statuses that it has learnt, pushes that it can now read ------------------------

const PAGE = 200;
/** Pushes that no profile will ever read must not keep every start busy. */
const PAGES_MAX = 10;

/** Events that were `Unmapped` are normalised again and shippers told; failed pushes are processed again. */
const catchUp = async (platform: Platform, carriers: readonly Carrier[]): Promise<void> => {
  const { pool, log, intake } = platform;
  for (const carrier of carriers) {
    try {
      const learnt = await renormalise(pool, carrier, platform);
      if (learnt > 0)
        log.info({ carrier: carrier.code, events: learnt }, 'statuses that the table has learnt were normalised again');
      await processFailed(pool, carrier, intake);
    } catch (error) {
      log.warn({ carrier: carrier.code, error: messageOf(error) }, 'catching up with a changed profile failed');
    }
  }
};

const processFailed = async (pool: Pool, carrier: Carrier, intake: PushIntake): Promise<void> => {
  let afterId = 0;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const failed = await listFailedPushes(pool, { carrierCode: carrier.code, limit: PAGE, afterId });
    for (const { id } of failed) await intake.process(id);
    const last = failed.at(-1);
    if (last === undefined || failed.length < PAGE) return;
    afterId = last.id;
  }
};
