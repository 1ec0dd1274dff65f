/** A thread that tests the carriers it is told, one after another. */
import module from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

export interface ThreadData {
  readonly home: string;
  readonly packageRoot: string;
  readonly pack: boolean;
}

// As the command does for itself: threads have a cache of their own.
module.enableCompileCache?.();
const { directoryCaseFiles } = await import('../workbench/cases/read.ts');
const { testCarrier } = await import('../workbench/cases/test-carrier.ts');
const { directoryFiles } = await import('../engine/profile/home-files.ts');

const { home, packageRoot, pack } = workerData as ThreadData;
const testing = {
  pack,
  homes: { home: directoryFiles(home), shipped: directoryFiles(packageRoot) },
  files: directoryCaseFiles(home),
};

parentPort?.on('message', (code: string) => {
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  void testCarrier(code, testing).then((run) => parentPort?.postMessage(run));
});
