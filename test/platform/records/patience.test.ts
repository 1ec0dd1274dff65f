import { beforeEach, describe, expect, it } from 'vitest';
import { createDispatches } from '../../../src/platform/records/dispatches.ts';
import { performDispatch } from '../../../src/engine/dispatch/perform.ts';
import { answer, carrierOf, refused } from '../../engine/dispatch/world.ts';
import { freshDatabase } from '../../support/database.ts';
import { carrier, dispatchWorld, done, profile } from './dispatch-world.ts';

const database = freshDatabase();
const world = dispatchWorld(() => database.pool);
beforeEach(world.begin);

const HOUR = 3_600_000;

/** A worker that tells what operators are told. */
const tellingWorker = (by = carrier) => {
  const told: { code: string; dispatch: unknown; nextTry: unknown }[] = [];
  const alert = (code: string, { dispatch, nextTry }: Readonly<Record<string, unknown>>) =>
    void told.push({ code, dispatch, nextTry });
  const { performing } = world.worker(by);
  const dispatches = createDispatches({ ...world.storeOn(database.pool), alert });
  /** Takes it up whenever it is due, so often; undefined: until it has ended. Yields how it ended last. */
  const goOn = async (dispatchId: number, times = Infinity) => {
    for (let time = 1; ; time += 1) {
      world.clock.advance(Math.max(0, (await world.row(dispatchId)).due_at.getTime() - world.clock.now()));
      const [claim] = await dispatches.claim([dispatchId]);
      if (claim === undefined) throw new Error('not due');
      const performed = await performDispatch(claim, { ...performing, dispatches });
      if (performed !== 'waiting' || time >= times) return performed;
    }
  };
  return { goOn, told };
};
const awaySince = async (dispatchId: number) => (await world.row(dispatchId)).away_since;

describe('a dispatch whose carrier is away', () => {
  it('waits from then on, also in the hands of other processes, and ends its wait when the carrier is back', async () => {
    const { dispatchId } = await world.accept(carrier);
    world.script.push(refused, refused, refused, done);
    const since = new Set<number | undefined>();
    for (let times = 0; times < 3; times += 1) {
      expect(await tellingWorker().goOn(dispatchId, 1)).toBe('waiting');
      since.add((await awaySince(dispatchId))?.getTime());
    }
    expect(await tellingWorker().goOn(dispatchId)).toBe('done');
    expect(since.size).toBe(1);
    expect(await awaySince(dispatchId)).toBeNull();
  });

  it('is held after the time that its profile says, as certainly not done; a retry tries it for as long again', async () => {
    const brief = carrierOf(`${profile}retry: { until: 1h }\n`);
    const { dispatchId, consignmentId } = await world.accept(brief);
    const { goOn, told } = tellingWorker(brief);
    const startMs = world.clock.now();
    world.script.push(...Array.from({ length: 30 }, () => refused));
    expect(await goOn(dispatchId)).toBe('held');
    expect(world.clock.now() - startMs).toBeGreaterThanOrEqual(HOUR);
    expect(JSON.parse((await world.row(dispatchId)).failure ?? '')).toMatchObject({ why: 'fail' });
    expect(told.map(({ code }) => code)).toEqual(['dispatch_waiting', 'dispatch_held']);
    const again = await world.retryByHand(consignmentId, brief.hash);
    expect(await goOn(again, 1)).toBe('waiting');
    world.script.splice(0, Infinity, done);
    expect(await goOn(again)).toBe('done');
  });

  it('is told of once, when it waits for a minute, with its next try; a short absence is not', async () => {
    const { dispatchId } = await world.accept(carrier);
    const { goOn, told } = tellingWorker();
    world.script.push(...Array.from({ length: 9 }, () => refused));
    await goOn(dispatchId, 4);
    expect(told).toEqual([]);
    await goOn(dispatchId, 5);
    expect(told).toEqual([{ code: 'dispatch_waiting', dispatch: dispatchId, nextTry: expect.stringMatching(/Z$/) }]);
    const other = await world.accept(carrier);
    world.script.splice(0, Infinity, answer(429, undefined, { 'retry-after': '3600' }));
    await goOn(other.dispatchId, 1);
    expect(told).toHaveLength(2);
    expect((await world.row(other.dispatchId)).due_at.getTime()).toBe(world.clock.now() + HOUR);
  });
});
