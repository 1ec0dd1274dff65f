/** Runs an operation, from its first step or from where an earlier run of the same dispatch got to (§3 of the language). */
import type { Problem } from '../failure.ts';
import { READS } from '../profile/carrier.ts';
import type { Mask } from '../transport/masking.ts';
import { maskOf } from './account-mask.ts';
import type { CallContext, LookedUp } from './call-context.ts';
import { maskProblem } from './exchange.ts';
import { type Flow, mayHaveSideEffects, openFor, type Progress, problemOf } from './flow.ts';
import { createMemoryLog, type TakeFromSequence } from './attempt-log.ts';
import type { Ports, Run, RunOutcome } from './ports.ts';
import { interpretResult, mergeFound } from './result.ts';
import { type CallScope, evaluateEnvironment, idempotencyKeyOf, evaluationContextOf, withDraws } from './scope.ts';
import { runStep } from './step.ts';

/**
 * The flow: each step's calls are performed or read back, the first that does not succeed decides, and the result is
 * made of the answers. Never throws for what a carrier, a profile or an account does; `LeaseLost` and failures of
 * the ports come through.
 */
export const runOperation = async (run: Run, ports: Ports): Promise<RunOutcome> => {
  const mask = maskOf(run.carrier, run.account);
  const progress: Progress = { steps: {}, response: undefined, successes: [], found: [] };
  try {
    const environment = await evaluateEnvironment(
      run,
      evaluationContextOf(run, ports.attemptLog, undefined, mask),
      false,
    );
    const flow: Flow = { run, ports, mask, environment, context: contextOf(run, ports, mask), progress };
    for (const step of run.operation.steps) {
      const ended = await runStep(flow, step);
      if (ended !== undefined) return ended;
    }
    return await conclude(flow);
  } catch (thrown) {
    const reason = problemOf(thrown, mask);
    if (reason === undefined) throw thrown;
    const isKnown = READS.has(run.operation.name) || !mayHaveSideEffects(ports.attemptLog);
    return { kind: 'held', why: isKnown ? 'config_error' : 'unknown_outcome', problem: reason };
  }
};

const contextOf = (run: Run, ports: Ports, mask: Mask): CallContext => ({
  run,
  ports,
  mask,
  idempotency: run.operation.idempotency,
  operation: run.operation.name,
  isRead: READS.has(run.operation.name),
  lookUp: lookUpOf(run, ports),
});

/** `lookup` is asked for creates of one step, with the item at hand (§3.5). */
const lookUpOf = (run: Run, ports: Ports): CallContext['lookUp'] => {
  const operation = run.carrier.operations.lookup;
  if (run.operation.name !== 'create' || run.operation.steps.length > 1 || operation === undefined) return undefined;
  const ask = async (call: CallScope): Promise<LookedUp> => {
    const inputs = { ...run.inputs, ...(call.item === undefined ? {} : { item: call.item }) };
    const asking: Run = {
      ...run,
      operation,
      inputs,
      seed: `${run.seed}/${call.step}/${call.element}`,
      idempotencyKey: idempotencyKeyOf(run, call),
    };
    const take: TakeFromSequence = async (name, drawn) => {
      const key = JSON.stringify(['lookup', call.step, call.element, name]);
      return ports.attemptLog.draws.get(key) ?? (await ports.attemptLog.drawSequence(key, name, drawn));
    };
    const outcome = await runOperation(asking, { ...ports, attemptLog: createMemoryLog(ports.noteExchange, take) });
    if (outcome.kind === 'done') {
      return outcome.result === undefined ? { kind: 'nothing' } : { kind: 'found', result: outcome.result };
    }
    return { kind: 'unclear', problem: outcome.problem };
  };
  return { ask, backoff: operation.steps[0].retry };
};

/** All steps are done: the result, checked. */
const conclude = async (flow: Flow): Promise<RunOutcome> => {
  const { run, progress, mask } = flow;
  try {
    const result = interpretResult(run, mergeFound(await yieldOf(flow), progress.found), progress.steps);
    if (result.ok) return { kind: 'done', result: result.value, answers: progress.steps };
    return resultFailed(flow, maskProblem(mask, result.problem));
  } catch (thrown) {
    const reason = problemOf(thrown, mask);
    if (reason === undefined) throw thrown;
    return resultFailed(flow, reason);
  }
};

/** What the profile's `result` makes of the answers; nothing where `lookup` stands in for all of them. */
const yieldOf = async (flow: Flow): Promise<unknown> => {
  const { run, ports, progress } = flow;
  const { result } = run.operation;
  const isAllFound = progress.found.length > 0 && progress.found.length === progress.successes.length;
  if (result === undefined || isAllFound) return undefined;
  const last = run.operation.steps.at(-1);
  const call = last === undefined || last.forEach !== undefined ? undefined : { step: last.id, element: 0 };
  const roots = { ...openFor(flow, call), sentAt: new Date(ports.nowMs()).toISOString() };
  const context = evaluationContextOf(run, ports.attemptLog, undefined, flow.mask);
  return await withDraws(ports.attemptLog, undefined, async () => await result.evaluate(roots, context));
};

/** Where a carrier has acted, nobody knows what it made of it; where none was even asked, nothing was done. */
const resultFailed = ({ context, progress }: Flow, reason: Problem): RunOutcome => {
  if (context.isRead) return { kind: 'held', why: 'fail', problem: reason };
  return { kind: 'held', why: progress.successes.length > 0 ? 'unknown_outcome' : 'config_error', problem: reason };
};
