import { describe, expect, it } from 'vitest';
import { runRecreate } from '../../../src/engine/dispatch/recreate.ts';
import { bodyOf, carrierOf, createWorld, endingOf, numbers, profileOf, refused, type Reply, runOf } from './world.ts';

const carrier = carrierOf(
  profileOf(`create:
  post: /orders
  body: { json: { action: '\${consignment.typeOfAction}' } }
  result: '{ "itemsTrackDetails": [response.body.numbers.{ "trackingNumber": $ }] }'
update: recreate
cancel: { delete: '/orders/\${shipment.trackingNumber}' }
`),
);

/** How the runs of an update end, ten minutes apart, the last outcome, and what was asked of the carrier. */
const recreate = async (replies: readonly Reply[], runs: number) => {
  const { ports, clock, sent, consignment, requests } = createWorld(carrier, replies);
  const shipment = { trackingNumber: 'OLD', packages: [] };
  const run = runOf(carrier, 'create', {
    inputs: { consignment: { ...consignment, typeOfAction: 'UPDATE' }, shipment },
  });
  const outcomes = [];
  for (let time = 0; time < runs; time += 1) {
    outcomes.push(await runRecreate(run, ports));
    clock.advance(600_000);
  }
  return { endings: outcomes.map(endingOf).join(', '), last: outcomes.at(-1), sent, requests: requests().join(', ') };
};

const cancel = 'DELETE /orders/OLD';
const create = 'POST /orders';
const both = `${cancel}, ${create}`;
const made = { result: { packages: [{ trackingNumber: 'T1' }, {}] } };
const gone = 'the old shipment is cancelled at the carrier, and a new one was not made';
const notMade = { oldCancelled: true, problem: { messages: expect.arrayContaining([gone]) as unknown } };
const unknown = 'waiting, waiting, waiting, held: unknown_outcome';

describe('an update of a carrier that recreates', () => {
  it.each<[string, readonly Reply[], string, string, object?]>([
    ['cancels the old shipment, then makes a new one', [200, numbers], 'done', both, made],
    ['changes nothing when the cancel is refused', [409], 'rejected', cancel],
    [
      'goes on with the create, and does not cancel twice',
      [200, refused, numbers],
      'waiting, done',
      `${both}, ${create}`,
    ],
    ['is held when the new one was refused, for the old one is gone', [200, 400], 'held: fail', both, notMade],
    ['says so too when it could not be made for another reason', [200, 403], 'held: config_error', both, notMade],
    [
      'makes no new one while nobody knows of the cancel',
      [500, 500, 500, 500],
      unknown,
      Array(4).fill(cancel).join(', '),
    ],
  ])('%s', async (_, replies, endings, requests, last = {}) => {
    const recreated = await recreate(replies, endings.split(', ').length);
    expect(recreated).toMatchObject({ endings, requests, last });
  });

  it('creates as if for the first time', async () => {
    expect(bodyOf((await recreate([200, numbers], 1)).sent[1])).toEqual({ action: 'CREATE' });
  });

  it('does not say that the old one is gone where it is not, nor that no new one was made where one may be', async () => {
    expect((await recreate([409], 1)).last).not.toHaveProperty('oldCancelled');
    const { endings, last } = await recreate([200, 500], 1);
    expect(endings).toBe('held: unknown_outcome');
    expect(JSON.stringify(last)).not.toContain('a new one was not made');
  });

  const unusable = { code: 'unusable_value', fields: ['consignmentDetails.referenceNumber'] };
  it.each([
    ['', '$number(consignment.referenceId)', { kind: 'rejected', problem: unusable }],
    ['', '$reject("too late", "LATE")', { kind: 'rejected', problem: { code: 'LATE' } }],
    ['', '$number("none")', { kind: 'held', why: 'config_error' }],
    [
      'variants: [{ when: consignment.referenceId = "no" }]',
      '1',
      { why: 'config_error', problem: { code: 'no_variant' } },
    ],
  ])('keeps the old one where the new one is certain not to be sent: %s %s', async (variants, refusing, ended) => {
    const picky = carrierOf(
      profileOf(`create:
  ${variants}
  post: /orders
  body: { json: { x: ${JSON.stringify(`\${${refusing}}`)} } }
  result: '{ "itemsTrackDetails": [] }'
update: recreate
cancel: { delete: '/orders/\${shipment.trackingNumber}' }`),
    );
    const { ports, consignment, sent } = createWorld(picky, []);
    const run = runOf(picky, 'create', { inputs: { consignment, shipment: { trackingNumber: 'OLD', packages: [] } } });
    expect(await runRecreate(run, ports)).toMatchObject(ended);
    expect(sent).toEqual([]);
  });
});
