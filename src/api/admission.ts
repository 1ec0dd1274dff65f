import type { ApiDeps } from './deps.ts';
import { Refused, unavailable } from './http-answer.ts';

/** Each request takes several turns in this line: with more in it, whoever comes now would be answered in half a minute. */
const WAITING_MAX = 500;
const RETRY_AFTER_S = 2;

/** A hook that sends a request away at once, with a 503, while too much waits for the database. */
export const admit =
  ({ pool, nowMs }: Pick<ApiDeps, 'pool' | 'nowMs'>) =>
  async (): Promise<void> => {
    if (pool.waitingCount <= WAITING_MAX) return;
    throw new Refused(unavailable(nowMs(), 'There is more to do than can be done now; try again', RETRY_AFTER_S));
  };
