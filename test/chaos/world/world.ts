/** Everything a row breaks things in: records, queue, fleet, carriers, receivers, shippers. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';
import type { CarriersOptions, PushTo } from '../mock/carriers.ts';
import type { ReceiversOptions } from '../mock/receivers.ts';
import { DEAD } from '../order.ts';
import type { ScenarioContext } from '../scenario.ts';
import type { Patch } from '../seam/patches.ts';
import { credentialName } from '../oracle/secrets.ts';
import { callFor } from './call.ts';
import { startPeer } from './children.ts';
import { type Fleet, type FleetOptions, type MemberRole, startFleet } from './fleet.ts';
import { sharedPostgres } from './postgres.ts';
import { CARRIERS, writeProfiles } from './profiles.ts';
import { keepCommands } from './redis.ts';

export interface WorldOptions {
  readonly roles: readonly MemberRole[];
  readonly patches?: readonly Patch[];
  readonly point?: FleetOptions['point'];
  readonly env?: Readonly<Record<string, string>>;
  /** Of requests to carriers and of webhooks, how many go wrong on the other side. */
  readonly faults?: number;
  /** What waits for a carrier waits as long as in production, not as short as a row would like. */
  readonly waitsInFull?: boolean;
  /** Where the processes find the records, if not directly in the shared PostgreSQL. */
  readonly databaseUrl?: string;
  /** What stands between: yields the URL or port that the processes are given. */
  readonly through?: {
    readonly database?: (url: string) => Promise<string>;
    readonly redis?: (url: string) => Promise<string>;
    readonly carriers?: (url: string) => Promise<string>;
  };
}

export interface World extends AsyncDisposable {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly redis: RedisServer | undefined;
  readonly fleet: Fleet;
  /** The first has a receiver that answers, the second a dead one. */
  readonly shippers: readonly { readonly code: string; readonly token: string }[];
  readonly carrierTokens: Readonly<Record<string, string>>;
  readonly webhookSecrets: Readonly<Record<string, string>>;
  /** Longer than anybody may be kept waiting. */
  readonly answerWithinMs: number;
  /** By name: what must be found nowhere. */
  readonly planted: ReadonlyMap<string, string>;
  readonly journals: { readonly client: string; readonly carriers: string; readonly receivers: string };
}

const SHIPPERS = [
  { code: 'shop', receiver: 'shop' },
  { code: 'deaf', receiver: DEAD },
];
export const WEBHOOK_RETRIES = 2;

/** A create waits so long for its carrier: in production, and where a row does not want to wait for it. */
const CREATE_WAIT_MS = { full: 25_000, short: 2_000 } as const;
/** What the server allows itself for all but the carrier (`src/platform/processes/api.ts`), and a little to say so. */
const BESIDES_MS = 8_000 + 3_000;
/** Whatever is configured. */
const LONGEST_ANSWER_MS = 35_000;
/** Whoever asks waits longer than he may be kept waiting, or nobody would see that he was. */
export const givesUpAfter = ({ answerWithinMs }: Pick<World, 'answerWithinMs'>): number => answerWithinMs + 10_000;

export const startWorld = async (context: ScenarioContext, options: WorldOptions): Promise<World> => {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-chaos-'));
  starting.defer(async () => {
    if (process.env['CHAOS_KEEP'] === undefined) await rm(folder, { recursive: true, force: true });
    else context.log(`kept: ${folder}`);
  });
  const journals = {
    client: path.join(folder, 'client.jsonl'),
    carriers: path.join(folder, 'carriers.jsonl'),
    receivers: path.join(folder, 'receivers.jsonl'),
  };
  for (const file of Object.values(journals)) await writeFile(file, '');
  const { seed, patience } = context;
  const createWaitMs = CREATE_WAIT_MS[options.waitsInFull === true ? 'full' : 'short'];
  const answerWithinMs = Math.min(LONGEST_ANSWER_MS, createWaitMs + BESIDES_MS) * patience;
  const giveUpMs = givesUpAfter({ answerWithinMs });
  const faults = options.faults ?? 0;
  const mockLog = path.join(folder, 'mocks.log');
  const peer = async (name: string, own: CarriersOptions | ReceiversOptions) =>
    starting.use(await startPeer<string>(name, own, mockLog));
  const [carriers, receivers] = await Promise.all([
    peer('mock/carriers.ts', { journal: journals.carriers, seed, faults, giveUpMs }),
    peer('mock/receivers.ts', { journal: journals.receivers, seed, faults }),
  ]);
  const redis = context.backend === 'redis' ? await startRedisServer() : undefined;
  if (redis !== undefined) {
    starting.defer(redis.stop);
    await keepCommands(redis.url);
  }
  const databaseUrl = options.databaseUrl ?? (await (await sharedPostgres()).createDatabase());
  const home = path.join(folder, 'home');
  await mkdir(home);
  const { through } = options;
  await writeProfiles(
    home,
    (await through?.carriers?.(carriers.hello)) ?? carriers.hello,
    options.waitsInFull === true ? 30 : Math.min(30, 5 * patience),
  );

  const planted = new Map<string, string>();
  const plant = (name: string, value = `pl+${randomBytes(32).toString('base64')}`): string => {
    planted.set(name, value);
    return value;
  };
  const adminToken = plant('admin token');
  const redisUrl = redis === undefined ? undefined : ((await through?.redis?.(redis.url)) ?? redis.url);
  const fleet = await startFleet({
    roles: options.roles,
    readyWithinMs: 60_000 * patience,
    folder,
    patches: options.patches ?? [],
    point: options.point,
    env: {
      WAYBILL_HOME: home,
      DATABASE_URL: (await through?.database?.(databaseUrl)) ?? databaseUrl,
      REDIS_URL: redisUrl ?? '',
      HOST: '127.0.0.1',
      PUBLIC_URL: 'http://waybill.example',
      WAYBILL_ADMIN_TOKEN: adminToken,
      WAYBILL_SECRET_KEY: plant('secret key', randomBytes(32).toString('base64')),
      ALLOW_PRIVATE_NETWORKS: 'true',
      CREATE_WAIT_MS: String(createWaitMs),
      WEBHOOK_RETRIES: String(WEBHOOK_RETRIES),
      WEBHOOK_RETRY_MS: '1000',
      LOG_LEVEL: 'info',
      ...options.env,
    },
  });
  starting.defer(fleet.stop);

  const api = fleet.urls[0] ?? '';
  const admin = async <Body>(method: string, where: string, body: unknown): Promise<Body> =>
    await callFor<Body>({ method, url: `${api}${where}`, token: adminToken, body });
  const shippers: { code: string; token: string }[] = [];
  const webhookSecrets: Record<string, string> = {};
  for (const { code, receiver } of SHIPPERS) {
    const { token } = await admin<{ token: string }>('POST', '/admin/shippers', { code, name: `Example ${code}` });
    shippers.push({ code, token: plant(`token of ${code}`, token) });
    const { secret } = await callFor<{ secret: string }>({
      method: 'POST',
      url: `${api}/v2/webhooks`,
      token,
      body: { url: `${receivers.hello}/${receiver}`, orderTypes: ['FORWARD'] },
    });
    webhookSecrets[receiver] = plant(`webhook secret of ${code}`, secret);
  }
  const carrierTokens: Record<string, string> = {};
  const register = async (carrier: string): Promise<void> => {
    const { token } = await admin<{ token: string }>('POST', `/admin/carriers/${carrier}/tokens`, {});
    carrierTokens[carrier] = plant(`token of ${carrier}`, token);
    for (const { code: shipper } of SHIPPERS) {
      const credentials = { token: plant(credentialName(shipper, carrier)) };
      const account = { shipper, carrier, environment: 'production', credentials, settings: {} };
      await admin('PUT', '/admin/accounts', account);
    }
  };
  await Promise.all(CARRIERS.map(async ({ code }) => await register(code)));
  carriers.tell({ urls: fleet.urls, tokens: carrierTokens } satisfies PushTo);
  const started = starting.move();
  return {
    folder,
    databaseUrl,
    redis,
    fleet,
    shippers,
    carrierTokens,
    webhookSecrets,
    planted,
    journals,
    answerWithinMs,
    [Symbol.asyncDispose]: async () => await started.disposeAsync(),
  };
};
