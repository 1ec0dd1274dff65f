import { describe, expect, it } from 'vitest';
import {
  answer,
  answerText,
  bodyOf,
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

const rules = 'outcomes: [ { when: response.body.message, do: reject, messages: response.body.message } ]\n';

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
  const failing = single().replace(ref, "ref: '${$number(consignment.referenceId)}'");
  const refusing = single().replace(ref, 'ref: \'${$reject("over 25 kg")}\'');
  const unread = single('response: none');
  const refusal = answer(422, { message: 'no such street' });
  const labelled = single().replace(
    '"trackingNumber": $ }',
    '"trackingNumber": $, "label": { "content": $$.nothing } }',
  );
  const text = { problem: { messages: ['postcode unknown'] } };

  stories('is %s', [
    ['held when its attempts are used up', single(twice), [refused, refused], 'waiting, held: fail', 'POST, POST'],
    ['rejected with the carrier’s words', single(), [answerText(400, 'postcode unknown')], 'rejected', 'POST', text],
    ['held when the credentials are refused', single(), [403], 'held: config_error', 'POST'],
    ['held, unsent, for its line', failing, [], 'held: config_error', '', { problem: { place: { line: 10 } } }],
    ['rejected, unsent', refusing, [], 'rejected', '', { problem: { messages: ['over 25 kg'] } }],
    ['rejected although its answer is not to be read', unread, [refusal], 'rejected', 'POST'],
    ['read after all', unread + rules, [refusal], 'rejected', 'POST', { problem: { messages: ['no such street'] } }],
    ['done with an empty label, which is none', labelled, [numbers], 'done', 'POST'],
  ]);
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
  const found = single('', lookup);
  const twiceFound = single(twice, lookup);
  const onceFound = single('retry: { attempts: 1 }', lookup);

  stories('%s', [
    [
      'after a reset holds a carrier without promises, and is not sent again',
      single(),
      [reset],
      `${held}, ${held}`,
      'POST',
    ],
    ['after a 500 too', single(), [500], `${held}, ${held}`, 'POST'],
    ['after a 200 that is no JSON too', single(), [answerText(200, '<html>', 'application/json')], held, 'POST'],
    [
      'is what an answer that lacks a number comes to',
      single(),
      [{ numbers: ['T1', null] }],
      held,
      'POST',
      inconsistent,
    ],
    [
      'is concluded by a repeat where that is safe',
      single(idempotent),
      [reset, numbers],
      'waiting, done',
      'POST, POST',
    ],
    [
      'stays unknown when the repeat could not be sent',
      single(`${idempotent}\n${twice}`),
      [reset, refused],
      `waiting, ${held}`,
      'POST, POST',
    ],
    ['is looked up first: nothing found is a repeat', found, [reset, 404, numbers], 'waiting, done', 'POST, GET, POST'],
    ['is given up when lookups fail', twiceFound, [reset, 503, 503], `waiting, waiting, ${held}`, 'POST, GET, GET'],
    [
      'is concluded by what a lookup finds',
      found,
      [reset, numbers],
      'waiting, done',
      'POST /orders, GET /orders/REF-1',
      packages,
    ],
    ['is looked up at least once, however few the attempts', onceFound, [reset, numbers], 'waiting, done', 'POST, GET'],
    [
      'is looked up with a number of the account, the same however often',
      numbered,
      [reset, 503, numbers],
      'waiting, waiting, done',
      'POST /orders/1, GET /orders/2, GET /orders/2',
    ],
    [
      'of a step that is safe to repeat is repeated',
      mixed,
      [{ id: 'B1' }, reset, numbers],
      'waiting, done',
      'POST, GET, GET',
    ],
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

describe('a step for each package', () => {
  const lost = undone('could not take back step create, element 0');
  const first = 'POST /orders/PKG-1';
  const second = 'POST /orders/PKG-2';
  const three = '$append(consignment.itemList, { "itemReferenceNumber": "PKG-3" })';
  const one = `result: '{ "itemsTrackDetails": { "trackingNumber": response.body.number } }'`;
  const found = each('', `lookup: { get: /orders, ${one} }`);

  it('makes a call for each, in order, each with an idempotency key of its own', async () => {
    const packages = [{ trackingNumber: 'T-a', memo: { orderId: 'a' } }, { trackingNumber: 'T-b' }];
    const requests = `${first}, ${second}`;
    const { sent } = await tell(['', each(), [made('a'), made('b')], 'done', requests, { result: { packages } }]);
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
  });

  stories('%s', [
    [
      'undoes what succeeded when one is refused',
      each(),
      [made('a'), 422, 204],
      'rejected',
      `${first}, ${second}, DELETE /orders/a`,
    ],
    [
      'holds by name what cannot be undone',
      each(),
      [made('a'), 422, 403],
      'held: undo_failed',
      'POST, POST, DELETE',
      lost,
    ],
    [
      'goes on at the missing call',
      each(),
      [made('a'), refused, made('b')],
      'waiting, done',
      `${first}, ${second}, ${second}`,
    ],
    ['undoes nothing while one is unknown', each(), [made('a'), reset], 'held: unknown_outcome', 'POST, POST'],
    [
      'lets calls in flight end, and starts no more after the first failure',
      each('parallel: 2', '', three),
      [422, slow, 204],
      'rejected',
      `${first}, ${second}, DELETE /orders/b`,
    ],
    [
      'undoes the last success first, and goes on where that stopped',
      each('', '', three),
      [made('a'), made('b'), 422, 204, 503, 204],
      'waiting, rejected',
      `${first}, ${second}, POST /orders/PKG-3, DELETE /orders/b, DELETE /orders/a, DELETE /orders/a`,
    ],
    [
      'holds by name what only a lookup has found, for want of an answer to undo it by',
      found,
      [reset, made('a'), 422],
      'waiting, held: undo_failed',
      'POST, GET, POST',
      lost,
    ],
  ]);
});

const ruled = (second: string): string => `${single()}outcomes:
  - { when: response.body.error, do: reject, code: response.body.error.code, messages: response.body.error.text }
  - { ${second}, do: retry }
`;

describe('outcomes of the profile', () => {
  const error = { code: 'E7', text: ['first', 'second'] };
  const named = ruled('status: 503');

  stories('%s', [
    [
      'find an error inside a 200',
      named,
      [{ error }],
      'rejected',
      'POST',
      { problem: { code: 'E7', messages: error.text } },
    ],
    ['are asked about a 503 that they name', named, [503], 'waiting', 'POST'],
    ['and about no other', ruled('when: response.status = 503'), [503], 'held: unknown_outcome', 'POST'],
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
