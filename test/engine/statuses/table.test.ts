import { describe, expect, it } from 'vitest';
import { compileTable, tablesOf } from '../../../src/engine/statuses/table.ts';
import { exampleCarrier, rowsOf } from './carrier.ts';
import { startCost } from '../../support/cost.ts';

type Table = Parameters<typeof rowsOf>[0];

const meaning = (table: Table, code: string, subCode = '', description = ''): string | undefined =>
  compileTable(rowsOf(table)).match(code, subCode, description)?.key;

describe('A row of a status table', () => {
  it('is found by its code', () => {
    expect(meaning({ A1: 'In Transit', A2: 'At Facility' }, 'A2')).toBe('A2');
  });

  it('is not found by another code, a part of it or more than it', () => {
    for (const code of ['A', 'A11', 'B1', '']) expect(meaning({ A1: 'In Transit' }, code)).toBeUndefined();
  });

  it('does not care for case and outer spaces on either side', () => {
    expect(meaning({ ' Out For Delivery ': 'Out for Delivery' }, '\tOUT for delivery\n')).toBe(' Out For Delivery ');
    expect(meaning({ 'ÄB*': 'In Transit' }, 'äbc')).toBe('ÄB*');
  });

  it('cares for inner spaces', () => {
    expect(meaning({ 'In Transit': 'In Transit' }, 'In  Transit')).toBeUndefined();
  });

  it('takes any sub-code and description where it names none', () => {
    expect(meaning({ A: 'In Transit' }, 'A', 'whatever', 'anything')).toBe('A');
  });

  it('with an empty part is for an event that says nothing there', () => {
    const table: Table = { 'A/': 'In Transit', 'A/*': 'At Facility' };
    expect(meaning(table, 'A')).toBe('A/');
    expect(meaning(table, 'A', 'x')).toBe('A/*');
  });

  it('reads what is missing as the empty text, which a star takes', () => {
    expect(meaning({ '*': 'In Transit' }, '')).toBe('*');
    expect(meaning({ '*/S': 'In Transit' }, '', 's')).toBe('*/S');
  });

  it('compares three parts', () => {
    const table: Table = { 'A/B/C': 'In Transit', 'A/B/D': 'At Facility' };
    expect(meaning(table, 'a', 'b', 'd')).toBe('A/B/D');
    expect(meaning(table, 'a', 'b', 'e')).toBeUndefined();
  });

  it('comes back with its reason', () => {
    const table = compileTable(rowsOf({ X: { status: 'Delivery Failed', reason: 'NOT_HOME' } }));
    expect(table.match('x', '', '')).toMatchObject({ status: 'Delivery Failed', reason: 'NOT_HOME' });
  });

  it.each(['constructor', '__proto__', 'toString'])(
    'named %s is a row like others, and none unless written',
    (name) => {
      expect(meaning({ A: 'In Transit' }, name)).toBeUndefined();
      expect(meaning({ [`${name}x`]: 'In Transit', B: 'At Facility' }, `${name}x`)).toBe(`${name}x`);
    },
  );
});

describe('A pattern', () => {
  it.each([
    ['OD*', 'OD', true],
    ['OD*', 'OD1', true],
    ['OD*', 'O', false],
    ['*ED', 'DELIVERED', true],
    ['*ED', 'DELIVERY', false],
    ['A*C', 'AC', true],
    ['A*C', 'ABBC', true],
    ['A*C', 'A', false],
    ['AB*BA', 'ABA', false],
    ['AB*BA', 'ABBA', true],
    ['*A*B*', 'xAyBz', true],
    ['*A*B*', 'xByAz', false],
    ['*AA*A', 'AA', false],
    ['*AA*A', 'AAA', true],
    ['A*B*B', 'AB', false],
    ['A*B*B', 'ABB', true],
    ['**', '', true],
    ['a.c', 'abc', false],
    ['(x|*', '(x|1', true],
  ])('%s and %s: %s', (pattern, code, isMatch) => {
    expect(meaning({ [pattern]: 'In Transit' }, code) !== undefined).toBe(isMatch);
  });

  it('answers at once for a text made to make it slow', () => {
    const cost = startCost();
    expect(meaning({ [`${'*a'.repeat(50)}*b`]: 'In Transit' }, 'a'.repeat(20_000))).toBeUndefined();
    expect(cost()).toBeLessThan(500);
  });
});

describe('Of several rows that match', () => {
  it('an exact code comes before any pattern, wherever it stands', () => {
    expect(meaning({ 'ABC*': 'In Transit', ABC: 'At Facility', '*': 'Delayed' }, 'ABC')).toBe('ABC');
  });

  it('the pattern with more letters before its star comes first', () => {
    const table: Table = { '*': 'Delayed', 'A*': 'In Transit', 'AB*': 'At Facility', 'A*CDEFG': 'On Hold' };
    expect(meaning(table, 'ABCDEFG')).toBe('AB*');
    expect(meaning(table, 'AXX')).toBe('A*');
    expect(meaning(table, 'XX')).toBe('*');
  });

  it('parts count from the left: a better code beats a better sub-code', () => {
    const table: Table = { 'A/*': 'In Transit', '*/B/C': 'At Facility', 'A*/B/C': 'On Hold' };
    expect(meaning(table, 'A', 'B', 'C')).toBe('A/*');
    expect(meaning(table, 'A1', 'B', 'C')).toBe('A*/B/C');
    expect(meaning(table, 'X', 'B', 'C')).toBe('*/B/C');
  });

  it('the sub-code decides between equal codes, then the description', () => {
    const table: Table = { A: 'In Transit', 'A/B*': 'Delayed', 'A/B1': 'At Facility', 'A/B1/x*': 'On Hold' };
    expect(meaning(table, 'A', 'Z')).toBe('A');
    expect(meaning(table, 'A', 'B2')).toBe('A/B*');
    expect(meaning(table, 'A', 'B1', 'y')).toBe('A/B1');
    expect(meaning(table, 'A', 'B1', 'xyz')).toBe('A/B1/x*');
  });

  it('a pattern is taken when the exact code fits but its sub-code does not', () => {
    expect(meaning({ 'A/B': 'In Transit', '*': 'Delayed' }, 'A', 'C')).toBe('*');
  });

  it('two that tie and disagree mean nothing, two that agree mean what they say', () => {
    expect(meaning({ 'A*B': 'In Transit', 'A*C*': 'Delayed' }, 'ACB')).toBeUndefined();
    expect(meaning({ 'A*B': 'In Transit', 'A*C*': 'In Transit' }, 'ACB')).toBe('A*B');
    const reasons: Table = { 'A*B': 'Delivery Failed', 'A*C*': { status: 'Delivery Failed', reason: 'REFUSED' } };
    expect(meaning(reasons, 'ACB')).toBeUndefined();
  });

  it('a tie further down does not matter', () => {
    expect(meaning({ ACB: 'At Facility', 'A*B': 'In Transit', 'A*C*': 'Delayed' }, 'ACB')).toBe('ACB');
  });

  it('all are shown as rivals, the best first, with their ties', () => {
    const table = compileTable(rowsOf({ '*': 'Delayed', 'A*B': 'In Transit', 'A*C*': 'On Hold', ACB: 'At Facility' }));
    expect(table.rivals('acb', '', '').map(({ row, ties }) => [row.key, ties])).toEqual([
      ['ACB', false],
      ['A*B', false],
      ['A*C*', true],
      ['*', false],
    ]);
    expect(table.rivals('', '', '').map(({ row }) => row.key)).toEqual(['*']);
  });
});

describe("A carrier's table", () => {
  it('is compiled once for each version of the carrier', () => {
    const carrier = exampleCarrier();
    expect(tablesOf(carrier)).toBe(tablesOf(carrier));
    expect(tablesOf(exampleCarrier())).not.toBe(tablesOf(carrier));
  });
});
