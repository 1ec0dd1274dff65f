/** Changed files as a patch that `git apply` takes. */

export interface Change {
  readonly path: string;
  /** Undefined: the file is new. */
  readonly before: string | undefined;
  readonly after: string;
}

const CONTEXT = 3;

const linesOf = (text: string): readonly string[] => {
  if (text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop();
  return last === '' ? lines : [...lines, `${last}\n\\ No newline at end of file`];
};

const range = (start: number, count: number): string => `${count === 0 ? start : start + 1},${count}`;

const marked = (mark: string, lines: readonly string[]): readonly string[] => lines.map((line) => `${mark}${line}\n`);

/** One hunk a file: from the first line that differs to the last. */
const patchOf = ({ path, before, after }: Change): string => {
  const [old, now] = [linesOf(before ?? ''), linesOf(after)];
  let head = 0;
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const from = Math.max(0, head - CONTEXT);
  const [oldEnd, nowEnd] = [old.length - tail, now.length - tail];
  const after3 = old.slice(oldEnd, oldEnd + CONTEXT);
  return [
    `diff --git a/${path} b/${path}\n`,
    ...(before === undefined ? ['new file mode 100644\n--- /dev/null\n'] : [`--- a/${path}\n`]),
    `+++ b/${path}\n`,
    `@@ -${range(from, oldEnd - from + after3.length)} +${range(from, nowEnd - from + after3.length)} @@\n`,
    ...marked(' ', old.slice(from, head)),
    ...marked('-', old.slice(head, oldEnd)),
    ...marked('+', now.slice(head, nowEnd)),
    ...marked(' ', after3),
  ].join('');
};

export const writePatch = (changes: readonly Change[]): string =>
  changes
    .filter(({ before, after }) => before !== after && !(before === undefined && after === ''))
    .map(patchOf)
    .join('');
