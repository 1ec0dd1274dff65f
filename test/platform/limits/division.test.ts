import { describe, expect, it } from 'vitest';
import type { Demand } from '../../../src/engine/dispatch/places.ts';
import { createSharedLimits } from '../../../src/engine/dispatch/limits.ts';
import type { Limits } from '../../../src/engine/profile/carrier.ts';
import { divide, LEASE_MS, tallyBreaker } from '../../../src/platform/limits/division.ts';
import { fakeClock } from '../../support/clock.ts';
import { randomOf } from '../../support/random.ts';

const LIMITS: Limits = {
  timeoutMs: 30_000,
  concurrency: 100,
  rate: undefined,
  per: 'carrier',
  calls: 1_000,
  breaker: { failures: 3, pauseMs: 60_000 },
  sizeBytes: 1_000,
  values: 50_000,
};

/** Processes that make their rounds when told, over one memory. */
const world = (count: number, own: Partial<Limits>) => {
  const clock = fakeClock();
  const limits: Limits = { ...LIMITS, ...own };
  const states = new Map<string, unknown>();
  let bornMs = 0;
  const starts: number[] = [];
  let underWay = 0;
  let most = 0;

  const start = (name: string) => {
    let leaseEndMs = -Infinity;
    let [isUp, known] = [true, 1];
    const shared = createSharedLimits(
      { nowMs: clock.now, random: () => 0.5, patienceMs: 0 },
      { leaseEndMs: () => leaseEndMs, isUp: () => isUp, processes: () => known, ask: () => round() },
    );
    const round = (isLast = false): void => {
      const nowMs = clock.now();
      const tells = shared.exchanges(isLast).map((one) => {
        const known = states.get(one.name);
        if ('seen' in one) {
          const { state, view } = tallyBreaker(known as Parameters<typeof tallyBreaker>[0], one.seen, nowMs);
          states.set(one.name, state);
          return () => one.hear(view);
        }
        const moment = { process: name, nowMs, processes: count, bornMs };
        const { state, share } = divide(known as Parameters<typeof divide>[0], one.demand, moment);
        states.set(one.name, state);
        return () => one.hear(share);
      });
      leaseEndMs = clock.now() + LEASE_MS;
      [isUp, known] = [true, count];
      shared.rejoin();
      for (const tell of tells) tell();
    };
    return {
      round,
      /** A call that lasts until it is ended. */
      begin: async (): Promise<((healthy?: boolean) => void) | undefined> => {
        const admission = await shared.enter('acme', 1, limits);
        if (!admission.admitted) return undefined;
        starts.push(clock.now());
        underWay += 1;
        most = Math.max(most, underWay);
        return (healthy = true) => {
          underWay -= 1;
          admission.leave(healthy);
        };
      },
      lose: (): void => {
        isUp = false;
      },
    };
  };
  const processes = Array.from({ length: count }, (_, at) => start(`process-${at}`));
  return {
    clock,
    processes,
    starts,
    mostUnderWay: () => most,
    flush: (): void => {
      states.clear();
      bornMs = clock.now();
    },
    /** The most calls that began within one span. */
    mostIn: (spanMs: number): number =>
      Math.max(0, ...starts.map((from) => starts.filter((at) => at >= from && at < from + spanMs).length)),
  };
};

/** Each process tries a call every 20 ms or so, and makes a round twice a second. */
const run = async (
  { clock, processes }: ReturnType<typeof world>,
  {
    forMs,
    callMs = 50,
    busy = processes,
    seed = 1,
  }: { forMs: number; callMs?: number; busy?: typeof processes; seed?: number },
): Promise<void> => {
  const random = randomOf(seed);
  const ending: { atMs: number; end: () => void }[] = [];
  for (let ms = 0; ms < forMs; ms += 10) {
    clock.advance(10);
    for (const one of ending.splice(0)) {
      if (one.atMs <= clock.now()) one.end();
      else ending.push(one);
    }
    for (const [at, one] of busy.entries()) {
      if (random() < 0.5) {
        const end = await one.begin();
        if (end !== undefined) ending.push({ atMs: clock.now() + callMs, end });
      }
      if ((ms + at * 130) % 500 === 0) one.round();
    }
  }
  clock.advance(callMs);
  for (const { end } of ending) end();
};

describe('a rate, over three processes', () => {
  const rate = { count: 10, perMs: 1_000 };

  it.each([1, 2, 3, 4, 5])('is never exceeded in any span, and is used up (seed %i)', async (seed) => {
    const all = world(3, { rate });
    await run(all, { forMs: 20_000, seed });
    expect(all.mostIn(1_000)).toBe(10);
    expect(all.starts.length).toBeGreaterThan(150);
  });

  it('is that of one process while the others have nothing to do, and is divided anew when they have', async () => {
    const all = world(3, { rate });
    const [first] = all.processes;
    await run(all, { forMs: 5_000, busy: [first!] });
    expect(all.starts.length).toBeGreaterThanOrEqual(40);
    const before = all.starts.length;
    await run(all, { forMs: 10_000 });
    expect(all.mostIn(1_000)).toBe(10);
    expect(all.starts.length - before).toBeGreaterThan(75);
  });

  it('of one a second goes round, so that none waits for ever', async () => {
    const all = world(3, { rate: { count: 1, perMs: 1_000 } });
    const made = [0, 0, 0];
    for (let ms = 0; ms < 60_000; ms += 100) {
      all.clock.advance(100);
      for (const [at, one] of all.processes.entries()) {
        const end = await one.begin();
        if (end !== undefined) made[at]! += 1;
        end?.();
        if (ms % 500 === 0) one.round();
      }
    }
    expect(all.mostIn(1_000)).toBe(1);
    expect(Math.min(...made)).toBeGreaterThan(5);
    expect(all.starts.length).toBeGreaterThan(30);
  });

  it('is kept when a process dies: its places come back when its lease, and the span, are over', async () => {
    const all = world(2, { rate });
    const [first, second] = all.processes;
    await run(all, { forMs: 2_000, busy: [first!] });
    const diedAtMs = all.clock.now();
    await run(all, { forMs: 10_000, busy: [second!] });
    expect(all.mostIn(1_000)).toBe(10);
    const late = all.starts.filter((atMs) => atMs > diedAtMs + LEASE_MS + 1_500);
    expect(late.length).toBeGreaterThan(40);
  });

  it('is kept when what they share was lost: nobody is given what another may have', async () => {
    const all = world(3, { rate });
    await run(all, { forMs: 5_000 });
    all.flush();
    await run(all, { forMs: 10_000 });
    expect(all.mostIn(1_000)).toBe(10);
    expect(all.starts.length).toBeGreaterThan(100);
  });

  it('is kept while nobody can ask: each has its equal part of it, and all of it together again afterwards', async () => {
    const all = world(3, { rate });
    await run(all, { forMs: 5_000 });
    const before = all.starts.length;
    const round = all.processes.map((one) => one.round);
    for (const one of all.processes) one.lose();
    const deaf = all.processes.map((one) => ({ ...one, round: () => undefined }));
    await run(all, { forMs: 10_000, busy: deaf });
    const meanwhile = all.starts.length - before;
    expect(meanwhile).toBeGreaterThan(60);
    expect(meanwhile).toBeLessThanOrEqual(10 * 10);
    for (const back of round) back();
    await run(all, { forMs: 5_000 });
    expect(all.mostIn(1_000)).toBeLessThanOrEqual(10);
  });

  it('of fewer calls than there are processes leaves each a call now and then while nobody can ask', async () => {
    const all = world(3, { rate: { count: 1, perMs: 1_000 } });
    for (const one of all.processes) one.round();
    for (const one of all.processes) one.lose();
    all.clock.advance(LEASE_MS + 1);
    const deaf = all.processes.map((one) => ({ ...one, round: () => undefined }));
    await run(all, { forMs: 30_000, busy: deaf });
    expect(all.starts.length).toBeGreaterThanOrEqual(27);
    expect(all.starts.length).toBeLessThanOrEqual(33);
  });

  it('of a day is not begun anew by a process that was not busy', async () => {
    const all = world(2, { rate: { count: 10, perMs: 86_400_000 } });
    const [first, second] = all.processes;
    await run(all, { forMs: 3_000, busy: [first!] });
    await run(all, { forMs: 60_000, busy: [second!] });
    await run(all, { forMs: 60_000 });
    expect(all.starts).toHaveLength(10);
  });
});

describe('calls at a time, over three processes', () => {
  it.each([1, 2, 3])('are never more than declared, and as many as that (seed %i)', async (seed) => {
    const all = world(3, { concurrency: 8 });
    await run(all, { forMs: 20_000, callMs: 200, seed });
    expect(all.mostUnderWay()).toBe(8);
    expect(all.starts.length).toBeGreaterThan(500);
  });

  it('all belong to a process that is alone', async () => {
    const all = world(1, { concurrency: 8 });
    const ends = await Promise.all(Array.from({ length: 9 }, async () => await all.processes[0]!.begin()));
    expect(ends.filter((end) => end !== undefined)).toHaveLength(8);
  });

  it('one at a time goes round', async () => {
    const all = world(3, { concurrency: 1 });
    await run(all, { forMs: 60_000, callMs: 100 });
    expect(all.mostUnderWay()).toBe(1);
  });
});

describe('the breaker of a carrier, over processes', () => {
  it('opens by the failures of all, and closes for all', async () => {
    const { clock, processes } = world(2, {});
    const [first, second] = processes;
    const fail = async (one: typeof first): Promise<void> => (await one!.begin())?.(false);
    await fail(first);
    await fail(second);
    first!.round();
    second!.round();
    await fail(second);
    expect(await second!.begin()).toBeUndefined();
    second!.round();
    first!.round();
    expect(await first!.begin()).toBeUndefined();
    clock.advance(60_000);
    (await second!.begin())!(true);
    second!.round();
    first!.round();
    expect(await first!.begin()).toBeDefined();
  });

  it('has one trial call in each pause, whoever makes it', async () => {
    const { clock, processes } = world(3, {});
    for (let failure = 0; failure < 3; failure += 1) (await processes[0]!.begin())?.(false);
    for (const one of processes) {
      (await one.begin())?.(false);
      one.round();
    }
    for (let pause = 0; pause < 3; pause += 1) {
      clock.advance(60_000);
      const trials = await Promise.all(processes.map(async (one) => await one.begin()));
      expect(trials.filter((end) => end !== undefined)).toHaveLength(1);
    }
  });
});

const demand = (held: number, more: Partial<Demand> = {}): Demand => ({
  total: 10,
  perMs: 1_000,
  held,
  wanted: 10,
  returned: [],
  ...more,
});
const at = (process: string, nowMs: number) => ({ process, nowMs, processes: 2, bornMs: 0 });

it('a process that says what it has is believed, whatever answer it has missed', () => {
  const first = divide(undefined, demand(0), at('a', 1_000_000));
  expect(first.share.granted).toEqual([[0, 10]]);
  // The answer never came: what it was given may have been used, for all that is known.
  const second = divide(first.state, demand(0), at('a', 1_000_100));
  expect(second.share.granted).toEqual([[1_000, 10]]);
  const third = divide(second.state, demand(0, { wanted: 4 }), at('b', 1_000_200));
  expect(third.share.granted).toEqual([]);
  const fourth = divide(third.state, demand(10), at('a', 1_000_300));
  expect(fourth.share.excess).toBe(4);
});

it('what a process that died may have begun is remembered until its span is over', () => {
  const { endsMs } = divide(undefined, demand(0, { perMs: 60_000 }), at('a', 1_000_000));
  expect(endsMs).toBe(1_000_000 + LEASE_MS + 60_000);
});
