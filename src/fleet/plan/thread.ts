/** The embedded planner, in a thread of its own, so that nobody waits for it. */
import { Worker } from 'node:worker_threads';
import type { Plan, Planner, Problem, Progress } from './problem.ts';
import { checkProblem } from './validate.ts';

export interface ThreadData {
  readonly problem: Problem;
  /** Its first element becomes 1 when the search is to end. */
  readonly stop: Int32Array;
}

export type ThreadMessage =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'plan'; readonly plan: Plan };

// Installed, the package holds what was built.
const THREAD = new URL(import.meta.url.endsWith('.ts') ? 'solve-thread.ts' : 'solve-thread.js', import.meta.url);

export const planInThread: Planner = async (problem, { signal, onProgress } = {}) => {
  checkProblem(problem);
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const end = (): void => void Atomics.store(stop, 0, 1);
  if (signal?.aborted === true) end();
  signal?.addEventListener('abort', end, { once: true });
  const thread = new Worker(THREAD, { workerData: { problem, stop } satisfies ThreadData });
  const { promise, resolve, reject } = Promise.withResolvers<Plan>();
  thread
    .on('message', (message: ThreadMessage) =>
      message.kind === 'plan' ? resolve(message.plan) : onProgress?.(message.progress),
    )
    .once('error', reject)
    .once('exit', () => reject(new Error('The planner’s thread ended without a plan')));
  try {
    return await promise;
  } finally {
    signal?.removeEventListener('abort', end);
    await thread.terminate();
  }
};
