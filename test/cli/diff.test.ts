import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACME, folderWith, PING } from './spawning.ts';
import { typed } from './typing.ts';

const TABLE = 'statuses: { table: { MOVING: In Transit } }\n';
const push = (code: string): string =>
  JSON.stringify({ value: 'A1', carrierStatusCode: code, statusReceivedAt: '2026-05-01 09:00:00' });

/** A home whose first state is committed. */
const committed = (files: Readonly<Record<string, string>>): string => {
  const home = folderWith(files);
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', home, '-c', 'user.name=Example', '-c', 'user.email=example@example.com', ...args]);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  return home;
};
const change = (home: string, file: string, from: string, to: string): void => {
  const path = join(home, file);
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
};

const FILES = {
  'carriers/acme.yaml': ACME + TABLE,
  'carriers/other.yaml': ACME.replace('carrier: acme', 'carrier: other'),
  'fixtures/acme/ping.yaml': PING,
  'pushes.jsonl': [push('MOVING'), push('NDL'), push('NDL')].join('\n'),
};

test('without a change nothing changes', async () => {
  const home = committed(FILES);
  expect(await typed(['diff'], { home })).toEqual({ code: 0, out: 'nothing changes\n', error: '' });
});

test('a change that no traffic sees is told as such', async () => {
  const home = committed(FILES);
  change(home, 'carriers/acme.yaml', 'name: Acme', 'name: Acme Parcels');
  const { code, out } = await typed(['diff', 'acme'], { home });
  expect(code).toBe(0);
  expect(out).toMatch(/^acme: [0-9a-f]{12} → [0-9a-f]{12}: nothing changes for 1 payloads\n$/);
});

test('the cases of a carrier show what another URL does', async () => {
  const home = committed(FILES);
  change(home, 'carriers/acme.yaml', 'get: /ping', "get: /ping, query: { deep: '1' }");
  const { code, out } = await typed(['diff'], { home });
  expect(code).toBe(1);
  expect(out).toContain('1 of 1  probe: URL "https://api.acme.example/ping" → "https://api.acme.example/ping?deep=1"');
});

test('recorded traffic shows which statuses change, as text, Markdown and JSON', async () => {
  const home = committed(FILES);
  change(home, 'carriers/acme.yaml', 'MOVING: In Transit', 'MOVING: In Transit, NDL: Delivery Failed');
  const args = ['diff', 'acme', '--traffic', 'pushes.jsonl'];
  const text = await typed(args, { home });
  expect(text.code).toBe(1);
  expect(text.out).toContain('2 of 3  status `NDL`: Unmapped → Delivery Failed\n');
  expect(text.out).toContain('at pushes.jsonl:2, pushes.jsonl:3\n');
  const markdown = await typed([...args, '--format', 'markdown'], { home });
  expect(markdown.out).toContain(
    '| 2 of 3 | status `NDL`: Unmapped → Delivery Failed | pushes.jsonl:2, pushes.jsonl:3 |',
  );
  const json = await typed([...args, '--json'], { home });
  expect(JSON.parse(json.out)).toMatchObject({
    ok: false,
    to: 'working tree',
    broken: 0,
    carriers: [
      {
        carrier: 'acme',
        state: 'compared',
        payloads: 3,
        changed: 2,
        effects: [
          {
            kind: 'status',
            deed: 'push',
            subject: 'NDL',
            change: 'changed',
            payloads: 2,
            of: 3,
            examples: [{ at: 'pushes.jsonl:2', from: 'Unmapped', to: 'Delivery Failed' }, { at: 'pushes.jsonl:3' }],
          },
        ],
      },
    ],
  });
});

test('a carrier that does not load any more, is new or is gone is told', async () => {
  const home = committed(FILES);
  change(home, 'carriers/acme.yaml', 'name: Acme', 'nam: Acme');
  execFileSync('git', ['-C', home, 'mv', 'carriers/other.yaml', 'carriers/third.yaml']);
  change(home, 'carriers/third.yaml', 'carrier: other', 'carrier: third');
  const { code, out } = await typed(['diff'], { home });
  expect(code).toBe(1);
  expect(out).toMatch(/^acme: does not load any more: carriers\/acme.yaml:2:1 .*\nother: is gone\nthird: is new\n$/s);
});

test('a version that is nothing known is misuse', async () => {
  const home = committed(FILES);
  const { code, error } = await typed(['diff', '--from', '--upload-pack=x'], { home });
  expect(code).toBe(2);
  expect(error).toContain('"--upload-pack=x" is neither "working tree", a commit of');
  expect((await typed(['diff', 'acne'], { home })).error).toContain('did you mean "acme"?');
});
