import { describe, expect, it } from 'vitest';
import { lockConsignment } from '../../src/store/consignments.ts';
import { transaction } from '../../src/store/pool.ts';
import { proveCreated } from '../../src/store/proof.ts';
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
`);

describe('a carrier that speaks of a create of which nobody knew', () => {
  const database = freshDatabase();
  const world = dispatchWorld(() => database.pool);

  const held = async (packages = 1, last = reset) => {
    await world.account('acme', {});
    const accepted = await world.accept(carrier, packages);
    world.script.push(answer(200, { price: 1 }), last);
    await world.worker(carrier).perform(accepted.dispatchId);
    return accepted;
  };
  const prove = async (consignmentId: number, value: string): Promise<void> => {
    const { settle } = world.storeOn(database.pool);
    await transaction(database.pool, async (client) => {
      await proveCreated(
        client,
        consignmentId,
        { value },
        { recordNotices: settle.recordNotices, nowMs: world.clock.now() },
      );
    });
  };
  const consignment = async (id: number) =>
    await transaction(database.pool, async (client) => await lockConsignment(client, id));

  it('proves it made: the create ends well, and its one package has the number', async () => {
    const { consignmentId, dispatchId } = await held();
    expect((await world.row(dispatchId)).state).toBe('held');
    await prove(consignmentId, 'T-77');
    expect(await world.row(dispatchId)).toMatchObject({ state: 'done', failure: null });
    expect(await consignment(consignmentId)).toMatchObject({
      acceptance: 'accepted',
      packages: [{ trackingNumber: 'T-77' }],
    });
    const { rows } = await database.pool.query(
      'select event from notices where consignment_id = $1 order by sequence',
      [consignmentId],
    );
    expect(rows.at(-1)).toEqual({ event: 'consignment.tracking' });
  });

  it('leaves no raw answer behind', async () => {
    const { consignmentId, dispatchId } = await held();
    expect((await world.calls(dispatchId)).some(({ answer: kept }) => kept !== null)).toBe(true);
    await prove(consignmentId, 'T-78');
    expect((await world.calls(dispatchId)).some(({ answer: kept }) => kept !== null)).toBe(false);
  });

  it('says of several packages only that they are made', async () => {
    const { consignmentId } = await held(2);
    await prove(consignmentId, 'T-79');
    expect(await consignment(consignmentId)).toMatchObject({
      acceptance: 'accepted',
      packages: [{ trackingNumber: undefined }, { trackingNumber: undefined }],
    });
  });

  it('proves nothing of one that certainly was not made', async () => {
    const { consignmentId, dispatchId } = await held(1, answer(403));
    await prove(consignmentId, 'T-80');
    expect((await world.row(dispatchId)).state).toBe('held');
    expect(await consignment(consignmentId)).toMatchObject({ acceptance: 'pending' });
  });

  it('is believed also when the failure quotes what no jsonb can hold', async () => {
    const { consignmentId, dispatchId } = await held();
    await database.pool.query('update dispatches set failure = $2 where id = $1', [
      dispatchId,
      JSON.stringify({ why: 'unknown_outcome', trouble: { code: 'x', messages: ['half \ud800 and \u0000'] } }),
    ]);
    await prove(consignmentId, 'T-81');
    expect((await world.row(dispatchId)).state).toBe('done');
  });
});
