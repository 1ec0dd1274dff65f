import type { PoolClient } from 'pg';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import { matchEvent, type Name, namesOf } from '../../engine/statuses/match.ts';
import { findCandidates, lockNames } from './status-candidates.ts';
import { type Adoption, adoptMatches } from './status-events.ts';
import { settle, type SettleDeps } from './status-settle.ts';

export interface Rematching {
  readonly carrierCode: string;
  readonly consignmentId: number;
  /** That the consignment has just got. */
  readonly identifiers: readonly Name[];
}

interface Row {
  id: number;
  body: string;
  environment: string | null;
  account_id: number | null;
}

/**
 * Events that were kept because nothing had their number are tried again, now that the consignment has it. To be called
 * in the transaction that writes the identifiers, after them, with the consignment locked; yields how many are its.
 */
export const rematch = async (
  client: PoolClient,
  { carrierCode, consignmentId, identifiers }: Rematching,
  deps: SettleDeps,
): Promise<number> => {
  if (identifiers.length === 0) return 0;
  await lockNames(client, 'exclusive', carrierCode, identifiers);
  const { rows } = await client.query<Row>(
    `select e.id, e.body, p.environment, p.account_id
     from events e join pushes p on p.id = e.push_id
       join (select distinct kind, value from unnest($2::text[], $3::text[]) as name (kind, value)) name
         on e.sought_kind = name.kind and e.sought_value = name.value
     where e.carrier_code = $1 and e.match <> 'matched' order by e.id for update of e`,
    [carrierCode, identifiers.map(({ kind }) => kind), identifiers.map(({ value }) => value)],
  );
  const adoptions: Adoption[] = [];
  for (const group of Map.groupBy(rows, (row) => `${row.environment}:${row.account_id}`).values()) {
    adoptions.push(...(await adoptionsOf(client, carrierCode, consignmentId, group)));
  }
  const fresh = await adoptMatches(client, adoptions);
  await settle(client, { consignmentId, fresh }, deps);
  return fresh.length;
};

/** Of events that were proved alike. */
const adoptionsOf = async (
  client: PoolClient,
  carrierCode: string,
  consignmentId: number,
  rows: readonly Row[],
): Promise<Adoption[]> => {
  const events = rows.map(({ id, body }) => ({ id, names: namesOf(JSON.parse(body) as StatusUpdate) }));
  const names = events.flatMap(({ names: { value, others } }) => (value === undefined ? others : [value, ...others]));
  const scope = { environment: rows[0]?.environment ?? undefined, accountId: rows[0]?.account_id ?? undefined };
  const known = await findCandidates(client, carrierCode, scope, names);
  return events.flatMap(({ id, names }): Adoption[] => {
    const match = matchEvent(names, known);
    return match.kind === 'matched' && match.consignmentId === consignmentId ? [{ id, match }] : [];
  });
};
