import { describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../src/domain/status-update.ts';
import { lockConsignment } from '../../src/store/consignments.ts';
import { transaction } from '../../src/store/pool.ts';
import { answer, carrierOf, reset } from '../dispatch/world.ts';
import { freshDatabase } from '../support/database.ts';
import { dispatchWorld } from './dispatch-world.ts';

const carrier = carrierOf(`carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations:
  create:
    steps:
      - { id: rate, post: /rates }
      - { id: order, post: /orders }
    result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }'
  label: { get: '/labels/\${item.trackingNumber}' }
  track: { get: '/track/\${item.trackingNumber}', result: '[]' }
statuses:
  poll: { every: 1h }
  table: { MADE: Label Generated, PICKED_UP: Order Picked Up }
`);

describe('a carrier that speaks of a create of which nobody knew', () => {
  const database = freshDatabase();
  const world = dispatchWorld(() => database.pool);

  const held = async (packages = 1, last = reset) => {
    await world.account('acme', {});
    const accepted = await world.accept(carrier, packages);
    world.script.push(answer(200, { price: 1 }), last);
    await world.worker(carrier).perform(accepted.dispatchId);
    const say = async (value: string, more: StatusUpdate = {}) =>
      await world.say('acme', {
        value,
        consignmentNumber: `C-${accepted.reference}`,
        carrierStatusCode: 'MADE',
        ...more,
      });
    return { ...accepted, say };
  };
  const consignment = async (id: number) =>
    await transaction(database.pool, async (client) => await lockConsignment(client, id));
  const told = async (consignmentId: number): Promise<string[]> => {
    const { rows } = await database.pool.query<{ event: string }>(
      'select event from notices where consignment_id = $1 order by sequence',
      [consignmentId],
    );
    return rows.map(({ event }) => event);
  };

  it('proves it made: the create ends well, and its one package has the number', async () => {
    const { consignmentId, dispatchId, say } = await held();
    expect((await world.row(dispatchId)).state).toBe('held');
    await say('T-77');
    expect(await world.row(dispatchId)).toMatchObject({ state: 'done', failure: null });
    expect(await consignment(consignmentId)).toMatchObject({
      acceptance: 'accepted',
      packages: [{ trackingNumber: 'T-77', status: 'Label Generated' }],
    });
    expect(await told(consignmentId)).toEqual(['consignment.held', 'consignment.tracking', 'consignment.status']);
  });

  it('brings what a number brings: the first poll, the label, and what came before it', async () => {
    const { consignmentId, say } = await held();
    const before = { value: 'T-70', carrierStatusCode: 'PICKED_UP', statusReceivedAt: '2026-05-01T08:00:00Z' };
    expect(await world.say('acme', before)).toMatchObject({ unmatched: 1 });
    await say('T-70', { statusReceivedAt: '2026-05-01T07:00:00Z' });
    expect((await consignment(consignmentId))?.packages[0]?.status).toBe('Order Picked Up');
    const { rows } = await database.pool.query(
      `select poll_at, (select state from labels l where l.consignment_id = p.consignment_id) as label
       from packages p where consignment_id = $1`,
      [consignmentId],
    );
    expect(rows).toEqual([{ poll_at: new Date(world.clock.now() + 3_600_000), label: 'pending' }]);
    expect(await told(consignmentId)).toEqual([
      'consignment.held',
      'consignment.tracking',
      'consignment.status',
      'consignment.status',
    ]);
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

  it('leaves no raw answer behind', async () => {
    const { dispatchId, say } = await held();
    expect((await world.calls(dispatchId)).some(({ answer: kept }) => kept !== null)).toBe(true);
    await say('T-78');
    expect((await world.calls(dispatchId)).some(({ answer: kept }) => kept !== null)).toBe(false);
  });

  it('says of several packages only that they are made', async () => {
    const { consignmentId, say } = await held(2);
    await say('T-79');
    expect(await consignment(consignmentId)).toMatchObject({
      acceptance: 'accepted',
      packages: [{ trackingNumber: undefined }, { trackingNumber: undefined }],
    });
  });

  it('proves nothing of one that certainly was not made', async () => {
    const { consignmentId, dispatchId, say } = await held(1, answer(403));
    await say('T-80');
    expect((await world.row(dispatchId)).state).toBe('held');
    expect(await consignment(consignmentId)).toMatchObject({ acceptance: 'pending' });
  });

  it('is believed also when the failure quotes what no jsonb can hold', async () => {
    const { dispatchId, say } = await held();
    await database.pool.query('update dispatches set failure = $2 where id = $1', [
      dispatchId,
      JSON.stringify({ why: 'unknown_outcome', trouble: { code: 'x', messages: ['half \ud800 and \u0000'] } }),
    ]);
    await say('T-81');
    expect((await world.row(dispatchId)).state).toBe('done');
  });
});
