import { describe, expect, it } from 'vitest';
import { runRecreate } from '../../../src/engine/dispatch/recreate.ts';
import { bodyOf, carrierOf, createWorld, numbers, profileOf, refused, type Reply } from './world.ts';

const carrier = carrierOf(
  profileOf(`create:
  post: /orders
  body: { json: { action: '\${consignment.typeOfAction}' } }
  result: '{ "itemsTrackDetails": [response.body.numbers.{ "trackingNumber": $ }] }'
update: recreate
cancel: { delete: '/orders/\${shipment.trackingNumber}' }
`),
);

/** How each run of an update ends, ten minutes apart, and what was asked of the carrier. */
const recreate = async (replies: readonly Reply[], runs: number) => {
  const { ports, clock, sent, consignment, ...world } = createWorld(carrier, replies);
  const run = {
    seed: 'seed-1',
    carrier,
    operation: carrier.operations.create!,
    environment: 'production',
    account: { id: 1, version: 1, credentials: {}, settings: {} },
    inputs: {
      consignment: { ...consignment, typeOfAction: 'UPDATE' },
      shipment: { trackingNumber: 'OLD', packages: [] },
    },
    nowMs: clock.now(),
  } as const;
  const outcomes = [];
  for (let time = 0; time < runs; time += 1) {
    outcomes.push(await runRecreate(run, ports));
    clock.advance(600_000);
  }
  return { outcomes, sent, requests: world.requests().join(', ') };
};

const cancel = 'DELETE /orders/OLD';
const create = 'POST /orders';
const unknown = { kind: 'held', why: 'unknown_outcome' };
const told = (...messages: readonly string[]) => ({ messages: expect.arrayContaining([...messages]) as unknown });
const gone = told('the old shipment is cancelled at the carrier, and a new one was not made');

describe('an update of a carrier that recreates', () => {
  it.each<[string, readonly Reply[], readonly object[], string]>([
    [
      'cancels the old shipment, then makes a new one',
      [200, numbers],
      [{ kind: 'done', result: { packages: [{ trackingNumber: 'T1' }, {}] } }],
      `${cancel}, ${create}`,
    ],
    ['changes nothing when the cancel is refused', [409], [{ kind: 'rejected' }], cancel],
    [
      'goes on with the create, and does not cancel twice',
      [200, refused, numbers],
      [{ kind: 'waiting' }, { kind: 'done' }],
      `${cancel}, ${create}, ${create}`,
    ],
    [
      'is held when the new one was refused, for the old one is gone',
      [200, 400],
      [{ kind: 'held', why: 'fail', oldCancelled: true, problem: gone }],
      `${cancel}, ${create}`,
    ],
    [
      'says so too when the new one could not be made for another reason',
      [200, 403],
      [{ kind: 'held', why: 'config_error', oldCancelled: true, problem: gone }],
      `${cancel}, ${create}`,
    ],
    [
      'makes no new one while nobody knows of the cancel',
      [500, 500, 500, 500],
      [{}, {}, {}, unknown],
      `${cancel}, ${cancel}, ${cancel}, ${cancel}`,
    ],
  ])('%s', async (_, replies, outcomes, requests) => {
    const recreated = await recreate(replies, outcomes.length);
    expect(recreated.outcomes).toMatchObject(outcomes);
    expect(recreated.requests).toBe(requests);
  });

  it('creates as if for the first time', async () => {
    expect(bodyOf((await recreate([200, numbers], 1)).sent[1])).toEqual({ action: 'CREATE' });
  });

  it('does not say that the old one is gone where it is not, nor that no new one was made where one may be', async () => {
    expect((await recreate([409], 1)).outcomes[0]).not.toHaveProperty('oldCancelled');
    const [outcome] = (await recreate([200, 500], 1)).outcomes;
    expect(outcome).toMatchObject(unknown);
    expect(JSON.stringify(outcome)).not.toContain('a new one was not made');
  });
});
