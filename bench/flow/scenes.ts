/** What is no matter of rounds: work that waits for workers, and a carrier that answers late. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { median } from '../measure.ts';
import { enter, type Figures, quantile, send, untilDone } from './entry.ts';
import type { Counted } from './other-side.ts';
import type { Sent } from './shippers.ts';
import { referenceOf } from './traffic.ts';
import { type Form, startWaybill } from './waybill.ts';

const CARRIERS = 10;
const [SLOW, LOOK_EVERY_MS] = ['flow0', 50];
const base = { carriers: 1, subscribers: 1, history: 0, isProfiled: false };

const usedMb = async (url: string | undefined): Promise<number> => {
  if (url === undefined) return 0;
  const redis = new Redis(url);
  const [, bytes] = /used_memory:(\d+)/.exec(await redis.info('memory')) ?? [];
  await redis.quit();
  return Number(bytes) / 1_048_576;
};

/** So many creates are accepted while no worker runs; then one starts. */
export const queued = async (backend: Form['backend'], count: number, concurrency: number): Promise<Figures> => {
  const waybill = await startWaybill({ ...base, backend }, 'api');
  await using entry = enter(waybill);
  const before = await usedMb(waybill.queue?.url);
  const startMs = performance.now();
  const load = { kind: 'dispatch', first: 0, count, concurrency, ...waybill.trafficOf('dispatch') } as const;
  await entry.shippers.ask<Sent>(load);
  const acceptedMs = performance.now() - startMs;
  const after = await usedMb(waybill.queue?.url);
  await using _worker = await waybill.startWorker();
  const workMs = performance.now();
  await untilDone(entry, 'dispatch', { wanted: count * waybill.marks.dispatch });
  return {
    'accepted per second': (count / acceptedMs) * 1_000,
    'Redis MB': after - before,
    'caught up after s': (performance.now() - workMs) / 1_000,
  };
};

/** How long the others' creates take until their webhooks have come, while all carriers are well and while one is slow. */
export const slowCarrier = async (
  backend: Form['backend'],
  { rounds, units, concurrency }: { readonly rounds: number; readonly units: number; readonly concurrency: number },
): Promise<Figures> => {
  const waybill = await startWaybill({ ...base, backend, carriers: CARRIERS });
  await using entry = enter(waybill);
  const { otherSide } = waybill;
  await send(entry, 'dispatch', { count: units, concurrency });
  const p95 = async (slow: string): Promise<number> => {
    await otherSide.ask({ tracks: true, slow });
    const first = entry.next;
    entry.next += units;
    const wanted = (await waybill.done('dispatch')) + units * waybill.marks.dispatch;
    const load = { kind: 'dispatch', first, count: units, concurrency, ...waybill.trafficOf('dispatch') } as const;
    const { begunMs } = await entry.shippers.ask<Sent>(load);
    const others = begunMs.flatMap((ms, at) => ((first + at) % CARRIERS === 0 ? [] : [{ at, ms }]));
    for (;;) {
      const { arrivals = {} } = await otherSide.ask<Counted>({});
      const doneMs = others.flatMap(({ at, ms }) => {
        const arrived = arrivals[referenceOf(first + at)];
        return arrived === undefined ? [] : [arrived - ms];
      });
      if (doneMs.length === others.length) {
        await otherSide.ask({ slow: '' });
        await untilDone(entry, 'dispatch', { wanted });
        return quantile(
          doneMs.toSorted((a, b) => a - b),
          0.95,
        );
      }
      await sleep(LOOK_EVERY_MS);
    }
  };
  const [well, slow]: [number[], number[]] = [[], []];
  for (let round = 0; round < Math.max(1, rounds); round += 1) {
    well.push(await p95(''));
    slow.push(await p95(SLOW));
  }
  return { "others' p95 ms, all well": median(well), "others' p95 ms, one slow": median(slow) };
};
