/**
 * Which consignment an event is for. The carrier is the token's, never the body's: only its own identifiers, and of
 * these only live ones, are candidates. The rules:
 *
 * 1. An event names a shipment by `type` and `value`; also its `consignmentNumber` and `orderNo` name consignments.
 * 2. What is named must agree: the consignments that fit are those which every name that is known to us stands for.
 * 3. A tracking number or memo that we do not know is taken only for one of a consignment that waits for such numbers
 *    (its create has no known outcome yet), or that both its `consignmentNumber` and its `orderNo` stand for; and that
 *    has not had them from a shipment that is gone (it is created anew). Any other unknown `value` matches nothing,
 *    whatever else is named.
 * 4. `statusIdentifierValue` FORWARD or REVERSE tells apart what orders and consignments share: one of the other
 *    direction does not fit, unless a number that the carrier gave stands for it alone.
 * 5. One that fits is matched, with the package its number belongs to; none is unmatched, several are ambiguous.
 */
import { type StatusUpdate, cleanText } from './status-update.ts';

/** By what the records know a shipment: by one of the kinds that `type` of an update may say. */
export interface Name {
  readonly kind: string;
  readonly value: string;
}

export interface Candidate {
  readonly consignmentId: number;
  /** The package's index; undefined: the consignment as a whole. */
  readonly position: number | undefined;
  readonly packageCount: number;
  /** FORWARD or REVERSE. */
  readonly direction: string;
  /** A package of it has no tracking number yet. */
  readonly awaitsNumbers: boolean;
}

/** What the records know of a name. More candidates than were asked for are `tooMany`: they exclude nothing. */
export interface Known {
  readonly candidates: readonly Candidate[];
  readonly tooMany: boolean;
  /** Consignments whose shipment of that name is gone: it names them no more. */
  readonly goneFrom: readonly number[];
}

export type Match =
  | { readonly kind: 'matched'; readonly consignmentId: number; readonly position: number | undefined }
  | { readonly kind: 'unmatched' }
  /** Several fit; or one consignment, whose package is unknown. */
  | { readonly kind: 'ambiguous'; readonly consignmentId: number | undefined };

/** The contract's kinds of identifiers, which a status names in any case. */
export const KINDS: readonly string[] = ['Tracking', 'Reference', 'Order', 'Consignment'];
const KIND_MAX = 100;
/** Longer texts name no shipment. */
const VALUE_MAX = 400;

const nameOf = (kind: string, value: string | undefined): Name | undefined => {
  const text = value?.trim() ?? '';
  return text === '' || text.length > VALUE_MAX ? undefined : { kind, value: cleanText(text, VALUE_MAX) };
};

/** Kinds of the contract in any case, names from `memo` as they are written. */
const kindOf = (type: string | undefined): string => {
  const given = cleanText(type ?? '', KIND_MAX);
  if (given === '') return 'Tracking';
  return KINDS.find((kind) => kind.toLowerCase() === given.toLowerCase()) ?? given;
};

export interface Names {
  /** What `value` says; undefined where the event has none that could be one. */
  readonly value: Name | undefined;
  /** There is a `value`, known or not. */
  readonly hasValue: boolean;
  readonly others: readonly Name[];
  /** FORWARD or REVERSE; undefined where the event says neither. */
  readonly direction: string | undefined;
}

const DIRECTIONS: readonly string[] = ['FORWARD', 'REVERSE'];

export const namesOf = (update: StatusUpdate): Names => ({
  value: nameOf(kindOf(update.type), update.value),
  hasValue: (update.value ?? '').trim() !== '',
  others: [nameOf('Consignment', update.consignmentNumber), nameOf('Order', update.orderNo)].filter(
    (name) => name !== undefined,
  ),
  direction: DIRECTIONS.find((one) => one === update.statusIdentifierValue?.trim().toUpperCase()),
});

/** All that it names. */
export const allNames = ({ value, others }: Names): readonly Name[] =>
  value === undefined ? others : [value, ...others];

/** It names a shipment by what the carrier gave that one: a tracking number or memo. */
export const namesNumber = ({ value }: Names): boolean => value !== undefined && !KINDS.slice(1).includes(value.kind);

/** The name under which an event that fits nothing yet is looked for later. */
export const soughtBy = ({ value, hasValue, others }: Names): Name | undefined => (hasValue ? value : others[0]);

/** `known` answers for each name of the event; what it does not hold is not known. */
export const matchEvent = (names: Names, known: (name: Name) => Known | undefined): Match => {
  const knownOf = (name: Name | undefined): Known | undefined => {
    const found = name === undefined ? undefined : known(name);
    return found === undefined || (found.candidates.length === 0 && !found.tooMany) ? undefined : found;
  };
  const byValue = knownOf(names.value);
  const byOthers = names.others.map(knownOf).filter((found) => found !== undefined);
  if (names.hasValue && byValue === undefined) {
    const goneFrom = (names.value === undefined ? undefined : known(names.value))?.goneFrom ?? [];
    return matchNewNumber(names, byOthers, goneFrom);
  }
  const named = [...(byValue === undefined ? [] : [byValue]), ...byOthers];
  if (named.length === 0) return { kind: 'unmatched' };
  const meant = agreeing(named);
  const isCertain = byValue !== undefined && namesNumber(names) && meant.length === 1;
  const [only, ...more] = isCertain ? meant : meant.filter(goesThatWay(names, named));
  if (only === undefined || more.length > 0) return { kind: 'ambiguous', consignmentId: undefined };
  return inConsignment(only, (byValue ?? { candidates: [] }).candidates);
};

/** Rule 3. With several packages it stays open which of them has the number. */
const matchNewNumber = (names: Names, others: readonly Known[], goneFrom: readonly number[]): Match => {
  const agreed = namesNumber(names) ? agreeing(others) : [];
  if (agreed.some((id) => goneFrom.includes(id))) return { kind: 'unmatched' };
  const meant = agreed.filter(goesThatWay(names, others));
  const telling = others.filter(({ tooMany }) => !tooMany);
  const named = new Map(others.flatMap(({ candidates }) => candidates).map((one) => [one.consignmentId, one]));
  const fitting = telling.length > 1 ? meant : meant.filter((id) => named.get(id)?.awaitsNumbers === true);
  const [only, ...more] = fitting;
  if (only === undefined) return { kind: 'unmatched' };
  if (more.length > 0) return { kind: 'ambiguous', consignmentId: undefined };
  return named.get(only)?.packageCount === 1
    ? { kind: 'matched', consignmentId: only, position: 0 }
    : { kind: 'ambiguous', consignmentId: only };
};

/** Rule 4. */
const goesThatWay =
  ({ direction }: Names, named: readonly Known[]) =>
  (id: number): boolean =>
    direction === undefined ||
    named.some(({ candidates }) => candidates.some((one) => one.consignmentId === id && one.direction === direction));

/** The consignments that all names stand for. None of them, where the names contradict each other. */
const agreeing = (named: readonly Known[]): number[] => {
  const telling = named.filter(({ tooMany }) => !tooMany);
  const [first, ...rest] = telling.map(({ candidates }) => new Set(candidates.map((one) => one.consignmentId)));
  return first === undefined ? [] : [...first].filter((id) => rest.every((ids) => ids.has(id)));
};

/** A number of one package is that package's, also where it is the consignment's, too (a master number). */
const inConsignment = (consignmentId: number, candidates: readonly Candidate[]): Match => {
  const own = candidates.filter((one) => one.consignmentId === consignmentId);
  const positions = new Set(own.map(({ position }) => position).filter((position) => position !== undefined));
  const [position] = positions;
  if (positions.size <= 1) return { kind: 'matched', consignmentId, position };
  return positions.size === own[0]?.packageCount
    ? { kind: 'matched', consignmentId, position: undefined }
    : { kind: 'ambiguous', consignmentId };
};
