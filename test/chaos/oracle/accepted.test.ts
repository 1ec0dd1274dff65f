import { describe, expect, it } from 'vitest';
import { findLost } from './accepted.ts';
import { answered, dispatched, evidence } from './evidences.ts';

const cancel = (text: string) => [answered('REF-1', { operation: 'cancel', text })];
const failed = (message: string) => cancel(`{"failedCount":1,"message":"${message}"}`);

describe('I1: what was accepted is in the records', () => {
  it('finds a consignment that was answered 200 and is not there', () => {
    const found = findLost(evidence({ records: { consignments: [] } }));
    expect(found).toEqual(['I1: REF-1 was answered 200 to its create and is not recorded']);
  });

  it('finds an accepted update without a dispatch', () => {
    const found = findLost(evidence({ answers: [answered('REF-1', { operation: 'update' })] }));
    expect(found).toEqual(['I1: the update of REF-1 was accepted and has no dispatch']);
  });

  it('finds a cancel that was said to succeed and has no dispatch', () => {
    const text = '{"successCount":1,"failedCount":0}';
    const found = findLost(evidence({ answers: [answered('REF-1', { operation: 'cancel', text })] }));
    expect(found).toEqual(['I1: the cancel of REF-1 was accepted and has no dispatch']);
  });

  it('finds a 500, though nothing was accepted', () => {
    const found = findLost(evidence({ answers: [answered('REF-1'), answered('REF-2', { status: 500 })] }));
    expect(found).toEqual([expect.stringContaining('REF-2 was answered 500')]);
  });

  it('does not mind what was made again until it was answered', () => {
    const answers = [answered('REF-1', { status: 503, definite: false }), answered('REF-1')];
    expect(findLost(evidence({ answers }))).toEqual([]);
  });

  it('finds a request that never got its answer', () => {
    const refused = { operation: 'update', status: 503, definite: false } as const;
    const answers = [answered('REF-1'), answered('REF-1', refused), answered('REF-1', refused)];
    expect(findLost(evidence({ answers }))).toEqual(['I1: the update of REF-1 never got its answer, at last a 503']);
  });
});

describe('I1: a cancel tells the truth', () => {
  const [unconfirmed, refused] = ['The carrier has not confirmed the cancellation yet', 'The carrier refused'];
  const dispatches = [dispatched('REF-1'), dispatched('REF-1', { operation: 'cancel' })];
  const consignment = { reference: 'REF-1', carrier: 'c01', status: 'Cancelled' };

  it('finds one that is done for the shipper, and not in the records', () => {
    const answers = cancel('{"failedCount":0}');
    const found = findLost(evidence({ answers, records: { dispatches } }));
    expect(found).toEqual(['I1: REF-1 was said to be cancelled and is accepted']);
    const consignments = [{ ...consignment, acceptance: 'cancelled' }];
    expect(findLost(evidence({ answers, records: { dispatches, consignments } }))).toEqual([]);
  });

  it('finds one that failed for no reason', () => {
    expect(findLost(evidence({ answers: failed(unconfirmed), records: { dispatches } }))).toEqual([]);
    expect(findLost(evidence({ answers: failed(refused), records: { dispatches } }))).toHaveLength(1);
    expect(findLost(evidence({ answers: failed('already cancelled'), records: { dispatches } }))).toHaveLength(1);
    expect(findLost(evidence({ answers: failed('The cancellation is held: so it is') }))).toHaveLength(1);
  });
});

it('I1: finds a refusal that no carrier was made to utter', () => {
  const consignments = [{ reference: 'REF-1-R', carrier: 'c01', acceptance: 'rejected', status: 'Order Created' }];
  expect(findLost(evidence({ answers: [answered('REF-1-R', { status: 422 })], records: { consignments } }))).toEqual(
    [],
  );
  expect(findLost(evidence({ answers: [answered('REF-1', { status: 422 })] }))).toEqual([
    expect.stringContaining('answered 422'),
  ]);
});
