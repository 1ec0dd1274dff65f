/** The identifiers by which carriers refer to consignments. */
import type { Candidate, Known, Name } from '../../engine/statuses/match.ts';
import type { EventOrigin } from '../../engine/statuses/normalise.ts';
import type { TableStatus } from '../../engine/statuses/status.ts';
import { queryPrepared, type Queryable, rowsOf, sql, type Sql } from './sql.ts';

export interface Identifier {
  readonly kind: string;
  readonly value: string;
  readonly position?: number | undefined;
}

/** Kinds of identifiers. */
export const GIVEN_BY_CARRIER = sql`not in ('Reference', 'Order', 'Consignment')`;

/** Consignments of one name at most: an order number that thousands share says nothing. */
const CANDIDATES_MAX = 50;

interface Found extends Omit<Candidate, 'position'> {
  readonly ask: number;
  readonly kind: string;
  readonly value: string;
  readonly gone: boolean;
  /** No tracking number that its package had before another one. */
  readonly isCurrent: boolean;
  readonly positions: readonly (number | null)[];
}

/** What a push asks of the records: who has these names, and which events of these keys are recorded. */
export interface Ask extends EventOrigin {
  readonly carrierCode: string;
  readonly names: readonly Name[];
  /** Hex. */
  readonly keys: readonly string[];
}

/** An event that is recorded already. */
interface Recorded {
  readonly carrierCode: string;
  readonly key: string;
  readonly id: number;
  readonly isMatched: boolean;
  readonly status: TableStatus;
  readonly reason: string | null;
  readonly occurredAtMs: number;
}

interface Answer {
  readonly known: (name: Name) => Known | undefined;
  readonly recorded: (key: string) => Recorded | undefined;
}

/**
 * The ids of consignments of any carrier that have, or had, this name of one of the kinds: one of a few carriers after
 * the other, as the index begins with them.
 */
export const idsNamed = (value: string, ...kinds: readonly string[]): Sql => sql`
  with recursive carrier (code) as (
    select min(carrier_code) from identifiers
    union all
    select (select min(carrier_code) from identifiers where carrier_code > code) from carrier where code is not null)
  select i.consignment_id from carrier join identifiers i on i.carrier_code = code
  where i.kind = any (${kinds}::text[]) and i.value = ${value}`;

const keyOf = ({ kind, value }: Name): string => `${kind}\n${value}`;

/**
 * The consignments that names stand for: the carrier's, of the environment and account where these are given, none
 * whose create was rejected. A tracking number that its package had before names it still, unless it is another's now;
 * what is gone names nothing. One that is cancelled and released has what its carrier gave it, unless another order has
 * its reference now: from that, it is gone. One statement for all that ask.
 */
export const lookUp = async (client: Queryable, asks: readonly Ask[]): Promise<readonly Answer[]> => {
  const names = asks.flatMap((one, ask) =>
    [...new Map(one.names.map((name) => [keyOf(name), name])).values()].map((name) => ({ ...one, ...name, ask })),
  );
  const keys = asks.flatMap(({ carrierCode, keys }) => keys.map((key) => ({ carrierCode, key })));
  const asked = rowsOf(
    'name',
    names,
    'ask int, carrier_code text, environment text, account_id bigint, kind text, value text',
  );
  const identities = rowsOf('sought', keys, 'carrier_code text, key text');
  const rows = await queryPrepared<Found & { recorded: readonly Recorded[] | undefined }>(client)`
    select name.ask, name.kind, name.value, found.*, case when row_number() over () = 1 then (
        select json_agg(json_build_object('carrierCode', e.carrier_code, 'key', key, 'id', e.id,
          'isMatched', match = 'matched', 'status', e.status, 'reason', reason,
          'occurredAtMs', floor(extract(epoch from occurred_at) * 1000)))
        from ${identities} join events e on e.carrier_code = sought.carrier_code and e.identity = decode(key, 'hex'))
      end as recorded
    from (select) as one left join (${asked} cross join lateral (
      select coalesce(next.id, c.id) as consignment_id, c.consignment_type as direction, i.gone or next.id is not null as gone,
        array_agg(i.position) as positions, c.released_at is null
          and (i.kind <> 'Tracking' or p.tracking_number is null or p.tracking_number = i.value) as is_current,
        (select count(*) from packages p where p.consignment_id = c.id) as package_count,
        exists (select 1 from packages p where p.consignment_id = c.id and p.tracking_number is null) as awaits_numbers
      from identifiers i join consignments c on c.id = i.consignment_id
        left join packages p on p.consignment_id = c.id and p.position = i.position
        left join lateral (
          select n.id from consignments n where c.released_at is not null and n.shipper_id = c.shipper_id
            and n.environment = c.environment and n.reference_number = c.reference_number and n.id > c.id
          order by n.id desc limit 1) next on true
      where i.carrier_code = name.carrier_code and i.kind = name.kind and i.value = name.value
        and c.carrier_code = name.carrier_code
        and (c.released_at is null or c.acceptance = 'cancelled' and i.kind ${GIVEN_BY_CARRIER})
        and (name.environment is null or c.environment = name.environment)
        and (name.account_id is null or c.account_id = name.account_id)
        and (i.gone or i.position is null or p.position is not null)
      group by c.id, next.id, i.gone, is_current order by gone, is_current desc, c.id desc limit ${CANDIDATES_MAX + 1}) found) on true`;
  const recorded = new Map(
    rows.find((row) => row.recorded !== undefined)?.recorded?.map((one) => [`${one.carrierCode}\n${one.key}`, one]),
  );
  const found = Map.groupBy(rows, ({ ask, kind, value }) => `${ask}\n${kind}\n${value}`);
  return asks.map(({ carrierCode }, ask) => ({
    known: (name) => {
      const own = found.get(`${ask}\n${keyOf(name)}`);
      return own && knownOf(own);
    },
    recorded: (key) => recorded.get(`${carrierCode}\n${key}`),
  }));
};

const knownOf = (rows: readonly Found[]): Known => {
  const ever = rows.filter(({ gone }) => !gone);
  const now = ever.filter(({ isCurrent }) => isCurrent);
  const live = now.length > 0 ? now : ever;
  return {
    tooMany: live.length > CANDIDATES_MAX,
    candidates: live.flatMap(({ positions, consignmentId, packageCount, direction, awaitsNumbers }) => {
      const of = { consignmentId, packageCount, direction, awaitsNumbers };
      return positions.map((position) => ({ ...of, position: position ?? undefined }));
    }),
    goneFrom: rows.filter(({ gone }) => gone).map(({ consignmentId }) => consignmentId),
  };
};
