/** What the records are to know of requests that were cut short while they were away: they are told until they are back. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';

const TELL_AGAIN_MS = 250;
/** Told at once, and remembered at most: what is beyond ends by its age. */
const AT_ONCE = 500;
const KEPT_MAX = 20_000;
/** By then every try is taken over for its age. */
const WORTH_TELLING_MS = 180_000;

type Tell = () => Promise<unknown>;

const pendingNotes = new WeakMap<Pool, Map<Tell, number>>();

/** Resolves once it is told, or once that has failed: then it is tried again by itself. */
export const tellUntilHeard = async (pool: Pool, tell: Tell): Promise<void> => {
  const known = pendingNotes.get(pool);
  const pending = known ?? new Map<Tell, number>();
  if (pending.size < KEPT_MAX) pending.set(tell, performance.now() + WORTH_TELLING_MS);
  // Where others wait, the records are away.
  if (known !== undefined) return;
  pendingNotes.set(pool, pending);
  await tellFirst(pending);
  void keepTelling(pool, pending);
};

/** Tells what is still to be told; false: there was nothing. */
export const tellPending = async (pool: Pool): Promise<boolean> => {
  const pending = pendingNotes.get(pool);
  if (pending === undefined) return false;
  await tellFirst(pending);
  return true;
};

const keepTelling = async (pool: Pool, pending: Map<Tell, number>): Promise<void> => {
  while (pending.size > 0 && !pool.ending) {
    await sleep(TELL_AGAIN_MS, undefined, { ref: false });
    while ((await tellFirst(pending)) && pending.size > 0);
    const nowMs = performance.now();
    for (const [tell, untilMs] of pending) if (untilMs < nowMs) pending.delete(tell);
  }
  pendingNotes.delete(pool);
};

/** True: those were heard. */
const tellFirst = async (pending: Map<Tell, number>): Promise<boolean> => {
  const told = [...pending.keys()].slice(0, AT_ONCE).map(async (tell) => {
    await tell();
    pending.delete(tell);
  });
  return (await Promise.allSettled(told)).every(({ status }) => status === 'fulfilled');
};
