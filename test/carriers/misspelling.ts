/** Slips of the pen in the paths of mappings, and whether lint finds them. */
import { join } from 'node:path';
import { directoryCaseFiles } from '../../src/workbench/cases/read.ts';
import { evidenceWithCases } from '../../src/workbench/cases/evidence.ts';
import { type Ast, parse, startOfNode, walk } from '../../src/engine/jsonata/parse.ts';
import { isRoot } from '../../src/engine/mapping/roots.ts';
import { directoryFiles } from '../../src/engine/profile/home-files.ts';
import { expressionsOf } from '../../src/engine/profile/lint/expressions.ts';
import { lintInputOf } from '../../src/engine/profile/load.ts';

const root = join(import.meta.dirname, '../..');
export const homes = { home: directoryFiles(root), shipped: directoryFiles(root) };
export const evidence = evidenceWithCases(directoryCaseFiles(root));

/** `known`: the name is looked up in a schema, or in what the profile or the mapping declares. `shown`: in examples. */
type Ground = 'known' | 'shown';

export interface Slip {
  readonly ground: Ground;
  readonly place: string;
  readonly name: string;
  readonly misspelt: string;
  readonly found: boolean;
}

export interface Slips {
  readonly slips: readonly Slip[];
  /** Names that are looked up in what nothing is known of. */
  readonly open: readonly string[];
  /** Findings before anything is misspelt. */
  readonly untouched: readonly string[];
}

/** Misspells every `nth` name of all expressions of a carrier, one after the other. */
export const misspellAll = (code: string, nth = 1): Slips => {
  const input = lintInputOf(code, homes, evidence);
  if (input === undefined) throw new Error(`${code} cannot be read`);
  const [slips, open, untouched]: [Slip[], string[], string[]] = [[], [], []];
  let count = 0;
  for (const { source, tree, check } of expressionsOf(input)) {
    const { findings, lookups } = check(tree, source.text);
    untouched.push(
      ...findings.map(({ rule, message, offset }) => `${placed(source.placeAt(offset))} ${rule}: ${message}`),
    );
    const names = namesIn(tree, source.text);
    const known = new Set([...names.values()].map(({ bare }) => bare));
    for (const [offset, { name, bare }] of names) {
      count += 1;
      if (count % nth !== 0 || !/[a-z]{2}/i.test(bare)) continue;
      const origin = lookups.get(offset);
      const place = placed(source.placeAt(offset));
      if (origin === undefined) {
        open.push(`${place} ${name}`);
        continue;
      }
      const at = source.text.indexOf(bare, offset);
      const misspelt = misspell(bare, count, known);
      const text = source.text.slice(0, at) + misspelt + source.text.slice(at + bare.length);
      const found = check(parse(text), text).findings.some((finding) => finding.offset === offset);
      slips.push({ ground: origin === 'shown' ? 'shown' : 'known', place, name, misspelt, found });
    }
  }
  return { slips, open, untouched };
};

const placed = ({ file, line, column }: { file: string; line: number; column: number }): string =>
  `${file}:${line}:${column}`;

interface Named {
  readonly name: string;
  readonly bare: string;
}

/** The names of paths, and the roots among the variables, by their places. */
const namesIn = (tree: Ast, text: string): ReadonlyMap<number, Named> => {
  const names = new Map<number, Named>();
  walk(tree, (node) => {
    const isPath = node.type === 'path' ? (node.steps ?? []) : [];
    for (const step of [node, ...isPath]) {
      if (step.type !== 'name' && !(step.type === 'variable' && isRoot(String(step.value)))) continue;
      const bare = String(step.value);
      const offset = startOfNode(text, step);
      if (offset !== undefined && bare.length > 1)
        names.set(offset, { name: text.slice(offset, offset + bare.length + 1).trim(), bare });
    }
  });
  return names;
};

/** A letter dropped, doubled, or swapped with its neighbour: which, and where, is a matter of the count. */
export const misspell = (name: string, count: number, taken: ReadonlySet<string> = new Set()): string => {
  const letters = name.split('');
  for (let more = 0; ; more += 1) {
    const at = 1 + ((count + more) % Math.max(1, letters.length - 1));
    const [before = '', here = ''] = [letters[at - 1], letters[at]];
    const [head, tail] = [letters.slice(0, at).join(''), letters.slice(at + 1).join('')];
    const slip = [
      `${head}${tail}`,
      `${letters.slice(0, at - 1).join('')}${here}${before}${tail}`,
      `${head}${here}${here}${tail}`,
    ][(count + more) % 3];
    const isSlip = slip !== undefined && slip !== name && slip !== '' && !taken.has(slip) && /[a-z]/i.test(here);
    if (isSlip || more > 50) return slip ?? `${name}x`;
  }
};
