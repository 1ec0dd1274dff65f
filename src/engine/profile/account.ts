import { namesVariable, variableIssue } from './account-variables.ts';
import type { AccountField, Carrier, EnvironmentName } from './carrier.ts';
import { valueIssue } from './compile/account-fields.ts';
import { didYouMean } from './suggest.ts';

type Value = string | number | boolean;

/** What a shipper supplies for one environment of a carrier, as it came in. */
export interface AccountInput {
  readonly credentials?: Readonly<Record<string, unknown>> | undefined;
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

interface AccountIssue {
  /** `credentials.token`; `environment`. */
  readonly field: string;
  readonly rule: 'missing' | 'undeclared' | 'type' | 'pattern' | 'oneOf' | 'length' | 'variable' | 'environment';
  /** A sentence without its full stop that names the field, and never shows a value. */
  readonly message: string;
}

export type CheckedAccount =
  | {
      readonly ok: true;
      /** Typed as declared, defaults filled in; what is absent is left out. */
      readonly credentials: Readonly<Record<string, Value>>;
      readonly settings: Readonly<Record<string, Value>>;
    }
  | { readonly ok: false; readonly issues: readonly AccountIssue[] };

/** Shorter secrets could not be masked without hiding half of everything else. */
const SECRET_MIN = 8;
const VALUE_MAX = 65_536;

/** Checks an account against what the carrier declares under `credentials` and `settings`. All issues at once. */
export const checkAccount = (carrier: Carrier, environment: EnvironmentName, input: AccountInput): CheckedAccount => {
  const issues: AccountIssue[] = [];
  if (carrier.environments[environment] === undefined) {
    const known = Object.keys(carrier.environments).join(', ');
    issues.push({
      field: 'environment',
      rule: 'environment',
      message: `${carrier.name} has no environment ${environment}, only ${known}`,
    });
  }
  const credentials = checkSection('credentials', carrier.credentials, input.credentials ?? {}, issues);
  const settings = checkSection('settings', carrier.settings, input.settings ?? {}, issues);
  return issues.length > 0 ? { ok: false, issues } : { ok: true, credentials, settings };
};

const checkSection = (
  section: 'credentials' | 'settings',
  fields: Readonly<Record<string, AccountField>>,
  given: Readonly<Record<string, unknown>>,
  issues: AccountIssue[],
): Record<string, Value> => {
  const values: [string, Value][] = [];
  for (const [name, field] of Object.entries(fields)) {
    const path = `${section}.${name}`;
    const supplied = Object.hasOwn(given, name) ? given[name] : undefined;
    const value = supplied ?? field.default;
    if (value === undefined || value === '') {
      if (!field.optional) issues.push({ field: path, rule: 'missing', message: `${path} is required` });
      continue;
    }
    const issue = checkValue(path, field, value);
    if (issue !== undefined) issues.push(issue);
    else values.push([name, value as Value]);
  }
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(fields, name)) continue;
    const meant = didYouMean(name, Object.keys(fields));
    const field = `${section}.${name.slice(0, 60)}`;
    const message = `${field} is not declared by the carrier${meant === undefined ? '' : `: ${meant}`}`;
    issues.push({ field, rule: 'undeclared', message });
  }
  return Object.fromEntries(values);
};

const TYPES = {
  text: ['string', 'text'],
  number: ['number', 'a number'],
  boolean: ['boolean', 'true or false'],
} as const;

const checkValue = (path: string, field: AccountField, value: unknown): AccountIssue | undefined => {
  const [type, says] = TYPES[field.type];
  if (typeof value !== type || (typeof value === 'number' && !Number.isFinite(value))) {
    return { field: path, rule: 'type', message: `${path} must be ${says}` };
  }
  if (namesVariable(value)) {
    // What the variable holds is known where it is used, which may be another process.
    const issue = variableIssue(value);
    return issue === undefined ? undefined : { field: path, rule: 'variable', message: `${path} ${issue}` };
  }
  const text = String(value);
  if (field.secret && text.length < SECRET_MIN) {
    return {
      field: path,
      rule: 'length',
      message: `${path} is a secret and must have ${SECRET_MIN} characters or more`,
    };
  }
  if (text.length > VALUE_MAX) {
    return { field: path, rule: 'length', message: `${path} must not be longer than ${VALUE_MAX} characters` };
  }
  const issue = valueIssue(field, value as Value);
  const rule = field.oneOf?.includes(value as Value) === false ? 'oneOf' : 'pattern';
  return issue === undefined ? undefined : { field: path, rule, message: `${path} ${issue}` };
};
