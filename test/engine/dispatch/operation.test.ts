import { describe, expect, it } from 'vitest';
import type { WireOutcome } from '../../../src/engine/transport/wire.ts';
import { answer, bodyOf, refused, reset, worldOf } from './world.ts';

const head = `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
credentials: { key: { secret: true } }
settings: { account: {} }
auth: { apiKey: { header: x-key, value: '\${credentials.key}' } }
memo: [orderId]
`;

const result = `
    result: |
      { "itemsTrackDetails": [response.body.numbers.{ "trackingNumber": $ }] }`;

const single = (extra = ''): string => `${head}operations:
  create:${extra}
    post: /orders
    body: { json: { ref: '\${consignment.referenceId}', account: '\${settings.account}' } }${result}
`;

/** One order a package, undone when one is refused. */
const each = (extra = ''): string => `${head}operations:
  create:${extra}
    forEach: consignment.itemList
    post: /orders
    headers: { idempotency-key: '\${idempotencyKey}' }
    body: { json: { ref: '\${item.itemReferenceNumber}' } }
    undo: { delete: '/orders/\${response.body.id}' }
    result: |
      { "itemsTrackDetails": steps.create.{
          "itemReferenceNumber": item.itemReferenceNumber, "trackingNumber": body.number, "memo": { "orderId": body.id } } }
`;

const text = (status: number, body: string): WireOutcome =>
  ({ ...answer(status, undefined, { 'content-type': 'text/plain' }), body: Buffer.from(body) }) as WireOutcome;
const json = (body: string): WireOutcome => ({ ...answer(200, {}), body: Buffer.from(body) }) as WireOutcome;

const numbers = answer(200, { numbers: ['T1', 'T2'] });
const ref = "ref: '${consignment.referenceId}'";

describe('an operation of one step', () => {
  it('sends what the profile says, authenticated, and yields the checked acceptance', async () => {
    const world = worldOf(single(), numbers);
    const outcome = await world.run('create');
    expect(world.sent).toHaveLength(1);
    expect(world.sent[0]).toMatchObject({ method: 'POST', url: 'https://api.acme.example/orders' });
    expect(world.sent[0]?.headers['x-key']).toBe('secret-key-1');
    expect(bodyOf(world.sent[0])).toEqual({ ref: 'REF-1', account: '12' });
    expect(outcome).toMatchObject({
      kind: 'done',
      result: { packages: [{ itemReferenceNumber: 'PKG-1', trackingNumber: 'T1' }, { trackingNumber: 'T2' }] },
    });
  });

  it('writes no secret into its exchange', async () => {
    const world = worldOf(single(), answer(200, { numbers: ['T1', 'T2'], echo: 'secret-key-1' }));
    await world.run('create');
    expect(world.exchanges).toHaveLength(1);
    expect(JSON.stringify(world.exchanges)).not.toContain('secret-key-1');
    expect(world.exchanges[0]?.responseBody?.toString()).toContain('***key***');
  });

  it('waits and tries again when no byte left, and does it with the same bytes', async () => {
    const world = worldOf(single(), refused, numbers);
    expect(await world.run('create')).toMatchObject({ kind: 'waiting', dueAtMs: world.clock.now() + 2_000 });
    world.clock.advance(2_000);
    expect((await world.run('create')).kind).toBe('done');
    expect(world.sent[0]?.body).toEqual(world.sent[1]?.body);
  });

  it('is held as failed when its attempts are used up', async () => {
    const world = worldOf(single(), refused, refused, refused, refused);
    expect(await world.endings(4)).toEqual(['waiting', 'waiting', 'waiting', 'held: fail']);
  });

  it.each<[string, string, readonly WireOutcome[], object]>([
    [
      'rejected with the carrier’s plain words',
      single(),
      [text(400, 'postcode unknown')],
      { kind: 'rejected', problem: { messages: ['postcode unknown'] } },
    ],
    [
      'held for the configuration when our credentials are refused',
      single(),
      [answer(403)],
      { kind: 'held', why: 'config_error' },
    ],
    [
      'held, unsent, for the line of the profile whose mapping fails',
      single().replace(ref, "ref: '${$number(consignment.referenceId)}'"),
      [],
      { kind: 'held', why: 'config_error', problem: { place: { file: 'carriers/acme.yaml', line: 11 } } },
    ],
    [
      'rejected, unsent, when the mapping says so',
      single().replace(ref, 'ref: \'${$reject("over 25 kg")}\''),
      [],
      { kind: 'rejected', problem: { messages: ['over 25 kg'] } },
    ],
  ])('is %s', async (_, profile, replies, outcome) => {
    const world = worldOf(profile, ...replies);
    expect(await world.run('create')).toMatchObject(outcome);
    expect(world.sent).toHaveLength(replies.length);
  });
});

const lookup = `  lookup:
    get: /orders/\${consignment.referenceId}
    outcomes: [ { status: 404, do: succeed } ]
    result: 'response.status = 200 ? { "itemsTrackDetails": [response.body.numbers.{ "trackingNumber": $ }] }'
`;
const idempotent = '\n    idempotency: reference';
const twice = '\n    retry: { attempts: 2 }';

describe('an outcome that nobody knows', () => {
  it.each<[string, WireOutcome]>([
    ['a reset connection', reset],
    ['a 500', answer(500)],
    ['a 200 that is no JSON', json('<html>')],
  ])('holds a carrier without promises after %s, and is not sent again', async (_, reply) => {
    const world = worldOf(single(), reply);
    expect(await world.endings(2)).toEqual(['held: unknown_outcome', 'held: unknown_outcome']);
    expect(world.sent).toHaveLength(1);
  });

  it.each<[string, string, readonly WireOutcome[], readonly string[], readonly string[]]>([
    [
      'is concluded by the answer to a repeat at an idempotent carrier',
      single(idempotent),
      [reset, numbers],
      ['waiting', 'done'],
      ['POST', 'POST'],
    ],
    [
      'stays unknown when the repeat could not be sent',
      single(idempotent + twice),
      [reset, refused],
      ['waiting', 'held: unknown_outcome'],
      ['POST', 'POST'],
    ],
    [
      'is looked up first where the profile can: nothing found is a repeat',
      single() + lookup,
      [reset, answer(404), numbers],
      ['waiting', 'done'],
      ['POST', 'GET', 'POST'],
    ],
    [
      'is given up when the lookup fails as often as attempts are allowed',
      single(twice) + lookup,
      [reset, answer(503), answer(503)],
      ['waiting', 'waiting', 'held: unknown_outcome'],
      ['POST', 'GET', 'GET'],
    ],
  ])('%s', async (_, profile, replies, endings, methods) => {
    const world = worldOf(profile, ...replies);
    expect(await world.endings(endings.length)).toEqual(endings);
    expect(world.sent.map(({ method }) => method)).toEqual(methods);
    const sent = world.sent.filter(({ method }) => method === 'POST').map(({ body }) => body);
    expect(sent).toEqual(sent.map(() => sent[0]));
  });

  it('is concluded by what a lookup finds', async () => {
    const world = worldOf(single() + lookup, reset, numbers);
    expect((await world.run('create')).kind).toBe('waiting');
    expect(await world.run('create')).toMatchObject({
      kind: 'done',
      result: { packages: [{ trackingNumber: 'T1' }, { trackingNumber: 'T2' }] },
    });
    expect(world.requests()).toEqual(['POST /orders', 'GET /orders/REF-1']);
  });

  it('is looked up when the lookup says, with the key of the call it asks about', async () => {
    const key = "headers: { key: '${idempotencyKey}' }";
    const later = lookup.replace('lookup:\n', `lookup:\n    retry: { wait: 40s }\n    ${key}\n`);
    const world = worldOf(`${single(`\n    ${key}`)}${later}`, reset, numbers);
    expect(await world.run('create')).toMatchObject({ kind: 'waiting', dueAtMs: world.clock.now() + 40_000 });
    expect((await world.run('create')).kind).toBe('done');
    expect(world.sent[1]?.headers['key']).toBe(world.sent[0]?.headers['key']);
  });

  it('is not repeated once the carrier’s promise has run out', async () => {
    const world = worldOf(each('\n    idempotency: { by: key, for: 1h }'), reset);
    expect((await world.run('create')).kind).toBe('waiting');
    world.clock.advance(3_600_000);
    expect(await world.endings(1)).toEqual(['held: unknown_outcome']);
    expect(world.sent).toHaveLength(1);
  });

  it('is that of an attempt that a crash cut short', async () => {
    const world = worldOf(single());
    await world.attemptLog.fence({ step: 'create', element: 0 }, 1, world.clock.now(), 30_000);
    expect(await world.run('create')).toMatchObject({
      kind: 'held',
      why: 'unknown_outcome',
      problem: { code: 'interrupted' },
    });
    expect(world.sent).toHaveLength(0);
  });

  it.each([
    ['a tracking number is missing', { numbers: ['T1', null] }],
    ['an entry is missing', { numbers: [] }],
    ['there is one too many', { numbers: ['T1', 'T2', 'T3'] }],
  ])('is what a 200 comes to when %s', async (_, body) => {
    expect(await worldOf(single(), answer(200, body)).run('create')).toMatchObject({
      kind: 'held',
      why: 'unknown_outcome',
      problem: { code: 'answer_inconsistent' },
    });
  });
});

const made = (id: string) => answer(201, { id, number: `T-${id}` });

const slow = async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return made('b');
};

describe('a step for each package', () => {
  it('makes a call for each, in order, each with an idempotency key of its own', async () => {
    const world = worldOf(each(), made('a'), made('b'));
    expect(await world.run('create')).toMatchObject({
      kind: 'done',
      result: { packages: [{ trackingNumber: 'T-a', memo: { orderId: 'a' } }, { trackingNumber: 'T-b' }] },
    });
    expect(new Set(world.sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
  });

  it('undoes what succeeded when one is refused', async () => {
    const world = worldOf(each(), made('a'), answer(422, { message: 'no' }), answer(204));
    expect((await world.run('create')).kind).toBe('rejected');
    expect(world.requests()).toEqual(['POST /orders', 'POST /orders', 'DELETE /orders/a']);
  });

  it('holds by name what cannot be undone', async () => {
    const outcome = await worldOf(each(), made('a'), answer(422, {}), answer(403)).run('create');
    expect(outcome).toMatchObject({ kind: 'held', why: 'undo_failed' });
    expect(JSON.stringify(outcome)).toContain('could not take back step create, element 0');
  });

  it('goes on at the call that is missing, not at the first, and asks nothing twice', async () => {
    const world = worldOf(each(), made('a'), refused, made('b'));
    expect(await world.endings(2)).toEqual(['waiting', 'done']);
    expect(world.sent.map(bodyOf)).toEqual([{ ref: 'PKG-1' }, { ref: 'PKG-2' }, { ref: 'PKG-2' }]);
  });

  it('undoes nothing while one is unknown', async () => {
    const world = worldOf(each(), made('a'), reset);
    expect(await world.endings(1)).toEqual(['held: unknown_outcome']);
    expect(world.sent).toHaveLength(2);
  });

  it('lets calls in flight end, and starts no more after the first failure', async () => {
    const itemList = ['PKG-1', 'PKG-2', 'PKG-3'].map((itemReferenceNumber) => ({ itemReferenceNumber }));
    const world = worldOf(each('\n    parallel: 2'), answer(422, {}), slow, answer(204));
    expect(await world.endings(1, 'create', { consignment: { ...world.consignment, itemList } })).toEqual(['rejected']);
    expect(world.sent.map(({ method }) => method)).toEqual(['POST', 'POST', 'DELETE']);
  });
});

describe('a chain of steps', () => {
  const chain = `${head}operations:
  create:
    steps:
      - { id: booking, post: /bookings, body: { json: { ref: '\${consignment.referenceId}' } } }
      - { id: extra, when: consignment.typeOfOrder = "REVERSE", post: /extras }
      - { id: confirm, post: '/bookings/\${steps.booking.body.id}/confirm' }${result}
`;

  it('hands earlier answers on, and skips what is not asked for', async () => {
    const world = worldOf(chain, answer(200, { id: 'B/1' }), numbers);
    expect(await world.endings(1)).toEqual(['done']);
    expect(world.requests()).toEqual(['POST /bookings', 'POST /bookings/B%2F1/confirm']);
  });

  it('resumes at the step that is missing', async () => {
    const world = worldOf(chain, answer(200, { id: 'B1' }), refused, numbers);
    expect(await world.endings(2)).toEqual(['waiting', 'done']);
    expect(world.requests().map((request) => request.split('/').at(-1))).toEqual(['bookings', 'confirm', 'confirm']);
  });
});

describe('what a step says of itself', () => {
  const mixed = `${head}operations:
  create:
    steps:
      - { id: booking, post: /bookings }
      - { id: label, get: '/bookings/\${steps.booking.body.id}/label', idempotency: reference }${result}
`;

  it('a step that may be repeated is, in an operation that may not, and the other is still asked once', async () => {
    const world = worldOf(mixed, answer(200, { id: 'B1' }), reset, numbers);
    expect(await world.endings(2)).toEqual(['waiting', 'done']);
    expect(world.sent.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET']);
    expect(await worldOf(mixed, reset).endings(1)).toEqual(['held: unknown_outcome']);
  });

  it('an answer read as nothing is read after all when it is a refusal', async () => {
    const none = single('\n    response: none');
    const rules = `${none}outcomes: [ { when: response.body.message, do: reject, messages: response.body.message } ]\n`;
    const refusal = answer(422, { message: 'no such street' });
    expect(await worldOf(none, refusal).endings(1)).toEqual(['rejected']);
    expect(await worldOf(rules, refusal).run('create')).toMatchObject({
      kind: 'rejected',
      problem: { messages: ['no such street'] },
    });
  });

  it('an empty label is none', async () => {
    const label = '"trackingNumber": $, "label": { "content": $$.nothing } }';
    const labelled = single().replace('"trackingNumber": $ }', label);
    expect(await worldOf(labelled, numbers).endings(1)).toEqual(['done']);
  });
});

const refusing = (header: string): string => `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example', tracking: 'https://track.acme.example' } }
auth: login
auths: { login: { session: { login: { post: /login }, token: response.body.token } } }
operations:
  create:
    post: /orders
    headers: { x-token: '${header}' }
    body: { json: { ref: '\${$reject("too heavy")}' } }${result}
`;

it('a request whose mapping refuses costs no login, unless the request is made of a token', async () => {
  expect(await worldOf(refusing('none')).endings(1)).toEqual(['rejected']);
  const late = worldOf(refusing('${auths.login.token}'), answer(200, { token: 'token-token' }));
  expect(await late.endings(1)).toEqual(['rejected']);
  expect(late.unused()).toBe(0);
});

describe('outcomes of the profile', () => {
  const inBand = `${single()}outcomes:
  - { when: response.body.error, do: reject, code: response.body.error.code, messages: response.body.error.text }
  - { status: 503, do: retry }
`;

  it('find an error inside a 200', async () => {
    const world = worldOf(inBand, answer(200, { error: { code: 'E7', text: ['first', 'second'] } }));
    expect(await world.run('create')).toMatchObject({
      kind: 'rejected',
      problem: { code: 'E7', messages: ['first', 'second'] },
    });
  });

  it('are asked about a 503 only when they name it', async () => {
    expect(await worldOf(inBand, answer(503)).endings(1)).toEqual(['waiting']);
    const silent = inBand.replace('{ status: 503,', '{ when: response.status = 503,');
    expect(await worldOf(silent, answer(503)).endings(1)).toEqual(['held: unknown_outcome']);
  });
});

it('a request that our own guard refused says nothing about the carrier, and opens no breaker', async () => {
  const breaking = single().replace(
    'memo:',
    'limits: { breaker: { failures: 2, pause: 1h } }\nretry: { attempts: 1 }\nmemo:',
  );
  const forbidden = { kind: 'not_sent', code: 'address_forbidden', message: 'not a public address' } as const;
  const { another } = worldOf(breaking, forbidden, forbidden, forbidden, numbers);
  for (let time = 0; time < 3; time += 1)
    expect(await another('create')).toMatchObject({ kind: 'held', why: 'config_error' });
  expect(await another('create')).toMatchObject({ kind: 'done' });
});
