import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/platform/records/embedded.ts';
import {
  endPostmaster,
  freePort,
  isServing,
  readPostmaster,
} from '../../../src/platform/records/embedded-postmaster.ts';
import { queryAt } from '../../support/database.ts';
import { quietLog, recordingLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';

const SCRIPT = fileURLToPath(new URL('embedded-process.ts', import.meta.url));
/** A cluster that was initialised once, for tests of what comes after that. */
let model: string;
let folder: string;
let data: string;
const children: ChildProcessWithoutNullStreams[] = [];
const started: EmbeddedPostgres[] = [];

beforeAll(async () => {
  model = await mkdtemp(join(tmpdir(), 'waybill-embedded-model-'));
  await (await startEmbeddedPostgres({ folder: model, log: quietLog, fsync: false })).stop();
});
afterAll(async () => await rm(model, { recursive: true, force: true }));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-embedded-'));
  data = join(folder, 'data');
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const postgres of started.splice(0)) await postgres.stop();
  const left = await readPostmaster(data);
  if (left !== undefined) await endPostmaster(data, left.pid);
  await rm(folder, { recursive: true, force: true });
});

async function start(own: Partial<EmbeddedOptions> = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ folder, log: quietLog, fsync: false, ...own });
  started.push(postgres);
  return postgres;
}

const expectRefusal = async (code: string, says = '', own: Partial<EmbeddedOptions> = {}) => {
  const message = expect.stringContaining(says) as unknown;
  await expect(start(own)).rejects.toMatchObject({ code, message });
};

/** The folder as a server leaves it that has run before, owners and modes as they were. */
function begunBefore(): void {
  execFileSync('cp', ['-a', `${model}/.`, folder]);
}

const query = ({ databaseUrl }: { readonly databaseUrl: string }, sql: string) =>
  queryAt<Record<string, unknown>>(databaseUrl, sql);
const create = (postgres: { readonly databaseUrl: string }) => query(postgres, 'create table kept as select 7 as id');
const kept = (postgres: { readonly databaseUrl: string }) => query(postgres, 'select * from kept');
const KEPT = [{ id: 7 }];
const expectNoneServes = async () => expect(await readPostmaster(data)).toBeUndefined();

/** Another process that uses the folder, once its server is up. */
async function startElsewhere(): Promise<{ child: ChildProcessWithoutNullStreams; databaseUrl: string }> {
  const child = spawn(process.execPath, [SCRIPT, folder]);
  children.push(child);
  child.stderr.pipe(process.stderr);
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, databaseUrl: String(said).trim() };
}

const end = async (child: ChildProcessWithoutNullStreams) => {
  child.stdin.write('end\n');
  await once(child, 'exit');
};

describe('the built-in PostgreSQL', () => {
  it('starts, in UTF-8 and the same order on every machine, and ends', async () => {
    const postgres = await start({ fsync: true });
    const [settings] = await query(
      postgres,
      `select current_setting('server_version_num')::int / 10000 as version, current_database() as database,
         current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
         current_setting('timezone') as zone, datlocprovider::text || ' ' || datlocale as locale,
         array(select x from unnest(array['b', 'Z', 'ä', 'a']) as x order by x)::text as sorted
       from pg_database where datname = current_database()`,
    );
    expect(settings).toEqual({
      version: 18,
      database: 'waybill',
      encoding: 'UTF8',
      fsync: 'on',
      zone: 'UTC',
      locale: 'b C.UTF-8',
      sorted: '{Z,a,b,ä}',
    });
    const pid = (await readPostmaster(data))!.pid;
    await postgres.stop();
    expect(await isServing(data, pid)).toBe(false);
    await expectNoneServes();
    await postgres.stop();
  });

  it('listens on 127.0.0.1 only, and for its password only, which is kept for its owner', async () => {
    const postgres = await start();
    const listens = `select current_setting('listen_addresses') as tcp, current_setting('unix_socket_directories') as unix`;
    expect(await query(postgres, listens)).toEqual([{ tcp: '127.0.0.1', unix: '' }]);
    const password = (await readFile(join(folder, 'password'), 'utf8')).trim();
    expect(new URL(postgres.databaseUrl).password).toBe(password);
    expect(password.length).toBeGreaterThanOrEqual(32);
    expect((await stat(join(folder, 'password'))).mode & 0o777).toBe(0o600);
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    const wrong = new URL(postgres.databaseUrl);
    wrong.password = 'wrong';
    await expect(queryAt(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('keeps the data and the password from run to run', async () => {
    const first = await start();
    await create(first);
    await first.stop();
    const second = await start();
    expect(new URL(second.databaseUrl).password).toBe(new URL(first.databaseUrl).password);
    expect(await kept(second)).toEqual(KEPT);
  });

  it('takes the port it is given', async () => {
    begunBefore();
    const port = await freePort();
    const postgres = await start({ port });
    expect(new URL(postgres.databaseUrl).port).toBe(String(port));
  });

  it('outlives a kill -9 of its parent, and is adopted', async () => {
    begunBefore();
    const { child, databaseUrl } = await startElsewhere();
    await create({ databaseUrl });
    const before = await readPostmaster(data);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const log = recordingLog();
    const postgres = await start({ log });
    expect(await readPostmaster(data)).toEqual(before);
    expect(postgres.databaseUrl).toBe(databaseUrl);
    expect(log.lines.map(({ message }) => message)).toEqual(['adopted the built-in PostgreSQL that was running']);
    expect(await kept(postgres)).toEqual(KEPT);
    await postgres.stop();
    expect(await isServing(data, before!.pid)).toBe(false);
  });

  it('stays up while another process uses it, and ends with the last', async () => {
    begunBefore();
    const { child, databaseUrl } = await startElsewhere();
    const ours = await start();
    expect(ours.databaseUrl).toBe(databaseUrl);
    await ours.stop();
    expect(await query({ databaseUrl }, 'select 1 as one')).toEqual([{ one: 1 }]);
    await end(child);
    await expectNoneServes();
  });

  it('is one and the same for processes that start at once', async () => {
    const all = await Promise.all([startElsewhere(), startElsewhere(), start(), start()]);
    expect(new Set(all.map(({ databaseUrl }) => databaseUrl)).size).toBe(1);
    expect(await query(all[0], 'select 1 as one')).toEqual([{ one: 1 }]);
    expect((await readdir(folder)).toSorted()).toEqual(['data', 'password', 'start.log']);
    await Promise.all([all[2].stop(), all[3].stop()]);
    for (const { child } of [all[0], all[1]]) await end(child);
    await expectNoneServes();
  });

  it('starts past a postmaster.pid whose process is gone, or is another one by now', async () => {
    begunBefore();
    const first = await start();
    const { pid } = (await readPostmaster(data))!;
    await create(first);
    const text = await readFile(join(data, 'postmaster.pid'), 'utf8');
    await first.stop();
    for (const stale of [pid, process.pid]) {
      await writeFile(join(data, 'postmaster.pid'), text.replace(/^\d+/, String(stale)));
      const again = await start();
      expect((await readPostmaster(data))!.pid).not.toBe(stale);
      expect(await kept(again)).toEqual(KEPT);
      await again.stop();
    }
  });

  it('is started again on its port when it dies', async () => {
    begunBefore();
    const log = recordingLog();
    const postgres = await start({ log, fsync: true });
    await create(postgres);
    const { pid } = (await readPostmaster(data))!;
    process.kill(pid, 'SIGKILL');
    await until('it is back', async () => (await kept(postgres).catch(() => [])).length === 1);
    expect((await readPostmaster(data))!.pid).not.toBe(pid);
    expect(log.lines.some(({ level }) => level === 'warn')).toBe(true);
    await until('it is held again', () => log.lines.filter(({ level }) => level === 'info').length === 2);
    await postgres.stop();
    await expectNoneServes();
  });

  it.runIf(process.getuid?.() === 0)('keeps the data elsewhere when its user cannot enter the folder', async () => {
    const closed = join(folder, 'home');
    await mkdir(closed, { mode: 0o700 });
    const inside = join(closed, '.waybill', 'postgres');
    const postgres = await start({ folder: inside });
    data = await realpath(join(inside, 'data'));
    try {
      expect((await lstat(join(inside, 'data'))).isSymbolicLink()).toBe(true);
      expect((await stat(closed)).mode & 0o777).toBe(0o700);
      await create(postgres);
      await postgres.stop();
      expect(await kept(await start({ folder: inside }))).toEqual(KEPT);
    } finally {
      for (const each of started.splice(0)) await each.stop();
      await rm(dirname(data), { recursive: true, force: true });
      await rmdir('/var/lib/waybill').catch(() => undefined);
    }
    await expectRefusal('embedded_postgres_data', 'is gone', { folder: inside });
  });

  it('says what is wrong with a folder it cannot use', async () => {
    begunBefore();
    const password = await readFile(join(folder, 'password'));
    await rm(join(folder, 'password'));
    await expectRefusal('embedded_postgres_data');
    await writeFile(join(folder, 'password'), password);
    await writeFile(join(data, 'PG_VERSION'), '17\n');
    await expectRefusal('embedded_postgres_data', 'PostgreSQL 17');
    await rm(join(data, 'PG_VERSION'));
    await expectRefusal('embedded_postgres_data');
  });

  it('says what the server said when it does not start', async () => {
    begunBefore();
    await writeFile(join(data, 'postgresql.auto.conf'), "shared_buffers = 'plenty'\n");
    await expectRefusal('embedded_postgres_start', 'shared_buffers');
  });
});
