/** The same answer to the same question. */
export const once = <K, V>(answer: (key: K) => V): ((key: K) => V) => {
  const known = new Map<K, { readonly value: V }>();
  return (key) => {
    const found = known.get(key) ?? { value: answer(key) };
    known.set(key, found);
    return found.value;
  };
};
