/** Alerts operators of pushes that cannot be read, matched or normalised. */
import type { Alert } from './alert.ts';
import type { Log } from './pool.ts';
import { lookAgainInMs } from './pushes.ts';
import type { Processed, Reading } from './write-pushes.ts';

export interface PushAlertDeps {
  readonly log: Log;
  readonly alert?: Alert | undefined;
  readonly nowMs: () => number;
}

/** A status that is not known is told of once an hour: a carrier may say nothing else. */
const AGAIN_MS = 3_600_000;
const STATUSES_MAX = 1_000;

export const createPushAlerts = ({ log, alert, nowMs }: PushAlertDeps) => {
  const toldAt = new Map<string, number>();
  const isNews = (...what: readonly string[]): boolean => {
    const key = JSON.stringify(what);
    const news = nowMs() - (toldAt.get(key) ?? Number.NEGATIVE_INFINITY) >= AGAIN_MS;
    if (toldAt.size >= STATUSES_MAX) toldAt.clear();
    if (news) toldAt.set(key, nowMs());
    return news;
  };
  return {
    /** It was processed for the first time. What fits nothing may yet do so when its consignment gets its numbers. */
    came: ({ push: { carrierCode: carrier }, events }: Reading, done: Processed): void => {
      if (done.kind !== 'processed') return;
      const { pushId: push, unmatched, ambiguous, failure } = done;
      if (failure !== undefined) alert?.('push_failed', { push, carrier, failure });
      if (unmatched > 0) log.info({ push, carrier, unmatched, ambiguous }, 'events of a push fit no consignment yet');
      for (const { status, carrierStatus } of events) {
        const { code, subCode, description } = carrierStatus;
        if (status === 'Unmapped' && isNews(carrier, code, subCode, description))
          alert?.('push_unmapped', { push, carrier, code, subCode, description });
      }
    },
    /** It was looked at again; nobody will by himself, where it has waited for so long. */
    stayed: ({ push: { carrierCode: carrier }, openForMs }: Reading, done: Processed): void => {
      if (done.kind !== 'processed' || lookAgainInMs(openForMs) !== undefined) return;
      const { pushId: push, unmatched, ambiguous } = done;
      if (ambiguous > 0) alert?.('push_ambiguous', { push, carrier, events: ambiguous });
      if (unmatched > ambiguous) alert?.('push_unmatched', { push, carrier, events: unmatched - ambiguous });
    },
  };
};
