import { expect, it } from 'vitest';
import { CANCEL_CODES, ERROR_CODES, FINDING_CODES } from '../../src/engine/error-codes.ts';
import { read } from '../support/project.ts';

const rowsOf = (codes: readonly (readonly [code: string, ...cells: readonly string[]])[]): string =>
  codes.map(([code, ...cells]) => `| \`${code}\` | ${cells.join(' | ')} |\n`).join('');

it.each([
  [
    'of an error body',
    '| `code` | status | |\n| --- | --- | --- |\n',
    Object.entries(ERROR_CODES).map(([code, { status, when }]) => [code, String(status), when] as const),
  ],
  ['of a finding', '| `code` | the field |\n| --- | --- |\n', Object.entries(FINDING_CODES)],
  ['of an entry of a cancel', '| `code` | |\n| --- | --- |\n', Object.entries(CANCEL_CODES)],
])('docs/shipper-api.md lists every code %s, as the server gives them, and no other', (_, head, codes) => {
  const document = read('docs/shipper-api.md');
  expect(document.split(head)[1]?.split('\n\n')[0]?.trimEnd()).toBe(rowsOf(codes).trimEnd());
});
