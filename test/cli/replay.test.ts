import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACME, folderWith, PING, root, waybill } from './spawning.ts';
import { typed } from './typing.ts';

const CARRIER = { 'carriers/acme.yaml': `${ACME}statuses: { table: { MOVING: In Transit } }\n` };
const push = (at: number, code = 'MOVING'): string =>
  JSON.stringify({ value: `A${at}`, carrierStatusCode: code, statusReceivedAt: '2026-05-01 09:00:00' });
const many = (count: number): string => Array.from({ length: count }, (_, at) => push(at)).join('\n');

test('thousands of pushes are run and counted by status', async () => {
  const home = folderWith({ ...CARRIER, 'pushes.jsonl': many(5_000) });
  const { code, out, error } = await typed(['replay', 'pushes.jsonl', '--carrier', 'acme'], { home });
  expect([code, error]).toEqual([0, '']);
  expect(out).toMatch(
    /^5,000 payloads in [\d.]+ s \([\d,]+\/s\)\n +5,000 {2}push: admitted\nstatuses\n +5,000 {2}In Transit\n$/,
  );
});

test('what is broken is located, what is unmapped is named, and both are findings', async () => {
  const home = folderWith({
    ...CARRIER,
    'in/a.jsonl': `${push(1)}\n{"broken\n${push(2, 'NDL')}\n`,
    'in/b.yaml': 'a: [1\n',
    'in/c.json': '[{"hello": 1}]',
  });
  const { code, out } = await typed(['replay', 'in', '--carrier', 'acme'], { home });
  expect(code).toBe(1);
  expect(out).toContain('no row for NDL');
  expect(out).toContain('3 broken\n');
  expect(out).toMatch(/in\/a\.jsonl:2 {2}is not JSON/);
  expect(out).toMatch(/in\/b\.yaml:1 {2}/);
  expect(out).toMatch(/in\/c\.json:1 {2}it is no order/);
});

test('what a carrier says commands no terminal, and begins no line', async () => {
  const code = 'A\u001B[2J\u009B1m\u007FB\nall is well';
  const home = folderWith({ ...CARRIER, 'pushes.jsonl': push(1, code) });
  const text = await typed(['replay', 'pushes.jsonl', '--carrier', 'acme'], { home });
  expect(text.out).toContain(String.raw`no row for A\u001b[2J\u009b1m\u007fB\nall is well${'\n'}`);
  const { out } = await typed(['replay', 'pushes.jsonl', '--carrier', 'acme', '--json'], { home });
  expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toMatchObject({ summary: { unmapped: { [code]: 1 } } });
  const misuse = await typed(['replay', '\u001B[2J'], { home });
  expect(misuse.error).toContain(String.raw`\u001b[2J`);
  expect(misuse.error).not.toContain('\u001B');
});

test('as JSON each payload is a line, and the summary the last', async () => {
  const home = folderWith({ ...CARRIER, 'fixtures/acme/ping.yaml': PING, 'pushes.json': `[${push(1)},\nnull]` });
  const sources = ['fixtures', 'pushes.json'];
  const { code, out } = await typed(['replay', ...sources, '--carrier', 'acme', '--json'], { home });
  expect(code).toBe(1);
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toEqual([
    expect.objectContaining({
      carrier: 'acme',
      kind: 'case',
      observations: [expect.objectContaining({ deed: 'probe', outcome: 'succeed' })],
    }),
    expect.objectContaining({ at: expect.stringMatching(/pushes\.json:1$/) as string, kind: 'push' }),
    {
      at: expect.stringMatching(/pushes\.json:2$/) as string,
      broken: expect.stringContaining('neither a map') as string,
    },
    {
      summary: {
        ok: false,
        interrupted: false,
        tookMs: expect.any(Number) as number,
        payloads: 2,
        broken: 1,
        outcomes: { probe: { succeed: 1 }, push: { admitted: 1 } },
        statuses: { 'In Transit': 1 },
        unmapped: {},
        warnings: 0,
        examples: [],
      },
    },
  ]);
});

test('Ctrl-C ends with a true summary so far', async () => {
  const home = folderWith({ ...CARRIER, 'pushes.jsonl': many(60_000) });
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
  expect(summary.interrupted).toBe(true);
  expect(summary.payloads).toBe(lines.length - 1);
  expect(summary.payloads).toBeLessThan(60_000);
});

test('a reader that goes away ends it without an error', async () => {
  const home = folderWith({ ...CARRIER, 'pushes.jsonl': many(60_000) });
  const { code, error } = await waybill(['replay', `${home}/pushes.jsonl`, '--carrier', 'acme', '--json'], {
    home,
    onOutput: (child) => child.stdout?.destroy(),
  });
  expect([code, error]).toEqual([0, '']);
});

test('what is not there, or makes no sense, is misuse', async () => {
  const home = folderWith({ ...CARRIER, 'pushes.jsonl': push(1) });
  const file = 'pushes.jsonl';
  const said = async (...args: readonly string[]) => {
    const { code, error } = await typed(['replay', ...args], { home });
    return [code, error.trim()];
  };
  expect(await said('nowhere.jsonl')).toEqual([2, 'waybill: there is no file or folder "nowhere.jsonl"']);
  expect(await said(file, '--carrier', 'acne')).toEqual([2, expect.stringContaining('did you mean "acme"?')]);
  expect(await said(file, '--as', 'webhok')).toEqual([2, expect.stringContaining('--as takes webhook or <operation>')]);
  expect(await said('pushes:carier=acme')).toEqual([2, expect.stringContaining('did you mean "carrier"?')]);
  expect(await said(file, '--against', 'sandbox')).toEqual([2, expect.stringContaining('needs --shipper')]);
  expect(await said(file, '--against', 'production')).toEqual([2, expect.stringContaining("'production' is invalid")]);
});

test('payloads that do not say for whom they are need --carrier', async () => {
  const home = folderWith({ ...CARRIER, 'pushes.jsonl': push(1) });
  const { code, out } = await typed(['replay', 'pushes.jsonl'], { home });
  expect(code).toBe(1);
  expect(out).toContain('it does not say for which carrier: say --carrier');
});

test('a simulator answers when it is told to', async () => {
  const consignment = join(root, 'fixtures/_consignments/one-box-ae.yaml');
  const args = [
    'replay',
    consignment,
    '--carrier',
    'aramex',
    '--service',
    'Express',
    '--against',
    'simulator',
    '--json',
  ];
  const { code, out, error } = await typed(args, { home: root });
  expect([code, error]).toEqual([0, '']);
  const [first] = out.split('\n').map((line) => (line === '' ? {} : JSON.parse(line)) as Record<string, unknown>);
  expect(first).toMatchObject({ carrier: 'aramex', observations: [{ deed: 'create', outcome: 'succeed' }] });
});
