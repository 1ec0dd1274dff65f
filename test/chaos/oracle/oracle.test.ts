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

interface Rows<Given> {
  /** By what is found there, and nothing else. */
  readonly finds: Readonly<Record<string, Given>>;
  /** By what it is, where nothing is found. */
  readonly allows: Readonly<Record<string, Given>>;
}

const describeRule = <Given>(
  title: string,
  find: (given: Given) => readonly string[],
  { finds, allows }: Rows<Given>,
): void => {
  describe(title, () => {
    it.each(Object.entries(finds))('finds that %s', (violation, given) => {
      expect(find(given)).toEqual([violation]);
    });
    it.each(Object.entries(allows))('allows %s', (_, given) => {
      expect(find(given)).toEqual([]);
    });
  });
};

/** What is found of this rule in evidence that is changed so. */
const violationsFrom =
  (rule: string) =>
  (changes: Changes): readonly string[] =>
    violationsOf(evidence(changes))
      .filter((one) => one.startsWith(rule))
      .map((one) => one.replace(/^I\d: /, ''));

it('nothing is found where all is in order', () => {
  expect(violationsOf(evidence())).toEqual([]);
});

const answers = (...changes: readonly Answer[]): Changes => ({
  answers: changes.map((change) => answered('REF-1', change)),
});
const cancelled = (text: string): Changes => answers({ operation: 'cancel', text });
const failure = (message: string): string => `{"failedCount":1,"message":"${message}"}`;
const unanswered = { status: 503, definite: false } as const;
const refusedUpdate = { ...unanswered, operation: 'update' } as const;
const cancelDispatched = { dispatches: [dispatched('REF-1'), dispatched('REF-1', { operation: 'cancel' })] };
const accepted = { reference: 'REF-1', carrier: 'c01', acceptance: 'accepted', status: 'Order Created' };
/** With this answer, though the carrier was asked to cancel. */
const cancelAsked = (text: string): Changes => ({ ...cancelled(text), records: cancelDispatched });
const [refused, already] = [failure('The carrier refused'), failure('already cancelled')];
const heldBack = failure('The cancellation is held: so it is');

describeRule('I1: what was accepted is in the records', violationsFrom('I1'), {
  finds: {
    'REF-1 was answered 200 to its create and is not recorded': { records: { consignments: [] } },
    'the update of REF-1 was accepted and has no dispatch': answers({ operation: 'update' }),
    // Its carrier may have had the order already.
    'the update of REF-2 was accepted and has no dispatch': {
      answers: [answered('REF-2', { operation: 'update' })],
      records: {
        consignments: [{ ...accepted, reference: 'REF-2' }],
        dispatches: [dispatched('REF-2', { attempt: 2 })],
        exchanges: [exchanged('REF-2', { outcome: 'unknown_outcome' }), exchanged('REF-2', { attempt: 2 })],
      },
    },
    'the cancel of REF-1 was accepted and has no dispatch': cancelled('{"successCount":1,"failedCount":0}'),
    'the create of REF-2 was answered 500: {}': { answers: [answered('REF-1'), answered('REF-2', { status: 500 })] },
    'the update of REF-1 never got its answer, at last a 503': answers({}, refusedUpdate, refusedUpdate),
    'the create of REF-1 was answered 503, and its repeat 409': answers(unanswered, { status: 409 }),
    'REF-1 was said to be cancelled and is accepted': cancelAsked('{"failedCount":0}'),
    [`REF-1 is accepted, and its cancel failed: ${refused}`]: cancelAsked(refused),
    [`REF-1 is accepted, and its cancel failed: ${already}`]: cancelAsked(already),
    [`REF-1 is accepted, and its cancel failed: ${heldBack}`]: cancelled(heldBack),
    'the create of REF-1 was answered 422: {}': answers({ status: 422 }),
  },
  allows: {
    'what was made again until it was answered': answers(unanswered, {}),
    'a repeat of what got no answer at all': answers(unanswered, { ...unanswered, status: 0 }, { status: 409 }),
    'an update of a create that waited, and that its carrier had not done': {
      ...answers({ operation: 'update' }),
      records: {
        dispatches: [dispatched('REF-1', { attempt: 2 })],
        exchanges: [exchanged('REF-1', { outcome: 'retry' }), exchanged('REF-1', { attempt: 2 })],
      },
    },
    'a cancel that is done in the records, too': {
      ...cancelled('{"failedCount":0}'),
      records: { ...cancelDispatched, consignments: [{ ...accepted, acceptance: 'cancelled' }] },
    },
    'a cancel that is not confirmed': cancelAsked(failure('The carrier has not confirmed the cancellation yet')),
    'a refusal that the carrier was made to utter': {
      answers: [answered('REF-1-R', { status: 422 })],
      records: { consignments: [{ ...accepted, reference: 'REF-1-R', acceptance: 'rejected' }] },
    },
  },
});

const is = (state: string, changes: object = {}, reference = 'REF-1'): Changes => ({
  records: { dispatches: [dispatched(reference, { state, ...changes })] },
});
const held = (why: string, attempt = 1): Changes =>
  is('held', { attempt, failure: JSON.stringify({ why, problem: { messages: ['so it is'] } }) });
const unspoken = ({ records, ...changes }: Changes): Changes => ({ ...changes, records: { ...records, events: [] } });
const saidNo = (reference = 'REF-1'): Changes => ({ carriers: [asked(reference, { effect: false })] });

describeRule('I2: every dispatch is finished or held', violationsFrom('I2'), {
  finds: {
    'the create of REF-1 is pending after 1 attempts': is('pending'),
    'the create of REF-1 is sending after 1 attempts': is('sending'),
    'the create of REF-1 is waiting after 1 attempts': is('waiting'),
    'the create of REF-1 is held after 1 attempts: config_error, so it is': held('config_error'),
    'the create of REF-1 is held after 1 attempts': is('held'),
    // It was done.
    'the create of REF-1 is held after 1 attempts: fail, so it is': held('fail'),
    // The carrier was never asked.
    'the create of REF-1 is held after 0 attempts: fail, so it is': { ...held('fail', 0), carriers: [] },
    'the create of REF-1-R is rejected after 1 attempts': { ...is('rejected', {}, 'REF-1-R'), carriers: [] },
    // Its carrier had spoken of it.
    'the create of REF-1 is held after 1 attempts: unknown_outcome, so it is': held('unknown_outcome'),
    // It was not to be refused.
    'the create of REF-1 is rejected after 1 attempts': { ...is('rejected'), ...saidNo() },
  },
  allows: {
    'a held one whose outcome nobody knows': unspoken(held('unknown_outcome')),
    'a failed one to which the carrier never said anything but no': { ...held('fail'), ...saidNo() },
    'one that the carrier was asked for and made to refuse': { ...is('rejected', {}, 'REF-1-R'), ...saidNo('REF-1-R') },
  },
});

/** With a carrier that promises nothing. */
const blind = { carrier: 'c02' };
const lost = exchanged('REF-1', { ...blind, outcome: 'unknown_outcome' });
const again = exchanged('REF-1', { ...blind, attempt: 2 });
const exchanges = (...rows: Evidence['records']['exchanges']): Changes => ({ records: { exchanges: rows } });
const requests = (...changes: readonly Parameters<typeof asked>[1][]): Changes => ({
  carriers: changes.map((change) => asked('REF-1', change)),
});
const call = 'the create of REF-1 with c02 (create, 0)';

describeRule('I3: a carrier sees an action once', violationsFrom('I3'), {
  finds: {
    '2 effects of CREATE of REF-1 with c01': requests({}, {}),
    // Though nothing came of it.
    'CREATE of REF-1 with c02 was sent again after nobody knew what became of it': requests(
      { ...blind, effect: false, ambiguous: true },
      blind,
    ),
    [`${call} was sent again after unknown_outcome`]: exchanges(lost, again),
    [`${call} was sent again after an attempt whose end nobody saw`]: exchanges(again),
    'CREATE of REF-1 with c01 was sent again with other bytes': requests({}, { effect: false, bodyHash: 'b2' }),
    // It may have been done before it was updated.
    'CREATE of REF-2 with c01 was sent again with other bytes': {
      answers: [answered('REF-2', { operation: 'update' })],
      carriers: [
        asked('REF-1'),
        asked('REF-2', { effect: false, ambiguous: true }),
        asked('REF-2', { bodyHash: 'b2' }),
      ],
    },
    'the create of REF-1 is done, and no carrier did it': { carriers: [] },
    'the create of REF-1 is rejected, and was done': is('rejected'),
    'the create of REF-1 is cancelled, and was done': is('cancelled'),
  },
  allows: {
    'a repeat that the carrier knew again': requests({}, { effect: false }),
    'a create that was updated before its carrier had done anything': {
      ...answers({ operation: 'update' }),
      ...requests({ effect: false }, { bodyHash: 'b2' }, { effect: false, bodyHash: 'b2' }),
    },
    'a repeat of what certainly did not arrive': exchanges({ ...lost, outcome: 'retry' }, again),
    'another operation after a lost one': exchanges(lost, { ...again, operation: 'cancel', attempt: 1 }),
    'a repeat to a carrier that knows a reference again': exchanges(
      { ...lost, carrier: 'c01' },
      { ...again, carrier: 'c01' },
    ),
    'a repeat of what a carrier had definitely refused': requests({ ...blind, effect: false }, blind),
  },
});

const event = { id: 'REF-1/IN_TRANSIT', match: 'matched', reference: 'REF-1' };
const deliveries = (...rows: readonly Parameters<typeof delivery>[1][]): Changes => ({
  records: { deliveries: rows.map((row, at) => delivery(`evt_${at + 1}`, row)) },
});
const unstored = { records: { events: [], deliveries: [] } };
const unheard = { carriers: [asked('REF-1'), pushed('REF-1/IN_TRANSIT', 0)] };

describeRule('I4: a status push that got a 200 is one event, delivered or visibly exhausted', violationsFrom('I4'), {
  finds: {
    'the push REF-1/IN_TRANSIT was answered 200 and is 0 events': unstored,
    'the push REF-1/IN_TRANSIT was answered 200 and is 2 events': { records: { events: [event, event] } },
    'the event REF-1/IN_TRANSIT is unmatched': { records: { events: [{ ...event, match: 'unmatched' }] } },
    'the event REF-1/IN_TRANSIT has 0 notices': deliveries(),
    'the event REF-1/IN_TRANSIT has 2 notices': {
      ...deliveries({}, {}),
      receivers: [received('evt_1'), received('evt_2')],
    },
    'nobody sent the event REF-1/IN_TRANSIT': { carriers: [asked('REF-1')] },
    'the push REF-1/DELIVERED was answered 500': {
      carriers: [pushed('REF-1/IN_TRANSIT'), pushed('REF-1/DELIVERED', 500)],
    },
    'consignment.in_transit evt_1 is delivered, and nobody got it': { receivers: [received('evt_1', { status: 500 })] },
    'consignment.in_transit evt_1 failed after 2 tries of 3': deliveries({ state: 'failed', tries: 2 }),
    'consignment.in_transit evt_1 is still waiting': deliveries({ state: 'waiting' }),
    'evt_1 came to shop without a valid signature': {
      receivers: [received('evt_1'), received('evt_1', { body: '{"event":"other"}' })],
    },
  },
  allows: {
    'a push that got no answer, stored': unheard,
    'a push that got no answer, not stored': { ...unheard, ...unstored },
    'a failed delivery after all its tries': deliveries({ state: 'failed', tries: 3 }),
  },
});

const planted = new Map([
  ['credential of shop with c01', 'k1'],
  ['credential of shop with c02', 'k2'],
  ['credential of deaf with c01', 'k3'],
]);
const shown = (change: Parameters<typeof asked>[1]): Changes => ({ planted, ...requests(change) });
const misuse = (name: string) => `of credentials, c01 was shown the ${name} for REF-1 of shop`;

describeRule('I5: a credential is shown to its own carrier, for its own shipper', violationsFrom('I5'), {
  finds: {
    [misuse('credential of shop with c02')]: shown({ authorization: 'Bearer k2' }),
    [misuse('credential of deaf with c01')]: shown({ authorization: 'Bearer k3' }),
    [misuse('one that nobody knows')]: shown({ authorization: 'Bearer ***' }),
    [misuse('empty one')]: shown({ authorization: '' }),
    'c01 was asked for REF-9, which no shipper has': { planted, carriers: [asked('REF-9')] },
  },
  allows: { 'its own': shown({}) },
});

describeRule('I5: so it is in the URL', violationsFrom('I5'), {
  finds: { [misuse('credential of deaf with c01')]: shown({ key: 'k3' }) },
  allows: { 'its own': shown({ key: 'k1' }) },
});

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

it('finds where nothing succeeded', () => {
  const found = violationsFrom('no ')({
    carriers: [pushed('REF-1/IN_TRANSIT', 503)],
    receivers: [received('evt_1', { status: 500 })],
    ...is('held'),
  });
  expect(found).toEqual(['no dispatch was done', 'no status push was taken', 'no webhook was delivered']);
});

it('finds whoever was kept waiting, client or carrier', () => {
  const found = violationsFrom('the ')({
    answers: [answered('REF-1', { ms: 1_000 }), answered('REF-2', { ms: 1_001, status: 0 })],
    carriers: [pushed('REF-1/IN_TRANSIT', 200, 1_000), pushed('REF-2/IN_TRANSIT', 0, 1_001)],
  });
  expect(found).toEqual(['the create of REF-2 hung for 1001 ms', 'the push REF-2/IN_TRANSIT hung for 1001 ms']);
});

const SORRY = '{"status":"SERVICE_UNAVAILABLE","message":"Not now","errors":["Not now"]}';
const WITHOUT_ERRORS = '{"status":"SERVICE_UNAVAILABLE","errors":[]}';
const sorry = (change: Answer): Changes => answers({ ...unanswered, retryAfter: '5', text: SORRY, ...change });

describeRule('nobody is sent away without a word', violationsFrom('the '), {
  finds: {
    [`the create of REF-1 got a 503 with Retry-After none: ${SORRY}`]: sorry({ retryAfter: undefined }),
    [`the create of REF-1 got a 503 with Retry-After 0: ${SORRY}`]: sorry({ retryAfter: '0' }),
    'the create of REF-1 got a 503 with Retry-After 5: <html>503</html>': sorry({ text: '<html>503</html>' }),
    [`the create of REF-1 got a 503 with Retry-After 5: ${WITHOUT_ERRORS}`]: sorry({ text: WITHOUT_ERRORS }),
    // The word is that of a 503.
    [`the create of REF-1 got a 429 with Retry-After 5: ${SORRY}`]: sorry({ status: 429 }),
  },
  allows: {
    'a 503 that says why and when to come back': sorry({}),
    'a 429 that does': sorry({ status: 429, text: SORRY.replace('SERVICE_UNAVAILABLE', 'TOO_MANY_REQUESTS') }),
  },
});

/** Six seconds in which five a second can be made. */
const accepts = (count: number, began = 11_000) =>
  Array.from({ length: count }, () => answered('REF-1', { atMs: began + 2_005, ms: 2_005 }));
const away = answered('REF-99', { status: 503, atMs: 12_000, ms: 5_000 });
const stopped = { name: 'stopped', fromMs: 10_000, toMs: 17_000 };
const withPatience = (patience: number) => (given: Evidence['answers']) =>
  tellOf(stopped, given, { everyMs: 100, atOnce: 6, patience }).violations;

describeRule('without the queue, accepts go on', withPatience(1), {
  finds: {
    '14 accepted while Redis was stopped, of at least 15': accepts(14),
    // They were on their way when the fault began.
    '0 accepted while Redis was stopped, of at least 15': accepts(20, 10_900),
    '1 × 503 while Redis was stopped': [...accepts(15), away],
  },
  allows: { 'half as many as the load can make': accepts(15) },
});

describeRule('on a slow machine', withPatience(2), {
  finds: { '6 accepted while Redis was stopped, of at least 7': accepts(6) },
  allows: { 'fewer accepts': accepts(7) },
});
