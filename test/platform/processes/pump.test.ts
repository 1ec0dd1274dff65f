import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPump, type PumpOptions, wakeByNotify } from '../../../src/platform/processes/pump.ts';
import { APART_MS } from '../../../src/platform/records/batch.ts';
import { listen } from '../../../src/platform/records/listener.ts';
import { execute, notifyWork } from '../../../src/platform/records/sql.ts';
import { freshDatabase } from '../../support/database.ts';
import { quietLog, recordingLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';

const database = freshDatabase();
const NEVER_MS = 3_600_000;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** A pump upon a list: claims take from it, and what is performed ends when it is let go. */
const pumpOf = (own: Partial<PumpOptions<number>> = {}) => {
  const due: number[] = [];
  const asked: number[] = [];
  const performed: number[] = [];
  const gates = new Map<number, () => void>();
  const pump = createPump<number>({
    name: 'delivery',
    slots: 4,
    claim: async (free) => {
      asked.push(free);
      await sleep(1);
      return { work: due.splice(0, free) };
    },
    perform: async (work, signal) => {
      performed.push(work);
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.set(work, resolve);
      signal.addEventListener('abort', () => resolve());
      await promise;
    },
    everyMs: NEVER_MS,
    log: quietLog,
    closeLimitMs: 50,
    ...own,
  });
  closing.push(pump.close);
  /** More work, of which it is told. */
  const add = (...work: number[]): void => {
    due.push(...work);
    pump.wake();
  };
  const letGo = (...work: number[]): void => work.forEach((one) => gates.get(one)?.());
  const hasPerformed = async (count: number): Promise<void> =>
    await until(`${count} were performed`, () => performed.length === count);
  return { pump, due, asked, performed, add, letGo, hasPerformed };
};

describe('a pump', () => {
  test('claims up to its free slots, and again as they become free while there is more', async () => {
    const { pump, due, asked, performed, letGo, hasPerformed } = pumpOf();
    due.push(1, 2, 3, 4, 5, 6, 7);
    pump.start();
    await hasPerformed(4);
    letGo(1, 2);
    await hasPerformed(6);
    letGo(3, 4, 5);
    await hasPerformed(7);
    letGo(6, 7);
    await sleep(20);
    expect(performed).toEqual([1, 2, 3, 4, 5, 6, 7]);
    // What ends in one turn of the loop is claimed for at once; the last claim was not full, so there is no other.
    expect(asked).toEqual([4, 2, 3]);
  });

  test('claims some at a time while there is much: slots that become free one by one are filled together', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { pump, due, asked, performed, letGo, hasPerformed } = pumpOf();
    due.push(1, 2, 3, 4, 5, 6, 7, 8);
    pump.start();
    await hasPerformed(4);
    for (const one of [1, 2, 3]) {
      letGo(one);
      await sleep(30);
    }
    vi.advanceTimersByTime(APART_MS);
    await hasPerformed(7);
    expect(asked).toEqual([4, 3]);
    expect(performed).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('claims when it is woken, once for all that wakes it meanwhile', async () => {
    const { pump, asked, add, hasPerformed } = pumpOf();
    pump.start();
    await until('it has looked', () => asked.length === 1);
    add(1);
    add(2);
    await hasPerformed(2);
    expect(asked).toEqual([4, 4]);
    add(3);
    await hasPerformed(3);
    expect(asked).toEqual([4, 4, 2]);
  });

  test('never has two claims under way, and makes another for what came during one', async () => {
    const gates: (() => void)[] = [];
    const claim = async () => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return { work: [] };
    };
    const { pump } = pumpOf({ claim });
    pump.start();
    await until('the first claim', () => gates.length === 1);
    for (let times = 0; times < 5; times += 1) pump.wake();
    await sleep(20);
    expect(gates).toHaveLength(1);
    gates[0]?.();
    await until('the second claim', () => gates.length === 2);
    gates[1]?.();
    await sleep(20);
    expect(gates).toHaveLength(2);
  });

  test('does nothing before it is started', async () => {
    const { pump, asked, add } = pumpOf();
    add(1);
    expect(pump.reserve(1)).toBe(0);
    await sleep(20);
    expect(asked).toEqual([]);
  });

  test('looks now and then, when it is told to, and when the next becomes due', async () => {
    const looks: number[] = [];
    const claim = async () =>
      await Promise.resolve({ work: [], nextInMs: looks.push(performance.now()) === 1 ? 50 : undefined });
    const { pump } = pumpOf({ claim });
    pump.start();
    await until('it looked for what became due', () => looks.length === 2);
    expect(looks[1]! - looks[0]!).toBeGreaterThan(40);
    pump.wake(30);
    pump.wake(NEVER_MS);
    await until('it looked when told to', () => looks.length === 3);
    const often = pumpOf({ claim, everyMs: 10 });
    often.pump.start();
    await until('it looks now and then', () => looks.length > 10);
  });

  test('waits for a slot before it looks for what was due meanwhile', async () => {
    const { pump, due, performed, letGo, hasPerformed } = pumpOf({ slots: 1 });
    due.push(1);
    pump.start();
    await hasPerformed(1);
    due.push(2);
    pump.wake(1);
    await sleep(20);
    expect(performed).toEqual([1]);
    letGo(1);
    await hasPerformed(2);
  });

  test('keeps slots for what others claim, leaves some to them, and performs it', async () => {
    const { pump, due, asked, performed, hasPerformed } = pumpOf({ perClaim: 2 });
    pump.start();
    await until('it has looked', () => asked.length === 1);
    expect(pump.reserve(3)).toBe(3);
    expect(pump.reserve(3)).toBe(1);
    due.push(1);
    pump.wake();
    await sleep(20);
    expect(performed).toEqual([]);
    pump.take([10, 11], 3);
    await hasPerformed(3);
    expect(performed).toEqual([10, 11, 1]);
    expect(asked).toEqual([2, 1]);
  });

  test('goes on after a claim or a piece of work that failed, and says so', async () => {
    const log = recordingLog();
    let claims = 0;
    const claim = async () => {
      claims += 1;
      if (claims === 1) throw new Error('no database');
      return await Promise.resolve({ work: claims === 2 ? [1] : [] });
    };
    const { pump } = pumpOf({
      claim,
      everyMs: 10,
      log,
      perform: async () => await Promise.reject(new Error('broken')),
    });
    pump.start();
    await until('it claims on', () => claims > 3);
    expect(log.lines.map(({ level, fields }) => ({ level, ...fields }))).toEqual([
      { level: 'warn', work: 'delivery', error: 'no database' },
      { level: 'error', work: 'delivery', error: 'broken' },
    ]);
  });

  test('that is closed waits for what is under way, also what was claimed last, and claims no more', async () => {
    const { pump, due, asked, performed, letGo } = pumpOf({ closeLimitMs: 5_000 });
    due.push(1);
    pump.start();
    await until('a claim is under way', () => asked.length === 1);
    const closed = pump.close();
    expect(pump.reserve(1)).toBe(0);
    pump.wake();
    await until('what was claimed is performed', () => performed.length === 1);
    letGo(1);
    await closed;
    expect(asked).toHaveLength(1);
  });

  test('that is closed waits for reserved slots, and performs what is claimed for them', async () => {
    const { pump, asked, performed, letGo } = pumpOf({ closeLimitMs: 5_000 });
    pump.start();
    await until('it has looked', () => asked.length === 1);
    const reserved = pump.reserve(2);
    const closed = pump.close();
    pump.take([1], reserved);
    expect(performed).toEqual([1]);
    letGo(1);
    await closed;
  });

  test('that is closed aborts at the limit what does not end, and waits no longer for what does not heed that', async () => {
    const log = recordingLog();
    const aborted: number[] = [];
    const perform = async (work: number, signal: AbortSignal): Promise<void> =>
      await new Promise((resolve) => {
        signal.addEventListener('abort', () => aborted.push(work));
        if (work === 1) signal.addEventListener('abort', () => resolve());
      });
    const { pump, due } = pumpOf({ perform, log });
    due.push(1, 2);
    pump.start();
    await until('both were claimed', () => due.length === 0);
    await pump.close();
    expect(aborted).toEqual([1, 2]);
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { work: 'delivery', underWay: 2 } }]);
  });

  test('is woken by what another process commits, and by a connection that was away', async () => {
    const labels = pumpOf({ name: 'label' });
    const deliveries = pumpOf();
    const listener = await listen({ databaseUrl: database.databaseUrl, log: quietLog });
    closing.push(listener.close);
    await wakeByNotify([labels.pump, deliveries.pump], listener);
    for (const { pump } of [labels, deliveries]) pump.start();
    await until('both have looked', () => labels.asked.length + deliveries.asked.length === 2);
    labels.due.push(1);
    await execute(database.pool)`select ${notifyWork('label')}`;
    await labels.hasPerformed(1);
    expect(deliveries.asked).toHaveLength(1);

    deliveries.due.push(1);
    await database.rows(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'waybill-listen'`);
    await deliveries.hasPerformed(1);
  });
});
