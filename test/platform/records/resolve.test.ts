import { expect, it } from 'vitest';
import { factsOf } from '../../../src/engine/dispatch/effects.ts';
import { findConsignmentById } from '../../../src/platform/records/consignments.ts';
import { resolveDispatch } from '../../../src/platform/records/held-dispatches.ts';
import { carrierOf, reset } from '../../engine/dispatch/world.ts';
import { freshDatabase } from '../../support/database.ts';
import { dispatchWorld } from './dispatch-world.ts';

const carrier = carrierOf(`carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations:
  create: { post: /orders, result: response.body }
  label: { get: '/labels/\${item.trackingNumber}' }
  track: { get: '/track/\${item.trackingNumber}', result: '[]' }
statuses:
  poll: { every: 1h }
  table: { PICKED_UP: Order Picked Up }
`);

const database = freshDatabase();
const world = dispatchWorld(() => database.pool);

it('the numbers that an operator gives bring what a carrier’s do: the first poll, labels, and what came before them', async () => {
  await world.account('acme', {});
  const { consignmentId, dispatchId } = await world.accept(carrier);
  world.script.push(reset);
  await world.worker(carrier).perform(dispatchId);
  expect((await world.row(dispatchId)).state).toBe('held');
  expect(await world.say('acme', { value: 'T1', carrierStatusCode: 'PICKED_UP' })).toMatchObject({ unmatched: 1 });

  const resolved = await resolveDispatch(
    { pool: database.pool, nowMs: world.clock.now, ...world.settle },
    {
      dispatchId,
      truth: { outcome: 'done', trackingNumbers: new Map([['P1', 'T1']]) },
      note: 'Seen in the carrier’s portal',
      actor: 'admin',
      factsOf: () => factsOf(carrier),
    },
  );

  expect(resolved.kind).toBe('resolved');
  expect((await findConsignmentById(database.pool, consignmentId))?.packages).toMatchObject([
    { trackingNumber: 'T1', status: 'Order Picked Up' },
  ]);
  const { rows } = await database.pool.query(
    `select poll_at, (select state from labels) as label, (select match from events) as match,
       array(select event from notices order by sequence) as told from packages`,
  );
  expect(rows).toEqual([
    {
      poll_at: new Date(world.clock.now() + 3_600_000),
      label: 'pending',
      match: 'matched',
      told: ['consignment.held', 'consignment.tracking', 'consignment.status'],
    },
  ]);
});
