/** What changed between two texts, by lines. */
import { Copy } from './ui.tsx';

type Kind = 'same' | 'added' | 'removed';
interface Line {
  readonly kind: Kind;
  readonly text: string;
}

/** Beyond so many pairs of lines, what lies between the first and the last difference is replaced as a whole. */
const PAIRS_MAX = 4_000_000;

const same = (texts: readonly string[]): readonly Line[] => texts.map((text) => ({ kind: 'same', text }));

const diffOf = (before: readonly string[], after: readonly string[]): readonly Line[] => {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const shorter = Math.min(before.length, after.length) - start;
  while (end < shorter && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return [
    ...same(before.slice(0, start)),
    ...middleOf(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
};

/** By the longest common subsequence. */
const middleOf = (before: readonly string[], after: readonly string[]): readonly Line[] => {
  const [rows, columns] = [before.length, after.length];
  if (rows * columns > PAIRS_MAX)
    return [
      ...before.map((text): Line => ({ kind: 'removed', text })),
      ...after.map((text): Line => ({ kind: 'added', text })),
    ];
  const width = columns + 1;
  const common = new Uint32Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row -= 1)
    for (let column = columns - 1; column >= 0; column -= 1)
      common[row * width + column] =
        before[row] === after[column]
          ? (common[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(common[(row + 1) * width + column] ?? 0, common[row * width + column + 1] ?? 0);
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (row < rows && column < columns && before[row] === after[column]) {
      lines.push({ kind: 'same', text: before[row] ?? '' });
      row += 1;
      column += 1;
    } else if (
      row < rows &&
      (column === columns || (common[(row + 1) * width + column] ?? 0) >= (common[row * width + column + 1] ?? 0))
    ) {
      lines.push({ kind: 'removed', text: before[row] ?? '' });
      row += 1;
    } else {
      lines.push({ kind: 'added', text: after[column] ?? '' });
      column += 1;
    }
  }
  return lines;
};

const CONTEXT = 3;
const MARKS: Readonly<Record<Kind, string>> = { same: ' ', added: '+', removed: '-' };

const count = (part: readonly Line[], without: Kind): number => part.filter(({ kind }) => kind !== without).length;

/** A unified diff of a file, as `patch` and `git apply` take it; empty: nothing changed. */
export const patchOf = (file: string, before: string, after: string): string => {
  const lines = diffOf(linesOf(before), linesOf(after));
  const changed = lines.flatMap(({ kind }, at) => (kind === 'same' ? [] : [at]));
  const hunks: [number, number][] = [];
  for (const at of changed) {
    const last = hunks.at(-1);
    const to = Math.min(lines.length, at + CONTEXT + 1);
    if (last !== undefined && at - CONTEXT <= last[1]) last[1] = to;
    else hunks.push([Math.max(0, at - CONTEXT), to]);
  }
  const written = hunks.map(([from, to]) => {
    const [earlier, part] = [lines.slice(0, from), lines.slice(from, to)];
    const head = `@@ -${count(earlier, 'added') + 1},${count(part, 'added')} +${count(earlier, 'removed') + 1},${count(part, 'removed')} @@`;
    return [head, ...part.map(({ kind, text }) => MARKS[kind] + text)].join('\n');
  });
  return written.length === 0 ? '' : [`--- a/${file}`, `+++ b/${file}`, ...written, ''].join('\n');
};

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

export const Diff = ({ patch, what }: { readonly patch: string; readonly what: string }) => (
  <div className="code">
    <Copy text={patch} what={what} />
    <pre tabIndex={0} aria-label={what}>
      {patch
        .trimEnd()
        .split('\n')
        .map((line, at) => (
          <span key={at} className={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined}>
            {line}
            {'\n'}
          </span>
        ))}
    </pre>
  </div>
);

/** Hands a text to the browser as a file. */
export const download = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
