/** Counts what many payloads came to: by what was done and its outcome, and by status. */
import type { Place } from '../../engine/failure.ts';
import { isGood, type Observation } from './observation.ts';
import { showPlace } from './payload.ts';

export interface Tally {
  readonly payloads: number;
  readonly broken: number;
  /** `create` → `reject: http_422` → how many. */
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** What the carrier said, of events that no row of the status table knows. */
  readonly unmapped: Readonly<Record<string, number>>;
  readonly warnings: number;
  /** Of outcomes that somebody has to look at, the first of each: where, and what was said. */
  readonly examples: readonly Example[];
}

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
  const outcomes = new Map<string, Map<string, number>>();
  const statuses = new Map<string, number>();
  const unmapped = new Map<string, number>();
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
    tally: (): Tally => ({
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

const count = (counts: Map<string, number>, key: string): void => {
  const kept = counts.has(key) || counts.size < KINDS_MAX ? key : OTHERS;
  counts.set(kept, (counts.get(kept) ?? 0) + 1);
};

const mostFirst = (counts: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries([...counts].sort(([, one], [, other]) => other - one));
