import { setTimeout as sleep } from 'node:timers/promises';
import type { Platform } from './platform.ts';

/** The most memory that the server has had since, and how much that is above what it had: told when what it yields is called. */
export const watchMemory = async (platform: Platform) => {
  const beforeBytes = await platform.residentBytes();
  let peakBytes = beforeBytes;
  const stop = new AbortController();
  const watching = (async () => {
    while (!stop.signal.aborted) {
      peakBytes = Math.max(peakBytes, await platform.residentBytes());
      await sleep(20);
    }
  })();
  return async () => {
    stop.abort();
    await watching;
    return { peakBytes, growthBytes: peakBytes - beforeBytes };
  };
};
