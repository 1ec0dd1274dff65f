/** Creates of several parts: what is looked up, undone, borne and kept, step by step and element by element. */
import { describe, expect, it } from 'vitest';
import { type CallRecord, ROUND } from '../../../src/engine/dispatch/ports.ts';
import { bodyOf, each, lookup, made, profileOf, refused, reset, single, stories, worldOf } from './world.ts';

const numbersOf = (from: string) => `result: '{ "itemsTrackDetails": [${from}.numbers.{ "trackingNumber": $ }] }'`;
const numbers = { numbers: ['T1', 'T2'] };
const [a, b] = [made('a'), made('b')];
const unknown = 'held: unknown_outcome';
const says = (message: string) => ({
  problem: { messages: expect.arrayContaining([expect.stringContaining(message)]) as unknown },
});
const notAsked = says('the lookup does not apply to this order');

const threeOf = ({ consignment }: ReturnType<typeof worldOf>) => {
  const itemList = ['PKG-1', 'PKG-2', 'PKG-3'].map((itemReferenceNumber) => ({ itemReferenceNumber }));
  return { consignment: { ...consignment, itemList } };
};

/** Of the step itself: `found` is what its answer would have held. */
const own = (when = '', of = 'consignment.referenceId') => `lookup:
  get: '/by/\${${of}}'${when && `\n  when: ${when}`}
  outcomes: [ { status: 404, do: succeed } ]
  found: response.body.found`;
const ofItem = (when = '') => own(when, 'item.itemReferenceNumber');
const never = "consignment.typeOfOrder = 'REVERSE'";
const found = (id: string) => ({ found: made(id) });

describe('a call of unknown outcome, of one step', () => {
  const asked = single(own()).replace('response.body.numbers', 'steps.create.body.numbers');
  const skipped = single(own(never));
  const looked = 'POST /orders, GET /by/REF-1';

  stories('%s', [
    ['is what its lookup finds', asked, [reset, { found: numbers }], 'waiting, done', looked],
    ['is made again when that finds nothing', asked, [reset, 404, numbers], 'waiting, done', `${looked}, POST /orders`],
    ['is held when that is skipped', skipped, [reset], `waiting, ${unknown}`, 'POST /orders', notAsked],
    [
      'is asked about again when that fails',
      asked,
      [reset, 503, { found: numbers }],
      'waiting, waiting, done',
      `${looked}, GET /by/REF-1`,
    ],
  ]);

  it('leaves what its lookup found to what comes after a crash', async () => {
    const world = worldOf(asked, reset, { found: numbers });
    expect(await world.endings(2)).toEqual(['waiting', 'done']);
    const { result } = (await world.run('create')) as { readonly result: unknown };
    expect(result).toMatchObject({ packages: [{ trackingNumber: 'T1' }, { trackingNumber: 'T2' }] });
    expect(world.requests()).toEqual(['POST /orders', 'GET /by/REF-1']);
  });
});

/** The calls of its log, to be changed as a retry changes them. */
const callsOf = ({ attemptLog }: ReturnType<typeof worldOf>) => attemptLog.calls as CallRecord[];

it('a call that was answered is not made again where its lookup fails, or finds nothing, in a retry', async () => {
  const asked = single(own()).replace('response.body.numbers', 'steps.create.body.numbers');
  const world = worldOf(asked, { numbers: ['T1', null] }, 503, 404);
  expect(await world.endings(1)).toEqual([unknown]);
  const [answered] = callsOf(world);
  if (answered !== undefined) callsOf(world)[0] = { ...answered, state: 'unknown', attempt: 0 };
  expect(await world.endings(2)).toEqual(['waiting', unknown]);
  expect(world.requests()).toEqual(['POST /orders', 'GET /by/REF-1', 'GET /by/REF-1']);
});

it('a call of unknown outcome is held once the carrier was away for as long as it may be', async () => {
  const world = worldOf(single(`retry: { attempts: 4, until: 1h }\n${own()}`), reset, refused, refused);
  expect(await world.endings(2)).toEqual(['waiting', 'waiting']);
  world.clock.advance(3_600_000);
  expect(await world.endings(1)).toEqual([unknown]);
});

describe('a call of unknown outcome, of forEach', () => {
  const asked = each(ofItem());
  const skipped = each(ofItem(never));
  const ofAll = each('', lookup.replaceAll('response.body.numbers', 'response.body.number'));
  const both = 'POST /PKG-1, POST /PKG-2';
  const first = 'POST /PKG-1, GET /by/PKG-1';

  stories('%s', [
    ['is what its lookup finds', asked, [reset, found('a'), b], 'waiting, done', `${first}, POST /PKG-2`],
    ['is made again when that finds nothing', asked, [reset, 404, a, b], 'waiting, done', `${first}, ${both}`],
    ['is held when that is skipped, and nothing is undone', skipped, [a, reset], `waiting, ${unknown}`, both, notAsked],
    [
      'is asked about again when that fails',
      asked,
      [reset, 503, found('a'), b],
      'waiting, waiting, done',
      `${first}, GET /by/PKG-1, POST /PKG-2`,
    ],
    [
      'is undone by what its lookup found',
      asked,
      [reset, found('a'), 422, 204],
      'waiting, rejected',
      `${first}, POST /PKG-2, DELETE /a`,
    ],
    [
      'and by what the operation lookup was answered',
      ofAll,
      [reset, a, 422, 204],
      'waiting, rejected',
      'POST /PKG-1, GET /orders/REF-1, POST /PKG-2, DELETE /a',
    ],
    [
      'is undone, found nothing and made again',
      asked,
      [reset, 404, a, 422, 204],
      'waiting, rejected',
      `${first}, ${both}, DELETE /a`,
    ],
  ]);
});

const chained = (when = '') =>
  profileOf(`create:
  steps:
    - id: book
      post: /bookings
      ${own(when).replaceAll('\n', '\n      ')}
      undo: { delete: '/bookings/\${response.body.id}' }
    - { id: ship, post: '/bookings/\${steps.book.body.id}/ship' }
  ${numbersOf('response.body')}`);

describe('a call of unknown outcome, of several steps', () => {
  const looked = 'POST /bookings, GET /by/REF-1';
  const ship = 'POST /bookings/a/ship';

  stories('%s', [
    ['is what its lookup finds', chained(), [reset, found('a'), numbers], 'waiting, done', `${looked}, ${ship}`],
    [
      'is made again when that finds nothing',
      chained(),
      [reset, 404, a, numbers],
      'waiting, done',
      `${looked}, POST /bookings, ${ship}`,
    ],
    ['is held when that is skipped', chained(never), [reset], `waiting, ${unknown}`, 'POST /bookings', notAsked],
    [
      'is asked about again when that fails',
      chained(),
      [reset, 503, found('a'), numbers],
      'waiting, waiting, done',
      `${looked}, GET /by/REF-1, ${ship}`,
    ],
    [
      'is undone by what was found',
      chained(),
      [reset, found('a'), 422, 204],
      'waiting, rejected',
      `${looked}, ${ship}, DELETE /bookings/a`,
    ],
  ]);
});

const undoing = each().replace(
  "undo: { delete: '/${response.body.id}' }",
  `undo:
    - { id: token, get: '/\${response.body.id}/token' }
    - { when: steps.token.body.open, post: '/\${response.body.id}/close', body: { json: { t: '\${steps.token.body.t}' } } }
    - { delete: '/\${response.body.id}' }`,
);

describe('an undo of several calls', () => {
  const begun = 'POST /PKG-1, POST /PKG-2, GET /a/token';

  stories('%s', [
    [
      'makes them in order, each with the answers before it',
      undoing,
      [a, 422, { open: true, t: 'x' }, 200, 204],
      'rejected',
      `${begun}, POST /a/close, DELETE /a`,
    ],
    ['makes those that are to be made', undoing, [a, 422, { open: false }, 204], 'rejected', `${begun}, DELETE /a`],
    [
      'goes on at the call that is missing',
      undoing,
      [a, 422, { open: false }, 503, 204],
      'waiting, rejected',
      `${begun}, DELETE /a, DELETE /a`,
    ],
    ['is held by the first that fails', undoing, [a, 422, 403], 'held: undo_failed', begun],
  ]);
});

it('a loop sees the answers before, in their order, also after a crash', async () => {
  const profile = each().replace('undo:', "body: { json: { before: '${steps.create.body.id}' } }\n    undo:");
  const world = worldOf(profile, a, refused, b, { id: 'c', number: 'T-c' });
  expect(await world.endings(2, 'create', threeOf(world))).toEqual(['waiting', 'done']);
  expect(world.sent.map(bodyOf)).toEqual([{}, { before: 'a' }, { before: 'a' }, { before: ['a', 'b'] }]);
});

const withExtra = (lines = '', at = 'steps.order.body') =>
  profileOf(`create:
  steps:
    - { id: order, post: /orders, undo: { delete: /orders/1 } }
    - { id: label, bestEffort: true, post: /labels, retry: { attempts: 2 }${lines} }
    - { id: confirm, post: /confirm }
  ${numbersOf(at)}`);

const warned = (message: string) => ({ result: { warnings: [{ code: 'step_failed', message }] } });

describe('a step that is not needed', () => {
  const all = 'POST /orders, POST /labels, POST /confirm';
  const each2 = withExtra(', forEach: consignment.itemList').replace(
    'post: /labels',
    "post: '/${item.itemReferenceNumber}'",
  );
  const broken = withExtra(", body: { json: { n: '${$number(consignment.referenceId)}' } }");
  const whens = withExtra(', when: $number(consignment.referenceId) > 1');
  const repeat = withExtra(', idempotency: key');
  const again = 'POST /orders, POST /labels, POST /labels, POST /confirm';
  const lost = 'label was not done: the connection was reset; nobody knows whether the carrier did it';

  stories('%s', [
    [
      'is a warning where it is refused',
      withExtra(),
      [numbers, 422, {}],
      'done',
      all,
      warned('label was not done: the carrier refused the request (422)'),
    ],
    ['and where nobody knows of it', withExtra(), [numbers, reset, {}], 'done', all, warned(lost)],
    [
      'which the carrier is asked again where it knows a repeat',
      repeat,
      [numbers, reset, reset, {}],
      'waiting, done',
      again,
      warned(lost),
    ],
    [
      'is tried as often as its retry says, though the carrier is away',
      withExtra(),
      [numbers, refused, refused, {}],
      'waiting, done',
      again,
      warned('label was not done: nobody listens'),
    ],
    ['is a warning where it cannot be sent', broken, [numbers, {}], 'done', 'POST /orders, POST /confirm'],
    ['nor be told whether it is wanted', whens, [numbers, {}], 'done', 'POST /orders, POST /confirm'],
    [
      'does not keep the rest from being undone',
      withExtra(),
      [numbers, reset, 422, 204],
      'rejected',
      `${all}, DELETE /orders/1`,
      says(lost),
    ],
    [
      'is not looked up for longer than it is tried',
      withExtra(', lookup: { get: /labels/1, found: response.body }'),
      [numbers, reset, refused, refused, {}],
      'waiting, waiting, done',
      'POST /orders, POST /labels, GET /labels/1, GET /labels/1, POST /confirm',
    ],
    [
      'is borne for one package, and done for the next',
      each2,
      [numbers, 500, {}, {}],
      'done',
      'POST /orders, POST /PKG-1, POST /PKG-2, POST /confirm',
      { result: { warnings: [{ code: 'step_failed', packageId: 'PKG-1' }] } },
    ],
  ]);

  it.each([
    ['as it is recorded', {}],
    ['where a retry has reopened it', { state: 'unknown', attempt: 0 }],
  ] as const)('is not made again by runs that go on, %s', async (_, reopened) => {
    const world = worldOf(withExtra(), numbers, reset, refused, refused, {});
    expect(await world.endings(1)).toEqual(['waiting']);
    const calls = callsOf(world);
    calls.splice(0, calls.length, ...calls.map((one) => (one.step === 'label' ? { ...one, ...reopened } : one)));
    expect(await world.endings(2)).toEqual(['waiting', 'done']);
    const confirmed = Array.from({ length: 3 }, () => 'POST /confirm');
    expect(world.requests()).toEqual(['POST /orders', 'POST /labels', ...confirmed]);
  });
});

const kept = (profile: string) => profile.replace(/ +undo:.*\n/, '');

const only = (id: string, position: number, missing: string) => ({
  why: 'partial',
  problem: { messages: [expect.stringMatching(`^package ${missing} was not made: `)] },
  accepted: {
    packages: [{ trackingNumber: `T-${id}`, position }],
    warnings: [{ code: 'package_missing', packageId: missing }],
  },
});

const parts = (lines = '') => kept(each(`partial: true\n${lines}`));

describe('a create in parts', () => {
  const named = parts();
  const unnamed = named.replace('"itemReferenceNumber": item.itemReferenceNumber, ', '');
  const both = 'POST /PKG-1, POST /PKG-2';
  const after = profileOf(`create:
  steps:
    - { id: book, post: /bookings, undo: { delete: /bookings/1 } }
    - { id: parcel, forEach: consignment.itemList, partial: true, post: '/\${item.itemReferenceNumber}' }
  result: '{ "itemsTrackDetails": [steps.parcel.{ "trackingNumber": body.number }] }'`);
  const strange = parts()
    .replace('consignment.itemList', '[1, 2]')
    .replace('"itemReferenceNumber": item.itemReferenceNumber, ', '')
    .replace('${item.itemReferenceNumber}', '${item}');
  const undone = 'POST /bookings, POST /PKG-1, POST /PKG-2, DELETE /bookings/1';
  const asked = parts(ofItem());

  stories('%s', [
    ['keeps what is made when another is refused', named, [a, 422], 'held: partial', both, only('a', 0, 'PKG-2')],
    ['goes on after one that is refused', named, [422, b], 'held: partial', both, only('b', 1, 'PKG-1')],
    ['tells packages by the calls that made them', unnamed, [422, b], 'held: partial', both, only('b', 1, 'PKG-1')],
    ['is as any other where nothing was made', after, [{}, 422, 422, 204], 'rejected', undone],
    [
      'keeps the steps before',
      after,
      [{}, 422, b],
      'held: partial',
      'POST /bookings, POST /PKG-1, POST /PKG-2',
      only('b', 1, 'PKG-1'),
    ],
    ['waits for what may be done yet', named, [422, refused, b], 'waiting, held: partial', `${both}, POST /PKG-2`],
    ['is not kept while one is unknown', named, [422, reset], unknown, both],
    [
      'is kept when that is looked up',
      asked,
      [422, reset, found('b')],
      'waiting, held: partial',
      `${both}, GET /by/PKG-2`,
      only('b', 1, 'PKG-1'),
    ],
    ['goes through packages', strange, [], 'held: config_error', '', { problem: { code: 'partial_without_package' } }],
  ]);

  it('takes nothing back where a step fails of which a later one has made parcels', async () => {
    const steps = `- { id: doc, bestEffort: true, post: /docs }
      - { id: attach, when: "$exists(steps.doc.body.id)", post: /attach }
      - { id: parcel`;
    const world = worldOf(after.replace('- { id: parcel', steps), {}, 422, a, 422, { id: 'd' }, 422);
    const calls = world.attemptLog.calls as CallRecord[];
    expect(await world.endings(1)).toEqual(['held: partial']);
    calls.splice(0, calls.length, ...calls.filter(({ state }) => state !== 'failed'));
    expect(await world.endings(1)).toEqual([unknown]);
    expect(world.requests().filter((one) => one.startsWith('DELETE'))).toEqual([]);
  });

  it('makes again what is missing when it is taken up again, and nothing else', async () => {
    const world = worldOf(named, a, 422, { id: 'c', number: 'T-c' }, b);
    const calls = world.attemptLog.calls as CallRecord[];
    const inputs = threeOf(world);
    expect(await world.endings(1, 'create', inputs)).toEqual(['held: partial']);
    calls.splice(
      calls.findIndex(({ state }) => state === 'failed'),
      1,
    );
    expect(await world.endings(1, 'create', inputs)).toEqual(['done']);
    expect(world.requests()).toEqual([...both.split(', '), 'POST /PKG-3', 'POST /PKG-2']);
  });

  it('makes it again with numbers of its own', async () => {
    const world = worldOf(parts(`body: { json: { n: '\${$sequence("n")}' } }`), a, 422, b);
    await world.run('create');
    callsOf(world).pop();
    (world.attemptLog.draws as Map<string, string>).set(`${ROUND}create/1`, '1');
    expect(await world.endings(1)).toEqual(['done']);
    expect(new Set(world.sent.map((one) => JSON.stringify(bodyOf(one)))).size).toBe(3);
  });
});
