/** Classifies the outcome of a request: by the profile’s rules in order, then by the built-in ones. */
import { parseRetryAfter } from '../duration.ts';
import { Failure, messageOf, type Problem, problem } from '../failure.ts';
import { type EvaluationContext, Rejection, type Roots } from '../mapping/mapping.ts';
import type { OutcomeRule, OutcomeWord } from '../profile/carrier.ts';
import type { NotSentCode, WireOutcome } from '../transport/wire.ts';
import { type Answer, type ReadAnswer, readAnswer } from './answer.ts';
import { LeaseLost } from './ports.ts';
import type { Prepared } from './prepare.ts';
import type { Call, CallOutcome, RunContext } from './run-context.ts';
import { evaluationFailure, withDraws } from './scope.ts';

/** What the guard of the transport refuses will not heal by waiting. */
const FOR_GOOD: ReadonlySet<NotSentCode> = new Set<NotSentCode>([
  'url_invalid',
  'plain_http_forbidden',
  'host_not_declared',
  'address_forbidden',
  'request_invalid',
]);

const isRefusedByUs = (wire: WireOutcome): boolean => wire.kind === 'not_sent' && FOR_GOOD.has(wire.code);

/** For the circuit breaker; undefined: our own guard refused, so the carrier was not asked. */
export const isHealthy = (wire: WireOutcome): boolean | undefined =>
  isRefusedByUs(wire) ? undefined : wire.kind === 'answer' && wire.status < 500;

/** `isDoubtful`: an earlier attempt may have been carried out, so that one that our guard refuses decides nothing. */
export const classifyWireOutcome = async (
  { ports }: RunContext,
  call: Call,
  { tokens, evaluation, sentAt }: Prepared,
  wire: WireOutcome,
  isDoubtful: boolean,
): Promise<CallOutcome> => {
  if (wire.kind !== 'answer') {
    const reason = problem(wire.code, wire.message, call.step.place);
    if (wire.kind === 'ambiguous') return { word: 'unknown_outcome', problem: reason };
    if (!isRefusedByUs(wire)) return { word: 'retry', problem: reason, isAway: true };
    return { word: isDoubtful ? 'retry' : 'config_error', problem: reason };
  }
  const raw = { status: wire.status, headers: wire.headers, body: wire.body };
  const read = readAnswer(call.step, raw);
  const roots = { ...call.roots, sentAt, repeated: isDoubtful, response: read.answer };
  const facts = { isRead: call.isRead, hasToken: tokens.length > 0 };
  const classified = await withDraws(ports.attemptLog, call.scope, async () =>
    classifyResponse(call.step.outcomes, read, facts, roots, evaluation),
  ).catch((thrown: unknown) => failedRule(call, thrown));
  if (classified.word === 'succeed') return { word: 'succeed', answer: read.answer, raw };
  const waitMs = parseRetryAfter(wire.headers['retry-after'], ports.nowMs());
  const isAway = wire.status === 429 || (wire.status === 503 && waitMs !== undefined);
  return { ...classified, waitMs, isAway, isAnswered: true, tokens };
};

/** A rule that fails says nothing about what the carrier did: an unknown outcome, or for a read another try. */
const failedRule = ({ isRead, step }: Call, thrown: unknown): Classification => {
  if (thrown instanceof LeaseLost) throw thrown;
  const isOfProfile = thrown instanceof Rejection || thrown instanceof Failure;
  const failure = isOfProfile
    ? evaluationFailure(thrown)
    : ({ word: 'config_error', problem: problem('mapping_failed', messageOf(thrown), step.place) } as const);
  return failure.word === 'reject' ? failure : { ...failure, word: isRead ? 'retry' : 'unknown_outcome' };
};

export type Classification =
  | { readonly word: 'succeed' }
  | { readonly word: Exclude<OutcomeWord, 'succeed'>; readonly problem: Problem };

/** Of the request an answer belongs to: what the built-in rules need to know. */
interface RequestFacts {
  /** Asking again is harmless: an unclear answer is a `retry`. */
  readonly isRead: boolean;
  /** A token was used that could be fetched anew. */
  readonly hasToken: boolean;
}

const isKeptByBuiltIns = (status: number): boolean =>
  status === 401 || status === 403 || status === 408 || status === 429 || status >= 500;

/** SOAP faults come as 500 (SOAP 1.1, 6.2): an answer that was understood is the profile's to judge. */
const covers = (rule: OutcomeRule, { status, fault }: Answer): boolean =>
  rule.status === undefined
    ? !isKeptByBuiltIns(status) || (status >= 500 && fault !== undefined)
    : rule.status.some(({ from, to }) => status >= from && status <= to);

/** JSONata's own notion of truth is `$boolean`; an expression that yields nothing is false. */
export const isTrue = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(isTrue);
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return typeof value === 'function' ? false : Boolean(value);
};

/**
 * The first rule that matches, else the built-in meaning. `roots` hold `response` and no secret. A rule that fails to
 * evaluate throws its `Failure`: the carrier may have acted, so the caller makes that an unknown outcome.
 */
export const classifyResponse = async (
  rules: readonly OutcomeRule[],
  read: ReadAnswer,
  facts: RequestFacts,
  roots: Roots,
  context: EvaluationContext,
): Promise<Classification> => {
  for (const rule of rules) {
    if (!covers(rule, read.answer)) continue;
    if (rule.when !== undefined && !isTrue(await rule.when.evaluate(roots, context))) continue;
    if (rule.do === 'succeed') return { word: 'succeed' };
    const { status } = read.answer;
    const [code = `http_${status}`] = textsOf(await rule.code?.evaluate(roots, context));
    const messages = textsOf(await rule.messages?.evaluate(roots, context));
    if (messages.length === 0) messages.push(`the carrier answered ${status}`);
    const fields = textsOf(await rule.fields?.evaluate(roots, context), true);
    return { word: rule.do, problem: { code, messages, place: rule.place, ...(fields.length > 0 && { fields }) } };
  }
  return builtIn(read, facts);
};

const MAX_MESSAGES = 50;
const MAX_MESSAGE_LENGTH = 1_000;

/** `isBeside`: those that are empty keep the places of the others. */
const textsOf = (value: unknown, isBeside = false): string[] =>
  [value]
    .flat()
    .filter((entry) => entry !== undefined && entry !== null && (isBeside || entry !== ''))
    .slice(0, MAX_MESSAGES)
    .map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)).slice(0, MAX_MESSAGE_LENGTH));

/** SOAP 1.1 may go into detail after a dot. */
const isClientFault = (code: string): boolean => /^(?:Client|Sender)(?:\.|$)/.test(code);

/** Nothing is there that could have refused an order: the URL is wrong, or whoever serves it is away. */
const isEndpointMissing = (status: number): boolean => status === 404 || status === 405;

const builtIn = ({ answer, unreadable }: ReadAnswer, facts: RequestFacts): Classification => {
  const { status, fault } = answer;
  const because = (message: string): Problem =>
    problem(`http_${status}`, [message, ...quoted(answer).map((words) => `the carrier says: ${words}`)]);
  if (status === 401 && facts.hasToken)
    return { word: 'refresh_auth', problem: because('the carrier does not accept our token (401)') };
  if (status === 401 || status === 403)
    return { word: 'config_error', problem: because(`the carrier refuses our credentials (${status})`) };
  if (status === 429) return { word: 'retry', problem: because('the carrier asks us to slow down (429)') };
  if (fault !== undefined && isClientFault(fault.code)) {
    return { word: 'reject', problem: problem(fault.code, fault.message) };
  }
  if (isEndpointMissing(status) && !facts.isRead)
    return { word: 'config_error', problem: because(`there is no such endpoint at the carrier (${status})`) };
  if (status >= 400 && status < 500 && status !== 408) {
    const words = quoted(answer);
    const messages = words.length === 0 ? [`the carrier refused the request (${status})`] : words;
    return { word: 'reject', problem: problem(`http_${status}`, messages) };
  }
  if (status >= 200 && status < 300 && unreadable === undefined && fault === undefined) return { word: 'succeed' };
  const unclear =
    unreadable !== undefined && status < 300
      ? problem(unreadable.code, `the carrier's answer cannot be read: ${unreadable.message}`)
      : because(fault === undefined ? `the carrier answered ${status}` : `the carrier's SOAP fault: ${fault.message}`);
  return { word: facts.isRead ? 'retry' : 'unknown_outcome', problem: unclear };
};

const MAX_QUOTED = 300;

/** What an error calls its own words: RFC 9457, RFC 6749, and what nearly all APIs do that follow neither. */
const WORDS = /^(?:messages?|details?|title|errors?|error_?(?:description|message)|description|reason)$/i;

/** What of an answer people can read without a rule that knows its shape: a short plain text, or the words of an error. */
const quoted = ({ body, text }: Answer): readonly string[] => {
  const plain = text.trim();
  if (plain !== '' && plain.length <= MAX_QUOTED && !/^[<{[]/.test(plain)) return [plain];
  return [...new Set(wordsIn(body, 0))].slice(0, MAX_WORDS);
};
const MAX_WORDS = 5;
const MAX_DEPTH = 4;

const wordsIn = (value: unknown, depth: number): readonly string[] => {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.entries(value)
    .slice(0, MAX_MESSAGES)
    .flatMap(([key, inner]: readonly [string, unknown]) => {
      if (typeof inner !== 'string') return wordsIn(inner, depth + 1);
      const isWords = Array.isArray(value) ? depth > 0 : WORDS.test(key);
      return isWords && inner.trim() !== '' ? [inner.trim().slice(0, MAX_QUOTED)] : [];
    });
};
