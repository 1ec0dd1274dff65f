/** What running a payload through a profile was seen to do: plain data, to be shown and to be compared. */
import { lowerCaseNames } from '../../engine/dispatch/scope.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import { decodedBody } from '../cases/requests.ts';
import type { Played } from '../cases/run.ts';
import { outcomeName } from '../cases/shown.ts';
import type { Place } from '../../engine/failure.ts';
import { showPlace } from './payload.ts';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As its format reads it, else as text; undefined: there is none. */
  readonly body: unknown;
}

export interface Observation {
  /** An operation, `push`, `webhook` or `order`. */
  readonly action: string;
  /**
   * The engine's word (`succeed`, `reject`, …); `built`: the request was made, nobody answered; `unanswered`: there was
   * no recorded answer to go on with; `admitted`, `handshake`, `refused` of what carriers send; `invalid`: not usable.
   */
  readonly outcome: string;
  readonly code?: string | undefined;
  readonly messages?: readonly string[] | undefined;
  readonly requests: readonly SeenRequest[];
  readonly result?: unknown;
  /** By package, `*` for all. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly events: readonly SeenEvent[];
  /** The consignment's, rolled up. */
  readonly status?: string | undefined;
  /** The outcome that a case says it has. */
  readonly expected?: string | undefined;
}

/** Of what came to nothing that could be seen. */
export const endedEarly = (
  action: string,
  outcome: string,
  code: string,
  messages: readonly string[],
): Observation => ({ action, outcome, code, messages, requests: [], events: [] });

/** What a step that asked the carrier came to, as a case would expect it: without what is not there. */
export const performedSeen = ({
  operation,
  performed: { outcome, result, labels },
}: Extract<Played, { performed: unknown }>) => {
  if (outcome.kind !== 'done') {
    const { code, messages } = outcome.problem;
    return { outcome: outcomeName(outcome), code, messages: [...messages] };
  }
  const hasResult = operation !== 'track' && operation !== 'label' && result !== undefined;
  return {
    outcome: outcomeName(outcome),
    ...(hasResult ? { result } : {}),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  };
};

/** Outcomes that somebody has to look at. */
const BAD = /^(?:fail|config_error|unknown_outcome|undo_failed|unanswered|invalid)$/;

export const isGood = ({ outcome, events, expected }: Observation): boolean =>
  outcome === expected ||
  (!BAD.test(outcome) && (expected !== undefined || events.every(({ status }) => status !== 'Unmapped')));

export const seenRequest = (
  request: Omit<SeenRequest, 'body'> & { readonly body?: Uint8Array | undefined },
): SeenRequest => {
  const { method, url, headers } = request;
  const body = decodedBody(request);
  return {
    method,
    url,
    headers: lowerCaseNames(headers),
    body: body instanceof Uint8Array ? `(${body.byteLength} bytes)` : body,
  };
};

/** A label by its URL, without its content. */
export const withoutContent = <T extends object>({
  label,
  ...rest
}: T & { readonly label?: { readonly url?: string | undefined } | undefined }) =>
  label === undefined ? rest : { ...rest, label: label.url ?? '(content)' };

export const seenEvent = (event: NormalisedEvent) => {
  const { code, subCode } = event.carrierStatus;
  return {
    /** By what the status table was asked: `code`, `code/subCode`. */
    carrierStatus: subCode === '' ? code : `${code}/${subCode}`,
    status: event.status,
    reason: event.reason,
    occurredAt: new Date(event.occurredAtMs).toISOString(),
    /** The rest of the update, in the contract's words. */
    update: withoutContent(event.update) as Readonly<Record<string, unknown>>,
    warnings: event.warnings,
  };
};
export type SeenEvent = ReturnType<typeof seenEvent>;

interface Example {
  readonly action: string;
  readonly outcome: string;
  readonly at: string;
  readonly message: string;
}

/** Kinds that are told apart at most: what carriers write may be different each time. */
const KINDS_MAX = 500;
const OTHERS = '(others)';
const EXAMPLES_MAX = 20;
const MESSAGE_MAX = 300;

export const startTally = () => {
  /** `create` → `reject: http_422` → how many. */
  const outcomes = new Map<string, Map<string, number>>();
  const statuses = new Map<string, number>();
  /** What the carrier said, of events that no row of the status table knows. */
  const unmapped = new Map<string, number>();
  /** Of outcomes that somebody has to look at, the first of each: where, and what was said. */
  const examples = new Map<string, Example>();
  let payloads = 0;
  let broken = 0;
  let warnings = 0;
  return {
    add: (observations: readonly Observation[], place: Place): void => {
      payloads += 1;
      for (const observation of observations) {
        const { action, outcome, code, events, messages = [] } = observation;
        const of = outcomes.get(action) ?? new Map<string, number>();
        outcomes.set(action, of);
        const word = code === undefined ? outcome : `${outcome}: ${code}`;
        count(of, word);
        const key = `${action} ${word}`;
        if (messages.length > 0 && !examples.has(key) && examples.size < EXAMPLES_MAX && !isGood(observation)) {
          const message = messages.join('; ').slice(0, MESSAGE_MAX);
          examples.set(key, { action, outcome: word, at: showPlace(place), message });
        }
        for (const event of events) {
          count(statuses, event.status);
          if (event.status === 'Unmapped') count(unmapped, event.carrierStatus);
          if (event.warnings.length > 0) warnings += 1;
        }
      }
    },
    addBroken: (): void => {
      broken += 1;
    },
    tally: () => ({
      payloads,
      broken,
      outcomes: Object.fromEntries([...outcomes].map(([action, of]) => [action, mostFirst(of)])),
      statuses: mostFirst(statuses),
      unmapped: mostFirst(unmapped),
      warnings,
      examples: [...examples.values()],
    }),
  };
};
export type Tally = ReturnType<ReturnType<typeof startTally>['tally']>;

const count = (counts: Map<string, number>, key: string): void => {
  const kept = counts.has(key) || counts.size < KINDS_MAX ? key : OTHERS;
  counts.set(kept, (counts.get(kept) ?? 0) + 1);
};

const mostFirst = (counts: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries([...counts].sort(([, one], [, other]) => other - one));
