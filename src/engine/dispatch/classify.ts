/** What an answer means: the profile's rules from the top, then the built-in ones (§2.6 of the language). */
import { type Problem, problem, type Place } from '../failure.ts';
import type { Roots, EvaluationContext } from '../mapping/mapping.ts';
import type { OutcomeRule, OutcomeWord } from '../profile/carrier.ts';
import type { Answer, ReadAnswer } from './answer.ts';

export type Classification =
  | { readonly word: 'succeed' }
  | { readonly word: Exclude<OutcomeWord, 'succeed'>; readonly problem: Problem };

/** Of the request an answer belongs to: what the built-in rules need to know. */
export interface CallOutcome {
  /** Asking again is harmless: an unclear answer is a `retry`. */
  readonly isRead: boolean;
  /** A token was used that could be fetched anew. */
  readonly hasToken: boolean;
}

const KEPT_BY_BUILT_INS = (status: number): boolean =>
  status === 401 || status === 403 || status === 408 || status === 429 || status >= 500;

/** SOAP faults come as 500 (SOAP 1.1, §6.2): an answer that was understood is the profile's to judge. */
const covers = (rule: OutcomeRule, { status, fault }: Answer): boolean =>
  rule.status === undefined
    ? !KEPT_BY_BUILT_INS(status) || (status >= 500 && fault !== undefined)
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
  asked: CallOutcome,
  roots: Roots,
  context: EvaluationContext,
): Promise<Classification> => {
  for (const rule of rules) {
    if (!covers(rule, read.answer)) continue;
    if (rule.when !== undefined && !isTrue(await rule.when.evaluate(roots, context))) continue;
    return await follow(rule, read, roots, context);
  }
  return builtIn(read, asked);
};

const follow = async (
  rule: OutcomeRule,
  read: ReadAnswer,
  roots: Roots,
  context: EvaluationContext,
): Promise<Classification> => {
  if (rule.do === 'succeed') return { word: 'succeed' };
  const code = textsOf(await rule.code?.evaluate(roots, context))[0];
  const messages = textsOf(await rule.messages?.evaluate(roots, context));
  return {
    word: rule.do,
    problem: {
      code: code ?? `http_${read.answer.status}`,
      messages: messages.length > 0 ? messages : [`the carrier answered ${read.answer.status}`],
      place: rule.place,
    },
  };
};

const MAX_MESSAGES = 50;
const MAX_MESSAGE_LENGTH = 1_000;

const textsOf = (value: unknown): string[] =>
  [value]
    .flat()
    .filter((entry) => entry !== undefined && entry !== null && entry !== '')
    .slice(0, MAX_MESSAGES)
    .map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)).slice(0, MAX_MESSAGE_LENGTH));

/** SOAP 1.1 may go into detail after a dot. */
const isClientFault = (code: string): boolean => /^(?:Client|Sender)(?:\.|$)/.test(code);

const builtIn = ({ answer, unreadable }: ReadAnswer, asked: CallOutcome): Classification => {
  const { status, fault } = answer;
  const because = (text: string, place?: Place): Problem => problem(`http_${status}`, text, place);
  if (status === 401 && asked.hasToken)
    return { word: 'refresh_auth', problem: because('the carrier does not accept our token (401)') };
  if (status === 401 || status === 403)
    return { word: 'config_error', problem: because(`the carrier refuses our credentials (${status})`) };
  if (status === 429) return { word: 'retry', problem: because('the carrier asks us to slow down (429)') };
  if (fault !== undefined && isClientFault(fault.code)) {
    return { word: 'reject', problem: problem(fault.code, fault.message) };
  }
  if (status >= 400 && status < 500 && status !== 408)
    return { word: 'reject', problem: because(refusal(answer.text, status)) };
  if (status >= 200 && status < 300 && unreadable === undefined && fault === undefined) return { word: 'succeed' };
  const unclear =
    unreadable !== undefined && status < 300
      ? problem(unreadable.code, `the carrier's answer cannot be read: ${unreadable.message}`)
      : because(fault === undefined ? `the carrier answered ${status}` : `the carrier's SOAP fault: ${fault.message}`);
  return { word: asked.isRead ? 'retry' : 'unknown_outcome', problem: unclear };
};

const MAX_QUOTED = 300;

/** A refusal without a rule that reads it: a short plain text is quoted, anything longer is only counted. */
const refusal = (text: string, status: number): string => {
  const plain = text.trim();
  return plain !== '' && plain.length <= MAX_QUOTED && !/^[<{[]/.test(plain)
    ? plain
    : `the carrier refused the request (${status})`;
};
