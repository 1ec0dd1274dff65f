/**
 * The carrier's side of a story that is told again: it answers with what was recorded, in whatever order and way it is
 * asked now, and remembers what it was asked. What was never recorded stays unanswered.
 */
import { answerOf, faultOf } from '../cases/answers.ts';
import { isTarget } from '../cases/requests.ts';
import { type Exchange, METHOD_KEYS, type ExpectedRequest } from '../cases/schema.ts';
import type { Script, ScriptOptions } from '../cases/script.ts';
import type { WireOutcome, WireRequest } from '../../engine/transport/wire.ts';

/** What was asked, and what of it found no answer. */
export interface Asked {
  readonly requests: readonly WireRequest[];
  readonly unanswered: readonly WireRequest[];
}

export interface RecordedAnswers extends Script {
  readonly asked: Asked;
  /** What each request got, in their order. */
  readonly answers: readonly (Exchange['response'] | undefined)[];
}

interface Recorded {
  readonly request: ExpectedRequest;
  readonly response: Exchange['response'];
  used: boolean;
}

export const recordedAnswers = ({ exchanges, clock, beside }: ScriptOptions): RecordedAnswers => {
  const recorded = recordedOf(exchanges);
  const asked = { requests: [] as WireRequest[], unanswered: [] as WireRequest[] };
  const answers: (Exchange['response'] | undefined)[] = [];
  return {
    asked,
    answers,
    send: (request, limits) => {
      asked.requests.push(request);
      const found = findAnswer(recorded, request);
      answers.push(found?.response);
      if (found === undefined) {
        asked.unanswered.push(request);
        return Promise.resolve(NOBODY_THERE);
      }
      found.used = true;
      const { response } = found;
      return Promise.resolve(
        typeof response === 'string' ? faultOf(response, limits, clock) : answerOf(response, limits, clock, beside),
      );
    },
    isAtEnd: () => asked.unanswered.length > 0 || recorded.every(({ used }) => used),
    waited: () => {},
    end: () => {},
  };
};

/** Nothing was sent, so that nothing is taken for done. */
const NOBODY_THERE: WireOutcome = {
  kind: 'not_sent',
  code: 'aborted',
  message: 'no answer is recorded for this request',
};

const recordedOf = (exchanges: readonly Exchange[]): Recorded[] => {
  const recorded: Recorded[] = [];
  for (const { request, response } of exchanges) {
    const before = recorded.at(-1)?.request ?? {};
    recorded.push({ request: request === 'same' ? before : request, response, used: false });
  }
  return recorded;
};

/** The same request; else the next to the same path; else the next whose path is half the same, as another version's. */
const findAnswer = (recorded: readonly Recorded[], request: WireRequest): Recorded | undefined => {
  const open = recorded.filter(({ used }) => !used);
  return (
    open.find((one) => isTarget(one.request, request)) ??
    open.find((one) => likeness(one.request, request) === 1) ??
    open.find((one) => likeness(one.request, request) >= LIKE_ENOUGH)
  );
};

const LIKE_ENOUGH = 0.5;

/** The share of the path's segments that are the same; 0 for another method. */
const likeness = (recorded: ExpectedRequest, { method, url }: WireRequest): number => {
  const key = METHOD_KEYS.find((name) => recorded[name] !== undefined);
  if (key === undefined || key.toUpperCase() !== method) return 0;
  const [one, other] = [segmentsOf(recorded[key] ?? ''), segmentsOf(url)];
  if (one.length !== other.length) return 0;
  return one.length === 0 ? 1 : one.filter((segment, at) => segment === other[at]).length / one.length;
};

const segmentsOf = (url: string): string[] => (URL.parse(url)?.pathname ?? '').split('/').filter((part) => part !== '');
