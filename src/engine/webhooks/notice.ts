import type { StatusUpdate } from '../statuses/status-update.ts';
import type { NormalisedStatus } from '../statuses/status.ts';

export const NOTICE_EVENTS = [
  'consignment.status',
  'consignment.tracking',
  'consignment.label',
  'consignment.rejected',
  'consignment.held',
] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** What shippers are to be told of by webhook. The store adds what the consignment says and gives it a number. */
export interface NoticeDraft {
  readonly event: NoticeEvent;
  /** Index of the package it is about; undefined: the consignment as a whole. */
  readonly position?: number | undefined;
  /** The package's status before, where this notice is of a change. */
  readonly previousStatus?: NormalisedStatus | undefined;
  /** Of the event itself, where that is not the package's current one: a late event tells of its own status. */
  readonly status?: NormalisedStatus | undefined;
  /** A `Reason`, or a sentence. */
  readonly reason?: string | undefined;
  /** The carrier's own words, times, places and proofs. */
  readonly update?: StatusUpdate | undefined;
  /** Milliseconds since 1970. */
  readonly occurredAtMs?: number | undefined;
  readonly eventTimezone?: string | undefined;
  readonly info?: Readonly<Record<string, unknown>> | undefined;
}
