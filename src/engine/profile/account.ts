import { namesVariable, SECRET_MIN, variableIssue } from './account-variables.ts';
import type { AccountField, Carrier, EnvironmentName } from './carrier.ts';
import { valueIssue } from './compile/account-fields.ts';
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
