import { Failure } from '../failure.ts';
import type { AccountField, Carrier, EnvironmentName } from './carrier.ts';
import { type AddressPolicy, checkUrl } from '../transport/address.ts';
import { didYouMean } from '../mapping/closest.ts';

type Value = string | number | boolean;
type Values = Readonly<Record<string, Value>>;
type Given = Readonly<Record<string, unknown>>;

type CheckedAccount =
  /** Typed as declared, defaults filled in; what is absent is left out. */
  | { readonly ok: true; readonly credentials: Values; readonly settings: Values }
  /** Sentences without their full stop that name the field, and never show a value. */
  | { readonly ok: false; readonly issues: readonly string[] };

const VALUE_MAX = 65_536;

/**
 * Checks what a shipper supplies for one environment of a carrier against what the carrier declares under
 * `credentials` and `settings`. All issues at once.
 */
export const checkAccount = (
  carrier: Carrier,
  environment: EnvironmentName,
  input: { readonly credentials?: Given | undefined; readonly settings?: Given | undefined },
): CheckedAccount => {
  const issues: string[] = [];
  if (carrier.environments[environment] === undefined) {
    const known = Object.keys(carrier.environments).join(', ');
    issues.push(`${carrier.name} has no environment ${environment}, only ${known}`);
  }
  const checkSection = (section: 'credentials' | 'settings'): Values => {
    const [fields, given] = [carrier[section], input[section] ?? {}];
    const values: [string, Value][] = [];
    for (const [name, field] of Object.entries(fields)) {
      const value = (Object.hasOwn(given, name) ? given[name] : undefined) ?? field.default;
      const isMissing = value === undefined || value === '';
      if (isMissing && field.optional) continue;
      const issue = isMissing ? 'is required' : accountIssue(field, value);
      if (issue === undefined) values.push([name, value as Value]);
      else issues.push(`${section}.${name} ${issue}`);
    }
    for (const name of Object.keys(given)) {
      if (Object.hasOwn(fields, name)) continue;
      const meant = didYouMean(name, Object.keys(fields));
      const help = meant === undefined ? '' : `: ${meant}`;
      issues.push(`${section}.${name.slice(0, 60)} is not declared by the carrier${help}`);
    }
    return Object.fromEntries(values);
  };
  const [credentials, settings] = [checkSection('credentials'), checkSection('settings')];
  return issues.length > 0 ? { ok: false, issues } : { ok: true, credentials, settings };
};

/** What is wrong with a base URL that an account has in the place of the environment’s, as `baseUrl …`; undefined: nothing is. */
export const baseUrlIssue = (text: string, policy: AddressPolicy): string | undefined => {
  const verdict = checkUrl(text, policy);
  if (!verdict.allowed) return `baseUrl is refused: ${verdict.reason}`;
  const { search, hash } = verdict.url;
  if (search !== '' || hash !== '') return 'baseUrl must be a host and a path, without query and fragment';
  return text.length > 500 ? 'baseUrl must not be longer than 500 characters' : undefined;
};

const TYPES = {
  text: ['string', 'text'],
  number: ['number', 'a number'],
  boolean: ['boolean', 'true or false'],
} as const;

const accountIssue = (field: AccountField, value: unknown): string | undefined => {
  const [type, called] = TYPES[field.type];
  if (typeof value !== type || (typeof value === 'number' && !Number.isFinite(value))) return `must be ${called}`;
  // What the variable holds is known where it is used, which may be another process.
  if (namesVariable(value)) return variableIssue(value);
  const { length } = String(value);
  if (field.secret && length < SECRET_MIN) return `is a secret and must have ${SECRET_MIN} characters or more`;
  if (length > VALUE_MAX) return `must not be longer than ${VALUE_MAX} characters`;
  return valueIssue(field, value as Value);
};

/** What is wrong with a value, as `must match …`; undefined when nothing is. */
export const valueIssue = ({ oneOf, pattern }: AccountField, value: Value): string | undefined => {
  if (oneOf?.includes(value) === false) return `must be one of ${oneOf.join(', ')}`;
  try {
    return pattern?.test(String(value)) === false ? `must match ${pattern.source}` : undefined;
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return `is too long to be compared with ${pattern?.source}`;
  }
};

// Values that name a variable of the environment: `env:WAYBILL_CARRIER_…`, read each time they are used ---------------

/** No other variable can be named: an account must not show our own secrets to a carrier. */
export const ACCOUNT_VARIABLES = 'WAYBILL_CARRIER_';
const REFERENCE = /^env:/;
const ALLOWED = new RegExp(`^env:(${ACCOUNT_VARIABLES}[A-Z0-9_]{1,100})$`);
/** Shorter secrets could not be masked without hiding half of everything else. */
export const SECRET_MIN = 8;

const namesVariable = (value: unknown): value is string => typeof value === 'string' && REFERENCE.test(value);

/** Where the first value lies that names a variable, at any depth; undefined when none does. */
export const findVariable = (value: unknown, path = ''): string | undefined => {
  if (namesVariable(value)) return path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = findVariable(inner, path === '' ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** What is wrong with such a value, as `must …`; undefined when nothing is. */
export const variableIssue = (value: string): string | undefined =>
  ALLOWED.test(value)
    ? undefined
    : `must name a variable that begins with ${ACCOUNT_VARIABLES}, as env:${ACCOUNT_VARIABLES}TOKEN`;

/** The account's values with what the variables hold; throws a `Failure` that names the one that is missing. */
export const resolveVariables = (
  { credentials, settings }: { readonly credentials: Given; readonly settings: Given },
  variable: (name: string) => string | undefined,
) => {
  /** The fields that came from variables, in their order; empty for most accounts. */
  const from: { name: string; value: string }[] = [];
  const resolved = (section: string, values: Given): Given =>
    Object.fromEntries(
      Object.entries(values).map(([field, value]) => {
        if (!namesVariable(value)) return [field, value];
        const read = readVariable(`${section}.${field}`, value, variable, section === 'credentials' ? SECRET_MIN : 1);
        from.push({ name: field, value: read });
        return [field, read];
      }),
    );
  return { credentials: resolved('credentials', credentials), settings: resolved('settings', settings), from };
};

const readVariable = (
  field: string,
  reference: string,
  variable: (name: string) => string | undefined,
  least: number,
): string => {
  const name = ALLOWED.exec(reference)?.[1];
  if (name === undefined) {
    throw new Failure(`${field} ${variableIssue(reference)}`, { code: 'account_variable_not_allowed' });
  }
  const value = variable(name);
  if (value === undefined || value === '') {
    throw new Failure(`${field} is to come from ${name}, which is not set here`, {
      code: 'account_variable_missing',
      help: `set ${name} where workers and API run, and start them anew`,
    });
  }
  if (value.length < least) {
    throw new Failure(`${field} comes from ${name}, which has fewer than ${least} characters`, {
      code: 'account_variable_short',
    });
  }
  return value;
};
