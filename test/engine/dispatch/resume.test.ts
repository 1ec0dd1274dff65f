import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../src/engine/dispatch/ports.ts';
import { loadBundle } from '../../../src/engine/profile/load.ts';
import {
  answer,
  createWorld,
  each,
  endingOf,
  made,
  numbers,
  profileOf,
  refused,
  reset,
  single,
  stories,
  worldOf,
} from './world.ts';

const accountWith = (account: string) => ({ account: { id: 1, version: 2, credentials: {}, settings: { account } } });
const succeeded: Partial<CallRecord> = {
  state: 'succeeded',
  answer: { status: 201, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"id":"z"}') },
};
const failed: Partial<CallRecord> = {
  element: 1,
  state: 'failed',
  failed: { as: 'reject', problem: { code: 'x', messages: ['no'] } },
};

describe('what a process that died left behind', () => {
  const held = 'held: unknown_outcome';
  const no = { problem: { messages: ['no'] } };
  const undoing = [succeeded, failed, { step: 'create~undo' }];
  const unevaluable = each('', '', '$number(settings.account & "x") > 0 ? consignment.itemList');

  it.each<[string, string, readonly Partial<CallRecord>[], string, readonly string[], object?]>([
    ['a call without an end is of unknown outcome', single(), [{}], held, []],
    ['also when the profile cannot be evaluated any more', unevaluable, [{}], held, []],
    ['and then nothing is undone', each(), [succeeded, { element: 1 }], held, []],
    ['an undo without an end is repeated, for that is harmless', each(), undoing, 'rejected', ['DELETE /z'], no],
  ])('%s', async (_, profile, left, ending, requests, shown = {}) => {
    const world = worldOf(profile, ...requests.map(() => 204));
    const firstSentAtMs = world.clock.now();
    const call = { step: 'create', element: 0, attempt: 1, state: 'sending', firstSentAtMs } as const;
    for (const record of left) await world.attemptLog.commit({ ...call, ...record }, undefined);
    const outcome = await world.run('create');
    expect(endingOf(outcome)).toBe(ending);
    expect(outcome).toMatchObject(shown);
    expect(world.requests()).toEqual(requests);
  });

  it('is named as the reason', async () => {
    const world = worldOf(single());
    await world.attemptLog.fence({ step: 'create', element: 0 }, 1, world.clock.now(), 30_000);
    expect(await world.run('create')).toMatchObject({ problem: { code: 'interrupted' } });
  });
});

it('an undo once begun is brought to its end, also when the account was mended meanwhile', async () => {
  const profile = profileOf(`create:
  steps:
    - { id: book, post: /bookings, undo: { delete: /bookings/1 } }
    - { id: ship, when: '$number(settings.account) > 1', post: /ship }
  result: '{ "itemsTrackDetails": [] }'`);
  const world = worldOf(profile, {}, 503, 204);
  expect((await world.run('create', undefined, accountWith('none'))).kind).toBe('waiting');
  expect(await world.run('create', undefined, accountWith('2'))).toMatchObject({ kind: 'held', why: 'config_error' });
  expect(world.requests()).toEqual(['POST /bookings', 'DELETE /bookings/1', 'DELETE /bookings/1']);
});

it('nothing is undone that a track does, though a kept version of a profile says so', async () => {
  const profile = profileOf(`create: { post: /orders, result: '{ "itemsTrackDetails": [] }' }
track:
  steps:
    - { id: first, post: /queries, undo: { delete: /queries/1 } }
    - { id: second, get: /events }
  result: '[]'`);
  const { carrier } = loadBundle({ code: 'acme', files: { 'carriers/acme.yaml': profile } });
  const world = createWorld(carrier ?? expect.fail(), [{}, 404]);
  expect(await world.endings(1, 'track', { item: { trackingNumber: 'T' } })).toEqual(['rejected']);
  expect(world.sent).toHaveLength(2);
});

describe('after its last attempt, a call that an operator takes up again', () => {
  const one = `result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }'`;
  const promising = profileOf(`create: { idempotency: reference, post: /orders, retry: { attempts: 2 }, ${one} }`);
  const asked = profileOf(
    `create: { post: /orders, retry: { attempts: 1 }, ${one} }\nlookup: { get: /orders, ${one} }`,
  );

  it.each([
    ['is repeated', promising, reset, 'POST, POST, POST'],
    ['is looked up', asked, 503, 'POST, GET, GET'],
  ] as const)('%s', async (_, profile, reply, methods) => {
    const world = worldOf(profile, reset, reply, { number: 'T1' });
    expect(await world.endings(2)).toEqual(['waiting', 'held: unknown_outcome']);
    for (const call of world.attemptLog.calls) await world.attemptLog.commit({ ...call, attempt: 0 }, undefined);
    expect(await world.endings(1)).toEqual(['done']);
    expect(world.sent.map(({ method }) => method).join(', ')).toBe(methods);
  });
});

const create = (outcomes: string, number = 'response.body.number', lines = ''): string =>
  profileOf(`create:${lines}
  post: /orders
  outcomes: ${outcomes}
  result: '{ "itemsTrackDetails": [$string(${number}).{ "trackingNumber": $ }] }'`);

describe('an expression that fails', () => {
  const held = 'held: unknown_outcome';
  const rules = create('[ { when: "$number(response.body.n) > 1", do: reject } ]');
  const result = create('[]', '$number(response.body.number)');
  const skipped = create('[]', 'response.body.number', '\n  when: consignment.typeOfOrder = "REVERSE"');
  const time = create('[ { when: "sentAt = response.body.at", do: reject } ]');
  const drawing = create("[ { when: \"$sequence('x') = '1'\", do: reject } ]");

  stories('%s', [
    ['in the outcomes leaves the end unknown', rules, [{ n: 'x' }], held, 'POST', { problem: { place: { line: 9 } } }],
    ['in the result too', result, [{ number: 'T' }], held, 'POST'],
    ['in the result of a create that sent nothing is an error of the profile', skipped, [], 'held: config_error', ''],
    ['not in the outcomes sees when it was sent', time, [{ at: '2026-05-01T09:00:00.000Z' }], 'rejected', 'POST'],
    ['for want of a number there gets it', drawing, [{}], 'rejected', 'POST'],
  ]);
});

describe('a chain of steps', () => {
  const result = `result: '{ "itemsTrackDetails": [response.body.numbers.{ "trackingNumber": $ }] }'`;
  const chain = profileOf(`create:
  steps:
    - { id: booking, post: /bookings, body: { json: { ref: '\${consignment.referenceId}' } } }
    - { id: extra, when: consignment.typeOfOrder = "REVERSE", post: /extras }
    - { id: confirm, post: '/bookings/\${steps.booking.body.id}/confirm' }
  ${result}`);
  const unevaluable = profileOf(`create:
  steps:
    - { id: book, post: /bookings, undo: { delete: '/bookings/\${response.body.id}' } }
    - { id: ship, when: '$number(steps.book.body.id) > 1', post: /ship }
  result: '{ "itemsTrackDetails": [] }'`);
  const both = 'POST /bookings, POST /bookings/B%2F1/confirm';
  const again = `${both}, POST /bookings/B%2F1/confirm`;
  const taken = 'POST /bookings, DELETE /bookings/B%2F1';
  const booked = { id: 'B/1' };

  stories('%s', [
    ['hands earlier answers on, and skips', chain, [booked, numbers], 'done', both],
    ['resumes at the step that is missing', chain, [booked, refused, numbers], 'waiting, done', again],
    ['is undone when a later step cannot be evaluated', unevaluable, [booked, 204], 'held: config_error', taken],
  ]);
});

const reporting = (forEach: string, reported: string, lines = ''): string =>
  profileOf(`create: { post: /orders, result: '{ "itemsTrackDetails": [] }' }
track:
  steps:
    - id: track
      forEach: '${forEach}'${lines}
      post: /events
      body: { json: '[$list(items).trackingNumber, $list(item).trackingNumber]' }
  result: '[{ "value": $string([${reported}]), "carrierStatusCode": $string($type(steps.track)) }]'`);

describe('forEach', () => {
  const single = 'steps.track.item.trackingNumber';
  const batches = 'steps.track.$join(items.trackingNumber, "+")';

  it.each([
    ['none', [], reporting('shipment.packages', single), []],
    ['one that is no list', ['A'], reporting('shipment.packages[0]', single), ['A']],
    ['several', ['A', 'B', 'C'], reporting('shipment.packages', single), ['A', 'B', 'C']],
    ['batches', ['A', 'B', 'C'], reporting('shipment.packages', batches, '\n      batch: 2'), ['A+B', 'C']],
  ])('gives a list in order, of %s', async (_, given, profile, values) => {
    const packages = given.map((trackingNumber) => ({ trackingNumber }));
    const outcome = await worldOf(profile, ...values.map(() => 200)).run('track', { shipment: { packages } });
    const result = [{ value: JSON.stringify(values), carrierStatusCode: 'array' }];
    expect(outcome).toMatchObject({ kind: 'done', result });
  });
});

describe('a carrier that asks for patience', () => {
  it.each([
    ['by seconds, for a day at most', 429, '', '99999999', 86_400_000],
    ['by a date', 429, '', 'Fri, 01 May 2026 09:10:00 GMT', 600_000],
    ['while it has trouble, where it may be asked again', 503, 'idempotency: reference', '90', 90_000],
  ])('%s is given it', async (_, status, lines, retryAfter, waitMs) => {
    const world = worldOf(each(lines), answer(status, undefined, { 'retry-after': retryAfter }));
    expect(await world.run('create')).toMatchObject({ kind: 'waiting', dueAtMs: world.clock.now() + waitMs });
  });

  it('is one held back by its limits, which use up no attempt', async () => {
    const world = worldOf(`${each()}limits: { rate: 1/m }\nretry: { attempts: 1 }\n`, made('a'), made('b'));
    expect(await world.endings(2)).toEqual(['waiting', 'waiting']);
    world.clock.advance(60_050);
    expect(await world.endings(1)).toEqual(['done']);
  });

  it('is one that is down, spared by its breaker', async () => {
    const world = worldOf(`${each()}limits: { breaker: { failures: 1, pause: 60s } }\n`, refused, made('a'), made('b'));
    expect(await world.endings(1)).toEqual(['waiting']);
    world.clock.advance(3_000);
    expect(await world.run('create')).toMatchObject({ kind: 'waiting', problem: { code: 'held_back' } });
    expect(world.sent).toHaveLength(1);
    world.clock.advance(60_000);
    expect(await world.endings(1)).toEqual(['done']);
  });
});
