import { describe, expect, it } from 'vitest';
import { tellOf } from './accepting.ts';
import {
  answered,
  asked,
  type Changes,
  delivery,
  dispatched,
  evidence,
  exchanged,
  pushed,
  received,
} from './evidences.ts';
import type { Evidence } from './evidence.ts';
import { violationsOf } from './rules.ts';
import { searchSecrets } from './secrets.ts';

type Answer = Parameters<typeof answered>[1];
type Row = readonly [sentence: string, changes: Changes, found?: string | readonly unknown[]];

/** What of this promise is found in evidence that is changed so: nothing unless said. */
const describeRule = (rule: string, title: string, rows: readonly Row[]): void => {
  describe(title, () => {
    it.each(rows.map(([sentence, changes, found = []]) => ({ sentence, changes, found })))(
      '$sentence',
      ({ changes, found }) => {
        const expected = typeof found === 'string' ? [`${rule}: ${found}`] : found;
        expect(violationsOf(evidence(changes)).filter((one) => one.startsWith(rule))).toEqual(expected);
      },
    );
  });
};

it('nothing is found where all is in order', () => {
  expect(violationsOf(evidence())).toEqual([]);
});

const answers = (...changes: readonly Answer[]): Changes => ({
  answers: changes.map((change) => answered('REF-1', change)),
});
const cancelled = (text: string): Changes => answers({ operation: 'cancel', text });
const failed = (message: string): Changes => cancelled(`{"failedCount":1,"message":"${message}"}`);
const unanswered = { status: 503, definite: false } as const;
const refusedUpdate = { ...unanswered, operation: 'update' } as const;
const cancelDispatched = { dispatches: [dispatched('REF-1'), dispatched('REF-1', { operation: 'cancel' })] };
const accepted = { reference: 'REF-1', carrier: 'c01', acceptance: 'accepted', status: 'Order Created' };
const one = [expect.anything()];

describeRule('I1', 'I1: what was accepted is in the records', [
  [
    'finds a consignment that was answered 200 and is not there',
    { records: { consignments: [] } },
    'REF-1 was answered 200 to its create and is not recorded',
  ],
  [
    'finds an accepted update without a dispatch',
    answers({ operation: 'update' }),
    'the update of REF-1 was accepted and has no dispatch',
  ],
  [
    'finds a cancel that was said to succeed and has no dispatch',
    cancelled('{"successCount":1,"failedCount":0}'),
    'the cancel of REF-1 was accepted and has no dispatch',
  ],
  [
    'finds a 500, though nothing was accepted',
    answers({}, { reference: 'REF-2', status: 500 }),
    [expect.stringContaining('REF-2 was answered 500')],
  ],
  ['does not mind what was made again until it was answered', answers(unanswered, {})],
  [
    'finds a request that never got its answer',
    answers({}, refusedUpdate, refusedUpdate),
    'the update of REF-1 never got its answer, at last a 503',
  ],
  [
    'finds a cancel that is done for the shipper, and not in the records',
    { ...cancelled('{"failedCount":0}'), records: cancelDispatched },
    'REF-1 was said to be cancelled and is accepted',
  ],
  [
    'does not mind a cancel that is done in the records, too',
    {
      ...cancelled('{"failedCount":0}'),
      records: { ...cancelDispatched, consignments: [{ ...accepted, acceptance: 'cancelled' }] },
    },
  ],
  [
    'does not mind a cancel that is not confirmed',
    { ...failed('The carrier has not confirmed the cancellation yet'), records: cancelDispatched },
  ],
  ['finds a cancel that failed for no reason', { ...failed('The carrier refused'), records: cancelDispatched }, one],
  ['or for one that is not true', { ...failed('already cancelled'), records: cancelDispatched }, one],
  ['or for being held, which it is not', failed('The cancellation is held: so it is'), one],
  [
    'does not mind a refusal that the carrier was made to utter',
    {
      answers: [answered('REF-1-R', { status: 422 })],
      records: { consignments: [{ ...accepted, reference: 'REF-1-R', acceptance: 'rejected' }] },
    },
  ],
  ['finds another refusal', answers({ status: 422 }), [expect.stringContaining('answered 422')]],
]);

const is = (state: string, changes: object = {}, reference = 'REF-1'): Changes => ({
  records: { dispatches: [dispatched(reference, { state, ...changes })] },
});
const held = (why: string): Changes =>
  is('held', { failure: JSON.stringify({ why, problem: { messages: ['so it is'] } }) });
const saidNo = (reference = 'REF-1'): Changes => ({ carriers: [asked(reference, { effect: false })] });

describeRule('I2', 'I2: every dispatch is finished or held', [
  ...['pending', 'sending', 'waiting'].map((state): Row => [
    `finds one that is ${state}`,
    is(state),
    `the create of REF-1 is ${state} after 1 attempts`,
  ]),
  ['takes a held one for explicit where nobody knows its outcome', held('unknown_outcome')],
  [
    'finds one that is held for another reason',
    held('config_error'),
    'the create of REF-1 is held after 1 attempts: config_error, so it is',
  ],
  ['or for none', is('held'), one],
  ['takes one for failed where the carrier never said anything but no', { ...held('fail'), ...saidNo() }],
  ['finds one that failed, and was done', held('fail'), one],
  ['or was never asked for', { ...held('fail'), carriers: [] }, one],
  [
    'takes one for rejected where the carrier was made to refuse it, and asked',
    { ...is('rejected', {}, 'REF-1-R'), ...saidNo('REF-1-R') },
  ],
  ['finds one that was rejected unasked', { ...is('rejected', {}, 'REF-1-R'), carriers: [] }, one],
  [
    'or that was not to be refused',
    { ...is('rejected'), ...saidNo() },
    'the create of REF-1 is rejected after 1 attempts',
  ],
  ['finds rows left in the outbox', { records: { outboxRows: 2 } }, '2 rows are left in the outbox'],
]);

/** With a carrier that promises nothing. */
const blind = { carrier: 'c02' };
const lost = exchanged('REF-1', { ...blind, outcome: 'unknown_outcome' });
const again = exchanged('REF-1', { ...blind, attempt: 2 });
const exchanges = (...rows: Evidence['records']['exchanges']): Changes => ({ records: { exchanges: rows } });
const requests = (...changes: readonly Parameters<typeof asked>[1][]): Changes => ({
  carriers: changes.map((change) => asked('REF-1', change)),
});
const call = 'the create of REF-1 with c02 (create, 0)';

describeRule('I3', 'I3: a carrier sees an action once', [
  ['finds two effects', requests({}, {}), '2 effects of CREATE of REF-1 with c01'],
  ['takes a repeat that the carrier knew again for one', requests({}, { effect: false })],
  [
    'finds a repeat after an ambiguous outcome with a carrier that promises nothing, though nothing came of it',
    requests({ ...blind, effect: false, ambiguous: true }, blind),
    'CREATE of REF-1 with c02 was sent again after nobody knew what became of it',
  ],
  [
    'finds one that never came to the carrier, and was sent again',
    exchanges(lost, again),
    `${call} was sent again after unknown_outcome`,
  ],
  [
    'or of whose first nobody saw the end',
    exchanges(again),
    `${call} was sent again after an attempt whose end nobody saw`,
  ],
  ['lets what certainly did not arrive be sent again', exchanges({ ...lost, outcome: 'retry' }, again)],
  ['takes another operation for no repeat', exchanges(lost, { ...again, operation: 'cancel', attempt: 1 })],
  [
    'lets a carrier that knows a reference again be asked again',
    exchanges({ ...lost, carrier: 'c01' }, { ...again, carrier: 'c01' }),
  ],
  ['lets what a carrier had definitely refused be sent again', requests({ ...blind, effect: false }, blind)],
  [
    'finds a repeat with other bytes',
    requests({}, { effect: false, bodyHash: 'b2' }),
    'CREATE of REF-1 with c01 was sent again with other bytes',
  ],
  [
    'finds what is done by the records and by nobody else',
    { carriers: [] },
    'the create of REF-1 is done, and no carrier did it',
  ],
  ...['rejected', 'cancelled'].map((state): Row => [
    `finds what is ${state} by the records, and was done`,
    is(state),
    `the create of REF-1 is ${state}, and was done`,
  ]),
]);

const event = { id: 'REF-1/IN_TRANSIT', match: 'matched', reference: 'REF-1' };
const deliveries = (...rows: readonly Parameters<typeof delivery>[1][]): Changes => ({
  records: { deliveries: rows.map((row, at) => delivery(`evt_${at + 1}`, row)) },
});
const unheard = { carriers: [asked('REF-1'), pushed('REF-1/IN_TRANSIT', 0)] };

describeRule('I4', 'I4: a status push that got a 200 is one event, delivered or visibly exhausted', [
  [
    'finds one that is not stored',
    { records: { events: [], deliveries: [] } },
    'the push REF-1/IN_TRANSIT was answered 200 and is 0 events',
  ],
  [
    'finds one that is stored twice',
    { records: { events: [event, event] } },
    'the push REF-1/IN_TRANSIT was answered 200 and is 2 events',
  ],
  [
    'finds one that fits no consignment',
    { records: { events: [{ ...event, match: 'unmatched' }] } },
    'the event REF-1/IN_TRANSIT is unmatched',
  ],
  ['finds one that the shipper is not told of', deliveries(), 'the event REF-1/IN_TRANSIT has 0 notices'],
  [
    'or told twice',
    { ...deliveries({}, {}), receivers: [received('evt_1'), received('evt_2')] },
    'the event REF-1/IN_TRANSIT has 2 notices',
  ],
  ['does not mind a push that got no answer, stored', unheard],
  ['or not stored', { ...unheard, records: { events: [], deliveries: [] } }],
  ['finds an event that nobody sent', { carriers: [asked('REF-1')] }, 'nobody sent the event REF-1/IN_TRANSIT'],
  [
    'finds a push that was refused',
    { carriers: [pushed('REF-1/IN_TRANSIT'), pushed('REF-1/DELIVERED', 500)] },
    'the push REF-1/DELIVERED was answered 500',
  ],
  [
    'finds a delivery that the records claim and no receiver saw',
    { receivers: [received('evt_1', { status: 500 })] },
    'consignment.status evt_1 is delivered, and nobody got it',
  ],
  ['takes a failed delivery after all its tries', deliveries({ state: 'failed', tries: 3 })],
  ['and not before', deliveries({ state: 'failed', tries: 2 }), 'consignment.status evt_1 failed after 2 tries of 3'],
  [
    'finds a delivery that waits for ever',
    deliveries({ state: 'waiting' }),
    'consignment.status evt_1 is still waiting',
  ],
  [
    'finds a webhook whose signature does not hold',
    { receivers: [received('evt_1'), received('evt_1', { body: '{"event":"other"}' })] },
    'evt_1 came to shop without a valid signature',
  ],
]);

const planted = new Map([
  ['credential of shop with c01', 'k1'],
  ['credential of shop with c02', 'k2'],
  ['credential of deaf with c01', 'k3'],
]);
const shown = (change: Parameters<typeof asked>[1]): Changes => ({ planted, ...requests(change) });
const misuse = (name: string) => `of credentials, c01 was shown the ${name} for REF-1 of shop`;

describeRule('I5', 'I5: a credential is shown to its own carrier, for its own shipper', [
  ['does not mind that', shown({})],
  ['nor that it is in the URL', shown({ key: 'k1' })],
  ['finds one of another carrier', shown({ authorization: 'Bearer k2' }), misuse('credential of shop with c02')],
  ['finds one of another shipper', shown({ authorization: 'Bearer k3' }), misuse('credential of deaf with c01')],
  ['finds one of another shipper in the URL', shown({ key: 'k3' }), misuse('credential of deaf with c01')],
  ['finds one that nobody planted', shown({ authorization: 'Bearer ***' }), misuse('one that nobody knows')],
  ['finds one that is none', shown({ authorization: '' }), misuse('empty one')],
  [
    'finds a request that no shipper asked for',
    { planted, carriers: [asked('REF-9')] },
    'c01 was asked for REF-9, which no shipper has',
  ],
]);

describe('I5: what was planted is found nowhere', () => {
  const value = 'pl+Q7/x9"é-secret-of-42==';
  const search = (text: string) => {
    const secrets = searchSecrets(new Map([['credential', value]]));
    secrets.look('a log', text);
    return secrets.violations();
  };
  const basic = (user: string, more: string): string => Buffer.from(`${user}:${value}${more}`).toString('base64');
  it.each([
    ['as it is', value],
    ['percent-encoded', encodeURIComponent(value)],
    ['in JSON', JSON.stringify({ value })],
    ['in hexadecimal', Buffer.from(value).toString('hex')],
    ['in base64', Buffer.from(value).toString('base64')],
    ['in base64 behind one character', basic('', '')],
    ['in the base64 of Basic, between others', basic('me', ':and more')],
    ['in base64url', Buffer.from(value).toString('base64url')],
  ])('finds it %s', (_how, text) => {
    expect(search(`before ${text} after`)).toEqual(['I5: the credential is in a log']);
  });

  it('finds nothing in what is masked', () => {
    expect(search('Bearer ***credential***')).toEqual([]);
  });
});

describeRule('no ', 'something has to succeed', [
  [
    'finds where nothing did',
    {
      carriers: [pushed('REF-1/IN_TRANSIT', 503)],
      receivers: [received('evt_1', { status: 500 })],
      ...is('held'),
    },
    ['no dispatch was done', 'no status push was taken', 'no webhook was delivered'],
  ],
]);

const SORRY = '{"status":"SERVICE_UNAVAILABLE","message":"Not now","errors":["Not now"]}';
const sorry = (change: Answer): Changes => answers({ ...unanswered, retryAfter: '5', text: SORRY, ...change });

describeRule('the ', 'nobody is kept waiting, nor sent away without a word', [
  [
    'finds whoever was kept waiting, client or carrier',
    {
      answers: [answered('REF-1', { ms: 1_000 }), answered('REF-2', { ms: 1_001, status: 0 })],
      carriers: [pushed('REF-1/IN_TRANSIT', 200, 1_000), pushed('REF-2/IN_TRANSIT', 0, 1_001)],
    },
    ['the create of REF-2 hung for 1001 ms', 'the push REF-2/IN_TRANSIT hung for 1001 ms'],
  ],
  ['does not mind a 503 that says why and when to come back', sorry({})],
  ['nor a 429', sorry({ status: 429, text: SORRY.replace('SERVICE_UNAVAILABLE', 'TOO_MANY_REQUESTS') })],
  ['finds one without Retry-After', sorry({ retryAfter: undefined }), one],
  ['finds one with a Retry-After that is no time', sorry({ retryAfter: '0' }), one],
  ['finds one of another’s making', sorry({ text: '<html>503</html>' }), one],
  ['finds one without errors', sorry({ text: '{"status":"SERVICE_UNAVAILABLE","errors":[]}' }), one],
  ['finds one with another word', sorry({ status: 429 }), one],
]);

/** Six seconds in which five a second can be made. */
const accepts = (count: number, began: number) =>
  Array.from({ length: count }, () => answered('REF-1', { atMs: began + 2_005, ms: 2_005 }));

describe('without the queue, accepts go on', () => {
  const stopped = { name: 'stopped', fromMs: 10_000, toMs: 17_000 };
  const rate = { everyMs: 100, atOnce: 6, patience: 1 };
  const away = answered('REF-99', { status: 503, atMs: 12_000, ms: 5_000 });

  it.each([
    ['half as many as the load can make', accepts(15, 11_000), rate, []],
    ['no fewer', accepts(14, 11_000), rate, ['14 accepted while Redis was stopped, of at least 15']],
    ['fewer on a slow machine', accepts(7, 11_000), { ...rate, patience: 2 }, []],
    [
      'none counted that was on its way when the fault began',
      accepts(20, 10_900),
      rate,
      ['0 accepted while Redis was stopped, of at least 15'],
    ],
    [
      'nobody sent away, though he came before',
      [...accepts(15, 11_000), away],
      rate,
      ['1 × 503 while Redis was stopped'],
    ],
  ])('%s', (_, given, at, violations) => {
    expect(tellOf(stopped, given, at).violations).toEqual(violations);
  });
});
