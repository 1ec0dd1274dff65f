import type { Account } from '../../engine/dispatch/ports.ts';
import type { AccountField, Carrier } from '../../engine/profile/carrier.ts';
import type { Given } from './schema.ts';

type Sections = Pick<Carrier, 'credentials' | 'settings'>;
type Value = string | number | boolean;

/**
 * The account of a case: what is given (`null`: nothing), else a field's `example`, else its `default`, else the first of `oneOf`, else
 * `example-<name>`. What may be absent and has neither, and what `register` fills, is absent.
 */
export const accountOf = (carrier: Sections, given: Given | undefined): Account => {
  const valuesOf = (section: keyof Sections): Record<string, Value> => {
    const values: Record<string, Value> = {};
    for (const [name, field] of Object.entries(carrier[section])) {
      const own = given?.[section] ?? {};
      const value = Object.hasOwn(own, name) ? own[name] : exampleOf(name, field);
      if (value !== undefined && value !== null) values[name] = field.type === 'text' ? String(value) : value;
    }
    return values;
  };
  return { id: 1, version: 1, credentials: valuesOf('credentials'), settings: valuesOf('settings') };
};

const exampleOf = (name: string, field: AccountField): Value | undefined => {
  const written = field.example ?? field.default;
  if (written !== undefined || field.optional || field.fromRegister) return written;
  if (field.oneOf !== undefined) return field.oneOf[0];
  return field.type === 'number' ? 1 : field.type === 'boolean' ? false : `example-${name}`;
};

/** Names given to an account that the profile does not declare, by section. */
export const undeclaredFields = (carrier: Sections, given: Given | undefined) =>
  (['credentials', 'settings'] as const).flatMap((section) => {
    const known = Object.keys(carrier[section]);
    const unknown = Object.keys(given?.[section] ?? {}).filter((name) => !known.includes(name));
    return unknown.map((name) => ({ section, name, known }));
  });
