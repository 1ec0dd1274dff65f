import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ACME, homeWith, PING, typed, waybill } from './home.ts';

const WRONG = PING.replace('/ping', '/ping?old=1');
/** The carrier with these cases of it. */
const withCases = (cases: Readonly<Record<string, string>>, profile = ACME) =>
  homeWith({
    'carriers/acme.yaml': profile,
    ...Object.fromEntries(Object.entries(cases).map(([name, text]) => [`fixtures/acme/${name}`, text])),
  });

test('cases that pass are good', async () => {
  expect(await withCases({ 'ping.yaml': PING }).run('test')).toEqual({
    code: 0,
    out: 'ok    acme: it is there\n1 passed, 0 failed\npack: 9 passed, 0 failed, 8 pending\n',
    error: '',
  });
});

test('a case that fails shows where and how', async () => {
  const { code, out } = await withCases({ 'ping.yaml': WRONG }).run('test', 'acme', '--no-pack');
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
  const { json } = withCases({ 'a.yaml': PING, 'b.yaml': WRONG });
  const url = 'https://api.acme.example/ping';
  const place = { file: 'fixtures/acme/b.yaml', line: 4, column: 20 };
  const differences = [{ path: 'url', expected: `${url}?old=1`, seen: url }];
  const problems = [{ ...place, message: 'another request', differences }];
  const touched = { steps: ['probe/probe'], rules: [], rows: [] };
  const one = {
    carrier: 'acme',
    case: 'it is there',
    file: 'fixtures/acme/a.yaml',
    passed: true,
    problems: [],
    touched,
  };
  const cases = [one, expect.objectContaining({ passed: false, problems })];
  const nothing = { pack: [], findings: [], withoutCases: [], accepted: [], refused: [] };
  const value = { ok: false, passed: 1, failed: 1, cases, ...nothing };
  expect(await json('test', '--no-pack')).toEqual({ code: 1, value });
});

test('--accept shows the differences, writes what was seen, and leaves the rest of the file alone', async () => {
  const text = WRONG.replace('case:', '# why\ncase:').replace('response: {', 'wait: 2s, response:   {');
  const { run, read, home } = withCases({ 'ping.yaml': text });
  const { code, out } = await run('test', '--accept', '--no-pack');
  expect(code).toBe(0);
  expect(out).toMatch(/^FAIL[^]*\?old=1[^]*written: fixtures\/acme\/ping\.yaml\n1 passed, 0 failed\n$/);
  expect(read('fixtures/acme/ping.yaml')).toBe(`# why\n${PING.replace('response: {', 'response:   {')}`);
  expect(readdirSync(join(home, 'fixtures/acme'))).toEqual(['ping.yaml']);
});

test('--accept writes bodies into the files beside the case', async () => {
  const url = 'https://api.acme.example/ping';
  const { run, read } = withCases(
    { 'ping.yaml': PING.replace(`get: '${url}'`, `post: '${url}', json: ping.json`), 'ping.json': '{}' },
    ACME.replace('get: /ping', 'post: /ping, body: { json: \'{ "a": [1, 2] }\' }'),
  );
  expect((await run('test', '--accept')).out).toMatch(/written: fixtures\/acme\/ping\.json\n1 passed/);
  expect(read('fixtures/acme/ping.json')).toBe('{\n  "a": [\n    1,\n    2\n  ]\n}\n');
});

const SENT = '<order id="1"><to>Erika</to><line n="1"/><line n="2"/></order>';
const XML = ACME.replace(
  'get: /ping',
  "post: /ping, body: { xml: { order: { '@id': '1', to: Erika, line: [{ '@n': '1' }, { '@n': '2' }] } } }",
);
const post = (body: string): string =>
  PING.replace("get: 'https://api.acme.example/ping'", `post: 'https://api.acme.example/ping', ${body}`);

test('--accept keeps the layout of the XML that it does not change, creates a file that a case names, and is done at once', async () => {
  const old = '<order id="1">\n  <!-- who -->\n  <to>Max</to>\n  <line n="1"/>\n</order>\n';
  const { run, read } = withCases(
    { 'a.yaml': post('xml: order.xml'), 'order.xml': old, 'b.yaml': post('xml: new.xml') },
    XML,
  );
  expect((await run('test', '--no-pack')).out).toContain('"the file new.xml, which is not there"');
  expect(await run('test', '--accept', '--no-pack')).toMatchObject({ code: 0 });
  const now = old.replace('Max', 'Erika').replace('"1"/>', '"1"/>\n  <line n="2"/>');
  expect(read('fixtures/acme/order.xml')).toBe(now);
  expect(read('fixtures/acme/new.xml')).toContain(SENT);
  expect((await run('test', '--accept', '--no-pack')).out).not.toContain('written');
});

test.each([
  [
    'a value of JSON',
    'json: { a: 2,   b: [ x ], c: 1 }   # ours',
    `{ "a": 1, "b": ["x", "y"] }`,
    "json: { a: 1,   b: [ x, 'y' ] }   # ours",
  ],
  [
    'a structure in a form',
    "form: { x: { '#json': { a: 2,   b: z } } }",
    undefined,
    "form: { x: { '#json': { a: 1,   b: z } } }",
  ],
  [
    'XML in a map',
    'xml: { order: { "@id": 7,   to: Erika, line: [ { "@n": 1 }, { "@n": 2 } ] } }',
    undefined,
    'xml: { order: { "@id": \'1\',   to: Erika, line: [ { "@n": 1 }, { "@n": 2 } ] } }',
  ],
])('--accept changes of %s what differs, and nothing beside it', async (_, written, json, corrected) => {
  const kind = written.slice(0, written.indexOf(':'));
  const content =
    kind === 'json' ? `json: '${json}'` : kind === 'form' ? `form: { x: { '#json': { a: '\${1}', b: z } } }` : '';
  const profile = content === '' ? XML : ACME.replace('get: /ping', `post: /ping, body: { ${content} }`);
  const text = PING.replace('exchanges: [ {', 'exchanges: [ {\n     ').replace(
    "get: 'https://api.acme.example/ping'",
    `post: 'https://api.acme.example/ping',\n      ${written}\n      `,
  );
  const { run, read } = withCases({ 'a.yaml': text }, profile);
  expect((await run('test', '--accept', '--no-pack')).code).toBe(0);
  expect(read('fixtures/acme/a.yaml')).toBe(text.replace(written, () => corrected));
});

test('--accept asks before a step ends otherwise, and where nobody can be asked needs a flag', async () => {
  const before = PING.replace('status: 200', 'status: 404');
  const profile = `${ACME}outcomes: [ { status: 404, do: reject } ]\n`;
  const { home, run, read } = withCases({ 'ping.yaml': before }, profile);
  const refused = await run('test', '--accept', '--no-pack');
  expect(refused.code).toBe(1);
  expect(refused.out).toContain(
    'not written: fixtures/acme/ping.yaml: step 1 would end in reject; --accept-outcomes writes it',
  );
  const questions: string[] = [];
  const ask = (answer: string) => async (question: string) => {
    questions.push(question);
    return await Promise.resolve(answer);
  };
  expect((await typed(['test', '--accept', '--no-pack'], { home, ask: ask('') })).code).toBe(1);
  expect(questions).toEqual(['fixtures/acme/ping.yaml: step 1 would end in reject. Write it? [y/N] ']);
  expect(read('fixtures/acme/ping.yaml')).toBe(before);
  expect((await typed(['test', '--accept', '--no-pack'], { home, ask: ask('y') })).code).toBe(0);
  expect(read('fixtures/acme/ping.yaml')).toContain('expect: { outcome: reject }');
  const flagged = withCases({ 'ping.yaml': before }, profile);
  expect((await flagged.run('test', '--accept-outcomes', '--no-pack')).code).toBe(0);
});

test('-t runs the cases of that name or title, and no others', async () => {
  const { run, misuse } = withCases({ 'ping.yaml': PING, 'pong.yaml': PING.replace('it is there', 'Answered') });
  expect((await run('test', '-t', 'pong')).out).toBe('ok    acme: Answered\n1 passed, 0 failed\n');
  expect((await run('test', '--case', 'IS THERE')).out).toBe('ok    acme: it is there\n1 passed, 0 failed\n');
  await misuse(['test', '-t', 'pang'], 'there is no case with "pang" in its file name or title');
});

test('of long values the difference is shown, and what stands around it', async () => {
  const long = 'x'.repeat(3_000);
  const { run } = withCases(
    { 'a.yaml': post(`json: { a: '${long}1${long}' }`) },
    ACME.replace('get: /ping', `post: /ping, body: { json: { a: '${long}2${long}' } }`),
  );
  const { out } = await run('test', '--no-pack');
  expect(out).toMatch(/- …x{90,}1x{300,}…\n/);
  expect(out).toMatch(/\+ …x{90,}2x{300,}…\n/);
});

test('of a signed request the body is told before the signature that follows from it', async () => {
  const signature = `auth: { signature: { algorithm: sha256, over: '\${request.text}', header: X-Sign } }`;
  const { run } = withCases(
    { 'a.yaml': post('headers: { X-Sign: old }, json: { a: 1 }') },
    `${ACME.replace('get: /ping', 'post: /ping, body: { json: { a: 2 } }')}${signature}\n`,
  );
  expect((await run('test', '--no-pack')).out).toMatch(/body\.a\n[^]*headers\.X-Sign\n/);
});

test('--accept writes no config_error but on demand, and a text stays one message', async () => {
  const told = PING.replace('do: probe', 'do: probe\n    expect: { outcome: reject, code: http_404, messages: old }');
  const before = told.replace('status: 200', 'status: 404');
  const rule = `outcomes: [ { status: 404, do: config_error, messages: '"new, and said"' } ]\n`;
  const { run, read } = withCases({ 'ping.yaml': before }, ACME + rule);
  const refused = await run('test', '--accept');
  expect(refused.code).toBe(1);
  expect(refused.out).toContain('not written: fixtures/acme/ping.yaml: a step ends in config_error');
  expect(read('fixtures/acme/ping.yaml')).toBe(before);
  expect((await run('test', '--accept-config-errors')).code).toBe(0);
  expect(read('fixtures/acme/ping.yaml')).toContain(
    "outcome: config_error, code: http_404, messages: 'new, and said' }",
  );
});

test('what --accept cannot know stays a failure', async () => {
  const text = PING.replace(/exchanges: .*/, 'exchanges: []');
  const { run, read } = withCases({ 'ping.yaml': text });
  const { code, out } = await run('test', '--accept');
  expect(code).toBe(1);
  expect(out).toContain('unexpected request: GET https://api.acme.example/ping');
  expect(read('fixtures/acme/ping.yaml')).toBe(text);
});

const BROKEN = { 'carriers/acme.yaml': `${ACME}heders: {}\n` };
test.each([
  ['a carrier that does not load', BROKEN, [], 'acme.yaml:10:1 error unknown-key'],
  ['a case of a carrier that is not there', { 'fixtures/acne/ping.yaml': PING }, [], 'there is no carriers/acne.yaml'],
  ['a named carrier without cases', {}, ['acme'], 'acme has no cases: there is no fixtures/acme/*.yaml'],
])('%s is a finding', async (_, files, args, says) => {
  const { code, out } = await homeWith({ 'carriers/acme.yaml': ACME, ...files }).run('test', ...args);
  expect(code).toBe(1);
  expect(out).toContain(says);
});

test('a carrier without cases that nobody names is none', async () => {
  expect((await withCases({}).run('test')).code).toBe(0);
});

test('Ctrl-C in the middle of --accept leaves whole files, old ones or new ones', async () => {
  const names = Array.from({ length: 200 }, (_, at) => `${1000 + at}.yaml`);
  const { home, read } = withCases(Object.fromEntries(names.map((name) => [name, WRONG])));
  const { code } = await waybill(['test', '--accept'], { home, onOutput: (child) => child.kill('SIGINT') });
  expect(code).toBe(130);
  expect(readdirSync(join(home, 'fixtures/acme'))).toEqual(names);
  expect(new Set(names.map((name) => read(`fixtures/acme/${name}`)))).toEqual(new Set([PING, WRONG]));
});

test('the pack is told scenario by scenario on demand', async () => {
  const { out } = await withCases({ 'ping.yaml': PING }).run('test', '--pack');
  expect(out).toContain(
    'ok    acme (pack): one package\n      with the order of the pack, service GROUND, production\n',
  );
  expect(out).toContain('wait  acme (pack): a consignment is cancelled: the profile has no operation cancel\n');
});

test('a scenario that fails is a finding, and named with its line', async () => {
  const { code, out } = await withCases({}, `${ACME}statuses: { table: { '*': In Transit } }\n`).run('test');
  expect(code).toBe(1);
  expect(out).toContain('FAIL  acme (pack): a status nobody knows is kept, and moves nothing\n');
  expect(out).toContain('carriers/acme.yaml:10:22\n      the row * takes any status');
});

test('a JUnit report has a suite for the cases and one for the pack', async () => {
  const { run, read } = withCases({ 'a.yaml': PING, 'b.yaml': WRONG });
  const { code, out } = await run('test', '--format', 'junit', '--junit', 'report.xml');
  expect(code).toBe(1);
  expect(out).toBe(read('report.xml'));
  for (const part of [
    '<testsuite name="acme" tests="2" failures="1" skipped="0">',
    '<testcase name="it is there" classname="acme" file="fixtures/acme/a.yaml"/>',
    '<failure message="another request">',
    '<testsuite name="acme (pack)" tests="17" failures="0" skipped="8">',
    '<skipped message="the profile has no operation cancel"/>',
  ])
    expect(out).toContain(part);
});

test.each([
  [['--junit', 'nowhere/report.xml'], 'nowhere/report.xml cannot be written'],
  [['--format', 'xml'], "'xml' is invalid. Allowed choices are pretty, json, junit"],
  [['--watch', '--accept'], '--watch shows text and writes nothing'],
  [['--threshold', '90'], '--threshold goes with --coverage'],
])('%j is misuse: %s', async (args, why) => {
  const { run, home } = withCases({ 'a.yaml': PING });
  expect(await run('test', ...args)).toMatchObject({ code: 2, error: expect.stringContaining(why) });
  expect(readdirSync(home).toSorted()).toEqual(['carriers', 'fixtures']);
});

test('many carriers run side by side, and are told in their order', async () => {
  const codes = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7'];
  const files = codes.flatMap((code) => [
    [`carriers/${code}.yaml`, ACME.replace('carrier: acme', `carrier: ${code}`)] as const,
    [`fixtures/${code}/ping.yaml`, PING] as const,
  ]);
  const { home } = homeWith(Object.fromEntries(files));
  const { code, out } = await waybill(['test', '--no-pack'], { home });
  expect(code).toBe(0);
  expect(out).toBe(`${codes.map((one) => `ok    ${one}: it is there\n`).join('')}7 passed, 0 failed\n`);
});

test('--watch runs again what a changed file touches, and ends on Ctrl-C', async () => {
  const { home } = withCases({ 'a.yaml': PING, 'b.yaml': PING.replace('it is there', 'there it is') });
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

test('--coverage tells what no case comes by, and a field that is neither read nor waived is a finding', async () => {
  const { run } = withCases({ 'ping.yaml': PING });
  const { code, out } = await run('test', '--coverage', '--no-pack', '--threshold', '90');
  expect(code).toBe(1);
  expect(out).toMatch(/acme: [\d.]+ % covered\n {6}carriers\/acme\.yaml:6:5 mandatory referenceId is not read: map it/);
  expect((await run('test', '--coverage', '--no-pack')).code).toBe(1);
});
