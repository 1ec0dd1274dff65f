const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `change` laid over `base`: maps merge, lists and scalars replace, `null` takes a field away (as `extends` does). */
export const overlay = (base: unknown, change: unknown): unknown => {
  if (change === undefined) return base;
  if (!isMap(base) || !isMap(change)) return change;
  const merged = { ...base };
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete merged[key];
    else merged[key] = overlay(merged[key], value);
  }
  return merged;
};
