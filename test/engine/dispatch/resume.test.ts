import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../src/engine/dispatch/ports.ts';
import { answer, carrierOf, createWorld, refused, reset, worldOf } from './world.ts';

const head = `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
settings: { account: {} }
memo: [orderId]
`;
const each = (extra = '', more = ''): string => `${head}operations:
  create:${extra}
    forEach: consignment.itemList
    post: /orders
    body: { json: { ref: '\${item.itemReferenceNumber}' } }
    undo: { delete: '/orders/\${response.body.id}' }
    result: |
      { "itemsTrackDetails": steps.create.{
          "itemReferenceNumber": item.itemReferenceNumber, "trackingNumber": body.number, "memo": { "orderId": body.id } } }
${more}`;
const made = (id: string) => answer(201, { id, number: `T-${id}` });
/** What a process that died left in the attemptLog. */
const leave = async (world: ReturnType<typeof createWorld>, record: Partial<CallRecord>): Promise<void> =>
  await world.attemptLog.commit(
    { step: 'create', element: 0, attempt: 1, state: 'sending', firstSentAtMs: world.clock.now(), ...record },
    undefined,
  );

const withAccount = (account: string) => ({
  account: { id: 1, version: 1, credentials: {}, settings: { account } },
});

/** As a retry by hand does it. */
const takeUpAgain = async (world: ReturnType<typeof createWorld>): Promise<void> => {
  for (const call of world.attemptLog.calls) await world.attemptLog.commit({ ...call, attempt: 0 }, undefined);
};

describe('taking back', () => {
  it('is gone on with where it stopped, the last success first, none twice', async () => {
    const world = worldOf(each(), made('a'), made('b'), answer(422), answer(204), answer(503), answer(204));
    const consignment = {
      ...world.consignment,
      itemList: ['P1', 'P2', 'P3'].map((itemReferenceNumber) => ({ itemReferenceNumber })),
    };
    expect((await world.run('create', { consignment })).kind).toBe('waiting');
    expect((await world.run('create', { consignment })).kind).toBe('rejected');
    expect(world.requests().slice(3)).toEqual(['DELETE /orders/b', 'DELETE /orders/a', 'DELETE /orders/a']);
  });

  it('after a crash in its midst asks again: taking back twice is harmless', async () => {
    const world = worldOf(each(), made('a'), answer(422), answer(204));
    await leave(world, {
      state: 'succeeded',
      answer: { status: 201, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"id":"z"}') },
    });
    await leave(world, {
      element: 1,
      state: 'failed',
      failed: { as: 'reject', problem: { code: 'x', messages: ['no'] } },
    });
    await leave(world, { step: 'create~undo', state: 'sending' });
    const sent: string[] = [];
    const outcome = await world.run(
      'create',
      undefined,
      {},
      {
        ...world.ports,
        send: (request) => {
          sent.push(`${request.method} ${request.url}`);
          return Promise.resolve(answer(204));
        },
      },
    );
    expect(outcome).toMatchObject({ kind: 'rejected', problem: { messages: ['no'] } });
    expect(sent).toEqual(['DELETE https://api.acme.example/orders/z']);
  });

  it('happens also when a later step cannot even be evaluated', async () => {
    const world = createWorld(
      carrierOf(`${head}operations:
  create:
    steps:
      - { id: book, post: /bookings, undo: { delete: '/bookings/\${response.body.id}' } }
      - { id: ship, when: '$number(steps.book.body.id) > 1', post: /ship }
    result: '{ "itemsTrackDetails": [] }'
`),
      [answer(200, { id: 'x' }), answer(204)],
    );
    expect(await world.endings(1)).toEqual(['held: config_error']);
    expect(world.requests()).toEqual(['POST /bookings', 'DELETE /bookings/x']);
  });

  it('once begun is brought to its end, also when the account was mended meanwhile', async () => {
    const world = createWorld(
      carrierOf(`${head}operations:
  create:
    steps:
      - { id: book, post: /bookings, undo: { delete: /bookings/1 } }
      - { id: ship, when: '$number(settings.account) > 1', post: /ship }
    result: '{ "itemsTrackDetails": [] }'
`),
      [answer(200, {}), answer(503), answer(204)],
    );
    expect((await world.run('create', undefined, withAccount('none'))).kind).toBe('waiting');
    expect(await world.run('create', undefined, withAccount('2'))).toMatchObject({ kind: 'held', why: 'config_error' });
    expect(world.requests()).toEqual(['POST /bookings', 'DELETE /bookings/1', 'DELETE /bookings/1']);
  });

  it('includes what only lookup has found; what cannot be taken back without its answer is held by name', async () => {
    const lookup =
      '  lookup: { get: \'/orders?ref=${item.itemReferenceNumber}\', result: \'{ "itemsTrackDetails": { "trackingNumber": response.body.number } }\' }\n';
    const world = worldOf(each('', lookup), reset, made('a'), answer(422));
    expect(await world.endings(1)).toEqual(['waiting']);
    const outcome = await world.run('create');
    expect(outcome).toMatchObject({ kind: 'held', why: 'undo_failed' });
    expect(JSON.stringify(outcome)).toContain('could not take back step create, element 0');
  });

  it('is nothing that a track does', async () => {
    const world = createWorld(
      carrierOf(`${head}operations:
  create: { post: /orders, result: '{ "itemsTrackDetails": [] }' }
  track:
    steps:
      - { id: first, post: /queries, undo: { delete: /queries/1 } }
      - { id: second, get: /events }
    result: '[]'
`),
      [answer(200, {}), answer(404)],
    );
    expect((await world.run('track', { item: { trackingNumber: 'T' } })).kind).toBe('rejected');
    expect(world.sent).toHaveLength(2);
  });
});

describe('a call whose end nobody saw', () => {
  const created = `result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }' }`;

  it('is unknown, also when the profile cannot be evaluated any more', async () => {
    const failing = each().replace(
      'forEach: consignment.itemList',
      'forEach: "$number(settings.account) > 0 ? consignment.itemList"',
    );
    const world = worldOf(failing);
    await leave(world, {});
    const outcome = await world.run('create', undefined, {
      account: { id: 1, version: 2, credentials: {}, settings: { account: 'none' } },
    });
    expect(outcome).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
  });

  it('among several holds the others back from being undone', async () => {
    const world = worldOf(each());
    await leave(world, {
      state: 'succeeded',
      answer: { status: 201, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"id":"z"}') },
    });
    await leave(world, { element: 1 });
    expect(await world.endings(1)).toEqual(['held: unknown_outcome']);
    expect(world.sent).toHaveLength(0);
  });

  it('is asked about once at least where lookup can, however few the attempts', async () => {
    const world = createWorld(
      carrierOf(`${head}operations:
  create: { post: /orders, retry: { attempts: 1 }, result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }' }
  lookup: { get: /orders, result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }' }
`),
      [reset, answer(200, { number: 'T1' })],
    );
    expect(await world.endings(1)).toEqual(['waiting']);
    expect(await world.run('create')).toMatchObject({
      kind: 'done',
      result: { packages: [{ trackingNumber: 'T1' }, {}] },
    });
  });

  it('is asked about with a number of the account, the same however often', async () => {
    const world = createWorld(
      carrierOf(`${head}operations:
  create: { post: '/orders/\${$sequence("m")}', result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }' }
  lookup: { get: '/orders/\${$sequence("m")}', result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }' }
`),
      [reset, answer(503), answer(200, { number: 'T1' })],
    );
    for (const kind of ['waiting', 'waiting', 'done']) expect((await world.run('create')).kind).toBe(kind);
    expect(world.requests()).toEqual(['POST /orders/1', 'GET /orders/2', 'GET /orders/2']);
  });

  it('is repeated when it is taken up again after its last attempt', async () => {
    const promising = `${head}operations:\n  create: { idempotency: reference, post: /orders, retry: { attempts: 2 }, ${created}\n`;
    const world = worldOf(promising, reset, reset, answer(201, { number: 'T1' }));
    expect(await world.endings(2)).toEqual(['waiting', 'held: unknown_outcome']);
    await takeUpAgain(world);
    expect(await world.endings(1)).toEqual(['done']);
    expect(world.sent).toHaveLength(3);
  });

  it('is asked about when it is taken up again after its last attempt', async () => {
    const asked = `${head}operations:\n  create: { post: /orders, retry: { attempts: 1 }, ${created}\n  lookup: { get: /orders, ${created}\n`;
    const world = worldOf(asked, reset, answer(503), answer(200, { number: 'T1' }));
    expect(await world.endings(2)).toEqual(['waiting', 'held: unknown_outcome']);
    await takeUpAgain(world);
    expect(await world.endings(1)).toEqual(['done']);
    expect(world.requests()).toEqual(['POST /orders', 'GET /orders', 'GET /orders']);
  });
});

const create = (outcomes: string, result: string, extra = ''): string => `${head}operations:
  create:${extra}
    post: /orders
    outcomes: ${outcomes}
    result: ${result}
`;

describe('what an expression that fails comes to', () => {
  const fine = `'{ "itemsTrackDetails": { "trackingNumber": response.body.number } }'`;

  it('in the outcomes: unknown, for the carrier may have acted', async () => {
    const world = worldOf(
      create('[ { when: "$number(response.body.n) > 1", do: reject } ]', fine),
      answer(200, { n: 'x', number: 'T' }),
    );
    expect(await world.run('create')).toMatchObject({
      kind: 'held',
      why: 'unknown_outcome',
      problem: { place: { line: 9 } },
    });
  });

  it('in the result: unknown', async () => {
    const world = createWorld(
      carrierOf(
        create('[]', `'{ "itemsTrackDetails": [$string($number(response.body.number)).{ "trackingNumber": $ }] }'`),
      ),
      [answer(200, { number: 'T' })],
    );
    expect(await world.endings(1)).toEqual(['held: unknown_outcome']);
  });

  it('in the result of a create that sent nothing: an error of the profile, for nothing was done', async () => {
    const world = worldOf(create('[]', fine, '\n    when: consignment.typeOfOrder = "REVERSE"'));
    expect(await world.endings(1)).toEqual(['held: config_error']);
  });

  it('sees when it was sent, in the outcomes', async () => {
    const world = worldOf(
      create('[ { when: "sentAt = response.body.at", do: reject } ]', fine),
      answer(200, { at: '2026-05-01T09:00:00.000Z' }),
    );
    expect(await world.endings(1)).toEqual(['rejected']);
  });

  it('and draws a number there gets it', async () => {
    const world = worldOf(create("[ { when: \"$sequence('x') = '1'\", do: reject } ]", fine), answer(200, {}));
    expect(await world.endings(1)).toEqual(['rejected']);
  });
});

const reporting = (forEach: string, numbers: string, more = ''): string => `${head}operations:
  create: { post: /orders, result: '{ "itemsTrackDetails": [] }' }
  track:
    steps:
      - id: track
        forEach: ${forEach}${more}
        post: /events
        body: { json: '[$list(items).trackingNumber, $list(item).trackingNumber]' }
    result: '[{ "value": $string([${numbers}]), "carrierStatusCode": $string($type(steps.track)) }]'
`;

describe('forEach', () => {
  const items = ['A', 'B', 'C'].map((trackingNumber) => ({ trackingNumber }));

  it.each([
    ['shipment.packages', []],
    ['shipment.packages[0]', ['A']],
    ['shipment.packages', ['A', 'B', 'C']],
  ])('over %s gives a list in order, of one or none too', async (forEach, numbers) => {
    const world = createWorld(
      carrierOf(reporting(`'${forEach}'`, 'steps.track.item.trackingNumber')),
      numbers.map(() => answer(200, {})),
    );
    const outcome = await world.run('track', { shipment: { packages: items.slice(0, numbers.length) } });
    expect(outcome).toMatchObject({
      kind: 'done',
      result: [{ value: JSON.stringify(numbers), carrierStatusCode: 'array' }],
    });
  });

  it('in batches sees items, the last fewer, and its answers have theirs', async () => {
    const world = createWorld(
      carrierOf(reporting('shipment.packages', 'steps.track.$join(items.trackingNumber, "+")', '\n        batch: 2')),
      [answer(200, {}), answer(200, {})],
    );
    const outcome = await world.run('track', { shipment: { packages: items } });
    expect(outcome).toMatchObject({ kind: 'done', result: [{ value: '["A+B","C"]' }] });
  });
});

const asking = (seconds: string) => worldOf(each(), answer(429, undefined, { 'retry-after': seconds }));

describe('patience', () => {
  it('obeys Retry-After, but for no longer than a day', async () => {
    const long = asking('99999999');
    expect(await long.run('create')).toMatchObject({ kind: 'waiting', dueAtMs: long.clock.now() + 86_400_000 });
    const date = asking('Fri, 01 May 2026 09:10:00 GMT');
    expect(await date.run('create')).toMatchObject({ kind: 'waiting', dueAtMs: date.clock.now() + 600_000 });
  });

  it('is had as long as a carrier in problem asks for, where it may be asked again', async () => {
    const world = worldOf(each('\n    idempotency: reference'), answer(503, {}, { 'retry-after': '90' }));
    expect(await world.run('create')).toMatchObject({ kind: 'waiting', dueAtMs: world.clock.now() + 90_000 });
  });

  it('held back by limits uses up no attempt', async () => {
    const world = worldOf(each('', 'limits: { rate: 1/m }\nretry: { attempts: 1 }\n'), made('a'), made('b'));
    expect(await world.endings(2)).toEqual(['waiting', 'waiting']);
    world.clock.advance(60_000);
    expect(await world.endings(1)).toEqual(['done']);
  });

  it('of a breaker spares a carrier that is down', async () => {
    const world = worldOf(
      each('', 'limits: { breaker: { failures: 1, pause: 60s } }\n'),
      refused,
      made('a'),
      made('b'),
    );
    const first = await world.run('create');
    expect(first.kind).toBe('waiting');
    world.clock.advance(3_000);
    expect(await world.run('create')).toMatchObject({ kind: 'waiting', problem: { code: 'held_back' } });
    expect(world.sent).toHaveLength(1);
    world.clock.advance(60_000);
    expect(await world.endings(1)).toEqual(['done']);
  });
});
