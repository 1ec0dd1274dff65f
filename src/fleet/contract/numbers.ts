/** Tracking numbers: a series that never comes again, with a check digit that finds a mistyped or swapped digit. */
import type { Database } from '../ports.ts';

/** Of GS1: weights 3 and 1 by turns from the right. */
const checkDigit = (digits: string): number => {
  const sum = digits
    .split('')
    .toReversed()
    .reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
  return (10 - (sum % 10)) % 10;
};

/** Without the check digit. */
const DIGITS = 10;

export const numberOf = (value: number): string => {
  const body = String(value).padStart(DIGITS, '0');
  return `FLT${body}${checkDigit(body)}`;
};

/** Values of a sequence of the database, which gives none twice, not even after a rollback. */
export const takeNumbers = async (database: Database, count: number): Promise<readonly string[]> => {
  const rows = await database.all<{ value: number }>`
    select nextval('fleet.tracking_numbers') as value from generate_series(1, ${count})`;
  return rows.map(({ value }) => numberOf(value));
};
