import { setTimeout as sleep } from 'node:timers/promises';
import type { DocumentFormat } from '../codecs/label-document.ts';
import type { Fetched } from './fetch.ts';

export interface LabelRecord {
  readonly id: string;
  readonly consignmentId: number;
  /** Index of its package; undefined: one document for all. */
  readonly position: number | undefined;
  readonly state: 'pending' | 'stored' | 'failed' | 'revoked';
  readonly format: DocumentFormat | undefined;
  readonly content: Buffer | undefined;
  /** Of the next try, milliseconds since 1970. */
  readonly dueAtMs: number | undefined;
  /** Why it is not there (yet). */
  readonly failure: string | undefined;
  /** Stable; missing where it was written before there were codes. */
  readonly failureCode: string | undefined;
}

export type ServedLabel =
  | {
      readonly kind: 'ready';
      readonly bytes: Buffer;
      readonly contentType: string;
      readonly format: DocumentFormat;
      readonly record: LabelRecord;
    }
  /** The carrier has not made it; `dueAtMs`: of the next try. */
  | { readonly kind: 'not_ready'; readonly dueAtMs: number | undefined; readonly record: LabelRecord }
  | { readonly kind: 'gone'; readonly why: 'failed' | 'revoked'; readonly record: LabelRecord }
  | { readonly kind: 'unknown' };

export interface Serving {
  readonly findLabel: (id: string) => Promise<LabelRecord | undefined>;
  /** `fetchOnDemand`. */
  readonly fetchNow: (id: string) => Promise<Fetched>;
  /** How long a request may wait for a label that is not there. Default: 10 s. */
  readonly waitMs?: number | undefined;
  /** Wraps the wait for the carrier, so that others may be served meanwhile. */
  readonly yieldWhile?: (<Result>(wait: () => Promise<Result>) => Promise<Result>) | undefined;
}

const WAIT_MS = 10_000;
const POLL_MS = 200;

export const LABEL_CONTENT_TYPES: Readonly<Record<DocumentFormat, string>> = {
  PDF: 'application/pdf',
  ZPL: 'application/zpl',
  EPL: 'application/epl',
  PNG: 'image/png',
  GIF: 'image/gif',
  JPEG: 'image/jpeg',
};

/** Serves labels by their id, fetching what is missing: once at a time, within a process and (by the claim) across them. */
export const createServeLabel = ({ findLabel, fetchNow, waitMs = WAIT_MS, yieldWhile = (wait) => wait() }: Serving) => {
  const underWay = new Map<string, Promise<Fetched>>();
  const fetchOnce = (id: string): Promise<Fetched> => {
    const fetched = underWay.get(id) ?? fetchNow(id).finally(() => underWay.delete(id));
    underWay.set(id, fetched);
    return fetched;
  };

  return async (id: string): Promise<ServedLabel> => {
    if (!/^[\w-]{1,64}$/.test(id)) return { kind: 'unknown' };
    const first = await findLabel(id);
    if (first?.state !== 'pending') return present(first);
    const deadline = new AbortController();
    const late = sleep(waitMs, 'late' as const, { signal: deadline.signal }).catch(() => 'late' as const);
    try {
      let fetched = await yieldWhile(async () => await Promise.race([fetchOnce(id), late]));
      // Another process is fetching it: wait for that.
      while (fetched === 'not_ours' || fetched === 'lease_lost') {
        const record = await findLabel(id);
        if (record?.state !== 'pending') return present(record);
        fetched = await yieldWhile(async () => await Promise.race([sleep(POLL_MS, 'not_ours' as const), late]));
      }
      return present(await findLabel(id));
    } finally {
      deadline.abort();
    }
  };
};

const present = (record: LabelRecord | undefined): ServedLabel => {
  switch (record?.state) {
    case undefined:
      return { kind: 'unknown' };
    case 'pending':
      return { kind: 'not_ready', dueAtMs: record.dueAtMs, record };
    case 'failed':
    case 'revoked':
      return { kind: 'gone', why: record.state, record };
    case 'stored': {
      const { content: bytes, format } = record;
      if (bytes === undefined || format === undefined) return { kind: 'gone', why: 'revoked', record };
      return { kind: 'ready', bytes, contentType: LABEL_CONTENT_TYPES[format], format, record };
    }
  }
};

/** The public link of a label. Knowing the id suffices to read it, so ids are unguessable. */
export const labelLink = (publicUrl: string, labelId: string): string =>
  `${publicUrl.replace(/\/+$/, '')}/v2/labels/${labelId}`;
