import { describe, expect, it } from 'vitest';
import { startPolling, type Tracking, trackPackages } from '../../../src/platform/processes/tracking.ts';
import { Failure } from '../../../src/engine/failure.ts';
import type { StatusUpdate } from '../../../src/engine/statuses/status-update.ts';
import type { Carrier } from '../../../src/engine/profile/carrier.ts';
import type { DuePackage } from '../../../src/platform/records/polls.ts';
import type { WireOutcome } from '../../../src/engine/transport/wire.ts';
import { answer, bodyOf, carrierOf, createWorld, refused } from '../../engine/dispatch/world.ts';
import { freshDatabase } from '../../support/database.ts';
import { quietLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';
import { statusWorld } from '../records/status-world.ts';

const profile = (track: string, more = '', code = 'acme'): string => `carrier: ${code}
name: Example
environments: { production: { url: 'https://api.${code}.example' } }
operations:
  create: { post: /orders, result: '{ "itemsTrackDetails": [] }' }
  track:
${track}
    result: '[response.body.events]'
statuses: { poll: { every: 2h, until: 30d }, table: { DLV: Order Delivered } }
${more}`;
const single = "    get: '/events/${item.trackingNumber}'";
const batched = "    batch: 2\n    post: /events\n    body: { json: '[items.trackingNumber]' }";
const HOUR_MS = 3_600_000;

const trackingOf = (
  carrier: Carrier,
  replies: readonly (WireOutcome | (() => WireOutcome))[],
  more: Partial<Tracking> = {},
) => {
  const world = createWorld(carrier, replies);
  const recorded: StatusUpdate[][] = [];
  let taken = 0;
  const tracking: Tracking = {
    ports: world.ports,
    log: quietLog,
    carrierOf: () => carrier,
    accountOf: (id) => Promise.resolve({ id, version: 1, credentials: {}, settings: {} }),
    inputsOf: () => Promise.resolve({}),
    noteExchange: () => world.ports.noteExchange,
    takeFromSequence: () => () => Promise.resolve(String((taken += 1))),
    recordEvents: (_, events) => {
      recorded.push([...events]);
      return Promise.resolve();
    },
    ...more,
  };
  const due = (trackingNumber: string, more: Partial<DuePackage> = {}): DuePackage => ({
    consignmentId: 1,
    position: 0,
    reference: 'P1',
    trackingNumber,
    memo: {},
    ends: {},
    status: 'In Transit',
    carrierCode: 'acme',
    environment: 'production',
    accountId: 1,
    createdAtMs: world.clock.now() - HOUR_MS,
    heldUntilMs: 0,
    ...more,
  });
  const track = async (...packages: readonly DuePackage[]) => {
    const next = await trackPackages(tracking, packages);
    return next.map(({ atMs }) => (atMs === undefined ? undefined : atMs - world.clock.now()));
  };
  return { ...world, tracking, recorded, due, track };
};
const events = (...values: readonly string[]) =>
  answer(200, { events: values.map((value) => ({ value, carrierStatusCode: 'DLV' })) });
const keyless = () => Promise.reject(new Failure('no key', { code: 'secret_key_missing' }));
const REGULAR_MS = 2 * HOUR_MS * 0.9;

describe('tracking', () => {
  it('asks about each package, records what is told, and comes back at its next turn', async () => {
    const { due, track, sent, recorded } = trackingOf(carrierOf(profile(single)), [events('A'), events()]);
    expect(await track(due('A'), due('B'))).toEqual([REGULAR_MS, REGULAR_MS]);
    expect(sent.map(({ url }) => url)).toEqual(['A', 'B'].map((number) => `https://api.acme.example/events/${number}`));
    expect(recorded).toEqual([[{ value: 'A', carrierStatusCode: 'DLV' }]]);
  });

  it('takes each number of a sequence once, whatever run asks', async () => {
    const numbered = carrierOf(profile('    get: \'/events/${$sequence("message")}\''));
    const { due, track, sent } = trackingOf(numbered, [events(), events()]);
    await track(due('A'), due('B'));
    expect(sent.map(({ url }) => url.at(-1))).toEqual(['1', '2']);
  });

  it('asks in batches, and one by one about a batch that is rejected', async () => {
    const replies = [answer(400), events('A'), answer(404), events('C')];
    const { due, track, sent } = trackingOf(carrierOf(profile(batched)), replies);
    expect(await track(due('A'), due('B'), due('C'))).toEqual([REGULAR_MS, REGULAR_MS, REGULAR_MS]);
    expect(sent.map(bodyOf)).toEqual([['A', 'B'], ['A'], ['B'], ['C']]);
  });

  it.each([
    ['item.memo.depot', (depot?: string) => ({ memo: { depot } })],
    ['item.consignment.destinationCountry', (destinationCountry = 'DE') => ({ ends: { destinationCountry } })],
  ])(
    'asks together only about numbers that are alike in %s, and comes back soon for what is left',
    async (by, more) => {
      const grouped = batched.replace('batch: 2', `batch: { size: 2, by: ${by} }`);
      const { due, track, sent } = trackingOf(carrierOf(profile(grouped, 'memo: [depot]\n')), [events('A'), refused]);
      const at = (number: string, depot?: string) => due(number, more(depot));
      const next = await track(at('A', 'HAM'), at('B', 'BER'), at('C', 'HAM'), at('D'), at('E', 'HAM'));
      expect(sent.map(bodyOf)).toEqual([['A', 'C'], ['E']]);
      expect(next).toEqual([REGULAR_MS, 60_000, REGULAR_MS, 60_000, 60_000]);
    },
  );

  it('leaves a carrier alone that is in trouble, and comes back soon for all that is left', async () => {
    const { due, track, sent } = trackingOf(carrierOf(profile(single)), [events('A'), refused]);
    expect(await track(due('A'), due('B'), due('C'))).toEqual([REGULAR_MS, 60_000, 60_000]);
    expect(sent).toHaveLength(2);
  });

  it('comes back when the carrier’s limits allow it, not a whole interval later', async () => {
    const { due, track } = trackingOf(carrierOf(profile(single, 'limits: { rate: 1/m }\n')), [events('A')]);
    expect(await track(due('A'), due('B'))).toEqual([REGULAR_MS, 60_050]);
  });

  it('stops asking a slow carrier after a while, so that others get their turn', async () => {
    const world = trackingOf(carrierOf(profile(single)), [
      () => {
        world.clock.advance(31_000);
        return events('A');
      },
    ]);
    expect(await world.track(world.due('A'), world.due('B'))).toEqual([REGULAR_MS, 0]);
  });

  it('comes back soon where this worker lacks the carrier’s profile, which another may have', async () => {
    const { due, track } = trackingOf(carrierOf(profile(single)), [], { carrierOf: () => undefined });
    expect(await track(due('A'))).toEqual([60_000]);
  });

  it('comes back soon where this worker lacks the key of the account, which another may have', async () => {
    const { due, track } = trackingOf(carrierOf(profile(single)), [], { accountOf: keyless });
    expect(await track(due('A'), due('B'))).toEqual([60_000, 60_000]);
  });

  it('ends with a terminal status and with age', async () => {
    const { due, track } = trackingOf(carrierOf(profile(single)), [events(), events()]);
    const ended = await track(due('A', { status: 'Order Delivered' }), due('B', { createdAtMs: 0 }));
    expect(ended).toEqual([undefined, undefined]);
  });
});

describe('polling', () => {
  const database = freshDatabase();
  const world = statusWorld(() => database.pool);

  const makeDue = async (carrierCode: string, reference: string): Promise<void> => {
    const accountId = await world.account(carrierCode);
    const id = await world.consignmentWith({ reference, carrierCode, accountId, trackingNumbers: [`T-${reference}`] });
    await database.pool.query('update packages set poll_at = now() where consignment_id = $1', [id]);
  };

  it('keeps nobody from being asked about packages of others where a carrier hangs', async () => {
    const carriers = new Map(['hanging', 'well'].map((code) => [code, carrierOf(profile(single, '', code))]));
    const { promise: hangs, resolve: answers } = Promise.withResolvers<WireOutcome>();
    const asked: string[] = [];
    const { tracking } = trackingOf(carrierOf(profile(single)), [], { carrierOf: (code) => carriers.get(code) });
    const send = async ({ url }: { readonly url: string }): Promise<WireOutcome> => {
      asked.push(new URL(url).pathname);
      return url.includes('.hanging.') ? await hangs : events();
    };
    await makeDue('hanging', 'H1');
    const poller = startPolling(database.pool, { ...tracking, ports: { ...tracking.ports, nowMs: Date.now, send } });
    await until('the one that hangs is asked', () => asked.includes('/events/T-H1'));
    await makeDue('well', 'W1');
    await until('the other is asked meanwhile', () => asked.includes('/events/T-W1'), 5_000);
    answers(events());
    await poller.close();
  });
});
