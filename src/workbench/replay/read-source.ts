/** Payloads of files and folders, one after the other: what is held at a time is bounded, however much there is. */
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { parse } from 'yaml';
import { directoryCaseFiles, readCase } from '../cases/read.ts';
import { isMap } from '../../engine/value.ts';
import { readJson } from '../../engine/codecs/json.ts';
import { Failure, formatPlace, messageOf, type Place, withHelp } from '../../engine/failure.ts';
import { type As, payloadsOfHar, recognise } from './recognise.ts';
import type { Found } from './payload.ts';
import { type JsonPart, splitJson, splitLines } from './split-json.ts';

interface Reading {
  readonly as: As | undefined;
  /** Places are told relative to it. */
  readonly cwd: string;
  readonly onRead?: (bytes: number) => void;
}

/** One payload, as text; a label of a carrier fits ten times. */
const PART_MAX_CHARS = 20_000_000;
/** Of files that are read whole. */
const FILE_MAX_BYTES = 20_000_000;
const FOLDERS_DEEP_MAX = 12;
const DEPTH_MAX = 100;

/** Files that can be read, by their endings. */
const ENDINGS: ReadonlySet<string> = new Set(['.json', '.jsonl', '.ndjson', '.har', '.yaml', '.yml', '.xml']);

/** How many bytes `readSource` will come by; undefined: there is no such file or folder. */
export const sizeOfSource = (path: string): number | undefined => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isDirectory()) return found.size;
  return filesIn(path).reduce(
    (sum, { full, isFolder }) => sum + ((isFolder ? sizeOfSource(full) : statSync(full).size) ?? 0),
    0,
  );
};

/** Everything a file or folder holds. What cannot be read is told with its place, and keeps nothing else back. */
export async function* readSource(path: string, reading: Reading): AsyncGenerator<Found> {
  const below = relative(reading.cwd, path);
  const place = placeIn(below === '' || below.startsWith('..') ? path : below, 1);
  try {
    if (statSync(path).isDirectory()) yield* readFolder(path, reading, 0);
    else yield* readFile(path, place.file, reading);
  } catch (thrown) {
    yield { broken: { place, why: messageOf(thrown) } };
  }
}

async function* readFolder(path: string, reading: Reading, deep: number): AsyncGenerator<Found> {
  if (deep > FOLDERS_DEEP_MAX) throw new Error('folders are nested too deep');
  for (const { full, isFolder } of filesIn(path)) {
    if (isFolder) yield* readFolder(full, reading, deep + 1);
    else yield* readSource(full, reading);
  }
}

/** What counts of a folder, in order. Links to folders are not followed. */
const filesIn = (path: string): readonly { readonly full: string; readonly isFolder: boolean }[] =>
  readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map((entry) => ({ full: join(path, entry.name), isFolder: entry.isDirectory(), isFile: entry.isFile() }))
    .filter(({ full, isFolder, isFile }) => isFolder || (isFile && ENDINGS.has(extname(full)) && !isBesideCase(full)));

/** `fixtures/<carrier>/` holds cases, and beside them bodies that are parts of them. */
const isInFixtures = (path: string): boolean =>
  basename(dirname(dirname(path))) === 'fixtures' && !basename(dirname(path)).startsWith('_');
const isBesideCase = (path: string): boolean => isInFixtures(path) && extname(path) !== '.yaml';

async function* readFile(path: string, file: string, reading: Reading): AsyncGenerator<Found> {
  switch (extname(path)) {
    case '.jsonl':
    case '.ndjson':
      return yield* payloadsOf(splitLines(chunksOf(path, reading), PART_MAX_CHARS), file, reading);
    case '.har': {
      const parts = splitJson(chunksOf(path, reading), { maxChars: PART_MAX_CHARS, under: 'entries' });
      return yield* eachOf(parts, file, (value, place) => payloadsOfHar(value, place));
    }
    case '.yaml':
    case '.yml':
      return yield* readYaml(path, file, reading);
    case '.xml':
      return yield* found(() => recognise(wholeText(path, reading), placeIn(file, 1), reading.as), placeIn(file, 1));
    default:
      return yield* payloadsOf(splitJson(chunksOf(path, reading), { maxChars: PART_MAX_CHARS }), file, reading);
  }
}

const chunksOf = (path: string, { onRead }: Reading): AsyncIterable<string> => {
  const stream = createReadStream(path, { encoding: 'utf8', highWaterMark: CHUNK_BYTES });
  stream.on('data', (chunk) => onRead?.(Buffer.byteLength(chunk)));
  return stream;
};
const CHUNK_BYTES = 65_536;

const payloadsOf = (parts: AsyncIterable<JsonPart>, file: string, { as }: Reading): AsyncGenerator<Found> =>
  eachOf(parts, file, (value, place) => recognise(value, place, as));

async function* eachOf(
  parts: AsyncIterable<JsonPart>,
  file: string,
  payloads: (value: unknown, place: Place) => ReturnType<typeof recognise>,
): AsyncGenerator<Found> {
  for await (const { text, line, why = 'cannot be read' } of parts) {
    const place = placeIn(file, line);
    if (text === undefined) yield { broken: { place, why } };
    else yield* found(() => payloads(readJson(text, DEPTH_MAX), place), place);
  }
}

const placeIn = (file: string, line: number): Place => ({ file, line, column: 1 });

function* found(payloads: () => ReturnType<typeof recognise>, place: Place): Generator<Found> {
  try {
    for (const payload of payloads()) yield { payload };
  } catch (thrown) {
    yield { broken: { place, why: thrown instanceof Failure ? withHelp(thrown) : messageOf(thrown) } };
  }
}

const wholeText = (path: string, { onRead }: Reading): string => {
  const { size } = statSync(path);
  onRead?.(size);
  if (size > FILE_MAX_BYTES) throw new Error(`the file is larger than ${FILE_MAX_BYTES} bytes`);
  return readFileSync(path, 'utf8');
};

/** A case, or payloads written as YAML. */
function* readYaml(path: string, file: string, reading: Reading): Generator<Found> {
  const { as } = reading;
  const text = wholeText(path, reading);
  if (isInFixtures(path)) return yield readCaseFile(path, file);
  const value: unknown = parse(text, { logLevel: 'error', maxAliasCount: 0 });
  if (isMap(value) && 'flow' in value && 'case' in value) {
    yield { broken: { place: placeIn(file, 1), why: 'a case has to lie in fixtures/<carrier>/' } };
    return;
  }
  for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
    yield* found(() => recognise(one, placeIn(file, 1), as), placeIn(file, 1));
  }
}

const readCaseFile = (path: string, file: string): Found => {
  const carrier = basename(dirname(path));
  const read = readCase(carrier, basename(path), directoryCaseFiles(dirname(dirname(dirname(path)))));
  if (read.ok) return { payload: { kind: 'case', caseFile: read.caseFile, place: placeIn(file, 1), carrier } };
  const [finding] = read.findings;
  const why = finding === undefined ? 'the case cannot be read' : `${formatPlace(finding.place)} ${finding.message}`;
  return { broken: { place: finding?.place ?? placeIn(file, 1), why } };
};
