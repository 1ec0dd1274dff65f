import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createCarrierLimits,
  createConcurrencyLimiter,
  createSharedLimits,
} from '../../../src/engine/dispatch/limits.ts';
import type { Admission } from '../../../src/engine/dispatch/ports.ts';
import type { Timing } from '../../../src/engine/dispatch/rate-limiter.ts';
import type { Limits } from '../../../src/engine/profile/carrier.ts';
import { fakeClock } from '../../support/clock.ts';

const LIMITS: Limits = {
  timeoutMs: 30_000,
  concurrency: 2,
  rate: undefined,
  per: 'carrier',
  breaker: { failures: 3, pauseMs: 60_000 },
  calls: 200,
  sizeBytes: 1_000,
  values: 50_000,
};

const limitsWith = (limits: Partial<Limits> = {}) => {
  const clock = fakeClock();
  const carrierLimits = createCarrierLimits(clock.now, () => 0, 0);
  const enter = (carrier = 'acme', account = 1, more: Partial<Limits> = {}): Admission =>
    carrierLimits.enter(carrier, account, { ...LIMITS, ...limits, ...more }) as Admission;
  /** Whether a call was admitted; it ends at once. */
  const pass = (healthy: boolean | 'not asked' = true): boolean => {
    const admission = enter();
    if (admission.admitted) admission.leave(healthy === 'not asked' ? undefined : healthy);
    return admission.admitted;
  };
  const waitMs = (): number => {
    const admission = enter();
    return admission.admitted ? 0 : admission.waitMs;
  };
  const waits = (): number[] => Array.from({ length: 50 }, waitMs);
  return { clock, enter, pass, waitMs, waits };
};

const leave = (admission: Admission, healthy = true): void => {
  if (!admission.admitted) throw new Error(`refused: ${admission.why}`);
  admission.leave(healthy);
};

describe('calls at a time', () => {
  it('are as many as declared, of each carrier', () => {
    const { enter } = limitsWith();
    const first = enter();
    enter();
    expect(enter()).toMatchObject({ admitted: false, why: 'as many calls as allowed are under way' });
    expect(enter('other').admitted).toBe(true);
    leave(first);
    expect(enter().admitted).toBe(true);
  });

  it('are counted for each account where the profile says so', () => {
    const { enter } = limitsWith({ per: 'account', concurrency: 1 });
    expect([1, 2, 1].map((account) => enter('acme', account).admitted)).toEqual([true, true, false]);
  });

  it('are counted apart for a step with limits of its own', () => {
    const { enter, pass } = limitsWith();
    enter();
    enter();
    expect(pass()).toBe(false);
    expect([1, 2].map(() => enter('acme', 1, { concurrency: 1 }).admitted)).toEqual([true, false]);
  });

  it('that are refused come back one after another, not all at once, and not much later than it takes', () => {
    const { enter, waits } = limitsWith();
    enter();
    enter();
    const waited = waits();
    expect(waited[0]).toBeGreaterThanOrEqual(100);
    expect(waited.at(-1)).toBeGreaterThanOrEqual(9_000);
    expect(waited.at(-1)).toBeLessThanOrEqual(11_000);
    expect(waited).toEqual(waited.toSorted((a, b) => a - b));
  });

  it('that are refused wait longer at a carrier that is slow, and never for more than a minute or so', () => {
    const { clock, enter, waits } = limitsWith();
    for (let call = 0; call < 20; call += 1) {
      const admission = enter();
      clock.advance(30_000);
      leave(admission);
      // Only what is under way keeps what was learnt.
      if (call === 0) enter();
    }
    enter();
    const waited = waits();
    expect(waited[0]).toBeGreaterThan(5_000);
    expect(Math.max(...waited)).toBeLessThan(80_000);
  });
});

describe('calls in a span', () => {
  const rate = { count: 3, perMs: 1_000 };

  it('are as many as declared; the next is told when', () => {
    const { clock, pass, waitMs } = limitsWith({ rate });
    expect([pass(), pass(), pass(), pass()]).toEqual([true, true, true, false]);
    clock.advance(400);
    expect(waitMs()).toBeGreaterThanOrEqual(600);
    clock.advance(620);
    expect(pass()).toBe(true);
  });

  it('count also when they failed', () => {
    const { pass } = limitsWith({ rate, breaker: { failures: 100, pauseMs: 1 } });
    expect([pass(false), pass(false), pass(false), pass(false)]).toEqual([true, true, true, false]);
  });

  it('of a login ten times a day are not used up, nor forgotten, by the calls it serves', () => {
    const { clock, enter } = limitsWith({ per: 'account' });
    const day = { rate: { count: 10, perMs: 86_400_000 } };
    const second = { rate: { count: 100, perMs: 1_000 } };
    for (let hour = 0; hour < 10; hour += 1) {
      leave(enter('acme', 1, day));
      for (let call = 0; call < 20; call += 1) leave(enter('acme', 1, second));
      clock.advance(3_600_000);
    }
    expect(enter('acme', 1, day).admitted).toBe(false);
    clock.advance(14 * 3_600_000 + 50);
    expect(enter('acme', 1, day).admitted).toBe(true);
  });
});

/** After three failures, and the pause that they brought. */
const paused = () => {
  const limits = limitsWith();
  expect([false, false, false].map(limits.pass)).toEqual([true, true, true]);
  expect(limits.enter()).toMatchObject({ admitted: false, waitMs: 60_000 });
  limits.clock.advance(60_000);
  return limits;
};

describe('the breaker', () => {
  it('pauses a carrier after failures in a row, and then lets one call try', () => {
    const { enter } = paused();
    const trial = enter();
    expect(enter().admitted).toBe(false);
    leave(trial);
    expect(enter().admitted).toBe(true);
  });

  it('pauses again when that one fails', () => {
    const { pass } = paused();
    expect([pass(false), pass()]).toEqual([true, false]);
  });

  it('lets another try in the next pause while one still hangs', () => {
    const { clock, enter } = paused();
    expect(enter().admitted).toBe(true);
    clock.advance(59_999);
    expect(enter().admitted).toBe(false);
    clock.advance(1);
    leave(enter());
    expect(enter().admitted).toBe(true);
  });

  it('has the others come back as soon as a trial may have been answered, but not again and again', () => {
    const { clock, enter, waitMs } = paused();
    enter();
    expect(waitMs()).toBe(3_000);
    clock.advance(3_000);
    expect(waitMs()).toBeGreaterThanOrEqual(57_000);
  });

  it('pauses a carrier that hangs as soon as its first calls have run into their limit', () => {
    const { clock, enter } = limitsWith({ concurrency: 8, breaker: { failures: 10, pauseMs: 60_000 } });
    const calls = Array.from({ length: 8 }, () => enter());
    clock.advance(30_000);
    for (const call of calls) leave(call, false);
    expect(enter()).toMatchObject({ admitted: false, why: 'the carrier failed too often in a row' });
  });

  it('stays shut after a success, whatever becomes of the calls that hung before it', () => {
    const { clock, pass, enter } = limitsWith({ concurrency: 8 });
    const hung = Array.from({ length: 7 }, () => enter());
    clock.advance(30_000);
    expect(pass()).toBe(true);
    for (const call of hung) leave(call, false);
    expect(pass()).toBe(true);
  });

  it('begins anew after a success; what was never asked counts neither way', () => {
    const { pass } = limitsWith();
    for (const healthy of [false, false, 'not asked', true, false, false, 'not asked', false] as const)
      expect(pass(healthy)).toBe(true);
    expect(pass()).toBe(false);
  });

  it('pauses all steps of its carrier, whatever their limits, and no other carrier', () => {
    const { pass, enter } = limitsWith();
    for (let call = 0; call < 3; call += 1) pass(false);
    expect(enter('acme', 1, { concurrency: 1 }).admitted).toBe(false);
    expect(enter('other').admitted).toBe(true);
  });
});

describe('a carrier that is well again after it hung', () => {
  const WAITING = 60;
  const limits: Limits = { ...LIMITS, concurrency: 8, breaker: { failures: 10, pauseMs: 20_000 } };

  /** A refused call comes back when told; one that hangs is given up at its limit. How long each had to wait. */
  const waitsAfter = (hangsForMs: number): readonly number[] => {
    const clock = fakeClock();
    const carrierLimits = createCarrierLimits(clock.now, () => 0.5, 0);
    const beganMs = clock.now();
    const wellMs = beganMs + hangsForMs;
    const acts: { atMs: number; act: () => void }[] = [];
    const at = (atMs: number, act: () => void): void => void acts.push({ atMs, act });
    const waits: number[] = [];
    const call = (): void => {
      const now = clock.now();
      const admission = carrierLimits.enter('acme', 1, limits) as Admission;
      if (!admission.admitted) return at(now + admission.waitMs, call);
      if (now < wellMs) return at(now + limits.timeoutMs, () => admission.leave(false));
      at(now + 100, () => {
        admission.leave(true);
        waits.push(now - wellMs);
      });
    };
    const many = WAITING + Math.min(200, Math.ceil(hangsForMs / 1_000));
    for (let index = 0; index < many; index += 1) at(beganMs + (index * hangsForMs) / many, call);
    at(wellMs, call);
    while (acts.length > 0) {
      const next = acts.reduce((first, one) => (one.atMs < first.atMs ? one : first));
      acts.splice(acts.indexOf(next), 1);
      clock.advance(next.atMs - clock.now());
      next.act();
    }
    return waits;
  };

  it.each([5, 31, 40, 47, 55, 63, 70, 100, 133, 200, 601])(
    'is used again by all who wait within half as long again as its pause, of %i s',
    (seconds) => {
      const waits = waitsAfter(seconds * 1_000);
      expect(waits.length).toBeGreaterThan(WAITING / 2);
      expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
    },
  );
});

/** Enters calls; `went` are those that were admitted, or why not, in their order. */
const lineAt = (own: Partial<Limits> = {}) => {
  const carrierLimits = createCarrierLimits(Date.now, () => 0);
  const went: (number | string)[] = [];
  const leaves = new Map<number, (healthy: boolean) => void>();
  const enter = (...calls: number[]): void => {
    for (const call of calls)
      void Promise.resolve(carrierLimits.enter('acme', 1, { ...LIMITS, ...own })).then((admission) => {
        went.push(admission.admitted ? call : `${call}: ${admission.why}`);
        if (admission.admitted) leaves.set(call, admission.leave);
      });
  };
  const passing = async (ms = 0) => {
    await vi.advanceTimersByTimeAsync(ms);
    return went.splice(0);
  };
  return { enter, passing, end: (call: number, healthy = true) => leaves.get(call)?.(healthy) };
};

describe('the line', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is served in order, whenever a place is given back', async () => {
    const { enter, passing, end } = lineAt();
    enter(1, 2, 3, 4, 5);
    expect(await passing()).toEqual([1, 2]);
    end(2);
    enter(6);
    expect(await passing()).toEqual([3]);
    end(3);
    end(1);
    expect(await passing()).toEqual([4, 5]);
  });

  it('is served whenever the rate allows another call', async () => {
    const { enter, passing } = lineAt({ concurrency: 100, rate: { count: 2, perMs: 1_000 } });
    enter(1, 2, 3, 4, 5);
    expect(await passing(1_000)).toEqual([1, 2]);
    expect(await passing(20)).toEqual([3, 4]);
    expect(await passing(1_020)).toEqual([5]);
  });

  it('is left by who has waited too long, and not joined where that is likely', async () => {
    const { enter, passing, end } = lineAt();
    enter(...Array.from({ length: 60 }, (_, at) => at));
    const [first, second, ...refused] = await passing();
    expect([first, second]).toEqual([0, 1]);
    // At 200 ms a call.
    expect(refused).toHaveLength(8);
    expect(await passing(9_999)).toEqual([]);
    end(0);
    expect(await passing()).toEqual([2]);
    const late = await passing(1);
    expect(late).toHaveLength(49);
    expect(late[0]).toBe('3: as many calls as allowed are under way');
  });

  it('is sent away as soon as the breaker opens', async () => {
    const { enter, passing, end } = lineAt({ breaker: { failures: 2, pauseMs: 60_000 } });
    enter(1, 2, 3, 4);
    expect(await passing()).toEqual([1, 2]);
    end(1, false);
    expect(await passing()).toEqual([3]);
    end(2, false);
    expect(await passing()).toEqual(['4: the carrier failed too often in a row']);
  });

  it('is left by all when nobody is to wait any more, and not joined', async () => {
    const timing: Timing = { nowMs: Date.now, random: () => 0 };
    const alone = { leaseEndMs: () => -Infinity, isUp: () => false, processes: () => 1, ask: () => {} };
    const limits = createSharedLimits(timing, alone);
    const enter = async () => (await limits.enter('acme', 1, { ...LIMITS, concurrency: 1 })).admitted;
    expect(await enter()).toBe(true);
    const waiting = [enter(), enter()];
    timing.patienceMs = 0;
    limits.serve();
    expect(await Promise.all([...waiting, enter()])).toEqual([false, false, false]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('of a process in which nobody waits leaves nothing behind', async () => {
    const { enter, passing, end } = lineAt();
    enter(1, 2, 3);
    await passing();
    for (const call of [1, 2]) end(call);
    await passing();
    end(3);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('work of one carrier leaves as many slots free as it takes, however many carriers there are', () => {
  const limiter = createConcurrencyLimiter(128, fakeClock().now, () => 0, 128);
  const taken = (carrier: string): number => {
    const room = limiter.room(carrier);
    let count = 0;
    while (limiter.enter(carrier).admitted) count += 1;
    expect(count).toBe(room);
    return count;
  };
  expect(limiter.full()).toEqual([]);
  expect(['a', 'b', 'c', 'd', 'another'].map(taken)).toEqual([64, 32, 16, 8, 4]);
  expect(limiter.full()).toEqual(['a', 'b', 'c', 'd', 'another']);
});
