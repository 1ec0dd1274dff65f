import { describe, expect, it } from 'vitest';
import { loadBundle } from '../../../src/engine/profile/load.ts';
import {
  answer,
  answerText,
  bodyOf,
  createWorld,
  each,
  lookup,
  made,
  numbers,
  profileOf,
  refused,
  reset,
  single,
  stories,
  tell,
  worldOf,
} from './world.ts';

const twice = 'retry: { attempts: 2 }';
const idempotent = 'idempotency: reference';
const result = `result: '{ "itemsTrackDetails": [response.body.numbers.{ "trackingNumber": $ }] }'`;
const undone = (message: string) => ({ problem: { messages: expect.arrayContaining([message]) as unknown } });

describe('an operation of one step', () => {
  it('sends what the profile says, and yields the checked acceptance', async () => {
    const world = worldOf(single(), numbers);
    expect(await world.run('create')).toMatchObject({
      kind: 'done',
      result: { packages: [{ itemReferenceNumber: 'PKG-1', trackingNumber: 'T1' }, { trackingNumber: 'T2' }] },
    });
    expect(world.sent).toMatchObject([{ method: 'POST', url: 'https://api.acme.example/orders' }]);
    expect(bodyOf(world.sent[0])).toEqual({ ref: 'REF-1', account: '12' });
  });

  it('waits and tries again when no byte left, and does it with the same bytes', async () => {
    const world = worldOf(single(), refused, numbers);
    expect(await world.run('create')).toMatchObject({ kind: 'waiting', dueAtMs: world.clock.now() + 2_000 });
    world.clock.advance(2_000);
    expect((await world.run('create')).kind).toBe('done');
    expect(world.sent[0]?.body).toEqual(world.sent[1]?.body);
  });

  const ref = "ref: '${consignment.referenceId}'";
  const failing = single().replace(ref, `ref: '\${$number(settings.account & "x")}'`);
  const refusing = single().replace(ref, 'ref: \'${$reject("over 25 kg")}\'');
  const labelled = single().replace(
    '"trackingNumber": $ }',
    '"trackingNumber": $, "label": { "content": $$.nothing } }',
  );
  const text = { problem: { messages: ['postcode unknown'] } };
  const busy = `${twice}\noutcomes: [ { status: 409, do: retry } ]`;

  stories('is %s', [
    ['held when its attempts are used up', single(busy), [409, 409], 'waiting, held: fail', 'POST, POST'],
    ['rejected with the carrier’s words', single(), [answerText(400, 'postcode unknown')], 'rejected', 'POST', text],
    ['held when the credentials are refused', single(), [403], 'held: config_error', 'POST'],
    ['held, unsent, for its line', failing, [], 'held: config_error', '', { problem: { place: { line: 10 } } }],
    ['rejected, unsent', refusing, [], 'rejected', '', { problem: { messages: ['over 25 kg'] } }],
    ['done with an empty label, which is none', labelled, [numbers], 'done', 'POST'],
  ]);
});

it.each(['cancel: nothing', "cancel: { when: 'false', post: / }", "cancel: { forEach: '[]', post: / }"])(
  '%s is done without a call, and says that the carrier was not told',
  async (cancel) => {
    const world = worldOf(single('', cancel));
    expect(await world.run('cancel')).toMatchObject({ kind: 'done', result: { carrierTold: false } });
    expect(world.sent).toEqual([]);
  },
);

describe('an operation of several variants', () => {
  const made = `result: '{ "itemsTrackDetails": [response.body.numbers.{ "trackingNumber": $ }] }'`;
  const varied = (last: string) =>
    profileOf(`create:
  variants:
    - when: consignment.referenceId = 'REF-2'
      steps: [ { id: booking, post: /bookings, undo: { delete: /bookings } }, { id: label, post: /labels } ]
    - { id: parcel, ${last}post: /parcels, idempotency: natural }
  ${made}`);
  const other = {
    consignment: { referenceId: 'REF-2', itemList: [{ itemReferenceNumber: 'A' }, { itemReferenceNumber: 'B' }] },
  };

  stories('%s', [
    [
      'is the first that fits, with its own idempotency',
      varied(''),
      [reset, numbers],
      'waiting, done',
      '/parcels, /parcels'.replaceAll('/', 'POST /'),
    ],
    [
      'is held, unsent, where none fits',
      varied("when: service.code = 'X', "),
      [],
      'held: config_error',
      '',
      { problem: { code: 'no_variant' } },
    ],
  ]);

  it('has steps and undo of its own, and is the same however often it is taken up', async () => {
    const world = worldOf(varied(''), {}, 503, 400, 204);
    expect(await world.run('create', other)).toMatchObject({ kind: 'held', why: 'unknown_outcome' });
    const refusing = worldOf(varied(''), {}, 400, 204);
    expect((await refusing.run('create', other)).kind).toBe('rejected');
    expect(refusing.requests()).toEqual(['POST /bookings', 'POST /labels', 'DELETE /bookings']);
  });
});

describe('a lookup that may be too early', () => {
  const early = single('retry: { attempts: 2, wait: 1m }', lookup.replace('lookup:\n', 'lookup:\n  notYet: 10m\n'));

  it('is asked again until the carrier would know, and only then takes the shipment for not created', async () => {
    const world = worldOf(early, reset, ...Array.from({ length: 20 }, () => 404), numbers);
    let ended = await world.run('create');
    for (let asked = 0; ended.kind === 'waiting' && asked < 20; asked += 1) {
      world.clock.advance(Math.max(0, ended.dueAtMs - world.clock.now()));
      ended = await world.run('create');
      if (world.requests().filter((one) => one.startsWith('POST')).length > 1) break;
      expect(ended).toMatchObject({ kind: 'waiting', problem: { code: 'not_yet' } });
    }
    expect(world.clock.now() - Date.parse('2026-05-01T09:00:00Z')).toBeGreaterThanOrEqual(600_000);
    expect(world.requests().at(-1)).toBe('POST /orders');
  });

  it('counts from the end of the call, which timed out', async () => {
    const soon = single('', lookup.replace('lookup:\n', 'lookup:\n  notYet: 30s\n'));
    const timedOut = () => {
      world.clock.advance(30_000);
      return reset;
    };
    const world = worldOf(soon, timedOut, 404, 404, numbers);
    expect(await world.endings(1)).toEqual(['waiting']);
    world.clock.advance(29_000);
    expect(await world.endings(1)).toEqual(['waiting']);
    world.clock.advance(1_000);
    expect(await world.endings(1)).toEqual(['done']);
    expect(world.requests().map((one) => one.split(' ')[0])).toEqual(['POST', 'GET', 'GET', 'POST']);
  });
});

describe('an outcome that nobody knows', () => {
  const key = "headers: { key: '${idempotencyKey}' }";
  const held = 'held: unknown_outcome';
  const packages = { result: { packages: [{ trackingNumber: 'T1' }, { trackingNumber: 'T2' }] } };
  const mixed = profileOf(`create:
  steps:
    - { id: booking, post: /bookings }
    - { id: label, get: '/bookings/\${steps.booking.body.id}/label', idempotency: reference }
  ${result}`);
  const numbered = profileOf(`create: { post: '/orders/\${$sequence("m")}', ${result} }
lookup: { get: '/orders/\${$sequence("m")}', ${result} }`);
  const inconsistent = { problem: { code: 'answer_inconsistent' } };
  const repeated = single(idempotent);
  const natural = single('idempotency: natural');
  const once = single(`${idempotent}\n${twice}`);
  const found = single('', lookup);
  const twiceFound = single(twice, lookup);
  const onceFound = single('retry: { attempts: 1 }', lookup);
  const skipped = single('', lookup.replace('lookup:\n', 'lookup:\n  when: consignment.typeOfOrder = "REVERSE"\n'));
  const nothing = single(
    '',
    lookup.replace('lookup:\n', 'lookup:\n  forEach: consignment.itemList[itemCode = "none"]\n'),
  );
  const notForIt = undone('the lookup does not apply to this order');
  const looked = 'POST /orders, GET /orders/REF-1';
  const thrice = 'POST, POST, POST';
  const counted = 'POST /orders/1, GET /orders/2, GET /orders/2';

  stories('%s', [
    ['holds a carrier without promises, and is not sent again', single(), [reset], `${held}, ${held}`, 'POST'],
    ['is what a 500 comes to', single(), [500], held, 'POST'],
    [
      'and what a number that cannot be printed does',
      single(),
      [{ numbers: ['T1', '\ufffd2'] }],
      held,
      'POST',
      inconsistent,
    ],
    ['and what an incomplete answer does', single(), [{ numbers: ['T1', null] }], held, 'POST', inconsistent],
    ['is concluded by a repeat where that is safe', repeated, [reset, numbers], 'waiting, done', 'POST, POST'],
    ['and where a repeat is harmless by nature', natural, [reset, numbers], 'waiting, done', 'POST, POST'],
    ['stays unknown when the repeat was not sent', once, [reset, refused, reset], `waiting, waiting, ${held}`, thrice],
    ['is looked up first: nothing found is a repeat', found, [reset, 404, numbers], 'waiting, done', 'POST, GET, POST'],
    ['is given up when lookups fail', twiceFound, [reset, 503, 503], `waiting, waiting, ${held}`, 'POST, GET, GET'],
    ['is concluded by what a lookup finds', found, [reset, numbers], 'waiting, done', looked, packages],
    ['is looked up at least once, however few the attempts', onceFound, [reset, numbers], 'waiting, done', 'POST, GET'],
    ['stays unknown where the lookup is for other orders', skipped, [reset], `waiting, ${held}`, 'POST', notForIt],
    ['and where it has nothing to ask for', nothing, [reset], `waiting, ${held}`, 'POST', notForIt],
    ['is looked up by one number', numbered, [reset, 503, numbers], 'waiting, waiting, done', counted],
    ['of a safe step is repeated', mixed, [{ id: 'B1' }, reset, numbers], 'waiting, done', 'POST, GET, GET'],
    ['of the step before it is not', mixed, [reset], held, 'POST'],
  ]);

  it('is looked up when the lookup says, with the key of the call it asks about', async () => {
    const later = lookup.replace('lookup:\n', `lookup:\n  retry: { wait: 40s }\n  ${key}\n`);
    const world = worldOf(single(key, later), reset, numbers);
    expect(await world.run('create')).toMatchObject({ kind: 'waiting', dueAtMs: world.clock.now() + 40_000 });
    expect((await world.run('create')).kind).toBe('done');
    expect(world.sent[1]?.headers['key']).toBe(world.sent[0]?.headers['key']);
  });

  it('is not repeated once the carrier’s promise has run out', async () => {
    const world = worldOf(each('idempotency: { by: key, for: 1h }'), reset);
    expect((await world.run('create')).kind).toBe('waiting');
    world.clock.advance(3_600_000);
    expect(await world.endings(1)).toEqual([held]);
    expect(world.sent).toHaveLength(1);
  });
});

const slow = async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return answer(201, made('b'));
};

const answered = (entry: string) =>
  profileOf(`create: { post: /orders, result: '{ "itemsTrackDetails": response.body.numbers.${entry} }' }`);
const refusedFor = (what = 'key') => ({
  problem: {
    code: 'secret_in_answer',
    messages: [`the answer holds the credential ${what} where it would be kept or shown`],
    place: { file: 'carriers/acme.yaml' },
  },
});

describe('a credential that comes back from the carrier', () => {
  const key = 'key-0123456789';
  const asMemo = answered('{ "trackingNumber": $, "memo": { "orderId": $$.response.body.id } }');
  const asLabel = answered('{ "trackingNumber": $, "label": { "content": $$.response.body.id } }');
  const asUrl = answered('{ "trackingNumber": $, "labelUrl": $$.response.body.id }');
  const asWarning = profileOf(
    `create: { post: /orders, result: '{ "itemsTrackDetails": response.body.numbers.{ "trackingNumber": $ }, "warnings": [response.body.id] }' }`,
  );
  const held = 'held: unknown_outcome';
  const encoded = Buffer.from(`^XA ${key} ^XZ`).toString('base64');

  stories('%s', [
    ['as a tracking number is an unknown outcome', single(), [{ numbers: ['T1', key] }], held, 'POST', refusedFor()],
    ['and so it is as a part of one', single(), [{ numbers: ['T1', `T-${key}`] }], held, 'POST', refusedFor()],
    ['in a memo', asMemo, [{ ...numbers, id: key }], held, 'POST', refusedFor()],
    ['in a warning', asWarning, [{ ...numbers, id: `used ${key}` }], held, 'POST', refusedFor()],
    ['in the text of a label', asLabel, [{ ...numbers, id: `^XA ${key} ^XZ` }], held, 'POST', refusedFor()],
    ['in a label in base64', asLabel, [{ ...numbers, id: encoded }], held, 'POST', refusedFor()],
    [
      'but not in a URL, which nobody is shown',
      asUrl,
      [{ ...numbers, id: `https://x.example/?k=${key}` }],
      'done',
      'POST',
    ],
    ['nor what only looks alike', single(), [{ numbers: ['key-01234', 'key'] }], 'done', 'POST'],
  ]);

  it('as a token that a login brought is one, too', async () => {
    const auth =
      'auth: login\nauths: { login: { session: { login: { post: /login }, token: response.body.token, expiresIn: 1h } } }';
    const world = worldOf(
      profileOf(`create: { post: /orders, ${result} }`, auth),
      { token: 'token-token' },
      { numbers: ['token-token', 'T2'] },
    );
    expect(await world.run('create')).toMatchObject({ kind: 'held', why: 'unknown_outcome', ...refusedFor('token') });
  });

  it('is not one where it is a number that only came from a variable', async () => {
    const account = {
      id: 1,
      version: 1,
      credentials: { key },
      settings: { account: '900100200' },
      fromVariables: [{ name: 'account', value: '900100200' }],
    };
    const world = worldOf(single(), { numbers: ['420-900100200-1', '420-900100200-2'] });
    expect((await world.run('create', undefined, { account })).kind).toBe('done');
  });

  it('is hidden in events, none of which is lost', async () => {
    const track = `track: { get: /events, result: 'response.body.{ "value": number, "carrierStatusDescription": text }' }`;
    const events = [
      { number: 'T1', text: `sent by ${key}` },
      { number: 'T2', text: 'sent' },
    ];
    const world = worldOf(profileOf(track), () => answer(200, events));
    expect(await world.run('track')).toMatchObject({
      kind: 'done',
      result: [{ carrierStatusDescription: 'sent by ***key***' }, { carrierStatusDescription: 'sent' }],
    });
  });

  it('does not come into the elements of a step, though a kept version of a profile says so', async () => {
    const profile = profileOf(
      `create: { forEach: '[credentials.key]', post: '/\${item}', result: '{ "itemsTrackDetails": steps.create.{ "trackingNumber": $string(item) } }' }`,
    );
    const { carrier } = loadBundle({ code: 'acme', files: { 'carriers/acme.yaml': profile } });
    const world = createWorld(carrier ?? expect.fail(), []);
    expect((await world.run('create')).kind).toBe('held');
    expect(world.sent).toEqual([]);
  });
});

const undoWhen = (condition: string, of = each()): string =>
  of.replace(
    "undo: { delete: '/${response.body.id}' }",
    `undo: { when: '${condition}', delete: '/\${response.body.id}' }`,
  );

describe('a step for each package', () => {
  const lost = undone('could not take back step create, element 0');
  const one = `result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }'`;
  const found = each('', `lookup: { get: /orders, ${one} }`);
  const three = '$append(consignment.itemList, { "itemReferenceNumber": "PKG-3" })';
  const chained = each('', '', three);
  const parallel = each('parallel: 2', '', three);
  const chosen = undoWhen('response.body.id = "a"', chained);
  const unclear = undoWhen('$number(response.body.id) > 1');
  const both = 'POST /PKG-1, POST /PKG-2';
  const all = `${both}, POST /PKG-3, DELETE /b, DELETE /a, DELETE /a`;
  const [a, b] = [made('a'), made('b')];

  it('makes a call for each, in order, each with an idempotency key of its own', async () => {
    const packages = [{ trackingNumber: 'T-a', memo: { orderId: 'a' } }, { trackingNumber: 'T-b' }];
    const { sent } = await tell(['', each(), [a, b], 'done', both, { result: { packages } }]);
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
  });

  stories('%s', [
    ['undoes what succeeded when one is refused', each(), [a, 422, 204], 'rejected', `${both}, DELETE /a`],
    ['holds by name what cannot be undone', each(), [a, 422, 403], 'held: undo_failed', 'POST, POST, DELETE', lost],
    ['goes on at the missing call', each(), [a, refused, b], 'waiting, done', `${both}, POST /PKG-2`],
    ['undoes nothing while one is unknown', each(), [a, reset], 'held: unknown_outcome', 'POST, POST'],
    ['lets calls in flight end, and starts no more', parallel, [422, slow, 204], 'rejected', `${both}, DELETE /b`],
    ['undoes the last first, and goes on with that', chained, [a, b, 422, 204, 503, 204], 'waiting, rejected', all],
    ['undoes only what is to be undone', chosen, [a, b, 422, 204], 'rejected', `${both}, POST /PKG-3, DELETE /a`],
    ['holds what it cannot tell whether to undo', unclear, [a, 422], 'held: undo_failed', both, lost],
    ['undoes what a lookup found', found, [reset, a, 422, 204], 'waiting, rejected', 'POST, GET, POST, DELETE'],
  ]);
});

const allowed = (calls: number) => `limits: { calls: ${calls} }`;
const ofAll = (lines: string): string =>
  profileOf(
    `create:\n${lines}\n  post: /orders\n  result: '{ "itemsTrackDetails": [steps.create.body.numbers.{ "trackingNumber": $ }] }'`,
  );

it('passes an answer on as it is, whatever its keys, and writes text inside text where the profile says so', async () => {
  const profile = profileOf(`create:
  steps:
    - { id: one, post: /one }
    - { id: two, post: /two, body: { json: { given: '\${steps.one.body.given}', text: { '#json': '\${steps.one.body.given}' } } } }
  ${result}`);
  const given = { '#json': { '#json': ['"'] }, b: { '#xml': { 'a b': 1 } } };
  const world = worldOf(profile, { given }, numbers);
  expect(await world.endings(1)).toEqual(['done']);
  expect(JSON.parse(String(world.sent[1]?.body))).toEqual({ given, text: JSON.stringify(given) });
});

describe('an operation that would make more calls than it may', () => {
  const tooMany = { problem: { code: 'too_many_calls', place: { line: 8 } } };
  const many = ofAll("  forEach: '[1..9999]'\n  parallel: 100");
  const two = profileOf(`create:
  steps:
    - { id: one, forEach: consignment.itemList, post: '/\${item.itemReferenceNumber}', undo: { delete: '/\${response.body.id}' } }
    - { id: two, limits: { calls: 2 }, post: /two }
  ${result}`);
  const after = { problem: { messages: ['this would be 3 calls of one operation, and limits.calls allows 2'] } };
  const batched = ofAll('  forEach: consignment.itemList\n  batch: 2\n  limits: { calls: 1 }');
  const both = 'POST /PKG-1, POST /PKG-2';

  stories('%s', [
    ['sends nothing, and is held for its line', many, [], 'held: config_error', '', tooMany],
    ['makes as many as are declared', each(allowed(2)), [made('a'), made('b')], 'done', both],
    ['and not one more', each(allowed(1)), [], 'held: config_error', ''],
    [
      'makes no more in a later step, and undoes',
      two,
      [made('a'), made('b'), 204, 204],
      'held: config_error',
      `${both}, DELETE /b, DELETE /a`,
      after,
    ],
    [
      'does not count what goes again',
      each(allowed(2)),
      [made('a'), refused, made('b')],
      'waiting, done',
      `${both}, POST /PKG-2`,
    ],
    ['counts batches, not their elements', batched, [numbers], 'done', 'POST'],
  ]);
});

const login = (header: string): string =>
  profileOf(
    `create:
  post: /orders
  headers: { x-token: '${header}' }
  body: { json: { ref: '\${$reject("too heavy")}' } }
  ${result}`,
    'auth: login\nauths: { login: { session: { login: { post: /login }, token: response.body.token } } }',
  );

stories('a request whose mapping refuses %s', [
  ['costs no login', login('none'), [], 'rejected', ''],
  ['unless it is made of a token', login('${auths.login.token}'), [{ token: 'token-token' }], 'rejected', 'POST'],
]);

it('a request that our own guard refused says nothing about the carrier, and opens no breaker', async () => {
  const breaking = `${single()}limits: { breaker: { failures: 2, pause: 1h } }\nretry: { attempts: 1 }\n`;
  const forbidden = { kind: 'not_sent', code: 'address_forbidden', message: 'not a public address' } as const;
  const { another } = worldOf(breaking, forbidden, forbidden, forbidden, numbers);
  for (let time = 0; time < 3; time += 1)
    expect(await another('create')).toMatchObject({ kind: 'held', why: 'config_error' });
  expect(await another('create')).toMatchObject({ kind: 'done' });
});
