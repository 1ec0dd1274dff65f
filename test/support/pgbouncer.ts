/** PgBouncer in transaction mode, in front of the run's PostgreSQL. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { freePort } from '../../src/platform/records/embedded-postmaster.ts';
import { until } from './until.ts';
import { whenWeAreGone } from './watchdog.ts';

/** Debian's package of the same name. */
const COMMAND = 'pgbouncer';

const isInstalled = ((): boolean => {
  try {
    execFileSync(COMMAND, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** `describe`, skipped with the reason in its name where there is no PgBouncer. */
export const describePooler: typeof describe.skip = isInstalled
  ? describe
  : (((name: string, body: () => void) =>
      describe.skip(`${name} (skipped: pgbouncer is not installed)`, body)) as typeof describe.skip);

/** Any database of that server by the same name; few connections, so that clients share them. */
export const startPooler = async (databaseUrl: string) => {
  const { hostname, port, username, password } = new URL(databaseUrl);
  const own = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'waybill-test-pgbouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  const secret = decodeURIComponent(password).replaceAll("'", "''");
  await writeFile(
    file,
    [
      '[databases]',
      `* = host=${hostname} port=${port} user=${username} password='${secret}'`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${own}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      'default_pool_size = 4',
      'max_client_conn = 400',
      '',
    ].join('\n'),
  );
  // It does not run as root, and then has to read this as somebody else.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await Promise.all([chmod(folder, 0o755), chmod(file, 0o644)]);
  const child = spawn(COMMAND, ['-q', ...(isRoot ? ['-u', 'nobody'] : []), file], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  whenWeAreGone('kill -KILL "$1"; rm -rf "$2"', String(child.pid), folder);
  await until('PgBouncer listens', async () => {
    const socket = connect(own, '127.0.0.1');
    const isListening = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return isListening;
  });
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(own);
  return {
    url: url.href,
    stop: async (): Promise<void> => {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
};
