import { execFile, spawn } from 'node:child_process';
import { open, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Failure } from '../../engine/failure.ts';
import { POSTGRES_ENVIRONMENT } from './embedded-binaries.ts';
import type { Cluster } from './embedded-cluster.ts';

const run = promisify(execFile);

/** What `postmaster.pid` says of a server. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

/** Reads `postmaster.pid`; undefined when there is none, or none that can be understood. */
export async function readPostmaster(data: string): Promise<Postmaster | undefined> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  return Number.isInteger(pid) && pid > 0 && Number.isInteger(port) && port > 0 ? { pid, port } : undefined;
}

/**
 * Whether the process of a `postmaster.pid` is alive and a server of this data folder, and not one that was given
 * the same number after a crash.
 */
export async function isServing(data: string, pid: number): Promise<boolean> {
  if (!(await isAlive(pid))) return false;
  // Of /proc only the command line can be read without the right to trace, which root in a container lacks.
  const asking =
    process.platform === 'linux'
      ? readFile(`/proc/${pid}/cmdline`, 'utf8').then((text) => text.replaceAll('\0', ' '))
      : run('ps', ['-o', 'command=', '-p', String(pid)]).then(({ stdout }) => stdout);
  // It may end while we ask.
  const command = await asking.catch(() => '');
  return command.includes(` -D ${data} `);
}

/**
 * Starts a server, apart from our process group, so that neither Ctrl-C nor our death reaches it.
 * `exited` resolves with the end of its log once it is gone.
 */
export async function spawnPostmaster(
  cluster: Cluster,
  port: number,
  fsync: boolean,
): Promise<{ pid: number; exited: Promise<string> }> {
  const settings = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '' };
  const unsafe = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const args = Object.entries(fsync ? settings : { ...settings, ...unsafe }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const log = await open(cluster.startLog, 'w', 0o600);
  try {
    const child = spawn(cluster.binaries.postgres, ['-D', cluster.data, ...args], {
      ...cluster.account,
      cwd: '/',
      env: POSTGRES_ENVIRONMENT,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    const exited = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', () => {
        resolve(readFile(cluster.startLog, 'utf8').then((text) => text.trim().slice(-800), String));
      });
    });
    child.unref();
    return { pid: child.pid ?? 0, exited };
  } finally {
    await log.close();
  }
}

/** Removes a `postmaster.pid` whose process is none of ours, which would keep the server from starting. */
export const removeStalePidFile = (data: string): Promise<void> => rm(join(data, 'postmaster.pid'), { force: true });

/** Ends a server: a fast shutdown, and an immediate one when that takes longer than `limitMs`. Resolves when it is gone. */
export async function endPostmaster(data: string, pid: number, limitMs = 30_000): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!(await isServing(data, pid))) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw error;
    }
    const deadline = Date.now() + limitMs;
    while (Date.now() < deadline) {
      if (!(await isAlive(pid))) return;
      await sleep(15);
    }
  }
  throw new Failure(`PostgreSQL (process ${pid}) does not end`, { code: 'embedded_postgres_stop' });
}

/** A port of 127.0.0.1 that is free just now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  // A dead child that nobody has waited for still has its number.
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/\) [ZX] /.test(status);
}
