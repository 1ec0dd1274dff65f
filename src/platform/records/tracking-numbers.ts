/** A tracking number belongs to one live consignment of an account, whether the carrier or the shipper assigned it. */
import type { PoolClient } from 'pg';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import { isTerminal, NORMALISED_STATUSES } from '../../engine/statuses/status.ts';
import { execute, queryFirst, type Queryable, rowsOf, sql, type Sql } from './sql.ts';

const ENDED_STATUSES = NORMALISED_STATUSES.filter(isTerminal);

/** Of a consignment `c`: carriers use the numbers of those that have ended again. */
const IS_LIVE = sql`c.released_at is null and c.acceptance in ('pending', 'accepted')
  and c.status <> all(${ENDED_STATUSES}::text[])`;

/** Another live consignment of the account to which the carrier gave the number `n.value`. `n`: account_id, carrier_code, id. */
export const GIVEN_TO = sql`
  select c.id, c.reference_number as reference from identifiers i join consignments c on c.id = i.consignment_id
  where i.carrier_code = n.carrier_code and i.kind = 'Tracking' and i.value = n.value and not i.gone
    and c.id is distinct from n.id and c.account_id = n.account_id and ${IS_LIVE}
    and (c.master_tracking_number = n.value or exists (
      select from packages p where p.consignment_id = c.id and p.tracking_number = n.value))`;

/** One to which its shipper or the carrier gave it. */
export const ASSIGNED_TO = sql`
  select c.id, c.reference_number as reference from assigned_numbers a join consignments c on c.id = a.consignment_id
  where a.account_id = n.account_id and a.number = n.value and c.id is distinct from n.id and ${IS_LIVE}
  union all ${GIVEN_TO}`;

/** Of the numbers of a table `n (account_id, value)` those that bind nobody any more. */
export const deleteStale = (numbers: Sql): Sql => sql`
  delete from assigned_numbers a using ${numbers}
  where a.account_id = n.account_id and a.number = n.value
    and not exists (select from consignments c where c.id = a.consignment_id and ${IS_LIVE})
  returning 1`;

interface AssignedNumber {
  readonly value: string;
  /** Of the package. */
  readonly position: number;
}

/** What the shipper gave to packages. */
export const assignedNumbersOf = ({ itemList }: Pick<Consignment, 'itemList'>): readonly AssignedNumber[] =>
  itemList.flatMap(({ itemTrackingNumber: value = '' }, position) =>
    value.trim() === '' ? [] : [{ value, position }],
  );

export interface Assigning {
  readonly accountId: number | undefined;
  readonly carrierCode: string;
  /** Undefined: it is not recorded yet. */
  readonly consignmentId?: number | undefined;
  readonly consignment: Pick<Consignment, 'itemList'>;
}

const rowsOfNumbers = ({ accountId, carrierCode, consignmentId, consignment }: Assigning): Sql =>
  rowsOf(
    'n',
    assignedNumbersOf(consignment).map((number) => ({ ...number, accountId, carrierCode, id: consignmentId })),
    'value text, position int, account_id bigint, carrier_code text, id bigint',
  );

/** The first of the numbers that is another live consignment's, with that one. */
export const findHolder = async (
  client: Queryable,
  assigning: Assigning,
): Promise<(AssignedNumber & { readonly consignmentId: number }) | undefined> =>
  assignedNumbersOf(assigning.consignment).length === 0
    ? undefined
    : await queryFirst<AssignedNumber & { consignmentId: number }>(client)`
        select n.value, n.position, holder.id as consignment_id from ${rowsOfNumbers(assigning)}
        cross join lateral (${ASSIGNED_TO} limit 1) holder order by n.position limit 1`;

/** Gives the consignment its numbers; throws `NumberTaken` where another has taken one since they were found free. */
export const assignNumbers = async (client: PoolClient, assigning: Assigning): Promise<void> => {
  const wanted = assignedNumbersOf(assigning.consignment).length;
  if (wanted === 0) return;
  await execute(client)`${deleteStale(rowsOfNumbers(assigning))}`;
  const given = await execute(client)`
    insert into assigned_numbers as a (account_id, number, consignment_id)
    select account_id, value, id from ${rowsOfNumbers(assigning)} order by value
    on conflict (account_id, number) do update set number = excluded.number where a.consignment_id = excluded.consignment_id`;
  if (given !== wanted) throw new NumberTaken('another consignment has taken a tracking number meanwhile');
};

/** Ends its transaction, so that no number is kept without the others. */
export class NumberTaken extends Error {
  override readonly name = 'NumberTaken';
}
