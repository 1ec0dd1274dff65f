/** The connection over which a process hears what others tell it (LISTEN). */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { messageOf } from '../../engine/failure.ts';
import { isSilence, type Log } from './pool.ts';

/** What is told of one channel. None of it may throw. */
interface Hearer {
  heard(payload: string): void;
  /** The connection was away and is back: what was said meanwhile is to be looked for. */
  missed(): void;
  /** The connection has gone: until `missed` nothing is heard. */
  lost?(): void;
}

export interface ListenOptions {
  readonly databaseUrl: string;
  readonly log: Log;
  /** How often the connection is asked whether it lives; one that gives no answer within that time is replaced. */
  readonly provedEveryMs?: number | undefined;
}

const PROVED_EVERY_MS = 10_000;

export interface Listener {
  /** Resolves once the channel is listened to; rejects when that fails. */
  hear(channel: string, hearer: Hearer): Promise<void>;
  close(): Promise<void>;
}

/**
 * Holds the LISTEN connection of a process and makes a new one when it drops, waiting from 100 ms up to 5 s between
 * tries. Resolves once it is connected; rejects when the first try fails.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { log } = options;
  const stop = new AbortController();
  const closed = stop.signal;
  const channels = new Map<string, readonly Hearer[]>();
  const tellAll = (tell: (hearer: Hearer) => void): void => [...channels.values()].flat().forEach(tell);
  const onNotify = (channel: string, payload: string): void =>
    channels.get(channel)?.forEach((hearer) => hearer.heard(payload));
  let reconnecting: Promise<void> = Promise.resolve();
  const onEnd = () => {
    if (closed.aborted) return;
    log.warn({ channels: [...channels.keys()] }, 'the LISTEN connection was lost');
    tellAll((hearer) => hearer.lost?.());
    reconnecting = reconnect();
  };
  const connect = async () => await connectListener(options, channels.keys(), { onNotify, onEnd });
  let client = await connect();

  async function reconnect(): Promise<void> {
    for (let waitMs = 100; !closed.aborted; waitMs = Math.min(waitMs * 2, 5_000)) {
      try {
        client = await connect();
        if (!closed.aborted) tellAll((hearer) => hearer.missed());
        return;
      } catch (error) {
        log.warn({ error: messageOf(error), waitMs }, 'the LISTEN connection does not come back');
        await sleep(waitMs, undefined, { signal: closed }).catch(() => undefined);
      }
    }
  }

  return {
    async hear(channel, hearer) {
      channels.set(channel, [...(channels.get(channel) ?? []), hearer]);
      await reconnecting;
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
    },
    async close() {
      stop.abort();
      await reconnecting;
      await client.end().catch(() => undefined);
    },
  };
}

interface ListenerEvents {
  onNotify(channel: string, payload: string): void;
  onEnd(): void;
}

async function connectListener(
  { databaseUrl, provedEveryMs = PROVED_EVERY_MS }: ListenOptions,
  channels: Iterable<string>,
  { onNotify, onEnd }: ListenerEvents,
): Promise<Client> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'waybill-listen',
    connectionTimeoutMillis: 10_000,
    query_timeout: provedEveryMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  client.on('error', () => undefined);
  client.on('notification', ({ channel, payload }) => onNotify(channel, payload ?? ''));
  try {
    await client.connect();
    for (const channel of channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  // Nothing comes over it for hours: that it fell silent would never show.
  const proving = setInterval(() => {
    client.query('select 1').catch((error: unknown) => {
      if (isSilence(error)) client.end().catch(() => undefined);
    });
  }, provedEveryMs);
  proving.unref();
  client.once('end', () => {
    clearInterval(proving);
    onEnd();
  });
  return client;
}
