import { describe, expect, it } from 'vitest';
import { answer, bodyOf, carrierOf, createWorld, refused, reset } from './world.ts';

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

/** One order a package, taken back when one is refused. */
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

const numbers = answer(200, { numbers: ['T1', 'T2'] });

describe('an operation of one step', () => {
  it('sends what the profile says, with our proof, and yields the checked acceptance', async () => {
    const world = createWorld(carrierOf(single()), [numbers]);
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
    const world = createWorld(carrierOf(single()), [answer(200, { numbers: ['T1', 'T2'], echo: 'secret-key-1' })]);
    await world.run('create');
    expect(world.exchanges).toHaveLength(1);
    expect(JSON.stringify(world.exchanges)).not.toContain('secret-key-1');
    expect(world.exchanges[0]?.responseBody?.toString()).toContain('***key***');
  });

  it('waits and tries again when no byte left, and does it with the same bytes', async () => {
    const world = createWorld(carrierOf(single()), [refused, numbers]);
    const first = await world.run('create');
    expect(first).toMatchObject({ kind: 'waiting', dueAtMs: world.clock.now() + 2_000 });
    world.clock.advance(2_000);
    expect((await world.run('create')).kind).toBe('done');
    expect(world.sent[0]?.body).toEqual(world.sent[1]?.body);
  });

  it('obeys Retry-After', async () => {
    const world = createWorld(carrierOf(single()), [answer(429, undefined, { 'retry-after': '30' })]);
    expect(await world.run('create')).toMatchObject({ kind: 'waiting', dueAtMs: world.clock.now() + 30_000 });
  });

  it('is held as failed when its attempts are used up', async () => {
    const world = createWorld(carrierOf(single()), [refused, refused, refused, refused]);
    for (let attempt = 1; attempt <= 3; attempt += 1) expect((await world.run('create')).kind).toBe('waiting');
    expect(await world.run('create')).toMatchObject({ kind: 'held', why: 'fail' });
    expect(world.sent).toHaveLength(4);
  });

  it('is rejected with the carrier’s plain words', async () => {
    const world = createWorld(carrierOf(single()), [
      {
        ...numbers,
        status: 400,
        body: Buffer.from('postcode unknown'),
        headers: { 'content-type': 'text/plain' },
      } as never,
    ]);
    expect(await world.run('create')).toMatchObject({ kind: 'rejected', problem: { messages: ['postcode unknown'] } });
  });

  it('is held for the configuration when our credentials are refused', async () => {
    const world = createWorld(carrierOf(single()), [answer(403)]);
    expect(await world.run('create')).toMatchObject({ kind: 'held', why: 'config_error' });
  });

  it('names the line of the profile when a mapping fails before sending', async () => {
    const broken = single().replace("ref: '${consignment.referenceId}'", "ref: '${$number(consignment.referenceId)}'");
    const world = createWorld(carrierOf(broken), []);
    const outcome = await world.run('create');
    expect(outcome).toMatchObject({
      kind: 'held',
      why: 'config_error',
      problem: { place: { file: 'carriers/acme.yaml', line: 11 } },
    });
    expect(world.sent).toHaveLength(0);
  });

  it('ends as rejected when the mapping says so, before sending', async () => {
    const rejecting = single().replace("ref: '${consignment.referenceId}'", 'ref: \'${$reject("over 25 kg")}\'');
    const world = createWorld(carrierOf(rejecting), []);
    expect(await world.run('create')).toMatchObject({ kind: 'rejected', problem: { messages: ['over 25 kg'] } });
  });
});

describe('an outcome that nobody knows', () => {
  it.each([
    ['a reset connection', reset],
    ['a 500', answer(500)],
    ['a 200 that is no JSON', { ...numbers, body: Buffer.from('<html>') } as typeof numbers],
  ])('holds a carrier without promises after %s, and is not sent again', async (_, reply) => {
    const world = createWorld(carrierOf(single()), [reply]);
    expect(await world.run('create')).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
    expect(await world.run('create')).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
    expect(world.sent).toHaveLength(1);
  });

  it('repeats the same bytes at an idempotent carrier, whose definite answer concludes', async () => {
    const world = createWorld(carrierOf(single('\n    idempotency: reference')), [reset, numbers]);
    expect((await world.run('create')).kind).toBe('waiting');
    expect((await world.run('create')).kind).toBe('done');
    expect(world.sent[1]?.body).toEqual(world.sent[0]?.body);
  });

  it('stays unknown when the repeat could not be sent', async () => {
    const world = createWorld(carrierOf(single('\n    idempotency: reference\n    retry: { attempts: 2 }')), [
      reset,
      refused,
    ]);
    expect((await world.run('create')).kind).toBe('waiting');
    expect(await world.run('create')).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
  });

  it('is not repeated once the carrier’s promise has run out', async () => {
    const world = createWorld(carrierOf(each('\n    idempotency: { by: key, for: 1h }')), [reset]);
    expect((await world.run('create')).kind).toBe('waiting');
    world.clock.advance(3_600_000);
    expect(await world.run('create')).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
    expect(world.sent).toHaveLength(1);
  });

  it('treats an attempt that a crash cut short as unknown', async () => {
    const world = createWorld(carrierOf(single()), []);
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
    const world = createWorld(carrierOf(single()), [answer(200, body)]);
    expect(await world.run('create')).toMatchObject({
      kind: 'held',
      why: 'unknown_outcome',
      problem: { code: 'answer_inconsistent' },
    });
  });

  const lookup = `  lookup:
    get: /orders/\${consignment.referenceId}
    outcomes: [ { status: 404, do: succeed } ]
    result: 'response.status = 200 ? { "itemsTrackDetails": [response.body.numbers.{ "trackingNumber": $ }] }'
`;

  it('asks first where the profile declares a lookup: found is success', async () => {
    const world = createWorld(carrierOf(single() + lookup), [reset, numbers]);
    expect((await world.run('create')).kind).toBe('waiting');
    expect(await world.run('create')).toMatchObject({
      kind: 'done',
      result: { packages: [{ trackingNumber: 'T1' }, { trackingNumber: 'T2' }] },
    });
    expect(world.sent.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  it('gives up asking when the lookup fails as often as attempts are allowed', async () => {
    const world = createWorld(carrierOf(single('\n    retry: { attempts: 2 }') + lookup), [
      reset,
      answer(503),
      answer(503),
    ]);
    expect((await world.run('create')).kind).toBe('waiting');
    expect((await world.run('create')).kind).toBe('waiting');
    expect(await world.run('create')).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
    expect(world.sent.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET']);
  });

  it('waits before asking as the lookup says, and asks with the key of the call it asks about', async () => {
    const asking = carrierOf(
      `${single("\n    headers: { key: '${idempotencyKey}' }")}${lookup.replace('lookup:\n', "lookup:\n    retry: { wait: 40s }\n    headers: { key: '${idempotencyKey}' }\n")}`,
    );
    const world = createWorld(asking, [reset, numbers]);
    expect(await world.run('create')).toMatchObject({ kind: 'waiting', dueAtMs: world.clock.now() + 40_000 });
    expect((await world.run('create')).kind).toBe('done');
    expect(world.sent[1]?.headers['key']).toBe(world.sent[0]?.headers['key']);
  });

  it('and nothing found is a repeat', async () => {
    const world = createWorld(carrierOf(single() + lookup), [reset, answer(404), numbers]);
    expect((await world.run('create')).kind).toBe('waiting');
    expect((await world.run('create')).kind).toBe('done');
    expect(world.sent.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST']);
  });
});

const made = (id: string) => answer(201, { id, number: `T-${id}` });

const slow = async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return made('b');
};

describe('a step for each package', () => {
  it('makes a call for each, in order, each with an idempotency key of its own', async () => {
    const world = createWorld(carrierOf(each()), [made('a'), made('b')]);
    const outcome = await world.run('create');
    expect(outcome).toMatchObject({
      kind: 'done',
      result: { packages: [{ trackingNumber: 'T-a', memo: { orderId: 'a' } }, { trackingNumber: 'T-b' }] },
    });
    expect(new Set(world.sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
  });

  it('takes back what succeeded when one is refused', async () => {
    const world = createWorld(carrierOf(each()), [made('a'), answer(422, { message: 'no' }), answer(204)]);
    expect((await world.run('create')).kind).toBe('rejected');
    expect(world.sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://api.acme.example/orders',
      'POST https://api.acme.example/orders',
      'DELETE https://api.acme.example/orders/a',
    ]);
  });

  it('holds by name what cannot be taken back', async () => {
    const world = createWorld(carrierOf(each()), [made('a'), answer(422, {}), answer(403)]);
    const outcome = await world.run('create');
    expect(outcome).toMatchObject({ kind: 'held', why: 'undo_failed' });
    expect(JSON.stringify(outcome)).toContain('could not take back step create, element 0');
  });

  it('goes on at the call that is missing, not at the first, and asks nothing twice', async () => {
    const world = createWorld(carrierOf(each()), [made('a'), refused, made('b')]);
    expect((await world.run('create')).kind).toBe('waiting');
    expect((await world.run('create')).kind).toBe('done');
    expect(world.sent.map(bodyOf)).toEqual([{ ref: 'PKG-1' }, { ref: 'PKG-2' }, { ref: 'PKG-2' }]);
  });

  it('undoes nothing while one is unknown', async () => {
    const world = createWorld(carrierOf(each()), [made('a'), reset]);
    expect(await world.run('create')).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
    expect(world.sent).toHaveLength(2);
  });

  it('lets calls in flight end, and starts no more after the first failure', async () => {
    const three = ['PKG-1', 'PKG-2', 'PKG-3'].map((itemReferenceNumber) => ({ itemReferenceNumber }));
    const world = createWorld(carrierOf(each('\n    parallel: 2')), [answer(422, {}), slow, answer(204)]);
    const consignment = { ...world.consignment, itemList: three };
    expect((await world.run('create', { consignment })).kind).toBe('rejected');
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
    const world = createWorld(carrierOf(chain), [answer(200, { id: 'B/1' }), numbers]);
    expect((await world.run('create')).kind).toBe('done');
    expect(world.sent.map(({ url }) => url)).toEqual([
      'https://api.acme.example/bookings',
      'https://api.acme.example/bookings/B%2F1/confirm',
    ]);
  });

  it('resumes at the step that is missing', async () => {
    const world = createWorld(carrierOf(chain), [answer(200, { id: 'B1' }), refused, numbers]);
    expect((await world.run('create')).kind).toBe('waiting');
    expect((await world.run('create')).kind).toBe('done');
    expect(world.sent.map(({ url }) => url.split('/').at(-1))).toEqual(['bookings', 'confirm', 'confirm']);
  });
});

describe('what a step says of itself', () => {
  const mixed = `${head}operations:
  create:
    steps:
      - { id: booking, post: /bookings }
      - { id: label, get: '/bookings/\${steps.booking.body.id}/label', idempotency: reference }${result}
`;

  it('a step that may be repeated is, in an operation that may not', async () => {
    const world = createWorld(carrierOf(mixed), [answer(200, { id: 'B1' }), reset, numbers]);
    expect((await world.run('create')).kind).toBe('waiting');
    expect((await world.run('create')).kind).toBe('done');
    expect(world.sent.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET']);
  });

  it('and the other is still asked once', async () => {
    const world = createWorld(carrierOf(mixed), [reset]);
    expect(await world.run('create')).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
  });

  it('an answer read as nothing is read after all when it is a refusal', async () => {
    const world = createWorld(carrierOf(single('\n    response: none')), [answer(422, { message: 'no such street' })]);
    const rules = `${single('\n    response: none')}outcomes: [ { when: response.body.message, do: reject, messages: response.body.message } ]\n`;
    const ruled = createWorld(carrierOf(rules), [answer(422, { message: 'no such street' })]);
    expect((await world.run('create')).kind).toBe('rejected');
    expect(await ruled.run('create')).toMatchObject({ kind: 'rejected', problem: { messages: ['no such street'] } });
  });

  it('an empty label is none', async () => {
    const labelled = single().replace(
      '"trackingNumber": $ }',
      '"trackingNumber": $, "label": { "content": $$.nothing } }',
    );
    const world = createWorld(carrierOf(labelled), [numbers]);
    expect(await world.run('create')).toMatchObject({ kind: 'done' });
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

describe('a request whose mapping refuses', () => {
  it('costs no login, unless the request is made of a token', async () => {
    const early = createWorld(carrierOf(refusing('none')), []);
    expect((await early.run('create')).kind).toBe('rejected');
    const late = createWorld(carrierOf(refusing('${auths.login.token}')), [answer(200, { token: 'token-token' })]);
    expect((await late.run('create')).kind).toBe('rejected');
  });
});

describe('outcomes of the profile', () => {
  const inBand = `${single()}outcomes:
  - { when: response.body.error, do: reject, code: response.body.error.code, messages: response.body.error.text }
  - { status: 503, do: retry }
`;

  it('find an error inside a 200', async () => {
    const world = createWorld(carrierOf(inBand), [answer(200, { error: { code: 'E7', text: ['first', 'second'] } })]);
    expect(await world.run('create')).toMatchObject({
      kind: 'rejected',
      problem: { code: 'E7', messages: ['first', 'second'] },
    });
  });

  it('are asked about a 503 only when they name it', async () => {
    expect((await createWorld(carrierOf(inBand), [answer(503)]).run('create')).kind).toBe('waiting');
    const silent = carrierOf(
      inBand.replace('  - { status: 503, do: retry }\n', '  - { when: response.status = 503, do: retry }\n'),
    );
    expect(await createWorld(silent, [answer(503)]).run('create')).toMatchObject({
      kind: 'held',
      why: 'unknown_outcome',
    });
  });
});
