import type { Pool, PoolClient } from 'pg';
import type { Account } from '../../engine/dispatch/ports.ts';
import type { EnvironmentName } from '../../engine/profile/carrier.ts';
import { resolveVariables } from '../../engine/profile/account-variables.ts';
import type { Sealer } from './sealer.ts';

export interface AccountKey {
  readonly shipperId: number;
  readonly carrierCode: string;
  readonly environment: EnvironmentName;
}

interface AccountRow {
  id: number;
  shipper_id: number;
  carrier_code: string;
  environment: EnvironmentName;
  credentials: Buffer;
  settings: string;
  version: number;
}

type Values = Readonly<Record<string, unknown>>;

const aboutAccount = ({ shipperId, carrierCode, environment }: AccountKey): string =>
  `account/${shipperId}/${carrierCode}/${environment}`;

/** As it is kept: a value may name a variable of the environment. */
const keptOf = (sealer: Sealer, row: AccountRow): Account => {
  const about = aboutAccount({
    shipperId: row.shipper_id,
    carrierCode: row.carrier_code,
    environment: row.environment,
  });
  return {
    id: row.id,
    version: row.version,
    credentials: JSON.parse(sealer.open(row.credentials, about).toString()) as Values,
    settings: JSON.parse(row.settings) as Values,
  };
};

const variableOf = (name: string): string | undefined => process.env[name];

/** As it is used: with what variables hold now. Throws a `Failure` that names one that is missing. */
const accountOf = (sealer: Sealer, row: AccountRow): Account => {
  const kept = keptOf(sealer, row);
  const { from, ...values } = resolveVariables(kept, variableOf);
  if (from.length === 0) return kept;
  // Logins are kept by version: another value in a variable is another version of the account.
  const print = sealer.fingerprint(JSON.stringify(from.map(({ value }) => value))).readUIntBE(0, FINGERPRINT_BYTES);
  return { ...kept, ...values, fromVariables: from, version: kept.version * 256 ** FINGERPRINT_BYTES + print };
};

/** With room for two million versions in a number. */
const FINGERPRINT_BYTES = 4;

const COLUMNS = 'id, shipper_id, carrier_code, environment, credentials, settings, version';

/** Saves credentials (sealed) and settings, checked before; yields the account's id. */
export const saveAccount = async (
  client: Pool | PoolClient,
  sealer: Sealer,
  key: AccountKey,
  values: { readonly credentials: Values; readonly settings: Values },
): Promise<number> => {
  const sealed = sealer.seal(Buffer.from(JSON.stringify(values.credentials)), aboutAccount(key));
  const { rows } = await client.query<{ id: number }>(
    `insert into accounts (shipper_id, carrier_code, environment, credentials, settings) values ($1, $2, $3, $4, $5)
     on conflict (shipper_id, carrier_code, environment) do update
     set credentials = excluded.credentials, settings = excluded.settings, version = accounts.version + 1, updated_at = now()
     returning id`,
    [key.shipperId, key.carrierCode, key.environment, sealed, JSON.stringify(values.settings)],
  );
  if (rows[0] === undefined) throw new Error('insert … returning gave no row');
  return rows[0].id;
};

export const findAccountById = async (pool: Pool, sealer: Sealer, id: number): Promise<Account | undefined> => {
  const { rows } = await pool.query<AccountRow>(`select ${COLUMNS} from accounts where id = $1`, [id]);
  return rows[0] === undefined ? undefined : accountOf(sealer, rows[0]);
};

/**
 * As it is kept, to be saved anew: its values may name variables. Nobody else saves it until the transaction ends.
 * Throws a `Failure` where it cannot be opened.
 */
export const lockKeptAccount = async (
  client: PoolClient,
  sealer: Sealer,
  key: AccountKey,
): Promise<Account | undefined> => {
  const { rows } = await client.query<AccountRow>(
    `select ${COLUMNS} from accounts where shipper_id = $1 and carrier_code = $2 and environment = $3 for update`,
    [key.shipperId, key.carrierCode, key.environment],
  );
  return rows[0] === undefined ? undefined : keptOf(sealer, rows[0]);
};

/** Only whether there is one: the path of every create needs no more, and opens no secret. */
export const findAccountId = async (pool: Pool, key: AccountKey): Promise<number | undefined> => {
  const { rows } = await pool.query<{ id: number }>(
    'select id from accounts where shipper_id = $1 and carrier_code = $2 and environment = $3',
    [key.shipperId, key.carrierCode, key.environment],
  );
  return rows[0]?.id;
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
  const { rows } = await pool.query<AccountRow>(
    `select ${COLUMNS} from accounts where carrier_code = $1 and ($2::bigint is null or id = $2) limit 2`,
    [carrierCode, id === undefined ? null : Number(id)],
  );
  const [row] = rows;
  if (row === undefined || rows.length > 1) return undefined;
  return { account: accountOf(sealer, row), environment: row.environment };
};

export interface AccountEntry {
  readonly key: AccountKey;
  /** As it is used. */
  readonly account: Account;
}

/** An account with what it belongs to. */
export const findAccountEntry = async (pool: Pool, sealer: Sealer, id: number): Promise<AccountEntry | undefined> => {
  const { rows } = await pool.query<AccountRow>(`select ${COLUMNS} from accounts where id = $1`, [id]);
  const [row] = rows;
  if (row === undefined) return undefined;
  const key = { shipperId: row.shipper_id, carrierCode: row.carrier_code, environment: row.environment };
  return { key, account: accountOf(sealer, row) };
};
