import { describe, expect, it } from 'vitest';
import type { StatusUpdate } from '../../../src/engine/statuses/status-update.ts';
import { type Candidate, type Known, matchEvent, namesOf, soughtBy } from '../../../src/engine/statuses/match.ts';

const candidate = (consignmentId: number, more: Partial<Candidate> = {}): Candidate => ({
  consignmentId,
  position: undefined,
  packageCount: 1,
  direction: 'FORWARD',
  awaitsNumbers: false,
  ...more,
});

type Records = Readonly<Record<string, readonly Candidate[] | Known>>;
const isList = (found: readonly Candidate[] | Known): found is readonly Candidate[] => Array.isArray(found);

const match = (update: StatusUpdate, records: Records) =>
  matchEvent(namesOf(update), ({ kind, value }) => {
    const found = records[`${kind} ${value}`];
    return found === undefined || !isList(found) ? found : { candidates: found, tooMany: false, goneFrom: [] };
  });
const matched = (consignmentId: number, position?: number) => ({ kind: 'matched', consignmentId, position });

describe('An event', () => {
  it('is for the package whose tracking number it names', () => {
    const records = { 'Tracking T2': [candidate(7, { position: 1, packageCount: 3 })] };
    expect(match({ value: ' T2 ' }, records)).toEqual(matched(7, 1));
    expect(match({ type: 'tracking', value: 'T2' }, records)).toEqual(matched(7, 1));
  });

  it('is for the whole consignment when it names that', () => {
    expect(match({ type: 'REFERENCE', value: 'R1' }, { 'Reference R1': [candidate(7)] })).toEqual(matched(7));
    expect(match({ consignmentNumber: 'C1' }, { 'Consignment C1': [candidate(7)] })).toEqual(matched(7));
    expect(match({ orderNo: 'O1' }, { 'Order O1': [candidate(7)] })).toEqual(matched(7));
  });

  it('may name what the carrier gave us to remember', () => {
    const records = { 'orderId 55': [candidate(7, { position: 0, packageCount: 2 })] };
    expect(match({ type: 'orderId', value: '55' }, records)).toEqual(matched(7, 0));
    expect(match({ type: 'orderid', value: '55' }, records)).toEqual({ kind: 'unmatched' });
  });

  it('fits nothing that is not known, or when it names nothing', () => {
    for (const update of [{ value: 'T9' }, {}, { value: ' ', orderNo: '' }, { value: 'x'.repeat(5_000) }])
      expect(match(update, { 'Tracking T1': [candidate(7)] })).toEqual({ kind: 'unmatched' });
  });

  it('that names a master number of the first package is for that package', () => {
    const records = {
      'Tracking M': [candidate(7, { packageCount: 2 }), candidate(7, { position: 0, packageCount: 2 })],
    };
    expect(match({ value: 'M' }, records)).toEqual(matched(7, 0));
  });

  it('is for all packages when all have its number, and for nobody knows which when some have', () => {
    const both = [0, 1].map((position) => candidate(7, { position, packageCount: 2 }));
    const some = [0, 1].map((position) => candidate(7, { position, packageCount: 3 }));
    expect(match({ value: 'T' }, { 'Tracking T': both })).toEqual(matched(7));
    expect(match({ value: 'T' }, { 'Tracking T': some })).toEqual({ kind: 'ambiguous', consignmentId: 7 });
  });
});

describe('Several names of one event', () => {
  const shared = { 'Tracking T': [candidate(1, { position: 0 }), candidate(2, { position: 0 })] };

  it('are ambiguous when several consignments fit', () => {
    expect(match({ value: 'T' }, shared)).toEqual({ kind: 'ambiguous', consignmentId: undefined });
  });

  it('tell consignments apart', () => {
    const records = { ...shared, 'Consignment C2': [candidate(2)], 'Order O': [candidate(2), candidate(3)] };
    expect(match({ value: 'T', consignmentNumber: 'C2' }, records)).toEqual(matched(2, 0));
    expect(match({ value: 'T', orderNo: 'O' }, records)).toEqual(matched(2, 0));
    expect(match({ orderNo: 'O', consignmentNumber: 'C2' }, records)).toEqual(matched(2));
  });

  it('that contradict each other are ambiguous', () => {
    const records = { 'Tracking T': [candidate(1)], 'Order O': [candidate(2)] };
    expect(match({ value: 'T', orderNo: 'O' }, records)).toEqual({ kind: 'ambiguous', consignmentId: undefined });
  });

  it('do no harm when we do not know them', () => {
    const records = { 'Tracking T': [candidate(1, { position: 0 })] };
    expect(match({ value: 'T', orderNo: 'theirs', consignmentNumber: 'theirs' }, records)).toEqual(matched(1, 0));
  });

  it('that thousands share exclude nothing and find nothing', () => {
    const many: Known = { candidates: [candidate(8), candidate(9)], tooMany: true, goneFrom: [] };
    expect(match({ value: 'T', orderNo: 'N/A' }, { 'Tracking T': [candidate(1)], 'Order N/A': many })).toEqual(
      matched(1),
    );
    expect(match({ orderNo: 'N/A' }, { 'Order N/A': many })).toEqual({ kind: 'ambiguous', consignmentId: undefined });
  });
});

describe('An unknown tracking number', () => {
  const update = { value: 'NEW', orderNo: 'O', consignmentNumber: 'C' };

  it('is that of the consignment named beside it, if that waits for one', () => {
    expect(match(update, { 'Order O': [candidate(7, { awaitsNumbers: true })] })).toEqual(matched(7, 0));
  });

  it('fits nothing when the consignment has its numbers and one name alone stands for it', () => {
    expect(match(update, { 'Order O': [candidate(7)] })).toEqual({ kind: 'unmatched' });
    expect(match(update, { 'Consignment C': [candidate(7)] })).toEqual({ kind: 'unmatched' });
  });

  it('is that of the one consignment that both order and consignment number stand for', () => {
    const order = [candidate(6), candidate(7)];
    expect(match(update, { 'Order O': order, 'Consignment C': [candidate(7)] })).toEqual(matched(7, 0));
    expect(match(update, { 'Order O': order, 'Consignment C': order })).toEqual({
      kind: 'ambiguous',
      consignmentId: undefined,
    });
    const two = [candidate(7, { packageCount: 2 })];
    expect(match(update, { 'Order O': two, 'Consignment C': two })).toEqual({ kind: 'ambiguous', consignmentId: 7 });
    const many: Known = { candidates: order, tooMany: true, goneFrom: [] };
    expect(match(update, { 'Order O': many, 'Consignment C': [candidate(7)] })).toEqual({ kind: 'unmatched' });
  });

  it('shows which consignment, not which package, where there are several', () => {
    const records = { 'Consignment C': [candidate(7, { awaitsNumbers: true, packageCount: 2 })] };
    expect(match(update, records)).toEqual({ kind: 'ambiguous', consignmentId: 7 });
  });

  it('fits nothing when the names beside it contradict each other', () => {
    const [one, two] = [1, 2].map((id) => [candidate(id, { awaitsNumbers: true })]);
    expect(match(update, { 'Order O': one!, 'Consignment C': two! })).toEqual({ kind: 'unmatched' });
  });

  it('fits nothing when it was one of a shipment that the consignment no longer has', () => {
    const gone: Known = { candidates: [], tooMany: false, goneFrom: [7] };
    const waiting = [7, 8].map((id) => candidate(id, { awaitsNumbers: true }));
    expect(match(update, { 'Tracking NEW': gone, 'Order O': waiting.slice(0, 1) })).toEqual({ kind: 'unmatched' });
    expect(match(update, { 'Tracking NEW': gone, 'Order O': waiting })).toEqual({ kind: 'unmatched' });
    expect(match(update, { 'Tracking NEW': gone, 'Order O': waiting.slice(1) })).toEqual(matched(8, 0));
  });

  it('is not guessed for an unknown reference', () => {
    const records = { 'Order O': [candidate(7, { awaitsNumbers: true })] };
    expect(match({ type: 'Reference', value: 'NEW', orderNo: 'O' }, records)).toEqual({ kind: 'unmatched' });
  });
});

describe('The direction of an event', () => {
  const [there, back] = [candidate(1), candidate(2, { direction: 'REVERSE' })];
  const both = { 'Order O': [there, back], 'Consignment C': [there, back], 'Tracking T': [there, back] };
  const none = { kind: 'ambiguous', consignmentId: undefined };

  it.each([
    [{ orderNo: 'O' }, undefined, undefined],
    [{ value: 'T' }, undefined, undefined],
    [{ value: 'NEW', orderNo: 'O', consignmentNumber: 'C' }, 0, 0],
  ])('tells apart the consignments that share what %j names', (update, forward, reverse) => {
    const going = (statusIdentifierValue: string) => match({ ...update, statusIdentifierValue }, both);
    expect(going('FORWARD')).toEqual(matched(1, forward));
    expect(going(' reverse ')).toEqual(matched(2, reverse));
    for (const other of ['', 'SIDEWAYS']) expect(going(other)).toEqual(none);
  });

  it('keeps it from a consignment of the other one, unless its number is that one’s alone', () => {
    const update = { orderNo: 'O', statusIdentifierValue: 'REVERSE' };
    expect(match(update, { 'Order O': [there] })).toEqual(none);
    const names = { ...update, value: 'NEW', consignmentNumber: 'C' };
    expect(match(names, { 'Order O': [there], 'Consignment C': [there] })).toEqual({ kind: 'unmatched' });
    expect(match({ ...update, value: 'T' }, { 'Tracking T': [there] })).toEqual(matched(1));
  });
});

describe('What fits nothing is looked for later', () => {
  it('by its number, else by consignment, else by order', () => {
    expect(soughtBy(namesOf({ value: 'T', orderNo: 'O' }))).toEqual({ kind: 'Tracking', value: 'T' });
    expect(soughtBy(namesOf({ consignmentNumber: 'C', orderNo: 'O' }))).toEqual({ kind: 'Consignment', value: 'C' });
    expect(soughtBy(namesOf({ orderNo: 'O' }))).toEqual({ kind: 'Order', value: 'O' });
    expect(soughtBy(namesOf({}))).toBeUndefined();
    expect(soughtBy(namesOf({ value: 'x'.repeat(5_000), orderNo: 'O' }))).toBeUndefined();
  });
});
