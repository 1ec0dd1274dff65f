import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACME, folderWith, PING, waybill } from './spawning.ts';

const CARRIER = { 'carriers/acme.yaml': ACME };
const WRONG = PING.replace('/ping', '/pong   ').replace('/pong   ', '/ping?old=1');

test('cases that pass are good', async () => {
  const home = folderWith({ ...CARRIER, 'fixtures/acme/ping.yaml': PING });
  expect(await waybill(['test'], { home })).toEqual({
    code: 0,
    out: 'ok    acme: it is there\n1 passed, 0 failed\npack: 11 passed, 0 failed, 6 pending\n',
    error: '',
  });
});

test('a case that fails shows where and how', async () => {
  const home = folderWith({ ...CARRIER, 'fixtures/acme/ping.yaml': WRONG });
  const { code, out } = await waybill(['test', 'acme', '--no-pack'], { home });
  expect(code).toBe(1);
  expect(out).toBe(`FAIL  acme: it is there
      fixtures/acme/ping.yaml:4:20
      another request
        url
          - "https://api.acme.example/ping?old=1"
          + "https://api.acme.example/ping"
0 passed, 1 failed
`);
});

test('as JSON, everything is there to be counted', async () => {
  const home = folderWith({ ...CARRIER, 'fixtures/acme/a.yaml': PING, 'fixtures/acme/b.yaml': WRONG });
  const { code, out } = await waybill(['test', '--json', '--no-pack'], { home });
  expect(code).toBe(1);
  expect(JSON.parse(out)).toEqual({
    ok: false,
    passed: 1,
    failed: 1,
    cases: [
      {
        carrier: 'acme',
        case: 'it is there',
        file: 'fixtures/acme/a.yaml',
        passed: true,
        problems: [],
        touched: { steps: ['probe/probe'], rules: [], rows: [] },
      },
      expect.objectContaining({
        passed: false,
        problems: [
          {
            file: 'fixtures/acme/b.yaml',
            line: 4,
            column: 20,
            message: 'another request',
            differences: [
              { path: 'url', expected: 'https://api.acme.example/ping?old=1', seen: 'https://api.acme.example/ping' },
            ],
          },
        ],
      }),
    ],
    pack: [],
    findings: [],
    withoutCases: [],
    accepted: [],
    refused: [],
  });
});

test('--accept shows the differences, writes what was seen, and leaves the rest of the file alone', async () => {
  const home = folderWith({
    ...CARRIER,
    'fixtures/acme/ping.yaml': WRONG.replace('case:', '# why\ncase:').replace('response: {', 'wait: 2s, response:   {'),
  });
  const { code, out } = await waybill(['test', '--accept', '--no-pack'], { home });
  expect(code).toBe(0);
  expect(out).toMatch(/^FAIL[^]*\?old=1[^]*written: fixtures\/acme\/ping\.yaml\n1 passed, 0 failed\n$/);
  expect(readFileSync(join(home, 'fixtures/acme/ping.yaml'), 'utf8')).toBe(
    `# why\n${PING.replace('response: {', 'response:   {')}`,
  );
  expect(readdirSync(join(home, 'fixtures/acme'))).toEqual(['ping.yaml']);
});

test('--accept writes bodies into the files beside the case', async () => {
  const home = folderWith({
    'carriers/acme.yaml': ACME.replace('get: /ping', 'post: /ping, body: { json: \'{ "a": [1, 2] }\' }'),
    'fixtures/acme/ping.yaml': PING.replace(
      "get: 'https://api.acme.example/ping'",
      "post: 'https://api.acme.example/ping', json: ping.json",
    ),
    'fixtures/acme/ping.json': '{}',
  });
  expect((await waybill(['test', '--accept'], { home })).out).toMatch(/written: fixtures\/acme\/ping\.json\n1 passed/);
  expect(readFileSync(join(home, 'fixtures/acme/ping.json'), 'utf8')).toBe('{\n  "a": [\n    1,\n    2\n  ]\n}\n');
});

test('--accept writes no config_error but on demand, and a text stays one message', async () => {
  const told = PING.replace('do: probe', 'do: probe\n    expect: { outcome: reject, code: http_404, messages: old }');
  const home = folderWith({
    'carriers/acme.yaml': `${ACME}outcomes: [ { status: 404, do: config_error, messages: '"new, and said"' } ]\n`,
    'fixtures/acme/ping.yaml': told.replace('status: 200', 'status: 404'),
  });
  const file = join(home, 'fixtures/acme/ping.yaml');
  const before = readFileSync(file, 'utf8');
  const refused = await waybill(['test', '--accept'], { home });
  expect(refused.code).toBe(1);
  expect(refused.out).toContain('not written: fixtures/acme/ping.yaml: a step ends in config_error');
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect((await waybill(['test', '--accept-config-errors'], { home })).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toContain("outcome: config_error, code: http_404, messages: 'new, and said' }");
});

test('what --accept cannot know stays a failure', async () => {
  const text = PING.replace(/exchanges: .*/, 'exchanges: []');
  const home = folderWith({ ...CARRIER, 'fixtures/acme/ping.yaml': text });
  const { code, out } = await waybill(['test', '--accept'], { home });
  expect(code).toBe(1);
  expect(out).toContain('unexpected request: GET https://api.acme.example/ping');
  expect(readFileSync(join(home, 'fixtures/acme/ping.yaml'), 'utf8')).toBe(text);
});

test('a carrier that does not load fails, with its findings', async () => {
  const home = folderWith({ 'carriers/acme.yaml': `${ACME}heders: {}\n`, 'fixtures/acme/ping.yaml': PING });
  const { code, out } = await waybill(['test'], { home });
  expect(code).toBe(1);
  expect(out).toContain('carriers/acme.yaml:10:1 error unknown-key');
});

test('cases of a carrier that is not there fail', async () => {
  const home = folderWith({ ...CARRIER, 'fixtures/acne/ping.yaml': PING });
  const { code, out } = await waybill(['test'], { home });
  expect(code).toBe(1);
  expect(out).toContain('there is no carriers/acne.yaml');
});

test('a named carrier without cases is not good', async () => {
  const home = folderWith(CARRIER);
  const { code, out } = await waybill(['test', 'acme'], { home });
  expect(code).toBe(1);
  expect(out).toContain('acme has no cases: there is no fixtures/acme/*.yaml');
  expect((await waybill(['test'], { home })).code).toBe(0);
});

test('Ctrl-C in the middle of --accept leaves whole files, old ones or new ones', async () => {
  const cases = Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [`fixtures/acme/${1000 + at}.yaml`, WRONG] as const),
  );
  const home = folderWith({ ...CARRIER, ...cases });
  const { code } = await waybill(['test', '--accept'], { home, onOutput: (child) => child.kill('SIGINT') });
  expect(code).toBe(130);
  const files = readdirSync(join(home, 'fixtures/acme'));
  expect(files).toEqual(Object.keys(cases).map((path) => path.slice('fixtures/acme/'.length)));
  const texts = new Set(files.map((name) => readFileSync(join(home, 'fixtures/acme', name), 'utf8')));
  expect(texts).toEqual(new Set([PING, WRONG]));
});

test('the pack is told scenario by scenario on demand', async () => {
  const home = folderWith({ ...CARRIER, 'fixtures/acme/ping.yaml': PING });
  const { out } = await waybill(['test', '--pack'], { home });
  expect(out).toContain('ok    acme (pack): one package\n');
  expect(out).toContain('wait  acme (pack): a consignment is cancelled: the profile has no operation cancel\n');
});

test('a scenario that fails is a finding, and named with its line', async () => {
  const home = folderWith({ 'carriers/acme.yaml': `${ACME}statuses: { table: { '*': In Transit } }\n` });
  const { code, out } = await waybill(['test'], { home });
  expect(code).toBe(1);
  expect(out).toContain('FAIL  acme (pack): a status nobody knows is kept, and moves nothing\n');
  expect(out).toContain('carriers/acme.yaml:10:22\n      the row * takes any status');
});

test('a JUnit report has a suite for the cases and one for the pack', async () => {
  const home = folderWith({ ...CARRIER, 'fixtures/acme/a.yaml': PING, 'fixtures/acme/b.yaml': WRONG });
  const { code, out } = await waybill(['test', '--format', 'junit', '--junit', join(home, 'report.xml')], { home });
  expect(code).toBe(1);
  expect(out).toBe(readFileSync(join(home, 'report.xml'), 'utf8'));
  expect(out).toContain('<testsuite name="acme" tests="2" failures="1" skipped="0">');
  expect(out).toContain('<testcase name="it is there" classname="acme" file="fixtures/acme/a.yaml"/>');
  expect(out).toContain('<failure message="another request">');
  expect(out).toMatch(/<testsuite name="acme \(pack\)" tests="17" failures="0" skipped="6">/);
  expect(out).toContain('<skipped message="the profile has no operation cancel"/>');
});

test('a report that cannot be written, or a format nobody knows, is misuse', async () => {
  const home = folderWith({ ...CARRIER, 'fixtures/acme/a.yaml': PING });
  const lost = await waybill(['test', '--junit', join(home, 'nowhere/report.xml')], { home });
  expect(lost).toMatchObject({ code: 2, error: expect.stringContaining('nowhere/report.xml cannot be written') });
  expect(readdirSync(home).toSorted()).toEqual(['carriers', 'fixtures']);
  expect(await waybill(['test', '--format', 'xml'], { home })).toMatchObject({ code: 2, out: '' });
});

test('many carriers run side by side, and are told in their order', async () => {
  const codes = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7'];
  const home = folderWith(
    Object.fromEntries(
      codes.flatMap((code) => [
        [`carriers/${code}.yaml`, ACME.replace('carrier: acme', `carrier: ${code}`)],
        [`fixtures/${code}/ping.yaml`, PING],
      ]),
    ),
  );
  const { code, out } = await waybill(['test', '--no-pack'], { home });
  expect(code).toBe(0);
  expect(out).toBe(`${codes.map((one) => `ok    ${one}: it is there\n`).join('')}7 passed, 0 failed\n`);
});

test('--watch runs again what a changed file touches, and ends on Ctrl-C', async () => {
  const home = folderWith({
    ...CARRIER,
    'fixtures/acme/a.yaml': PING,
    'fixtures/acme/b.yaml': PING.replace('it is there', 'there it is'),
  });
  let isChanged = false;
  const { code, out } = await waybill(['test', '--watch', '--no-pack'], {
    home,
    onOutput: (child, so) => {
      if (so.includes('watching') && !isChanged) {
        isChanged = true;
        writeFileSync(join(home, 'fixtures/acme/b.yaml'), WRONG);
      } else if (so.includes('another request')) child.kill('SIGINT');
    },
  });
  expect(code).toBe(130);
  const [before = '', after = ''] = out.split('watching; Ctrl-C ends\n');
  expect(before).toBe('ok    acme: it is there\nok    acme: there it is\n2 passed, 0 failed\n');
  expect(after).toContain('FAIL  acme: it is there');
  expect(after).toContain('0 passed, 1 failed\n');
});

test('--watch writes nothing, so it does not go with what does', async () => {
  expect((await waybill(['test', '--watch', '--accept'], { home: folderWith(CARRIER) })).code).toBe(2);
});

test('--coverage tells what no case comes by, and --threshold makes it a finding', async () => {
  const home = folderWith({ ...CARRIER, 'fixtures/acme/ping.yaml': PING });
  const { code, out } = await waybill(['test', '--coverage', '--no-pack', '--threshold', '90'], { home });
  expect(code).toBe(1);
  expect(out).toMatch(/acme: [\d.]+ % covered\n {6}carriers\/acme\.yaml:6:5 mandatory referenceId is not read: map it/);
  // So it is without a threshold: the field is neither read nor waived.
  expect((await waybill(['test', '--coverage', '--no-pack'], { home })).code).toBe(1);
  expect((await waybill(['test', '--threshold', '90'], { home })).code).toBe(2);
});
