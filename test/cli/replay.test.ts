import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACME, homeWith, PING, root, typed, waybill } from './home.ts';

const push = (at: number, code = 'MOVING'): string =>
  JSON.stringify({ value: `A${at}`, carrierStatusCode: code, statusReceivedAt: '2026-05-01 09:00:00' });
const many = (count: number): string => Array.from({ length: count }, (_, at) => push(at)).join('\n');

const withTraffic = (files: Readonly<Record<string, string>>) =>
  homeWith({ 'carriers/acme.yaml': `${ACME}statuses: { table: { MOVING: In Transit } }\n`, ...files });
const PUSHES = ['replay', 'pushes.jsonl', '--carrier', 'acme'];

test('thousands of pushes are run and counted by status', async () => {
  const { code, out, error } = await withTraffic({ 'pushes.jsonl': many(5_000) }).run(...PUSHES);
  expect([code, error]).toEqual([0, '']);
  expect(out).toMatch(
    /^5,000 payloads in [\d.]+ s \([\d,]+\/s\)\n +5,000 {2}push: admitted\nstatuses\n +5,000 {2}In Transit\n$/,
  );
});

test('what is broken is located, what is unmapped is named, and both are findings', async () => {
  const { run } = withTraffic({
    'in/a.jsonl': `${push(1)}\n{"broken\n${push(2, 'NDL')}\n`,
    'in/b.yaml': 'a: [1\n',
    'in/c.json': '[{"hello": 1}]',
  });
  const { code, out } = await run('replay', 'in', '--carrier', 'acme');
  expect(code).toBe(1);
  expect(out).toMatch(
    /no row for NDL[^]*3 broken\n[^]*in\/a\.jsonl:2 {2}is not JSON[^]*in\/b\.yaml:1 {2}[^]*in\/c\.json:1 {2}it is no order/,
  );
});

test('what a carrier says commands no terminal, and begins no line', async () => {
  const code = 'A\u001B[2J\u009B1m\u007FB\nall is well';
  const { run, jsonLines } = withTraffic({ 'pushes.jsonl': push(1, code) });
  expect((await run(...PUSHES)).out).toContain(String.raw`no row for A\u001b[2J\u009b1m\u007fB\nall is well${'\n'}`);
  expect((await jsonLines(...PUSHES)).lines.at(-1)).toMatchObject({ summary: { unmapped: { [code]: 1 } } });
  const misuse = await run('replay', '\u001B[2J');
  expect(misuse.error).toContain(String.raw`\u001b[2J`);
  expect(misuse.error).not.toContain('\u001B');
});

test('as JSON each payload is a line, and the summary the last', async () => {
  const { jsonLines } = withTraffic({ 'fixtures/acme/ping.yaml': PING, 'pushes.json': `[${push(1)},\nnull]` });
  const { code, lines } = await jsonLines('replay', 'fixtures', 'pushes.json', '--carrier', 'acme');
  expect(code).toBe(1);
  expect(lines).toMatchObject([
    { carrier: 'acme', kind: 'case', observations: [{ deed: 'probe', outcome: 'succeed' }] },
    { at: expect.stringMatching(/pushes\.json:1$/), kind: 'push' },
    { at: expect.stringMatching(/pushes\.json:2$/), broken: expect.stringContaining('neither a map') },
    {},
  ]);
  expect(lines[3]).toEqual({
    summary: {
      ok: false,
      interrupted: false,
      tookMs: expect.any(Number),
      payloads: 2,
      broken: 1,
      outcomes: { probe: { succeed: 1 }, push: { admitted: 1 } },
      statuses: { 'In Transit': 1 },
      unmapped: {},
      warnings: 0,
      examples: [],
    },
  });
});

test('Ctrl-C ends with a true summary so far', async () => {
  const { home } = withTraffic({ 'pushes.jsonl': many(60_000) });
  let hasBegun = false;
  const { code, out } = await waybill(['replay', `${home}/pushes.jsonl`, '--carrier', 'acme', '--json'], {
    home,
    onOutput: (child) => {
      if (!hasBegun) child.kill('SIGINT');
      hasBegun = true;
    },
  });
  expect(code).toBe(130);
  const lines = out.trimEnd().split('\n');
  const { summary } = JSON.parse(lines.at(-1) ?? '') as { summary: { interrupted: boolean; payloads: number } };
  expect(summary).toMatchObject({ interrupted: true, payloads: lines.length - 1 });
  expect(summary.payloads).toBeLessThan(60_000);
});

test('a reader that goes away ends it without an error', async () => {
  const { home } = withTraffic({ 'pushes.jsonl': many(60_000) });
  const { code, error } = await waybill(['replay', `${home}/pushes.jsonl`, '--carrier', 'acme', '--json'], {
    home,
    onOutput: (child) => child.stdout?.destroy(),
  });
  expect([code, error]).toEqual([0, '']);
});

test.each([
  [['nowhere.jsonl'], 'waybill: there is no file or folder "nowhere.jsonl"\n'],
  [['pushes.jsonl', '--carrier', 'acne'], 'did you mean "acme"?'],
  [['pushes.jsonl', '--as', 'webhok'], '--as takes webhook or <operation>'],
  [['pushes:carier=acme'], 'did you mean "carrier"?'],
  [['pushes.jsonl', '--against', 'sandbox'], 'needs --shipper'],
  [['pushes.jsonl', '--against', 'production'], "'production' is invalid"],
])('%j is misuse: %s', (args, why) => withTraffic({ 'pushes.jsonl': push(1) }).misuse(['replay', ...args], why));

test('payloads that do not say for whom they are need --carrier', async () => {
  const { code, out } = await withTraffic({ 'pushes.jsonl': push(1) }).run('replay', 'pushes.jsonl');
  expect(code).toBe(1);
  expect(out).toContain('it does not say for which carrier: say --carrier');
});

test('a simulator answers when it is told to', async () => {
  const consignment = join(root, 'fixtures/_consignments/one-box-ae.yaml');
  const args = ['--carrier', 'aramex', '--service', 'Express', '--against', 'simulator', '--json'];
  const { code, out, error } = await typed(['replay', consignment, ...args], { home: root });
  expect([code, error]).toEqual([0, '']);
  const observations = [{ deed: 'create', outcome: 'succeed' }];
  expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({ carrier: 'aramex', observations });
});
