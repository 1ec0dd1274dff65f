import { describe, expect, it } from 'vitest';
import { runRecreate } from '../../../src/engine/dispatch/recreate.ts';
import type { RunOutcome } from '../../../src/engine/dispatch/ports.ts';
import { answer, bodyOf, carrierOf, createWorld, refused } from './world.ts';

const carrier = carrierOf(`carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations:
  create:
    post: /orders
    body: { json: { action: '\${consignment.typeOfAction}' } }
    result: |
      { "itemsTrackDetails": [response.body.numbers.{ "trackingNumber": $ }] }
  update: recreate
  cancel: { delete: '/orders/\${shipment.trackingNumber}' }
`);
const numbers = answer(200, { numbers: ['N1', 'N2'] });

const recreateIn = (world: ReturnType<typeof createWorld>): (() => Promise<RunOutcome>) => {
  const { create } = carrier.operations;
  if (create === undefined) throw new Error('no create');
  const consignment = { ...world.consignment, typeOfAction: 'UPDATE' };
  return async () =>
    await runRecreate(
      {
        seed: 'seed-1',
        carrier,
        operation: create,
        environment: 'production',
        account: { id: 1, version: 1, credentials: {}, settings: {} },
        inputs: { consignment, shipment: { trackingNumber: 'OLD', packages: [] } },
        nowMs: world.clock.now(),
      },
      world.ports,
    );
};

describe('an update of a carrier that recreates', () => {
  it('cancels the old shipment, then makes a new one', async () => {
    const world = createWorld(carrier, [answer(200), numbers]);
    expect(await recreateIn(world)()).toMatchObject({
      kind: 'done',
      result: { packages: [{ trackingNumber: 'N1' }, {}] },
    });
    expect(world.requests()).toEqual(['DELETE /orders/OLD', 'POST /orders']);
    expect(bodyOf(world.sent[1])).toEqual({ action: 'CREATE' });
  });

  it('changes nothing when the cancel is refused', async () => {
    const world = createWorld(carrier, [answer(409, {})]);
    const outcome = await recreateIn(world)();
    expect(outcome.kind).toBe('rejected');
    expect(outcome).not.toHaveProperty('oldCancelled');
    expect(world.sent).toHaveLength(1);
  });

  it('goes on with the create, and does not cancel twice', async () => {
    const world = createWorld(carrier, [answer(200), refused, numbers]);
    const recreate = recreateIn(world);
    expect((await recreate()).kind).toBe('waiting');
    expect((await recreate()).kind).toBe('done');
    expect(world.sent.map(({ method }) => method)).toEqual(['DELETE', 'POST', 'POST']);
  });

  it('tells an operator when the new one was refused, for the old one is gone', async () => {
    const world = createWorld(carrier, [answer(200), answer(400, {})]);
    expect(await recreateIn(world)()).toMatchObject({ kind: 'held', why: 'fail', oldCancelled: true });
  });

  it('says so too when the new one could not be made for another reason', async () => {
    const world = createWorld(carrier, [answer(200), answer(403)]);
    const outcome = await recreateIn(world)();
    expect(outcome).toMatchObject({ kind: 'held', why: 'config_error', oldCancelled: true });
    expect(JSON.stringify(outcome)).toContain('the old shipment is cancelled');
  });

  it('does not say so of one that may have been made', async () => {
    const world = createWorld(carrier, [answer(200), answer(500)]);
    const outcome = await recreateIn(world)();
    expect(outcome).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
    expect(JSON.stringify(outcome)).not.toContain('a new one was not made');
  });

  it('makes no new one while nobody knows of the cancel', async () => {
    const world = createWorld(carrier, [answer(500), answer(500), answer(500), answer(500)]);
    const recreate = recreateIn(world);
    let outcome = await recreate();
    while (outcome.kind === 'waiting') {
      world.clock.advance(600_000);
      outcome = await recreate();
    }
    expect(outcome).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
    expect(new Set(world.sent.map(({ method }) => method))).toEqual(new Set(['DELETE']));
  });
});
