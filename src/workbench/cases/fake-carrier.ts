/** Stands in for the carrier: answers the engine's requests out of a script or a recording, and keeps what it was asked. */
import { formatDuration, parseDuration } from '../../engine/duration.ts';
import type { WireLimits, WireOutcome, WireRequest } from '../../engine/transport/wire.ts';
import { messageOf, type ReadBeside } from './bodies.ts';
import type { Exchange, Fault } from './schema.ts';

/** The time of a case: it moves only when it is told to, and never back. */
export const createClock = (startMs: number) => {
  let now = startMs;
  return {
    nowMs: () => now,
    advance: (ms: number) => void (now += ms),
    advanceTo: (ms: number) => void (now = Math.max(now, ms)),
  };
};
export type Clock = ReturnType<typeof createClock>;

export interface Sent {
  readonly request: WireRequest;
  /** false: nothing was there to answer it with. */
  isAnswered: boolean;
  /** As a case writes it, where the answer came from one. */
  response: Exchange['response'] | undefined;
  /** How long the engine waited before it went on. */
  waitMs: number | undefined;
}

/** An answer as cases write it with the files it names, or as the transport has it. */
export type Reply =
  | { readonly response: Exchange['response']; readonly beside: ReadBeside }
  | WireOutcome
  | Promise<WireOutcome>;

interface Behaviour {
  readonly clock: Clock;
  /** undefined: there is no answer to it. */
  answer(request: WireRequest, limits: WireLimits): Reply | undefined;
  /** What comes where there is no answer. */
  readonly unanswered?: WireOutcome | undefined;
  /** What becomes of each answer on its way. */
  readonly alter?: ((outcome: WireOutcome) => WireOutcome) | undefined;
  /** No answer is left: the engine does not go on after a wait. By default always so. */
  isAtEnd?(): boolean;
  /** The engine waits before it goes on. */
  waited?(waitMs: number): void;
  /** The step is over. */
  end?(): void;
}

/** Nothing was sent, so that nothing is taken for done. */
const NOBODY_THERE: WireOutcome = {
  kind: 'not_sent',
  code: 'aborted',
  message: 'no answer is recorded for this request',
};

export const createFakeCarrier = (behaviour: Behaviour) => {
  const { clock, unanswered = NOBODY_THERE, alter = (outcome: WireOutcome) => outcome } = behaviour;
  const sent: Sent[] = [];
  return {
    sent: sent as readonly Sent[],
    send: (request: WireRequest, limits: WireLimits): Promise<WireOutcome> => {
      const one: Sent = { request, isAnswered: false, response: undefined, waitMs: undefined };
      sent.push(one);
      const reply = behaviour.answer(request, limits);
      if (reply === undefined) return Promise.resolve(unanswered);
      one.isAnswered = true;
      if (reply instanceof Promise) return reply;
      if ('kind' in reply) return Promise.resolve(alter(reply));
      one.response = reply.response;
      return Promise.resolve(alter(outcomeOf(reply.response, limits, clock, reply.beside)));
    },
    isAtEnd: (): boolean => behaviour.isAtEnd?.() ?? true,
    waited: (waitMs: number): void => {
      const last = sent.at(-1);
      if (last !== undefined) last.waitMs = waitMs;
      behaviour.waited?.(waitMs);
    },
    end: (): void => behaviour.end?.(),
  };
};
export type FakeCarrier = ReturnType<typeof createFakeCarrier>;

export const unansweredOf = ({ sent }: FakeCarrier): readonly WireRequest[] =>
  sent.filter(({ isAnswered }) => !isAnswered).map(({ request }) => request);

export const durationMs = (text: string): number => parseDuration(text) ?? 0;

/** What the transport would tell of an answer or a fault. */
const outcomeOf = (
  response: Exchange['response'],
  limits: WireLimits,
  clock: Clock,
  beside: ReadBeside,
): WireOutcome => {
  if (typeof response === 'string') return faultOf(response, limits, clock);
  const { status, delay = '0s' } = response;
  const delayMs = durationMs(delay);
  if (delayMs >= limits.timeoutMs && delayMs > 0) return faultOf('timeout', limits, clock);
  clock.advance(delayMs);
  const { bytes, headers } = messageOf(response, beside);
  if (bytes.byteLength > limits.maxBytes) {
    const message = `the answer is larger than ${limits.maxBytes} bytes`;
    return { kind: 'ambiguous', code: 'too_large', message, partial: { status } };
  }
  return { kind: 'answer', status, headers, body: bytes };
};

const FAULTS: Readonly<Record<Exclude<Fault, 'timeout'>, WireOutcome>> = {
  reset: { kind: 'ambiguous', code: 'connection_reset', message: 'the connection was reset' },
  cut: { kind: 'ambiguous', code: 'body_cut', message: 'the answer was cut off', partial: { status: 200 } },
  refused: { kind: 'not_sent', code: 'connection_refused', message: 'the connection was refused' },
  no_host: { kind: 'not_sent', code: 'name_not_found', message: 'the host has no address' },
  tls: { kind: 'not_sent', code: 'tls_failed', message: 'no TLS connection could be made' },
};

const faultOf = (fault: Fault, { timeoutMs }: WireLimits, clock: Clock): WireOutcome => {
  if (fault !== 'timeout') return FAULTS[fault];
  clock.advance(timeoutMs);
  return { kind: 'ambiguous', code: 'timeout', message: `no answer within ${formatDuration(timeoutMs)}` };
};
