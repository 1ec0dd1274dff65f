import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../../engine/failure.ts';
import { type Account, accountFor, canEnter } from './embedded-account.ts';
import { type Binaries, findBinaries, POSTGRES_ENVIRONMENT } from './embedded-binaries.ts';

const run = promisify(execFile);

export const SUPERUSER = 'waybill';
const MAJOR_VERSION = '18';
const STALE_INIT_MS = 10 * 60_000;

/** Written into postgresql.conf once, so an operator may tune them there. For one small machine. */
const SETTINGS: Readonly<Record<string, string>> = {
  max_connections: '120',
  shared_buffers: '192MB',
  effective_cache_size: '768MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  random_page_cost: '1.1',
  checkpoint_timeout: '15min',
  max_wal_size: '2GB',
  // Queue and outbox tables turn over quickly: vacuum them before they bloat.
  autovacuum_naptime: '15s',
  autovacuum_vacuum_scale_factor: '0.05',
  autovacuum_analyze_scale_factor: '0.05',
  timezone: 'UTC',
  log_timezone: 'UTC',
  logging_collector: 'on',
  log_filename: 'postgres-%a.log',
  log_rotation_age: '1d',
  log_rotation_size: '0',
  log_truncate_on_rotation: 'on',
  log_checkpoints: 'off',
  // Statements and error details would carry people's names and addresses into a log file.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** An initialised data folder and all that is needed to run it. */
export interface Cluster {
  /** As PostgreSQL is given it. */
  readonly data: string;
  /** Whether they are not in the folder itself. */
  readonly isElsewhere: boolean;
  /** Where its first words go, until its own log in `data`/log takes over. */
  readonly startLog: string;
  readonly password: string;
  readonly account: Account | undefined;
  readonly binaries: Binaries;
}

/**
 * Finds the cluster in `folder`, or makes it: `password` (for its owner only) and `data`. Where PostgreSQL's user
 * cannot enter `folder` (a home folder, say), the data lie under /var/lib/waybill and `data` is a link to them.
 * Safe to run in several processes at once: each initialises a folder of its own, and the first rename wins.
 */
export async function openCluster(path: string): Promise<Cluster> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  // One spelling for all processes, as the server is recognised by it.
  const folder = await realpath(path);
  const link = join(folder, 'data');
  const account = await accountFor(link);
  const base = await chooseBase(folder, account);
  const binaries = await findBinaries(account, base);
  const data = join(base, 'data');
  const initialised = await isInitialised(data);
  const password = await keepPassword(folder, initialised);
  if (!initialised) await initialise({ base, data, account, binaries, password });
  if (base !== folder) await symlink(data, link).catch(ignoreExisting);
  return { data, isElsewhere: base !== folder, startLog: join(base, 'start.log'), password, account, binaries };
}

async function chooseBase(folder: string, account: Account | undefined): Promise<string> {
  const link = join(folder, 'data');
  if ((await lstat(link).catch(() => undefined))?.isSymbolicLink() === true) {
    const data = resolve(folder, await readlink(link));
    // Never start an empty database in the place of a lost one.
    if ((await stat(data).catch(() => undefined)) === undefined) {
      throw dataFailure(`The data folder ${data}, to which ${link} points, is gone`, 'Restore it from a backup.');
    }
    return dirname(data);
  }
  if (account === undefined) return folder;
  await letEnter(folder);
  if (basename(dirname(folder)) === '.waybill') await letEnter(dirname(folder));
  if (await canEnter(account, folder)) return folder;
  const base = join('/var/lib/waybill', createHash('sha256').update(folder).digest('hex').slice(0, 16));
  await mkdir(base, { recursive: true, mode: 0o711 });
  if (!(await canEnter(account, base))) {
    throw dataFailure(
      `PostgreSQL's user (uid ${account.uid}) can enter neither ${folder} nor ${base}`,
      'Move WAYBILL_HOME to a folder that every user may enter, run as an ordinary user, or set DATABASE_URL.',
    );
  }
  return base;
}

/** Lets others pass through a folder, not look into it. */
async function letEnter(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  if ((mode & 0o111) !== 0o111) await chmod(folder, (mode & 0o7777) | 0o111);
}

async function isInitialised(data: string): Promise<boolean> {
  const version = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined && version.trim() !== MAJOR_VERSION) {
    throw dataFailure(
      `The data in ${data} are of PostgreSQL ${version.trim()}, this is ${MAJOR_VERSION}`,
      `Dump them with version ${version.trim()} and load the dump into a new folder.`,
    );
  }
  if (version === undefined && ((await readdir(data).catch(() => undefined))?.length ?? 0) > 0) {
    throw dataFailure(`${data} is not empty, and no data folder of PostgreSQL`, 'Move its contents away.');
  }
  return version !== undefined;
}

async function keepPassword(folder: string, initialised: boolean): Promise<string> {
  const file = join(folder, 'password');
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) return kept.trim();
  if (initialised) {
    throw dataFailure(`The password file ${file} of the existing data is gone`, 'Restore it from a backup.');
  }
  // Linked into place whole, so that of several processes all read what the first one wrote.
  const temporary = `${file}-${randomBytes(6).toString('hex')}`;
  await writeFile(temporary, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  await link(temporary, file).catch(ignoreExisting);
  await rm(temporary);
  return (await readFile(file, 'utf8')).trim();
}

interface Initialisation extends Pick<Cluster, 'data' | 'account' | 'binaries' | 'password'> {
  readonly base: string;
}

async function initialise({ base, data, account, binaries, password }: Initialisation): Promise<void> {
  await removeStale(base);
  const temporary = await mkdtemp(join(base, 'init-'));
  try {
    const passwordFile = join(temporary, 'password');
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    if (account !== undefined) {
      for (const path of [temporary, passwordFile]) await chown(path, account.uid, account.gid);
    }
    const fresh = join(temporary, 'data');
    const args = [
      `--pgdata=${fresh}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Built in, and so the same on every machine: code point order, Unicode's case rules.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...Object.entries(SETTINGS).map(([name, value]) => `--set=${name}=${value}`),
    ];
    await run(binaries.initdb, args, { ...account, cwd: '/', env: POSTGRES_ENVIRONMENT, timeout: 120_000 });
    await rename(fresh, data).catch(ignoreExisting);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    const { stderr } = cause as { stderr?: string };
    throw new Failure(`PostgreSQL could not initialise ${data}: ${(stderr ?? '').trim().slice(-500)}`, {
      code: 'embedded_postgres_init',
      help: 'See the text, or set DATABASE_URL to a PostgreSQL of your own.',
      cause,
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function removeStale(base: string): Promise<void> {
  for (const name of await readdir(base)) {
    if (!name.startsWith('init-')) continue;
    const path = join(base, name);
    const made = (await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now();
    if (Date.now() - made > STALE_INIT_MS) await rm(path, { recursive: true, force: true });
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error;
}

const dataFailure = (message: string, help: string) => new Failure(message, { code: 'embedded_postgres_data', help });
