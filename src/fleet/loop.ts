/** Looks for work again and again, until it is closed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../engine/failure.ts';
import type { FleetDeps } from './ports.ts';

interface Looping {
  readonly everyMs: number;
  /** Does what there is to do; true: there may be more. */
  readonly look: () => Promise<boolean | void>;
  readonly log: FleetDeps['log'];
  /** Logged of a look that failed. */
  readonly failure: string;
}

export const startLoop = ({ everyMs, look, log, failure }: Looping): { close(): Promise<void> } => {
  const closing = new AbortController();
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const isMore = await look().catch((error: unknown) => {
        if (!closing.signal.aborted) log.warn({ error: messageOf(error) }, failure);
        return false;
      });
      if (isMore !== true)
        await sleep(everyMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    close: async () => {
      closing.abort();
      await running;
    },
  };
};
