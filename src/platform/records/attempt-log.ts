import type { Pool } from 'pg';
import { type CallRecord, type Exchange, type AttemptLog, LeaseLost } from '../../engine/dispatch/ports.ts';
import { putRecord } from '../../engine/dispatch/attempt-log.ts';
import { Failure, messageOf } from '../../engine/failure.ts';
import type { Sealer } from './sealer.ts';
import { type ExchangeContext, exchangeColumns, INSERT_EXCHANGE } from './exchanges.ts';
import { fromNow } from './lease.ts';
import { transaction } from './pool.ts';
import { takeNext } from './sequences.ts';

/** The lease under which a worker writes: whoever has another one has lost. */
export interface Lease extends ExchangeContext {
  readonly dispatchId: number;
  readonly lease: string;
  readonly accountId: number | undefined;
}

interface CallRow {
  step: string;
  element: number;
  attempt: number;
  state: CallRecord['state'];
  first_sent_at: Date;
  verdict: string | null;
  answer: Buffer | null;
}

/** After the longest time a call may take, how long its worker has to write down what came of it. */
const MARGIN_MS = 15_000;

const aboutAnswer = (dispatchId: number, step: string, element: number): string =>
  `answer/${dispatchId}/${step}/${element}`;

/** The attempt log of a claimed dispatch: what is known of its calls, and writes that commit only under its lease. */
export const openAttemptLog = async (
  pool: Pool,
  sealer: Sealer,
  lease: Lease,
  nowMs: () => number,
): Promise<AttemptLog> => {
  const held = [lease.dispatchId, lease.lease] as const;
  const calls = await readCalls(pool, sealer, lease.dispatchId);
  const drawn = await pool.query<{ key: string; value: string }>(
    'select key, value from draws where dispatch_id = $1',
    [lease.dispatchId],
  );
  const draws = new Map(drawn.rows.map(({ key, value }) => [key, value]));
  const requireOne = (rowCount: number | null): void => {
    if (rowCount !== 1) throw new LeaseLost(`dispatch ${lease.dispatchId} was taken over`);
  };

  return {
    calls,
    draws,
    fence: async (key, attempt, firstSentAtMs, forMs) => {
      const beganMs = nowMs();
      const { rowCount } = await pool.query(
        `with held as (
           update dispatches set lease_until = greatest(lease_until, ${fromNow('$3')})
           where id = $1 and lease = $2 and state = 'sending' returning id)
         insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at)
         select id, $4, $5, $6, 'sending', $7, $8 from held
         on conflict (dispatch_id, step, element) do update
         set attempt = excluded.attempt, state = 'sending', first_sent_at = excluded.first_sent_at,
             sent_at = excluded.sent_at`,
        [...held, forMs + MARGIN_MS, key.step, key.element, attempt, new Date(firstSentAtMs), new Date(beganMs)],
      );
      requireOne(rowCount);
      // A process that slept over its fence must not send under a lease that may run out meanwhile.
      if (nowMs() - beganMs > MARGIN_MS) throw new LeaseLost(`dispatch ${lease.dispatchId} was fenced too slowly`);
      putRecord(calls, { ...key, attempt, state: 'sending', firstSentAtMs });
    },
    commit: async (record, exchange) => {
      requireOne(await commitCall(pool, sealer, lease, record, exchange));
      putRecord(calls, record);
    },
    drawSequence: async (key, name, options) => {
      const value = await transaction(pool, async (client) => {
        const owned = await client.query(`select 1 from dispatches where id = $1 and lease = $2 for update`, [...held]);
        requireOne(owned.rowCount);
        const taken = await takeNext(client, lease.accountId, name, options);
        await client.query('insert into draws (dispatch_id, key, value) values ($1, $2, $3)', [
          lease.dispatchId,
          key,
          taken,
        ]);
        return taken;
      });
      draws.set(key, value);
      return value;
    },
  };
};

const readCalls = async (pool: Pool, sealer: Sealer, dispatchId: number): Promise<CallRecord[]> => {
  const { rows } = await pool.query<CallRow>(
    'select step, element, attempt, state, first_sent_at, verdict, answer from calls where dispatch_id = $1',
    [dispatchId],
  );
  return rows.map((row): CallRecord => {
    const verdict = row.verdict === null ? {} : (JSON.parse(row.verdict) as Pick<CallRecord, 'failed' | 'found'>);
    return {
      step: row.step,
      element: row.element,
      attempt: row.attempt,
      state: row.state,
      firstSentAtMs: row.first_sent_at.getTime(),
      ...verdict,
      ...(row.answer === null
        ? {}
        : { answer: unpackAnswer(openAnswer(sealer, row.answer, aboutAnswer(dispatchId, row.step, row.element))) }),
    };
  });
};

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

const commitCall = async (
  pool: Pool,
  sealer: Sealer,
  lease: Lease,
  record: CallRecord,
  exchange: Exchange | undefined,
): Promise<number | null> => {
  const { step, element, attempt, state, firstSentAtMs, answer, failed, found } = record;
  const sealed =
    answer === undefined ? null : sealer.seal(packAnswer(answer), aboutAnswer(lease.dispatchId, step, element));
  const columns = exchange === undefined ? undefined : exchangeColumns(lease, exchange);
  const own = [
    lease.dispatchId,
    lease.lease,
    step,
    element,
    attempt,
    state,
    new Date(firstSentAtMs),
    failed === undefined && found === undefined ? null : JSON.stringify({ failed, found }),
    sealed,
  ];
  const { rowCount } = await pool.query(
    `with held as (
       select id from dispatches where id = $1 and lease = $2 and state = 'sending' for update)
     ${columns === undefined ? '' : `, exchange as (${INSERT_EXCHANGE(own.length)} from held)`}
     insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at, verdict, answer)
     select id, $3, $4, $5, $6, $7, $7, $8, $9 from held
     on conflict (dispatch_id, step, element) do update
     set attempt = excluded.attempt, state = excluded.state, verdict = excluded.verdict, answer = excluded.answer`,
    [...own, ...(columns ?? [])],
  );
  return rowCount;
};

type Kept = NonNullable<CallRecord['answer']>;

/** A line of JSON with status and headers, then the body as it came. */
const packAnswer = ({ status, headers, body }: Kept): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify({ status, headers })}\n`), body]);

const unpackAnswer = (bytes: Buffer): Kept => {
  const end = bytes.indexOf('\n');
  const head = JSON.parse(bytes.toString('utf8', 0, end)) as Pick<Kept, 'status' | 'headers'>;
  return { ...head, body: bytes.subarray(end + 1) };
};
