import { parentPort, workerData } from 'node:worker_threads';
import { solve } from './solve.ts';
import type { ThreadData, ThreadMessage } from './thread.ts';

const { problem, stop } = workerData as ThreadData;
// eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
const tell = (message: ThreadMessage): void => parentPort?.postMessage(message);

const plan = solve(problem, {
  nowMs: () => performance.now(),
  isStopped: () => Atomics.load(stop, 0) === 1,
  onProgress: (progress) => tell({ kind: 'progress', progress }),
});
tell({ kind: 'plan', plan });
