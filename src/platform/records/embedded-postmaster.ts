/** The server process of a data folder: what `postmaster.pid` says of it, its start and its end. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Failure } from '../../engine/failure.ts';
import { type Cluster, POSTGRES_ENVIRONMENT } from './embedded-cluster.ts';

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

/** Reads `postmaster.pid`; undefined when there is none, or none that can be understood. */
export async function readPostmaster(data: string): Promise<Postmaster | undefined> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return pid > 0 && port > 0 ? { pid, port } : undefined;
}

/** Whether a process is a server of this data folder, and not one that was given the same number after a crash. */
export async function isServing(data: string, pid: number): Promise<boolean> {
  // Of /proc only the command line can be read without the right to trace, which root in a container lacks.
  const command =
    process.platform === 'linux'
      ? readFile(`/proc/${pid}/cmdline`, 'utf8').then((text) => text.replaceAll('\0', ' '))
      : promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).then(({ stdout }) => stdout);
  return (await command.catch(() => '')).includes(` -D ${data} `);
}

/**
 * Starts a server, apart from our process group, so that neither Ctrl-C nor our death reaches it. Resolves when it
 * accepts connections, else with what it said before it ended.
 */
export async function startPostmaster(cluster: Cluster, port: number, fsync: boolean): Promise<string | undefined> {
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', "unix_socket_directories=''"];
  if (!fsync) settings.push('fsync=off', 'synchronous_commit=off', 'full_page_writes=off');
  const options = settings.map((setting) => `-c ${setting}`).join(' ');
  const log = await open(cluster.startLog, 'w', 0o600);
  try {
    const args = ['start', '--silent', `--pgdata=${cluster.data}`, '--wait', '--timeout=120', `--options=${options}`];
    const child = spawn(join(cluster.bin, 'pg_ctl'), args, {
      ...cluster.account,
      cwd: '/',
      env: POSTGRES_ENVIRONMENT,
      stdio: ['ignore', log.fd, log.fd],
    });
    const [status] = (await once(child, 'exit')) as [number | null];
    return status === 0 ? undefined : (await readFile(cluster.startLog, 'utf8')).trim().slice(-800);
  } finally {
    await log.close();
  }
}

/** Ends a server: a fast shutdown, and an immediate one when that takes longer than `limitMs`. Resolves when it is gone. */
export async function endPostmaster(data: string, pid: number, limitMs = 30_000): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    const deadline = Date.now() + limitMs;
    for (let isTold = false; Date.now() < deadline; isTold = true) {
      if (!(await isServing(data, pid))) return;
      if (isTold) await sleep(15);
      else tell(pid, signal);
    }
  }
  throw new Failure(`PostgreSQL (process ${pid}) does not end`, { code: 'embedded_postgres_stop' });
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A port of `host` that is free just now. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
