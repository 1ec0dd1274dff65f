/** The server’s own secrets: generated where none are configured, checked against the records, kept out of logs. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Pool } from 'pg';
import { Failure } from '../../engine/failure.ts';
import { ACCOUNT_VARIABLES } from '../../engine/profile/account.ts';
import type { Secret } from '../../engine/transport/masking.ts';
import { findUnknownKeys } from '../records/reseal.ts';
import { keyName, type Sealer } from '../records/sealer.ts';
import { type Config, SETTINGS } from './config.ts';
import type { Environment, Settings } from './setting.ts';

interface OwnSecrets {
  readonly adminToken: string;
  /** It was made by this start: nobody has seen it yet. */
  readonly isTokenNew: boolean;
  readonly secretKey: string;
}

/** On the embedded default a secret that is not configured is made once and kept in `folder`, for its owner only. */
export const ownSecrets = async (config: Config, folder: string): Promise<OwnSecrets> => {
  const own = async (given: string | undefined, name: string, make: () => string): Promise<Kept> =>
    given === undefined ? await kept(folder, name, make) : { secret: given, isNew: false };
  const admin = await own(config.adminToken, 'admin-token', () => `wb_admin_${randomBytes(32).toString('base64url')}`);
  const key = await own(config.secretKey, 'secret-key', () => randomBytes(32).toString('base64'));
  return { adminToken: admin.secret, isTokenNew: admin.isNew, secretKey: key.secret };
};

interface Kept {
  readonly secret: string;
  readonly isNew: boolean;
}

const kept = async (folder: string, name: string, make: () => string): Promise<Kept> => {
  const file = path.join(folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Two processes that start at once must end up with one secret: whoever creates the file wins.
  const isNew = await writeFile(file, `${make()}\n`, { mode: 0o600, flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );
  return { secret: (await readFile(file, 'utf8')).trim(), isNew };
};

const KEPT = ['admin-token', 'secret-key'] as const;

/** What is kept in `folder`, by the names of the files. */
export const keptSecrets = async (folder: string): Promise<Readonly<Record<string, string>>> => {
  const read = KEPT.map(async (name) => {
    const text = await readFile(path.join(folder, name), 'utf8').catch(() => undefined);
    return text === undefined ? [] : [[name, text.trim()]];
  });
  return Object.fromEntries((await Promise.all(read)).flat()) as Record<string, string>;
};

/** Keeps these in `folder`; throws a `Failure` where other ones are kept. */
export const keepSecrets = async (folder: string, secrets: Readonly<Record<string, string>>): Promise<void> => {
  for (const name of KEPT) {
    const secret = secrets[name];
    if (secret === undefined || (await kept(folder, name, () => secret)).secret === secret) continue;
    throw new Failure(`${path.join(folder, name)} holds another secret than the backup`, {
      code: 'restore_not_empty',
      help: 'Restore into a new home, or move that file away.',
    });
  }
};

/**
 * Throws a `Failure` when the records hold secrets of a key that is not configured: with a wrong key each dispatch
 * would say so by itself. Keys that are known to be lost are let pass.
 */
export const checkKeys = async (pool: Pool, sealer: Sealer, { lostSecretKeys }: Config): Promise<void> => {
  const unknown = [...(await findUnknownKeys(pool, sealer))].filter(([name]) => !lostSecretKeys.includes(name));
  if (unknown.length === 0) return;
  const held = unknown.map(([name, counts]) => {
    const values = Object.entries(counts).map(([column, count]) => `${count} ${column}`);
    return `key ${name} (${values.join(', ')})`;
  });
  throw new Failure(`the records hold secrets of a key that is not configured: ${held.join('; ')}`, {
    code: 'secret_key_unknown',
    help:
      `WAYBILL_SECRET_KEY is key ${keyName(sealer.mark)}: is it the right one? One used before belongs into ` +
      'WAYBILL_SECRET_KEYS_OLD. Of one that is lost, put the name into WAYBILL_SECRET_KEYS_LOST, and save the ' +
      'accounts and subscriptions anew',
  });
};

/** What no line of the log may hold, whoever wrote it: a driver's error message may name more than it should. */
export const secretsToMask = (config: Config, env: Environment, beside: Settings = {}): readonly Secret[] => [
  ...Object.entries<Settings[string]>({ ...SETTINGS, ...beside }).flatMap(([key, setting]) =>
    setting.secretsOf(config[key as keyof Config]).map((value) => ({ name: setting.variable, value })),
  ),
  ...Object.entries(env).flatMap(([name, value]) =>
    name.startsWith(ACCOUNT_VARIABLES) && value !== undefined ? [{ name, value }] : [],
  ),
];
