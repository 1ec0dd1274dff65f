import type { CarrierRequest } from '../mock/carriers.ts';
import type { Evidence } from './evidence.ts';

/** As what the credential of a shipper's account is planted. */
export const credentialName = (shipper: string, carrier: string): string => `credential of ${shipper} with ${carrier}`;

/** I5: a credential is shown to its own carrier, for its own shipper, and to nobody else. */
export const findMisused = ({
  answers,
  carriers,
  planted,
}: Pick<Evidence, 'answers' | 'carriers' | 'planted'>): readonly string[] => {
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
