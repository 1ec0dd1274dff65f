import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { ACME, homeWith, PING } from './home.ts';

const push = (code: string): string =>
  JSON.stringify({ value: 'A1', carrierStatusCode: code, statusReceivedAt: '2026-05-01 09:00:00' });

/** A home whose first state is committed. */
const committed = () => {
  const home = homeWith({
    'carriers/acme.yaml': `${ACME}statuses: { table: { MOVING: In Transit } }\n`,
    'carriers/other.yaml': ACME.replace('carrier: acme', 'carrier: other'),
    'fixtures/acme/ping.yaml': PING,
    'pushes.jsonl': [push('MOVING'), push('NDL'), push('NDL')].join('\n'),
  });
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', home.home, '-c', 'user.name=Example', '-c', 'user.email=example@example.com', ...args]);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  return { ...home, git };
};

test('without a change nothing changes', async () => {
  expect(await committed().run('diff')).toEqual({ code: 0, out: 'nothing changes\n', error: '' });
});

test('a change that no traffic sees is told as such', async () => {
  const { change, run } = committed();
  change('carriers/acme.yaml', 'name: Acme', 'name: Acme Parcels');
  const { code, out } = await run('diff', 'acme');
  expect(code).toBe(0);
  expect(out).toMatch(/^acme: [0-9a-f]{12} → [0-9a-f]{12}: nothing changes for 1 payloads\n$/);
});

test('the cases of a carrier show what another URL does', async () => {
  const { change, run } = committed();
  change('carriers/acme.yaml', 'get: /ping', "get: /ping, query: { deep: '1' }");
  const { code, out } = await run('diff');
  expect(code).toBe(1);
  expect(out).toContain('1 of 1  probe: URL "https://api.acme.example/ping" → "https://api.acme.example/ping?deep=1"');
});

test('recorded traffic shows which statuses change, as text, Markdown and JSON', async () => {
  const { change, run, json } = committed();
  change('carriers/acme.yaml', 'MOVING: In Transit', 'MOVING: In Transit, NDL: Delivery Failed');
  const args = ['diff', 'acme', '--traffic', 'pushes.jsonl'];
  const text = await run(...args);
  expect(text.code).toBe(1);
  expect(text.out).toContain('2 of 3  status `NDL`: Unmapped → Delivery Failed\n');
  expect(text.out).toContain('at pushes.jsonl:2, pushes.jsonl:3\n');
  expect((await run(...args, '--format', 'markdown')).out).toContain(
    '| 2 of 3 | status `NDL`: Unmapped → Delivery Failed | pushes.jsonl:2, pushes.jsonl:3 |',
  );
  const examples = [{ at: 'pushes.jsonl:2', from: 'Unmapped', to: 'Delivery Failed' }, { at: 'pushes.jsonl:3' }];
  const effect = { kind: 'status', deed: 'push', subject: 'NDL', change: 'changed', payloads: 2, of: 3, examples };
  expect((await json(...args)).value).toMatchObject({
    ok: false,
    to: 'working tree',
    broken: 0,
    carriers: [{ carrier: 'acme', state: 'compared', payloads: 3, changed: 2, effects: [effect] }],
  });
});

test('a carrier that does not load any more, is new or is gone is told', async () => {
  const { change, run, git } = committed();
  change('carriers/acme.yaml', 'name: Acme', 'nam: Acme');
  git('mv', 'carriers/other.yaml', 'carriers/third.yaml');
  change('carriers/third.yaml', 'carrier: other', 'carrier: third');
  const { code, out } = await run('diff');
  expect(code).toBe(1);
  expect(out).toMatch(/^acme: does not load any more: carriers\/acme.yaml:2:1 .*\nother: is gone\nthird: is new\n$/s);
});

test.each([
  [['--from', '--upload-pack=x'], '"--upload-pack=x" is neither "working tree", a commit of'],
  [['acne'], 'did you mean "acme"?'],
])('%j is misuse: %s', (args, why) => committed().misuse(['diff', ...args], why));
