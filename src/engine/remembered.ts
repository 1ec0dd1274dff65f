/** Texts that are parsed again and again, by a process that is asked about nearly the same ones after every keystroke. */

let entriesMax = 0;

/** From now on each of these functions keeps so many results: none unless this is called. */
export const rememberTexts = (atMost: number): void => void (entriesMax = atMost);
export const isRemembering = (): boolean => entriesMax > 0;

/** Keeps one more, and forgets all others where there are too many. */
export const keep = <Kept>(known: Map<string, Kept>, key: string, kept: Kept): void => {
  if (known.size >= entriesMax) known.clear();
  known.set(key, kept);
};

/** `make` throws or yields what nobody changes, and depends on its texts alone. */
export const remembering = <Texts extends readonly string[], Made>(
  make: (...texts: Texts) => Made,
): ((...texts: Texts) => Made) => {
  const known = new Map<string, Made>();
  return (...texts) => {
    if (!isRemembering()) return make(...texts);
    const key = texts.join('\0');
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = make(...texts);
    keep(known, key, made);
    return made;
  };
};
