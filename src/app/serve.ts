/** `waybill serve`: opens the platform, listens, says so on one screen, and closes in order when told to stop. */
import { createServer } from 'node:net';
import { once } from 'node:events';
import { type DestinationStream, pino } from 'pino';
import { messageOf } from '../domain/failure.ts';
import { openApi } from './api.ts';
import { bannerOf } from './banner.ts';
import { type Config, readConfig } from './config.ts';
import { openPlatform } from './platform.ts';
import { startWorkers } from './work.ts';

export type Role = 'api' | 'worker' | 'all';

export interface ServeOptions {
  readonly role: Role;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (text: string) => void;
  /** Where the log goes, as lines of JSON; standard error. */
  readonly logTo?: DestinationStream | undefined;
}

export interface Server {
  readonly url: string | undefined;
  close(): Promise<void>;
}

/** What is under way gets that long to end. */
const CLOSE_LIMIT_MS = 40_000;
const SAME_SIGNAL_MS = 1_000;

/** Starts the server; throws a `Failure` that says what is wrong and what to do. */
export const serve = async ({ role, env, print, logTo }: ServeOptions): Promise<Server> => {
  const config = await withPort(readConfig(env), role);
  const log = pino({ level: config.logLevel, base: { role } }, logTo ?? pino.destination(2));
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`;
  const platform = await openPlatform({ config, log, publicUrl: config.publicUrl ?? url });
  const closing: (() => Promise<void>)[] = [platform.close];
  const close = async (): Promise<void> => {
    for (const end of closing.toReversed()) {
      await end().catch((error: unknown) => log.error({ error: messageOf(error) }, 'a part did not close well'));
    }
    closing.length = 0;
  };
  try {
    if (role !== 'api') closing.push(startWorkers(platform).close);
    if (role !== 'worker') {
      const api = await openApi(platform);
      closing.push(api.close);
      await api.app.listen({ host: config.host, port: config.port });
    }
  } catch (error) {
    await close();
    throw error;
  }
  print(bannerOf(platform, { role, url: role === 'worker' ? undefined : url }));
  return { url: role === 'worker' ? undefined : url, close };
};

/** Serves until SIGINT or SIGTERM; yields the exit code. A second signal, or 40 s, end it at once. */
export const serveUntilStopped = async (options: ServeOptions): Promise<number> => {
  const server = await serve(options);
  const { promise, resolve } = Promise.withResolvers<void>();
  let stoppedAtMs: number | undefined;
  const stop = (): void => {
    // npm hands a signal on that the terminal has sent to us already: only a later one means haste.
    if (stoppedAtMs !== undefined && Date.now() - stoppedAtMs > SAME_SIGNAL_MS) process.exit(1);
    stoppedAtMs ??= Date.now();
    resolve();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  await promise;
  const limit = setTimeout(() => process.exit(1), CLOSE_LIMIT_MS);
  limit.unref();
  await server.close();
  return 0;
};

/** Links to labels name the port, so one that is left open is chosen before anything starts. */
const withPort = async (config: Config, role: Role): Promise<Config> => {
  if (config.port !== 0 || role === 'worker') return config;
  const probe = createServer().listen(0, config.host);
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return { ...config, port: typeof address === 'object' && address !== null ? address.port : 0 };
};
