import { describe, expect, it } from 'vitest';
import { takeFromSequences } from '../../../src/platform/records/attempt-log.ts';
import { carrierOf } from '../../engine/dispatch/world.ts';
import { freshDatabase } from '../../support/database.ts';
import { dispatchWorld } from './dispatch-world.ts';

const carrier = carrierOf(`carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations: { create: { post: /orders, result: '{ "itemsTrackDetails": [] }' } }
`);

describe('a sequence of an account', () => {
  const database = freshDatabase();
  const world = dispatchWorld(() => database.pool);

  it('gives each value once, to dispatches and to what no dispatch records', async () => {
    const account = await world.account('acme', {});
    const { dispatchId } = await world.accept(carrier);
    const claim = await world.worker(carrier).dispatches.claim(dispatchId);
    const attemptLog = await claim?.attemptLog();
    const take = takeFromSequences(database.pool)(account);
    const taken = await Promise.all([
      ...Array.from({ length: 5 }, async () => await take('n', { min: 10 })),
      attemptLog?.drawSequence('k', 'n', { min: 10 }),
    ]);
    expect(new Set(taken)).toEqual(new Set(['10', '11', '12', '13', '14', '15']));
  });

  it('is another for another account and for another name', async () => {
    const [one, other] = [await world.account('acme', {}), await world.account('other', {})];
    const take = takeFromSequences(database.pool);
    expect([await take(one)('a', {}), await take(other)('a', {}), await take(one)('b', {})]).toEqual(['1', '1', '1']);
  });
});
