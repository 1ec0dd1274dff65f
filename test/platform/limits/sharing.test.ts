/** Three processes' limits over a real Redis or PostgreSQL, at a carrier that counts. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Limits } from '../../../src/engine/profile/carrier.ts';
import { openPostgresTexts } from '../../../src/platform/limits/postgres-texts.ts';
import { openRedisTexts } from '../../../src/platform/limits/redis-texts.ts';
import { createAlert } from '../../../src/platform/records/alert.ts';
import { type LimitSharing, type SharedTexts, startLimitSharing } from '../../../src/platform/limits/sharing.ts';
import { redisAt } from '../../../src/platform/queue/redis.ts';
import { freePort } from '../../../src/platform/records/embedded-postmaster.ts';
import { freshDatabase } from '../../support/database.ts';
import { quietLog, recordingLog } from '../../support/log.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import { startRedisCluster } from '../../support/redis-topologies.ts';
import { describeRedis, sharedRedis } from '../../support/redis.ts';
import { startSilentProxy } from '../../support/silent-proxy.ts';
import { until } from '../../support/until.ts';

const LIMITS: Limits = {
  timeoutMs: 30_000,
  concurrency: 32,
  rate: undefined,
  per: 'carrier',
  calls: 1_000,
  breaker: { failures: 3, pauseMs: 60_000 },
  sizeBytes: 1_000,
  values: 50_000,
};
const nowMs = (): number => performance.now();

/** What a process's limits last read of the clock: its own continuations come later on a busy machine. */
const lastReadMs = new WeakMap<LimitSharing, () => number>();
const started: LimitSharing[] = [];
afterEach(async () => void (await Promise.all(started.splice(0).map(async (one) => await one.close()))));

const startProcess = (texts: SharedTexts, log = quietLog): LimitSharing => {
  let readMs = 0;
  const sharing = startLimitSharing({
    texts,
    process: randomUUID(),
    log,
    alert: createAlert(log),
    nowMs: () => (readMs = nowMs()),
    random: Math.random,
  });
  lastReadMs.set(sharing, () => readMs);
  started.push(sharing);
  return sharing;
};

/** They know of one another. */
const startProcesses = async (
  open: () => Promise<SharedTexts>,
  count: number,
  log = quietLog,
): Promise<LimitSharing[]> => {
  const processes: LimitSharing[] = [];
  for (let one = 0; one < count; one += 1) processes.push(startProcess(await open(), log));
  for (const one of [...processes, ...processes]) await one.join();
  return processes;
};

const startCarrier = async (answerMs = 5) => {
  let [underWay, most] = [0, 0];
  const atMs: number[] = [];
  const server = createServer((_request, response) => {
    atMs.push(nowMs());
    underWay += 1;
    most = Math.max(most, underWay);
    setTimeout(() => {
      underWay -= 1;
      response.end('{}');
    }, answerMs);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // The first request of a process takes its time.
  await (await fetch(url)).arrayBuffer();
  atMs.length = 0;
  return { url, atMs, mostUnderWay: () => most };
};

/** Calls it again and again for a time, eight at once; when calls were admitted. */
const work = async (limits: LimitSharing, url: string, own: Partial<Limits>, forMs: number): Promise<number[]> => {
  const admitted: number[] = [];
  const endMs = nowMs() + forMs;
  const lane = async (): Promise<void> => {
    while (nowMs() < endMs) {
      const admission = await limits.enter('acme', 1, { ...LIMITS, ...own });
      if (!admission.admitted) {
        await sleep(Math.min(admission.waitMs, 200));
        continue;
      }
      admitted.push(lastReadMs.get(limits)?.() ?? nowMs());
      await fetch(url).then(async (response) => await response.arrayBuffer());
      admission.leave(true);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return admitted;
};

/** Calls it once, where it is let in. */
const call = async (one: LimitSharing): Promise<boolean> => {
  const admission = await one.enter('acme', 1, LIMITS);
  if (admission.admitted) admission.leave(true);
  return admission.admitted;
};

/** Another lane may have read the clock meanwhile, and the lanes of other processes read their own: a span is 5 % shorter. */
const mostIn = (atMs: readonly number[], spanMs: number): number =>
  Math.max(0, ...atMs.map((from) => atMs.filter((at) => at >= from && at < from + spanMs * 0.95).length));

const suite = (open: () => Promise<SharedTexts>) => (): void => {
  it('admit ten a second together where the rate is 10/s, and use it up', async () => {
    const carrier = await startCarrier();
    const processes = await startProcesses(open, 3);
    const rate = { count: 10, perMs: 1_000 };
    const admitted = await Promise.all(processes.map(async (one) => await work(one, carrier.url, { rate }, 6_000)));
    expect(mostIn(admitted.flat(), 1_000)).toBe(10);
    // What was sent late comes with what was sent in time, but no more comes in all.
    expect(carrier.atMs.length).toBe(admitted.flat().length);
    expect(carrier.atMs.length).toBeGreaterThanOrEqual(54);
    expect(Math.min(...admitted.map(({ length }) => length))).toBeGreaterThan(3);
  });

  it('have as many calls under way together as the concurrency says', async () => {
    const carrier = await startCarrier(40);
    const processes = await startProcesses(open, 3);
    await Promise.all(processes.map(async (one) => await work(one, carrier.url, { concurrency: 5 }, 3_000)));
    expect(carrier.mostUnderWay()).toBe(5);
    expect(carrier.atMs.length).toBeGreaterThan(150);
  });

  it('open the breaker by the failures of all, and close it for all', async () => {
    const limits = { ...LIMITS, breaker: { failures: 4, pauseMs: 1_500 } };
    const log = recordingLog();
    const [first, second] = (await startProcesses(open, 2, log)) as [LimitSharing, LimitSharing];
    const call = async (one: LimitSharing, healthy: boolean): Promise<boolean> => {
      const admission = await one.enter('acme', 1, limits);
      if (admission.admitted) admission.leave(healthy);
      return admission.admitted;
    };
    for (const one of [first, second, first, second]) expect(await call(one, false)).toBe(true);
    await until('the first knows', async () => !(await call(first, false)), 3_000);
    await until('the second knows', async () => !(await call(second, false)), 3_000);
    expect([first.open(), second.open()]).toEqual([['acme'], ['acme']]);
    const told = { alert: 'breaker_opened', carrier: 'acme', account: undefined };
    expect(log.lines.map(({ fields }) => fields)).toEqual([told, told]);
    await until('one makes a trial', async () => await call(first, true), 5_000);
    await until('the other is let in', async () => await call(second, true), 1_400);
    expect([first.open(), second.open()]).toEqual([[], []]);
  });

  it('keep a breaker open, and close it, as an operator says to any of them', async () => {
    const [first, second] = (await startProcesses(open, 2)) as [LimitSharing, LimitSharing];
    expect(await call(first)).toBe(true);
    await first.setBreaker('acme', 60_000);
    await until('the first holds back', async () => !(await call(first)), 3_000);
    await until('the second, too, which had not called it yet', async () => !(await call(second)), 3_000);
    const { nowMs: atMs, states } = await second.breakers(['acme', 'other']);
    expect(states.get('acme')?.keptOpenUntilMs).toBeGreaterThan(atMs);
    expect(states.has('other')).toBe(false);
    await second.setBreaker('acme', 0);
    await until('both go again', async () => (await call(first)) && (await call(second)), 3_000);
  });

  it('give a process that is alone all places, without asking again for each call', async () => {
    const texts = await open();
    let asked = 0;
    const alone = startProcess({
      ...texts,
      read: async (...given) => {
        asked += 1;
        return await texts.read(...given);
      },
    });
    const beganMs = nowMs();
    for (let call = 0; call < 2_000; call += 1) {
      const admission = await alone.enter('acme', 1, LIMITS);
      if (!admission.admitted) throw new Error(admission.why);
      admission.leave(true);
    }
    expect(asked).toBeLessThanOrEqual(2 + (nowMs() - beganMs) / 500);
  });

  it('may be of a carrier of any name', async () => {
    const one = startProcess(await open());
    for (const carrier of ['alive', 'born', 'process']) {
      const admission = await one.enter(carrier, 1, { ...LIMITS, per: carrier === 'process' ? 'account' : 'carrier' });
      expect(admission.admitted).toBe(true);
      if (admission.admitted) admission.leave(false);
    }
    await one.join();
    expect(one.isShared()).toBe(true);
    const other = await open();
    const { processes } = await other.read('another', true, []);
    await other.close();
    expect(processes).toBe(2);
  });

  it('wait for calls whose places others need without asking all the time', async () => {
    const limits = { ...LIMITS, concurrency: 4 };
    const texts = await open();
    let asked = 0;
    const busy = startProcess({
      ...texts,
      read: async (...given) => {
        asked += 1;
        return await texts.read(...given);
      },
    });
    const other = startProcess(await open());
    for (const one of [busy, other]) await one.join();
    const admitted = await Promise.all(Array.from({ length: 4 }, async () => await busy.enter('acme', 1, limits)));
    const leaves = admitted.flatMap((admission) => (admission.admitted ? [admission.leave] : []));
    asked = 0;
    const waiting = Array.from({ length: 10 }, async () => {
      const admission = await other.enter('acme', 1, limits);
      if (admission.admitted) admission.leave(true);
      return admission.admitted;
    });
    await sleep(2_000);
    expect(leaves.length).toBeGreaterThan(2);
    expect(asked).toBeLessThanOrEqual(8);
    for (const leave of leaves) leave(true);
    const wentMs = nowMs();
    expect(await Promise.all(waiting)).not.toContain(false);
    expect(nowMs() - wentMs).toBeLessThan(3_000);
  });

  it('give back the places of a process that ends, at once, and of one that died, when its lease is over', async () => {
    const limits = { ...LIMITS, concurrency: 2 };
    const enter = async (one: LimitSharing) => await one.enter('acme', 1, limits);
    const admitted = async (one: LimitSharing): Promise<boolean> => (await enter(one)).admitted;
    let isCut = false;
    const cut = (): void => void (isCut = true);
    const texts = await open();
    const read: SharedTexts['read'] = async (...given) => {
      if (isCut) throw new Error('cut');
      return await texts.read(...given);
    };
    const [ending, living] = await startProcesses(open, 2);
    const dying = startProcess({ ...texts, read });
    for (const place of ['the first', 'the second'])
      await until(`${place} is taken and given back`, async () => {
        const admission = await enter(ending!);
        if (admission.admitted) admission.leave(true);
        return admission.admitted;
      });
    await ending!.close();
    for (const place of ['the first', 'the second'])
      await until(`${place} is taken`, async () => await admitted(dying), 1_500);
    // It says nothing any more, as if it were gone.
    cut();
    const [first, fromMs] = [admitted(living!), nowMs()];
    expect(await Promise.race([first, sleep(500, 'it waits')])).toBe('it waits');
    expect(await first).toBe(true);
    expect(nowMs() - fromMs).toBeLessThan(6_000);
  });
};

describe('limits shared in PostgreSQL', () => {
  const database = freshDatabase();
  beforeEach(async () => void (await database.pool.query('delete from shared_limits')));
  suite(async () => openPostgresTexts(database, quietLog))();
});

describeRedis('limits shared in Redis', () => {
  let prefix: string | undefined;
  afterEach(() => void (prefix = undefined));
  suite(async () => {
    const redis = await sharedRedis();
    prefix ??= redis.prefix;
    return openRedisTexts(
      redisAt(redis.url, () => undefined),
      prefix,
    );
  })();
});

const openAt = (url: string): SharedTexts =>
  openRedisTexts(
    redisAt(url, () => undefined),
    'own',
  );

describeRedis('a Redis that', () => {
  const rate = { count: 9, perMs: 500 };
  it('is gone leaves each process its part, and no call waits for it; when it is back, all hold together again', async () => {
    const port = await freePort();
    const redis = await startRedisServer(port);
    const log = recordingLog();
    const processes = [1, 2, 3].map(() => startProcess(openAt(redis.url), log));
    const carrier = await startCarrier();
    const workAll = async (forMs: number): Promise<number[]> =>
      (await Promise.all(processes.map(async (one) => await work(one, carrier.url, { rate }, forMs)))).flat();
    const [before] = await Promise.all([
      workAll(2_000),
      ...processes.map(async (one) => await work(one, carrier.url, { concurrency: 30 }, 2_000)),
    ]);
    await redis.stop();
    const longest = { ms: 0 };
    const stop = new AbortController();
    const watched = processes.map(async (one) => {
      while (!stop.signal.aborted) {
        const fromMs = nowMs();
        const admission = await one.enter('acme', 1, { ...LIMITS, concurrency: 30 });
        longest.ms = Math.max(longest.ms, nowMs() - fromMs);
        if (admission.admitted) admission.leave(true);
        await sleep(20);
      }
    });
    const meanwhile = await workAll(5_000);
    stop.abort();
    await Promise.all(watched);
    expect(longest.ms).toBeLessThan(400);
    expect(processes.map((one) => one.isShared())).toEqual([false, false, false]);
    expect(mostIn([...before, ...meanwhile], 500)).toBeLessThanOrEqual(9);
    expect(meanwhile.length).toBeGreaterThan(20);
    const again = await startRedisServer(port);
    onTestFinished(again.stop);
    await until('they share again', () => processes.every((one) => one.isShared()));
    const after = await workAll(6_000);
    expect(mostIn(after, 500)).toBeLessThanOrEqual(9);
    expect(after.length).toBeGreaterThan(40);
    const told = log.lines.map(({ message }) => message);
    expect(told.filter((message) => message.includes('each process keeps to its equal part'))).toHaveLength(3);
    expect(told.filter((message) => message.includes('together again'))).toHaveLength(3);
  });

  it('answers nothing keeps the first call waiting for a moment only', async () => {
    const redis = await startRedisServer();
    onTestFinished(redis.stop);
    const proxy = await startSilentProxy(redis.port);
    onTestFinished(proxy.close);
    const alone = startProcess(openAt(`redis://127.0.0.1:${proxy.port}`));
    await alone.join();
    await until('it is known', async () => (await alone.enter('other', 1, LIMITS)).admitted);
    proxy.swallow();
    const fromMs = nowMs();
    while (!(await alone.enter('acme', 1, LIMITS)).admitted) await sleep(100);
    expect(nowMs() - fromMs).toBeLessThan(4_500);
    const nextMs = nowMs();
    expect((await alone.enter('acme', 1, LIMITS)).admitted).toBe(true);
    expect(nowMs() - nextMs).toBeLessThan(50);
  });

  it('is a cluster has all texts of an installation on one node', async () => {
    const cluster = await startRedisCluster();
    onTestFinished(cluster.stop);
    const processes = await startProcesses(async () => openAt(cluster.url), 2);
    const carrier = await startCarrier();
    const all = await Promise.all(processes.map(async (one) => await work(one, carrier.url, { rate }, 2_000)));
    expect(mostIn(all.flat(), 500)).toBe(9);
    expect(processes.map((one) => one.isShared())).toEqual([true, true]);
  });
});
