import type { Pool, PoolClient } from 'pg';
import type { Account } from '../../engine/dispatch/ports.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { resolveVariables } from '../../engine/profile/account.ts';
import { remember } from './cache.ts';
import type { Sealer } from './sealer.ts';
import { queryAll, type Queryable, queryFirst, queryOne, sql, type Sql } from './sql.ts';

export interface AccountKey {
  readonly shipperId: number;
  readonly carrierCode: string;
  readonly environment: EnvironmentName;
}

interface AccountRow extends AccountKey {
  readonly id: number;
  readonly credentials: Buffer;
  readonly settings: Values;
  readonly version: number;
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

const find = async (client: Queryable, where: Sql): Promise<readonly AccountRow[]> =>
  await queryAll<AccountRow>(client)`
    select id, shipper_id, carrier_code, environment, credentials, settings::json as settings, version
    from accounts where ${where}`;

const isOf = ({ shipperId, carrierCode, environment }: AccountKey): Sql =>
  sql`shipper_id = ${shipperId} and carrier_code = ${carrierCode} and environment = ${environment}`;

/** Saves credentials (sealed) and settings, checked before; yields the account's id. */
export const saveAccount = async (
  client: Queryable,
  sealer: Sealer,
  key: AccountKey,
  { credentials, settings }: { readonly credentials: Values; readonly settings: Values },
): Promise<number> => {
  const sealed = sealer.seal(Buffer.from(JSON.stringify(credentials)), aboutAccount(key));
  const { shipperId, carrierCode, environment } = key;
  const { id } = await queryOne<{ id: number }>(client)`
    insert into accounts (shipper_id, carrier_code, environment, credentials, settings)
    values (${shipperId}, ${carrierCode}, ${environment}, ${sealed}, ${JSON.stringify(settings)})
    on conflict (shipper_id, carrier_code, environment) do update
    set credentials = excluded.credentials, settings = excluded.settings, version = accounts.version + 1,
      updated_at = now()
    returning id`;
  return id;
};

export interface AccountEntry {
  readonly key: AccountKey;
  /** As it is used. */
  readonly account: Account;
}

/** An account with what it belongs to. */
export const findAccountEntry = async (pool: Pool, sealer: Sealer, id: number): Promise<AccountEntry | undefined> => {
  const entry = await remember(pool, ['accounts', id], async () => {
    const [row] = await find(pool, sql`id = ${id}`);
    if (row === undefined) return undefined;
    const { shipperId, carrierCode, environment } = row;
    return { key: { shipperId, carrierCode, environment }, account: keptOf(sealer, row) };
  });
  return entry && { ...entry, account: accountOf(sealer, entry.account) };
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

/** Only whether there is one: the path of every create needs no more, and opens no secret. */
export const findAccountId = async (pool: Pool, key: AccountKey): Promise<number | undefined> => {
  const { shipperId, carrierCode, environment } = key;
  const found = await remember(
    pool,
    ['accounts', `${shipperId}/${carrierCode}/${environment}`],
    async () => await queryFirst<{ id: number }>(pool)`select id from accounts where ${isOf(key)}`,
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
  const own = sql`carrier_code = ${carrierCode} and (${id}::bigint is null or id = ${id}::bigint) limit 2`;
  const [row, ...more] = await find(pool, own);
  if (row === undefined || more.length > 0) return undefined;
  return { account: accountOf(sealer, keptOf(sealer, row)), environment: row.environment };
};
