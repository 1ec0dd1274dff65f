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

it('who waits for a dispatch is answered at once where it is not tried again in time, wherever it waits', async () => {
  await world.begin();
  const listener = await listen({ databaseUrl: database.databaseUrl, log: quietLog });
  const waiters = await openWaiters(database.pool, listener, quietLog);
  onTestFinished(async () => {
    await waiters.close();
    await listener.close();
  });
  const { dispatchId } = await world.accept(carrier);
  const answered: string[] = [];
  const wait = async (name: string, forMs: number) => {
    await waiters.waitForDispatch(dispatchId, forMs);
    answered.push(name);
  };
  const dueIn = async (ms: number) =>
    await database.rows(
      `update dispatches set state = 'waiting', due_at = $2 where id = $1`,
      dispatchId,
      new Date(Date.now() + ms),
    );
  await dueIn(MINUTE);
  const patient = wait('patient', 2 * MINUTE);
  await wait('done soon', 1);
  expect(answered).toEqual(['done soon']);
  const brief = waiters.waitForDispatch(dispatchId, 50);
  expect(await brief).toBe(false);
  await dueIn(3 * MINUTE);
  await until('it is answered', () => answered.includes('patient'));
  await patient;
});
