/** The working half of the platform: jobs of the four queues, upkeep, tracking, and what a changed profile makes good. */
import type { Carrier } from '../../engine/profile/carrier.ts';
import { performDispatch } from '../../engine/dispatch/perform.ts';
import { createConcurrencyLimiter } from '../../engine/dispatch/limits.ts';
import type { QueueName } from '../queue/queues.ts';
import { messageOf } from '../../engine/failure.ts';
import { fetchLabel } from '../../engine/labels/fetch.ts';
import { deduplicationKey } from '../../engine/statuses/deduplication-key.ts';
import {
  parseDispatchJobId,
  parseDeliveryJobId,
  parseLabelJobId,
  parseRedeliveryJobId,
  parseStatusJobId,
} from '../records/outbox.ts';
import { createDeliveries, findDueDeliveries } from '../records/deliveries.ts';
import { createDispatches, findDueDispatches } from '../records/dispatches.ts';
import { findDueLabels } from '../records/labels.ts';
import { findKnownIdentities } from '../records/events.ts';
import { continueRedelivery, findRunningRedeliveries } from '../records/redeliveries.ts';
import { type ProcessDeps, processPush } from '../records/process-push.ts';
import { findUnprocessedPushes, recordPush, listFailedPushes } from '../records/pushes.ts';
import { renormalise } from '../records/reread-events.ts';
import { deliver } from '../../engine/webhooks/delivery.ts';
import { eventsOf } from './carrier-webhooks.ts';
import { type Platform, uptimeMs } from './platform.ts';
import { startPolling } from './tracking.ts';
import { startRequeuing, startSweeping, type Unfinished } from './upkeep.ts';

export interface Workers {
  /** Takes no more work and waits for what is under way. */
  close(): Promise<void>;
}

/** Jobs of one process at a time, by queue: most of their time they wait for others. */
const CONCURRENCY: Readonly<Record<QueueName, number>> = { dispatch: 128, status: 16, label: 32, delivery: 64 };
/** Of those, what one carrier may take up: one that hangs, or whose login does, leaves the most to others. */
const DISPATCHES_OF_ONE_CARRIER = 32;

/** What is due that long ought to have been queued: the relay and the queue have had their time. */
const GRACE_MS = 10_000;
const DAY_MS = 86_400_000;

export const startWorkers = (platform: Platform): Workers => {
  const { queues, records, sealer, nowMs, calls, relay, metrics, config, fetching } = platform;
  const { pool } = records;
  const dispatches = createDispatches({ pool, sealer, nowMs, settle: platform.settle });
  const deliveries = createDeliveries({ pool, sealer, nowMs });
  const limiter = createConcurrencyLimiter(DISPATCHES_OF_ONE_CARRIER, uptimeMs, Math.random);
  const processing: ProcessDeps = {
    ...platform.settle,
    carrierOf: platform.carriers.find,
    eventsOf: async (push, carrier) => await eventsOf(platform, push, carrier),
    nowMs,
  };
  let catchingUp = catchUp(platform, platform.carriers.list(), processing);
  platform.carriers.onChange((changed) => {
    catchingUp = catchingUp.then(async () => await catchUp(platform, changed, processing));
  });

  const work = (queue: QueueName, handle: (jobId: string, signal: AbortSignal) => Promise<void>) =>
    queues.work(queue, { concurrency: CONCURRENCY[queue] }, async (jobId, signal) => {
      try {
        await handle(jobId, signal);
      } finally {
        relay.nudge();
      }
    });

  const workers = [
    work('dispatch', async (jobId) => {
      const id = parseDispatchJobId(jobId);
      if (id === undefined) return;
      const beganMs = nowMs();
      const performed = await performDispatch(id, {
        ...calls.ports,
        dispatches,
        limiter,
        carrierVersion: platform.carriers.version,
        noteExchange: calls.noteExchange,
        noteDefect: ({ dispatchId, carrierCode }, thrown) => {
          const error = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
          platform.log.error({ dispatchId, carrierCode, error }, 'a mistake of ours stopped a dispatch; it is held');
        },
      });
      metrics.performed(performed, (nowMs() - beganMs) / 1_000);
    }),
    work('status', async (jobId) => {
      const id = parseStatusJobId(jobId);
      if (id === undefined) return;
      const processed = await processPush(pool, id, processing);
      metrics.processed(processed.kind === 'processed' ? processed.state : processed.kind);
    }),
    work('label', async (jobId, signal) => {
      const id = parseLabelJobId(jobId);
      if (id !== undefined) await fetchLabel(id, fetching, { signal });
    }),
    work('delivery', async (jobId, signal) => {
      const redelivery = parseRedeliveryJobId(jobId);
      if (redelivery !== undefined) await continueRedelivery(pool, redelivery, nowMs());
      const id = parseDeliveryJobId(jobId);
      if (id === undefined) return;
      const policy = { retries: config.webhookRetries, retryMs: config.webhookRetryMs, pauseAfterMs: PAUSE_AFTER_MS };
      metrics.delivered(
        await deliver(id, { deliveries, policy, send: platform.transports.shared.send, nowMs }, signal),
      );
    }),
  ];

  const requeuing = startRequeuing(unfinished(platform), queues, platform.log);
  const sweeping = startSweeping(pool, platform.log, nowMs);
  const polling = startPolling(pool, {
    ...calls,
    log: platform.log,
    recordEvents: async (due, events) => {
      const scope = { environment: due.environment, accountId: due.accountId };
      const known = await findKnownIdentities(
        pool,
        due.carrierCode,
        events.map((update) => deduplicationKey(update, scope)),
      );
      const fresh = events.filter((update) => !known.has(deduplicationKey(update, scope).toString('hex')));
      if (fresh.length === 0) return;
      await recordPush(pool, {
        carrierCode: due.carrierCode,
        accountId: due.accountId,
        source: 'poll',
        environment: due.environment,
        request: { method: 'POLL', url: '', headers: {} },
        body: Buffer.from(JSON.stringify(fresh)),
        receivedAtMs: nowMs(),
      });
      relay.nudge();
    },
  });

  return {
    close: async () => {
      await catchingUp;
      await Promise.all([
        requeuing.close(),
        polling.close(),
        sweeping.close(),
        ...workers.map(async (worker) => await worker.close()),
      ]);
    },
  };
};

/** A subscription none of whose tries succeeded for that long is paused. */
const PAUSE_AFTER_MS = 5 * DAY_MS;

const unfinished = ({ records: { pool }, nowMs }: Platform): readonly Unfinished[] => [
  {
    queue: 'dispatch',
    find: async (limit) => await findDueDispatches(pool, { nowMs: nowMs(), graceMs: GRACE_MS, limit }),
  },
  {
    queue: 'status',
    find: async (limit) => await findUnprocessedPushes(pool, nowMs() - GRACE_MS, limit),
  },
  {
    queue: 'label',
    find: async (limit) => await findDueLabels(pool, { nowMs: nowMs(), graceMs: GRACE_MS, limit }),
  },
  { queue: 'delivery', find: async () => await findRunningRedeliveries(pool) },
  {
    queue: 'delivery',
    find: async () => await findDueDeliveries(pool, { nowMs: nowMs(), graceMs: GRACE_MS, limit: 50 }),
  },
];

// What a changed profile makes good: statuses that it has learnt, pushes that it can now read ------------------------

const PAGE = 200;
/** Pushes that no profile will ever read must not keep every start busy. */
const PAGES_MAX = 10;

/** Events that were `Unmapped` are normalised again and shippers told; failed pushes are processed again. */
const catchUp = async (
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
