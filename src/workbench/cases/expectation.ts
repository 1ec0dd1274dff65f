/** Compares what a step came to with what its case expects. */
import { formatPath, isMap } from '../../engine/value.ts';
import { formatPlace } from '../../engine/failure.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import { isInstant } from './check.ts';
import { statusOf } from './events.ts';
import type { Performed } from './perform.ts';
import type { Path } from './read.ts';
import type { CaseDifference, Compared, Correction } from './report.ts';
import type { Expect } from './schema.ts';
import { outcomeName, shownEvent } from './shown.ts';
import type { Story } from './story.ts';

/** `path`: the step's `expect`. */
export const checkOutcome = (story: Story, expect: Expect, performed: Performed, path: Path): void => {
  const { outcome, result, labels } = performed;
  const wanted = expect.outcome ?? 'succeed';
  const seen = outcomeName(outcome);
  const problem = outcome.kind === 'done' ? undefined : outcome.problem;
  if (seen !== wanted) {
    const why = problem === undefined ? '' : `: ${problem.code}: ${problem.messages.join('; ')}`;
    const where = problem?.place === undefined ? '' : ` (${formatPlace(problem.place)})`;
    story.problems.add(story.caseFile.placeAt([...path, 'outcome']), `the outcome is ${seen}${why}${where}`, {
      differences: [{ path: 'outcome', expected: wanted, seen }],
      corrections: [{ kind: 'value', path: [...path, 'outcome'], value: seen }],
    });
  }
  if (expect.code !== undefined) check(story, 'code', expect.code, problem?.code, path);
  if (expect.messages !== undefined) {
    const seenMessages = problem?.messages ?? [];
    // A text stands for a list of one, and stays a text where it can.
    const isOne = typeof expect.messages === 'string' && seenMessages.length === 1;
    check(story, 'messages', expect.messages, isOne ? seenMessages[0] : seenMessages, path);
  }
  if (expect.result !== undefined) check(story, 'result', expect.result, result, path);
  if (expect.labels !== undefined) checkLabels(story, expect.labels, labels, path);
};

/** `path`: the step's `expect`. */
export const checkEvents = (story: Story, expect: Expect, events: readonly NormalisedEvent[], path: Path): void => {
  if (expect.events !== undefined) check(story, 'events', expect.events, events.map(shownEvent), path);
  if (expect.status !== undefined) check(story, 'status', expect.status, statusOf(story), path);
};

const check = (story: Story, key: keyof Expect, expected: unknown, seen: unknown, path: Path): void => {
  const { differences, corrections } = compareNamed(
    expected,
    seen,
    [...path, key],
    key === 'events' ? isSameEventField : undefined,
  );
  if (differences.length === 0) return;
  const are = key === 'events' || key === 'messages' ? 'are' : 'is';
  story.problems.add(story.caseFile.placeAt([...path, key]), `the ${key} ${are} not as expected`, {
    differences: differences.map((one) => ({
      ...one,
      path: one.path === '' ? key : one.path.startsWith('[') ? `${key}${one.path}` : `${key}.${one.path}`,
    })),
    corrections: corrections.map((one) =>
      // Only a result can say of a field that it is not there: what else is not there is left out.
      one.kind === 'value' && one.value === null && key === 'code' ? { ...one, value: undefined } : one,
    ),
  });
};

/** All of them: a label that nobody expects is as wrong as one that is missing. */
const checkLabels = (
  story: Story,
  expected: Readonly<Record<string, string>>,
  seen: Readonly<Record<string, string>>,
  path: Path,
): void => {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(seen)])];
  const differing = names.filter((name) => expected[name] !== seen[name]);
  if (differing.length === 0) return;
  story.problems.add(story.caseFile.placeAt([...path, 'labels']), 'the labels are not as expected', {
    differences: differing.map((name) => ({ path: `labels.${name}`, expected: expected[name], seen: seen[name] })),
    corrections: [{ kind: 'value', path: [...path, 'labels'], value: seen }],
  });
};

/** Compares a scalar where there is more to it than being the same; undefined: nothing special. */
type SameScalar = (key: string | number | undefined, expected: unknown, seen: unknown) => boolean | undefined;

/** `occurredAt` is an instant, however it is written. */
const isSameEventField: SameScalar = (key, expected, seen) =>
  key === 'occurredAt' && typeof expected === 'string' && typeof seen === 'string' && isInstant(expected)
    ? Date.parse(expected) === Date.parse(seen)
    : undefined;

/**
 * Compares the fields that `expected` names, all the way down: maps may hold more, lists may not, and `null` says that
 * nothing is there. `at`: where `expected` stands in the case, for the corrections.
 */
const compareNamed = (expected: unknown, seen: unknown, at: Path, same?: SameScalar): Compared => {
  const differences: CaseDifference[] = [];
  const corrections: Correction[] = [];
  const walk = (wanted: unknown, got: unknown, path: Path): void => {
    if (isMap(wanted) && isMap(got)) {
      for (const [key, value] of Object.entries(wanted)) {
        walk(value, Object.hasOwn(got, key) ? got[key] : undefined, [...path, key]);
      }
    } else if (Array.isArray(wanted) && Array.isArray(got) && wanted.length === got.length) {
      for (const [index, value] of wanted.entries()) walk(value, got[index], [...path, index]);
    } else if (!(same?.(path.at(-1), wanted, got) ?? (wanted === got || (wanted === null && got === undefined)))) {
      const shown = Array.isArray(wanted) && Array.isArray(got) ? narrowed(wanted, got) : got;
      differences.push({ path: formatPath(path), expected: wanted, seen: shown });
      corrections.push({ kind: 'value', path: [...at, ...path], value: shown ?? null });
    }
  };
  walk(expected, seen, []);
  return { differences, corrections };
};

/** Of a list of another length, each entry with the fields that the expected ones name: as an author would write it. */
const narrowed = (wanted: readonly unknown[], got: readonly unknown[]): unknown => {
  const named = new Set(wanted.filter(isMap).flatMap((entry) => Object.keys(entry)));
  if (named.size === 0) return got;
  return got.map((entry) =>
    isMap(entry) ? Object.fromEntries(Object.entries(entry).filter(([key]) => named.has(key))) : entry,
  );
};
