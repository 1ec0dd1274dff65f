import { expect, test } from 'vitest';
import { parseQuery } from '../../../src/workbench/replay/query.ts';

const NOW = Date.parse('2026-05-08T00:00:00Z');

test('a query names what it wants', () => {
  expect(parseQuery('pushes:carrier=acme since=7d', NOW)).toMatchObject({
    what: 'pushes',
    carrier: 'acme',
    sinceMs: Date.parse('2026-05-01T00:00:00Z'),
  });
  expect(parseQuery('dispatches:dispatch=12,until=2026-05-01', NOW)).toMatchObject({
    what: 'dispatches',
    dispatchId: 12,
    untilMs: Date.parse('2026-05-01T00:00:00Z'),
  });
  expect(parseQuery('exchanges:', NOW)).toMatchObject({ what: 'exchanges' });
});

test('what is no query is none', () => expect(parseQuery('pushes.jsonl', NOW)).toBeUndefined());

test('a query that is wrong says so', () => {
  expect(() => parseQuery('pushes:carier=acme', NOW)).toThrow('"carier=acme" is no term of a query');
  expect(() => parseQuery('pushes:since=yesterday', NOW)).toThrow('since must be a time ago, as 7d, or a date');
  expect(() => parseQuery('exchanges:operation=creat', NOW)).toThrow('operation cannot be "creat"');
  expect(() => parseQuery('dispatches:dispatch=x', NOW)).toThrow('dispatch must be a number');
});
