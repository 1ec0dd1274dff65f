import { createHash } from 'node:crypto';
import { CODE_PATTERN } from './language/profile.ts';
import { alternativeFor, CARRIER_SHAPE, isTree, shapeOfKey } from './language/shape.ts';
import type { Findings } from './finding.ts';
import type { HomeFiles } from './home-files.ts';
import type { Shape } from './language/kinds.ts';
import { parseSource } from './source.ts';
import { didYouMean } from '../mapping/closest.ts';
import { ungroupStatuses } from './status-groups.ts';
import { type Entry, entryOf, isNull, type MapNode, type Node, valueOf } from './tree.ts';

interface Link {
  readonly code: string;
  readonly path: string;
  readonly text: string;
  /** Where it was found: its mappings are there too. */
  readonly files: HomeFiles;
}

export interface Homes {
  readonly home: HomeFiles;
  /** What ships with the engine: bases only. */
  readonly shipped: HomeFiles;
}

const LINKS_MAX = 16;
/** What a profile says of itself alone. */
const OWN_KEYS: ReadonlySet<string> = new Set(['carrier', 'name', 'abstract', 'extends']);

export const profilePath = (code: string): string => `carriers/${code}.yaml`;

/** Reads a profile and what it `extends`, and merges them. */
export const readChain = (code: string, homes: Homes, findings: Findings) => {
  const links: Link[] = [];
  let merged: Node | undefined;
  let complete = true;
  let next: { readonly code: string; readonly by: Node | undefined } | undefined = { code, by: undefined };
  while (next !== undefined) {
    const link = findLink(next.code, homes, links.length > 0);
    if (link === undefined) {
      reportMissing(next.code, next.by, homes, findings);
      complete = false;
      break;
    }
    links.push(link);
    const { root: read, findings: parsed } = parseSource(link.path, link.text);
    for (const finding of parsed) findings.add(finding);
    if (read === undefined) {
      complete = false;
      break;
    }
    const root = ungroupStatuses(read, findings);
    checkCode(root, link.code, findings);
    merged = merged === undefined ? root : mergeTrees(withoutOwnKeys(root), merged, CARRIER_SHAPE);
    next = baseOf(root, link.code);
    const circle = links.findIndex((each) => each.code === next?.code);
    if (next !== undefined && (circle !== -1 || links.length >= LINKS_MAX)) {
      const way = [...links.slice(Math.max(0, circle)).map((each) => each.code), next.code].join(' → ');
      findings.report('circle', next.by?.place ?? root.place, `extends is circular: ${way}`);
      complete = false;
      break;
    }
  }
  return { code, links, root: complete ? merged : undefined };
};

const findLink = (code: string, { home, shipped }: Homes, isBase: boolean): Link | undefined => {
  if (!CODE_PATTERN.test(code)) return undefined;
  const path = profilePath(code);
  for (const files of isBase ? [home, shipped] : [home]) {
    const text = files.read(path);
    if (text !== undefined) return { code, path, text, files };
  }
  return undefined;
};

const baseOf = (root: Node, code: string): { readonly code: string; readonly by: Node | undefined } | undefined => {
  const by = valueOf(root, 'extends');
  if (by?.kind === 'scalar') return { code: by.text, by };
  if (by !== undefined || valueOf(root, 'operations') !== undefined || code === 'contract') return undefined;
  return { code: 'contract', by: undefined };
};

const withoutOwnKeys = (root: Node): Node =>
  root.kind === 'map' ? { ...root, entries: root.entries.filter((entry) => !OWN_KEYS.has(entry.key.text)) } : root;

const checkCode = (root: Node, code: string, findings: Findings): void => {
  const written = entryOf(root, 'carrier')?.value;
  if (written?.kind !== 'scalar' || written.text === code) return;
  const message = `the file is named ${code}.yaml, but the carrier "${written.text.slice(0, 60)}"`;
  findings.report('wrong-code', written.place, message, 'a profile is named after its carrier');
};

const reportMissing = (code: string, by: Node | undefined, homes: Homes, findings: Findings): void => {
  const place = by?.place ?? { file: profilePath(code), line: 1, column: 1 };
  const known = [...codesOf(homes.home), ...codesOf(homes.shipped)];
  const message =
    by === undefined
      ? `there is no ${profilePath(code.slice(0, 80))}`
      : `there is no profile "${code.slice(0, 60)}" to extend`;
  findings.report('missing-base', place, message, didYouMean(code, known));
};

export const codesOf = (files: HomeFiles): readonly string[] =>
  files
    .list('carriers')
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))
    .filter((code) => CODE_PATTERN.test(code));

/** The version of a carrier: a hash over every text it is made of, whatever the order they were read in. */
export const hashTexts = (code: string, files: Readonly<Record<string, string>>): string => {
  const entries = Object.entries(files).toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  return createHash('sha256')
    .update(JSON.stringify([code, entries]))
    .digest('hex');
};

/**
 * Lays a profile over its base: maps merge, lists and scalars replace, `null` takes a key away. Where a map
 * has one of several keys (a method, a codec, a kind of auth), the profile's choice replaces the base's. Every node
 * keeps the place it was written at. A `null` stays in the result, since it also takes back what a step would inherit.
 */
const mergeTrees = (base: Node, over: Node, shape: Shape | undefined): Node => {
  if (base.kind !== 'map' || over.kind !== 'map') return over;
  const map = alternativeFor(shape, 'map');
  const free = map !== undefined && isTree(map);
  const inner = (key: string): Shape | undefined => (free ? map : shapeOfKey(map, key));
  const replaced = replacedKeys(over, map);
  const entries: Entry[] = [];
  for (const entry of base.entries) {
    const key = entry.key.text;
    const own = over.entries.find((candidate) => candidate.key.text === key);
    if (own === undefined) {
      if (!replaced.has(key)) entries.push(entry);
    } else if (own.value.kind === 'scalar' && isNull(own.value)) {
      // In a free tree null is a value, so that a key taken away has to be gone.
      if (!free) entries.push({ key: own.key, value: { ...own.value, removed: true } });
    } else entries.push({ key: own.key, value: mergeTrees(entry.value, own.value, inner(key)) });
  }
  const known = new Set(base.entries.map((entry) => entry.key.text));
  entries.push(...over.entries.filter((entry) => !known.has(entry.key.text)));
  return { ...over, entries };
};

/** Keys of the base that the profile's own choice among alternatives replaces. */
const replacedKeys = (over: MapNode, shape: Shape | undefined): ReadonlySet<string> => {
  const keys = shape?.meta?.oneOf?.keys ?? [];
  const isChosen = over.entries.some((entry) => keys.includes(entry.key.text) && !isNull(entry.value));
  return new Set(isChosen ? keys : []);
};
