import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { Failure, messageOf } from '../../engine/failure.ts';
import { type Cluster, openCluster, SUPERUSER } from './embedded-cluster.ts';
import {
  endPostmaster,
  freePort,
  isServing,
  type Postmaster,
  readPostmaster,
  startPostmaster,
} from './embedded-postmaster.ts';
import type { Log } from './pool.ts';

const DATABASE = 'waybill';
/** Every process that uses the server holds this lock, shared; whoever gets it alone may end the server. */
const USERS_LOCK = 0x57_42_50_47;
const START_LIMIT_MS = 120_000;
/** How long a server that is alive may refuse connections (recovering, ending) before it is replaced. */
const REFUSAL_LIMIT_MS = 30_000;

export interface EmbeddedOptions {
  /** Where its data and its password are kept from run to run; made when missing. */
  readonly folder: string;
  readonly log: Log;
  /** Default: a free one. A server that is running already keeps the one it has. */
  readonly port?: number | undefined;
  /** False gives up durability for speed; for tests. */
  readonly fsync?: boolean | undefined;
}

export interface EmbeddedPostgres {
  readonly databaseUrl: string;
  /** Ends the server and resolves when it is gone; leaves it to the other processes that still use it. */
  stop(): Promise<void>;
}

/**
 * Starts the real PostgreSQL 18 that npm brought, or adopts the one of this folder that is running: one that outlived
 * its parent, or another process's. It listens on 127.0.0.1 only. When it dies, it is started again on the same port.
 * Throws a Failure (`embedded_postgres_…`) with help.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log } = options;
  const cluster = await openCluster(options.folder);
  const { data } = cluster;
  if (cluster.isElsewhere)
    log.warn({ folder: options.folder, data }, "PostgreSQL's user cannot enter the folder: the data lie elsewhere");
  const stop = new AbortController();
  const stopping = stop.signal;
  let held = await hold(cluster, options, stopping);
  let reviving: Promise<void> = Promise.resolve();
  const watch = () => {
    held.client.once('end', () => {
      if (!stopping.aborted) reviving = revive();
    });
  };
  const revive = async () => {
    for (let waitMs = 100; !stopping.aborted; waitMs = Math.min(waitMs * 2, 10_000)) {
      try {
        log.warn({ port: held.port }, 'the built-in PostgreSQL went away; looking for it');
        held = await hold(cluster, { ...options, port: held.port }, stopping);
        watch();
        return;
      } catch (error) {
        if (stopping.aborted) return;
        log.error({ error: messageOf(error) }, 'the built-in PostgreSQL does not come back');
        await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
      }
    }
  };
  watch();
  await createDatabase(held.client);
  return {
    databaseUrl: urlOf(cluster, held.port, DATABASE),
    async stop() {
      if (stopping.aborted) return;
      stop.abort();
      await reviving;
      if (await isLastUser(held.client)) {
        await endPostmaster(data, held.pid);
        log.info({}, 'the built-in PostgreSQL has ended');
      } else {
        log.info({}, 'the built-in PostgreSQL stays up, as another process uses it');
      }
      await held.client.end().catch(() => undefined);
    },
  };
}

interface Held extends Postmaster {
  readonly client: Client;
}

/** What a server says that lost a race for the folder, or came while the last one's children were still ending. */
const MAY_PASS = /postmaster\.pid|shared memory block/;
const PORT_TAKEN = /could not bind|could not create any TCP/;

/** A running server with our connection to it, by which the others know that it is in use. */
async function hold(cluster: Cluster, options: EmbeddedOptions, stopping: AbortSignal): Promise<Held> {
  const { log, port, fsync = true } = options;
  const deadline = Date.now() + START_LIMIT_MS;
  let isOurs = false;
  let problem: string | undefined;
  while (Date.now() < deadline) {
    const held = await adopt(cluster, log, stopping);
    if (held !== undefined) {
      const { client: _, ...postmaster } = held;
      log.info(
        postmaster,
        isOurs ? 'the built-in PostgreSQL is running' : 'adopted the built-in PostgreSQL that was running',
      );
      return held;
    }
    problem = await startPostmaster(cluster, port ?? (await freePort()), fsync);
    isOurs = problem === undefined;
    if (problem === undefined) continue;
    if (!MAY_PASS.test(problem) && !(PORT_TAKEN.test(problem) && port === undefined)) break;
    await sleep(100);
  }
  throw new Failure(`The built-in PostgreSQL does not start: ${problem ?? 'it took too long'}`, {
    code: 'embedded_postgres_start',
    help: `See ${cluster.startLog} and the folder log in ${cluster.data}, or set DATABASE_URL.`,
  });
}

/** Connects to the server that `postmaster.pid` names. Undefined: there is none, and one may be started. */
async function adopt(cluster: Cluster, log: Log, stopping: AbortSignal): Promise<Held | undefined> {
  const { data } = cluster;
  for (const refusedFrom = Date.now(); ; await sleep(50)) {
    stopping.throwIfAborted();
    const running = await readPostmaster(data);
    if (running === undefined) return undefined;
    if (!(await isServing(data, running.pid))) {
      if ((await readPostmaster(data))?.pid !== running.pid) continue;
      // PostgreSQL itself would take any process of that number for its own.
      await rm(join(data, 'postmaster.pid'), { force: true });
      return undefined;
    }
    const answer = await connect(cluster, running.port);
    if (answer instanceof Client) return { ...running, client: answer };
    if (answer instanceof DatabaseError && (answer.code === '28P01' || answer.code === '28000')) {
      throw new Failure('The built-in PostgreSQL does not take the password kept in its folder', {
        code: 'embedded_postgres_data',
        help: `End process ${running.pid} and restore the file "password" from a backup.`,
        cause: answer,
      });
    }
    if (Date.now() - refusedFrom > REFUSAL_LIMIT_MS) {
      log.warn({ ...running, error: messageOf(answer) }, 'replacing a built-in PostgreSQL that takes no connections');
      await endPostmaster(data, running.pid);
      return undefined;
    }
  }
}

/** A connection that holds the users' lock on the server of exactly this data folder; else why there is none. */
async function connect(cluster: Cluster, port: number): Promise<Client | Error> {
  const client = new Client({
    connectionString: urlOf(cluster, port, 'postgres'),
    application_name: 'waybill-keeper',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // An error of an idle connection comes before `end`, which is what is listened to.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ folder: string }>(`select current_setting('data_directory') as folder`);
    if (rows[0]?.folder !== cluster.data) throw new Error(`port ${port} serves another data folder`);
    await client.query('select pg_advisory_lock_shared($1)', [USERS_LOCK]);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function isLastUser(client: Client): Promise<boolean> {
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [USERS_LOCK]);
    const { rows } = await client.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [USERS_LOCK]);
    return rows[0]?.alone === true;
  } catch {
    // The connection is gone, and with it the server or our knowledge of it: better a server too many.
    return false;
  }
}

async function createDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
  if (rowCount === 1) return;
  try {
    await client.query(`create database ${DATABASE}`);
  } catch (error) {
    // 42P04, 23505: another process was quicker.
    if (!(error instanceof DatabaseError) || !['42P04', '23505'].includes(error.code ?? '')) throw error;
  }
}

const urlOf = (cluster: Cluster, port: number, database: string) =>
  `postgres://${SUPERUSER}:${encodeURIComponent(cluster.password)}@127.0.0.1:${port}/${database}`;
