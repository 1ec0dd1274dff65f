import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from './config.ts';

export interface Secrets {
  readonly adminToken: string;
  readonly secretKey: string;
}

/** On the embedded default a secret that is not configured is made once and kept in `folder`, for its owner only. */
export const ownSecrets = async (config: Config, folder: string): Promise<Secrets> => ({
  adminToken:
    config.adminToken ?? (await kept(folder, 'admin-token', () => `wb_admin_${randomBytes(32).toString('base64url')}`)),
  secretKey: config.secretKey ?? (await kept(folder, 'secret-key', () => randomBytes(32).toString('base64'))),
});

const kept = async (folder: string, name: string, make: () => string): Promise<string> => {
  const file = path.join(folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    // Two processes that start at once must end up with one secret: whoever creates the file wins.
    await writeFile(file, `${make()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return (await readFile(file, 'utf8')).trim();
};
