import { elementsOf, type Type, wordsOf } from '../../mapping/types/type.ts';
import type { StatusRow } from '../carrier.ts';
import { expressionsOf } from './expressions.ts';
import type { LintInput, Rule } from './rule.ts';

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
  if (carrier.abstract || carrier.statuses.table.length === 0) return;
  const events = eventTypes(input);
  if (events.length === 0 || events.some(({ object }) => object === undefined || object.others !== undefined)) return;
  for (const row of carrier.statuses.table) {
    const at = row.patterns.findIndex((pattern, part) => !events.some((event) => mayMatch(event, pattern, part)));
    // A row of a base may be there for its other heirs.
    if (at === -1 || row.place.file !== carrier.place.file) continue;
    const [message, help] = explained(row, at);
    findings.warning('dead-row', row.place, message, help);
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
    const words = wordsOf(type);
    return (
      words === undefined || pattern.includes('*') || [...words].some((word) => word.trim().toLowerCase() === pattern)
    );
  });
};

const explained = ({ key }: StatusRow, part: number): readonly [string, string] => {
  const [field = ''] = PARTS[part] ?? [];
  return [`no event of this carrier matches "${key}"`, `no mapping of events writes such a ${field}`];
};
