/** I5: a credential is shown to its own carrier and nobody else, and found nowhere, in no disguise. */
import type { CarrierRequest } from '../mock/carriers.ts';
import type { Evidence } from './evidence.ts';

/** As what the credential of a shipper's account is planted. */
export const credentialName = (shipper: string, carrier: string): string => `credential of ${shipper} with ${carrier}`;

export const findMisused = ({ answers, carriers, planted }: Evidence): readonly string[] => {
  const shippers = new Map(answers.map(({ reference, shipper }) => [reference, shipper]));
  const names = new Map([...planted].map(([name, value]) => [value, name]));
  const nameOf = (value: string): string => names.get(value) ?? (value === '' ? 'empty one' : 'one that nobody knows');
  return carriers
    .filter((entry) => entry.what === 'request')
    .flatMap((request) => {
      const { carrier, reference } = request;
      const shipper = shippers.get(reference);
      if (shipper === undefined) return [`I5: ${carrier} was asked for ${reference}, which no shipper has`];
      return shownBy(request)
        .map(nameOf)
        .filter((name) => name !== credentialName(shipper, carrier))
        .map((name) => `I5: of credentials, ${carrier} was shown the ${name} for ${reference} of ${shipper}`);
    });
};

const shownBy = ({ authorization, key }: CarrierRequest): readonly string[] => [
  authorization.replace(/^Bearer /, ''),
  ...(key === undefined ? [] : [key]),
];

interface SecretSearch {
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
