/** The names by which carriers speak of consignments: who has one, and keeping two who meet over one apart. */
import { createHash } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { Candidate, Known, Name } from '../../engine/statuses/match.ts';
import type { EventOrigin } from '../../engine/statuses/deduplication-key.ts';
import { queryAll, rowsOf, type Sql } from './sql.ts';

export interface Identifier {
  readonly kind: string;
  readonly value: string;
  readonly position?: number | undefined;
}

const NAME = {
  kind: ['text', ({ kind }: Name) => kind],
  value: ['text', ({ value }: Name) => value],
} as const;

/** As the table `name (kind, value)`. */
export const namesAsRows = (names: readonly Name[]): Sql => rowsOf('name', names, NAME);

/** Consignments of one name at most: an order number that thousands share says nothing. */
const CANDIDATES_MAX = 50;

interface Found extends Omit<Candidate, 'position'> {
  readonly kind: string;
  readonly value: string;
  readonly gone: boolean;
  readonly positions: readonly (number | null)[];
}

const keyOf = ({ kind, value }: Name): string => `${kind}\n${value}`;

/**
 * The consignments that names stand for: this carrier's, of the environment and account where these are given, none
 * whose create was rejected. A tracking number that its package no longer has names nothing, nor does what is gone.
 */
export const findCandidates = async (
  client: PoolClient,
  carrierCode: string,
  scope: EventOrigin,
  names: readonly Name[],
): Promise<(name: Name) => Known | undefined> => {
  const distinct = [...new Map(names.map((name) => [keyOf(name), name])).values()];
  if (distinct.length === 0) return () => undefined;
  const rows = await queryAll<Found>(client)`
    select name.kind, name.value, found.*
    from ${namesAsRows(distinct)}
    cross join lateral (
      select c.id as consignment_id, i.gone, array_agg(i.position) as positions,
        (select count(*) from packages p where p.consignment_id = c.id) as package_count,
        exists (select 1 from packages p where p.consignment_id = c.id and p.tracking_number is null) as awaits_numbers
      from identifiers i join consignments c on c.id = i.consignment_id
      where i.carrier_code = ${carrierCode} and i.kind = name.kind and i.value = name.value
        and c.carrier_code = ${carrierCode} and c.released_at is null
        and (${scope.environment}::text is null or c.environment = ${scope.environment})
          and (${scope.accountId}::bigint is null or c.account_id = ${scope.accountId})
        and (i.gone or i.position is null or exists (
          select 1 from packages p where p.consignment_id = c.id and p.position = i.position
            and (i.kind <> 'Tracking' or p.tracking_number is null or p.tracking_number = i.value)))
      group by c.id, i.gone order by i.gone, c.id desc limit ${CANDIDATES_MAX + 1}) found`;
  const known = Map.groupBy(rows, keyOf);
  return (name) => {
    const found = known.get(keyOf(name));
    return found === undefined ? undefined : knownOf(found);
  };
};

const knownOf = (rows: readonly Found[]): Known => {
  const live = rows.filter(({ gone }) => !gone);
  return {
    tooMany: live.length > CANDIDATES_MAX,
    candidates: live.flatMap(({ positions, consignmentId, packageCount, awaitsNumbers }) =>
      positions.map((position) => ({ consignmentId, packageCount, awaitsNumbers, position: position ?? undefined })),
    ),
    goneFrom: rows.filter(({ gone }) => gone).map(({ consignmentId }) => consignmentId),
  };
};

// Any number that nothing else locks by.
const LOCKS = 0x5742;
const LOCKS_PER_CARRIER = 64;

/**
 * Keeps those who store an event under a name that nobody has (`shared`) apart from those who give a consignment that
 * name (`exclusive`), until the end of the transaction: one of the two sees the other's work. Few locks a carrier, so
 * that no push can exhaust them.
 */
export const lockNames = async (
  client: PoolClient,
  mode: 'shared' | 'exclusive',
  carrierCode: string,
  names: readonly Name[],
): Promise<void> => await takeLocks(client, mode, lockKeysOf(carrierCode, names));

export const lockKeysOf = (carrierCode: string, names: readonly Name[]): readonly number[] => {
  const carrier = createHash('sha256').update(carrierCode).digest().readUIntBE(0, 3) * LOCKS_PER_CARRIER;
  return names.map(
    (name) => carrier + ((createHash('sha256').update(keyOf(name)).digest()[0] ?? 0) % LOCKS_PER_CARRIER),
  );
};

/** One after another, in the order in which everybody takes them. */
export const takeLocks = async (
  client: PoolClient,
  mode: 'shared' | 'exclusive',
  given: readonly number[],
): Promise<void> => {
  if (given.length === 0) return;
  const keys = [...new Set(given)].sort((a, b) => a - b);
  const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await client.query(`select count(${lock}($1, key)) from unnest($2::int[]) as key`, [LOCKS, keys]);
};
