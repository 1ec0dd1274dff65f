/** Tests carriers side by side, as many at a time as there are cores; answers come in the order of the codes. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { CarrierRun } from '../workbench/cases/test-carrier.ts';
import type { ThreadData } from './test-thread.ts';

/** A thread loads the engine anew: for fewer carriers than these it is not worth its while. */
const CARRIERS_PER_THREAD = 3;

export const threadsFor = (carriers: number): number =>
  Math.min(availableParallelism(), Math.floor(carriers / CARRIERS_PER_THREAD));

// Installed, the package holds what was built.
const THREAD = new URL(import.meta.url.endsWith('.ts') ? 'test-thread.ts' : 'test-thread.js', import.meta.url);

/** `done` is told of each carrier as soon as it and all before it have run. */
export const testOnThreads = async (
  codes: readonly string[],
  data: ThreadData,
  done: (run: CarrierRun) => void,
): Promise<void> => {
  const waiting = codes.entries();
  const ran = new Map<number, CarrierRun>();
  let told = 0;
  const tellInOrder = (): void => {
    for (let run = ran.get(told); run !== undefined; run = ran.get(told)) {
      done(run);
      told += 1;
    }
  };
  const work = async (): Promise<void> => {
    const thread = new Worker(THREAD, { workerData: data });
    try {
      for (const [at, code] of waiting) {
        ran.set(at, await testOn(thread, code));
        tellInOrder();
      }
    } finally {
      await thread.terminate();
    }
  };
  await Promise.all(Array.from({ length: threadsFor(codes.length) }, work));
};

const testOn = async (thread: Worker, code: string): Promise<CarrierRun> => {
  const { promise, resolve, reject } = Promise.withResolvers<CarrierRun>();
  thread.once('message', resolve);
  thread.once('error', reject);
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  thread.postMessage(code);
  try {
    return await promise;
  } finally {
    thread.off('message', resolve).off('error', reject);
  }
};
