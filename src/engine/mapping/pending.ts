/**
 * The compiled engine answers at once, the stock one by a promise. This goes on with either, and makes no promise
 * where none was given.
 */
const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise;

/** The values of `evaluate`, asked one after another, so that the first failure in the text is the one reported. */
export function inOrder<T>(
  items: readonly T[],
  evaluate: (item: T) => unknown,
  finish: (values: readonly unknown[]) => unknown,
): unknown {
  const values: unknown[] = [];
  for (const item of items) {
    const value = evaluate(item);
    if (isPromise(value)) return awaitRest(value, items, evaluate, values).then(finish);
    values.push(value);
  }
  return finish(values);
}

async function awaitRest<T>(
  first: Promise<unknown>,
  items: readonly T[],
  evaluate: (item: T) => unknown,
  values: unknown[],
): Promise<readonly unknown[]> {
  values.push(await first);
  for (const item of items.slice(values.length)) values.push(await evaluate(item));
  return values;
}
