import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { whenWeAreGone } from './watchdog.ts';
import { freePort } from '../../src/platform/records/embedded-postmaster.ts';

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Ends it; what it held is lost. */
  stop(): Promise<void>;
}

/** The command to run, or undefined where neither Redis nor Valkey is installed. */
export function findRedisCommand(): string | undefined {
  return ['redis-server', 'valkey-server'].find((command) => {
    try {
      execFileSync(command, ['--version'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

/** Starts a server of its own on 127.0.0.1, without persistence. It ends with this process, too. */
export async function startRedisServer(port?: number, more: readonly string[] = []): Promise<RedisServer> {
  const command = findRedisCommand();
  if (command === undefined) throw new Error('neither redis-server nor valkey-server is installed');
  const chosen = port ?? (await freePort());
  const folder = await mkdtemp(join(tmpdir(), 'waybill-test-redis-'));
  const args = ['--port', String(chosen), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const child = spawn(command, [...args, '--databases', '64', ...more], { stdio: 'ignore' });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const orphaned = 'grep -aq "127.0.0.1:$2" "/proc/$1/cmdline" && kill -KILL "$1"; rm -rf "$3"';
  whenWeAreGone(orphaned, String(child.pid), String(chosen), folder);
  await untilListening(child, chosen);
  return {
    url: `redis://127.0.0.1:${chosen}`,
    port: chosen,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  for (let tries = 0; tries < 250; tries += 1) {
    if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
    const isListening = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isListening) return;
    await sleep(20);
  }
  throw new Error('redis-server does not listen');
}
