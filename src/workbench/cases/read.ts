/** Reads `fixtures/<carrier>/<case>.yaml`: YAML → checked values, each with its place, and the consignment it names. */
import { Failure, messageOf, type Place } from '../../engine/failure.ts';
import { didYouMean } from '../../engine/mapping/closest.ts';
import { collectFindings, type Finding, type Findings, hasErrors, withExcerpts } from '../../engine/profile/finding.ts';
import type { Shape } from '../../engine/profile/language/kinds.ts';
import { checkTree, readChecked } from '../../engine/profile/check.ts';
import { parseSource } from '../../engine/profile/source.ts';
import { dataOf, entryOf, itemsOf, type Node } from '../../engine/profile/tree.ts';
import { isMap, type ValuePath } from '../../engine/value.ts';
import { bodyKeysOf, bodyOf, type ReadBeside, type WithBody } from './bodies.ts';
import { rememberingFiles } from './remembered.ts';
import { Case, METHOD_KEYS, type Step } from './schema.ts';
import { findFile } from '../../engine/profile/home-files.ts';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface CaseFile {
  /** `fixtures/<carrier>/<case>.yaml`, below the home. */
  readonly file: string;
  readonly carrier: string;
  readonly text: string;
  readonly content: Case;
  /** As the case begins; undefined where none is given. */
  readonly consignment: Readonly<Record<string, unknown>> | undefined;
  readonly beside: ReadBeside;
  /** Of the node at a path, or of the last of it that is written. */
  placeAt(path: ValuePath): Place;
}

type ReadCase = { readonly findings: readonly Finding[] } & (
  | { readonly ok: true; readonly caseFile: CaseFile }
  | { readonly ok: false }
);

/** A case that stands in no file: everything of it is at one place, and its consignment is written out. */
export const unwrittenCase = (content: Case, place: Place, carrier: string): CaseFile => ({
  file: place.file,
  carrier,
  text: '',
  content,
  consignment: content.given?.consignment as CaseFile['consignment'],
  beside: () => undefined,
  placeAt: () => place,
});

const CONSIGNMENTS = 'fixtures/_consignments';

export const readCase = (carrier: string, name: string, files: CaseFiles): ReadCase => {
  const read = readKnown(carrier, name, files);
  return read.ok ? { ...read, caseFile: { ...read.caseFile, beside: besideIn(carrier, files) } } : read;
};

const readKnown = rememberingFiles((carrier, name, files: CaseFiles): ReadCase => {
  const findings = collectFindings();
  const reading = { files, findings };
  const read = readContent(carrier, name, reading);
  const caseFile = read && !hasErrors(findings.list()) ? checked(read, reading) : undefined;
  const found = withExcerpts(findings.list(), new Map(read && [[read.file, read.text]]));
  return caseFile === undefined || hasErrors(found)
    ? { ok: false, findings: found }
    : { ok: true, caseFile, findings: found };
});

const besideIn =
  (carrier: string, files: CaseFiles): ReadBeside =>
  (name) =>
    files.read(`fixtures/${carrier}/${name}`);

/** What happens in a case, for who does not run it; undefined where that cannot be read. */
export const readFlow = (
  carrier: string,
  name: string,
  files: CaseFiles,
): Pick<CaseFile, 'content' | 'beside'> | undefined => {
  const findings = collectFindings();
  const read = readContent(carrier, name, { files, findings });
  return hasErrors(findings.list()) ? undefined : read;
};

interface Reading {
  readonly files: CaseFiles;
  readonly findings: Findings;
}

/** undefined: there is no such file, or it is no YAML. Where it breaks the format, its findings are errors. */
const readContent = (carrier: string, name: string, reading: Reading): Omit<CaseFile, 'consignment'> | undefined => {
  const file = `fixtures/${carrier}/${name}`;
  const source = readYaml(file, reading);
  if (source === undefined) return undefined;
  const { text, root } = source;
  const content = root && (readChecked(root, Case as unknown as Shape, 'the case', reading.findings) as Case);
  return {
    file,
    carrier,
    text,
    content: content as Case,
    beside: besideIn(carrier, reading.files),
    placeAt: (path) => placeOf(root as Node, path),
  };
};

const readYaml = (file: string, { files, findings }: Reading): { text: string; root: Node | undefined } | undefined => {
  const place = { file, line: 1, column: 1 };
  try {
    const text = files.read(file)?.toString('utf8');
    if (text === undefined) findings.report('missing-file', place, 'there is no such file');
    if (text === undefined) return undefined;
    const { root, findings: parsed } = parseSource(file, text);
    for (const finding of parsed) findings.add(finding);
    return { text, root };
  } catch (thrown) {
    findings.report('unreadable-file', place, messageOf(thrown));
    return undefined;
  }
};

const placeOf = (root: Node, path: ValuePath): Place => {
  let node = root;
  let { place } = root;
  for (const part of path) {
    const entry = typeof part === 'string' ? entryOf(node, part) : undefined;
    const next = typeof part === 'string' ? entry?.value : itemsOf(node)[part];
    if (next === undefined) break;
    node = next;
    place = entry?.key.place ?? next.place;
  }
  return place;
};

// The consignment ---------------------------------------------------------------------------------------------------

const checked = (read: Omit<CaseFile, 'consignment'>, { files, findings }: Reading): CaseFile => {
  const { content, beside, placeAt } = read;
  const { consignment: written, change } = content.given ?? {};
  content.flow.forEach((step, at) => checkStep(step, ['flow', at], { placeAt, beside, findings }));
  const place = placeAt(['given', 'consignment']);
  const base = typeof written === 'string' ? readNamed(written, place, { files, findings }) : written;
  const consignment = written === undefined ? undefined : overlay(base, change);
  if (isMap(consignment)) return { ...read, consignment };
  if (consignment !== undefined) {
    findings.report('wrong-type', place, 'consignment must be a map or the name of one');
  }
  return { ...read, consignment: undefined };
};

const readNamed = (name: string, place: Place, reading: Reading): unknown => {
  const { files, findings } = reading;
  const known = files.list(CONSIGNMENTS).flatMap((file) => (file.endsWith('.yaml') ? [file.slice(0, -5)] : []));
  if (!known.includes(name)) {
    const message = `there is no ${CONSIGNMENTS}/${name.slice(0, 60)}.yaml`;
    findings.report('missing-file', place, message, didYouMean(name, known));
    return undefined;
  }
  const root = readYaml(`${CONSIGNMENTS}/${name}.yaml`, reading)?.root;
  if (root === undefined) return undefined;
  checkTree(root, 'value', findings);
  return dataOf(root);
};

/** `change` laid over `base`: maps merge, lists and scalars replace, `null` takes a field away (as `extends` does). */
export const overlay = (base: unknown, change: unknown): unknown => {
  if (change === undefined) return base;
  if (!isMap(base) || !isMap(change)) return change;
  const merged = { ...base };
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete merged[key];
    else merged[key] = overlay(merged[key], value);
  }
  return merged;
};

// What the schema cannot say ----------------------------------------------------------------------------------------

interface Checking extends Pick<CaseFile, 'placeAt' | 'beside'> {
  readonly findings: Findings;
}

/** What any step may expect. */
const EITHER: ReadonlySet<string> = new Set(['events', 'status']);
/** What a choice of a policy comes to. */
const CHOSEN: ReadonlySet<string> = new Set(['rule', 'taken', 'ranked', 'offer', 'excluded']);
const INCOMING: ReadonlySet<string> = new Set(['webhook', 'push']);

const checkStep = (step: Step, path: ValuePath, checking: Checking): void => {
  const { findings, placeAt, beside } = checking;
  const misplaced = (key: keyof Step, why: string): void => {
    if (step[key] !== undefined) findings.report('unknown-key', placeAt([...path, key]), `${key} ${why}`);
  };
  const isIncoming = INCOMING.has(step.do);
  if (isIncoming) {
    misplaced('exchanges', 'is for what we ask of the carrier');
    if (step.request === undefined) findings.report('missing-key', placeAt(path), `${step.do} needs "request"`);
    else checkBody(step.request, [...path, 'request'], checking);
  } else misplaced('request', 'is for webhook and push; what we ask stands in exchanges');
  if (step.do !== 'update') misplaced('change', 'is for update');
  if (step.do !== 'cancel') misplaced('remark', 'is for cancel');
  if (step.do === 'choose') misplaced('exchanges', 'is for carriers: what they offer stands in given.offers');
  for (const key of Object.keys(step.expect ?? {})) {
    const isOfChoice = CHOSEN.has(key);
    if (isOfChoice !== (step.do === 'choose')) {
      const why = isOfChoice ? 'is for choose' : 'is nothing that comes of a choose';
      findings.report('unknown-key', placeAt([...path, 'expect', key]), `${key} ${why}`);
      continue;
    }
    if (isOfChoice || EITHER.has(key) || isIncoming === (key === 'reply')) continue;
    const why = isIncoming ? `is nothing that comes of a ${step.do}` : 'is for webhook and push';
    findings.report('unknown-key', placeAt([...path, 'expect', key]), `${key} ${why}`);
  }
  const { reply } = step.expect ?? {};
  if (typeof reply === 'object') checkBody(reply, [...path, 'expect', 'reply'], checking);
  for (const [at, { request, response }] of (step.exchanges ?? []).entries()) {
    const here = [...path, 'exchanges', at];
    const requestPlace = placeAt([...here, 'request']);
    if (typeof response === 'object') checkBody(response, [...here, 'response'], checking);
    if (request === 'same') {
      if (at === 0) findings.report('wrong-value', placeAt(here), 'the first request has no previous one');
      continue;
    }
    checkBody(request, [...here, 'request'], { ...checking, beside: (name) => beside(name) ?? Buffer.alloc(0) });
    const urls = METHOD_KEYS.flatMap((key) => request[key] ?? []);
    if (urls.length !== 1) {
      findings.report('missing-key', requestPlace, `a request has one of ${METHOD_KEYS.join(', ')}`);
    }
    for (const url of urls.length === 1 ? urls.filter((one) => !URL.canParse(one)) : []) {
      findings.report('wrong-value', requestPlace, `"${url.slice(0, 100)}" is not a whole URL`);
    }
  }
};

const checkBody = (held: WithBody, path: ValuePath, { placeAt, beside, findings }: Checking): void => {
  const [key = '', second] = bodyKeysOf(held);
  if (second !== undefined) {
    findings.report('too-many', placeAt([...path, second]), `there is a body already, under "${key}"`);
    return;
  }
  try {
    bodyOf(held, beside);
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    const rule = thrown.code === 'missing_file' ? 'missing-file' : 'wrong-value';
    findings.report(rule, placeAt([...path, key]), thrown.message, thrown.help);
  }
};

export interface CaseFiles {
  /** undefined when there is no such file. Throws a `Failure` when it is too large. */
  read(path: string): Buffer | undefined;
  /** Names of the files directly in a folder; none when there is no such folder. */
  list(folder: string): readonly string[];
  folders(folder: string): readonly string[];
}

const READ_MAX_BYTES = 20_000_000;

export const directoryCaseFiles = (root: string): CaseFiles => {
  const names = (folder: string, wantsFolders: boolean): string[] => {
    const full = join(root, folder);
    if (statSync(full, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
    return readdirSync(full, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() === wantsFolders)
      .map(({ name }) => name)
      .toSorted();
  };
  return {
    read: (path) => {
      const full = join(root, path);
      const found = findFile(full);
      if (found?.isFile() !== true) return undefined;
      if (found.size > READ_MAX_BYTES) {
        throw new Failure(`${path} is larger than ${READ_MAX_BYTES} bytes`, { code: 'file_too_large' });
      }
      return readFileSync(full);
    },
    list: (folder) => names(folder, false),
    folders: (folder) => names(folder, true),
  };
};

/** Files in memory, by their paths below the home. */
export const memoryCaseFiles = (files: Readonly<Record<string, string | Buffer>>): CaseFiles => {
  const below = (folder: string): string[] =>
    Object.keys(files).flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []));
  return {
    read: (path) => (Object.hasOwn(files, path) ? Buffer.from(files[path] ?? '') : undefined),
    list: (folder) => below(folder).filter((name) => !name.includes('/')),
    folders: (folder) => [...new Set(below(folder).flatMap((name) => /^(.+?)\//.exec(name)?.[1] ?? []))],
  };
};

export const caseNames = (carrier: string, files: CaseFiles): readonly string[] =>
  files.list(`fixtures/${carrier}`).filter((name) => name.endsWith('.yaml'));

export const carriersWithCases = (files: CaseFiles): readonly string[] =>
  files.folders('fixtures').filter((name) => !name.startsWith('_') && caseNames(name, files).length > 0);
