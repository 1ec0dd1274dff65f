import { messageOf } from '../../engine/failure.ts';
import type { Log } from '../records/pool.ts';

const QUIET_MS = 10_000;
const REMEMBERED = 100;

/**
 * Logs errors that come again and again, as those of a lost connection do: each message at most once in 10 s, with
 * how often it came since.
 */
export function repeatingErrors(log: Log, now: () => number = Date.now): (fields: object, error: unknown) => void {
  const seen = new Map<string, { loggedAt: number; since: number }>();
  return (fields, error) => {
    const message = textOf(error);
    const last = seen.get(message);
    if (last !== undefined && now() - last.loggedAt < QUIET_MS) {
      last.since += 1;
      return;
    }
    if (seen.size >= REMEMBERED) seen.clear();
    seen.set(message, { loggedAt: now(), since: 0 });
    log.warn({ ...fields, error: message, repeated: last?.since ?? 0 }, 'the queue reports an error');
  };
}

/** An AggregateError of refused connections has no message of its own. */
function textOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return messageOf(first);
}
