/** Runs an operation, from its first step or from where an earlier run of the same dispatch got to (§3 of the language). */
import { Failure } from '../domain/failure.ts';
import { type Trouble, trouble } from '../domain/trouble.ts';
import { type Mapping, Rejection, type Roots } from '../mapping/mapping.ts';
import { READS, type Step } from '../profile/carrier.ts';
import { createMask, type Mask } from '../transport/masking.ts';
import { findRecord, performCall } from './call.ts';
import type { CallContext, CallEnd, LookedUp } from './call-context.ts';
import { maskTrouble } from './exchange.ts';
import { createMemoryLedger, type TakeFromSequence } from './memory-ledger.ts';
import { isTrue } from './outcome.ts';
import type { Ledger, Ports, Run, RunOutcome } from './ports.ts';
import { type Found, interpretResult, mergeFound } from './result.ts';
import {
  type CallScope,
  evaluateEnvironment,
  idempotencyKeyOf,
  openRoots,
  sendingRoots,
  surroundingsOf,
  withDraws,
} from './scope.ts';
import { UNDO, type Undoable, undoAll } from './undo.ts';

/**
 * The flow: each step's calls are performed or read back, the first that does not succeed decides, and the result is
 * made of the answers. Never throws for what a carrier, a profile or an account does; `LeaseLost` and failures of
 * the ports come through.
 */
export const runOperation = async (run: Run, ports: Ports): Promise<RunOutcome> => {
  const mask = createMask(secretsOf(run));
  const progress: Progress = { steps: {}, response: undefined, successes: [], found: [] };
  try {
    const environment = await evaluateEnvironment(run, surroundingsOf(run, ports.ledger, undefined, mask), false);
    const flow: Flow = { run, ports, mask, environment, context: contextOf(run, ports, mask), progress };
    for (const step of run.operation.steps) {
      const ended = await runStep(flow, step);
      if (ended !== undefined) return ended;
    }
    return await conclude(flow);
  } catch (thrown) {
    const reason = troubleOf(thrown, mask);
    if (reason === undefined) throw thrown;
    return { kind: 'held', why: isInDoubt(ports.ledger) ? 'unknown_outcome' : 'config_error', trouble: reason };
  }
};

interface Progress {
  /** The root `steps`. */
  readonly steps: Record<string, unknown>;
  /** The last step's answer, unless that was a forEach. */
  response: unknown;
  readonly successes: Undoable[];
  /** Results of `lookup` that stand in for answers. */
  readonly found: Found[];
}

interface Flow {
  readonly run: Run;
  readonly ports: Ports;
  readonly mask: Mask;
  readonly environment: Readonly<Record<string, unknown>>;
  readonly context: CallContext;
  readonly progress: Progress;
}

const secretsOf = ({ carrier, account }: Run): { name: string; value: string }[] =>
  Object.entries(carrier.credentials)
    .filter(([, field]) => field.secret)
    .flatMap(([name]) => {
      const value = account.credentials[name];
      return typeof value === 'string' ? [{ name, value }] : [];
    });

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
      return ports.ledger.draws.get(key) ?? (await ports.ledger.drawSequence(key, name, drawn));
    };
    const outcome = await runOperation(asking, { ...ports, ledger: createMemoryLedger(ports.noteExchange, take) });
    if (outcome.kind === 'done') {
      return outcome.result === undefined ? { kind: 'nothing' } : { kind: 'found', result: outcome.result };
    }
    return { kind: 'unclear', trouble: outcome.trouble };
  };
  return { ask, backoff: operation.steps[0].retry };
};

const openFor = (flow: Flow, call?: CallScope): Roots => {
  const roots = openRoots(flow.run, flow.environment, flow.progress.steps, call);
  return flow.progress.response === undefined ? roots : { ...roots, response: flow.progress.response };
};

/** Runs one step; yields how the run ends, or undefined to go on. */
const runStep = async (flow: Flow, step: Step): Promise<RunOutcome | undefined> => {
  const before = findRecord(flow.ports, { step: step.id, element: 0 });
  if (before?.attempt === UNASKED && before.failed !== undefined) {
    return await endAs(flow, before.failed.as, before.failed.trouble);
  }
  let calls: readonly CallScope[];
  try {
    if (step.when !== undefined && !isTrue(await evaluateForSending(flow, step, step.when))) return undefined;
    calls = await callsOf(flow, step);
  } catch (thrown) {
    const reason = troubleOf(thrown, flow.mask);
    if (reason === undefined) throw thrown;
    return await endUnasked(flow, step, thrown instanceof Rejection ? 'reject' : 'config_error', reason);
  }
  const ends = await performAll(flow, step, calls);
  for (const [index, end] of ends.entries()) {
    const call = calls[index];
    if (end?.kind !== 'succeeded' || call === undefined) continue;
    flow.progress.successes.push({ step, call, answer: end.answer });
    if (end.found !== undefined) flow.progress.found.push({ result: end.found, item: call.item });
  }
  const ended = await endOf(flow, ends);
  if (ended !== undefined) return ended;
  keepAnswers(flow.progress, step, calls, ends);
  return undefined;
};

/** The attempt of a step that failed before it came to any call. */
const UNASKED = 0;

/** Written down where something is to be taken back: once that has begun, a mended account must not go on with the rest. */
const endUnasked = async (
  flow: Flow,
  step: Step,
  as: 'reject' | 'config_error',
  reason: Trouble,
): Promise<RunOutcome> => {
  const { ports, context, progress } = flow;
  const undoes = !context.isRead && progress.successes.some((success) => success.step.undo !== undefined);
  if (undoes && !isInDoubt(ports.ledger)) {
    const failed = { as, trouble: reason };
    const call = { step: step.id, element: 0, attempt: UNASKED, firstSentAtMs: ports.nowMs() };
    await ports.ledger.commit({ ...call, state: 'failed', failed }, undefined);
  }
  return await endAs(flow, as, reason);
};

const evaluateForSending = async (flow: Flow, step: Step, mapping: Mapping): Promise<unknown> => {
  const { run, ports } = flow;
  const call: CallScope = { step: step.id, element: 0 };
  const surroundings = surroundingsOf(run, ports.ledger, call, flow.mask);
  return await withDraws(ports.ledger, call, async () => {
    const environment = await evaluateEnvironment(run, surroundings, true);
    return await mapping.evaluate(sendingRoots(openFor(flow, call), run, environment, {}, ports.nowMs()), surroundings);
  });
};

const callsOf = async (flow: Flow, step: Step): Promise<readonly CallScope[]> => {
  if (step.forEach === undefined) return [{ step: step.id, element: 0 }];
  const value = await evaluateForSending(flow, step, step.forEach);
  const elements: readonly unknown[] =
    value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  const { batch } = step;
  if (batch === undefined) return elements.map((item, index) => ({ step: step.id, element: index, item, index }));
  return Array.from({ length: Math.ceil(elements.length / batch) }, (_, index) => ({
    step: step.id,
    element: index,
    items: elements.slice(index * batch, (index + 1) * batch),
    index,
  }));
};

/** In element order, up to `parallel` at a time. The first failure starts no further calls; those in flight end. */
const performAll = async (flow: Flow, step: Step, calls: readonly CallScope[]): Promise<(CallEnd | undefined)[]> => {
  const ends: (CallEnd | undefined)[] = Array.from({ length: calls.length });
  const records = calls.map((call) => findRecord(flow.ports, call));
  let stopped = records.some((record) => record?.state === 'failed');
  const begun = (index: number): boolean => records[index] !== undefined && records[index].state !== 'retry';
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < calls.length; index = next++) {
      const call = calls[index];
      if (call === undefined || (stopped && !begun(index))) continue;
      const end = await performCall(flow.context, step, call, openFor(flow, call));
      ends[index] = end;
      if (end.kind !== 'succeeded') stopped = true;
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: Math.max(1, step.parallel) }, work));
  for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
  return ends;
};

/** What the ends of a step's calls mean for the run: what nobody knows comes before what failed, so that nothing is undone in doubt. */
const endOf = async (flow: Flow, ends: readonly (CallEnd | undefined)[]): Promise<RunOutcome | undefined> => {
  const found = <Kind extends CallEnd['kind']>(kind: Kind): Extract<CallEnd, { kind: Kind }>[] =>
    ends.filter((end): end is Extract<CallEnd, { kind: Kind }> => end?.kind === kind);
  const waiting = found('waiting').sort((a, b) => a.dueAtMs - b.dueAtMs);
  const doubtful = waiting.find((end) => end.doubtful);
  const [unknown] = found('unknown');
  const [failed] = found('failed');
  if (doubtful !== undefined) return { kind: 'waiting', dueAtMs: doubtful.dueAtMs, trouble: doubtful.trouble };
  if (unknown !== undefined) return { kind: 'held', why: 'unknown_outcome', trouble: unknown.trouble };
  if (failed !== undefined) return await endAs(flow, failed.as, failed.trouble);
  const [soonest] = waiting;
  if (soonest !== undefined) return { kind: 'waiting', dueAtMs: soonest.dueAtMs, trouble: soonest.trouble };
  return undefined;
};

/** The operation is not done: what succeeded of it is taken back, then it ends. */
const endAs = async (flow: Flow, as: 'reject' | 'fail' | 'config_error', reason: Trouble): Promise<RunOutcome> => {
  if (flow.context.isRead) return endedAs(as, reason);
  if (isInDoubt(flow.ports.ledger)) return { kind: 'held', why: 'unknown_outcome', trouble: reason };
  const undone = await undoAll(flow.context, flow.progress.successes, (call) => openFor(flow, call));
  if (undone.kind === 'waiting') return undone;
  if (undone.kind === 'stuck') {
    const messages = [...reason.messages, ...undone.trouble.messages];
    return { kind: 'held', why: 'undo_failed', trouble: { ...reason, messages } };
  }
  return endedAs(as, reason);
};

const endedAs = (as: 'reject' | 'fail' | 'config_error', reason: Trouble): RunOutcome =>
  as === 'reject' ? { kind: 'rejected', trouble: reason } : { kind: 'held', why: as, trouble: reason };

const keepAnswers = (
  progress: Progress,
  step: Step,
  calls: readonly CallScope[],
  ends: readonly (CallEnd | undefined)[],
): void => {
  const answers = ends.map((end) => (end?.kind === 'succeeded' ? end.answer : undefined));
  if (step.forEach === undefined) {
    progress.steps[step.id] = answers[0];
    progress.response = answers[0];
    return;
  }
  progress.response = undefined;
  progress.steps[step.id] = calls.flatMap(({ item, items }, index) => {
    const answer = answers[index];
    return answer === undefined ? [] : [{ ...answer, ...(items === undefined ? { item } : { items }) }];
  });
};

/** All steps are done: the result, checked. */
const conclude = async (flow: Flow): Promise<RunOutcome> => {
  const { run, progress, mask } = flow;
  try {
    const result = interpretResult(run, mergeFound(await yieldOf(flow), progress.found), progress.steps);
    if (result.ok) return { kind: 'done', result: result.value, answers: progress.steps };
    return resultFailed(flow, maskTrouble(mask, result.trouble));
  } catch (thrown) {
    const reason = troubleOf(thrown, mask);
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
  const surroundings = surroundingsOf(run, ports.ledger, undefined, flow.mask);
  return await withDraws(ports.ledger, undefined, async () => await result.evaluate(roots, surroundings));
};

/** Where a carrier has acted, nobody knows what it made of it; where none was even asked, nothing was done. */
const resultFailed = ({ context, progress }: Flow, reason: Trouble): RunOutcome => {
  if (context.isRead) return { kind: 'held', why: 'fail', trouble: reason };
  return { kind: 'held', why: progress.successes.length > 0 ? 'unknown_outcome' : 'config_error', trouble: reason };
};

/** Something may have been done of which nobody knows. */
export const isInDoubt = ({ calls }: Pick<Ledger, 'calls'>): boolean =>
  calls.some(({ step, state }) => !step.endsWith(UNDO) && (state === 'sending' || state === 'unknown'));

/** The trouble of an evaluation that failed; undefined for what is none of the profile's or account's. */
const troubleOf = (thrown: unknown, mask: Mask): Trouble | undefined => {
  if (thrown instanceof Rejection) return trouble(thrown.code ?? 'rejected_by_profile', mask.text(thrown.message));
  if (thrown instanceof Failure) return trouble(thrown.code, mask.text(thrown.message), thrown.place);
  return undefined;
};
