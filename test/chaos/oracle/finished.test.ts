import { describe, expect, it } from 'vitest';
import { asked, dispatched, evidence } from './evidences.ts';
import { findUnfinished } from './finished.ts';

const held = (why: string) =>
  dispatched('REF-1', { state: 'held', failure: JSON.stringify({ why, problem: { messages: ['so it is'] } }) });

describe('I2: every dispatch is finished or held', () => {
  it.each(['pending', 'sending', 'waiting'])('finds one that is %s', (state) => {
    const found = findUnfinished(evidence({ records: { dispatches: [dispatched('REF-1', { state })] } }));
    expect(found).toEqual([`I2: the create of REF-1 is ${state} after 1 attempts`]);
  });

  it('takes a held one for explicit only where nobody knows its outcome', () => {
    expect(findUnfinished(evidence({ records: { dispatches: [held('unknown_outcome')] } }))).toEqual([]);
    expect(findUnfinished(evidence({ records: { dispatches: [held('config_error')] } }))).toEqual([
      'I2: the create of REF-1 is held after 1 attempts: config_error, so it is',
    ]);
    const mute = dispatched('REF-1', { state: 'held' });
    expect(findUnfinished(evidence({ records: { dispatches: [mute] } }))).toHaveLength(1);
  });

  it('takes one for failed only where the carrier never said anything but no', () => {
    const records = { dispatches: [held('fail')] };
    expect(findUnfinished(evidence({ records, carriers: [asked('REF-1', { effect: false })] }))).toEqual([]);
    expect(findUnfinished(evidence({ records }))).toHaveLength(1);
    expect(findUnfinished(evidence({ records, carriers: [] }))).toHaveLength(1);
  });

  it('takes one for rejected only where the carrier was made to refuse it, and asked', () => {
    const records = { dispatches: [dispatched('REF-1-R', { state: 'rejected' })] };
    expect(findUnfinished(evidence({ records, carriers: [asked('REF-1-R', { effect: false })] }))).toEqual([]);
    expect(findUnfinished(evidence({ records, carriers: [] }))).toHaveLength(1);
    const other = { dispatches: [dispatched('REF-1', { state: 'rejected' })] };
    expect(findUnfinished(evidence({ records: other, carriers: [asked('REF-1', { effect: false })] }))).toEqual([
      'I2: the create of REF-1 is rejected after 1 attempts',
    ]);
  });

  it('finds rows left in the outbox', () => {
    expect(findUnfinished(evidence({ records: { outboxRows: 2 } }))).toEqual(['I2: 2 rows are left in the outbox']);
  });
});
