/** The working half of the platform: jobs of the queues, pumps, upkeep, tracking, and what a changed profile makes good. */
import type { Pool } from 'pg';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { QueueName } from '../queue/queues.ts';
import { messageOf } from '../../engine/failure.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import { deduplicationKey } from '../../engine/statuses/deduplication-key.ts';
import { parseStatusJobId } from '../records/outbox.ts';
import { findRecordedKeys } from '../records/events.ts';
import type { DuePackage } from '../records/polls.ts';
import { type ProcessDeps, processPush } from '../records/process-push.ts';
import { listFailedPushes, recordPush } from '../records/pushes.ts';
import { renormalise } from '../records/reread-events.ts';
import { eventsOf } from './carrier-webhooks.ts';
import { createRedeliveryPump } from './deliveries.ts';
import type { Loop } from './loop.ts';
import type { Platform } from './platform.ts';
import { wakeByNotify } from './pump.ts';
import { startPolling } from './tracking.ts';
import { startRequeuing, startSweeping } from './upkeep.ts';

/** Jobs of one process at a time, by queue: most of their time they wait for others. */
const CONCURRENCY: Readonly<Record<QueueName, number>> = { status: 16 };

/** Takes jobs until it is closed, which waits for those under way. */
export const startWorkers = async (platform: Platform) => {
  const { queues, pool, log, nowMs, calls, nudge, metrics, carriers, dispatching } = platform;
  const pumps = [platform.deliveries, platform.labels, createRedeliveryPump(platform)];
  await wakeByNotify([...pumps, dispatching.pump], platform.listener);
  for (const pump of pumps) pump.start();
  dispatching.start();
  const processing: ProcessDeps = {
    publicUrl: platform.publicUrl,
    nowMs,
    factsOf: platform.factsOf,
    carrierOf: carriers.find,
    eventsOf: async (push, carrier) => await eventsOf(platform, push, carrier),
  };
  void platform.joinLimits();
  let catchingUp = catchUp(platform, carriers.list(), processing);
  carriers.onChange((changed) => {
    catchingUp = catchingUp.then(async () => await catchUp(platform, changed, processing));
  });

  const work = <Id>(queue: QueueName, parse: (jobId: string) => Id | undefined, handle: (id: Id) => Promise<unknown>) =>
    queues.work(queue, { concurrency: CONCURRENCY[queue] }, async (jobId) => {
      const id = parse(jobId);
      if (id !== undefined) await handle(id).finally(nudge);
    });

  const parts: readonly Pick<Loop, 'close'>[] = [
    dispatching,
    work('status', parseStatusJobId, async (id) => {
      const processed = await processPush(pool, id, processing);
      metrics.processed(processed.kind === 'processed' ? processed.state : processed.kind);
    }),
    ...pumps,
    ...startRequeuing(platform),
    startSweeping(platform),
    startPolling(pool, { ...calls, log, recordEvents: async (...told) => await recordPolled(platform, ...told) }),
  ];
  return {
    /** Takes no more work and waits for what is under way. */
    close: async (): Promise<void> => {
      await catchingUp;
      await Promise.all(parts.map(async (part) => await part.close()));
    },
  };
};

/** What a poll brought, as a push, if there is something new in it. */
const recordPolled = async (
  { pool, nudge, nowMs }: Platform,
  { carrierCode, environment, accountId }: DuePackage,
  events: readonly StatusUpdate[],
): Promise<void> => {
  const keys = events.map((update) => deduplicationKey(update, { environment, accountId }));
  const known = await findRecordedKeys(pool, carrierCode, keys);
  const fresh = events.filter((_, at) => !known.has(keys[at]?.toString('hex') ?? ''));
  if (fresh.length === 0) return;
  await recordPush(pool, {
    carrierCode,
    accountId,
    source: 'poll',
    environment,
    request: { method: 'POLL', url: '', headers: {} },
    body: Buffer.from(JSON.stringify(fresh)),
    receivedAtMs: nowMs(),
  });
  nudge();
};

// What a changed profile makes good: statuses that it has learnt, pushes that it can now read ------------------------

const PAGE = 200;
/** Pushes that no profile will ever read must not keep every start busy. */
const PAGES_MAX = 10;

/** Events that were `Unmapped` are normalised again and shippers told; failed pushes are processed again. */
const catchUp = async (
  { pool, log, nudge }: Platform,
  carriers: readonly Carrier[],
  deps: ProcessDeps,
): Promise<void> => {
  for (const carrier of carriers) {
    try {
      const learnt = await renormalise(pool, carrier, deps);
      if (learnt > 0)
        log.info({ carrier: carrier.code, events: learnt }, 'statuses that the table has learnt were normalised again');
      await processFailed(pool, carrier, deps);
    } catch (error) {
      log.warn({ carrier: carrier.code, error: messageOf(error) }, 'catching up with a changed profile failed');
    }
  }
  nudge();
};

const processFailed = async (pool: Pool, carrier: Carrier, deps: ProcessDeps): Promise<void> => {
  let afterId = 0;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const failed = await listFailedPushes(pool, { carrierCode: carrier.code, limit: PAGE, afterId });
    for (const { id } of failed) await processPush(pool, id, deps);
    const last = failed.at(-1);
    if (last === undefined || failed.length < PAGE) return;
    afterId = last.id;
  }
};
