/** Interprets the responses of an operation, and checks them against the contract. */
import { checkAsked } from '../ask/operations.ts';
import { Answer, type ItemTrackDetails, Label, type Accepted, type AcceptedPackage } from '../consignment/answer.ts';
import type { Consignment } from '../consignment/consignment.ts';
import { type Place, type Problem, problem } from '../failure.ts';
import { StatusUpdates } from '../statuses/status-update.ts';
import { coerce, type Validated, validator } from '../validate.ts';
import type { Warning } from '../consignment/reply.ts';
import type { PartialCreate } from './part.ts';
import { findVariable } from '../profile/account.ts';
import type { Run, RunOutcome } from './ports.ts';

export type Result = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: Problem };

const validateAnswer = validator(Answer, 'the result');
const answerOf = (value: unknown): Validated<Answer> => validateAnswer(coerce(Answer, value));
const checkEvents = validator(StatusUpdates, 'the result');
const checkLabel = validator(Label, 'the result');

const NOTHING: Result = { ok: true, value: undefined };

/** Of a cancel of which there was nothing to tell the carrier. */
const NOT_TOLD = { carrierTold: false } as const;
export type Cancelled = typeof NOT_TOLD | undefined;

/** No step's `when` or `forEach` asked for a call. */
const wasNotCalled = (answers: Readonly<Record<string, unknown>>): boolean =>
  Object.values(answers).every((answer) => Array.isArray(answer) && answer.length === 0);

/**
 * By operation: `create` and `update` → `Accepted` (update: undefined when there is no result), `lookup` → `Answer`,
 * or undefined for "not created"; `track` → status updates; `label` → `FetchedLabel`s; `register` → what it yields;
 * `cancel` → `Cancelled`; `probe`, `unregister` → undefined; those asked for by themselves → as their table says.
 */
export const interpretResult = (
  run: Run,
  yielded: unknown,
  steps: Readonly<Record<string, unknown>>,
  missed: Missed = { part: undefined, warnings: [] },
): Result => {
  const place = run.operation.result?.place ?? run.operation.place;
  const isNothing = yielded === undefined || yielded === null;
  switch (run.operation.name) {
    case 'create':
    case 'update':
      if (yielded === undefined && run.operation.name === 'update') return NOTHING;
      return withValue(answerOf(withoutEmptyLabels(yielded ?? {})), place, (answer) =>
        readAccepted(run, answer, place, missed),
      );
    case 'lookup':
      if (isNothing) return NOTHING;
      if (run.operation.yieldsBody === true) return { ok: true, value: yielded };
      return withValue(answerOf(yielded), place, (answer) =>
        answer.numbersUnknown !== undefined ||
        answer.itemsTrackDetails.some(({ trackingNumber }) => trackingNumber !== undefined)
          ? { ok: true, value: answer }
          : NOTHING,
      );
    case 'track':
      return withValue(checkEvents(coerce(StatusUpdates, yielded)), place, (value) => ({ ok: true, value }));
    case 'label': {
      if (run.operation.result === undefined) return { ok: true, value: labelsOfAnswers(run, steps) };
      if (isNothing) return { ok: true, value: [] };
      const sole = checkLabel(yielded);
      if (sole.ok) return { ok: true, value: [{ itemReferenceNumber: undefined, label: sole.value }] };
      return withValue(answerOf(yielded), place, (answer) => ({ ok: true, value: labelsOf(answer) }));
    }
    case 'register':
      return readRegistered(yielded, place);
    case 'cancel':
      return wasNotCalled(steps) ? { ok: true, value: NOT_TOLD } : NOTHING;
    case 'probe':
    case 'unregister':
      return NOTHING;
    default:
      return withValue(checkAsked(run.operation.name, yielded), place, (value) => ({ ok: true, value }));
  }
};

/** What of the operation was not done, and ended nothing. */
interface Missed {
  readonly part: PartialCreate | undefined;
  readonly warnings: readonly Warning[];
}

/** Issues are a problem of the profile's line. */
const withValue = <Value>(validated: Validated<Value>, place: Place, read: (value: Value) => Result): Result => {
  if (validated.ok) return read(validated.value);
  const messages = validated.issues.map(({ message }) => message);
  return { ok: false, problem: problem('result_invalid', messages, place) };
};

/** What `lookup` yielded in the place of an answer, and the element it was asked about. */
export interface Found {
  readonly result: unknown;
  readonly item: unknown;
}

/** Entries that `lookup` found stand beside those of the answers, each for the package it was asked about. */
export const mergeFound = (yielded: unknown, found: readonly Found[]): unknown => {
  if (found.length === 0) return yielded;
  const parts = [yielded, ...found.map(namedAfterItem)]
    .filter((part) => part !== undefined)
    .map((part) => coerce(Answer, part) as Answer);
  return Object.assign({}, ...parts, { itemsTrackDetails: parts.flatMap((part) => part.itemsTrackDetails) }) as unknown;
};

const namedAfterItem = ({ result, item }: Found): unknown => {
  const answer = coerce(Answer, result) as Answer;
  const [sole, ...others] = answer.itemsTrackDetails;
  const { itemReferenceNumber } = (item ?? {}) as { readonly itemReferenceNumber?: string };
  if (sole === undefined || others.length > 0 || itemReferenceNumber === undefined) return answer;
  return { ...answer, itemsTrackDetails: [{ itemReferenceNumber, ...sole }] };
};

/** Only an operator may name variables: whatever one holds would be sent to a carrier that did. */
const readRegistered = (yielded: unknown, place: Place): Result => {
  const field = findVariable(yielded);
  if (field === undefined) return { ok: true, value: yielded };
  const message = `${field} names a variable, which only an operator may do`;
  return { ok: false, problem: problem('result_invalid', message, place) };
};

type Requested = Partial<Pick<Consignment, 'referenceId' | 'orderNumber' | 'carrierCode' | 'itemList'>>;

const readAccepted = (run: Run, answer: Answer, place: Place, { part, warnings: said }: Missed): Result => {
  const requested = (run.inputs.consignment ?? {}) as Requested;
  const references = (requested.itemList ?? []).map((item) => item.itemReferenceNumber);
  const wrong = [...wrongEchoes(requested, answer), ...undeclaredMetadata(run, answer)];
  const entries = entriesByPackage(references, inPart(answer.itemsTrackDetails, part), wrong);
  const packages: AcceptedPackage[] = [];
  const strange: string[] = [];
  const { numbersUnknown } = answer;
  if (numbersUnknown !== undefined && run.operation.name === 'update')
    wrong.push('only what a create or lookup yields may have numbersUnknown');
  for (const [index, itemReferenceNumber] of references.entries()) {
    const entry = entries[index];
    if (entry === undefined && part?.missing.has(itemReferenceNumber) === true) continue;
    if (numbersUnknown !== undefined && entry?.trackingNumber === undefined) {
      const { memo, label, labelUrl } = entry ?? {};
      if ((memo ?? label ?? labelUrl) !== undefined)
        wrong.push(
          `package ${itemReferenceNumber} has no number to keep its memo or label with: put it beside numbersUnknown`,
        );
    } else if (entry === undefined) wrong.push(`the answer has no entry for package ${itemReferenceNumber}`);
    else if (entry.trackingNumber === undefined) wrong.push(`package ${itemReferenceNumber} got no tracking number`);
    else if (!isPrintable(entry.trackingNumber)) {
      wrong.push(`the tracking number of package ${itemReferenceNumber} ${NOT_PRINTABLE}`);
    } else {
      const {
        trackingNumber,
        labelUrl = '',
        label = labelUrl === '' ? undefined : { url: labelUrl },
        memo = {},
      } = entry;
      packages.push({ itemReferenceNumber, trackingNumber, label, memo, ...(part && { position: index }) });
      const { itemTrackingNumber = trackingNumber } = requested.itemList?.[index] ?? {};
      if (itemTrackingNumber !== trackingNumber)
        strange.push(
          `package ${itemReferenceNumber} had tracking number ${itemTrackingNumber}; the carrier gave it ${trackingNumber}`,
        );
    }
  }
  const { masterTrackingNumber, label, memo = {}, warnings = [] } = answer;
  if (!isPrintable(masterTrackingNumber ?? 'none')) wrong.push(`the master tracking number ${NOT_PRINTABLE}`);
  if (!isStorable(answer)) wrong.push('the answer holds a character (NUL, half a surrogate pair) that no record can');
  if (wrong.length > 0) return { ok: false, problem: problem('answer_inconsistent', wrong, place) };
  const accepted: Accepted = {
    packages,
    masterTrackingNumber,
    label,
    memo,
    warnings: [...warnings, ...strange, ...said],
    ...(numbersUnknown !== undefined && packages.length < references.length && { numbersUnknown }),
  };
  return { ok: true, value: accepted };
};

const NOT_PRINTABLE = 'is blank, or holds what cannot be printed (a control character, bytes that were no text)';
const isPrintable = (text: string): boolean => text.trim() !== '' && !/[\p{C}\p{Zl}\p{Zp}\uFFFD]/u.test(text);

/** In what the records keep as text; a label's content is bytes. */
const isStorable = (value: unknown): boolean => {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return true;
  return Object.entries(value).every(
    ([key, inner]) => isStorable(key) && (isStorable(inner) || (key === 'content' && typeof inner === 'string')),
  );
};

/** `"label": { "content": x }` is `{}` where the answer has no x: that is no label, not a wrong one. */
export const withoutEmptyLabels = (yielded: unknown): unknown => {
  if (typeof yielded !== 'object' || yielded === null || Array.isArray(yielded)) return yielded;
  const { itemsTrackDetails, ...head } = yielded as Readonly<Record<string, unknown>>;
  const entries = [itemsTrackDetails].flat().map(withoutEmptyLabel);
  return {
    ...(withoutEmptyLabel(head) as object),
    ...(itemsTrackDetails === undefined ? {} : { itemsTrackDetails: entries }),
  };
};

const withoutEmptyLabel = (entry: unknown): unknown => {
  if (typeof entry !== 'object' || entry === null || !('label' in entry)) return entry;
  const { label, ...rest } = entry;
  const isEmpty = typeof label === 'object' && label !== null && Object.keys(label).length === 0;
  return isEmpty ? rest : entry;
};

/** An echo that is there has to be right; one that is missing is filled in from the request. */
const wrongEchoes = (requested: Requested, { referenceId, itemsTrackDetails }: Answer): string[] =>
  [{ referenceId }, ...itemsTrackDetails.map(({ orderNumber, carrierCode }) => ({ orderNumber, carrierCode }))]
    .flatMap((echoes) => Object.entries(echoes) as [Exclude<keyof Requested, 'itemList'>, string | undefined][])
    .filter(([field, echo]) => echo !== undefined && requested[field] !== undefined && echo !== requested[field])
    .map(([field, echo]) => `the answer is for ${field} ${echo}, not for ${requested[field]}`);

const undeclaredMetadata = ({ carrier }: Run, answer: Answer): string[] =>
  [answer, ...answer.itemsTrackDetails]
    .flatMap(({ memo }) => Object.keys(memo ?? {}))
    .filter((name) => !carrier.memo.includes(name))
    .map((name) => `memo ${name} is not declared in the profile's memo list`);

/** Of a part, entries without a reference are those of the packages that were made, in their order. */
const inPart = (entries: readonly ItemTrackDetails[], part: PartialCreate | undefined): readonly ItemTrackDetails[] =>
  entries.map((entry, at) => {
    const made = part?.made[at];
    return made === undefined ? entry : { itemReferenceNumber: made, ...entry };
  });

/** By reference; an entry without one stands for the package in its place, a sole one for all. */
const entriesByPackage = (
  references: readonly string[],
  entries: readonly ItemTrackDetails[],
  wrong: string[],
): (ItemTrackDetails | undefined)[] => {
  const [sole] = entries;
  if (entries.length === 1 && sole?.itemReferenceNumber === undefined) return references.map(() => sole);
  const found: (ItemTrackDetails | undefined)[] = references.map(() => undefined);
  for (const [place, entry] of entries.entries()) {
    const { itemReferenceNumber: reference } = entry;
    const index = reference === undefined ? place : references.indexOf(reference);
    if (index < 0 || index >= references.length) {
      wrong.push(`the answer has an entry for ${reference ?? `place ${place + 1}`}, which is no package`);
    } else if (found[index] !== undefined) {
      wrong.push(`the answer has two entries for package ${references[index]}`);
    } else {
      found[index] = entry;
    }
  }
  return found;
};

/** A label that the `label` operation brought; without a reference it is one document for all. */
export interface FetchedLabel {
  readonly itemReferenceNumber: string | undefined;
  readonly label: Label;
}

export type FetchedLabels = readonly FetchedLabel[] | 'not_yet' | (Problem & { readonly isRefusal: boolean });

/** What a run of the `label` operation comes to. */
export const fetchedLabels = (outcome: RunOutcome): FetchedLabels => {
  if (outcome.kind !== 'done') return { ...outcome.problem, isRefusal: outcome.kind === 'rejected' };
  const labels = outcome.result as readonly FetchedLabel[];
  return labels.length === 0 ? 'not_yet' : labels;
};

const labelsOf = ({ itemsTrackDetails, label: forAll }: Answer): FetchedLabel[] =>
  [...itemsTrackDetails, { itemReferenceNumber: undefined, label: forAll, labelUrl: undefined }].flatMap(
    ({ itemReferenceNumber, labelUrl, label = labelUrl === undefined ? undefined : { url: labelUrl } }) =>
      label === undefined ? [] : [{ itemReferenceNumber, label }],
  );

interface ItemAnswer {
  readonly body?: unknown;
  readonly item?: { readonly itemReferenceNumber?: string };
}

/** Without a result each answer is the label of its `item`. An answer without content is a label not ready yet. */
const labelsOfAnswers = ({ operation }: Run, steps: Readonly<Record<string, unknown>>): FetchedLabel[] =>
  [steps[operation.steps.at(-1)?.id ?? '']].flat().flatMap((answer) => {
    const { body, item } = (answer ?? {}) as ItemAnswer;
    const content = typeof body === 'string' || body instanceof Uint8Array ? body : undefined;
    if (content === undefined || content.length === 0) return [];
    return [{ itemReferenceNumber: item?.itemReferenceNumber, label: { content } }];
  });
