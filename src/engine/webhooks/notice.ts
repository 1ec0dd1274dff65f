/** Which notice tells a shipper of what came to be. */
import { NO_CHANGE, type TableStatus } from '../statuses/status.ts';
import type { StatusUpdate } from '../statuses/status-update.ts';
import type { NoticeDraft } from './event.ts';

/** These packages have their tracking numbers now. */
export const trackingNotice = (packages: readonly { readonly position: number }[]): NoticeDraft => ({
  event: 'consignment.tracking',
  positions: packages.map(({ position }) => position),
});

/** Of a label that came to be so; undefined: there is nothing to tell yet. */
export const labelNotice = (label: {
  readonly position: number | undefined;
  readonly state: string;
  readonly failure?: string | undefined;
  readonly failureCode?: string | undefined;
}): NoticeDraft | undefined => {
  const { position, state, failure: reason, failureCode: code } = label;
  if (state === 'stored') return { event: 'consignment.label', state, position };
  return state === 'failed' ? { event: 'consignment.label', state, position, reason, info: { code } } : undefined;
};

/** A carrier's event as it was applied to a package. */
export interface StatusNotification extends Omit<NoticeDraft, 'event' | 'status' | 'info' | 'state'> {
  readonly status: TableStatus;
  readonly update: StatusUpdate;
}

/**
 * The notice of one carrier's event to the shipper. Every event gets one, also a late one and one that is `Unmapped`,
 * with its own status; one of `No Change` only where it says something that no event of the package said before.
 */
export const noticeOf = (
  event: StatusNotification,
  earlier: () => readonly StatusUpdate[],
): NoticeDraft | undefined => {
  if (event.status === NO_CHANGE && !bringsNews(event.update, earlier())) return undefined;
  const { label: _, ...update } = event.update;
  // Without a status of its own, the notice says the package's.
  const status = event.status === NO_CHANGE ? undefined : event.status;
  const { position, previousStatus, reason, occurredAtMs, eventTimezone } = event;
  const own = { position, previousStatus, status, reason, occurredAtMs, eventTimezone };
  return { event: 'consignment.status', ...own, update, info: update.info };
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
