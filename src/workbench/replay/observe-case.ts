/** Plays a case and watches: nothing is expected, everything is noted. */
import type { Exchange, LoginOutcome, TokenStore } from '../../engine/dispatch/ports.ts';
import { Failure } from '../../engine/failure.ts';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { WireLimits, WireOutcome, WireRequest } from '../../engine/transport/wire.ts';
import { statusOf } from '../cases/events.ts';
import { createFakeCarrier, type FakeCarrier, unansweredOf } from '../cases/fake-carrier.ts';
import type { CaseFile } from '../cases/read.ts';
import { type OnStep, playCase, type Played, type PlayedCase } from '../cases/run.ts';
import { withSteps } from '../engine-run.ts';
import { type Observation, performedSeen, seenEvent, seenRequest, type SeenRequest } from './observation.ts';
import { recordedCarrier } from './recorded-carrier.ts';

export interface Observing {
  /** Asks the real carrier, or a simulator of it; without it the answers of the case are all there is. */
  readonly send?: ((request: WireRequest, limits: WireLimits) => Promise<WireOutcome>) | undefined;
  /** Told of every exchange, masked. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
}

/** One observation for each step of the flow, as far as the story goes. Never throws for what a profile or a payload does. */
export const observeCase = async (
  caseFile: CaseFile,
  carrier: Carrier,
  { send, onExchange }: Observing = {},
): Promise<readonly Observation[]> => {
  const observations: Observation[] = [];
  let fakes: FakeCarrier[] = [];
  let exchanges: Exchange[] = [];
  // Over the wire it is the engine that knows what to mask.
  const requests = (): readonly SeenRequest[] =>
    send === undefined
      ? fakes.flatMap(({ sent }) => sent.map(({ request }) => seenRequest(request)))
      : exchanges.map(({ method, url, requestHeaders, requestBody }) =>
          seenRequest({ method, url, headers: requestHeaders, body: requestBody }),
        );
  const onStep: OnStep = (played, step, story) => {
    const action = step.do;
    const { events } = played;
    const [base, usual] =
      'performed' in played
        ? [askedSeen(played, fakes.flatMap(unansweredOf), requests()), 'succeed']
        : [receivedSeen(played), 'admitted'];
    observations.push({
      action,
      ...base,
      events: events.map(seenEvent),
      ...(events.length === 0 ? {} : { status: statusOf(story) }),
      ...(step.expect === undefined ? {} : { expected: step.expect.outcome ?? usual }),
    });
    [fakes, exchanges] = [[], []];
  };
  const isAnswered = send !== undefined || caseFile.content.flow.some((step) => (step.exchanges ?? []).length > 0);
  const played = await playCase(caseFile, isAnswered ? carrier : allAtOnce(carrier), onStep, {
    tokensFrom: withStandIns,
    carrierFor: (script) => {
      // Each request is sent once, as it is: a try that fails is not made again.
      const fake =
        send === undefined ? recordedCarrier(script) : createFakeCarrier({ clock: script.clock, answer: send });
      fakes.push(fake);
      return fake;
    },
    onExchange: (exchange) => {
      exchanges.push(exchange);
      onExchange?.(exchange);
    },
  });
  if (played.ended !== undefined) {
    const action = caseFile.content.flow[observations.length]?.do ?? 'case';
    observations.push({ action, requests: requests(), events: [], ...endSeen(played.ended, played) });
  }
  return observations;
};

const receivedSeen = ({ received: { why, reply } }: Extract<Played, { received: unknown }>) => ({
  ...(why === undefined
    ? { outcome: 'admitted' }
    : { outcome: 'refused', code: `http_${reply.status}`, messages: [why] }),
  requests: [],
});

/** Where nobody answered, that is what was seen; else what came of the answers. */
const askedSeen = (
  played: Extract<Played, { performed: unknown }>,
  unanswered: readonly WireRequest[],
  requests: readonly SeenRequest[],
) => {
  const { outcome } = played.performed;
  const isStuck = outcome.kind === 'waiting' || (outcome.kind === 'held' && outcome.why === 'fail');
  const [first] = unanswered;
  if (!isStuck || first === undefined) return { ...performedSeen(played), requests };
  if (unanswered.length === requests.length) return { outcome: 'built', requests };
  const messages = [`no answer is recorded for ${first.method} ${URL.parse(first.url)?.pathname ?? first.url}`];
  return { outcome: 'unanswered', code: 'no_answer', messages, requests };
};

/** The story cannot go on: the payload, or the profile where it cannot be evaluated. */
const endSeen = (ended: NonNullable<PlayedCase['ended']>, { problems }: PlayedCase) =>
  ended instanceof Failure
    ? { outcome: 'config_error', code: ended.code, messages: [ended.describe()] }
    : {
        outcome: 'invalid',
        code: 'payload_unusable',
        messages: [problems.list().at(-1)?.message ?? ended.message],
      };

const PARALLEL_MAX = 1_000;
/** By the carrier they are of: what is compiled for a carrier once serves all its payloads. */
const widened = new WeakMap<Carrier, Carrier>();

/** Calls side by side, so that all are seen although nobody answers; and a try is left for what is not answered. */
const allAtOnce = (carrier: Carrier): Carrier => {
  const wide =
    widened.get(carrier) ??
    withSteps(carrier, (step) => ({
      ...step,
      parallel: PARALLEL_MAX,
      retry: { ...step.retry, attempts: Math.max(2, step.retry.attempts) },
    }));
  widened.set(carrier, wide);
  return wide;
};

/** Logins are no part of what is recorded of a dispatch: where none can be had, a token of our own stands in. */
const withStandIns = (tokens: TokenStore): TokenStore => ({
  get: async (wanted, login) => {
    const got = await tokens.get(wanted, login);
    return got.kind === 'failed' && got.word === 'retry' ? STAND_IN : got;
  },
  drop: tokens.drop,
});
const STAND_IN: LoginOutcome = { kind: 'token', token: { token: 'stand-in-token', saved: {} }, expiresAtMs: undefined };
