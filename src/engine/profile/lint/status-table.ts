import { elementsOf, type Type, knownTextsOf } from '../../mapping/types/type.ts';
import { isDispatched, type NormalisedStatus, NO_CHANGE, stageOf } from '../../statuses/status.ts';
import type { StatusRow } from '../carrier.ts';
import { valueOf } from '../tree.ts';
import { expressionsOf } from './expressions.ts';
import type { LintInput, Rule } from './rule.ts';

/** ambiguous-row: two rows of the status table that tie for something a carrier may send. */
export const ambiguousRow: Rule = ({ carrier, findings }) => {
  const byRank = new Map<string, StatusRow[]>();
  for (const row of carrier.statuses.table) {
    const rank = [row.ofReturns, ...row.patterns.map(rankOf)].join(' ');
    const rivals = byRank.get(rank) ?? [];
    const rival = rivals.find((other) =>
      row.patterns.every((pattern, at) => overlap(pattern, other.patterns[at] ?? '*')),
    );
    if (rival !== undefined) {
      const message = `the rows "${rival.key}" and "${row.key}" may match the same status`;
      findings.report('ambiguous-row', row.place, message, 'case, surrounding spaces and missing parts are ignored');
    }
    rivals.push(row);
    byRank.set(rank, rivals);
  }
};

/** Exact comes first, then the pattern with more letters before its `*`. */
const rankOf = (pattern: string): number => (pattern.includes('*') ? pattern.indexOf('*') : Infinity);

/** Can two parts of the same rank match one text? */
const overlap = (one: string, other: string): boolean => {
  if (!one.includes('*')) return one === other;
  const [ends, otherEnds] = [one.slice(one.lastIndexOf('*') + 1), other.slice(other.lastIndexOf('*') + 1)];
  return (
    one.slice(0, one.indexOf('*')) === other.slice(0, other.indexOf('*')) &&
    (ends.endsWith(otherEnds) || otherEnds.endsWith(ends))
  );
};

/** Fields of an event that each part of a row is compared with; the first that is there counts. */
const PARTS = [
  ['carrierStatusCode', 'carrierStatus'],
  ['carrierSubStatusCode', 'carrierSubStatus'],
  ['carrierStatusDescription'],
] as const;

/**
 * dead-row: a row for something that none of the carrier's mappings of events ever writes. Of a carrier without such
 * mappings, which pushes the contract's own updates, nothing is known.
 */
export const deadRow: Rule = (input) => {
  const { carrier, findings } = input;
  if (carrier.statuses.table.length === 0) return;
  const events = eventTypes(input);
  if (events.length === 0 || events.some(({ object }) => object === undefined || object.others !== undefined)) return;
  for (const row of carrier.statuses.table) {
    const at = row.patterns.findIndex((pattern, part) => !events.some((event) => mayMatch(event, pattern, part)));
    // A row of a base may be there for its other heirs.
    if (at === -1 || row.place.file !== carrier.place.file) continue;
    const help = `no mapping of events writes such a ${PARTS[at]?.[0] ?? ''}`;
    findings.report('dead-row', row.place, `no event of this carrier matches "${row.key}"`, help);
  }
};

const eventTypes = (input: LintInput): readonly Type[] =>
  expressionsOf(input)
    .filter(({ sites }) =>
      sites.some(
        ({ position, operation }) => position === 'events' || (position === 'result' && operation === 'track'),
      ),
    )
    .map(({ checked }) => elementsOf(elementsOf(checked().type)));

const mayMatch = ({ object }: Type, pattern: string, part: number): boolean => {
  if (pattern === '*' || pattern === '') return true;
  const held = (PARTS[part] ?? []).flatMap((field) => object?.fields.get(field) ?? []);
  return held.some((type) => {
    const words = knownTextsOf(type);
    return (
      words === undefined || pattern.includes('*') || [...words].some((word) => word.trim().toLowerCase() === pattern)
    );
  });
};

/**
 * missing-terminal: no row says that a parcel was delivered, so that it is asked about until it is too old.
 * lifecycle-gap: a parcel is delivered that never began to move, so that until then it could be changed and cancelled;
 * a return that begins and never ends.
 */
export const lifecycle: Rule = ({ carrier, profile, findings }) => {
  const table = valueOf(profile, 'statuses', 'table');
  const reached = new Set(carrier.statuses.table.flatMap(({ ofReturns, status }) => (ofReturns ? [] : [status])));
  if (table === undefined || reached.size === 0) return;
  const warn = (message: string, help: string): void => findings.report('lifecycle-gap', table.place, message, help);
  if (!reached.has('Order Delivered')) {
    const help = 'add the row of the carrier’s status for it';
    findings.report('missing-terminal', table.place, 'no row leads to Order Delivered', help);
  } else if (![...reached].some(isUnderway)) {
    warn('no row leads to a status between the order and its delivery', 'add rows for Order Picked Up or In Transit');
  }
  const begins = RETURNS.find((status) => reached.has(status));
  if (begins !== undefined && !reached.has('Returned to Origin')) {
    warn(`a row leads to ${begins}, but none to Returned to Origin`, 'add the row that ends a return');
  }
};

const RETURNS: readonly NormalisedStatus[] = ['Return Initiated', 'Return in Transit'];

const isUnderway = (status: NormalisedStatus | typeof NO_CHANGE): boolean =>
  status !== NO_CHANGE && isDispatched(status) && stageOf(status) < stageOf('Order Delivered');
