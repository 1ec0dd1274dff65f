/** Compares what a step came to with what its case expects. */
import { labelBytes } from '../../engine/codecs/label-document.ts';
import type { Accepted } from '../../engine/consignment/accepted.ts';
import type { Label } from '../../engine/consignment/answer.ts';
import type { FetchedLabel } from '../../engine/dispatch/result.ts';
import type { RunOutcome } from '../../engine/dispatch/ports.ts';
import { formatPlace } from '../../engine/failure.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import { isInstant } from './check.ts';
import { compareNamed, type SameScalar } from './compare.ts';
import type { Performed } from './operation.ts';
import type { Path } from './read.ts';
import type { Expect, OutcomeName } from './schema.ts';
import { statusOf } from './events.ts';
import type { Story } from './story.ts';

export const outcomeName = (outcome: RunOutcome): OutcomeName => {
  switch (outcome.kind) {
    case 'done':
      return 'succeed';
    case 'waiting':
      return 'waiting';
    case 'rejected':
      return 'reject';
    case 'held':
      return outcome.why;
  }
};

/** `path`: the step's `expect`. */
export const checkOutcome = (story: Story, expect: Expect, performed: Performed, path: Path): void => {
  const { operation, outcome, downloaded } = performed;
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
  const result = outcome.kind === 'done' ? outcome.result : undefined;
  if (expect.result !== undefined) check(story, 'result', expect.result, shownResult(operation, result), path);
  if (expect.labels !== undefined) checkLabels(story, expect.labels, downloaded ?? labelsOf(operation, result), path);
};

const check = (story: Story, key: keyof Expect, expected: unknown, seen: unknown, path: Path): void => {
  const compared = compareNamed(expected, seen, [...path, key], key === 'events' ? sameInstant : undefined);
  if (compared.differences.length === 0) return;
  const differences = compared.differences.map((one) => ({ ...one, path: joined(key, one.path) }));
  story.problems.add(story.caseFile.placeAt([...path, key]), `${NOUNS[key] ?? `the ${key} is`} not as expected`, {
    differences,
    corrections: compared.corrections.map((one) =>
      // Only a result can say of a field that it is not there: what else is not there is left out.
      one.kind === 'value' && one.value === null && key === 'code' ? { ...one, value: undefined } : one,
    ),
  });
};

const NOUNS: Readonly<Partial<Record<keyof Expect, string>>> = {
  result: 'the result is',
  events: 'the events are',
  messages: 'the messages are',
  code: 'the code is',
  reply: 'the reply is',
};

const joined = (key: string, path: string): string =>
  path === '' ? key : path.startsWith('[') ? `${key}${path}` : `${key}.${path}`;

// Results -----------------------------------------------------------------------------------------------------------

/** In the contract's words. A label's content is left to `labels`. */
export const shownResult = (operation: Performed['operation'], result: unknown): unknown => {
  if ((operation !== 'create' && operation !== 'update') || result === undefined) return result;
  const { packages, masterTrackingNumber, label, memo, warnings } = result as Accepted;
  return {
    itemsTrackDetails: packages.map((one) => ({
      itemReferenceNumber: one.itemReferenceNumber,
      trackingNumber: one.trackingNumber,
      memo: one.memo,
      ...(one.label === undefined ? {} : shownLabel(one.label)),
    })),
    masterTrackingNumber,
    memo,
    warnings,
    ...(label === undefined ? {} : { label: label.url === undefined ? { format: formatOf(label) } : label }),
  };
};

const shownLabel = (label: Label): Record<string, unknown> =>
  label.url === undefined ? { label: { format: formatOf(label) } } : { label, labelUrl: label.url };

/** PDF, ZPL, PNG, its URL, or what is wrong with it. */
const formatOf = (label: Label): string => {
  if (label.url !== undefined) return label.url;
  const read = labelBytes(label.content);
  return read.ok ? read.format : read.reason.code;
};

/** The labels of a result by package, `*` for all: format, URL, or the code of what is wrong. */
export const labelsOf = (operation: Performed['operation'], result: unknown): Record<string, string> => {
  if (result === undefined) return {};
  if (operation === 'label') {
    const fetched = result as readonly FetchedLabel[];
    return Object.fromEntries(
      fetched.map(({ itemReferenceNumber, label }) => [itemReferenceNumber ?? '*', formatOf(label)]),
    );
  }
  if (operation !== 'create' && operation !== 'update') return {};
  const { packages, label } = result as Accepted;
  const own = packages.flatMap((one): [string, string][] =>
    one.label === undefined ? [] : [[one.itemReferenceNumber, formatOf(one.label)]],
  );
  return Object.fromEntries(label === undefined ? own : [...own, ['*', formatOf(label)]]);
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

// Events ------------------------------------------------------------------------------------------------------------

/** `path`: the step's `expect`. */
export const checkEvents = (story: Story, expect: Expect, events: readonly NormalisedEvent[], path: Path): void => {
  if (expect.events !== undefined) check(story, 'events', expect.events, events.map(shownEvent), path);
  if (expect.status !== undefined) check(story, 'status', expect.status, statusOf(story), path);
};

export const shownEvent = ({ update, status, reason, occurredAtMs, eventTimezone }: NormalisedEvent): unknown => ({
  ...update,
  status,
  reason,
  occurredAt: new Date(occurredAtMs).toISOString().replace('.000Z', 'Z'),
  eventTimezone,
});

/** `occurredAt` is an instant, however it is written. */
const sameInstant: SameScalar = (key, expected, seen) =>
  key === 'occurredAt' && typeof expected === 'string' && typeof seen === 'string' && isInstant(expected)
    ? Date.parse(expected) === Date.parse(seen)
    : undefined;
