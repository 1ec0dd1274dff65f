import { randomUUID } from 'node:crypto';
import { afterEach, describe } from 'vitest';
import { openQueues, type QueueName, type QueueOptions, type Queues } from '../../src/platform/queue/queues.ts';
import { freshDatabase } from './database.ts';
import { quietLog } from './log.ts';
import { describeRedis, sharedRedis } from './redis.ts';

export interface QueueBackend {
  readonly name: 'Redis' | 'PostgreSQL';
  /** `describe`, or one that says why the backend cannot be tested here. */
  readonly describe: (name: string, body: () => void) => void;
  /** Where the queues of a test are, empty ones. */
  options(databaseUrl: string): Promise<Pick<QueueOptions, 'databaseUrl' | 'redisUrl' | 'prefix'>>;
}

/** Both of what a queue may be on, for suites that must hold on either. */
const queueBackends: readonly QueueBackend[] = [
  {
    name: 'PostgreSQL',
    describe: (name, body) => describe(name, body),
    options: (databaseUrl) => Promise.resolve({ databaseUrl, prefix: `t${randomUUID().slice(0, 8)}` }),
  },
  {
    name: 'Redis',
    describe: describeRedis,
    async options(databaseUrl) {
      const { url, prefix } = await sharedRedis();
      return { databaseUrl, redisUrl: url, prefix };
    },
  },
];

/** Opens queues that share one place until the test ends, which closes them. */
export interface OpenQueues {
  (own?: Partial<QueueOptions>): Promise<Queues>;
  /** The place, for a process of its own. */
  place(): ReturnType<QueueBackend['options']>;
}

/** Runs a suite once on each backend, with a fresh database. `open` twice gives two processes' view of one queue. */
export function describeQueues(name: string, body: (open: OpenQueues, backend: QueueBackend) => void): void {
  for (const backend of queueBackends) {
    backend.describe(`${name} on ${backend.name}`, () => {
      const database = freshDatabase();
      let place: ReturnType<QueueBackend['options']> | undefined;
      const opened: Queues[] = [];
      afterEach(async () => {
        await Promise.all(opened.splice(0).map((queues) => queues.close()));
        place = undefined;
      });
      const open = async (own: Partial<QueueOptions> = {}): Promise<Queues> => {
        const options = { log: quietLog, closeLimitMs: 2_000, ...(await whereTo()), ...own };
        const queues = await openQueues(options);
        opened.push(queues);
        return queues;
      };
      const whereTo = () => (place ??= backend.options(database.databaseUrl));
      body(Object.assign(open, { place: whereTo }), backend);
    });
  }
}

/** Works on a queue; yields the ids that have come. */
export function collect(queues: Queues, queue: QueueName = 'dispatch', concurrency = 1): string[] {
  const got: string[] = [];
  queues.work(queue, { concurrency }, async (jobId) => void got.push(jobId));
  return got;
}

export const jobsOf = (...ids: readonly string[]) => ids.map((id) => ({ id }));

/** Tries to add a job to the queue for dispatches. */
export const isAdded = async (queues: Queues, id: string): Promise<boolean> =>
  await queues.add('dispatch', jobsOf(id)).then(
    () => true,
    () => false,
  );
