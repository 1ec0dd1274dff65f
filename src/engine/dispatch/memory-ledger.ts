import type { CallRecord, Exchange, Ledger, SequenceOptions } from './ports.ts';
import { nextInSequence } from './sequence.ts';

/** Takes the next value of a sequence, which is the account's and outlives the run. */
export type TakeFromSequence = (name: string, options: SequenceOptions) => Promise<string>;

/**
 * A ledger that lives as long as its run: for what is not fenced (reads, logins) and for cases. A run that is to be
 * gone on with is given the same ledger again. Without `take` sequences begin with the ledger.
 */
export const createMemoryLedger = (
  noteExchange: (exchange: Exchange) => Promise<void>,
  take?: TakeFromSequence,
): Ledger => {
  const calls: CallRecord[] = [];
  const draws = new Map<string, string>();
  const sequences = new Map<string, number>();
  const put = (record: CallRecord): void => {
    const at = calls.findIndex(({ step, element }) => step === record.step && element === record.element);
    if (at === -1) calls.push(record);
    else calls[at] = record;
  };
  const takeHere: TakeFromSequence = (name, options) => {
    const { value, next } = nextInSequence(sequences.get(name), options);
    sequences.set(name, next);
    return Promise.resolve(value);
  };
  return {
    calls,
    draws,
    fence: (key, attempt, firstSentAtMs) => {
      put({ ...key, attempt, state: 'sending', firstSentAtMs });
      return Promise.resolve();
    },
    commit: async (record, exchange) => {
      put(record);
      if (exchange !== undefined) await noteExchange(exchange);
    },
    drawSequence: async (key, name, options) => {
      const value = await (take ?? takeHere)(name, options);
      draws.set(key, value);
      return value;
    },
  };
};
