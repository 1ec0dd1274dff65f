import { expect, test } from 'vitest';
import { parseQuery } from '../../../src/workbench/replay/query.ts';

const NOW = Date.parse('2026-05-08T00:00:00Z');

const MAY = Date.parse('2026-05-01T00:00:00Z');
test.each([
  ['pushes:carrier=acme since=7d', { what: 'pushes', carrier: 'acme', sinceMs: MAY }],
  ['dispatches:dispatch=12,until=2026-05-01', { what: 'dispatches', dispatchId: 12, untilMs: MAY }],
  ['exchanges:', { what: 'exchanges' }],
])('%s names what it wants', (query, wanted) => expect(parseQuery(query, NOW)).toMatchObject(wanted));

test('what is no query is none', () => expect(parseQuery('pushes.jsonl', NOW)).toBeUndefined());

test.each([
  ['pushes:carier=acme', '"carier=acme" is no term of a query'],
  ['pushes:since=yesterday', 'since must be a time ago, as 7d, or a date'],
  ['exchanges:operation=creat', 'operation cannot be "creat"'],
  ['dispatches:dispatch=x', 'dispatch must be a number'],
])('%s is wrong: %s', (query, why) => expect(() => parseQuery(query, NOW)).toThrow(why));
