/** Tells the story of a case again, and watches: nothing is expected, everything is noted. */
import { recordUpdates, statusOf } from '../cases/events.ts';
import { labelsOf, outcomeName, shownResult } from '../cases/expectation.ts';
import { receive } from '../cases/incoming.ts';
import { type Performed, performStep } from '../cases/operation.ts';
import type { CaseFile, Path } from '../cases/read.ts';
import { CaseEnded, collectProblems } from '../cases/report.ts';
import type { Step as CaseStep } from '../cases/schema.ts';
import type { Script, ScriptOptions } from '../cases/script.ts';
import { beginStory, type Story } from '../cases/story.ts';
import { createMemoryTokens } from '../../engine/dispatch/token-store.ts';
import type { Exchange, LoggedIn, TokenStore } from '../../engine/dispatch/ports.ts';
import { Failure, type Problem } from '../../engine/failure.ts';
import { type Carrier, type Operation, type OperationName, OPERATIONS } from '../../engine/profile/carrier.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import { type Observation, seenEvent, seenRequest, type SeenRequest } from './observation.ts';
import { type Asked, recordedAnswers } from './recorded-answers.ts';

/** Plays the carrier in one step of the story, and remembers what it was asked. */
export type PlayCarrier = (options: ScriptOptions) => Script & { readonly asked: Asked };

export interface Telling {
  /** Unless said, the answers of the case. */
  readonly play?: PlayCarrier | undefined;
  /** Told of every exchange, masked. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
}

/** One observation for each step of the flow, as far as the story goes. Never throws for what a profile or a payload does. */
export const tellCase = async (
  caseFile: CaseFile,
  carrier: Carrier,
  { play = recordedAnswers, onExchange }: Telling = {},
): Promise<readonly Observation[]> => {
  const problems = collectProblems();
  const observations: Observation[] = [];
  const heard: Asked[] = [];
  const exchanges: Exchange[] = [];
  const scriptFor = (options: ScriptOptions): Script => {
    const script = play(options);
    heard.push(script.asked);
    return script;
  };
  try {
    const isAnswered =
      play !== recordedAnswers || caseFile.content.flow.some(({ exchanges = [] }) => exchanges.length > 0);
    const story = beginStory(caseFile, isAnswered ? carrier : allAtOnce(carrier), problems, (clock) => ({
      tokens: withStandIns(createMemoryTokens(clock.nowMs)),
      scriptFor,
      onExchange: (exchange) => {
        exchanges.push(exchange);
        onExchange?.(exchange);
      },
    }));
    for (const [at, step] of caseFile.content.flow.entries()) {
      if (step.now !== undefined) story.clock.advanceTo(Date.parse(step.now));
      heard.length = 0;
      exchanges.length = 0;
      const observation = await tellStep(story, step, ['flow', at], heard);
      // Over the wire it is the engine that knows what to mask.
      observations.push(
        play === recordedAnswers ? observation : { ...observation, requests: exchanges.map(asRequest) },
      );
    }
  } catch (thrown) {
    const deed = caseFile.content.flow[observations.length]?.do ?? 'case';
    observations.push(ended(deed, thrown, problems.list().at(-1)?.message, heard));
  }
  return observations;
};

const asRequest = ({ method, url, requestHeaders, requestBody }: Exchange): SeenRequest =>
  seenRequest({ method: method as 'GET', url, headers: requestHeaders, body: requestBody });

const isOperation = (deed: CaseStep['do']): deed is OperationName => (OPERATIONS as readonly string[]).includes(deed);

const tellStep = async (story: Story, step: CaseStep, path: Path, heard: readonly Asked[]): Promise<Observation> => {
  if (!isOperation(step.do)) {
    const { reply, why, events } = await receive(story, step, path);
    const outcome = why === undefined ? 'admitted' : 'refused';
    const messages = why === undefined ? {} : { code: `http_${reply.status}`, messages: [why] };
    const expected = step.expect === undefined ? {} : { expected: 'admitted' };
    return { deed: step.do, outcome, ...messages, requests: [], ...eventsSeen(story, events), ...expected };
  }
  const performed = await performStep(story, step, step.do, path);
  const events = recordUpdates(story, performed.updates);
  const expected = step.expect === undefined ? {} : { expected: step.expect.outcome ?? 'succeed' };
  return { ...operationSeen(step.do, performed, heard), ...eventsSeen(story, events), ...expected };
};

const eventsSeen = (story: Story, events: readonly NormalisedEvent[]): Pick<Observation, 'events' | 'status'> =>
  events.length === 0 ? { events: [] } : { events: events.map(seenEvent), status: statusOf(story) };

const operationSeen = (
  deed: OperationName,
  performed: Performed,
  heard: readonly Asked[],
): Omit<Observation, 'events'> => {
  const { operation, outcome, downloaded } = performed;
  const requests = heard.flatMap((asked) => asked.requests.map(seenRequest));
  if (outcome.kind === 'done') {
    const result = shownResult(operation, outcome.result);
    const labels = downloaded ?? labelsOf(operation, outcome.result);
    return {
      deed,
      outcome: 'succeed',
      requests,
      ...(operation === 'track' || operation === 'label' || result === undefined ? {} : { result }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
    };
  }
  const unanswered = heard.flatMap((asked) => asked.unanswered);
  const isStuck = outcome.kind === 'waiting' || (outcome.kind === 'held' && outcome.why === 'fail');
  if (!isStuck || unanswered.length === 0) {
    return { deed, outcome: outcomeName(outcome), ...said(outcome.problem), requests };
  }
  if (unanswered.length === requests.length) return { deed, outcome: 'built', requests };
  const what = unanswered.map(({ method, url }) => `${method} ${URL.parse(url)?.pathname ?? url}`);
  return {
    deed,
    outcome: 'unanswered',
    code: 'no_answer',
    messages: [`no answer is recorded for ${what[0]}`],
    requests,
  };
};

const said = ({ code, messages }: Problem): Pick<Observation, 'code' | 'messages'> => ({ code, messages });

/** The story cannot go on: the payload, or the profile where it cannot be evaluated. */
const ended = (deed: string, thrown: unknown, problem: string | undefined, heard: readonly Asked[]): Observation => {
  const requests = heard.flatMap((asked) => asked.requests.map(seenRequest));
  const base = { deed, requests, events: [] };
  if (thrown instanceof CaseEnded) {
    return { ...base, outcome: 'invalid', code: 'payload_unusable', messages: [problem ?? thrown.message] };
  }
  if (!(thrown instanceof Failure)) throw thrown;
  return { ...base, outcome: 'config_error', code: thrown.code, messages: [thrown.describe()] };
};

const widened = new WeakMap<Carrier, Carrier>();

/** Calls side by side, so that all are seen although nobody answers; and a try is left for what is not answered. */
const allAtOnce = (carrier: Carrier): Carrier => {
  const known = widened.get(carrier);
  if (known !== undefined) return known;
  const operations = Object.fromEntries(
    Object.entries(carrier.operations).map(([name, operation]) => [name, wide(operation)]),
  );
  const made = { ...carrier, operations };
  widened.set(carrier, made);
  return made;
};
const wide = (operation: Operation): Operation => {
  const [first, ...rest] = operation.steps.map((step) => ({
    ...step,
    parallel: PARALLEL_MAX,
    retry: { ...step.retry, attempts: Math.max(2, step.retry.attempts) },
  }));
  return first === undefined ? operation : { ...operation, steps: [first, ...rest] };
};
const PARALLEL_MAX = 1_000;

/** Logins are no part of what is recorded of a dispatch: where none can be had, a token of our own stands in. */
const withStandIns = (tokens: TokenStore): TokenStore => ({
  get: async (wanted, login) => {
    const got = await tokens.get(wanted, login);
    return got.kind === 'unreachable' ? STAND_IN : got;
  },
  drop: tokens.drop,
});
const STAND_IN: LoggedIn = { kind: 'token', token: { token: 'stand-in-token', saved: {} }, expiresAtMs: undefined };
