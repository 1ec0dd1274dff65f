import { isTerminal, type NormalisedStatus } from './status.ts';
import type { Poll } from '../profile/carrier.ts';

/** Polls that came due together spread over a tenth of their interval, either way. */
const JITTER = 0.1;

/**
 * How long until a package is to be asked about again: by its status, else by `*`. undefined: never again, for its
 * status is terminal, it is older than `until`, or no interval is declared. `random` in [0, 1).
 */
export const nextPollInMs = (
  poll: Poll,
  { status, ageMs }: { readonly status: NormalisedStatus; readonly ageMs: number },
  random: number,
): number | undefined => {
  if (isTerminal(status) || ageMs >= poll.untilMs) return undefined;
  const everyMs = poll.everyMs.get(status) ?? poll.everyMs.get('*');
  return everyMs === undefined ? undefined : Math.round(everyMs * (1 - JITTER + 2 * JITTER * random));
};
