/** What expressions of a run see: roots by position (docs/reference/expressions.md), and the values drawn for the run. */
import { sha256 } from '../digest.ts';
import { Failure, type Problem, problem } from '../failure.ts';
import { DrawNeeded, type EvaluationContext, type Mapping, Rejection, type Roots } from '../mapping/mapping.ts';
import type { Mask } from '../transport/masking.ts';
import { present } from '../value.ts';
import type { AttemptLog, CallKey, Ports, Run } from './ports.ts';

/** What one call adds to the roots of its run. */
export interface CallScope extends CallKey {
  readonly item?: unknown;
  readonly items?: readonly unknown[] | undefined;
  readonly index?: number | undefined;
  /** How often it was made anew after it had failed for good: each time under keys of its own. */
  readonly round?: string | undefined;
}

/** The 122 random bits that name one thing of one run, as a UUID (RFC 9562, version 8). */
export const derivedUuid = (seed: string, ...names: readonly (string | number)[]): string => {
  const hash = sha256(JSON.stringify([seed, ...names]));
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** Roots that never hold a secret: what `result`, `outcomes` and `events` see. `steps` are the answers so far. */
export const openRoots = (
  run: Run,
  environment: Readonly<Record<string, unknown>>,
  steps: Readonly<Record<string, unknown>>,
  call?: CallScope,
): Roots => {
  const roots = {
    ...run.inputs,
    settings: run.account.settings,
    environment,
    tables: run.carrier.tables,
    steps,
    now: isoOf(run.nowMs),
    ...(call?.item === undefined ? {} : { item: call.item }),
    ...(call?.items === undefined ? {} : { items: call.items }),
    ...(call === undefined
      ? {}
      : { index: call.index ?? run.inputs.index, idempotencyKey: idempotencyKeyOf(run, call) }),
  };
  // A root that is not there is missing, not null.
  return present(roots);
};

/** Fixed per dispatch, step and element; a lookup has the key of the call that it asks about. */
export const idempotencyKeyOf = (run: Run, call: CallScope): string =>
  run.idempotencyKey ?? derivedUuid(run.seed, 'key', call.step, call.element, ...roundOf(call));

const roundOf = (call: CallScope | undefined): readonly string[] => (call?.round === undefined ? [] : [call.round]);

/** What a request is evaluated with: every root, the secret ones too. */
export interface RequestScope {
  readonly roots: Roots & { readonly sentAt: string };
  readonly environment: Readonly<Record<string, unknown>>;
  readonly evaluation: EvaluationContext;
}

interface Evaluating {
  readonly run: Run;
  readonly ports: Pick<Ports, 'attemptLog' | 'nowMs'>;
  readonly mask: Mask;
}

/** Evaluates with roots that hold no secret: what is kept or shown is made of these alone. */
export const evaluateOpenly = async (
  { run, ports, mask }: Evaluating,
  scope: CallScope | undefined,
  open: Roots,
  mapping: Mapping,
): Promise<unknown> => {
  const evaluation = evaluationContextOf(run, ports.attemptLog, scope, mask);
  const roots = { ...open, sentAt: isoOf(ports.nowMs()) };
  return await withDraws(ports.attemptLog, scope, async () => mapping.evaluate(roots, evaluation));
};

/** Evaluates with the roots of what is sent, anew until no draw is missing. `open`: the roots without secrets. */
export const evaluateForSending = async <T>(
  { run, ports, mask }: Evaluating,
  scope: CallScope,
  open: Roots,
  evaluate: (sending: RequestScope) => Promise<T>,
): Promise<T> => {
  const evaluation = evaluationContextOf(run, ports.attemptLog, scope, mask);
  return await withDraws(ports.attemptLog, scope, async () => {
    const environment = await evaluateEnvironment(run, evaluation, true);
    const { credentials } = run.account;
    const roots = { ...open, environment, credentials, auths: {}, sentAt: isoOf(ports.nowMs()) };
    return await evaluate({ roots, environment, evaluation });
  });
};

/**
 * The environment's values with `settings` and `credentials` put in. With `secrets` false, values whose text names
 * `credentials` are left out: what is kept or shown cannot hold one.
 */
export const evaluateEnvironment = async (
  run: Pick<Run, 'carrier' | 'environment' | 'account'>,
  context: EvaluationContext,
  secrets: boolean,
): Promise<Readonly<Record<string, unknown>>> => {
  const definition = run.carrier.environments[run.environment];
  if (definition === undefined) {
    throw new Failure(`${run.carrier.code} has no environment ${run.environment}`, {
      code: 'environment_missing',
      place: run.carrier.place,
      help: `declare it under environments`,
    });
  }
  const roots: Roots = secrets
    ? { settings: run.account.settings, credentials: run.account.credentials }
    : { settings: run.account.settings };
  const values: Record<string, unknown> = { name: run.environment };
  for (const [key, mapping] of [['url', definition.url] as const, ...Object.entries(definition.values)]) {
    if (!secrets && mapping.text.includes('credentials')) continue;
    const own = key === 'url' ? run.account.baseUrl : undefined;
    const value = own ?? (await mapping.evaluate(roots, context));
    if (value !== undefined) values[key] = value;
  }
  return values;
};

/**
 * What functions see in a call of a run. Draws that are not recorded yet throw `DrawNeeded`; the mask learns what is
 * made of a secret.
 */
export const evaluationContextOf = (
  run: Run,
  attemptLog: Pick<AttemptLog, 'draws'>,
  call?: CallScope,
  mask?: Pick<Mask, 'add' | 'text'>,
): EvaluationContext => ({
  tables: run.carrier.tables,
  time: run.carrier.time,
  nowMs: run.nowMs,
  drawn: (draw) => {
    const step = call?.step ?? '';
    const element = call?.element ?? 0;
    if (draw.kind === 'uuid') return derivedUuid(run.seed, 'uuid', step, element, draw.name, ...roundOf(call));
    const recorded = attemptLog.draws.get(drawKey(draw.name, call));
    if (recorded === undefined) throw new DrawNeeded(draw);
    return recorded;
  },
  derived: (input, output) => {
    if (mask !== undefined && mask.text(input) !== input) mask.add('derived', output);
  },
});

const drawKey = (name: string, call: CallScope | undefined): string =>
  JSON.stringify([name, call?.step ?? '', call?.element ?? 0, ...roundOf(call)]);

/**
 * Evaluates until no draw is missing: a value that is not recorded yet stops the evaluation, is drawn and recorded,
 * and the evaluation starts over.
 */
export const withDraws = async <T>(
  attemptLog: AttemptLog,
  call: CallScope | undefined,
  evaluate: () => Promise<T>,
): Promise<T> => {
  for (let draws = 0; draws < MAX_DRAWS; draws += 1) {
    try {
      return await evaluate();
    } catch (thrown) {
      if (!(thrown instanceof DrawNeeded)) throw thrown;
      const { name, options } = thrown.draw;
      await attemptLog.drawSequence(drawKey(name, call), name, options);
    }
  }
  throw new Failure(`more than ${MAX_DRAWS} values were drawn in one evaluation`, { code: 'too_many_draws' });
};

const MAX_DRAWS = 1_000;

/** The outcome of an evaluation that failed. Throws what is no error of profile or account. */
export const evaluationFailure = (
  thrown: unknown,
): { readonly word: 'reject' | 'config_error'; readonly problem: Problem } => {
  if (thrown instanceof Rejection) {
    return { word: 'reject', problem: problem(thrown.code ?? 'rejected_by_profile', thrown.message) };
  }
  if (!(thrown instanceof Failure)) throw thrown;
  return { word: 'config_error', problem: problem(thrown.code, thrown.message, thrown.place) };
};

/** A mapping's value as text; undefined when there is nothing. */
export const evaluateText = async (
  mapping: Mapping | undefined,
  roots: Roots,
  context: EvaluationContext,
): Promise<string | undefined> => {
  const value = await mapping?.evaluate(roots, context);
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Those that yield nothing are left out. */
export const evaluateTexts = async (
  mappings: Readonly<Record<string, Mapping>>,
  roots: Roots,
  context: EvaluationContext,
): Promise<Record<string, string>> => {
  const texts: Record<string, string> = {};
  for (const [name, mapping] of Object.entries(mappings)) {
    const text = await evaluateText(mapping, roots, context);
    if (text !== undefined) texts[name] = text;
  }
  return texts;
};

export const lowerCaseNames = <Value>(fields: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));
