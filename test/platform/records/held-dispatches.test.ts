import { describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../../src/engine/statuses/status-update.ts';
import { effectsOf, NO_FACTS } from '../../../src/engine/dispatch/effects.ts';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import type { OperationName } from '../../../src/engine/profile/carrier.ts';
import { addDispatch } from '../../../src/platform/records/dispatches.ts';
import { canonicalOf, lockConsignment, shipmentOf } from '../../../src/platform/records/consignments.ts';
import { transaction } from '../../../src/platform/records/pool.ts';
import { answer, carrierOf, reset } from '../../engine/dispatch/world.ts';
import { freshDatabase } from '../../support/database.ts';
import { conclude, dispatchWorld, heldFor, made } from './dispatch-world.ts';
import { resolveDispatch } from '../../../src/platform/records/held-dispatches.ts';

const carrier = carrierOf(`carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations:
  create:
    steps:
      - { id: rate, post: /rates }
      - { id: order, post: /orders }
    result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }'
  label: { get: '/labels/\${shipment.trackingNumber}' }
  track: { get: '/track/\${item.trackingNumber}', result: '[]' }
statuses:
  poll: { every: 1h }
  table: { MADE: Label Generated, VOID: Cancelled, PICKED_UP: Order Picked Up }
`);

const database = freshDatabase();
const world = dispatchWorld(() => database.pool);
const consignment = async (id: number) =>
  await transaction(database.pool, async (client) => await lockConsignment(client, id));
const told = (consignmentId: number) =>
  database.values('select event from notices where consignment_id = $1 order by sequence', consignmentId);

/** The first poll, the label to be fetched, and events that are matched, those from before included. */
const expectFollowUps = async (consignmentId: number): Promise<void> => {
  const rows = await database.rows(
    `select poll_at, (select state from labels l where l.consignment_id = p.consignment_id) as label,
       (select bool_and(match = 'matched') from events e where e.consignment_id = p.consignment_id) as matched
     from packages p where consignment_id = $1`,
    consignmentId,
  );
  expect(rows).toEqual([{ poll_at: new Date(world.clock.now() + 3_600_000), label: 'pending', matched: true }]);
};

const held = async (packages = 1, last = reset) => {
  await world.account('acme', {});
  const accepted = await world.accept(carrier, packages);
  world.script.push(answer(200, { price: 1 }), last);
  await world.worker(carrier).perform(accepted.dispatchId);
  const beside = { consignmentNumber: `C-${accepted.reference}`, carrierStatusCode: 'MADE' };
  const say = (value: string, more: StatusUpdate = {}) => world.say('acme', { value, ...beside, ...more });
  const state = async () => (await world.row(accepted.dispatchId)).state;
  const keepsAnswers = async () => (await world.calls(accepted.dispatchId)).some(({ answer: kept }) => kept !== null);
  return { ...accepted, say, state, keepsAnswers };
};

describe('a carrier that speaks of a create of which nobody knew', () => {
  it('proves it made: the create ends well and keeps no raw answer, and its one package has the number', async () => {
    const { consignmentId, dispatchId, say, state, keepsAnswers } = await held();
    expect([await state(), await keepsAnswers()]).toEqual(['held', true]);
    await say('T-77');
    expect(await world.row(dispatchId)).toMatchObject({ state: 'done', failure: null });
    expect(await keepsAnswers()).toBe(false);
    expect(await consignment(consignmentId)).toMatchObject({
      acceptance: 'accepted',
      packages: [{ trackingNumber: 'T-77', status: 'Label Generated' }],
    });
    expect(await told(consignmentId)).toEqual([
      'consignment.held',
      'consignment.tracking',
      'consignment.label_generated',
    ]);
  });

  it('brings what a number brings: the first poll, the label, and what came before it', async () => {
    const { consignmentId, say } = await held();
    const before = { value: 'T-70', carrierStatusCode: 'PICKED_UP', statusReceivedAt: '2026-05-01T08:00:00Z' };
    expect(await world.say('acme', before)).toMatchObject({ unmatched: 1 });
    await say('T-70', { statusReceivedAt: '2026-05-01T07:00:00Z' });
    expect((await consignment(consignmentId))?.packages[0]?.status).toBe('Order Picked Up');
    await expectFollowUps(consignmentId);
    const events = [
      'consignment.held',
      'consignment.tracking',
      'consignment.label_generated',
      'consignment.order_picked_up',
    ];
    expect(await told(consignmentId)).toEqual(events);
  });

  it.each([
    ['one package', 1, 'T-72', ['T-72']],
    ['several', 2, 'T-73', [undefined, undefined]],
  ])(
    'proves it also while it is under way, of %s: what nobody knew of is not held then',
    async (_, packages, value, numbers) => {
      await world.account('acme', {});
      const { reference, consignmentId, dispatchId } = await world.accept(carrier, packages);
      const pushed = { value, consignmentNumber: `C-${reference}`, carrierStatusCode: 'PICKED_UP' };
      world.script.push(answer(200, { price: 1 }), async () => {
        await world.say('acme', pushed);
        return reset;
      });
      expect(await world.worker(carrier).perform(dispatchId)).toBe('held');
      expect(await world.row(dispatchId)).toMatchObject({ state: 'done', failure: null });
      expect(await consignment(consignmentId)).toMatchObject({
        acceptance: 'accepted',
        packages: numbers.map((trackingNumber) => ({ trackingNumber })),
      });
      expect(await told(consignmentId)).not.toContain('consignment.held');
    },
  );

  it('proves it made however the push and the end of the create meet', async () => {
    const rounds = 12;
    const made = await Promise.all(Array.from({ length: rounds }, () => world.accept(carrier, 2)));
    const { dispatches } = world.worker(carrier);
    const claims = await dispatches.claim(made.map(({ dispatchId }) => dispatchId));
    await Promise.all(
      claims.flatMap((claim, at) => {
        const { reference } = made.find(({ dispatchId }) => dispatchId === claim.dispatchId)!;
        const end = () => dispatches.conclude(claim, effectsOf('create', heldFor('unknown_outcome'), NO_FACTS));
        const say = () => world.say('acme', { type: 'Reference', value: reference, carrierStatusCode: 'MADE' });
        return at % 2 === 0 ? [say(), end()] : [end(), say()];
      }),
    );
    for (const { dispatchId } of made) expect((await world.row(dispatchId)).state).toBe('done');
  });

  it.each([
    ['space about it', ' T-71 ', 'T-71'],
    ['what no text column holds', 'T\u000071', 'T\uFFFD71'],
  ])('gives its number as pushes are matched by it, without %s', async (_, value, number) => {
    const { consignmentId, say } = await held();
    expect(await say(value)).toMatchObject({ state: 'done' });
    expect((await consignment(consignmentId))?.packages[0]?.trackingNumber).toBe(number);
    expect(await world.say('acme', { value, carrierStatusCode: 'PICKED_UP' })).toMatchObject({ unmatched: 0 });
  });

  it('says of several packages only that they are made', async () => {
    const { consignmentId, say } = await held(2);
    await say('T-79');
    const packages = [{ trackingNumber: undefined }, { trackingNumber: undefined }];
    expect(await consignment(consignmentId)).toMatchObject({ acceptance: 'accepted', packages });
  });

  it('proves nothing of one that certainly was not made', async () => {
    const { consignmentId, say, state } = await held(1, answer(403));
    await say('T-80');
    expect(await state()).toBe('held');
    expect(await consignment(consignmentId)).toMatchObject({ acceptance: 'pending' });
  });

  it('is believed also when the failure quotes what no jsonb can hold', async () => {
    const { dispatchId, say, state } = await held();
    const failure = { why: 'unknown_outcome', problem: { code: 'x', messages: ['half \ud800 and \u0000'] } };
    await database.rows('update dispatches set failure = $2 where id = $1', dispatchId, JSON.stringify(failure));
    await say('T-81');
    expect(await state()).toBe('done');
  });
});

const unknown = heldFor('unknown_outcome');
const oldCancelled = (outcome: RunOutcome): RunOutcome => ({ ...outcome, oldCancelled: true }) as RunOutcome;

const dispatched = async (
  consignmentId: number,
  operation: OperationName,
  outcome: RunOutcome,
  meanwhile?: () => Promise<unknown>,
): Promise<number> => {
  const record = (await consignment(consignmentId))!;
  const inputs = { consignment: canonicalOf(record), shipment: shipmentOf(record) };
  const dispatch = { operation, profileHash: carrier.hash, inputs };
  const id = await transaction(database.pool, async (client) => await addDispatch(client, record, dispatch));
  await meanwhile?.();
  await conclude(world.worker(carrier).dispatches, id, outcome);
  return id;
};

/** The update of a consignment whose shipment had this number. */
const recreated = async (old: string, outcome = oldCancelled(unknown)) => {
  const { consignmentId, dispatchId, reference } = await world.accept(carrier);
  await conclude(world.worker(carrier).dispatches, dispatchId, made(old));
  const beside = { consignmentNumber: `C-${reference}` };
  const say = async (update: StatusUpdate) => await world.say('acme', { carrierStatusCode: 'MADE', ...update });
  await say({ value: old, ...beside });
  const updateId = await dispatched(consignmentId, 'update', outcome);
  const state = async () => (await world.row(updateId)).state;
  return { consignmentId, updateId, reference, beside, say, state };
};

describe('a carrier that speaks of a consignment it was to create anew, when nobody knows whether it did', () => {
  it('proves nothing by a number of the shipment that it cancelled, and the new one by its number', async () => {
    const { consignmentId, beside, say, state } = await recreated('OLD-1');
    expect(await say({ value: 'OLD-1', ...beside, carrierStatusCode: 'VOID' })).toMatchObject({ unmatched: 1 });
    expect(await say({ value: 'OLD-1', ...beside, carrierStatusCode: 'PICKED_UP' })).toMatchObject({ unmatched: 1 });
    expect(await state()).toBe('held');
    expect(await consignment(consignmentId)).toMatchObject({
      acceptance: 'pending',
      packages: [{ trackingNumber: undefined, status: 'Order Created' }],
    });

    await say({ value: 'NEW-1', ...beside });
    expect(await state()).toBe('done');
    const packages = [{ trackingNumber: 'NEW-1' }];
    expect(await consignment(consignmentId)).toMatchObject({ acceptance: 'accepted', packages });
    expect((await told(consignmentId)).filter((event) => event.startsWith('consignment.tracking'))).toHaveLength(2);
  });

  it('proves nothing by a reference, which both shipments have', async () => {
    const { beside, reference, say, state } = await recreated('OLD-2');
    await say({ type: 'Reference', value: reference, carrierStatusCode: 'VOID' });
    await say({ type: 'Reference', value: reference, carrierStatusCode: 'PICKED_UP' });
    await say({ ...beside, carrierStatusCode: 'PICKED_UP' });
    expect(await state()).toBe('held');
    // Of all that one push says, what tells them apart is believed.
    await world.say('acme', [
      { type: 'Reference', value: reference },
      { value: 'NEW-2', ...beside },
    ]);
    expect(await state()).toBe('done');
  });

  it('proves nothing by what it said before', async () => {
    const { beside, say, state } = await recreated('OLD-3');
    expect(await say({ value: 'OLD-3', ...beside })).toMatchObject({ duplicates: 1 });
    expect(await state()).toBe('held');
  });

  it('proves nothing by that number either of a retry, where the new one had certainly failed', async () => {
    const { consignmentId, updateId, beside, say } = await recreated('OLD-4', oldCancelled(heldFor('fail')));
    await database.rows(`update dispatches set state = 'cancelled' where id = $1`, updateId);
    const retry = await dispatched(consignmentId, 'create', unknown);
    await say({ value: 'OLD-4', ...beside, carrierStatusCode: 'VOID' });
    expect((await world.row(retry)).state).toBe('held');
    await say({ value: 'NEW-4', ...beside });
    expect((await world.row(retry)).state).toBe('done');
  });

  it('proves nothing by a number that only its pushes told of', async () => {
    const { consignmentId, dispatchId, reference } = await world.accept(carrier, 2);
    await conclude(world.worker(carrier).dispatches, dispatchId, unknown);
    const say = async (value: string, carrierStatusCode: string) =>
      await world.say('acme', { value, carrierStatusCode, consignmentNumber: `C-${reference}` });
    await say('OLD-5', 'MADE');
    expect(await consignment(consignmentId)).toMatchObject({ acceptance: 'accepted', packages: [{}, {}] });
    const update = await dispatched(consignmentId, 'update', oldCancelled(unknown));
    await say('OLD-5', 'VOID');
    expect((await world.row(update)).state).toBe('held');
    await say('NEW-5', 'MADE');
    expect((await world.row(update)).state).toBe('done');
  });

  it('has not cancelled the new one, where it said so of the old one before it was known to be gone', async () => {
    const { consignmentId, dispatchId, reference } = await world.accept(carrier);
    await conclude(world.worker(carrier).dispatches, dispatchId, made('OLD-7'));
    const say = async (value: string, carrierStatusCode: string) =>
      await world.say('acme', { value, carrierStatusCode, consignmentNumber: `C-${reference}` });
    await dispatched(consignmentId, 'update', oldCancelled(made('NEW-7')), async () => {
      await say('OLD-7', 'VOID');
      expect(await consignment(consignmentId)).toMatchObject({ status: 'Cancelled' });
    });
    expect(await consignment(consignmentId)).toMatchObject({ status: 'Order Created' });
    await say('NEW-7', 'MADE');
    expect(await consignment(consignmentId)).toMatchObject({ status: 'Label Generated', acceptance: 'accepted' });
  });

  it('is understood by a number that it gave again', async () => {
    const { consignmentId, say } = await recreated('OLD-6', oldCancelled(made('OLD-6')));
    expect(await say({ value: 'OLD-6', carrierStatusCode: 'PICKED_UP' })).toMatchObject({ unmatched: 0 });
    expect((await consignment(consignmentId))?.packages[0]?.status).toBe('Order Picked Up');
  });
});

it('the numbers that an operator gives bring what a carrier’s do: the first poll, labels, and what came before them', async () => {
  const { consignmentId, dispatchId, state } = await held();
  expect(await state()).toBe('held');
  expect(await world.say('acme', { value: 'T-90', carrierStatusCode: 'PICKED_UP' })).toMatchObject({ unmatched: 1 });
  const deps = { pool: database.pool, ...world.context };
  const resolved = await resolveDispatch(deps, {
    dispatchId,
    truth: { outcome: 'done', trackingNumbers: new Map([['P1', 'T-90']]) },
    note: 'Seen in the carrier’s portal',
    actor: 'admin',
  });
  expect(resolved.kind).toBe('resolved');
  await world.resume();
  const packages = [{ trackingNumber: 'T-90', status: 'Order Picked Up' }];
  expect(await consignment(consignmentId)).toMatchObject({ packages });
  await expectFollowUps(consignmentId);
  expect(await told(consignmentId)).toEqual([
    'consignment.held',
    'consignment.tracking',
    'consignment.order_picked_up',
  ]);
});
