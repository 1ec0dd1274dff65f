import type { Pool } from 'pg';
import type { Records } from '../platform/processes/records.ts';
import type { Sealer } from '../platform/records/sealer.ts';
import { Misuse, type Terminal } from './command.ts';

const CONNECTIONS = 2;

export const withRecords = async <T>(terminal: Terminal, use: (pool: Pool) => Promise<T>): Promise<T> => {
  const records = await openRecordsOf(terminal);
  try {
    return await use(records.pool);
  } finally {
    await records.close();
  }
};

/** Of the configuration only the records are asked for: who works on them needs none of the server's secrets. */
export const openRecordsOf = async (terminal: Terminal): Promise<Records> => {
  const { readConfig, SETTINGS } = await import('../platform/processes/config.ts');
  const { openRecords } = await import('../platform/processes/records.ts');
  const { messageOf } = await import('../engine/failure.ts');
  const { isConnectionError } = await import('../platform/records/pool.ts');
  const { homeOf } = await import('./home.ts');
  const databaseUrl = ((): string | undefined => {
    try {
      return SETTINGS.databaseUrl.read(terminal.env['DATABASE_URL']);
    } catch (thrown) {
      throw new Misuse(`DATABASE_URL ${messageOf(thrown)}`);
    }
  })();
  const tell = (_: object, message: string): void => terminal.error(`waybill: ${message}\n`);
  const log = { info: () => {}, warn: tell, error: tell };
  try {
    return await openRecords({ ...readConfig({}), home: homeOf(terminal), databaseUrl }, log, CONNECTIONS);
  } catch (thrown) {
    if (databaseUrl === undefined || !isConnectionError(thrown)) throw thrown;
    throw new Misuse(`the database of DATABASE_URL cannot be reached: ${messageOf(thrown)}`);
  }
};

/** Opens what is sealed: with the keys of the configuration, or the one that a server on its own database keeps here. */
export const sealerOf = async (terminal: Terminal): Promise<Sealer> => {
  const { readConfig, SETTINGS } = await import('../platform/processes/config.ts');
  const { ownSecrets } = await import('../platform/processes/secrets.ts');
  const { stateFolder } = await import('../platform/processes/records.ts');
  const { createSealer } = await import('../platform/records/sealer.ts');
  const { homeOf } = await import('./home.ts');
  const keys = [SETTINGS.databaseUrl, SETTINGS.secretKey, SETTINGS.oldSecretKeys];
  const env = Object.fromEntries(keys.map(({ variable }) => [variable, terminal.env[variable]]));
  // The admin token is asked for beside DATABASE_URL, but not here.
  const config = { ...readConfig({ ...env, WAYBILL_ADMIN_TOKEN: 'x'.repeat(64) }), home: homeOf(terminal) };
  const { secretKey } = await ownSecrets(config, stateFolder(config));
  return createSealer(secretKey, config.oldSecretKeys);
};
