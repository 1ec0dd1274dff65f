/**
 * Broken profiles and mappings: data. A case writes what differs from a profile in which nothing is wrong. A « stands
 * right before what a finding points at; `mended` says what of the text is to be written otherwise, and then nothing is
 * found.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { Finding } from '../../../src/engine/profile/finding.ts';
import { evidenceWithCases } from '../../../src/workbench/cases/evidence.ts';
import { caseNames, readCase } from '../../../src/workbench/cases/read.ts';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { type RuleName, RULES } from '../../../src/engine/profile/rules.ts';
import { codesOf } from '../../../src/engine/profile/chain.ts';
import { loadHome } from '../../../src/engine/profile/load.ts';
import { memoryCaseFiles } from '../../../src/workbench/cases/read.ts';

interface Expected {
  readonly place: string;
  readonly rule: string;
  /** With the help in brackets. */
  readonly message: string;
}

type Files = Readonly<Record<string, string>>;

export interface Broken {
  readonly why: string;
  readonly files: Files;
  /** The same files without what is wrong; not every case has them. */
  readonly mended: Files | undefined;
  /** In the order of the marks. */
  readonly expected: readonly Expected[];
}

/** Beside these keys each rule that finds something, with what it says, in the order of the marks. */
interface Written extends Readonly<Partial<Record<RuleName, string | readonly string[]>>> {
  readonly why: string;
  /** Keys of `create`, of `operations` and of the profile, beside those that are there. */
  readonly create?: string;
  readonly operations?: string;
  readonly profile?: string;
  /** Instead of the result of `create`. */
  readonly result?: string;
  /** The result of `track`: there is none without it, or a table. */
  readonly track?: string;
  /** The status table, for events of `track`. */
  readonly table?: string;
  /** Instead of the environments. */
  readonly environments?: string;
  /** The mapping of the body of `create`. */
  readonly order?: string;
  /** The carrier's schema of that body. */
  readonly schema?: 'standard';
  /** Further files; a profile that is written out stands for itself. In it HEAD, CREATE and RESULT are written short. */
  readonly files?: Files;
  readonly mended?: Readonly<Record<string, string>>;
}

const RESULT = '{ "itemsTrackDetails": response.body.{ "trackingNumber": number } }';
const EVENTS =
  'response.body.events.{ "value": $item.trackingNumber, "carrierStatusCode": code, "statusReceivedAt": at }';
const HEAD = "carrier: acme\nname: Acme\nenvironments: { production: { url: 'https://acme.example' } }\n";
const SCHEMA = {
  type: 'object',
  required: ['reference', 'parcels'],
  properties: {
    reference: { type: 'string' },
    service: { enum: ['STD', 'EXP'] },
    parcels: { type: 'array', items: { type: 'object', properties: { kg: { type: 'number' } } } },
  },
};

const TRACK = "track:\n  get: '/events/${item.trackingNumber}'\n  result: |\n";
/** What is written short in profiles and in what mends them. */
const SHORT: Readonly<Record<string, string>> = {
  HEAD: HEAD.trimEnd(),
  CREATE: `operations:\n  create:\n    post: /orders\n    result: |\n      ${RESULT}`,
  RESULT: `result: |\n        ${RESULT}`,
};
const writtenOut = (text: string): string =>
  text.replaceAll(/\b(?:HEAD|CREATE|RESULT)$/gm, (word) => SHORT[word] ?? word);

const filesOf = (written: Written): Files => {
  const { order, schema, result = RESULT, table, environments, profile = '' } = written;
  const track = written.track ?? (table === undefined ? undefined : EVENTS);
  const head =
    environments === undefined ? HEAD : `carrier: acme\nname: Acme\nenvironments:\n${indented(2, environments)}`;
  const tracking = track === undefined ? '' : `${TRACK}${indented(4, track)}`;
  const operations = `${tracking}${written.operations ?? ''}`;
  const files = Object.entries(written.files ?? {}).map(([name, text]) => [name, writtenOut(text)]);
  const create = written.create ?? (order === undefined ? '' : 'body: { json: order.jsonata }');
  const statuses = table === undefined ? '' : `statuses: { table: ${table} }\n`;
  const operation = `create:\n  post: /orders\n${indented(2, create)}  result: |\n${indented(4, result)}`;
  return {
    'carriers/acme.yaml': `${head}operations:\n${indented(2, operation)}${indented(2, operations)}${statuses}${indented(0, profile)}`,
    ...(order === undefined ? {} : { 'mappings/acme/order.jsonata': order }),
    ...(schema === undefined ? {} : { 'schemas/acme/create.request.json': JSON.stringify(SCHEMA, null, 2) }),
    ...Object.fromEntries(files),
  };
};

const indented = (by: number, text: string): string =>
  text === '' ? '' : `${' '.repeat(by)}${text.trimEnd().replaceAll('\n', `\n${' '.repeat(by)}`)}\n`;

const FOLDER = path.join(import.meta.dirname, 'broken');

export const readBroken = (): readonly Broken[] =>
  readdirSync(FOLDER).flatMap((file) =>
    (parse(readFileSync(path.join(FOLDER, file), 'utf8')) as readonly Written[]).map(brokenOf),
  );

const brokenOf = (written: Written): Broken => {
  const { why, mended } = written;
  const files = filesOf(written);
  const places = Object.entries(files).flatMap(([name, text]) => markedPlaces(name, text));
  const found = Object.entries(written).filter(([key]) => Object.hasOwn(RULES, key));
  const expected = found
    .flatMap(([rule, says]) => [says].flat().map((message: string) => ({ rule, message })))
    .map((finding, at): Expected => ({ place: places[at] ?? 'nowhere', ...finding }));
  if (places.length !== expected.length) throw new Error(`${why}: ${places.length} marks, ${expected.length} findings`);
  const plain = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replaceAll('«', '')]));
  return { why, files: plain, mended: mended === undefined ? undefined : mend(why, plain, mended), expected };
};

const mend = (name: string, files: Files, changes: Readonly<Record<string, string>>): Files => {
  let mended = Object.entries(files);
  for (const [written, instead] of Object.entries(changes)) {
    if (!mended.some(([, text]) => text.includes(written))) throw new Error(`${name}: nowhere is "${written}"`);
    mended = mended.map(([file, text]) => [file, text.replaceAll(written, () => writtenOut(instead))]);
  }
  return Object.fromEntries(mended);
};

const markedPlaces = (file: string, text: string): readonly string[] =>
  text
    .split('\n')
    .flatMap((line, at) =>
      [...line.matchAll(/«/g)].map(({ index }, before) => `${file}:${at + 1}:${index - before + 1}`),
    );

/** Of the profiles, their mappings, and their cases. */
export const findingsOf = (files: Files): readonly Finding[] => {
  const cases = memoryCaseFiles(files);
  const home = memoryFiles(files);
  const inCases = codesOf(home).flatMap((code) =>
    caseNames(code, cases).flatMap((name) => readCase(code, name, cases).findings),
  );
  return [...loadHome({ home, shipped: memoryFiles({}) }, evidenceWithCases(cases)).findings, ...inCases];
};

/** For each rule that has one, the case that shows it best: mended, and with little else in it. */
export const bestExamples = (corpus: readonly Broken[]): ReadonlyMap<string, Broken & { readonly mended: Files }> => {
  const best = new Map<string, Broken & { readonly mended: Files }>();
  for (const broken of corpus.toSorted((one, other) => one.expected.length - other.expected.length)) {
    const { mended } = broken;
    if (mended === undefined) continue;
    for (const { rule } of broken.expected) if (!best.has(rule)) best.set(rule, { ...broken, mended });
  }
  return best;
};
