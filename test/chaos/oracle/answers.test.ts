import { expect, it } from 'vitest';
import { answered, evidence } from './evidences.ts';
import { findUnclean } from './answers.ts';

const text = '{"status":"SERVICE_UNAVAILABLE","message":"Not now","errors":["Not now"]}';
const found = (changes: Parameters<typeof answered>[1]) =>
  findUnclean(
    evidence({ answers: [answered('REF-1', { status: 503, definite: false, retryAfter: '5', text, ...changes })] }),
  );

it('does not mind a 503 that says why and when to come back', () => {
  expect(found({})).toEqual([]);
  expect(found({ status: 429, text: text.replace('SERVICE_UNAVAILABLE', 'TOO_MANY_REQUESTS') })).toEqual([]);
});

it.each([
  ['without Retry-After', { retryAfter: undefined }],
  ['with one that is no time', { retryAfter: '0' }],
  ['of another’s making', { text: '<html>503</html>' }],
  ['without errors', { text: '{"status":"SERVICE_UNAVAILABLE","errors":[]}' }],
  ['with another word', { status: 429 }],
])('finds one %s', (_what, changes) => {
  expect(found(changes)).toHaveLength(1);
});
