/** Outcomes, results, labels and events as cases write them. */
import { labelBytes } from '../../engine/codecs/label-document.ts';
import type { Accepted, Label } from '../../engine/consignment/answer.ts';
import type { FetchedLabel } from '../../engine/dispatch/result.ts';
import type { RunOutcome } from '../../engine/dispatch/ports.ts';
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
    itemsTrackDetails: packages.map((one) => ({
      itemReferenceNumber: one.itemReferenceNumber,
      trackingNumber: one.trackingNumber,
      memo: one.memo,
      ...(one.label === undefined ? {} : { label: shownLabel(one.label) }),
      ...(one.label?.url === undefined ? {} : { labelUrl: one.label.url }),
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

/** The labels of a result by package, `*` for all: format, URL, or the code of what is wrong. */
export const labelsOf = (operation: OperationName, result: unknown): Record<string, string> => {
  const named = isAccepted(operation, result)
    ? [...result.packages.map((one) => [one.itemReferenceNumber, one.label] as const), ['*', result.label] as const]
    : operation === 'label' && result !== undefined
      ? (result as readonly FetchedLabel[]).map((one) => [one.itemReferenceNumber ?? '*', one.label] as const)
      : [];
  return Object.fromEntries(named.flatMap(([name, label]) => (label === undefined ? [] : [[name, formatOf(label)]])));
};

export const shownEvent = ({ update, status, reason, occurredAtMs, eventTimezone }: NormalisedEvent): unknown => ({
  ...update,
  status,
  reason,
  occurredAt: new Date(occurredAtMs).toISOString().replace('.000Z', 'Z'),
  eventTimezone,
});
