/** Account values that name a variable of the environment: `env:WAYBILL_CARRIER_…`, read each time they are used. */
import { Failure } from '../failure.ts';

type Values = Readonly<Record<string, unknown>>;

/** No other variable can be named: an account must not show our own secrets to a carrier. */
export const ACCOUNT_VARIABLES = 'WAYBILL_CARRIER_';
const REFERENCE = /^env:/;
const ALLOWED = new RegExp(`^env:(${ACCOUNT_VARIABLES}[A-Z0-9_]{1,100})$`);
/** Shorter secrets could not be masked without hiding half of everything else. */
export const SECRET_MIN = 8;

export const namesVariable = (value: unknown): value is string => typeof value === 'string' && REFERENCE.test(value);

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

export interface Resolved {
  readonly credentials: Values;
  readonly settings: Values;
  /** The fields that came from variables, in their order; empty for most accounts. */
  readonly from: readonly { readonly name: string; readonly value: string }[];
}

/** The account's values with what the variables hold; throws a `Failure` that names the one that is missing. */
export const resolveVariables = (
  { credentials, settings }: { readonly credentials: Values; readonly settings: Values },
  variable: (name: string) => string | undefined,
): Resolved => {
  const from: { name: string; value: string }[] = [];
  const resolved = (section: string, values: Values): Values =>
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
