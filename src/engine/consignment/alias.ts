import type { Issue } from '../validate.ts';
import { take, type Taken, nothingTaken, remainder, valueAt } from './remainder.ts';

/**
 * The flat names that the specification's sample of an update writes inside `shipTo` (and `shipFrom`), and where a
 * create has them. Names that are the same in both, such as `city`, are flat in the sample too.
 */
export const ALIASES: Readonly<Record<string, readonly [string, string]>> = {
  contactName: ['contact', 'name'],
  phoneNumber: ['contact', 'contactNumber'],
  email: ['contact', 'email'],
  companyName: ['contact', 'companyName'],
  addressLine1: ['address', 'line1'],
  addressLine2: ['address', 'line2'],
  addressLine3: ['address', 'line3'],
  landmark: ['address', 'landmark'],
  city: ['address', 'city'],
  county: ['address', 'county'],
  state: ['address', 'state'],
  country: ['address', 'country'],
  pinCode: ['address', 'pincode'],
};

type Fields = Readonly<Record<string, unknown>>;

export interface Unaliased {
  readonly party: unknown;
  /** At least one flat name was used. */
  readonly flat: boolean;
  readonly issues: readonly Issue[];
}

/** A party of an update with its flat names in their places. Two names for one field must not contradict. */
export const unaliased = (party: unknown, path: string): Unaliased => {
  if (!isMap(party)) return { party, flat: false, issues: [] };
  const used = Object.entries(ALIASES).filter(([name]) => Object.hasOwn(party, name));
  if (used.length === 0) return { party, flat: false, issues: [] };
  const issues: Issue[] = [];
  const taken: Taken = nothingTaken();
  const parts: Record<string, Record<string, unknown>> = {};
  for (const [name, [part, field]] of used) {
    take(taken, [name]);
    const structured = valueAt(party, [part, field]);
    if (structured !== undefined && structured !== party[name]) {
      const message = `${path}.${name} contradicts ${path}.${part}.${field}`;
      issues.push({ path: `${path}.${name}`, message, rule: 'alias' });
    }
    (parts[part] ??= {})[field] = party[name];
  }
  const rest = (remainder(party, taken) ?? {}) as Fields;
  const merged = Object.entries(parts).map(([part, fields]): [string, unknown] => {
    const own = Object.hasOwn(rest, part) ? rest[part] : {};
    return [part, isMap(own) ? { ...own, ...fields } : own];
  });
  return { party: { ...rest, ...Object.fromEntries(merged) }, flat: true, issues };
};

const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
