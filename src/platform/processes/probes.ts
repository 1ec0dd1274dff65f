/** Readiness of a process, and the port on which workers without the API report it. */
import { buildProbes } from '../api/probes.ts';
import type { Readiness } from '../api/deps.ts';
import { messageOf } from '../../engine/failure.ts';
import { DEFAULT_WORKER_PORT } from './config.ts';
import type { Platform } from './platform.ts';

/** Carriers that do not load are told of, and keep nobody from being served. */
export const readiness = async ({ pool, carriers }: Platform, isStopping: boolean): Promise<Readiness> => {
  const database = await pool.query('select 1').then(
    () => ({ ready: true }),
    (error: unknown) => ({ ready: false, message: messageOf(error) }),
  );
  const broken = carriers.broken();
  return {
    ready: database.ready && !isStopping,
    parts: {
      database,
      carriers: { ready: true, ...(broken.length === 0 ? {} : { message: `not loaded: ${broken.join(', ')}` }) },
      ...(isStopping ? { server: { ready: false, message: 'it is being stopped' } } : {}),
    },
  };
};

export type Probes = Awaited<ReturnType<typeof listenToProbes>>;

/** Listens at HOST, at a free port where the default is another worker's; rejects with EADDRINUSE at any other port. */
export const listenToProbes = async (platform: Platform, port: number) => {
  const { config, log, nowMs, metrics } = platform;
  let isStopping = false;
  const app = buildProbes({
    nowMs,
    log,
    readiness: async () => await readiness(platform, isStopping),
    metrics: metrics.text,
  });
  const listen = async (at: number) => await app.listen({ host: config.host, port: at });
  await listen(port).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' || port !== DEFAULT_WORKER_PORT) throw error;
    await listen(0);
  });
  const address = app.server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  log.info({ port: taken }, 'serves /metrics, /readyz and /healthz');
  return {
    port: taken,
    announceStop: (): void => {
      isStopping = true;
    },
    close: async (): Promise<void> => await app.close(),
  };
};
