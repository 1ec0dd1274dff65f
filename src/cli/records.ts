/** The records of a server, for commands beside it: those of `DATABASE_URL`, else the built-in ones of the home. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Pool } from 'pg';
import { SEALED_LINK } from '../fleet/contract/links.ts';
import type { Account } from '../engine/dispatch/ports.ts';
import { messageOf } from '../engine/failure.ts';
import type { EnvironmentName } from '../engine/profile/carrier.ts';
import { createTransport, type Transport } from '../engine/transport/transport.ts';
import { type Config, readConfig, SETTINGS } from '../platform/processes/config.ts';
import { ownSecrets } from '../platform/processes/secrets.ts';
import { explained, openDatabase, openRecords, type Records, stateFolder } from '../platform/processes/records.ts';
import { findAccountById, findAccountId } from '../platform/records/accounts.ts';
import { recordAudit } from '../platform/records/audit.ts';
import type { SealedColumn } from '../platform/records/reseal.ts';
import { queryFirst } from '../platform/records/sql.ts';
import { createSealer, type Sealer } from '../platform/records/sealer.ts';
import { findShipper, type Shipper } from '../platform/records/shippers.ts';
import { Misuse, type Terminal } from './command.ts';
import { homeOf } from './home.ts';

/** The migrations of what runs beside the platform, by the schema in which its tables are. */
export const COMPANION_MIGRATIONS = { fleet: path.resolve(import.meta.dirname, '../fleet/migrations') };

/** With the own fleet's, where a server has made its tables. */
export const withFleet = async (pool: Pool, columns: readonly SealedColumn[]): Promise<readonly SealedColumn[]> => {
  const found = await queryFirst<{ isThere: boolean }>(pool)`
    select to_regclass(${SEALED_LINK.table}) is not null as is_there`;
  return found?.isThere === true ? [...columns, SEALED_LINK] : columns;
};

const CONNECTIONS = 2;
/** For statements that may read all of a long history. */
export const LONG_MS = 3_600_000;

export const withRecords = async <T>(
  terminal: Terminal,
  use: (pool: Pool) => Promise<T>,
  statementTimeoutMs?: number,
): Promise<T> => {
  const records = await openRecordsOf(terminal, statementTimeoutMs);
  try {
    return await use(records.pool);
  } finally {
    await records.close();
  }
};

export const openRecordsOf = async (terminal: Terminal, statementTimeoutMs?: number): Promise<Records> => {
  const { config, log } = recordsConfigOf(terminal);
  return await openRecords(config, log, { max: CONNECTIONS, statementTimeoutMs });
};

/** Uses the database as it is, of whatever version; `isMade`: rather than make one. */
export const withDatabase = async <T>(
  terminal: Terminal,
  { isMade }: { readonly isMade: boolean },
  use: (database: Awaited<ReturnType<typeof openDatabase>>, config: Config) => Promise<T>,
): Promise<T> => {
  const { config, log } = recordsConfigOf(terminal);
  if (isMade && config.databaseUrl === undefined && !existsSync(path.join(stateFolder(config), 'postgres')))
    throw new Misuse(`there are no records in ${config.home}: set WAYBILL_HOME, or DATABASE_URL`);
  const database = await openDatabase(config, log);
  try {
    return await use(database, config);
  } catch (error) {
    throw explained(error, config);
  } finally {
    await database.close();
  }
};

/** Of the configuration only the records are asked for: who works on them needs none of the server's secrets. */
const recordsConfigOf = (terminal: Terminal) => {
  const read = ({ variable, read: parse }: typeof SETTINGS.databaseUrl): string | undefined => {
    try {
      return parse(terminal.env[variable]);
    } catch (thrown) {
      throw new Misuse(`${variable} ${messageOf(thrown)}`);
    }
  };
  const databaseUrl = read(SETTINGS.databaseUrl);
  const listenUrl = databaseUrl === undefined ? undefined : read(SETTINGS.listenUrl);
  const tell = (_: object, message: string): void => terminal.error(`waybill: ${message}\n`);
  const log = { info: () => {}, warn: tell, error: tell };
  // Past a pooler, where a statement has the time that the command gives it.
  return { config: { ...readConfig({}), home: homeOf(terminal), databaseUrl: listenUrl ?? databaseUrl }, log };
};

/** Opens what is sealed: with the keys of the configuration, or the one that a server on its own database keeps here. */
export const sealerOf = async (terminal: Terminal): Promise<Sealer> => {
  const keys = [SETTINGS.databaseUrl, SETTINGS.secretKey, SETTINGS.oldSecretKeys];
  const env = Object.fromEntries(keys.map(({ variable }) => [variable, terminal.env[variable]]));
  // The admin token is asked for beside DATABASE_URL, but not here.
  const config = { ...readConfig({ ...env, WAYBILL_ADMIN_TOKEN: 'x'.repeat(64) }), home: homeOf(terminal) };
  const { secretKey } = await ownSecrets(config, stateFolder(config));
  return createSealer(secretKey, config.oldSecretKeys);
};

/** Throws `Misuse` where there is none; `help` says what to do about it. */
export const requireShipper = async (pool: Pool, code: string, help = ''): Promise<Shipper> => {
  const shipper = await findShipper(pool, code);
  if (shipper === undefined) throw new Misuse(`there is no shipper "${code}"${help}`);
  return shipper;
};

/** A shipper's account with a carrier, as the command that uses it names both. */
interface WhoseAccount {
  readonly shipper: Shipper;
  readonly carrier: string;
  readonly environment: EnvironmentName;
}

export const findAccountOf = async (
  pool: Pool,
  sealer: Sealer,
  { shipper, carrier, environment }: WhoseAccount,
): Promise<Account | undefined> => {
  const id = await findAccountId(pool, { shipperId: shipper.id, carrierCode: carrier, environment });
  return id === undefined ? undefined : await findAccountById(pool, sealer, id);
};

/** Before anything is sent with it. */
export const auditAccountUse = async (
  pool: Pool,
  action: string,
  account: Account,
  { shipper, carrier, environment }: WhoseAccount,
): Promise<void> => {
  const detail = JSON.stringify({ shipper: shipper.code, carrier, environment });
  await recordAudit(pool, { actor: 'command', action, subject: `account:${account.id}`, detail });
};

/** To carriers; to private networks where the server, too, would be allowed to. */
export const transportOf = ({ env }: Terminal, userAgent: string): Transport => {
  const allowPrivateNetworks = SETTINGS.allowPrivateNetworks.read(env['ALLOW_PRIVATE_NETWORKS']);
  return createTransport({ userAgent, allowPrivateNetworks });
};
