import { closest } from '../mapping/closest.ts';

/** The word of `known` that was probably meant, or one with a part that was; undefined when there is none. */
const suggest = (text: string, known: readonly string[]): string | undefined => {
  const wanted = text.trim();
  const partOf = (word: string): boolean => word.split(/[ _-]/).some((part) => closest(wanted, [part]) !== undefined);
  return (
    closest(wanted, known) ??
    (wanted.length < 4 ? undefined : known.filter(partOf).toSorted((one, other) => one.length - other.length)[0])
  );
};

/** `did you mean "headers"?`, or the words to choose from when they are few. */
export const didYouMean = (text: string, known: readonly string[]): string | undefined => {
  const meant = suggest(text, known);
  if (meant !== undefined) return `did you mean "${meant}"?`;
  return known.length > 0 && known.length <= 32 ? `known here: ${known.join(', ')}` : undefined;
};
