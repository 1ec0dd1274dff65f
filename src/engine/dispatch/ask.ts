/** One HTTP call of a step: prove, build, sign, send, decode, judge. What it means for the run is the caller's. */
import { Failure, messageOf, type Problem, problem } from '../failure.ts';
import { parseRetryAfter } from '../duration.ts';
import { Rejection } from '../mapping/mapping.ts';
import type { Step } from '../profile/carrier.ts';
import type { NotSentCode, WireOutcome } from '../transport/wire.ts';
import { type ReadAnswer, readAnswer } from './answer.ts';
import type { CallOutcome, CallRequest } from './call-request.ts';
import { describeExchange, maskProblem } from './exchange.ts';
import { classifyResponse, type Classification } from './classify.ts';
import { type Exchange, type KeptAnswer, LeaseLost } from './ports.ts';
import { prepare, type Prepared } from './prepare.ts';
import { withDraws } from './scope.ts';

export const ask = async (asking: CallRequest): Promise<CallOutcome> => {
  const { run, ports, step } = asking;
  // Before the carrier limits: a login has to pass it by itself, and would wait for ever behind the call that needs it.
  const prepared = await prepare(asking, askLogin);
  if ('kind' in prepared) return prepared;
  const admission = ports.carrierLimits.enter(run.carrier.code, run.account.id, step.limits);
  if (!admission.admitted) {
    return { kind: 'held_back', waitMs: admission.waitMs, problem: problem('held_back', admission.why) };
  }
  let healthy: boolean | undefined;
  try {
    await asking.beforeSend();
    const atMs = ports.nowMs();
    const { timeoutMs, sizeBytes: maxBytes } = step.limits;
    const outcome = await ports.send(prepared.wire, { timeoutMs, maxBytes }, run.carrier.code);
    healthy = healthOf(outcome);
    return await interpret(asking, prepared, outcome, atMs);
  } finally {
    admission.leave(healthy);
  }
};

/** A login is a read of its own, outside the attempt log; what it says is secret, so only its envelope is kept. */
export const askLogin = async (asking: CallRequest, login: Step): Promise<CallOutcome> => {
  const asked = await ask({
    ...asking,
    operation: 'login',
    isRead: true,
    once: false,
    step: login,
    call: { step: login.id, element: 0 },
    attempt: 1,
    beforeSend: () => Promise.resolve(),
  });
  if ('exchange' in asked) await asking.ports.noteExchange(asked.exchange);
  // A refusal is remembered.
  if (asked.kind !== 'answered') return { ...asked, problem: maskProblem(asking.mask, asked.problem) };
  const { verdict } = asked;
  if (verdict.word === 'succeed') return asked;
  return { ...asked, verdict: { ...verdict, problem: maskProblem(asking.mask, verdict.problem) } };
};

/** What the guard of the transport refuses will not heal by waiting. */
const FOR_GOOD: ReadonlySet<NotSentCode> = new Set<NotSentCode>([
  'url_invalid',
  'plain_http_forbidden',
  'host_not_declared',
  'address_forbidden',
  'request_invalid',
]);

/** Undefined: the carrier was not asked, for our own guard refused. */
const healthOf = (outcome: WireOutcome): boolean | undefined =>
  outcome.kind === 'not_sent' && FOR_GOOD.has(outcome.code)
    ? undefined
    : outcome.kind === 'answer' && outcome.status < 500;

const interpret = async (
  asking: CallRequest,
  prepared: Prepared,
  outcome: WireOutcome,
  atMs: number,
): Promise<CallOutcome> => {
  const { ports, step, call } = asking;
  const exchangeOf = (word: string, reason: Problem | undefined): Exchange =>
    describeExchange({
      mask: asking.mask,
      key: { step: call.step, element: call.element },
      operation: asking.operation,
      attempt: asking.attempt,
      atMs,
      durationMs: ports.nowMs() - atMs,
      wire: prepared.wire,
      outcome,
      word,
      reason,
    });
  if (outcome.kind !== 'answer') {
    const reason = problem(outcome.code, outcome.message, step.place);
    return outcome.kind === 'not_sent'
      ? {
          kind: 'not_sent',
          forGood: FOR_GOOD.has(outcome.code),
          problem: reason,
          exchange: exchangeOf('not_sent', reason),
        }
      : { kind: 'ambiguous', problem: reason, exchange: exchangeOf('unknown_outcome', reason) };
  }
  const kept: KeptAnswer = { status: outcome.status, headers: outcome.headers, body: outcome.body };
  const read = readAnswer(step, kept);
  const verdict = await judgeSafely(asking, prepared, read);
  return {
    kind: 'answered',
    verdict,
    kept,
    read,
    retryAfterMs: parseRetryAfter(outcome.headers['retry-after'], ports.nowMs()),
    proof: prepared.proof,
    exchange: exchangeOf(verdict.word, verdict.word === 'succeed' ? undefined : verdict.problem),
  };
};

/** A rule that fails says nothing about what the carrier did: an unknown outcome, or for a read another try. */
const judgeSafely = async (asking: CallRequest, prepared: Prepared, read: ReadAnswer): Promise<Classification> => {
  const { open, ports, call, step } = asking;
  const roots = { ...open, sentAt: new Date(prepared.sentAtMs).toISOString(), response: read.answer };
  const facts = { isRead: asking.isRead, hasToken: prepared.proof.tokens.length > 0 };
  try {
    return await withDraws(
      ports.attemptLog,
      call,
      async () => await classifyResponse(step.outcomes, read, facts, roots, prepared.context),
    );
  } catch (thrown) {
    if (thrown instanceof LeaseLost) throw thrown;
    if (thrown instanceof Rejection) {
      return { word: 'reject', problem: problem(thrown.code ?? 'rejected_by_profile', thrown.message) };
    }
    const reason =
      thrown instanceof Failure
        ? problem(thrown.code, thrown.message, thrown.place)
        : problem('mapping_failed', messageOf(thrown), asking.step.place);
    return { word: asking.isRead ? 'retry' : 'unknown_outcome', problem: reason };
  }
};
