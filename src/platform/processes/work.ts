/** The working half of the platform: jobs of the four queues, the reconciler, the poller. */
import { performDispatch } from '../../engine/dispatch/perform.ts';
import { createConcurrencyLimiter } from '../../engine/dispatch/limits.ts';
import type { QueueName } from '../queue/queues.ts';
import { fetchLabel } from '../../engine/labels/fetch.ts';
import { identityOf } from '../../engine/statuses/deduplication-key.ts';
import {
  parseDispatchJobId,
  parseDeliveryJobId,
  parseLabelJobId,
  parseRedeliveryJobId,
  parseStatusJobId,
} from '../records/outbox.ts';
import { findAccountById } from '../records/accounts.ts';
import { createDeliveries, findDueDeliveries } from '../records/deliveries.ts';
import { createDispatches, findDueDispatches } from '../records/dispatches.ts';
import { recordExchange } from '../records/exchanges.ts';
import { findDueLabels } from '../records/labels.ts';
import { takeFromSequences } from '../records/sequences.ts';
import { findKnownIdentities } from '../records/events.ts';
import { continueRedelivery, findRunningRedeliveries } from '../records/redeliveries.ts';
import { type ProcessDeps, processPush } from '../records/process-push.ts';
import { findUnprocessedPushes, recordPush } from '../records/pushes.ts';
import { deliver } from '../../engine/webhooks/deliver.ts';
import { catchUp } from './catch-up.ts';
import { eventsOf } from './events.ts';
import { type Platform, uptimeMs } from './platform.ts';
import { startPoller } from './poller.ts';
import { startReconciler, type Unfinished } from './reconcile.ts';
import { startSweeper } from './sweep.ts';
import type { Tracking } from './tracking.ts';

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
  const { queues, records, sealer, nowMs, ports, relay, metrics, config, fetching } = platform;
  const { pool } = records;
  const dispatches = createDispatches({ pool, sealer, nowMs, settle: platform.settle });
  const deliveries = createDeliveries({ pool, sealer, nowMs });
  const noteExchange: Tracking['noteExchange'] = (context) => async (exchange) =>
    await recordExchange(pool, context, exchange);

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
        ...ports,
        dispatches,
        limiter,
        carrierVersion: platform.carriers.version,
        noteExchange,
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

  const reconciler = startReconciler(unfinished(platform), queues, platform.log);
  const sweeper = startSweeper(platform);
  const poller = startPoller(pool, {
    ports,
    log: platform.log,
    carrierOf: platform.carriers.find,
    accountOf: async (id) => await findAccountById(pool, sealer, id),
    takeFromSequence: takeFromSequences(pool),
    inputsOf: platform.inputsOf,
    noteExchange,
    recordEvents: async (due, events) => {
      const scope = { environment: due.environment, accountId: due.accountId };
      const known = await findKnownIdentities(
        pool,
        due.carrierCode,
        events.map((update) => identityOf(update, scope)),
      );
      const fresh = events.filter((update) => !known.has(identityOf(update, scope).toString('hex')));
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
        reconciler.close(),
        poller.close(),
        sweeper.close(),
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
    find: async () => await findDueDeliveries(pool, { nowMs: nowMs(), graceMs: GRACE_MS, perSubscription: 50 }),
  },
];
