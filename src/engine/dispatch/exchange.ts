import { type Problem, formatPlace } from '../failure.ts';
import type { Mask } from '../transport/masking.ts';
import { hideNamed, hideNamedBytes } from '../transport/masking.ts';
import type { WireOutcome, WireRequest } from '../transport/wire.ts';
import type { CallKey, Exchange } from './ports.ts';

/** All of one call that is to be written down. */
export interface Happened {
  readonly mask: Mask;
  readonly key: CallKey;
  readonly operation: string;
  readonly attempt: number;
  readonly atMs: number;
  readonly durationMs: number;
  readonly wire: WireRequest;
  readonly outcome: WireOutcome;
  /** What was made of it. */
  readonly word: string;
  readonly reason: Problem | undefined;
}

/** What is said there is secret both ways, and no mask may know it yet: kept without bodies (§3.10). */
const WITHOUT_BODIES: ReadonlySet<string> = new Set(['login', 'register']);
/** Of such an answer: a token may come in any other header. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set(['content-type', 'content-length', 'date', 'retry-after', 'server']);

/** The masked view of a call: what people, logs and the store see. */
export const describeExchange = (happened: Happened): Exchange => {
  const { mask, wire, outcome, reason } = happened;
  const answer = outcome.kind === 'answer' ? outcome : undefined;
  const message = reason === undefined ? undefined : mask.text(describeProblem(reason));
  const isSecret = WITHOUT_BODIES.has(happened.operation);
  return {
    ...happened.key,
    operation: happened.operation,
    attempt: happened.attempt,
    atMs: happened.atMs,
    durationMs: happened.durationMs,
    method: wire.method,
    url: hideNamed(mask.text(wire.url)),
    requestHeaders: mask.headers(wire.headers),
    requestBody: wire.body === undefined || isSecret ? undefined : hideNamedBytes(mask.bytes(Buffer.from(wire.body))),
    status: answer?.status ?? (outcome.kind === 'ambiguous' ? outcome.partial?.status : undefined),
    responseHeaders:
      answer === undefined ? undefined : mask.headers(isSecret ? plainOf(answer.headers) : answer.headers),
    responseBody: answer === undefined || isSecret ? undefined : hideNamedBytes(mask.bytes(answer.body)),
    outcome: happened.word,
    message,
  };
};

const plainOf = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => PLAIN_HEADERS.has(name)));

const describeProblem = ({ code, messages, place }: Problem): string =>
  `${code}: ${messages.join('; ')}${place === undefined ? '' : ` (${formatPlace(place)})`}`;

/** A problem with nothing secret in its messages. */
export const maskProblem = (mask: Mask, problem: Problem): Problem => ({
  ...problem,
  code: mask.text(problem.code),
  messages: problem.messages.map(mask.text),
});
