/** Outcomes, results, labels and events as cases write them. */
import { labelBytes } from '../../engine/codecs/label-document.ts';
import type { Accepted, Label } from '../../engine/consignment/answer.ts';
import type { RunOutcome } from '../../engine/dispatch/ports.ts';
import type { FetchedLabel } from '../../engine/dispatch/result.ts';
import type { OperationName } from '../../engine/profile/carrier.ts';
import type { NormalisedEvent } from '../../engine/statuses/normalise.ts';
import type { OutcomeName } from './schema.ts';

const OUTCOMES = { done: 'succeed', waiting: 'waiting', rejected: 'reject' } as const;

export const outcomeName = (outcome: RunOutcome): OutcomeName =>
  outcome.kind === 'held' ? outcome.why : OUTCOMES[outcome.kind];

const isAccepted = (operation: OperationName, result: unknown): result is Accepted =>
  (operation === 'create' || operation === 'update') && result !== undefined;

/** In the contract's words. A label's content is left to `labels`. */
export const shownResult = (operation: OperationName, result: unknown): unknown => {
  if (!isAccepted(operation, result)) return result;
  const { packages, masterTrackingNumber, label, memo, warnings } = result;
  return {
    itemsTrackDetails: packages.map(({ itemReferenceNumber, trackingNumber, memo: own, label: one }) => ({
      itemReferenceNumber,
      trackingNumber,
      memo: own,
      ...(one === undefined ? {} : { label: shownLabel(one) }),
      ...(one?.url === undefined ? {} : { labelUrl: one.url }),
    })),
    masterTrackingNumber,
    memo,
    warnings,
    ...(label === undefined ? {} : { label: shownLabel(label) }),
  };
};

const shownLabel = (label: Label): unknown => (label.url === undefined ? { format: formatOf(label) } : label);

/** PDF, ZPL, PNG, its URL, or what is wrong with it. */
const formatOf = (label: Label): string => {
  if (label.url !== undefined) return label.url;
  const read = labelBytes(label.content);
  return read.ok ? read.format : read.reason.code;
};

/** Labels of what was accepted by package, `*` for all. */
export const labelsByPackage = ({ packages, label }: Accepted): readonly (readonly [string, Label])[] =>
  [...packages.map((one) => [one.itemReferenceNumber, one.label] as const), ['*', label] as const].flatMap(
    ([name, one]) => (one === undefined ? [] : [[name, one] as const]),
  );

/** The labels of a result by package, `*` for all: format, URL, or the code of what is wrong. */
export const labelsOf = (operation: OperationName, result: unknown): Record<string, string> => {
  const fetched = operation === 'label' && result !== undefined ? (result as readonly FetchedLabel[]) : [];
  const named = isAccepted(operation, result)
    ? labelsByPackage(result)
    : fetched.map((one) => [one.itemReferenceNumber ?? '*', one.label] as const);
  return Object.fromEntries(named.map(([name, label]) => [name, formatOf(label)]));
};

export const shownEvent = ({ update, status, reason, occurredAtMs, eventTimezone }: NormalisedEvent): unknown => ({
  ...update,
  status,
  reason,
  occurredAt: new Date(occurredAtMs).toISOString().replace('.000Z', 'Z'),
  eventTimezone,
});
