/** Has drafts evaluated by a process, one at a time, fairly between operators, in bounded time and memory. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createFairSemaphore } from '../engine/fair-semaphore.ts';
import type { Done, Job, Work } from './playground-worker.ts';

/** On a busy machine, the start of the process is part of the first evaluation. */
const LIMIT_MS = 20_000;
const WAIT_MS = 10_000;
/** How many jobs of one operator may wait. */
const LINE_MAX = 8;
const MEMORY_MB = 512;
/** How long an idle process is kept. */
const IDLE_MS = 600_000;

// The installed package holds built files.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? 'playground-worker.ts' : 'playground-worker.js',
  import.meta.url,
);

/** `busy`: too many jobs are waiting. */
export type Computed = Done | 'busy';

interface Options {
  readonly limitMs?: number;
  readonly waitMs?: number;
  readonly memoryMb?: number;
}

/** A process rather than a thread: ending a thread while it loads can end the server with it. */
export const createTurns = (
  home: string,
  packageRoot: string,
  { limitMs = LIMIT_MS, waitMs = WAIT_MS, memoryMb = MEMORY_MB }: Options = {},
) => {
  const turns = createFairSemaphore({ atOnce: 1, lineMax: LINE_MAX });
  let worker: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  const end = (): void => {
    clearTimeout(idle);
    worker?.kill('SIGKILL');
    worker = undefined;
  };
  const start = (): ChildProcess => {
    clearTimeout(idle);
    idle = setTimeout(end, IDLE_MS).unref();
    return (worker ??= fork(fileURLToPath(WORKER), [home, packageRoot], {
      // The garbage of a keystroke is collected while it is young; a major collection, which keeps the author waiting, is rare.
      execArgv: [
        `--max-old-space-size=${memoryMb}`,
        `--initial-old-space-size=${Math.floor(memoryMb / 2)}`,
        '--max-semi-space-size=64',
        '--expose-gc',
      ],
      env: { WAYBILL_MAPPING: process.env['WAYBILL_MAPPING'] },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    }));
  };
  const perform = async (job: Job): Promise<Done> => {
    const child = start();
    const { promise, resolve } = Promise.withResolvers<Done | string>();
    const timer = setTimeout(() => resolve('the evaluation takes too long'), limitMs);
    const failed = (): void => resolve('the evaluation failed, or takes too much memory');
    child.once('message', resolve).once('error', failed).once('exit', failed);
    child.send(job, (error) => error && failed());
    const done = await promise;
    clearTimeout(timer);
    child.off('message', resolve).off('error', failed).off('exit', failed);
    if (typeof done !== 'string') return done;
    if (child === worker) end();
    return { failure: { message: done } };
  };
  return {
    /** `party`: the operator. `isGone`: nobody waits for the result any more. */
    compute: async <Kind extends keyof Work>(
      party: string,
      job: Job<Kind>,
      isGone: () => boolean = () => false,
    ): Promise<Computed> => {
      const turn = await turns.enter(party, waitMs);
      if (typeof turn === 'string') return 'busy';
      try {
        return isGone() ? 'busy' : await perform(job);
      } finally {
        turn.leave();
      }
    },
    end,
  };
};
