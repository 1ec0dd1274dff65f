/** Reads and writes the calls of dispatches; concurrent writes are batched into one statement. */
import type { Pool } from 'pg';
import {
  type AttemptLog,
  type CallRecord,
  type Exchange,
  type KeptAnswer,
  LeaseLost,
} from '../../engine/dispatch/ports.ts';
import { putRecord } from '../../engine/dispatch/attempt-log.ts';
import { Failure, messageOf } from '../../engine/failure.ts';
import { APART_MS, createBatcher, isUnrecordable } from './batch.ts';
import type { Sealer } from './sealer.ts';
import { type ExchangeContext, insertExchanges, type NewExchange } from './exchanges.ts';
import { transaction } from './pool.ts';
import { takeNext } from './sequences.ts';
import { execute, queryAll, queryPrepared, rowsOf, sql, type Sql } from './sql.ts';

/** The lease under which a worker writes: whoever has another one has lost. */
export interface Lease extends ExchangeContext {
  readonly dispatchId: number;
  readonly lease: string;
}

/** After the longest time a call may take, how long its worker has to write down what came of it. */
export const MARGIN_MS = 15_000;
/** Dispatches of one statement at most: no more are under way in a process. */
const BATCH = 128;

type CallColumns = Pick<CallRecord, 'step' | 'element' | 'attempt' | 'state' | 'firstSentAtMs'>;

/** The latest attempt of a call, as it is written. */
export interface EndedCall extends CallColumns {
  /** JSON: how it failed, or what a lookup found in its place. */
  readonly verdict?: string | undefined;
  /** Sealed. */
  readonly answer?: Buffer | undefined;
}

/** Writes the latest attempts of calls; `joined` may leave out rows of `call`. */
export const upsertCalls = (calls: readonly (EndedCall & Pick<Lease, 'dispatchId'>)[], joined: Sql): Sql => sql`
  insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at, verdict, answer)
  select call.dispatch_id, call.step, call.element, call.attempt, call.state, call.first_sent_at, call.first_sent_at,
    call.verdict, call.answer
  from ${rowsOf(
    'call',
    calls,
    `dispatch_id bigint, step text, element int, attempt int, state text, first_sent_at timestamptz, verdict text,
     answer bytea`,
  )} ${joined}
  on conflict (dispatch_id, step, element) do update
  set attempt = excluded.attempt, state = excluded.state, verdict = excluded.verdict, answer = excluded.answer`;

/** What came of calls and is written later: before anything else is asked of the carrier, or by the conclusion. */
export interface Noted {
  readonly calls: CallRecord[];
  readonly exchanges: Exchange[];
  /** What is no longer here, and not yet on record. */
  writing?: Promise<unknown> | undefined;
}

/** What was noted meanwhile of the same calls is newer. */
const putBack = (noted: Noted, { calls, exchanges }: Pick<Noted, 'calls' | 'exchanges'>): void => {
  const newer = noted.calls.splice(0);
  noted.calls.push(...calls);
  for (const record of newer) putRecord(noted.calls, record);
  noted.exchanges.unshift(...exchanges);
};

const requireHeld = (isHeld: boolean, { dispatchId }: Lease): void => {
  if (!isHeld) throw new LeaseLost(`dispatch ${dispatchId} was taken over, or written too slowly`);
};

interface Fence extends Pick<CallRecord, 'step' | 'element' | 'attempt' | 'firstSentAtMs'> {
  readonly lease: Lease;
  readonly forMs: number;
}

interface LogStore {
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly nowMs: () => number;
}

/** The attempt logs of one process's dispatches. Their writes commit only under the leases of these. */
export const createAttemptLogs = ({ pool, sealer, nowMs }: LogStore) => {
  const fence = createBatcher<Fence, boolean>(
    async (fences) => {
      const beganMs = nowMs();
      const held = await queryPrepared<Pick<Lease, 'dispatchId'> & { lease: string }>(pool)`
        with fence as (
          select * from ${rowsOf(
            'fence',
            fences.map(({ lease: { dispatchId, lease }, forMs, ...one }) => ({
              ...one,
              dispatchId,
              lease,
              forMs: forMs + MARGIN_MS,
            })),
            `dispatch_id bigint, lease uuid, step text, element int, attempt int, first_sent_at timestamptz,
             for_ms double precision`,
          )}),
        locked as (
          -- In the order in which what was noted is written, or the two may wait for each other.
          select d.id, wanted.for_ms from dispatches d
          join (select dispatch_id, lease, max(for_ms) as for_ms from fence group by dispatch_id, lease) as wanted
            on d.id = wanted.dispatch_id and d.lease = wanted.lease
          order by d.id for no key update of d),
        held as (
          update dispatches d
          set lease_until = greatest(d.lease_until, now() + locked.for_ms * interval '1 millisecond')
          from locked where d.id = locked.id
          returning d.id, d.lease),
        fenced as (
          insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at)
          select held.id, step, element, attempt, 'sending', first_sent_at, ${new Date(beganMs)}
          from fence join held on held.id = fence.dispatch_id and held.lease = fence.lease
          on conflict (dispatch_id, step, element) do update
          set attempt = excluded.attempt, state = 'sending', first_sent_at = excluded.first_sent_at,
              sent_at = excluded.sent_at)
        select id as dispatch_id, lease from held`;
      // A process that slept over its fence must not send under a lease that may run out meanwhile.
      const isInTime = nowMs() - beganMs <= MARGIN_MS;
      return fences.map(({ lease }) => isInTime && held.some((one) => isSame(one, lease)));
    },
    { max: BATCH, apartMs: APART_MS },
  );

  const write = createBatcher<Noted & { readonly lease: Lease }, boolean>(
    async (members) => {
      const calls = members.flatMap(({ lease, ...noted }) => endedCalls(sealer, lease, noted.calls));
      const exchanges = members.flatMap(({ lease, ...noted }) =>
        noted.exchanges.map((exchange): NewExchange => ({ context: lease, exchange })),
      );
      const held = await queryAll<Pick<Lease, 'dispatchId'> & { lease: string }>(pool)`
        with held as (
          select d.id, d.lease from dispatches d
          join ${rowsOf(
            'member',
            members.map(({ lease }) => lease),
            'dispatch_id bigint, lease uuid',
          )} on d.id = member.dispatch_id and d.lease = member.lease
          where d.state = 'sending' order by d.id for no key update of d),
        exchange as (${insertExchanges(exchanges)} join held on held.id = exchange.dispatch_id),
        call as (${upsertCalls(calls, sql`join held on held.id = call.dispatch_id`)})
        select id as dispatch_id, lease from held`;
      return members.map(({ lease }) => held.some((one) => isSame(one, lease)));
    },
    { max: BATCH, sizeOf: sizeOfNoted, keyOf: ({ lease }) => lease.dispatchId },
  );

  const flush = async (lease: Lease, noted: Noted): Promise<void> => {
    if (noted.calls.length > 0) {
      const taken = { calls: noted.calls.splice(0), exchanges: noted.exchanges.splice(0) };
      const written = write({ lease, ...taken }).catch((error: unknown) => {
        // Unless it is what cannot be written at all, the end of the dispatch has another try.
        if (!isUnrecordable(error)) putBack(noted, taken);
        throw error;
      });
      const writing = Promise.all([written.then((isHeld) => requireHeld(isHeld, lease)), noted.writing]).finally(() => {
        if (noted.writing === writing) noted.writing = undefined;
      });
      noted.writing = writing;
    }
    // Another call of the dispatch may have begun to write what this one noted.
    await noted.writing;
  };

  return {
    /** Writes what is noted of a dispatch. */
    flush,
    /**
     * The log of a claimed dispatch, with what earlier attempts wrote; throws a `Failure` where that cannot be read.
     * What it notes is in `noted`.
     */
    open: (lease: Lease, { calls: rows = [], draws }: Earlier, noted: Noted): AttemptLog => {
      const { dispatchId } = lease;
      const calls = rows.map(({ verdict, answer, step, element, attempt, state, firstSentAtMs }): CallRecord => {
        const call = { step, element, attempt, state, firstSentAtMs };
        const opened = answer && unpackAnswer(openAnswer(sealer, answer, aboutAnswer(lease, call)));
        return { ...call, ...verdict, ...(opened === undefined ? {} : { answer: opened }) };
      });
      const drawn = new Map(draws);
      return {
        calls,
        draws: drawn,
        fence: async (key, attempt, firstSentAtMs, forMs) => {
          requireHeld(await fence({ ...key, attempt, firstSentAtMs, forMs, lease }), lease);
          putRecord(calls, { ...key, attempt, state: 'sending', firstSentAtMs });
        },
        commit: (record, exchange) => {
          putRecord(calls, record);
          putRecord(noted.calls, record);
          if (exchange !== undefined) noted.exchanges.push(exchange);
          return Promise.resolve();
        },
        flush: async () => await flush(lease, noted),
        drawSequence: async (key, name, options) => {
          const value = await transaction(pool, async (client) => {
            const owned = sql`id = ${dispatchId} and lease = ${lease.lease}`;
            requireHeld((await execute(client)`select 1 from dispatches where ${owned} for update`) === 1, lease);
            const taken = await takeNext(client, lease.accountId, name, options);
            await execute(client)`insert into draws (dispatch_id, key, value) values (${dispatchId}, ${key}, ${taken})`;
            return taken;
          });
          drawn.set(key, value);
          return value;
        },
      };
    },
  };
};

const isSame = (held: { readonly dispatchId: number; readonly lease: string }, lease: Lease): boolean =>
  held.dispatchId === lease.dispatchId && held.lease === lease.lease;

const aboutAnswer = ({ dispatchId }: Pick<Lease, 'dispatchId'>, { step, element }: CallColumns): string =>
  `answer/${dispatchId}/${step}/${element}`;

/** As they are written. `isEnded`: the dispatch has ended well, so nothing is resumed from raw answers. */
export const endedCalls = (sealer: Sealer, lease: Lease, calls: readonly CallRecord[], isEnded = false) =>
  calls.map((record): EndedCall & Pick<Lease, 'dispatchId'> => {
    const { answer, failed, found, ...call } = record;
    return {
      ...call,
      dispatchId: lease.dispatchId,
      verdict: failed === undefined && found === undefined ? undefined : JSON.stringify({ failed, found }),
      answer: isEnded || answer === undefined ? undefined : sealer.seal(packAnswer(answer), aboutAnswer(lease, call)),
    };
  });

/** Nearly all of it are bodies. */
export const sizeOfNoted = ({ calls, exchanges }: Pick<Noted, 'calls' | 'exchanges'>): number =>
  calls.reduce((sum, { answer }) => sum + (answer?.body.length ?? 0), 0) +
  exchanges.reduce(
    (sum, { requestBody, responseBody }) => sum + (requestBody?.length ?? 0) + (responseBody?.length ?? 0),
    0,
  );

type CallRow = CallColumns & {
  readonly dispatchId: number;
  readonly verdict?: Pick<CallRecord, 'failed' | 'found'>;
  readonly answer?: Buffer;
};

/** What earlier attempts of a dispatch wrote. */
export interface Earlier {
  readonly calls?: readonly CallRow[] | undefined;
  readonly draws?: ReadonlyMap<string, string> | undefined;
}

/** What earlier attempts of these dispatches wrote, by dispatch. */
export const readEarlier = async (pool: Pool, dispatchIds: readonly number[]): Promise<(id: number) => Earlier> => {
  if (dispatchIds.length === 0) return () => ({});
  const rows = await queryAll<CallRow>(pool)`
    select dispatch_id, step, element, attempt, state, first_sent_at as first_sent_at_ms, verdict::json as verdict, answer
    from calls where dispatch_id = any(${dispatchIds}::bigint[])`;
  const calls = Map.groupBy(rows, ({ dispatchId }) => dispatchId);
  const draws = await readDraws(pool, dispatchIds);
  return (id) => ({ calls: calls.get(id), draws: draws.get(id) });
};

/** The values that dispatches have drawn from sequences: by dispatch, then by their keys. */
export const readDraws = async (
  pool: Pool,
  dispatchIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlyMap<string, string>>> => {
  const rows = await queryAll<{ dispatchId: number; key: string; value: string }>(pool)`
    select dispatch_id, key, value from draws where dispatch_id = any(${dispatchIds}::bigint[])`;
  const byDispatch = Map.groupBy(rows, ({ dispatchId }) => dispatchId);
  return new Map([...byDispatch].map(([id, drawn]) => [id, new Map(drawn.map(({ key, value }) => [key, value]))]));
};

/** What was answered is what was done: without it nobody knows. */
const openAnswer = (sealer: Sealer, sealed: Buffer, about: string): Buffer => {
  try {
    return sealer.open(sealed, about);
  } catch (cause) {
    throw new Failure(`what the carrier answered cannot be read: ${messageOf(cause)}`, {
      code: (cause as Failure).code,
      help: 'put its key into WAYBILL_SECRET_KEYS_OLD and retry; if it is lost, look at the carrier and resolve the dispatch',
      cause,
    });
  }
};

/** A line of JSON with status and headers, then the body as it came. */
const packAnswer = ({ status, headers, body }: KeptAnswer): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify({ status, headers })}\n`), body]);

const unpackAnswer = (bytes: Buffer): KeptAnswer => {
  const end = bytes.indexOf('\n');
  const head = JSON.parse(bytes.toString('utf8', 0, end)) as Pick<KeptAnswer, 'status' | 'headers'>;
  return { ...head, body: bytes.subarray(end + 1) };
};
