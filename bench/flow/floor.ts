/**
 * A dispatcher and a status intake written by hand, which promise nothing: a yardstick that lies outside of the
 * project. Its folder is copied, as it needs packages of its own.
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../../src/platform/records/embedded-postmaster.ts';
import type { Contender } from './contender.ts';
import { startNode, startQueue, startRecords } from './machine.ts';

const COPY = path.resolve(import.meta.dirname, '../../node_modules/.cache/floor');

const TRAFFIC = `import { consignment, statusEvent } from './payload.mjs';
export const orderOf = (_, number) => consignment(number);
export const statusOf = (_, number) => statusEvent(number);
`;

/** Copies the floor and installs what it needs. */
const prepare = async (folder: string): Promise<void> => {
  await mkdir(COPY, { recursive: true });
  await cp(folder, COPY, { recursive: true });
  await writeFile(path.join(COPY, 'traffic.mjs'), TRAFFIC);
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], { cwd: COPY });
};

/** `naive`: a row at a time; `tuned`: in batches. */
export const startFloor = async (folder: string, variant: 'naive' | 'tuned'): Promise<Contender> => {
  await prepare(folder);
  await using starting = new AsyncDisposableStack();
  const records = starting.use(await startRecords());
  await records.client.query('create role postgres superuser login');
  await records.client.query('create database postgres').catch(() => undefined);
  const queue = starting.use(await startQueue());
  const start = async (file: string, port: number, args: readonly (number | string)[], ready: string) =>
    starting.use(
      await startNode([path.join(COPY, file), ...[port, ...args].map(String)], {
        cwd: COPY,
        env: {},
        isReady: async () => (await fetch(`http://127.0.0.1:${port}${ready}`)).ok,
      }),
    );
  const carrierPort = await freePort();
  await start('mock.mjs', carrierPort, ['dyn'], '/count');
  const port = await freePort();
  const server = await start('floor.mjs', port, [records.port, queue.port, carrierPort, variant], '/stats');
  const url = `http://127.0.0.1:${port}`;
  const started = starting.move();
  return {
    name: `floor, ${variant}`,
    pid: server.pid,
    profiler: undefined,
    records,
    queue,
    cwd: COPY,
    trafficOf: (kind) => ({
      targets: [{ url: `${url}${kind === 'dispatch' ? '/v2/consignments' : '/status'}`, token: '', carrier: '' }],
      traffic: path.join(COPY, 'traffic.mjs'),
    }),
    first: 0,
    marks: { dispatch: 1, push: 1 },
    done: async (kind) => {
      const { done, evDone } = (await (await fetch(`${url}/stats`)).json()) as { done: number; evDone: number };
      return kind === 'dispatch' ? done : evDone;
    },
    left: async () => await (await fetch(`${url}/stats`)).text(),
    [Symbol.asyncDispose]: async () => await started.disposeAsync(),
  };
};
