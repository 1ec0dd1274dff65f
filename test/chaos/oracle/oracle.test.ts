import { describe, expect, it } from 'vitest';
import { findLost } from './accepted.ts';
import { findMisused } from './credentials.ts';
import { findDoubled } from './effects.ts';
import { answered, asked, delivery, dispatched, evidence, exchanged, pushed, received } from './evidences.ts';
import type { ExchangeRow } from './evidence.ts';
import { findUnfinished } from './finished.ts';
import { findHung } from './answers.ts';
import { searchSecrets } from './secrets.ts';
import { findUntold } from './statuses.ts';
import { findUntried } from './answers.ts';

it('nothing is found where all is in order', () => {
  const all = evidence();
  const found = [findLost, findUnfinished, findDoubled, findUntold, findUntried, findMisused, findHung].flatMap(
    (find) => find(all),
  );
  expect(found).toEqual([]);
});

it('finds where nothing succeeded', () => {
  const nothing = evidence({
    carriers: [pushed('REF-1/IN_TRANSIT', 503)],
    receivers: [received('evt_1', { status: 500 })],
    records: { dispatches: [dispatched('REF-1', { state: 'held' })] },
  });
  expect(findUntried(nothing)).toEqual([
    'no dispatch was done',
    'no status push was taken',
    'no webhook was delivered',
  ]);
});

const doublesAmong = (exchanges: readonly ExchangeRow[]) => findDoubled(evidence({ records: { exchanges } }));

it('finds whoever was kept waiting, client or carrier', () => {
  const answers = [answered('REF-1', { ms: 1_000 }), answered('REF-2', { ms: 1_001, status: 0 })];
  const carriers = [pushed('REF-1/IN_TRANSIT', 200, 1_000), pushed('REF-2/IN_TRANSIT', 0, 1_001)];
  expect(findHung(evidence({ answers, carriers }))).toEqual([
    'the create of REF-2 hung for 1001 ms',
    'the push REF-2/IN_TRANSIT hung for 1001 ms',
  ]);
});

describe('I3: a carrier sees an action once', () => {
  it('finds two effects', () => {
    const found = findDoubled(evidence({ carriers: [asked('REF-1'), asked('REF-1')] }));
    expect(found).toEqual(['I3: 2 effects of CREATE of REF-1 with c01']);
  });

  it('takes a repeat that the carrier knew again for one', () => {
    expect(findDoubled(evidence({ carriers: [asked('REF-1'), asked('REF-1', { effect: false })] }))).toEqual([]);
  });

  it('finds a repeat after an ambiguous outcome with a carrier that promises nothing, though nothing came of it', () => {
    const lost = asked('REF-1', { carrier: 'c02', effect: false, ambiguous: true });
    const found = findDoubled(evidence({ carriers: [lost, asked('REF-1', { carrier: 'c02' })] }));
    expect(found).toEqual(['I3: CREATE of REF-1 with c02 was sent again after nobody knew what became of it']);
  });

  it('finds one that never came to the carrier, and was sent again', () => {
    const lost = exchanged('REF-1', { carrier: 'c02', outcome: 'unknown_outcome' });
    const again = exchanged('REF-1', { carrier: 'c02', attempt: 2 });
    const call = 'the create of REF-1 with c02 (create, 0)';
    expect(doublesAmong([lost, again])).toEqual([`I3: ${call} was sent again after unknown_outcome`]);
    expect(doublesAmong([again])).toEqual([`I3: ${call} was sent again after an attempt whose end nobody saw`]);
    expect(doublesAmong([{ ...lost, outcome: 'retry' }, again])).toEqual([]);
    expect(doublesAmong([lost, { ...again, operation: 'cancel', attempt: 1 }])).toEqual([]);
    expect(doublesAmong([lost, again].map((one) => ({ ...one, carrier: 'c01' })))).toEqual([]);
  });

  it('lets what a carrier had definitely refused be sent again', () => {
    const refused = asked('REF-1', { carrier: 'c02', effect: false });
    expect(findDoubled(evidence({ carriers: [refused, asked('REF-1', { carrier: 'c02' })] }))).toEqual([]);
  });

  it('finds a repeat with other bytes', () => {
    const found = findDoubled(
      evidence({ carriers: [asked('REF-1'), asked('REF-1', { effect: false, bodyHash: 'b2' })] }),
    );
    expect(found).toEqual(['I3: CREATE of REF-1 with c01 was sent again with other bytes']);
  });

  it('finds what is done by the records and by nobody else', () => {
    expect(findDoubled(evidence({ carriers: [] }))).toEqual(['I3: the create of REF-1 is done, and no carrier did it']);
  });

  it.each(['rejected', 'cancelled'])('finds what is %s by the records, and was done', (state) => {
    const found = findDoubled(evidence({ records: { dispatches: [dispatched('REF-1', { state })] } }));
    expect(found).toEqual([`I3: the create of REF-1 is ${state}, and was done`]);
  });
});

describe('I4: a status push that got a 200 is one event, delivered or visibly exhausted', () => {
  const event = { id: 'REF-1/IN_TRANSIT', match: 'matched', reference: 'REF-1' };

  it('finds one that is not stored', () => {
    const found = findUntold(evidence({ records: { events: [], deliveries: [] } }));
    expect(found).toEqual(['I4: the push REF-1/IN_TRANSIT was answered 200 and is 0 events']);
  });

  it('finds one that is stored twice', () => {
    const found = findUntold(evidence({ records: { events: [event, event] } }));
    expect(found).toEqual(['I4: the push REF-1/IN_TRANSIT was answered 200 and is 2 events']);
  });

  it('finds one that fits no consignment', () => {
    const found = findUntold(evidence({ records: { events: [{ ...event, match: 'unmatched' }] } }));
    expect(found).toEqual(['I4: the event REF-1/IN_TRANSIT is unmatched']);
  });

  it('finds one that the shipper is not told of, or told twice', () => {
    expect(findUntold(evidence({ records: { deliveries: [] } }))).toEqual([
      'I4: the event REF-1/IN_TRANSIT has 0 notices',
    ]);
    const twice = evidence({
      receivers: [received('evt_1'), received('evt_2')],
      records: { deliveries: [delivery('evt_1'), delivery('evt_2')] },
    });
    expect(findUntold(twice)).toEqual(['I4: the event REF-1/IN_TRANSIT has 2 notices']);
  });

  it('does not mind a push that got no answer, stored or not', () => {
    const carriers = [asked('REF-1'), pushed('REF-1/IN_TRANSIT', 0)];
    expect(findUntold(evidence({ carriers }))).toEqual([]);
    expect(findUntold(evidence({ carriers, records: { events: [], deliveries: [] } }))).toEqual([]);
  });

  it('finds an event that nobody sent', () => {
    const found = findUntold(evidence({ carriers: [asked('REF-1')] }));
    expect(found).toEqual(['I4: nobody sent the event REF-1/IN_TRANSIT']);
  });

  it('finds a push that was refused', () => {
    const found = findUntold(evidence({ carriers: [pushed('REF-1/IN_TRANSIT'), pushed('REF-1/DELIVERED', 500)] }));
    expect(found).toEqual(['I4: the push REF-1/DELIVERED was answered 500']);
  });

  it('finds a delivery that the records claim and no receiver saw', () => {
    const found = findUntold(evidence({ receivers: [received('evt_1', { status: 500 })] }));
    expect(found).toEqual(['I4: consignment.status evt_1 is delivered, and nobody got it']);
  });

  it('takes a failed delivery only after all its tries', () => {
    const failed = [3, 2].map((tries) => delivery('evt_1', { state: 'failed', tries }));
    const [exhausted, early] = failed.map((row) => findUntold(evidence({ records: { deliveries: [row] } })));
    expect(exhausted).toEqual([]);
    expect(early).toEqual(['I4: consignment.status evt_1 failed after 2 tries of 3']);
  });

  it('finds a delivery that waits for ever', () => {
    const found = findUntold(evidence({ records: { deliveries: [delivery('evt_1', { state: 'waiting' })] } }));
    expect(found).toEqual(['I4: consignment.status evt_1 is still waiting']);
  });

  it('finds a webhook whose signature does not hold', () => {
    const found = findUntold(
      evidence({ receivers: [received('evt_1'), received('evt_1', { body: '{"event":"other"}' })] }),
    );
    expect(found).toEqual(['I4: evt_1 came to shop without a valid signature']);
  });
});

describe('I5: what was planted is found nowhere', () => {
  const value = 'pl+Q7/x9"é-secret-of-42==';
  const search = (text: string) => {
    const secrets = searchSecrets(new Map([['credential', value]]));
    secrets.look('a log', text);
    return secrets.violations();
  };

  it.each([
    ['as it is', value],
    ['percent-encoded', encodeURIComponent(value)],
    ['in JSON', JSON.stringify({ value })],
    ['in hexadecimal', Buffer.from(value).toString('hex')],
    ['in base64', Buffer.from(value).toString('base64')],
    ['in base64 behind one character', Buffer.from(`:${value}`).toString('base64')],
    ['in the base64 of Basic, between others', Buffer.from(`me:${value}:and more`).toString('base64')],
    ['in base64url', Buffer.from(value).toString('base64url')],
  ])('finds it %s', (_how, text) => {
    expect(search(`before ${text} after`)).toEqual(['I5: the credential is in a log']);
  });

  it('finds nothing in what is masked', () => {
    expect(search('Bearer ***credential***')).toEqual([]);
  });
});
