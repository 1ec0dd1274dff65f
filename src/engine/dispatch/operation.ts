/** Runs an operation, from its first step or from where an earlier run of the dispatch stopped. */
import type { Accepted } from '../consignment/answer.ts';
import { Failure, type Problem } from '../failure.ts';
import { piece } from '../large.ts';
import type { EvaluationContext } from '../mapping/mapping.ts';
import { type Operation, READS } from '../profile/carrier.ts';
import { present } from '../value.ts';
import { createMemoryLog, type TakeFromSequence } from './attempt-log.ts';
import { isTrue } from './classify.ts';
import { maskOf, maskProblem, maskTexts, secretIn } from './exchange.ts';
import type { Ports, Run, RunOutcome } from './ports.ts';
import { partOf, unnumberedProblem, warningsOf, withDoubts } from './part.ts';
import { interpretResult, mergeFound } from './result.ts';
import { createRunContext, type LookUp, type RunContext, rootsOf } from './run-context.ts';
import { evaluateOpenly, evaluationFailure, idempotencyKeyOf } from './scope.ts';
import { rehearseStep, runStep } from './step.ts';
import { mayHaveSideEffects } from './undo.ts';

/**
 * The flow: each step's calls are performed or read back, the first that does not succeed decides, and the result is
 * made of the answers. Never throws for what a carrier, a profile or an account does; `LeaseLost` and failures of
 * the ports come through.
 */
export const runOperation = async (given: Run, ports: Ports): Promise<RunOutcome> => {
  let run = given;
  const mask = maskOf(run.carrier, run.account);
  try {
    run = { ...given, operation: await variantOf(given) };
    const context = await createRunContext(run, ports, mask, lookUpOf(run, ports));
    for (const step of run.operation.steps) {
      const ended = await runStep(context, step);
      if (ended !== undefined) return withDoubts(context, ended);
    }
    return await resultOf(context);
  } catch (thrown) {
    const problem = maskProblem(mask, evaluationFailure(thrown).problem);
    const isKnown = READS.has(run.operation.name) || !mayHaveSideEffects(ports.attemptLog);
    return { kind: 'held', why: isKnown ? 'config_error' : 'unknown_outcome', problem };
  }
};

/** How a run would end before anything is sent, as far as that can be told without asking anybody. */
export const rehearseOperation = async (run: Run, ports: Ports): Promise<RunOutcome | undefined> => {
  const mask = maskOf(run.carrier, run.account);
  try {
    const operation = await variantOf(run);
    return await rehearseStep(await createRunContext({ ...run, operation }, ports, mask), operation.steps[0]);
  } catch (thrown) {
    return { kind: 'held', why: 'config_error', problem: maskProblem(mask, evaluationFailure(thrown).problem) };
  }
};

/** By what does not change while a dispatch goes on: however often it is taken up, it is the same variant. */
const variantOf = async ({ operation, inputs, carrier, nowMs }: Run): Promise<Operation> => {
  if (operation.variants.length === 0) return operation;
  const { tables, time } = carrier;
  const roots = present({ ...inputs, tables });
  const context: EvaluationContext = { tables, time, nowMs, drawn: () => '' };
  for (const { when, operation: variant } of operation.variants)
    if (when === undefined || isTrue(await when.evaluate(roots, context))) return variant;
  throw new Failure(`no variant of ${operation.name} is for this consignment`, {
    code: 'no_variant',
    place: operation.place,
    help: 'end with one without a condition',
  });
};

/** Asks with what the call has at hand. */
const lookUpOf =
  (run: Run, ports: Ports): LookUp =>
  async (operation, call, steps) => {
    const { draws, drawSequence } = ports.attemptLog;
    const take: TakeFromSequence = async (name, options) => {
      const key = JSON.stringify(['lookup', call.step, call.element, name]);
      return draws.get(key) ?? (await drawSequence(key, name, options));
    };
    const { item, items, index } = call;
    const lookUp: Run = {
      ...run,
      operation,
      inputs: { ...run.inputs, ...(item === undefined ? {} : { item }), ...(items && { items }), index },
      seed: `${run.seed}/${call.step}/${call.element}`,
      idempotencyKey: idempotencyKeyOf(run, call),
      steps,
    };
    const attemptLog = createMemoryLog(ports.noteExchange, take);
    const looked = await runOperation(lookUp, { ...ports, attemptLog });
    if (looked.kind !== 'done') return looked;
    // No call was made, for no step's `when` or `forEach` asked for one: that does not say that there is nothing.
    const { answer } = attemptLog.calls.at(-1) ?? {};
    return answer === undefined ? { kind: 'not_asked' } : { kind: 'done', result: looked.result, answer };
  };

/** All steps are done: the result, checked. */
const resultOf = async (context: RunContext): Promise<RunOutcome> => {
  const { run, isRead, steps, successes } = context;
  const found = successes
    .filter((success) => success.found !== undefined)
    .map((success) => ({ result: success.found, item: success.call.scope.item }));
  // Nothing is left to map where a lookup stands in for every answer.
  const isAllFound = found.length > 0 && found.length === successes.length;
  let reason: Problem;
  try {
    const yielded = isAllFound ? undefined : await piece(async () => evaluateResult(context));
    const part = partOf(context);
    const warnings = warningsOf(context);
    const result = await piece(() => interpretResult(run, mergeFound(yielded, found), steps, { part, warnings }));
    if (result.ok) {
      const value = await piece(() => withoutSecrets(context, result.value));
      const answer = isRead ? undefined : (value as Accepted | undefined);
      const lacking = part?.problem ?? unnumberedProblem(answer, run.operation.result?.place);
      return lacking === undefined
        ? { kind: 'done', result: value, answers: steps }
        : { kind: 'held', why: 'partial', problem: lacking, accepted: value as Accepted };
    }
    reason = result.problem;
  } catch (thrown) {
    reason = evaluationFailure(thrown).problem;
  }
  const problem = maskProblem(context.mask, reason);
  if (isRead) return { kind: 'held', why: 'fail', problem };
  // Where a carrier has acted, nobody knows what it made of it; where none was even asked, nothing was done.
  return { kind: 'held', why: successes.length > 0 ? 'unknown_outcome' : 'config_error', problem };
};

/** What is kept: throws where a secret has come back as a number, a memo or a label; in events it is masked. */
const withoutSecrets = ({ run, mask }: RunContext, value: unknown): unknown => {
  const { name, result, place } = run.operation;
  if (name === 'track') return maskTexts(mask, value);
  const secret = secretIn(mask, run.carrier, name === 'register' ? (value as Registered)?.settings : value);
  if (secret === undefined) return value;
  throw new Failure(`the answer holds the credential ${secret} where it would be kept or shown`, {
    code: 'secret_in_answer',
    place: result?.place ?? place,
  });
};

/** Its credentials are kept as such. */
type Registered = { readonly settings?: unknown } | undefined;

const evaluateResult = async (context: RunContext): Promise<unknown> => {
  const { result, steps } = context.run.operation;
  if (result === undefined) return undefined;
  const last = steps.at(-1);
  const scope = last === undefined || last.forEach !== undefined ? undefined : { step: last.id, element: 0 };
  return await evaluateOpenly(context, undefined, rootsOf(context, scope), result);
};
