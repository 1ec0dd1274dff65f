/** Reads `fixtures/<carrier>/<case>.yaml`: YAML → checked values, each with its place, and the consignment it names. */
import { isMap, type ValuePath } from '../../engine/value.ts';
import { Failure, messageOf, type Place } from '../../engine/failure.ts';
import { collectFindings, type Finding, type Findings, hasErrors, withExcerpts } from '../../engine/profile/finding.ts';
import { parseSource } from '../../engine/profile/source.ts';
import { didYouMean } from '../../engine/mapping/closest.ts';
import { entryOf, itemsOf, type Node } from '../../engine/profile/tree.ts';
import { bodyKeysOf, bodyOf, type ReadBeside, type WithBody } from './bodies.ts';
import type { CaseFiles } from './case-files.ts';
import { readNode, readTree } from './check.ts';
import { Case, METHOD_KEYS, type Step } from './schema.ts';

export type Path = ValuePath;

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
  placeAt(path: Path): Place;
}

export type ReadCase =
  | { readonly ok: true; readonly caseFile: CaseFile; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** A case that stands in no file: everything of it is at one place. */
export const unwrittenCase = (
  content: Case,
  consignment: CaseFile['consignment'],
  { place, carrier }: { readonly place: Place; readonly carrier: string },
): CaseFile => ({
  file: place.file,
  carrier,
  text: '',
  content,
  consignment,
  beside: () => undefined,
  placeAt: () => place,
});

const CONSIGNMENTS = 'fixtures/_consignments';

export const readCase = (carrier: string, name: string, files: CaseFiles): ReadCase => {
  const folder = `fixtures/${carrier}`;
  const file = `${folder}/${name}`;
  const findings = collectFindings();
  const fail = (texts: ReadonlyMap<string, string> = new Map()): ReadCase => ({
    ok: false,
    findings: withExcerpts(findings.list(), texts),
  });
  const text = readText(file, files, findings);
  if (text === undefined) return fail();
  const texts = new Map([[file, text]]);
  const read = readContent(file, text, findings);
  if (read === undefined) return fail(texts);
  const { root, content } = read;

  const placeAt = (path: Path): Place => placeOf(root, path);
  const beside = besideIn(folder, files);
  content.flow.forEach((step, at) => checkStep(step, ['flow', at], { placeAt, beside, findings }));
  const consignment = readConsignment(content, placeAt, files, findings);
  if (hasErrors(findings.list())) return fail(texts);
  const caseFile: CaseFile = { file, carrier, text, content, consignment, beside, placeAt };
  return { ok: true, caseFile, findings: withExcerpts(findings.list(), texts) };
};

/** What happens in a case, for who does not run it; undefined where that cannot be read. */
export const readFlow = (
  carrier: string,
  name: string,
  files: CaseFiles,
): Pick<CaseFile, 'content' | 'beside'> | undefined => {
  const folder = `fixtures/${carrier}`;
  const findings = collectFindings();
  const text = readText(`${folder}/${name}`, files, findings);
  const read = text === undefined ? undefined : readContent(`${folder}/${name}`, text, findings);
  return read === undefined ? undefined : { content: read.content, beside: besideIn(folder, files) };
};

const besideIn =
  (folder: string, files: CaseFiles): ReadBeside =>
  (held) =>
    files.read(`${folder}/${held}`);

const readContent = (
  file: string,
  text: string,
  findings: Findings,
): { readonly root: Node; readonly content: Case } | undefined => {
  const { root, findings: parsed } = parseSource(file, text);
  for (const finding of parsed) findings.add(finding);
  if (root === undefined) return undefined;
  const content = readNode(root, Case, 'the case', findings) as Case;
  return hasErrors(findings.list()) ? undefined : { root, content };
};

const readText = (file: string, files: CaseFiles, findings: Findings): string | undefined => {
  try {
    const bytes = files.read(file);
    if (bytes !== undefined) return bytes.toString('utf8');
    findings.error('missing-file', { file, line: 1, column: 1 }, 'there is no such file');
  } catch (thrown) {
    findings.error('unreadable-file', { file, line: 1, column: 1 }, messageOf(thrown));
  }
  return undefined;
};

const placeOf = (root: Node, path: Path): Place => {
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

const readConsignment = (
  { given }: Case,
  placeAt: (path: Path) => Place,
  files: CaseFiles,
  findings: Findings,
): Readonly<Record<string, unknown>> | undefined => {
  const written = given?.consignment;
  if (written === undefined) return undefined;
  const place = placeAt(['given', 'consignment']);
  const base = typeof written === 'string' ? readNamed(written, place, files, findings) : written;
  const whole = overlay(base, given?.change);
  if (whole === undefined) return undefined;
  if (isMap(whole)) return whole;
  findings.error('wrong-type', place, 'consignment has to be a map or the name of one');
  return undefined;
};

const readNamed = (name: string, place: Place, files: CaseFiles, findings: Findings): unknown => {
  const known = files.list(CONSIGNMENTS).flatMap((file) => (file.endsWith('.yaml') ? [file.slice(0, -5)] : []));
  if (!known.includes(name)) {
    const message = `there is no ${CONSIGNMENTS}/${name.slice(0, 60)}.yaml`;
    findings.error('missing-file', place, message, didYouMean(name, known));
    return undefined;
  }
  const file = `${CONSIGNMENTS}/${name}.yaml`;
  const text = readText(file, files, findings);
  if (text === undefined) return undefined;
  const { root, findings: parsed } = parseSource(file, text);
  for (const finding of parsed) findings.add(finding);
  return root === undefined ? undefined : readTree(root, findings);
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

interface Checking {
  readonly placeAt: (path: Path) => Place;
  readonly beside: ReadBeside;
  readonly findings: Findings;
}

/** What any step may expect. */
const EITHER: ReadonlySet<string> = new Set(['events', 'status']);
const INCOMING: ReadonlySet<string> = new Set(['webhook', 'push']);

const checkStep = (step: Step, path: Path, checking: Checking): void => {
  const { findings, placeAt } = checking;
  const misplaced = (key: keyof Step, why: string): void => {
    if (step[key] !== undefined) findings.error('unknown-key', placeAt([...path, key]), `${key} ${why}`);
  };
  const isIncoming = INCOMING.has(step.do);
  if (isIncoming) {
    misplaced('exchanges', 'is for what we ask of the carrier');
    if (step.request === undefined) findings.error('missing-key', placeAt(path), `${step.do} needs "request"`);
    else checkBody(step.request, [...path, 'request'], checking);
  } else misplaced('request', 'is for webhook and push; what we ask stands in exchanges');
  if (step.do !== 'update') misplaced('change', 'is for update');
  if (step.do !== 'cancel') misplaced('remark', 'is for cancel');
  for (const key of Object.keys(step.expect ?? {})) {
    if (EITHER.has(key) || isIncoming === (key === 'reply')) continue;
    const why = isIncoming ? `is nothing that comes of a ${step.do}` : 'is for webhook and push';
    findings.error('unknown-key', placeAt([...path, 'expect', key]), `${key} ${why}`);
  }
  const { reply } = step.expect ?? {};
  if (typeof reply === 'object') checkBody(reply, [...path, 'expect', 'reply'], checking);
  for (const [at, exchange] of (step.exchanges ?? []).entries()) {
    const here = [...path, 'exchanges', at];
    if (exchange.request === 'same') {
      if (at === 0) findings.error('wrong-value', placeAt(here), 'the first request has no previous one');
    } else {
      const { request } = exchange;
      const methods = METHOD_KEYS.filter((key) => request[key] !== undefined);
      const url = request[methods[0] ?? 'get'];
      if (methods.length !== 1) {
        findings.error('missing-key', placeAt([...here, 'request']), `a request has one of ${METHOD_KEYS.join(', ')}`);
      } else if (url !== undefined && !URL.canParse(url)) {
        findings.error('wrong-value', placeAt([...here, 'request']), `"${url.slice(0, 100)}" is not a whole URL`);
      }
      checkBody(request, [...here, 'request'], checking);
    }
    if (typeof exchange.response === 'object') checkBody(exchange.response, [...here, 'response'], checking);
  }
};

const checkBody = (held: WithBody, path: Path, { placeAt, beside, findings }: Checking): void => {
  const [key, second] = bodyKeysOf(held);
  if (key === undefined) return;
  if (second !== undefined) {
    findings.error('too-many', placeAt([...path, second]), `there is a body already, under "${key}"`);
    return;
  }
  try {
    bodyOf(held, beside);
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    findings.error(
      thrown.code === 'missing_file' ? 'missing-file' : 'wrong-value',
      placeAt([...path, key]),
      thrown.message,
      thrown.help,
    );
  }
};
