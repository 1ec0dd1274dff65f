import { expect, test } from 'vitest';
import { homeWith } from './home.ts';

const PROFILE =
  'carrier: acme\nenvironments: { sandbox: { url: https://acme.example } }\nstatuses:\n  table:\n    NEW: Order Created\n';

test('statuses import adds rows to the profile, or tells what is wrong with the list', async () => {
  const { run, read, misuse } = homeWith({
    'carriers/acme.yaml': PROFILE,
    'list.csv': 'code,status,note\nMOV,In Transit,x\nNEW,Order Created,\n',
    'bad.csv': 'code,status\nMOV,In Transt\n',
  });
  const importing = async (...args: readonly string[]) => await run('statuses', 'import', 'acme', ...args);
  const dry = await importing('list.csv', '--dry-run');
  expect(dry).toMatchObject({ code: 0, out: expect.stringContaining('1 row to add') });
  expect(read('carriers/acme.yaml')).toBe(PROFILE);
  const told = 'carriers/acme.yaml: 1 row added, 1 there already\nignored columns: note\n';
  expect(await importing('list.csv')).toMatchObject({ code: 0, out: told });
  expect(read('carriers/acme.yaml')).toBe(`${PROFILE}    MOV: In Transit\n`);
  const bad = await importing('bad.csv');
  expect(bad).toMatchObject({ code: 1, out: expect.stringContaining('bad.csv:2:5 error unknown-status') });
  expect(bad.out).toContain('2 | MOV,In Transt\n    |     ^');
  await misuse(['statuses', 'import', 'acme', 'none.csv'], 'there is no file none.csv');
  await misuse(['statuses', 'import', 'acne', 'list.csv'], 'did you mean "acme"?');
});
