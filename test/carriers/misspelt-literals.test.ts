import { expect, test } from 'vitest';
import { type Ast, walk } from '../../src/engine/jsonata/parse.ts';
import { collectFindings } from '../../src/engine/profile/finding.ts';
import { memoryFiles } from '../../src/engine/profile/home-files.ts';
import { placeOfNode } from '../../src/engine/profile/lint/rule.ts';
import { draftOf, lintInputOf, loadCarrier } from '../../src/engine/profile/load.ts';
import type { Place } from '../../src/engine/failure.ts';
import type { Node } from '../../src/engine/profile/tree.ts';
import { caseNames, directoryCaseFiles } from '../../src/workbench/cases/read.ts';
import { runCaseNamed } from '../../src/workbench/cases/run.ts';
import { evidence, homes, misspell } from './misspelling.ts';
import { ROOT } from './bundled.ts';

/** Every how many-th literal is misspelt: all of them by `npm run misspell`, a sample each time else. */
const EVERY = Number(process.env['MISSPELL_EVERY'] ?? 31);
const codes = homes.home.list('carriers').map((file) => file.replace('.yaml', ''));
const files = directoryCaseFiles(ROOT);

type Kind = 'request key' | 'text' | 'argument' | 'status code' | 'URL';
interface Literal {
  readonly kind: Kind;
  readonly word: string;
  readonly place: Place;
}

/** Itself, or what it lists. */
const texts = (node: Ast | undefined): readonly Ast[] =>
  node?.type === 'string'
    ? [node]
    : node?.value === '['
      ? (node.expressions ?? []).filter(({ type }) => type === 'string')
      : [];

/** Whatever a carrier's profile and its own mappings write out: letters only, as digits have no slips that anyone could see. */
const literalsOf = (code: string): readonly Literal[] => {
  const input = lintInputOf(code, homes, evidence);
  if (input === undefined) return [];
  const found = new Map<string, Literal>();
  const add = (kind: Kind, word: string, place: Place): void => {
    const isOwn = place.file === `carriers/${code}.yaml` || place.file.startsWith(`mappings/${code}/`);
    // Prose may say anything.
    if (isOwn && /[a-z]{2}/i.test(word) && !/(?:\w+ ){4}/.test(word))
      found.set(JSON.stringify(place), { kind, word, place });
  };
  for (const { source, tree, site } of input.uses) {
    const isRequest = site.position === 'request' && site.codec !== undefined;
    const literal = (kind: Kind, node: Ast) => add(kind, String(node.value), placeOfNode(source, node));
    walk(tree, (node) => {
      const { type, value, lhs, rhs } = node;
      const name = String(node.procedure?.value);
      // What these are given is said to people, or is a name of our own.
      const isTelling = ['reject', 'error', 'sequence', 'uuid'].includes(name);
      if (type === 'function' && !isTelling)
        for (const each of node.arguments ?? []) for (const text of texts(each)) literal('argument', text);
      if (type === 'binary' && ['=', '!=', 'in'].includes(String(value)))
        for (const text of [...texts(lhs as Ast), ...texts(rhs)]) literal('text', text);
      if (type === 'bind') for (const text of texts(rhs)) literal('text', text);
      if (type !== 'unary' || value !== '{' || !isRequest) return;
      for (const [key, held] of lhs as readonly (readonly [Ast, Ast])[]) {
        if (key.type === 'string') literal('request key', key);
        // Units, types, services: codes, not words.
        if (held.type === 'string' && /^[A-Z\d_.-]+$/.test(String(held.value))) literal('text', held);
      }
    });
  }
  const keys = (node: Node): void => {
    if (node.kind === 'list') node.items.forEach(keys);
    if (node.kind !== 'map') return;
    for (const { key, value } of node.entries) {
      add('request key', key.text, key.place);
      keys(value);
    }
  };
  for (const { node, site } of input.trees) if (site.position === 'request') keys(node);
  for (const row of input.carrier.statuses.table) add('status code', row.key, row.place);
  for (const { text, place } of input.urls) if (text.startsWith('/')) add('URL', text, place);
  return [...found.values()];
};
/** Yields the carrier's files with the word misspelt; undefined where it is not written in that place as it is. */
const misspelt = ({ word, place }: Literal, count: number) => {
  const lines = (homes.home.read(place.file) ?? '').split('\n');
  const line = lines[place.line - 1] ?? '';
  const at = line.indexOf(word, place.column - 1);
  if (at === -1) return undefined;
  const slip = misspell(word, count);
  lines[place.line - 1] = line.slice(0, at) + slip + line.slice(at + word.length);
  const changed = memoryFiles({ [place.file]: lines.join('\n') });
  const home = { read: (path: string) => changed.read(path) ?? homes.home.read(path), list: homes.home.list };
  return { slip, homes: { ...homes, home } };
};

test(
  'a letter wrong in a key, code, argument or URL of any carrier is found by lint or by a case',
  { timeout: 1_200_000 },
  async () => {
    const [shown, all] = [
      { found: 0, of: 0 },
      { found: 0, of: 0 },
    ];
    const missed: string[] = [];
    let count = 0;
    for (const code of codes) {
      const { keys, texts } = evidence(code, homes, collectFindings()).words();
      if (keys.size === 0) continue;
      for (const literal of literalsOf(code)) {
        count += 1;
        const broken = count % EVERY === 0 ? misspelt(literal, count) : undefined;
        if (broken === undefined) continue;
        const { word, kind, place } = literal;
        const loaded = loadCarrier(code, broken.homes, evidence);
        const byLint = loaded.findings.length > 0;
        const isShown = word.split(/[/?&=*]/).some((part) => keys.has(part) || texts.has(part));
        if (isShown) shown.of += 1;
        if (isShown && byLint) shown.found += 1;
        all.of += 1;
        const carrier = draftOf(loaded);
        let isFound = byLint || carrier === undefined;
        for (const name of isFound ? [] : caseNames(code, files)) {
          isFound ||= carrier !== undefined && (await runCaseNamed(carrier, name, files)).report.problems.length > 0;
          if (isFound) break;
        }
        if (isFound) all.found += 1;
        else missed.push(`missed: ${kind} ${word} as ${broken.slip} at ${place.file}:${place.line}:${place.column}`);
        if (isShown && !byLint)
          missed.push(`not by lint: ${kind} ${word} as ${broken.slip} at ${place.file}:${place.line}`);
      }
    }
    console.log(
      `lint and cases: ${all.found} of ${all.of}; lint alone, of what cases show: ${shown.found} of ${shown.of}`,
    );
    for (const each of missed) console.log(`  ${each}`);
    expect(all.of).toBeGreaterThan(20);
    // A sample may have a few more.
    const more = EVERY === 1 ? 0 : 3;
    expect(all.found + more).toBeGreaterThanOrEqual(0.97 * all.of);
    expect(shown.found + more).toBeGreaterThanOrEqual(0.85 * shown.of);
  },
);
