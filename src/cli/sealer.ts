import { Misuse, type Terminal } from './command.ts';
import type { Sealer } from '../domain/sealer.ts';

/** What opens the secrets of the records: the key of the environment, or the one kept beside the built-in records. */
export const sealerOf = async (terminal: Terminal): Promise<Sealer> => {
  const { readConfig, SETTINGS } = await import('../app/config.ts');
  const { ownSecrets } = await import('../app/own-secrets.ts');
  const { stateFolder } = await import('../app/records.ts');
  const { createSealer } = await import('../domain/sealer.ts');
  const { messageOf } = await import('../domain/failure.ts');
  const { homeOf } = await import('./home.ts');
  const { env } = terminal;
  const read = <T>(name: string, of: (text: string | undefined) => T): T => {
    try {
      return of(env[name]);
    } catch (thrown) {
      throw new Misuse(`${name} ${messageOf(thrown)}`);
    }
  };
  const secretKey = read('WAYBILL_SECRET_KEY', SETTINGS.secretKey.read);
  const old = read(SETTINGS.oldSecretKeys.variable, SETTINGS.oldSecretKeys.read);
  if (secretKey !== undefined) return createSealer(secretKey, old);
  if (env['DATABASE_URL']) throw new Misuse('WAYBILL_SECRET_KEY is needed with DATABASE_URL: it opens the credentials');
  const config = { ...readConfig({}), home: homeOf(terminal) };
  return createSealer((await ownSecrets(config, stateFolder(config))).secretKey, old);
};
