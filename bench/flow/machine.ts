/** The processes of a run, and what they cost. None of them outlives it. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../src/platform/records/embedded.ts';
import { quietLog } from '../../test/support/log.ts';
import { startRedisServer } from '../../test/support/redis-server.ts';
import { whenWeAreGone } from '../../test/support/watchdog.ts';

// Costs ----------------------------------------------------------------------------------------------------------------

/** CPU of all threads of a process so far, in milliseconds; 0 once it is gone. */
const cpuMsOf = (pid: number): number => {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const ns = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'latin1').split(' ')[0]);
    return ns.reduce((sum, one) => sum + Number(one), 0) / 1e6;
  } catch {
    return 0;
  }
};

const MS_PER_TICK = 10;

interface Stat {
  readonly parent: number;
  /** Of the children that have ended. */
  readonly endedMs: number;
  readonly residentMb: number;
}

const statOf = (pid: number): Stat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const ended = (fields[13] ?? 0) + (fields[14] ?? 0);
    return { parent, endedMs: ended * MS_PER_TICK, residentMb: ((fields[21] ?? 0) * 4_096) / 1_048_576 };
  } catch {
    return undefined;
  }
};

/** CPU of a process and of its children so far, in milliseconds. */
export const treeCpuMs = (pid: number): number => {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statOf(Number(name))?.parent === pid);
  const living = [pid, ...children.map(Number)].reduce((sum, one) => sum + cpuMsOf(one), 0);
  return living + (statOf(pid)?.endedMs ?? 0);
};

export const residentMb = (pid: number): number => statOf(pid)?.residentMb ?? 0;

// Processes ------------------------------------------------------------------------------------------------------------

const pidOf = ({ pid }: ChildProcess): number => {
  if (pid === undefined) throw new Error('the process did not start');
  return pid;
};

const endOf = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
};

/** A process of ours that answers one question at a time. */
export interface Peer extends AsyncDisposable {
  ask<Answer>(question: object): Promise<Answer>;
}

const peerOf = (child: ChildProcess, name: string): Peer => {
  const gone = new AbortController();
  child.once('exit', (code) => gone.abort(new Error(`${name} ended with ${code}`)));
  return {
    ask: async (question) => {
      const answer = once(child, 'message', gone);
      child.send(question);
      return ((await answer) as [never])[0];
    },
    [Symbol.asyncDispose]: async () => await endOf(child),
  };
};

/** Starts a file of this folder; it ends with this process, whose channel it holds. */
export const startPeer = (file: string, cwd?: string): Peer =>
  peerOf(fork(path.join(import.meta.dirname, file), cwd === undefined ? {} : { cwd }), file);

/** In the peer's process: answers each question. */
export const answering = (answer: (question: never) => Promise<object>): void => {
  process.on('message', (question) => {
    void answer(question as never).then((message) => process.send?.(message));
  });
  process.once('disconnect', () => process.exit());
};

export interface Started extends AsyncDisposable {
  readonly pid: number;
}

interface NodeOptions {
  readonly env: Record<string, string>;
  readonly cwd: string;
  readonly isReady: () => Promise<boolean>;
  /** A file of this folder that answers as a peer does. */
  readonly preload?: string | undefined;
}

/** Starts Node on a file, and waits until `isReady`; what it writes is shown if it ends before. */
export const startNode = async (
  args: readonly string[],
  { env, cwd, isReady, preload }: NodeOptions,
): Promise<Started & { peer: Peer | undefined }> => {
  const before = preload === undefined ? [] : ['--import', path.join(import.meta.dirname, preload)];
  const child = spawn(process.execPath, [...before, ...args], {
    env: { ...process.env, ...env },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe', ...(preload === undefined ? [] : (['ipc'] as const))],
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data: Buffer) => (written = (written + data.toString()).slice(-4_000)));
  whenWeAreGone('grep -aqF -- "$2" "/proc/$1/cmdline" && kill -KILL "$1"', String(child.pid), args[0] ?? '');
  for (let tries = 0; !(await isReady().catch(() => false)); tries += 1) {
    if (child.exitCode !== null || tries > 600) throw new Error(`${args.join(' ')} is not ready: ${written}`);
    await sleep(100);
  }
  const peer = preload === undefined ? undefined : peerOf(child, preload);
  return { pid: pidOf(child), peer, [Symbol.asyncDispose]: async () => await endOf(child) };
};

// Records and queue ----------------------------------------------------------------------------------------------------

export interface Records extends Started {
  readonly databaseUrl: string;
  /** For looking; it is not counted. */
  readonly client: Client;
  readonly port: number;
  /** Its log, in which each line begins with the number of its transaction. */
  readonly logFile: string;
}

const SETTINGS = {
  logging_collector: 'on',
  log_filename: 'server.log',
  log_line_prefix: '%v ',
  log_parameter_max_length: '0',
  // Once it is told to: a session takes all of them at once.
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  'auto_explain.log_nested_statements': 'on',
  shared_preload_libraries: 'pg_stat_statements,auto_explain',
  shared_buffers: '512MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  max_connections: '200',
};

/** The PostgreSQL that Waybill brings, with the settings of a server of this size, counting its statements. */
export const startRecords = async (): Promise<Records> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-flow-'));
  const first = await startEmbeddedPostgres({ folder, log: quietLog });
  const data = await asClient(first.databaseUrl, async (client) => {
    const { rows } = await client.query<{ data: string }>(`select current_setting('data_directory') as data`);
    return rows[0]?.data ?? '';
  });
  await first.stop();
  const lines = Object.entries(SETTINGS).map(([name, value]) => `${name} = '${value}'`);
  await appendFile(path.join(data, 'postgresql.conf'), `\n${lines.join('\n')}\n`);
  // A contender may bring its own role.
  const access = path.join(data, 'pg_hba.conf');
  await writeFile(access, `host all postgres 127.0.0.1/32 trust\n${await readFile(access, 'utf8')}`);
  const server = await startEmbeddedPostgres({ folder, log: quietLog });
  const client = await connected(server.databaseUrl);
  await client.query('create extension if not exists pg_stat_statements');
  const [pid = ''] = (await readFile(path.join(data, 'postmaster.pid'), 'utf8')).split('\n');
  return {
    pid: Number(pid),
    databaseUrl: server.databaseUrl,
    port: Number(new URL(server.databaseUrl).port),
    client,
    logFile: path.join(data, 'log', SETTINGS.log_filename),
    [Symbol.asyncDispose]: async () => {
      await client.end();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Whoever waits for its next statement learns of a setting when that comes. */
export const configure = async ({ client }: Records, settings: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, value] of Object.entries(settings)) await client.query(`alter system set ${name} = '${value}'`);
  await client.query('select pg_reload_conf()');
};

const connected = async (connectionString: string): Promise<Client> => {
  const client = new Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  return client;
};

const asClient = async <Result>(url: string, act: (client: Client) => Promise<Result>): Promise<Result> => {
  const client = await connected(url);
  try {
    return await act(client);
  } finally {
    await client.end();
  }
};

export interface Queue extends Started {
  readonly url: string;
  readonly port: number;
}

export const startQueue = async (): Promise<Queue> => {
  const { url, port, pid, stop } = await startRedisServer();
  return { url, port, pid, [Symbol.asyncDispose]: stop };
};
