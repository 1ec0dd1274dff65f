/** Compares what a step came to with what its case expects. `path` is always that of the step's `expect`. */
import { describeProblem } from '../../engine/failure.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import type { ValuePath } from '../../engine/value.ts';
import { isInstant } from '../../engine/profile/language/kinds.ts';
import { compareNamed, type IsSameScalar } from './compare-named.ts';
import { compareValues } from './compare-values.ts';
import { statusOf } from './events.ts';
import type { Performed } from './perform.ts';
import { Comparison } from './report.ts';
import type { Expect } from './schema.ts';
import { outcomeName, shownEvent } from './shown.ts';
import type { Story } from './story.ts';

export const checkOutcome = (story: Story, expect: Expect, performed: Performed, path: ValuePath): void => {
  const { outcome, result, labels } = performed;
  const wanted = expect.outcome ?? 'succeed';
  const seen = outcomeName(outcome);
  const problem = outcome.kind === 'done' ? undefined : outcome.problem;
  if (seen !== wanted) {
    const why = problem === undefined ? '' : `: ${describeProblem(problem)}`;
    const at = [...path, 'outcome'];
    story.problems.add(at, `the outcome is ${seen}${why}`, new Comparison().differ('outcome', wanted, seen, at));
  }
  if (expect.code !== undefined) check(story, 'code', expect.code, problem?.code, path);
  for (const key of ['messages', 'fields'] as const) {
    const [wantedTexts, texts = []] = [expect[key], problem?.[key]];
    if (wantedTexts === undefined) continue;
    // A text stands for a list of one, and stays a text where it can.
    const isOne = typeof wantedTexts === 'string' && texts.length === 1;
    check(story, key, wantedTexts, isOne ? texts[0] : texts, path);
  }
  if (expect.result !== undefined) check(story, 'result', expect.result, result, path);
  if (expect.labels !== undefined) checkLabels(story, expect.labels, labels, [...path, 'labels']);
  else if (performed.asksAgain) {
    const message =
      'the server asks for the label again, as labels.retry declares (after a refusal seven times): say so';
    story.problems.add(path, message, new Comparison().differ('labels', undefined, labels, [...path, 'labels']));
  }
};

export const checkEvents = (
  story: Story,
  expect: Expect,
  events: readonly NormalisedEvent[],
  path: ValuePath,
): void => {
  if (expect.events !== undefined) check(story, 'events', expect.events, events.map(shownEvent), path);
  if (expect.status !== undefined) check(story, 'status', expect.status, statusOf(story), path);
};

const check = (story: Story, key: keyof Expect, expected: unknown, seen: unknown, path: ValuePath): void => {
  const compared = new Comparison();
  for (const one of compareNamed(expected, seen, key === 'events' ? isSameEventField : undefined)) {
    const name = one.path === '' ? key : one.path.startsWith('[') ? `${key}${one.path}` : `${key}.${one.path}`;
    // Only a result can say of a field that it is not there: what else is not there is left out.
    const value = one.seen ?? (key === 'code' ? undefined : null);
    compared.differ(name, one.expected, one.seen, [...path, key, ...one.at], value);
  }
  if (compared.differences.length === 0) return;
  const are = key.endsWith('s') && key !== 'status' ? 'are' : 'is';
  story.problems.add([...path, key], `the ${key} ${are} not as expected`, compared);
};

/** All of them: a label that nobody expects is as wrong as one that is missing. */
const checkLabels = (
  { problems }: Story,
  expected: Readonly<Record<string, string>>,
  seen: Readonly<Record<string, string>>,
  path: ValuePath,
): void => {
  const differences = compareValues(expected, seen, ['labels']);
  if (differences.length === 0) return;
  problems.add(path, 'the labels are not as expected', { differences, corrections: [{ path, value: seen }] });
};

/** `occurredAt` is an instant, however it is written. */
const isSameEventField: IsSameScalar = (key, expected, seen) =>
  key === 'occurredAt' && typeof expected === 'string' && typeof seen === 'string' && isInstant(expected)
    ? Date.parse(expected) === Date.parse(seen)
    : undefined;
