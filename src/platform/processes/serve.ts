/** `waybill serve`: opens the platform, listens, prints a summary, and shuts down in order. */
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DestinationStream, pino } from 'pino';
import { messageOf } from '../../engine/failure.ts';
import { type Api, type Extension, openApi } from './api.ts';
import { type Companion, openCompanions, settingsOf } from './companion.ts';
import { type Config, readConfig } from './config.ts';
import { createMask } from '../../engine/transport/masking.ts';
import { openPlatform, type Platform } from './platform.ts';
import { listenToProbes, type Probes } from './probes.ts';
import { stateFolder } from './records.ts';
import { freePort } from '../records/embedded-postmaster.ts';
import { secretsToMask } from './secrets.ts';
import { startWorkers } from './workers.ts';

export type Role = 'api' | 'worker' | 'all';

export interface ServeOptions {
  readonly role: Role;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (text: string) => void;
  /** Where the log goes, as lines of JSON; standard error. */
  readonly logTo?: DestinationStream | undefined;
  readonly extensions?: readonly Extension[];
  /** What runs beside the platform. */
  readonly companions?: readonly Companion[];
}

export interface Server {
  readonly url: string | undefined;
  readonly config: Config;
  /** From now on it says that it is not ready; it serves on. */
  announceStop(): void;
  close(): Promise<void>;
}

/** How long workers go on taking jobs while requests wait for what these bring. */
const WORKERS_GO_ON_MS = 3_000;
const SAME_SIGNAL_MS = 1_000;

/** Starts the server; throws a `Failure` that says what is wrong and what to do. */
export const serve = async (options: ServeOptions): Promise<Server> => {
  const { role, env, print, logTo, extensions = [], companions = [] } = options;
  const theirSettings = settingsOf(companions);
  const read = readConfig(env, theirSettings);
  // Links to labels name the port, so one that is left open is chosen before anything starts.
  const config = read.port !== 0 || role === 'worker' ? read : { ...read, port: await freePort(read.host) };
  const mask = createMask(secretsToMask(config, env, theirSettings));
  const logging = { level: config.logLevel, base: { role }, hooks: { streamWrite: mask.text } };
  const log = pino(logging, logTo ?? pino.destination(2));
  const urlAt = (port: number): string =>
    `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  const url = urlAt(config.port);
  const platform = await openPlatform({ config, log, publicUrl: config.publicUrl ?? url });
  mask.add('WAYBILL_ADMIN_TOKEN', platform.adminToken);
  let beside: Awaited<ReturnType<typeof openCompanions>> = [];
  let workers: Awaited<ReturnType<typeof startWorkers>> | undefined;
  let api: Api | undefined;
  let probes: Probes | undefined;
  const end = async (part: { close(): Promise<void> } | undefined): Promise<void> =>
    await part?.close().catch((error: unknown) => log.error({ error: messageOf(error) }, 'a part did not close well'));
  const closeAll = async (): Promise<void> => {
    const apiClosed = end(api);
    // Whoever waits for a carrier is answered; but a worker that took on new jobs meanwhile would never end in time.
    if (api !== undefined && workers !== undefined) await Promise.race([apiClosed, sleep(WORKERS_GO_ON_MS)]);
    await Promise.all([apiClosed, end(workers)]);
    await end(probes);
    for (const companion of beside) await end(companion);
    await end(platform);
  };
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= closeAll());
  try {
    beside = await openCompanions(platform, companions, env);
    if (role !== 'api') workers = await startWorkers(platform);
    if (role !== 'worker') {
      const theirs = beside.map(
        ({ addRoutes }): Extension =>
          () =>
            addRoutes,
      );
      api = openApi(platform, [...extensions, ...theirs], theirSettings);
      await api.listen({ host: config.host, port: config.port });
    } else if (config.workerPort !== undefined) probes = await listenToProbes(platform, config.workerPort);
    for (const companion of beside) companion.start();
  } catch (error) {
    await close();
    throw error;
  }
  const probesUrl = probes === undefined ? undefined : urlAt(probes.port);
  print(bannerOf(platform, { role, url: role === 'worker' ? undefined : url, probesUrl }));
  const announceStop = (): void => (api ?? probes)?.announceStop();
  return { url: role === 'worker' ? undefined : url, config, announceStop, close };
};

/**
 * Serves until SIGINT or SIGTERM; yields the exit code. A second signal, or `STOP_LIMIT_MS`, end it at once. On SIGTERM
 * it first says for `STOP_DELAY_MS` that it is not ready, so that a load balancer sends others no more.
 */
export const serveUntilStopped = async (options: ServeOptions): Promise<number> => {
  const server = await serve(options);
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let stoppedAtMs: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    // npm hands a signal on that the terminal has sent to us already: only a later one means haste.
    if (stoppedAtMs !== undefined && Date.now() - stoppedAtMs > SAME_SIGNAL_MS) process.exit(1);
    stoppedAtMs ??= Date.now();
    resolve(signal);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const signal = await promise;
  const { stopDelayMs, stopLimitMs } = server.config;
  const limit = setTimeout(() => process.exit(1), stopLimitMs);
  limit.unref();
  server.announceStop();
  if (signal === 'SIGTERM' && server.url !== undefined) await sleep(stopDelayMs);
  await server.close();
  return 0;
};

/** What a person sees when the server is up: where it listens, what it loaded, what to try next. One screen. */
const bannerOf = (
  platform: Pick<Platform, 'carriers' | 'config' | 'isOwnDatabase' | 'adminToken' | 'isTokenNew'>,
  { role, url, probesUrl }: { readonly role: string } & Readonly<Record<'url' | 'probesUrl', string | undefined>>,
): string => {
  const { carriers, config, isOwnDatabase } = platform;
  const stateIn = relative(process.cwd(), stateFolder(config)) || '.';
  const loaded = carriers.list().map(({ code, name }) => `    ${code.padEnd(18)} ${name}`);
  const broken = carriers
    .broken()
    .map((code) => `    ${code.padEnd(18)} has errors: npm run -s waybill -- lint ${code}`);
  return [
    '',
    `  Waybill (${role})${url === undefined ? '' : ` listens on ${url}`}`,
    ...(probesUrl === undefined ? [] : [`  serves ${probesUrl}/metrics, /readyz and /healthz`]),
    '',
    `  records   ${isOwnDatabase ? `own PostgreSQL in ${stateIn}/postgres` : 'PostgreSQL of DATABASE_URL'}`,
    `  queue     ${config.redisUrl !== undefined ? 'Redis of REDIS_URL' : 'in the same PostgreSQL'}`,
    ...(platform.isTokenNew ? [`  admin     Bearer ${platform.adminToken}`] : []),
    ...(config.adminToken === undefined
      ? [`  ${platform.isTokenNew ? '          kept' : 'admin     its token is'} in ${stateIn}/admin-token`]
      : []),
    '',
    `  carriers  ${loaded.length === 0 ? `none yet: put a profile into ${config.home}/carriers/` : ''}`,
    ...loaded.slice(0, MAX_LISTED),
    ...(loaded.length > MAX_LISTED ? [`    and ${loaded.length - MAX_LISTED} more`] : []),
    ...broken,
    ...(url === undefined
      ? []
      : [
          '',
          '  next      npm run demo                    the whole journey against simulated carriers',
          '            npm run -s waybill -- lint      check the profiles',
          `            curl ${url}/readyz`,
          `            ${url}/console             what happens, and what waits for you, in a browser`,
          `            ${url}/docs                the API, for people; /openapi.json for programs`,
        ]),
    '',
    '',
  ].join('\n');
};

const MAX_LISTED = 20;
