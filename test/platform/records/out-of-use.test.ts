import { beforeEach, describe, expect, it } from 'vitest';
import { findAccountById, saveAccount, setAccountState } from '../../../src/platform/records/accounts.ts';
import { freshDatabase } from '../../support/database.ts';
import { carrier, dispatchWorld, done } from './dispatch-world.ts';
import { newOwner, sealer } from './world.ts';

describe('an account that is out of use', () => {
  const database = freshDatabase();
  const world = dispatchWorld(() => database.pool);
  let id = 0;
  beforeEach(async () => {
    await world.begin();
    id = await world.account('acme', { key: 'key-0123456789' });
  });
  const set = (state: 'active' | 'disabled' | 'deleted') => setAccountState(database.pool, sealer, id, state, 'admin');
  const saveAnew = async () => {
    const key = { ...(await newOwner(database.pool, 'example')), carrierCode: 'acme' };
    return await saveAccount(database.pool, sealer, key, { credentials: { key: 'key-of-later' }, settings: {} });
  };

  it.each([
    ['disabled', () => set('active')],
    ['deleted', saveAnew],
  ] as const)(
    '%s: what waits is held, nothing is sent, and a retry sends it when it is back',
    async (state, bringBack) => {
      const { consignmentId, dispatchId } = await world.accept(carrier);
      await set(state);
      expect(await world.worker(carrier).perform(dispatchId)).toBe('held');
      const { failure } = await world.row(dispatchId);
      expect(JSON.parse(failure ?? '')).toMatchObject({ why: 'config_error', problem: { code: `account_${state}` } });
      expect(world.sent).toEqual([]);
      await bringBack();
      world.script.push(done);
      expect(await world.worker(carrier).perform(await world.retryByHand(consignmentId))).toBe('done');
    },
  );

  it('deleted, it has no credentials any more, and comes back only by being saved anew', async () => {
    await set('deleted');
    expect(await findAccountById(database.pool, sealer, id)).toMatchObject({ credentials: {}, settings: {} });
    expect(await set('active')).toBeUndefined();
    expect(await saveAnew()).toBe(id);
  });
});
