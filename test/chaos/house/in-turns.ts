/** Does it for each, so many at a time, in order of their start. The first failure ends it. */
export const inTurns = async <Value>(
  atOnce: number,
  values: Iterable<Value>,
  act: (value: Value) => Promise<void>,
): Promise<void> => {
  const left = values[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
};
