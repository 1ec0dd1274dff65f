import type { Pool, PoolClient } from 'pg';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { recordAudit } from './audit.ts';
import { forget, remember } from './cache.ts';
import { transaction } from './pool.ts';
import { type Filter, matching, queryAll, type Queryable, queryFirst, queryOne, sql, type Sql } from './sql.ts';

/** A shipper in one environment: what belongs to another is as if it were not there. */
export interface Owner {
  readonly shipperId: number;
  readonly environment: EnvironmentName;
  /** The operator who acts in its stead, for the audit log. */
  readonly actor?: string | undefined;
}

export const ownedBy = ({ shipperId, environment }: Owner): Sql =>
  sql`shipper_id = ${shipperId} and environment = ${environment}`;

/** For operators: what is left out, is of all. */
export type Whose = Filter<Owner, 'shipperId' | 'environment'>;

export const ofWhom = ({ shipperId, environment }: Whose): Sql =>
  matching({ 'shipper_id =': shipperId, 'environment =': environment });

export interface Shipper {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  /** The registered details that become `shipper` of a consignment. */
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** The name of the policy that `AUTO` stands for. */
  readonly policy?: string | undefined;
}

/** `deleted` ones are known to what refers to them, and to nobody else. */
export const USES = ['active', 'disabled', 'deleted'] as const;
export type Use = (typeof USES)[number];

export interface ShipperEntry extends Shipper {
  readonly state: Use;
  readonly createdAtMs: number;
}

const COLUMNS = sql`id, code, name, details::json as details, policy`;
const ENTRY = sql`${COLUMNS}, state, created_at as created_at_ms`;

/** Creates the shipper, or brings name and details of the one with this code up to date; one that was deleted is back. */
export const saveShipper = async (
  client: Queryable,
  { code, name, details, policy }: Omit<Shipper, 'id'>,
): Promise<Shipper> =>
  await queryOne<Shipper>(client)`
    insert into shippers (code, name, details, policy) values (${code}, ${name}, ${details && JSON.stringify(details)}, ${policy})
    on conflict (code) do update set name = excluded.name, details = coalesce(excluded.details, shippers.details),
      policy = coalesce(excluded.policy, shippers.policy),
      state = case shippers.state when 'deleted' then 'active' else shippers.state end
    returning ${COLUMNS}`;

export const findShipper = async (pool: Pool, code: string): Promise<Shipper | undefined> =>
  await queryFirst<Shipper>(pool)`select ${COLUMNS} from shippers where code = ${code} and state <> 'deleted'`;

export const findShipperById = async (pool: Pool, id: number): Promise<Shipper | undefined> =>
  await remember(
    pool,
    ['shippers', id],
    async () => await queryFirst<Shipper>(pool)`select ${COLUMNS} from shippers where id = ${id}`,
  );

/** By their codes, those after `afterCode`; without a state, all but those that were deleted. */
export const listShippers = async (
  pool: Pool,
  { state, code, afterCode, limit }: ShipperQuery,
): Promise<readonly ShipperEntry[]> =>
  await queryAll<ShipperEntry>(pool)`
    select ${ENTRY} from shippers
    where ${state === undefined ? sql`state <> 'deleted'` : sql`state = ${state}`}
      and ${matching({ 'code =': code, 'code >': afterCode })} order by code limit ${limit}`;

interface ShipperQuery extends Filter<ShipperEntry, 'state' | 'code'> {
  readonly afterCode?: string | undefined;
  readonly limit: number;
}

/** Undefined: there is none. */
export const editShipper = async (
  pool: Pool,
  { code, name, details, policy }: Omit<Shipper, 'id'>,
  actor: string,
): Promise<ShipperEntry | undefined> => {
  const set = sql`name = ${name}, details = ${details && JSON.stringify(details)}, policy = ${policy}`;
  return await change(pool, code, set, { actor, action: 'save_shipper' });
};

/**
 * From now on, its tokens are nobody's while it is not active. What is under way goes on: dispatches, statuses and
 * webhooks. `deleted`: its tokens are revoked, its webhooks paused, its facilities forgotten, its plans ended, and `also`.
 */
export const setShipperState = async (
  pool: Pool,
  code: string,
  state: Use,
  actor: string,
  also?: (client: PoolClient, id: number) => Promise<unknown>,
): Promise<ShipperEntry | undefined> => {
  const tokens: { readonly id: string }[] = [];
  const action = `${ACTIONS[state]}_shipper`;
  const changed = await change(pool, code, sql`state = ${state}`, { actor, action }, async (client, id) => {
    // Each process forgets what it remembers of them.
    tokens.push(...(await queryAll<{ id: string }>(client)`select id from tokens where shipper_id = ${id}`));
    if (state !== 'deleted') return;
    await queryAll(client)`update tokens set revoked_at = now() where shipper_id = ${id} and revoked_at is null`;
    await queryAll(client)`
      update subscriptions set state = 'paused', paused_at = now(), pause_reason = 'requested'
      where shipper_id = ${id} and state = 'active'`;
    await queryAll(client)`delete from facilities where shipper_id = ${id}`;
    await queryAll(client)`update plans set day = null, due_at = null, failure = null where shipper_id = ${id}`;
    await also?.(client, id);
  });
  for (const { id } of tokens) forget(pool, 'tokens', id);
  return changed;
};

export const ACTIONS = { active: 'enable', disabled: 'disable', deleted: 'delete' } as const;

const change = async (
  pool: Pool,
  code: string,
  set: Sql,
  { actor, action }: { readonly actor: string; readonly action: string },
  also?: (client: PoolClient, id: number) => Promise<void>,
): Promise<ShipperEntry | undefined> => {
  const changed = await transaction(pool, async (client) => {
    const [shipper] = await queryAll<ShipperEntry>(client)`
      update shippers set ${set} where code = ${code} and state <> 'deleted' returning ${ENTRY}`;
    if (shipper === undefined) return undefined;
    await also?.(client, shipper.id);
    await recordAudit(client, { actor, action, subject: `shipper:${code}` });
    return shipper;
  });
  if (changed !== undefined) forget(pool, 'shippers', changed.id);
  return changed;
};
