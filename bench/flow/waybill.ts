import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../src/platform/records/embedded-postmaster.ts';
import type { Contender } from './contender.ts';
import { type Peer, type Started, startNode, startPeer, startQueue, startRecords } from './machine.ts';
import type { Counted } from './other-side.ts';
import type { Kind, Load } from './shippers.ts';
import { profileOf } from './traffic.ts';

export interface Form {
  readonly backend: 'redis' | 'postgres';
  readonly carriers: number;
  /** Shippers, each with one subscription. */
  readonly subscribers: number;
  /** Consignments that are there already. */
  readonly history: number;
  readonly isProfiled: boolean;
}

export const ADMIN = 'flow-admin-token-that-is-only-for-this-run-0';
const SERVER = path.resolve(import.meta.dirname, '../../src/cli/waybill.js');

const nameOf = ({ backend, carriers, subscribers, history }: Form): string =>
  [
    backend,
    ...(carriers === 1 ? [] : [`${carriers} carriers`]),
    ...(subscribers === 1 ? [] : [`${subscribers} subscribers`]),
    ...(history === 0 ? [] : [`history of ${history}`]),
  ].join(', ');

const at = <One>(list: readonly One[], index: number): One => list[index % list.length] as One;

const LEFT = ['dispatches', 'pushes', 'deliveries']
  .map((table) => `select '${table} ' || state || ': ' || count(*) as left from ${table} group by state`)
  .join(' union all ');

interface Waybill extends Contender {
  /** Carriers and subscribers. */
  readonly otherSide: Peer;
  readonly startWorker: () => Promise<Started>;
}

/** A server with everything it needs, its carriers' accounts and its shippers' subscriptions. */
export const startWaybill = async (form: Form, role: 'all' | 'api' = 'all'): Promise<Waybill> => {
  await using starting = new AsyncDisposableStack();
  const otherSide = starting.use(startPeer('other-side.ts'));
  const { port: otherPort } = await otherSide.ask<Counted>({});
  const home = await mkdtemp(path.join(tmpdir(), 'waybill-flow-home-'));
  starting.defer(async () => await rm(home, { recursive: true, force: true }));
  await mkdir(path.join(home, 'carriers'));
  const carriers = Array.from({ length: form.carriers }, (_, at) => `flow${at}`);
  for (const carrier of carriers)
    await writeFile(path.join(home, 'carriers', `${carrier}.yaml`), profileOf(carrier, otherPort));
  const records = starting.use(await startRecords());
  const queue = form.backend === 'redis' ? starting.use(await startQueue()) : undefined;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    WAYBILL_HOME: home,
    DATABASE_URL: records.databaseUrl,
    REDIS_URL: queue?.url ?? '',
    PORT: String(port),
    WAYBILL_ADMIN_TOKEN: ADMIN,
    WAYBILL_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    ALLOW_PRIVATE_NETWORKS: 'true',
    RATE_LIMIT: '0',
    CREATE_WAIT_MS: '0',
    LOG_LEVEL: 'warn',
  };
  const serve = async (as: 'all' | 'api' | 'worker', own: Record<string, string>, ready: string) =>
    await startNode([SERVER, 'serve', '--role', as], {
      cwd: home,
      preload: form.isProfiled ? 'profiled.ts' : undefined,
      env: { ...env, ...own },
      isReady: async () => (await fetch(`${ready}/readyz`)).ok,
    });
  const server = starting.use(await serve(role, {}, url));
  const call = async <Body>(method: string, where: string, token: string, body: object): Promise<Body> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}${where}`, { method, headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${where} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Body;
  };
  const carrierTokens = new Map<string, string>();
  for (const carrier of carriers) {
    const { token } = await call<{ token: string }>('POST', `/admin/carriers/${carrier}/tokens`, ADMIN, {});
    carrierTokens.set(carrier, token);
  }
  const shippers: string[] = [];
  for (let at = 0; at < form.subscribers; at += 1) {
    const code = `shop${at}`;
    const { token } = await call<{ token: string }>('POST', '/admin/shippers', ADMIN, { code, name: 'Example shop' });
    for (const carrier of carriers)
      await call('PUT', '/admin/accounts', ADMIN, {
        shipper: code,
        carrier,
        environment: 'production',
        credentials: { token: 'example-token' },
        settings: {},
      });
    await call('POST', '/v2/webhooks', token, {
      url: `http://127.0.0.1:${otherPort}/hook/${code}`,
      orderTypes: ['FORWARD'],
    });
    shippers.push(token);
  }
  // Consignment n is of shipper n and carrier n, round and round: as many targets as it takes until both are back at 0.
  const every = Array.from({ length: form.carriers * form.subscribers }, (_, at) => at);
  const targets: Record<Kind, Load['targets']> = {
    dispatch: every.map((n) => ({
      url: `${url}/v2/consignments`,
      token: at(shippers, n),
      carrier: at(carriers, n),
    })),
    push: every.map((n) => {
      const carrier = at(carriers, n);
      return { url: `${url}/v2/carriers/${carrier}/statuses`, token: carrierTokens.get(carrier) ?? '', carrier };
    }),
  };
  const startWorker = async (): Promise<Started> => {
    const own = await freePort();
    return await serve('worker', { WORKER_PORT: String(own) }, `http://127.0.0.1:${own}`);
  };
  const started = starting.move();
  return {
    name: nameOf(form),
    pid: server.pid,
    profiler: server.peer,
    records,
    queue,
    otherSide,
    startWorker,
    cwd: undefined,
    trafficOf: (kind) => ({ targets: targets[kind], traffic: 'traffic.ts' }),
    first: 0,
    marks: { dispatch: 1, push: 1 },
    done: async () => (await otherSide.ask<Counted>({})).webhooks,
    left: async () => {
      const { rows } = await records.client.query<{ left: string }>(LEFT);
      return rows.map(({ left }) => left).join('; ');
    },
    [Symbol.asyncDispose]: async () => await started.disposeAsync(),
  };
};
