import type { Pool } from 'pg';
import { Misuse, type Terminal } from './command.ts';

const CONNECTIONS = 2;

/** Of the configuration only the records are asked for: who works on them needs none of the server's secrets. */
export const withRecords = async <T>(terminal: Terminal, use: (pool: Pool) => Promise<T>): Promise<T> => {
  const { readConfig, SETTINGS } = await import('../app/config.ts');
  const { openRecords } = await import('../app/records.ts');
  const { messageOf } = await import('../domain/failure.ts');
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
  const records = await openRecords({ ...readConfig({}), home: homeOf(terminal), databaseUrl }, log, CONNECTIONS);
  try {
    return await use(records.pool);
  } finally {
    await records.close();
  }
};
