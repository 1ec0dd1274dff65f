/** What of the carriers' words needs a person: unknown statuses, events of no consignment, pushes nobody can read. */
import type { Pool } from 'pg';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import type { PushSource } from './status-push.ts';

interface Page {
  readonly carrierCode?: string | undefined;
  readonly limit: number;
}

export interface UnmappedStatus {
  readonly carrierCode: string;
  readonly code: string;
  readonly subCode: string;
  readonly description: string;
  readonly count: number;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  /** The latest event that said it. */
  readonly sample: StatusUpdate;
}

/** What no row of a status table knows, the most frequent first. */
export const listUnmapped = async (pool: Pool, { carrierCode, limit }: Page): Promise<UnmappedStatus[]> => {
  const { rows } = await pool.query<{
    carrier_code: string;
    code: string;
    sub_code: string;
    description: string;
    count: number;
    first_seen: Date;
    last_seen: Date;
    body: string;
  }>(
    `select said.*, e.body from (
       select carrier_code, carrier_status as code, carrier_sub_status as sub_code, carrier_description as description,
         count(*) as count, min(received_at) as first_seen, max(received_at) as last_seen, max(id) as latest
       from events where status = 'Unmapped' and ($1::text is null or carrier_code = $1)
       group by 1, 2, 3, 4 order by count desc, latest desc limit $2) said
     join events e on e.id = said.latest order by said.count desc, said.latest desc`,
    [carrierCode ?? null, limit],
  );
  return rows.map((row) => ({
    carrierCode: row.carrier_code,
    code: row.code,
    subCode: row.sub_code,
    description: row.description,
    count: row.count,
    firstSeen: row.first_seen,
    lastSeen: row.last_seen,
    sample: JSON.parse(row.body) as StatusUpdate,
  }));
};

export interface UnmatchedEvent {
  readonly id: number;
  readonly pushId: number;
  readonly carrierCode: string;
  readonly match: 'unmatched' | 'ambiguous';
  /** Of an ambiguous one: the consignment is known, its package is not. */
  readonly consignmentId: number | undefined;
  readonly status: string;
  readonly occurredAt: Date;
  readonly receivedAt: Date;
  readonly warnings: readonly string[];
  readonly update: StatusUpdate;
}

/** Events that fit no consignment or several, the latest first; `beforeId` goes on where a page ended. */
export const listUnmatched = async (
  pool: Pool,
  { carrierCode, limit, beforeId }: Page & { readonly beforeId?: number | undefined },
): Promise<UnmatchedEvent[]> => {
  const { rows } = await pool.query<{
    id: number;
    push_id: number;
    carrier_code: string;
    match: 'unmatched' | 'ambiguous';
    consignment_id: number | null;
    status: string;
    occurred_at: Date;
    received_at: Date;
    warnings: string;
    body: string;
  }>(
    `select id, push_id, carrier_code, match, consignment_id, status, occurred_at, received_at, warnings, body
     from events where match <> 'matched' and ($1::text is null or carrier_code = $1) and ($3::bigint is null or id < $3)
     order by id desc limit $2`,
    [carrierCode ?? null, limit, beforeId ?? null],
  );
  return rows.map((row) => ({
    id: row.id,
    pushId: row.push_id,
    carrierCode: row.carrier_code,
    match: row.match,
    consignmentId: row.consignment_id ?? undefined,
    status: row.status,
    occurredAt: row.occurred_at,
    receivedAt: row.received_at,
    warnings: JSON.parse(row.warnings) as string[],
    update: JSON.parse(row.body) as StatusUpdate,
  }));
};

export interface FailedPush {
  readonly id: number;
  readonly carrierCode: string;
  readonly source: PushSource;
  readonly receivedAt: Date;
  readonly failure: string;
}

/** Pushes of which not all could be read, the oldest first; `processPush` tries one again. */
export const listFailedPushes = async (
  pool: Pool,
  { carrierCode, limit, afterId }: Page & { readonly afterId?: number | undefined },
): Promise<FailedPush[]> => {
  const { rows } = await pool.query<{
    id: number;
    carrier_code: string;
    source: PushSource;
    received_at: Date;
    failure: string | null;
  }>(
    `select id, carrier_code, source, received_at, failure from pushes
     where state = 'failed' and ($1::text is null or carrier_code = $1) and id > $3 order by id limit $2`,
    [carrierCode ?? null, limit, afterId ?? 0],
  );
  return rows.map((row) => ({
    id: row.id,
    carrierCode: row.carrier_code,
    source: row.source,
    receivedAt: row.received_at,
    failure: row.failure ?? '',
  }));
};
