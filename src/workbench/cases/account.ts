import type { Account } from '../../engine/dispatch/ports.ts';
import type { AccountField, Carrier } from '../../engine/profile/carrier.ts';
import type { Given } from './schema.ts';

type Value = string | number | boolean;
/** `null`: the account has none. */
type GivenValue = Value | null;

/**
 * The account of a case: what is given (`null`: nothing), else a field's `example`, else its `default`, else the first of `oneOf`, else
 * `example-<name>`. What may be absent and has neither, and what `register` fills, is absent.
 */
export const accountOf = (carrier: Pick<Carrier, 'credentials' | 'settings'>, given: Given | undefined): Account => ({
  id: 1,
  version: 1,
  credentials: valuesOf(carrier.credentials, given?.credentials ?? {}),
  settings: valuesOf(carrier.settings, given?.settings ?? {}),
});

const valuesOf = (
  fields: Readonly<Record<string, AccountField>>,
  given: Readonly<Record<string, GivenValue>>,
): Record<string, Value> => {
  const values: Record<string, Value> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = Object.hasOwn(given, name) ? given[name] : exampleOf(name, field);
    if (value !== undefined && value !== null) values[name] = field.type === 'text' ? String(value) : value;
  }
  return values;
};

const exampleOf = (name: string, field: AccountField): Value | undefined => {
  const written = field.example ?? field.default;
  if (written !== undefined || field.optional || field.fromRegister) return written;
  if (field.oneOf !== undefined) return field.oneOf[0];
  return field.type === 'number' ? 1 : field.type === 'boolean' ? false : `example-${name}`;
};

/** Names given to an account that the profile does not declare, by section. */
export const undeclaredFields = (
  carrier: Pick<Carrier, 'credentials' | 'settings'>,
  given: Given | undefined,
): readonly { readonly section: 'credentials' | 'settings'; readonly name: string; readonly known: string[] }[] =>
  (['credentials', 'settings'] as const).flatMap((section) => {
    const known = Object.keys(carrier[section]);
    return Object.keys(given?.[section] ?? {})
      .filter((name) => !known.includes(name))
      .map((name) => ({ section, name, known }));
  });
