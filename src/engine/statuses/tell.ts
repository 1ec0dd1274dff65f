import type { NoticeDraft } from '../webhooks/notice.ts';
import type { StatusUpdate } from './status-update.ts';
import { NO_CHANGE, type NormalisedStatus, type TableStatus } from './status.ts';

export interface Told {
  /** Index of the package. */
  readonly position: number;
  readonly status: TableStatus;
  readonly reason: string | undefined;
  readonly occurredAtMs: number;
  readonly eventTimezone: string | undefined;
  readonly update: StatusUpdate;
  /** What the package was before, where the event changed it. */
  readonly previousStatus: NormalisedStatus | undefined;
}

/**
 * The notice of one event to the shipper. Every event is told, also a late one and one that is `Unmapped`, with its own
 * status; one of `No Change` only where it says something that no event of the package said before.
 */
export const noticeOf = (event: Told, earlier: () => readonly StatusUpdate[]): NoticeDraft | undefined => {
  if (event.status === NO_CHANGE && !bringsNews(event.update, earlier())) return undefined;
  const { label: _, ...update } = event.update;
  return {
    event: 'consignment.status',
    position: event.position,
    previousStatus: event.previousStatus,
    // Without a status of its own, the notice says the package's.
    status: event.status === NO_CHANGE ? undefined : event.status,
    reason: event.reason,
    update,
    occurredAtMs: event.occurredAtMs,
    eventTimezone: event.eventTimezone,
    info: update.info,
  };
};

/** What a shipper can use: dates, comments, proofs, work done, who comes with which vehicle. */
const bringsNews = (update: StatusUpdate, earlier: readonly StatusUpdate[]): boolean => {
  const known = new Set(earlier.flatMap(factsOf));
  return factsOf(update).some((fact) => !known.has(fact));
};

const factsOf = ({ extraInfo, installationItems = [], driverName, vehicleNumber }: StatusUpdate): string[] => {
  const { pod = [], ...said } = extraInfo ?? {};
  const single = Object.entries({ ...said, driverName, vehicleNumber }).filter(([, value]) => (value ?? '') !== '');
  const many = [...pod.map((proof) => ['pod', proof]), ...installationItems.map((item) => ['item', item])];
  return [...single, ...many].map((fact) => JSON.stringify(fact));
};
