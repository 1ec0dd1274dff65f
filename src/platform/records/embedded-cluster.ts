/** The data folder of the built-in PostgreSQL, the account that runs it, and its programs, which npm brought. */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../../engine/failure.ts';

const run = promisify(execFile);

export const SUPERUSER = 'waybill';
const MAJOR_VERSION = '18';
const STALE_INIT_MS = 10 * 60_000;
/** What the PostgreSQL programs get to see: none of our own environment, which holds secrets. */
export const POSTGRES_ENVIRONMENT = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Written into postgresql.conf once, so an operator may tune them there. For one small machine. */
const SETTINGS = {
  max_connections: '120',
  shared_buffers: '192MB',
  effective_cache_size: '768MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  random_page_cost: '1.1',
  checkpoint_timeout: '15min',
  max_wal_size: '2GB',
  // What is the queue turns over quickly: vacuum it before it bloats.
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

/** The user a process is started as, for `child_process.spawn`; undefined: our own. */
type Account = { readonly uid: number; readonly gid: number } | undefined;

/** An initialised data folder and all that is needed to run it. */
export interface Cluster {
  readonly data: string;
  /** Whether `data` lies outside the folder that was asked for. */
  readonly isElsewhere: boolean;
  /** Where a starting server writes until its own log in `data`/log takes over. */
  readonly startLog: string;
  readonly password: string;
  readonly account: Account;
  /** Where `postgres` and `initdb` are. */
  readonly bin: string;
}

/**
 * Finds the cluster in `folder`, or makes it: `password` (for its owner only) and `data`. Where PostgreSQL's user
 * cannot enter `folder` (a home folder, say), the data lie under /var/lib/waybill and `data` is a link to them.
 * Safe to run in several processes at once: each initialises a folder of its own, and the first rename wins.
 */
export async function openCluster(path: string): Promise<Cluster> {
  await fs.mkdir(path, { recursive: true, mode: 0o700 });
  // One spelling for all processes, as the server is recognised by it.
  const folder = await fs.realpath(path);
  const link = join(folder, 'data');
  const account = await accountFor(link);
  const base = await chooseBase(folder, account);
  const bin = await findPrograms(account, base);
  const data = join(base, 'data');
  const isInitialised = await checkVersion(data);
  const password = await keepPassword(folder, isInitialised);
  const cluster = { data, isElsewhere: base !== folder, startLog: join(base, 'start.log'), password, account, bin };
  if (!isInitialised) await initialise(cluster, base);
  if (base !== folder) await fs.symlink(data, link).catch(ignoreExisting);
  return cluster;
}

/** Ids of the user `postgres`, which is created when missing. */
const POSTGRES_IDS = `id postgres >/dev/null 2>&1 || useradd --system --no-create-home --shell /bin/false \
  $(getent group postgres >/dev/null && echo --gid postgres || echo --user-group) postgres >&2
  id -u postgres && id -g postgres`;

/** PostgreSQL refuses to run as root: root gets the owner of existing data, else the user `postgres`. */
async function accountFor(data: string): Promise<Account> {
  const own = process.getuid?.();
  const owner = await fs.stat(data).catch(() => undefined);
  if (own !== 0 && owner !== undefined && owner.uid !== own) {
    throw new Failure(`The data folder ${data} belongs to another user (uid ${owner.uid})`, {
      code: 'embedded_postgres_not_ours',
      help: 'Run Waybill as the user that created it, or as root, or set DATABASE_URL.',
    });
  }
  if (own !== 0) return undefined;
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  try {
    const { stdout } = await run('/bin/sh', ['-c', POSTGRES_IDS]);
    const [uid, gid] = stdout.split('\n').map(Number);
    return { uid: uid ?? 0, gid: gid ?? 0 };
  } catch (cause) {
    throw new Failure('PostgreSQL cannot run as root, and the user "postgres" could not be created', {
      code: 'embedded_postgres_account',
      help: 'Create a user "postgres", run Waybill as an ordinary user, or set DATABASE_URL.',
      cause,
    });
  }
}

/** Whether `account` can enter `folder`. Asked of the system itself, as modes alone do not tell (ACLs, mounts). */
const canEnter = async (account: Account, folder: string): Promise<boolean> =>
  await run('/bin/sh', ['-c', 'cd "$0"', folder], { ...account, cwd: '/' }).then(
    () => true,
    () => false,
  );

/** Lets others pass through a folder, not look into it. */
async function letEnter(folder: string): Promise<void> {
  const { mode } = await fs.stat(folder);
  if ((mode & 0o111) !== 0o111) await fs.chmod(folder, (mode & 0o7777) | 0o111);
}

async function chooseBase(folder: string, account: Account): Promise<string> {
  const link = join(folder, 'data');
  if ((await fs.lstat(link).catch(() => undefined))?.isSymbolicLink() === true) {
    const data = resolve(folder, await fs.readlink(link));
    // Never start an empty database in the place of a lost one.
    if ((await fs.stat(data).catch(() => undefined)) === undefined)
      throw dataFailure(`The data folder ${data}, to which ${link} points, is gone`, 'Restore it from a backup.');
    return dirname(data);
  }
  if (account === undefined) return folder;
  await letEnter(folder);
  if (basename(dirname(folder)) === '.waybill') await letEnter(dirname(folder));
  if (await canEnter(account, folder)) return folder;
  const base = join('/var/lib/waybill', createHash('sha256').update(folder).digest('hex').slice(0, 16));
  await fs.mkdir(base, { recursive: true, mode: 0o711 });
  if (await canEnter(account, base)) return base;
  throw dataFailure(
    `PostgreSQL's user (uid ${account.uid}) can enter neither ${folder} nor ${base}`,
    'Move WAYBILL_HOME to a folder that every user may enter, run as an ordinary user, or set DATABASE_URL.',
  );
}

/** Where the package has the programs; a copy of them below `base` where `account` cannot run those. */
async function findPrograms(account: Account, base: string): Promise<string> {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const canRun = async (bin: string): Promise<unknown> =>
    await run(join(bin, 'postgres'), ['--version'], { ...account, cwd: '/', env: POSTGRES_ENVIRONMENT });
  try {
    const require = createRequire(import.meta.url);
    const root = join(dirname(createRequire(require.resolve('embedded-postgres')).resolve(platform)), '..');
    const shipped = join(root, 'native', 'bin');
    return await canRun(shipped).then(
      () => shipped,
      async (problem: unknown) => {
        if (account === undefined) throw problem;
        const { version } = JSON.parse(await fs.readFile(join(root, 'package.json'), 'utf8')) as { version: string };
        const copy = join(base, `native-${version}`);
        if ((await fs.stat(copy).catch(() => undefined)) === undefined) {
          const temporary = await fs.mkdtemp(`${copy}-`);
          await run('cp', ['-R', `${join(root, 'native')}/.`, temporary]);
          await run('chmod', ['-R', 'a+rX', temporary]);
          await fs.rename(temporary, copy).catch(ignoreExisting);
          await fs.rm(temporary, { recursive: true, force: true });
        }
        await canRun(join(copy, 'bin'));
        return join(copy, 'bin');
      },
    );
  } catch (cause) {
    throw new Failure(`The built-in PostgreSQL (${platform}) is not installed or does not run on this machine`, {
      code: 'embedded_postgres_unsupported',
      help: 'Install with optional dependencies, or set DATABASE_URL to a PostgreSQL of your own.',
      cause,
    });
  }
}

async function checkVersion(data: string): Promise<boolean> {
  const text = await fs.readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  const version = text?.trim();
  if (version !== undefined && version !== MAJOR_VERSION) {
    throw dataFailure(
      `The data in ${data} are of PostgreSQL ${version}, this is ${MAJOR_VERSION}`,
      `Dump them with version ${version} and load the dump into a new folder.`,
    );
  }
  if (version === undefined && ((await fs.readdir(data).catch(() => undefined))?.length ?? 0) > 0)
    throw dataFailure(`${data} is not empty, and no data folder of PostgreSQL`, 'Move its contents away.');
  return version !== undefined;
}

async function keepPassword(folder: string, isInitialised: boolean): Promise<string> {
  const file = join(folder, 'password');
  const kept = await fs.readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) return kept.trim();
  if (isInitialised)
    throw dataFailure(`The password file ${file} of the existing data is gone`, 'Restore it from a backup.');
  // Linked into place whole, so that of several processes all read what the first one wrote.
  const temporary = `${file}-${randomBytes(6).toString('hex')}`;
  await fs.writeFile(temporary, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  await fs.link(temporary, file).catch(ignoreExisting);
  await fs.rm(temporary);
  return (await fs.readFile(file, 'utf8')).trim();
}

async function initialise({ data, account, bin, password }: Cluster, base: string): Promise<void> {
  for (const name of await fs.readdir(base)) {
    // Left behind by a process that was killed while it initialised.
    const left = name.startsWith('init-') ? await fs.stat(join(base, name)).catch(() => undefined) : undefined;
    if (left !== undefined && Date.now() - left.mtimeMs > STALE_INIT_MS)
      await fs.rm(join(base, name), { recursive: true, force: true });
  }
  const temporary = await fs.mkdtemp(join(base, 'init-'));
  const passwordFile = join(temporary, 'password');
  const fresh = join(temporary, 'data');
  const options = {
    pgdata: fresh,
    username: SUPERUSER,
    pwfile: passwordFile,
    auth: 'scram-sha-256',
    encoding: 'UTF8',
    // Built in, and so the same on every machine: code point order, Unicode's case rules.
    locale: 'C',
    'locale-provider': 'builtin',
    'builtin-locale': 'C.UTF-8',
  };
  const args = [
    ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
    ...Object.entries(SETTINGS).map(([name, value]) => `--set=${name}=${value}`),
  ];
  try {
    await fs.writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    if (account !== undefined)
      for (const path of [temporary, passwordFile]) await fs.chown(path, account.uid, account.gid);
    await run(join(bin, 'initdb'), args, { ...account, cwd: '/', env: POSTGRES_ENVIRONMENT, timeout: 120_000 });
    await fs.rename(fresh, data).catch(ignoreExisting);
  } catch (cause) {
    const { stderr } = cause as { stderr?: string };
    throw new Failure(`PostgreSQL could not initialise ${data}: ${(stderr ?? '').trim().slice(-500)}`, {
      code: 'embedded_postgres_init',
      help: 'See the text, or set DATABASE_URL to a PostgreSQL of your own.',
      cause,
    });
  } finally {
    await fs.rm(temporary, { recursive: true, force: true });
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error;
}

const dataFailure = (message: string, help: string) => new Failure(message, { code: 'embedded_postgres_data', help });
