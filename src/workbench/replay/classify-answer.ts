/** How an answer of a carrier is classified and mapped, by itself: what the request was is not known. */
import { readAnswer } from '../../engine/dispatch/answer.ts';
import { classifyResponse, type Classification } from '../../engine/dispatch/classify.ts';
import type { KeptAnswer, Run } from '../../engine/dispatch/ports.ts';
import { interpretResult, withoutEmptyLabels } from '../../engine/dispatch/result.ts';
import { evaluateEnvironment, openRoots, evaluationContextOf } from '../../engine/dispatch/scope.ts';
import { Answer } from '../../engine/consignment/answer.ts';
import { Failure } from '../../engine/failure.ts';
import type { StatusUpdate } from '../../engine/statuses/status-update.ts';
import { coerce, validator } from '../../engine/validate.ts';
import { Rejection, type Roots } from '../../engine/mapping/mapping.ts';
import { type Carrier, type Operation, READS, type Step } from '../../engine/profile/carrier.ts';
import { normalise } from '../../engine/statuses/normalise.ts';
import { accountOf } from '../cases/account.ts';
import { environmentOf } from '../engine-run.ts';
import { type Observation, seenEvent, withoutContent } from './observation.ts';
import { nameOf } from './target.ts';

interface AnswerOf {
  readonly carrier: Carrier;
  readonly operation: Operation;
  readonly step: Step;
  readonly answer: KeptAnswer;
  readonly nowMs: number;
}

/** Never throws for what an answer or a profile does. */
export const classifyAnswer = async (given: AnswerOf): Promise<Observation> => {
  const { carrier, operation, step, nowMs } = given;
  const base = { action: nameOf({ operation: operation.name, step: step.id }), requests: [], events: [] };
  const run: Run = {
    seed: 'replay',
    carrier,
    operation,
    environment: environmentOf(carrier),
    account: accountOf(carrier, undefined),
    inputs: {},
    nowMs,
  };
  try {
    return { ...base, ...(await classified(given, run)) };
  } catch (thrown) {
    if (thrown instanceof Rejection) {
      return { ...base, outcome: 'reject', code: thrown.code ?? 'rejected_by_profile', messages: [thrown.message] };
    }
    if (!(thrown instanceof Failure)) throw thrown;
    const outcome = READS.has(operation.name) ? 'fail' : 'unknown_outcome';
    return { ...base, outcome, code: thrown.code, messages: [thrown.describe()] };
  }
};

const classified = async (
  { operation, step, answer, nowMs }: AnswerOf,
  run: Run,
): Promise<Omit<Observation, 'action' | 'requests' | 'events'> & Partial<Pick<Observation, 'events'>>> => {
  const context = evaluationContextOf(run, { draws: new Map() });
  const environment = await evaluateEnvironment(run, context, false);
  const read = readAnswer(step, answer);
  const open = openRoots(run, environment, {});
  const facts = { isRead: READS.has(operation.name), hasToken: false };
  const verdict = await classifyResponse(
    step.outcomes,
    read,
    facts,
    { ...open, response: read.answer, sentAt: now(nowMs), repeated: false },
    context,
  );
  if (verdict.word !== 'succeed') return refusalOf(verdict);
  if (operation.result === undefined || operation.steps.at(-1)?.id !== step.id) return { outcome: 'succeed' };
  const single = step.forEach === undefined;
  const steps = { [step.id]: single ? read.answer : [{ ...read.answer, item: {} }] };
  const roots: Roots = {
    ...openRoots(run, environment, steps),
    ...(single ? { response: read.answer } : {}),
    sentAt: now(nowMs),
  };
  const yielded = await operation.result.evaluate(roots, context);
  if (operation.name === 'create' || operation.name === 'update') return acceptance(yielded);
  const result = interpretResult(run, yielded, steps);
  if (!result.ok) return { outcome: 'fail', code: result.problem.code, messages: result.problem.messages };
  if (operation.name !== 'track') return { outcome: 'succeed', result: result.value };
  const updates = result.value as readonly StatusUpdate[];
  const direction = (run.inputs.consignment as { readonly typeOfOrder?: string } | undefined)?.typeOfOrder;
  return {
    outcome: 'succeed',
    events: updates.map((update) => seenEvent(normalise(run.carrier, update, nowMs, direction))),
  };
};

const now = (ms: number): string => new Date(ms).toISOString();

const refusalOf = (verdict: Exclude<Classification, { word: 'succeed' }>) => ({
  outcome: verdict.word,
  code: verdict.problem.code,
  messages: verdict.problem.messages,
});

const checkAnswer = validator(Answer, 'the result');

/** For which packages it stands cannot be known: what it says is checked against the contract, no more. */
const acceptance = (yielded: unknown) => {
  const checked = checkAnswer(coerce(Answer, withoutEmptyLabels(yielded ?? {})));
  if (!checked.ok) {
    return {
      outcome: 'unknown_outcome',
      code: 'result_invalid',
      messages: checked.issues.map(({ message }) => message),
    };
  }
  const { itemsTrackDetails, ...head } = checked.value;
  if (!itemsTrackDetails.some(({ trackingNumber }) => trackingNumber !== undefined)) {
    return { outcome: 'unknown_outcome', code: 'answer_inconsistent', messages: ['there is no tracking number'] };
  }
  const result = { ...withoutContent(head), itemsTrackDetails: itemsTrackDetails.map((one) => withoutContent(one)) };
  return { outcome: 'succeed', result };
};
