import type { Pool, PoolClient } from 'pg';
import type { Account } from '../../engine/dispatch/ports.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { Failure } from '../../engine/failure.ts';
import { resolveVariables } from '../../engine/profile/account.ts';
import { recordAudit } from './audit.ts';
import { forget, remember } from './cache.ts';
import { transaction } from './pool.ts';
import type { Sealer } from './sealer.ts';
import { ACTIONS, type Use } from './shippers.ts';
import {
  execute,
  type Filter,
  matching,
  queryAll,
  type Queryable,
  queryFirst,
  queryOne,
  sql,
  type Sql,
} from './sql.ts';

export interface AccountKey {
  readonly shipperId: number;
  readonly carrierCode: string;
  readonly environment: EnvironmentName;
}

interface AccountRow extends AccountKey {
  readonly id: number;
  readonly credentials: Buffer;
  readonly settings: Values;
  readonly baseUrl: string | undefined;
  readonly version: number;
  readonly state: Use;
}

type Values = Readonly<Record<string, unknown>>;

const aboutAccount = ({ shipperId, carrierCode, environment }: AccountKey): string =>
  `account/${shipperId}/${carrierCode}/${environment}`;

/** As it is kept: a value may name a variable of the environment. */
const keptOf = (sealer: Sealer, row: AccountRow): Account => ({
  id: row.id,
  version: row.version,
  credentials: JSON.parse(sealer.open(row.credentials, aboutAccount(row)).toString()) as Values,
  settings: row.settings,
  baseUrl: row.baseUrl,
});

const variableOf = (name: string): string | undefined => process.env[name];

/** As it is used: with what variables hold now. Throws a `Failure` that names one that is missing. */
const accountOf = (sealer: Sealer, kept: Account): Account => {
  const { from, ...values } = resolveVariables(kept, variableOf);
  if (from.length === 0) return kept;
  // Logins are kept by version: another value in a variable is another version of the account.
  const print = sealer.fingerprint(JSON.stringify(from.map(({ value }) => value))).readUIntBE(0, FINGERPRINT_BYTES);
  return { ...kept, ...values, fromVariables: from, version: kept.version * 256 ** FINGERPRINT_BYTES + print };
};

/** With room for two million versions in a number. */
const FINGERPRINT_BYTES = 4;

/** Is what was used of an account as it is now, whatever variables held then? */
export const isOfVersion = (version: Sql, used: Sql): Sql =>
  sql`${version} in (${used}, floor(${used} / ${256 ** FINGERPRINT_BYTES}))`;

const find = async (client: Queryable, where: Sql): Promise<readonly AccountRow[]> =>
  await queryAll<AccountRow>(client)`
    select id, shipper_id, carrier_code, environment, credentials, settings::json as settings, base_url, version, state
    from accounts where ${where}`;

const isOf = ({ shipperId, carrierCode, environment }: AccountKey): Sql =>
  sql`shipper_id = ${shipperId} and carrier_code = ${carrierCode} and environment = ${environment}`;

interface AccountValues {
  readonly credentials: Values;
  readonly settings: Values;
  /** Undefined: the one that is known stays; null: there is none any more. */
  readonly baseUrl?: string | null | undefined;
}

const insert = (sealer: Sealer, key: AccountKey, { credentials, settings, baseUrl }: AccountValues): Sql => {
  const sealed = sealer.seal(Buffer.from(JSON.stringify(credentials)), aboutAccount(key));
  const { shipperId, carrierCode, environment } = key;
  return sql`
    insert into accounts (shipper_id, carrier_code, environment, credentials, settings, base_url)
    values (${shipperId}, ${carrierCode}, ${environment}, ${sealed}, ${JSON.stringify(settings)}, ${baseUrl ?? undefined})
    on conflict (shipper_id, carrier_code, environment)`;
};

/** Saves credentials (sealed) and settings, checked before; yields the account's id. */
export const saveAccount = async (
  client: Queryable,
  sealer: Sealer,
  key: AccountKey,
  values: AccountValues,
): Promise<number> => {
  const { id } = await queryOne<{ id: number }>(client)`
    ${insert(sealer, key, values)} do update
    set credentials = excluded.credentials, settings = excluded.settings, version = accounts.version + 1,
      base_url = ${values.baseUrl === undefined ? sql`accounts.base_url` : sql`excluded.base_url`},
      updated_at = now(), state = case accounts.state when 'deleted' then 'active' else accounts.state end
    returning id`;
  return id;
};

/** As `saveAccount`, where there has been none: one that is disabled or deleted stays so, and undefined is yielded. */
export const openAccount = async (
  client: Queryable,
  sealer: Sealer,
  key: AccountKey,
  values: AccountValues,
): Promise<number | undefined> =>
  (await queryFirst<{ id: number }>(client)`${insert(sealer, key, values)} do nothing returning id`)?.id;

export interface AccountEntry {
  readonly key: AccountKey;
  /** As it is used. */
  readonly account: Account;
  readonly state: Use;
}

/** An account with what it belongs to. */
export const findAccountEntry = async (pool: Pool, sealer: Sealer, id: number): Promise<AccountEntry | undefined> => {
  const entry = await remember(pool, ['accounts', id], async () => {
    const [row] = await find(pool, sql`id = ${id}`);
    if (row === undefined) return undefined;
    const { shipperId, carrierCode, environment, state } = row;
    return { key: { shipperId, carrierCode, environment }, account: keptOf(sealer, row), state };
  });
  return entry && { ...entry, account: accountOf(sealer, entry.account) };
};

/** For calls to its carrier. Throws a `Failure` where it is out of use: nothing is sent with it then. */
export const findUsableAccount = async (pool: Pool, sealer: Sealer, id: number): Promise<Account | undefined> => {
  const { account, key, state } = (await findAccountEntry(pool, sealer, id)) ?? {};
  if (key === undefined || state === 'active') return account;
  throw new Failure(`the ${key.environment} account with ${key.carrierCode} is ${state}`, {
    code: `account_${state}`,
    help: state === 'deleted' ? 'save it anew with PUT /admin/accounts' : `POST /admin/accounts/${id}/enable`,
  });
};

export const findAccountById = async (pool: Pool, sealer: Sealer, id: number): Promise<Account | undefined> =>
  (await findAccountEntry(pool, sealer, id))?.account;

/**
 * As it is kept, to be saved anew: its values may name variables. Nobody else saves it until the transaction ends.
 * Throws a `Failure` where it cannot be opened.
 */
export const lockKeptAccount = async (
  client: PoolClient,
  sealer: Sealer,
  key: AccountKey,
): Promise<Account | undefined> => {
  const [row] = await find(client, sql`${isOf(key)} for update`);
  return row && keptOf(sealer, row);
};

/** Only whether there is one in use: the path of every create needs no more, and opens no secret. */
export const findAccountId = async (pool: Pool, key: AccountKey): Promise<number | undefined> => {
  const { shipperId, carrierCode, environment } = key;
  const found = await remember(
    pool,
    ['accounts', `${shipperId}/${carrierCode}/${environment}`],
    async () => await queryFirst<{ id: number }>(pool)`select id from accounts where ${isOf(key)} and state = 'active'`,
  );
  return found?.id;
};

export interface WebhookAccount {
  readonly account: Account;
  readonly environment: EnvironmentName;
}

/** The account that a webhook's path names by its id; without one, the carrier's only account. */
export const findWebhookAccount = async (
  pool: Pool,
  sealer: Sealer,
  carrierCode: string,
  id: string | undefined,
): Promise<WebhookAccount | undefined> => {
  if (id !== undefined && !/^\d{1,15}$/.test(id)) return undefined;
  const own = sql`carrier_code = ${carrierCode} and state <> 'deleted' and (${id}::bigint is null or id = ${id}::bigint) limit 2`;
  const [row, ...more] = await find(pool, own);
  if (row === undefined || more.length > 0) return undefined;
  return { account: accountOf(sealer, keptOf(sealer, row)), environment: row.environment };
};

/** An account without its credentials. */
export interface AccountView extends AccountKey {
  readonly id: number;
  readonly shipper: string;
  readonly settings: Values;
  readonly baseUrl: string | undefined;
  readonly state: Use;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

const VIEW = sql`a.id, a.shipper_id, s.code as shipper, a.carrier_code, a.environment, a.settings::json as settings, a.base_url, a.state,
  a.created_at as created_at_ms, a.updated_at as updated_at_ms`;

interface AccountQuery extends Filter<AccountView, 'id' | 'shipper' | 'carrierCode' | 'environment' | 'state'> {
  readonly afterId?: number | undefined;
  readonly limit: number;
}

/** The oldest first; without a state, all but those that were deleted. */
export const listAccounts = async (
  client: Queryable,
  { id, shipper, carrierCode, environment, state, afterId, limit }: AccountQuery,
): Promise<readonly AccountView[]> =>
  await queryAll<AccountView>(client)`
    select ${VIEW} from accounts a join shippers s on s.id = a.shipper_id
    where ${matching({ 'a.id =': id, 'a.id >': afterId, 's.code =': shipper, 'a.carrier_code =': carrierCode })}
      and ${matching({ 'a.environment =': environment, [state === undefined ? 'a.state <>' : 'a.state =']: state ?? 'deleted' })}
    order by a.id limit ${limit}`;

/**
 * Disabled: nothing is asked of the carrier with it, and what would be is held, to be retried when it is enabled.
 * `deleted`: its credentials and settings are gone as well. Undefined: there is none.
 */
export const setAccountState = async (
  pool: Pool,
  sealer: Sealer,
  id: number,
  state: Use,
  actor: string,
): Promise<AccountView | undefined> => {
  const changed = await transaction(pool, async (client) => {
    const [row] = await find(client, sql`id = ${id} and state <> 'deleted' for update`);
    if (row === undefined) return undefined;
    await setState(client, sealer, row, state, actor);
    return (await listAccounts(client, { id, state, limit: 1 }))[0];
  });
  if (changed !== undefined) forgetAccount(pool, id, changed);
  return changed;
};

/** All of a shipper's; yields what is to be forgotten. */
export const deleteAccountsOf = async (
  client: PoolClient,
  sealer: Sealer,
  shipperId: number,
  actor: string,
): Promise<readonly (AccountKey & { readonly id: number })[]> => {
  const rows = await find(client, sql`shipper_id = ${shipperId} and state <> 'deleted' for update`);
  for (const row of rows) await setState(client, sealer, row, 'deleted', actor);
  return rows;
};

const setState = async (client: PoolClient, sealer: Sealer, row: AccountRow, state: Use, actor: string) => {
  const nothing = sealer.seal(Buffer.from('{}'), aboutAccount(row));
  const wiped = sql`, credentials = ${nothing}, settings = '{}', base_url = null, version = version + 1`;
  await execute(client)`
    update accounts set state = ${state}, updated_at = now() ${state === 'deleted' ? wiped : sql``} where id = ${row.id}`;
  await recordAudit(client, { actor, action: `${ACTIONS[state]}_account`, subject: `account:${row.id}` });
};

/** By both names under which this process may remember it. */
export const forgetAccount = (pool: Pool, id: number, { shipperId, carrierCode, environment }: AccountKey): void => {
  forget(pool, 'accounts', id);
  forget(pool, 'accounts', `${shipperId}/${carrierCode}/${environment}`);
};
