import type { AttemptLog, CallRecord, Exchange, SequenceOptions } from './ports.ts';

/** Takes the next value of a sequence, which is the account's and outlives the run. */
export type TakeFromSequence = (name: string, options: SequenceOptions) => Promise<string>;

/** One value of a sequence as text, and what comes after it: from `min` (1) to `max`, then from `min` again. */
export const nextInSequence = (
  current: number | undefined,
  { min = 1, max = Number.MAX_SAFE_INTEGER, pad = 0 }: SequenceOptions,
): { readonly value: string; readonly next: number } => {
  const taken = current === undefined || current < min || current > max ? min : current;
  return { value: String(taken).padStart(pad, '0'), next: taken >= max ? min : taken + 1 };
};

/** Sequences of one process, kept in `next` by name. */
export const takeFromMemory =
  (next = new Map<string, number>()): TakeFromSequence =>
  (name, options) => {
    const taken = nextInSequence(next.get(name), options);
    next.set(name, taken.next);
    return Promise.resolve(taken.value);
  };

/** Puts a record in the place of the one before of the same call. */
export const putRecord = (calls: CallRecord[], record: CallRecord): void => {
  const at = calls.findIndex(({ step, element }) => step === record.step && element === record.element);
  if (at === -1) calls.push(record);
  else calls[at] = record;
};

/**
 * An attempt log that lives as long as its run: for what is not fenced (reads, logins) and for cases. A run that is to
 * be gone on with is given the same log again.
 */
export const createMemoryLog = (
  noteExchange: (exchange: Exchange) => Promise<void>,
  take: TakeFromSequence = takeFromMemory(),
): AttemptLog => {
  const calls: CallRecord[] = [];
  const draws = new Map<string, string>();
  return {
    calls,
    draws,
    fence: (key, attempt, firstSentAtMs) => {
      putRecord(calls, { ...key, attempt, state: 'sending', firstSentAtMs });
      return Promise.resolve();
    },
    commit: async (record, exchange) => {
      putRecord(calls, record);
      if (exchange !== undefined) await noteExchange(exchange);
    },
    flush: () => Promise.resolve(),
    drawSequence: async (key, name, options) => {
      const value = await take(name, options);
      draws.set(key, value);
      return value;
    },
  };
};
