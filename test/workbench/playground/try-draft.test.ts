import { expect, it, test } from 'vitest';
import { directoryFiles, memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { validator } from '../../../src/engine/validate.ts';
import { CoverReply, LintReply, TryReply } from '../../../src/cli/playground-shapes.ts';
import { directoryCaseFiles, memoryCaseFiles } from '../../../src/workbench/cases/read.ts';
import { beginCarrier } from '../../../src/workbench/playground/begin.ts';
import { isFileOf, textsOf } from '../../../src/workbench/playground/draft.ts';
import { type Draft } from '../../../src/workbench/playground/draft.ts';
import { openDraft } from '../../../src/workbench/playground/try-draft.ts';
import { PROJECT, read } from '../../support/project.ts';

const shipped = directoryFiles(PROJECT);
const homes = { home: shipped, shipped };
const cases = directoryCaseFiles(PROJECT);
const checkTried = validator(TryReply, 'the answer');
const checkCovered = validator(CoverReply, 'the answer');
const checkLinted = validator(LintReply, 'the answer');

const tryDraft = async (draft: Draft, name: string, ...where: [homes: typeof homes, files: typeof cases]) => {
  const opened = openDraft(draft, ...where);
  const { findings: unread, played } = await opened.tryCase(name);
  return { unread, played, ...(await opened.cover()).reply, ...opened.lint(name) };
};

const tryFedex = async (files: Readonly<Record<string, string>> = {}) =>
  await tryDraft({ carrier: 'fedex', files }, 'one-package.yaml', homes, cases);

const MAPPING = 'mappings/fedex/create.jsonata';
type Covered = Parameters<ReturnType<typeof openDraft>['cover']>[0];

it('a draft without changes is the carrier of the home: its cases pass, and every value that is sent has its expression', async () => {
  const tried = await tryFedex();
  const answer = JSON.parse(JSON.stringify({ ...tried, unread: undefined })) as unknown;
  const checks = [checkTried(answer), checkCovered(answer), checkLinted(answer)];
  expect(checks).toMatchObject(checks.map(() => ({ ok: true })));
  expect(tried.findings).toEqual([]);
  expect(tried.cases.length).toBeGreaterThan(3);
  expect(tried.cases.filter(({ passed }) => !passed)).toEqual([]);
  expect(tried.coverage?.percent).toBeGreaterThan(90);
  const { sent = [], exchanges = [], steps = [] } = tried.played ?? {};
  expect(sent.length).toBeGreaterThan(0);
  expect(steps).toMatchObject([{ do: 'create', outcome: 'succeed' }]);
  const values = exchanges.flatMap((one) => one.values);
  expect(values.find(({ reads }) => reads.some((field) => field.startsWith('consignment.destination')))).toMatchObject({
    file: MAPPING,
    line: expect.any(Number),
  });
});

it('what is typed changes what is sent, and nothing on the disk', async () => {
  const before = read(MAPPING);
  const edited = before.replace('$first(destinationContactPerson, destinationName)', '"Somebody Else Example"');
  const tried = await tryFedex({ [MAPPING]: edited });
  expect(tried.played?.sent.some(({ body }) => body.includes('Somebody Else Example'))).toBe(true);
  expect(tried.cases.some(({ passed }) => !passed)).toBe(true);
  expect(tried.played?.problems[0]?.differences.length).toBeGreaterThan(0);
  expect(read(MAPPING)).toBe(before);
});

test.each([
  ['a syntax error', 'carriers/fedex.yaml', 'carrier: [', 'yaml-syntax'],
  ['an unknown key', 'carriers/fedex.yaml', `${read('carriers/fedex.yaml')}\nheders: {}\n`, 'unknown-key'],
  ['half of an expression', MAPPING, '{ "a": consignment.', 'jsonata-syntax'],
])('%s is a finding, and keeps the rest from running', async (_, path, text, rule) => {
  const { unread, findings, played, coverage } = await tryFedex({ [path]: text });
  const finding: unknown = expect.objectContaining({ file: path, rule, severity: 'error' });
  for (const found of [unread, findings]) expect(found).toContainEqual(finding);
  expect([played, coverage]).toEqual([undefined, undefined]);
});

it('a mistake that only lint finds is a finding, and it shows what it does', async () => {
  const text = '{ "a": consignment.destinationNme, "b": consignment.destinationName }';
  const { unread, findings, played } = await tryFedex({ [MAPPING]: text });
  expect(unread).toEqual([]);
  expect(findings).toContainEqual(expect.objectContaining({ file: MAPPING, rule: 'unknown-path', severity: 'error' }));
  expect(played?.sent.at(-1)?.body).toMatch(/^\{"b":/);
});

/** Enough that each of the mappings below has cases that come by it, and cases that do not. */
const FEW = /^(?:one-package|tracked|statuses|rates|cancelled|one-more)\.yaml$/;
const fewCases = {
  ...cases,
  list: (folder: string) =>
    cases.list(folder).filter((name) => folder !== 'fixtures/fedex' || !name.endsWith('.yaml') || FEW.test(name)),
};

it('the coverage after an edit is that of the edited carrier as a whole, whichever cases are run for it', async () => {
  const EVENTS = 'mappings/fedex/events.jsonata';
  const CASE = 'fixtures/fedex/one-package.yaml';
  const edits: readonly Readonly<Record<string, string>>[] = [
    {},
    { [EVENTS]: read(EVENTS).replace('(', '( ') },
    { [EVENTS]: '[]' },
    { [EVENTS]: read(EVENTS) },
    { [MAPPING]: read(MAPPING).replace('"LABEL"', '"NONE"') },
    { [CASE]: read(CASE).replace(/^case: .*$/m, 'case: another title') },
    { [CASE]: 'case: x\nflow: 3\n' },
    { 'fixtures/fedex/one-more.yaml': read(CASE) },
    { 'carriers/fedex.yaml': `${read('carriers/fedex.yaml')}\n# more\n` },
    { [MAPPING]: '{ "a": consignment.' },
    {},
  ];
  let before: Covered;
  for (const files of edits) {
    const cover = async (since: Covered) => await openDraft({ carrier: 'fedex', files }, homes, fewCases).cover(since);
    const after = await cover(before);
    const whole = await cover(undefined);
    expect(after.reply, JSON.stringify(Object.keys(files))).toEqual(whole.reply);
    before = after.covered;
  }
});

const coverWith = async (files: Readonly<Record<string, string>>, before?: Covered) =>
  (await openDraft({ carrier: 'fedex', files }, homes, fewCases).cover(before)).covered!;

it('cases that come by nothing that was edited are not run again', async () => {
  const first = await coverWith({});
  const again = async (files: Readonly<Record<string, string>>): Promise<readonly string[]> =>
    [...(await coverWith(files, first)).cases].flatMap(([name, one]) => (first.cases.get(name) === one ? [] : [name]));
  expect(await again({})).toEqual([]);
  expect(await again({ 'fixtures/fedex/one-package.yaml': `${read('fixtures/fedex/one-package.yaml')}\n` })).toEqual([
    'one-package.yaml',
  ]);
  const ofCreates = await again({ [MAPPING]: `${read(MAPPING)} ` });
  expect(ofCreates).toContain('one-package.yaml');
  expect(ofCreates).not.toContain('rates.yaml');
  expect(await again({ 'carriers/fedex.yaml': `${read('carriers/fedex.yaml')}\n` })).toHaveLength(first.cases.size);
});

it('a case that cannot be read says why', async () => {
  const { findings, played } = await tryFedex({ 'fixtures/fedex/one-package.yaml': 'case: x\nflow: 3\n' });
  expect(findings).toContainEqual(
    expect.objectContaining({ file: 'fixtures/fedex/one-package.yaml', severity: 'error' }),
  );
  expect(played).toBeUndefined();
});

it('a name that leads out of the carrier’s fixtures is no case', async () => {
  const { played } = await tryDraft({ carrier: 'fedex', files: {} }, '../ups/create.yaml', homes, cases);
  expect(played).toBeUndefined();
});

it('a carrier is begun from a curl command, runs at once, and its secret stands nowhere', async () => {
  const curl = `curl -X POST https://api.newco.example/v1/shipments -H 'X-Api-Key: top-secret-key-1' -H 'Content-Type: application/json' \\
  -d '{ "reference": "REF-1", "recipient": { "name": "Erika Example", "street": "Sample Road 22", "city": "Munich", "zip": "80331", "country": "DE" }, "weightKg": 1.5 }'`;
  const answer = '{ "trackingNumber": "NC123456789" }';
  const samples = [
    { name: 'create.txt', text: curl },
    { name: 'create.response.json', text: answer },
  ];
  const { files, toConfirm } = await beginCarrier({ carrier: 'newco', samples }, shipped);
  expect(toConfirm).toBeGreaterThan(0);
  expect(files.every(({ path }) => isFileOf('newco', path))).toBe(true);
  expect(JSON.stringify(files)).not.toContain('top-secret-key-1');
  const draft = { carrier: 'newco', files: Object.fromEntries(files.map(({ path, text }) => [path, text])) };
  const tried = await tryDraft(draft, 'create.yaml', { home: memoryFiles({}), shipped }, memoryCaseFiles({}));
  expect(new Set(tried.findings.filter(({ severity }) => severity === 'error').map(({ rule }) => rule))).toEqual(
    new Set(['unconfirmed']),
  );
  expect(tried.played?.sent.at(-1)).toMatchObject({ method: 'POST', url: 'https://api.newco.example/v1/shipments' });
  expect(tried.cases).toMatchObject([{ name: 'create.yaml', passed: true }]);
});

it('the texts of a carrier are its own files, and the consignments that its cases name', () => {
  const paths = textsOf('fedex', PROJECT, shipped).map(({ path }) => path);
  expect(paths).toContain('carriers/fedex.yaml');
  expect(paths).toContain(MAPPING);
  expect(paths.some((path) => path.startsWith('fixtures/_consignments/'))).toBe(true);
  expect(paths.every((path) => isFileOf('fedex', path))).toBe(true);
});

test.each([
  'carriers/other.yaml',
  'carriers/acme.yaml/x',
  'carriers/../acme.yaml',
  'mappings/acme/../../x.jsonata',
  'mappings/acme/x.js',
  'fixtures/acme/../x.yaml',
  'fixtures/acme/.hidden',
  'fixtures/other/create.yaml',
  '/etc/passwd',
  '.waybill/admin-token',
  'mappings/acme/x.jsonata\0',
  'mappings\\acme\\x.jsonata',
])('%j is no file of the carrier acme', (path) => {
  expect(isFileOf('acme', path)).toBe(false);
});
