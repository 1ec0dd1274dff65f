/** Fields that several routes take or show: their schemas, and what their text means. */
import { OPERATOR_NAME } from '../records/tokens.ts';
import { type Static, type TSchema, Type } from 'typebox';

const described = (description: string | undefined) => (description === undefined ? {} : { description });

export const texts = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, Type.String()])) as Record<Name, Type.TString>;
export const optionalTexts = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, Type.Optional(Type.String())])) as Record<
    Name,
    Type.TOptional<Type.TString>
  >;

/** A whole number in a path or query, where all is text; 15 digits fit a number exactly. */
export const number = (digits = 15, description?: string) =>
  Type.String({
    pattern: `^[1-9]\\d{0,${digits - 1}}$`,
    'x-must': 'be a whole number greater than 0',
    ...described(description),
  });

export const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

/** An instant in a body or query: ISO 8601 in UTC, or a day for its midnight. */
export const time = (description = '') =>
  Type.String({
    format: 'utc',
    description: `${description} A time in UTC, or a day (its midnight).`.trim(),
    examples: [INSTANT],
  });

/** An instant in an answer. */
export const instant = (description?: string) =>
  Type.String({ format: 'date-time', examples: [INSTANT], ...described(description) });
const INSTANT = '2026-05-01T09:00:00.000Z';

export const timeOf = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text));

export const filled = (maxLength: number, description?: string) =>
  Type.String({ pattern: '\\S', maxLength, 'x-must': 'not be blank', ...described(description) });

const code = (must: string) => Type.String({ pattern: '^[A-Za-z0-9][\\w.-]{0,99}$', 'x-must': must });
export const shipperCode = () => code('be the code of a shipper: letters, digits, dots, dashes and underscores');
export const carrierCode = () => code('be the code of a carrier');
export const operatorName = () =>
  Type.String({
    pattern: OPERATOR_NAME.source,
    'x-must': 'be the name of an operator: letters, digits and ._@+-, 100 at most',
  });
export const Environment = Type.Enum(['sandbox', 'production']);

/**
 * Of a record what the shape names, and nothing else. Its times, `…Ms`, are `…` in ISO 8601 and UTC, which is also how
 * JSON writes a `Date`.
 */
export const viewOf = <Shape extends TSchema & { readonly properties: object }>(
  { properties }: Shape,
  record: object,
): Static<Shape> =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
      if (Object.hasOwn(properties, name)) return [[name, value]];
      const shown = name.replace(/Ms$/, '');
      if (shown === name || value === undefined || !Object.hasOwn(properties, shown)) return [];
      return [[shown, new Date(value as number)]];
    }),
  ) as Static<Shape>;

// Pages --------------------------------------------------------------------------------------------------------------

export const limit = Type.Optional(number(3));

/** How many entries are asked for, of a query's `limit`. */
export const limitOf = (text: string | undefined, usual = 100, most = 500): number =>
  Math.min(numberOf(text) ?? usual, most);

/** Where a page ended, as text that a URL takes and nobody is to read. */
export const writeCursor = (parts: readonly string[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url');

/** The parts of a cursor that we wrote; undefined for any other text. */
export const readCursor = (cursor: string, parts: number): readonly string[] | undefined => {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const isOurs =
      Array.isArray(read) &&
      read.length === parts &&
      read.every((part) => typeof part === 'string' && part.isWellFormed() && !part.includes('\0'));
    return isOurs ? (read as string[]) : undefined;
  } catch {
    return undefined;
  }
};
