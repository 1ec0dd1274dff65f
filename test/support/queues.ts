import { randomUUID } from 'node:crypto';
import { afterEach, describe } from 'vitest';
import { openQueues, type QueueName, type QueueOptions, type Queues } from '../../src/platform/queue/queues.ts';
import { freshDatabase } from './database.ts';
import { quietLog } from './log.ts';
import { describeRedis, sharedRedis } from './redis.ts';

/** Where the queues of a suite are. */
type Place = Pick<QueueOptions, 'databaseUrl' | 'redisUrl' | 'prefix'>;

/** Opens queues that share one place, an empty one, until the test ends, which closes them. */
export interface OpenQueues {
  (own?: Partial<QueueOptions>): Promise<Queues>;
  /** The place, for a process of its own. */
  place(): Promise<Place>;
}

/** Runs a suite once on each backend, with a fresh database. `open` twice gives two processes' view of one queue. */
export function describeQueues(name: string, body: (open: OpenQueues, backend: 'postgres' | 'redis') => void): void {
  const suite = (backend: 'postgres' | 'redis') => (): void => {
    const database = freshDatabase();
    let place: Promise<Place> | undefined;
    const newPlace = async (): Promise<Place> => {
      const { databaseUrl } = database;
      if (backend === 'postgres') return { databaseUrl, prefix: `t${randomUUID().slice(0, 8)}` };
      const { url, prefix } = await sharedRedis();
      return { databaseUrl, redisUrl: url, prefix };
    };
    const whereTo = () => (place ??= newPlace());
    const opened: Queues[] = [];
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((queues) => queues.close()));
      place = undefined;
    });
    const open = async (own: Partial<QueueOptions> = {}): Promise<Queues> => {
      const queues = await openQueues({ log: quietLog, closeLimitMs: 2_000, ...(await whereTo()), ...own });
      opened.push(queues);
      return queues;
    };
    body(Object.assign(open, { place: whereTo }), backend);
  };
  describe(`${name} on PostgreSQL`, suite('postgres'));
  describeRedis(`${name} on Redis`, suite('redis'));
}

/** Works on a queue; yields the ids that have come. */
export function collect(queues: Queues, queue: QueueName = 'status', concurrency = 1): string[] {
  const got: string[] = [];
  queues.work(queue, { concurrency }, async (jobId) => void got.push(jobId));
  return got;
}

export const jobsOf = (...ids: readonly string[]) => ids.map((id) => ({ id }));

/** Tries to add a job to a queue. */
export const isAdded = async (queues: Queues, id: string): Promise<boolean> =>
  await queues.add('status', jobsOf(id)).then(
    () => true,
    () => false,
  );
