import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACME, folderWith, PING, waybill } from './spawning.ts';

const CARRIER = { 'carriers/acme.yaml': ACME };
const WRONG = PING.replace('/ping', '/pong   ').replace('/pong   ', '/ping?old=1');

test('cases that pass are good', async () => {
  const home = folderWith({ ...CARRIER, 'fixtures/acme/ping.yaml': PING });
  expect(await waybill(['test'], { home })).toEqual({
    code: 0,
    out: 'ok    acme: it is there\n1 passed, 0 failed\n',
    error: '',
  });
});

test('a case that fails shows where and how', async () => {
  const home = folderWith({ ...CARRIER, 'fixtures/acme/ping.yaml': WRONG });
  const { code, out } = await waybill(['test', 'acme'], { home });
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
  const { code, out } = await waybill(['test', '--json'], { home });
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
  const { code, out } = await waybill(['test', '--accept'], { home });
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
