import { openQueues } from '../../../src/platform/queue/queues.ts';
import { quietLog } from '../../support/log.ts';

/** A worker that takes a job, says so, and never ends it; for a test to kill. Its argument: the options, as JSON. */
const options = JSON.parse(process.argv[2] ?? '') as Omit<Parameters<typeof openQueues>[0], 'log'>;
const queues = await openQueues({ ...options, log: quietLog });
queues.work('status', { concurrency: 1 }, (jobId) => {
  process.stdout.write(`${jobId}\n`);
  return new Promise(() => undefined);
});
