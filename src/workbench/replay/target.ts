/** Which step of a profile a recorded call belongs to: by its method, its URL and, where URLs do not tell, its SOAP action. */
import { GuardedRegex } from '../../engine/jsonata/regex.ts';
import { Failure } from '../../engine/failure.ts';
import { literally } from '../../engine/text.ts';
import { type Carrier, type Operation, OPERATIONS, type Step } from '../../engine/profile/carrier.ts';
import type { RecordedCall, Target } from './payload.ts';

interface Fitting {
  readonly operation: Operation;
  readonly step: Step;
  /** Letters of the pattern that are not placeholders: of several that fit, the most exact counts. */
  readonly letters: number;
}

/** Throws a `Failure` when no step has that URL, or several have. */
export const targetOf = (
  carrier: Carrier,
  call: RecordedCall,
): { readonly operation: Operation; readonly step: Step } => {
  const fitting = OPERATIONS.flatMap((name) => {
    const operation = carrier.operations[name];
    return operation === undefined ? [] : operation.steps.flatMap((step) => fits(operation, step, call));
  });
  const most = Math.max(...fitting.map(({ letters }) => letters));
  const best = byAction(
    fitting.filter(({ letters }) => letters === most),
    call,
  );
  const [only, ...others] = best;
  const shown = `${call.method} ${call.url.slice(0, 200)}`;
  if (only === undefined) {
    throw new Failure(`${shown} is no request of ${carrier.code}`, { code: 'call_unknown' });
  }
  if (others.length > 0) {
    const names = best.map(({ operation, step }) => nameOf({ operation: operation.name, step: step.id }));
    throw new Failure(`${shown} may be ${names.join(' or ')} of ${carrier.code}`, { code: 'call_ambiguous' });
  }
  return { operation: variantWith(only), step: only.step };
};

/** The variant that the step is of. */
const variantWith = ({ operation, step }: Pick<Fitting, 'operation' | 'step'>): Operation =>
  operation.variants[step.variant ?? -1]?.operation ?? operation;

/** `create`, or `create/booking`. */
export const nameOf = ({ operation, step }: Target): string =>
  step === undefined || step === operation ? operation : `${operation}/${step}`;

/** The step of a target. Throws a `Failure` when the carrier has none. */
export const stepOf = (carrier: Carrier, target: Target): { readonly operation: Operation; readonly step: Step } => {
  const operation = carrier.operations[target.operation];
  if (operation === undefined) {
    throw new Failure(`${carrier.code} has no operation ${target.operation}`, { code: 'target_unknown' });
  }
  const ids = operation.steps.map(({ id }) => id);
  const step =
    target.step === undefined ? operation.steps.at(-1) : operation.steps.find(({ id }) => id === target.step);
  if (step !== undefined) return { operation: variantWith({ operation, step }), step };
  throw new Failure(`${target.operation} of ${carrier.code} has no step ${target.step} (it has ${ids.join(', ')})`, {
    code: 'target_unknown',
  });
};

const fits = (operation: Operation, step: Step, call: RecordedCall): Fitting[] => {
  if (step.method !== call.method) return [];
  const { pattern, letters } = patternOf(step.url.text);
  const url = URL.parse(call.url);
  return url !== null && pattern.test(`${url.origin}${decodeSafely(url.pathname)}`)
    ? [{ operation, step, letters }]
    : [];
};

/** What a URL of a profile may come out as, without its query. */
const patternOf = (text: string): { readonly pattern: GuardedRegex; readonly letters: number } => {
  // Braces of an expression are balanced in practice; one level is enough for URLs.
  const parts = text.trim().split(/(\$\{(?:[^{}]|\{[^{}]*\})*\})/);
  const [path] = parts
    .map((part, at) => (at % 2 === 1 ? ' ' : part))
    .join('')
    .split('?', 1);
  const literals = (path ?? '').split(' ');
  const source = literals.map(literally).join('.*');
  const isWhole = /^https?:/.test(text);
  return { pattern: new GuardedRegex(`${isWhole ? '^' : ''}${source}$`, ''), letters: literals.join('').length };
};

const decodeSafely = (path: string): string => {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
};

const byAction = (fitting: readonly Fitting[], { headers }: RecordedCall): readonly Fitting[] => {
  const action =
    headers['soapaction']?.replaceAll('"', '') ?? /action="?([^";]+)/.exec(headers['content-type'] ?? '')?.[1];
  if (fitting.length < 2 || action === undefined) return fitting;
  const named = fitting.filter(({ step }) => step.body?.codec === 'soap' && step.body.action?.text === action);
  return named.length > 0 ? named : fitting;
};
