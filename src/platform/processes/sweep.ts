import { messageOf } from '../../engine/failure.ts';
import { forgetEndedLogins } from '../records/carrier-tokens.ts';
import { forgetEndedTokens } from '../records/tokens.ts';
import type { Platform } from './platform.ts';

const EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** How long what has ended is kept for looking into. */
const TOKENS_KEPT_MS = 90 * DAY_MS;
const LOGINS_KEPT_MS = 7 * DAY_MS;

/** Once: forgets what ended long ago and nobody asks for again. */
export const sweep = async ({ records: { pool } }: Pick<Platform, 'records'>, nowMs: number): Promise<void> => {
  await forgetEndedTokens(pool, new Date(nowMs - TOKENS_KEPT_MS));
  await forgetEndedLogins(pool, new Date(nowMs - LOGINS_KEPT_MS));
};

/** Now and every hour; any number of processes may. */
export const startSweeper = (platform: Pick<Platform, 'records' | 'log' | 'nowMs'>): { close(): Promise<void> } => {
  let running = Promise.resolve();
  const begin = (): void => {
    running = sweep(platform, platform.nowMs()).catch((error: unknown) =>
      platform.log.warn({ error: messageOf(error) }, 'what has ended could not be forgotten'),
    );
  };
  begin();
  const timer = setInterval(begin, EVERY_MS);
  return {
    close: async () => {
      clearInterval(timer);
      await running;
    },
  };
};
