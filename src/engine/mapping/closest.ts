/** The known name that was probably meant: the nearest by edit distance, if no more than a third of its letters differ. */
export function closest(word: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Infinity;
  for (const name of names) {
    const distance = distanceOf(word.toLowerCase(), name.toLowerCase());
    if (distance < least && distance <= Math.max(1, Math.floor(Math.max(word.length, name.length) / 3))) {
      best = name;
      least = distance;
    }
  }
  return best;
}

/** The known names within a single typing error of the word. */
export const slipsOf = (word: string, names: Iterable<string>): string[] => {
  const lower = word.toLowerCase();
  return [...names].filter((name) => Math.abs(name.length - word.length) <= 1 && isOneApart(lower, name.toLowerCase()));
};

/** Whether the edit distance is 1 at most, for many names at once. */
const isOneApart = (from: string, to: string): boolean => {
  if (from === to) return true;
  if (from.length > MAX_LENGTH || to.length > MAX_LENGTH) return false;
  let at = 0;
  while (from[at] === to[at]) at += 1;
  const [rest, wanted] = [from.slice(at), to.slice(at)];
  return (
    rest.slice(1) === wanted.slice(1) ||
    rest.slice(1) === wanted ||
    rest === wanted.slice(1) ||
    (rest.slice(2) === wanted.slice(2) && rest[0] === wanted[1] && rest[1] === wanted[0])
  );
};

/** The one of them; undefined if there are several. */
export function slipOf(word: string, names: Iterable<string>): string | undefined {
  const near = slipsOf(word, names);
  return near.length === 1 ? near[0] : undefined;
}

/** The word of `known` that was probably meant, or one with a part that was; undefined when there is none. */
function suggest(text: string, known: readonly string[]): string | undefined {
  const wanted = text.trim();
  const partOf = (word: string): boolean => word.split(/[ _-]/).some((part) => closest(wanted, [part]) !== undefined);
  return (
    closest(wanted, known) ??
    (wanted.length < 4 ? undefined : known.filter(partOf).toSorted((one, other) => one.length - other.length)[0])
  );
}

/** `did you mean "headers"?`, or the words to choose from when they are few. */
export function didYouMean(text: string, known: readonly string[]): string | undefined {
  const meant = suggest(text, known);
  if (meant !== undefined) return `did you mean "${meant}"?`;
  return known.length > 0 && known.length <= 32 ? `known here: ${known.join(', ')}` : undefined;
}

const MAX_LENGTH = 60;

/** Edit distance: letters changed, inserted, dropped, or swapped with their neighbour. */
function distanceOf(from: string, to: string): number {
  if (from.length > MAX_LENGTH || to.length > MAX_LENGTH) return Infinity;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? Infinity) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? Infinity;
}
