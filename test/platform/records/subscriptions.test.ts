import { describe, expect, test } from 'vitest';
import { createSealer } from '../../../src/platform/records/sealer.ts';
import {
  createSubscription,
  deleteSubscription,
  findReceiver,
  findSubscription,
  listSubscriptions,
  OLD_SECRET_MS,
  pauseSubscription,
  resumeSubscription,
  rotateSecret,
} from '../../../src/platform/records/subscriptions.ts';
import type { Owner } from '../../../src/platform/records/shippers.ts';
import { freshDatabase } from '../../support/database.ts';
import { newConsignment, newOwner, notify, ownerOfEachTest, sealer, secretsOf } from './world.ts';

const database = freshDatabase();
const owner = ownerOfEachTest(database);
const wish = { url: 'https://shop.example.com/hook', orderTypes: ['FORWARD', 'EXCHANGE'] } as const;
const nowMs = Date.UTC(2026, 0, 5);

const create = async () => await createSubscription(database.pool, sealer, owner, wish);

describe('a subscription', () => {
  test('shows its secret when it is made, and never again', async () => {
    const { secret, ...rest } = await create();
    expect(secret).toMatch(/^whsec_/);
    expect(rest).toMatchObject({ ...wish, state: 'active', pauseReason: undefined });
    expect(await findSubscription(database.pool, owner, rest.id)).toEqual(rest);
    expect(await listSubscriptions(database.pool, owner)).toEqual([rest]);
  });

  test('keeps its secret sealed, to this one alone', async () => {
    const { id, secret } = await create();
    const [sealed] = await database.values<Buffer>('select secret from subscriptions where id = $1', id);
    expect(sealed!.includes(Buffer.from(secret))).toBe(false);
    const receiver = await findReceiver(database.pool, sealer, owner, id, nowMs);
    expect(receiver!.url).toBe(wish.url);
    expect(secretsOf(receiver!.keys())).toEqual([secret]);

    const stranger = createSealer(Buffer.alloc(32, 8).toString('base64'));
    const closed = await findReceiver(database.pool, stranger, owner, id, nowMs);
    expect(() => closed!.keys()).toThrow(expect.objectContaining({ code: 'secret_key_missing' }));
    const other = await create();
    await database.rows('update subscriptions set secret = $2 where id = $1', other.id, sealed);
    const swapped = await findReceiver(database.pool, sealer, owner, other.id, nowMs);
    expect(() => swapped!.keys()).toThrow(expect.objectContaining({ code: 'secret_unreadable' }));
  });

  test('of another shipper or environment is as if it were not there', async () => {
    const { id } = await create();
    const strangers: Owner[] = [await newOwner(database.pool), { ...owner, environment: 'sandbox' }];
    for (const stranger of strangers) {
      expect(await listSubscriptions(database.pool, stranger)).toEqual([]);
      expect(await findSubscription(database.pool, stranger, id)).toBeUndefined();
      expect(await findReceiver(database.pool, sealer, stranger, id, nowMs)).toBeUndefined();
      expect(await rotateSecret(database.pool, sealer, stranger, id, nowMs)).toBeUndefined();
      expect(await pauseSubscription(database.pool, stranger, id, nowMs)).toBeUndefined();
      expect(await resumeSubscription(database.pool, stranger, id)).toBeUndefined();
      expect(await deleteSubscription(database.pool, stranger, id)).toBe(false);
    }
    expect(await findSubscription(database.pool, owner, id)).toMatchObject({ state: 'active' });
  });

  test('that is rotated signs with the new secret first and the one before for 24 hours', async () => {
    const { id, secret } = await create();
    const rotated = await rotateSecret(database.pool, sealer, owner, id, nowMs);
    expect(rotated!.oldSecretUntilMs).toBe(nowMs + OLD_SECRET_MS);
    const secretsAt = async (atMs: number) =>
      secretsOf((await findReceiver(database.pool, sealer, owner, id, atMs))!.keys());
    expect(await secretsAt(nowMs + OLD_SECRET_MS - 1)).toEqual([rotated!.secret, secret]);
    expect(await secretsAt(nowMs + OLD_SECRET_MS)).toEqual([rotated!.secret]);
    const again = await rotateSecret(database.pool, sealer, owner, id, nowMs + 1);
    expect(await secretsAt(nowMs + 2)).toEqual([again!.secret, rotated!.secret]);
  });

  test('that is paused keeps the reason it was paused for', async () => {
    const { id } = await create();
    const paused = { state: 'paused', pauseReason: 'requested', pausedAtMs: nowMs };
    expect(await pauseSubscription(database.pool, owner, id, nowMs)).toMatchObject(paused);
    await database.pool.query(`update subscriptions set pause_reason = 'gone' where id = $1`, [id]);
    const again = await pauseSubscription(database.pool, owner, id, nowMs + 1);
    expect(again).toMatchObject({ pauseReason: 'gone', pausedAtMs: nowMs });
    const resumed = await resumeSubscription(database.pool, owner, id);
    expect(resumed).toMatchObject({ state: 'active', pausedAtMs: undefined });
  });

  test('goes with its deliveries', async () => {
    const { id } = await create();
    const [deliveryId] = await notify(database.pool, await newConsignment(database.pool, owner));
    expect(await deleteSubscription(database.pool, owner, id)).toBe(true);
    expect(await deleteSubscription(database.pool, owner, id)).toBe(false);
    expect(await database.rows('select 1 from deliveries where id = $1', deliveryId)).toEqual([]);
  });
});
