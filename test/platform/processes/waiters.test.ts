import { expect, it, onTestFinished } from 'vitest';
import { openWaiters } from '../../../src/platform/processes/waiters.ts';
import { listen } from '../../../src/platform/records/listener.ts';
import { freshDatabase } from '../../support/database.ts';
import { quietLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';
import { carrier, dispatchWorld } from '../records/dispatch-world.ts';

const database = freshDatabase();
const world = dispatchWorld(() => database.pool);
const MINUTE = 60_000;

/** The platform's clock is ahead of the machine's. */
const nowMs = (): number => Date.now() + 10 * MINUTE;

const opened = async () => {
  await world.begin();
  const listener = await listen({ databaseUrl: database.databaseUrl, log: quietLog });
  const waiters = await openWaiters(database.pool, listener, quietLog, nowMs);
  onTestFinished(async () => {
    await waiters.close();
    await listener.close();
  });
  const answered: string[] = [];
  return {
    ...waiters,
    answered,
    wait: async (name: string, dispatchId: number, forMs: number): Promise<void> => {
      await waiters.waitForDispatch(dispatchId, forMs);
      answered.push(name);
    },
    dueIn: async (dispatchId: number, ms: number) =>
      await database.rows(
        `update dispatches set state = 'waiting', due_at = $2 where id = $1`,
        dispatchId,
        new Date(nowMs() + ms),
      ),
  };
};

it('who waits for a dispatch is answered at once where it is not tried again in time, wherever it waits', async () => {
  const { answered, wait, dueIn, waitForDispatch } = await opened();
  const { dispatchId } = await world.accept(carrier);
  await dueIn(dispatchId, MINUTE);
  const patient = wait('patient', dispatchId, 2 * MINUTE);
  await wait('done soon', dispatchId, 1);
  expect(answered).toEqual(['done soon']);
  const brief = waitForDispatch(dispatchId, 50);
  expect(await brief).toBe(false);
  await dueIn(dispatchId, 3 * MINUTE);
  await until('it is answered', () => answered.includes('patient'));
  await patient;
});

it('who waits for a dispatch that is due waits on, by the platform’s clock', async () => {
  const { answered, wait, dueIn } = await opened();
  const { dispatchId } = await world.accept(carrier);
  const { dispatchId: later } = await world.accept(carrier);
  await dueIn(dispatchId, 0);
  await dueIn(later, 3 * MINUTE);
  const waiting = wait('due', dispatchId, 2 * MINUTE);
  await wait('later', later, 2 * MINUTE);
  expect(answered).toEqual(['later']);
  await database.rows('update dispatches set finished_at = now() where id = $1', dispatchId);
  await waiting;
});
