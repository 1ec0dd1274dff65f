/** I5: what was planted is found nowhere, in no disguise. */

export interface SecretSearch {
  /** Takes a piece of text, and where it is from. A secret that two pieces share between them is not seen. */
  readonly look: (where: string, text: string) => void;
  readonly violations: () => readonly string[];
}

/** Searches for each value as it is, percent- and JSON-encoded, in hexadecimal, and in base64 at any offset. */
export const searchSecrets = (planted: ReadonlyMap<string, string>): SecretSearch => {
  const forms = [...planted].flatMap(([name, value]) => formsOf(value).map((form) => ({ name, form })));
  const found = new Set<string>();
  return {
    look: (where, text) => {
      for (const { name, form } of forms) if (text.includes(form)) found.add(`I5: the ${name} is in ${where}`);
    },
    violations: () => [...found],
  };
};

const formsOf = (value: string): readonly string[] => {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The characters at either end depend on what stands beside the value.
    const inner = text.slice(offset === 0 ? 0 : offset + 1, bytes.length % 3 === 0 && offset === 0 ? undefined : -2);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const json = JSON.stringify(value).slice(1, -1);
  const hex = bytes.toString('hex');
  return [...new Set([value, encodeURIComponent(value), json, hex, hex.toUpperCase(), ...base64])];
};
