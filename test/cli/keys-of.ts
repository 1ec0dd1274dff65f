/** The keys of a value, all the way down: of a list those of its first entry. */
export const keysOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? [] : [keysOf(value[0])];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, keysOf(held)]));
};
