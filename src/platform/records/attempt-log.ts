import type { Pool, PoolClient } from 'pg';
import {
  type AttemptLog,
  type CallRecord,
  type KeptAnswer,
  LeaseLost,
  type SequenceOptions,
} from '../../engine/dispatch/ports.ts';
import { nextInSequence, putRecord } from '../../engine/dispatch/attempt-log.ts';
import { Failure, messageOf } from '../../engine/failure.ts';
import type { Sealer } from './sealer.ts';
import { type ExchangeContext, insertExchange } from './exchanges.ts';
import { transaction } from './pool.ts';
import { execute, fromNow, queryAll, queryOne, sql } from './sql.ts';

/** The lease under which a worker writes: whoever has another one has lost. */
export interface Lease extends ExchangeContext {
  readonly dispatchId: number;
  readonly lease: string;
}

/** After the longest time a call may take, how long its worker has to write down what came of it. */
const MARGIN_MS = 15_000;

type CallColumns = Pick<CallRecord, 'step' | 'element' | 'attempt' | 'state' | 'firstSentAtMs'>;

/** The attempt log of a claimed dispatch: what is known of its calls, and writes that commit only under its lease. */
export const openAttemptLog = async (
  pool: Pool,
  sealer: Sealer,
  lease: Lease,
  nowMs: () => number,
): Promise<AttemptLog> => {
  const { dispatchId } = lease;
  const owned = sql`id = ${dispatchId} and lease = ${lease.lease}`;
  const held = sql`${owned} and state = 'sending'`;
  const aboutAnswer = ({ step, element }: CallColumns): string => `answer/${dispatchId}/${step}/${element}`;
  const calls = await readCalls(pool, dispatchId, (call, answer) => openAnswer(sealer, answer, aboutAnswer(call)));
  const draws = await readDraws(pool, dispatchId);
  const requireOne = (written: number): void => {
    if (written !== 1) throw new LeaseLost(`dispatch ${dispatchId} was taken over`);
  };

  return {
    calls,
    draws,
    fence: async (key, attempt, firstSentAtMs, forMs) => {
      const beganMs = nowMs();
      const written = await execute(pool)`
        with held as (
          update dispatches set lease_until = greatest(lease_until, ${fromNow(forMs + MARGIN_MS)})
          where ${held} returning id)
        insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at)
        select id, ${key.step}, ${key.element}, ${attempt}, 'sending', ${new Date(firstSentAtMs)},
          ${new Date(beganMs)} from held
        on conflict (dispatch_id, step, element) do update
        set attempt = excluded.attempt, state = 'sending', first_sent_at = excluded.first_sent_at,
            sent_at = excluded.sent_at`;
      requireOne(written);
      // A process that slept over its fence must not send under a lease that may run out meanwhile.
      if (nowMs() - beganMs > MARGIN_MS) throw new LeaseLost(`dispatch ${dispatchId} was fenced too slowly`);
      putRecord(calls, { ...key, attempt, state: 'sending', firstSentAtMs });
    },
    commit: async (record, exchange) => {
      const { step, element, attempt, state, firstSentAtMs, answer, failed, found } = record;
      const firstSent = new Date(firstSentAtMs);
      const verdict = failed === undefined && found === undefined ? undefined : JSON.stringify({ failed, found });
      const sealed = answer && sealer.seal(packAnswer(answer), aboutAnswer(record));
      const written = await execute(pool)`
        with held as (select id from dispatches where ${held} for update)
        ${exchange === undefined ? sql`` : sql`, exchange as (${insertExchange(lease, exchange)} from held)`}
        insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at, verdict, answer)
        select id, ${step}, ${element}, ${attempt}, ${state}, ${firstSent}, ${firstSent}, ${verdict}, ${sealed}
        from held
        on conflict (dispatch_id, step, element) do update
        set attempt = excluded.attempt, state = excluded.state, verdict = excluded.verdict, answer = excluded.answer`;
      requireOne(written);
      putRecord(calls, record);
    },
    drawSequence: async (key, name, options) => {
      const value = await transaction(pool, async (client) => {
        requireOne(await execute(client)`select 1 from dispatches where ${owned} for update`);
        const taken = await takeNext(client, lease.accountId, name, options);
        await execute(client)`insert into draws (dispatch_id, key, value) values (${dispatchId}, ${key}, ${taken})`;
        return taken;
      });
      draws.set(key, value);
      return value;
    },
  };
};

const readCalls = async (
  pool: Pool,
  dispatchId: number,
  open: (call: CallColumns, answer: Buffer) => Buffer,
): Promise<CallRecord[]> => {
  const rows = await queryAll<CallColumns & { verdict?: Pick<CallRecord, 'failed' | 'found'>; answer?: Buffer }>(pool)`
    select step, element, attempt, state, first_sent_at as first_sent_at_ms, verdict::json as verdict, answer
    from calls where dispatch_id = ${dispatchId}`;
  return rows.map(({ verdict, answer, ...call }) => ({
    ...call,
    ...verdict,
    ...(answer === undefined ? {} : { answer: unpackAnswer(open(call, answer)) }),
  }));
};

/** The values that a dispatch has drawn from sequences, by their keys. */
export const readDraws = async (pool: Pool, dispatchId: number): Promise<Map<string, string>> => {
  const rows = await queryAll<{ key: string; value: string }>(pool)`
    select key, value from draws where dispatch_id = ${dispatchId}`;
  return new Map(rows.map(({ key, value }) => [key, value]));
};

/** Takes the next value of an account's sequence, in the caller's transaction: no other draw gets it. */
const takeNext = async (
  client: PoolClient,
  accountId: number | undefined,
  name: string,
  options: SequenceOptions,
): Promise<string> => {
  const first = Number(nextInSequence(undefined, options).value);
  // There before it is locked: of two that draw the very first value, one has to wait.
  await execute(client)`
    insert into sequences (account_id, name, next) values (${accountId}, ${name}, ${first}) on conflict do nothing`;
  const taken = await queryOne<{ next: number }>(client)`
    select next from sequences where account_id = ${accountId} and name = ${name} for update`;
  const { value, next } = nextInSequence(taken.next, options);
  await execute(client)`update sequences set next = ${next} where account_id = ${accountId} and name = ${name}`;
  return value;
};

/** For runs that no dispatch records: each value is taken for good, once. */
export const takeFromSequences =
  (pool: Pool) =>
  (accountId: number) =>
  async (name: string, options: SequenceOptions): Promise<string> =>
    await transaction(pool, async (client) => await takeNext(client, accountId, name, options));

/** What was answered is what was done: without it nobody knows. */
const openAnswer = (sealer: Sealer, sealed: Buffer, about: string): Buffer => {
  try {
    return sealer.open(sealed, about);
  } catch (cause) {
    throw new Failure(`what the carrier answered cannot be read: ${messageOf(cause)}`, {
      code: 'secret_unreadable',
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
