/**
 * What one unit of work makes of one consignment: computed from what was read, without the records, and written by
 * `write-changes.ts` only while the consignment is as it was read. Each step yields a change that the next may extend.
 */
import { randomBytes } from 'node:crypto';
import { labelBytes } from '../../engine/codecs/label-document.ts';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import type { CarrierFacts, Effects, LabelDraft } from '../../engine/dispatch/effects.ts';
import type { MoveTo } from '../../engine/dispatch/ports.ts';
import { labelLink } from '../../engine/labels/serve.ts';
import { buildNoticeBody, nameOf, type NoticeDraft } from '../../engine/webhooks/event.ts';
import type { EndedCall } from './attempt-log.ts';
import type { ConsignmentState, LabelEntry, PackageRecord } from './consignments.ts';
import type { NewExchange } from './exchanges.ts';
import type { Identifier } from './identifiers.ts';

export interface ChangeContext {
  /** Where the labels that notices name are served. */
  readonly publicUrl: string;
  readonly nowMs: () => number;
  /** What of a carrier decides what an acceptance brings. */
  readonly factsOf: (carrierCode: string) => CarrierFacts;
}

/** A package as it is to be, and when it is to be polled: from now on then, or then at the latest. */
export interface ChangedPackage extends PackageRecord {
  readonly poll?: { readonly atMs: number | undefined; readonly atLatest?: boolean };
}

/** A label as it is to be; one that is there is replaced in place, so that the link a shipper holds goes on to serve. */
interface LabelState {
  readonly id: string;
  readonly position: number | undefined;
  readonly state: 'stored' | 'pending' | 'failed';
  readonly format?: string | undefined;
  readonly content?: Buffer | undefined;
  readonly sourceUrl?: string | undefined;
  readonly failure?: string | undefined;
  readonly failureCode?: string | undefined;
  /** When it came to be so: pending ones are due then. */
  readonly atMs: number;
}

interface NoticeRow {
  readonly id: string;
  readonly sequence: number;
  readonly event: string;
  /** JSON. */
  readonly body: string;
}

/** How an attempt at a dispatch ended. Without its lease nothing of the change is written. */
export interface DispatchEnding {
  readonly dispatchId: number;
  /** Undefined: nobody works on it, it is held. */
  readonly lease: string | undefined;
  readonly state: 'waiting' | 'done' | 'rejected' | 'held' | 'cancelled';
  readonly endedAtMs: number;
  readonly dueAtMs?: number | undefined;
  readonly awaySinceMs?: number | undefined;
  readonly failure?: Effects['dispatch']['failure'];
  readonly result?: unknown;
  /** Those whose end is not recorded yet. */
  readonly calls: readonly EndedCall[];
  readonly exchanges: readonly NewExchange[];
}

export interface ConsignmentChange {
  readonly before: ConsignmentState;
  readonly after: ConsignmentState & { readonly packages: readonly ChangedPackage[] };
  /** The consignment and its order become what an update's dispatch carried. */
  readonly adopted?: { readonly consignment: Consignment; readonly orderText: string | undefined };
  /** With it: the carrier that is to create it, by a dispatch that is added. */
  readonly moveTo?: MoveTo;
  /** Something that its shipper can see is another: not only its version. */
  readonly isVisible: boolean;
  /** The shipment is gone at the carrier: the numbers of before name nothing any more. */
  readonly forgetsNumbers: boolean;
  readonly identifiers: readonly Identifier[];
  readonly labels: ReadonlyMap<string, LabelState>;
  readonly notices: readonly NoticeRow[];
  readonly ending?: DispatchEnding | undefined;
  /** The `traceparent` of what it came of. */
  readonly trace?: string | undefined;
}

export const beginChange = (before: ConsignmentState, ending?: DispatchEnding): ConsignmentChange => ({
  before,
  after: before,
  isVisible: false,
  forgetsNumbers: false,
  identifiers: [],
  labels: new Map(),
  notices: [],
  ending,
});

const NOTICE_ID_BYTES = 12;

/** With notices whose bodies say what the change has come to so far. */
export const withNotices = (
  change: ConsignmentChange,
  drafts: readonly NoticeDraft[],
  { publicUrl, nowMs }: ChangeContext,
): ConsignmentChange => {
  if (drafts.length === 0) return change;
  const { after } = change;
  const labels = after.labels
    .filter(({ state }) => state === 'pending' || state === 'stored')
    .map(({ id, position, format }) => ({ position, url: labelLink(publicUrl, id), format }));
  const said = { ...after, labels };
  const atMs = nowMs();
  const eventCounts = { ...after.eventCounts };
  const random = randomBytes(NOTICE_ID_BYTES * drafts.length);
  const notices = drafts.map((draft, at): NoticeRow => {
    const own = random.toString('base64url', at * NOTICE_ID_BYTES, (at + 1) * NOTICE_ID_BYTES);
    // The second first: in a long history, what is written together stands together in the indexes.
    const id = `evt_${Math.floor(atMs / 1_000).toString(16)}${own}`;
    const sequence = after.noticeSequence + at + 1;
    const name = nameOf(draft, said);
    const times = (eventCounts[name] ?? 0) + 1;
    eventCounts[name] = times;
    const body = buildNoticeBody({ eventId: id, sequence, times, atMs }, draft, said);
    return { id, sequence, event: body.event, body: JSON.stringify(body) };
  });
  const noticeSequence = after.noticeSequence + drafts.length;
  return { ...change, after: { ...after, noticeSequence, eventCounts }, notices: [...change.notices, ...notices] };
};

/** 32 characters. */
const LABEL_ID_BYTES = 24;

/** A label as the carrier gave it: stored when its bytes are those of a label, to be fetched when it is a URL or missing. */
const readLabel = ({ label }: LabelDraft): Omit<LabelState, 'id' | 'position' | 'atMs'> => {
  if (label === undefined) return { state: 'pending' };
  if (label.url !== undefined) return { state: 'pending', format: label.format, sourceUrl: label.url };
  const read = labelBytes(label.content);
  return read.ok
    ? { state: 'stored', format: read.format, content: read.bytes }
    : { state: 'failed', failure: read.reason.message, failureCode: read.reason.code };
};

/** With labels that the carrier gave or has to be asked for; those of a package that has one replace it. */
export const withLabels = (
  change: ConsignmentChange,
  drafts: readonly LabelDraft[],
  { nowMs }: ChangeContext,
): ConsignmentChange => {
  let entries = change.after.labels;
  const labels = new Map(change.labels);
  for (const draft of drafts) {
    const { position } = draft;
    const known = entries.find((entry) => entry.position === position && entry.state !== 'revoked');
    const id = known?.id ?? randomBytes(LABEL_ID_BYTES).toString('base64url');
    const label: LabelState = { id, position, ...readLabel(draft), atMs: nowMs() };
    const { state, format, failure, failureCode } = label;
    const entry = { id, position, state, format, failure, failureCode };
    labels.set(id, label);
    entries = known === undefined ? [...entries, entry] : entries.map((one) => (one === known ? entry : one));
  }
  return { ...change, labels, after: { ...change.after, labels: entries.toSorted(byPosition) } };
};

const byPosition = (a: LabelEntry, b: LabelEntry): number => (a.position ?? Infinity) - (b.position ?? Infinity) || 0;

/** With all labels revoked but those that `kept` replaces. */
export const withoutLabels = (change: ConsignmentChange, kept: readonly LabelDraft[] = []): ConsignmentChange => {
  const labels = change.after.labels.map((entry) =>
    kept.some(({ position }) => position === entry.position) ? entry : { ...entry, state: 'revoked' as const },
  );
  return { ...change, after: { ...change.after, labels } };
};
