/** The words by which a carrier and its callers name shipments, and how those of a case become others. */
import { literally } from '../../engine/text.ts';
import { mapLeaves } from './document.ts';

/** What names something: neither a quantity nor a date. */
export const isWord = (text: string): boolean =>
  text.length >= 4 &&
  text.length <= 100 &&
  /\d/.test(text) &&
  (/[a-z]/i.test(text) || /^\d{4,}$/.test(text)) &&
  !/^\d{4}-?\d\d-?\d\d(\D|$)|^https?:|\s{2}|[<>{}]/i.test(text);

/** What the carrier gave as a name may be without a digit. */
export const isName = (text: string): boolean => isWord(text) || /^[a-z]+([-_][a-z]+)+$/i.test(text);

/** A tree or text in which words stand for others: whole, or as a part between what belongs to no word. */
export const renamed = <Tree>(tree: Tree, words: ReadonlyMap<string, string>): Tree => {
  const long = [...words].filter(([word]) => word.length >= 4).toSorted(([a], [b]) => b.length - a.length);
  const inside =
    long.length === 0
      ? undefined
      : new RegExp(`(?<![A-Za-z0-9])(?:${long.map(([word]) => literally(word)).join('|')})(?![A-Za-z0-9])`, 'g');
  const change = (text: string): string =>
    words.get(text) ?? (inside === undefined ? text : text.replace(inside, (word) => words.get(word) ?? word));
  return mapLeaves(tree, change) as Tree;
};

const WIDTH = 9;

/** Numbers that no shipment had before, of the kind that a case shows: `ABC12` → `ABC481500017`. */
export const createNumbers = (seed: number) => {
  let last = seed;
  return (like: string): string => {
    last += 1;
    const runs = [...like.matchAll(/\d+/g)];
    const run = runs.findLast(([digits]) => digits.length >= 6) ?? runs.at(-1);
    if (run === undefined) return `${like}-${last}`;
    const [digits] = run;
    const width = digits.length >= 6 ? Math.min(digits.length, 12) : WIDTH;
    const kept = digits.length > width ? digits.slice(0, digits.length - width) : '';
    const number = String(last).padStart(width, '0').slice(-width);
    // A number does not begin with a zero that it had not.
    const own = kept === '' && !digits.startsWith('0') ? number.replace(/^0/, '1') : number;
    return like.slice(0, run.index) + kept + own + like.slice(run.index + digits.length);
  };
};

/** Others for all of these; one that holds another holds what stands for it. */
export const othersFor = (words: readonly string[], number: (like: string) => string): ReadonlyMap<string, string> => {
  const others = new Map<string, string>();
  for (const word of [...new Set(words)].toSorted((a, b) => a.length - b.length)) {
    const root = [...others.keys()].findLast((known) => known.length >= 6 && word.includes(known));
    others.set(word, root === undefined ? number(word) : word.replace(root, others.get(root) ?? root));
  }
  return others;
};
