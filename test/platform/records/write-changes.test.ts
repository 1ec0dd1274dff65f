import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { NO_FACTS } from '../../../src/engine/dispatch/effects.ts';
import { changeOfEffects } from '../../../src/platform/records/apply-effects.ts';
import { beginChange, type ConsignmentChange, withNotices } from '../../../src/platform/records/change.ts';
import { lockConsignments, readConsignments } from '../../../src/platform/records/consignments.ts';
import { transaction } from '../../../src/platform/records/pool.ts';
import { createSubscription } from '../../../src/platform/records/subscriptions.ts';
import { writeChanges } from '../../../src/platform/records/write-changes.ts';
import { freshDatabase } from '../../support/database.ts';
import { accept, newConsignment, ownerOfEachTest, sealer } from './world.ts';

const database = freshDatabase();
const owner = ownerOfEachTest(database);
const context = { publicUrl: 'https://waybill.example.com', nowMs: Date.now, factsOf: () => NO_FACTS };

const begin = async (id: number) => beginChange((await readConsignments(database.pool, [id])).get(id)!);
const told = (change: ConsignmentChange) => withNotices(change, [{ event: 'consignment.tracking' }], context);
const telling = async (id: number) => told(await begin(id));
const numbering = (change: ConsignmentChange, trackingNumber: string) => {
  const packages = [{ position: 0, trackingNumber, memo: {} }];
  const effects = { dispatch: { state: 'done' }, acceptance: 'accepted', packages, notices: [] } as const;
  return changeOfEffects(change, { effects }, context);
};
const write = async (...units: ConsignmentChange[][]) => {
  const written = await writeChanges(
    database.pool,
    units.map((changes) => ({ changes })),
  );
  return written.map(({ kind }) => kind);
};
const sequences = (id: number) =>
  database.values<number>('select sequence from notices where consignment_id = $1 order by sequence', id);
const consignments = (count: number) =>
  Promise.all(Array.from({ length: count }, () => newConsignment(database.pool, owner)));

describe('A batch of changes', () => {
  test('is one statement, with the notices and deliveries of all', async () => {
    await createSubscription(database.pool, sealer, owner, {
      url: 'https://shop.example.com',
      orderTypes: ['FORWARD'],
    });
    const ids = await consignments(5);
    const changes = await Promise.all(ids.map(telling));
    expect(await write(...changes.map((one) => [one]))).toEqual(ids.map(() => 'written'));
    const query =
      'select count(*) from deliveries d join notices n on n.id = d.notice_id where consignment_id = any ($1)';
    expect(await database.values(query, ids)).toEqual([5]);
  });

  test('leaves out a consignment that has changed since it was read, and writes the rest', async () => {
    const [one, other] = (await consignments(2)) as [number, number];
    const outdated = await telling(one);
    await write([await telling(one)]);
    expect(await write([outdated], [await telling(other)])).toEqual(['outdated', 'written']);
    expect([await sequences(one), await sequences(other)]).toEqual([[1], [1]]);
  });

  test('leaves out all that belongs together when one part of it is outdated', async () => {
    const [one, other] = (await consignments(2)) as [number, number];
    const unit = [await telling(one), await telling(other)];
    await write([await telling(one)]);
    expect(await write(unit)).toEqual(['outdated']);
    expect([await sequences(one), await sequences(other)]).toEqual([[1], []]);
  });

  test('waits for who changes a consignment at the same time, and then writes nothing over it', async () => {
    const [id] = (await consignments(1)) as [number];
    const changes = await Promise.all([telling(id), telling(id), telling(id)]);
    const written = await Promise.all(changes.map((one) => write([one])));
    expect(written.flat().filter((one) => one === 'written')).toHaveLength(1);
    expect(await sequences(id)).toEqual([1]);
  });

  test('keeps no member waiting for a consignment of another that somebody has locked', async () => {
    const [one, other] = (await consignments(2)) as [number, number];
    const units = [[await telling(one)], [await telling(other)]];
    await transaction(database.pool, async (client) => {
      await lockConsignments(client, [one]);
      expect(await write(...units)).toEqual(['outdated', 'written']);
    });
    expect([await sequences(one), await sequences(other)]).toEqual([[], [1]]);
  });

  test('writes nothing of a member that one value makes unfit, nor of the others', async () => {
    const [one, other] = (await consignments(2)) as [number, number];
    const unfit = await telling(one);
    const notices = unfit.notices.map((notice) => ({ ...notice, body: 'a\0b' }));
    await expect(write([{ ...unfit, notices }], [await telling(other)])).rejects.toThrow('invalid byte sequence');
    expect([await sequences(one), await sequences(other)]).toEqual([[], []]);
  });
});

/** A dispatch that is under way, and how it ends. */
const dispatched = async () => {
  const { consignmentId, dispatchId } = await accept(database.pool);
  const lease = randomUUID();
  await database.rows(`update dispatches set state = 'sending', lease = $2 where id = $1`, dispatchId, lease);
  const ending = { dispatchId, lease, state: 'done', endedAtMs: Date.now(), calls: [], exchanges: [] } as const;
  return { consignmentId, dispatchId, ending };
};
const stateOf = (id: number) => database.values('select state from dispatches where id = $1', id);

describe('The end of a dispatch', () => {
  test('is written with what follows from it, under its lease', async () => {
    const { consignmentId, dispatchId, ending } = await dispatched();
    const change = numbering({ ...(await begin(consignmentId)), ending }, 'T-1');
    expect(await write([change])).toEqual(['written']);
    expect(await stateOf(dispatchId)).toEqual(['done']);
    expect((await begin(consignmentId)).before).toMatchObject({
      acceptance: 'accepted',
      version: 1,
      packages: [{ trackingNumber: 'T-1' }],
    });
  });

  test('writes nothing once the lease is another’s, and keeps nobody else from being written', async () => {
    const [lost, held] = [await dispatched(), await dispatched()];
    const ending = { ...lost.ending, lease: randomUUID() };
    const changes = [
      numbering({ ...(await begin(lost.consignmentId)), ending }, 'T-2'),
      numbering({ ...(await begin(held.consignmentId)), ending: held.ending }, 'T-3'),
    ];
    expect(await write(...changes.map((one) => [one]))).toEqual(['lease_lost', 'written']);
    expect(await stateOf(lost.dispatchId)).toEqual(['sending']);
    expect((await begin(lost.consignmentId)).before).toMatchObject({ acceptance: 'pending', version: 0 });
    expect(await database.values(`select value from identifiers where value in ('T-2', 'T-3')`)).toEqual(['T-3']);
  });

  test('is not written while another of the same unit is no longer held', async () => {
    const [one, other] = [await dispatched(), await dispatched()];
    const ids = [one.dispatchId, other.dispatchId];
    await database.rows(`update dispatches set state = 'held', lease = null where id = any ($1)`, ids);
    const unit = await Promise.all(
      [one, other].map(async ({ consignmentId, ending }) =>
        numbering({ ...(await begin(consignmentId)), ending: { ...ending, lease: undefined } }, `T-${consignmentId}`),
      ),
    );
    await database.rows(`update dispatches set state = 'waiting' where id = $1`, other.dispatchId);
    expect(await write(unit)).toEqual(['lease_lost']);
    expect([await stateOf(one.dispatchId), await stateOf(other.dispatchId)]).toEqual([['held'], ['waiting']]);
    expect((await begin(one.consignmentId)).before).toMatchObject({ acceptance: 'pending', version: 0 });
  });

  test('records its last call and exchange with it, and clears the raw answers of the others', async () => {
    const { consignmentId, dispatchId, ending } = await dispatched();
    await database.rows(
      `insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at, answer)
       values ($1, 'rate', 0, 1, 'succeeded', now(), now(), 'kept'), ($1, 'create', 0, 1, 'sending', now(), now(), null)`,
      dispatchId,
    );
    const last = { step: 'create', element: 0, attempt: 1, state: 'succeeded', firstSentAtMs: 0 } as const;
    const change = { ...(await begin(consignmentId)), ending: { ...ending, calls: [last] } };
    expect(await write([change])).toEqual(['written']);
    const calls = await database.rows(
      'select step, state, answer from calls where dispatch_id = $1 order by step',
      dispatchId,
    );
    expect(calls).toEqual([
      { step: 'create', state: 'succeeded', answer: null },
      { step: 'rate', state: 'succeeded', answer: null },
    ]);
  });
});
