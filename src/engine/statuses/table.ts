/**
 * The status table of a profile: up to three parts are compared left to right with the
 * carrier's code, sub-code and description. In each part an exact text comes before a pattern, and of patterns the one
 * with more letters before its `*`. Case and outer spaces do not count; what is missing is the empty text.
 */
import type { Carrier, StatusRow } from '../profile/carrier.ts';

export interface StatusTable {
  /**
   * The row that says what a status means. Undefined when none matches, and when the best two are equally good and
   * disagree: nothing is guessed.
   */
  match(code: string, subCode: string, description: string): StatusRow | undefined;
  /** All rows that match, the best first; for explaining. `ties`: only the order in the file sets it after the one before. */
  rivals(code: string, subCode: string, description: string): readonly Rival[];
}

interface Rival {
  readonly row: StatusRow;
  readonly ties: boolean;
}

interface Part {
  /** More is better; an exact text is better than any pattern. */
  readonly rank: number;
  matches(text: string): boolean;
}

interface Compiled {
  readonly row: StatusRow;
  readonly parts: readonly [Part, Part, Part];
}

/** Compiles rows once; a row with an exact code is found without looking at those of other codes. */
export const compileTable = (rows: readonly StatusRow[]): StatusTable => {
  const compiled = rows.map((row): Compiled => {
    const [code, subCode, description] = row.patterns;
    return { row, parts: [compilePart(code), compilePart(subCode), compilePart(description)] };
  });
  // The sort is stable: of equals the first written stays first.
  const ordered = compiled.toSorted(compareRank);
  const byCode = Map.groupBy(ordered.filter(isExact), ({ row }) => fold(row.patterns[0]));
  const byPattern = ordered.filter((row) => !isExact(row));

  const fitting = (...given: readonly string[]): readonly Compiled[] => {
    const texts = given.map(fold);
    return [...(byCode.get(texts[0] ?? '') ?? []), ...byPattern].filter(({ parts }) =>
      parts.every((part, at) => part.matches(texts[at] ?? '')),
    );
  };
  return {
    match(...texts) {
      const [best, ...others] = fitting(...texts);
      const equals = others.filter((other) => best !== undefined && compareRank(best, other) === 0);
      const agree = equals.every(({ row }) => row.status === best?.row.status && row.reason === best.row.reason);
      return agree ? best?.row : undefined;
    },
    rivals(...texts) {
      return fitting(...texts).map((rival, at, all) => {
        const before = all[at - 1];
        return { row: rival.row, ties: before !== undefined && compareRank(before, rival) === 0 };
      });
    },
  };
};

const tables = new WeakMap<Carrier, StatusTable>();

/** The carrier's table, compiled at its first use. */
export const tableOf = (carrier: Carrier): StatusTable => {
  const known = tables.get(carrier);
  if (known !== undefined) return known;
  const table = compileTable(carrier.statuses.table);
  tables.set(carrier, table);
  return table;
};

const EXACT = Number.POSITIVE_INFINITY;

const isExact = ({ parts: [code] }: Compiled): boolean => code.rank === EXACT;

const fold = (text: string): string => text.trim().toLowerCase();

const compareRank = (a: Compiled, b: Compiled): number => {
  for (const at of [0, 1, 2] as const) {
    if (a.parts[at].rank !== b.parts[at].rank) return b.parts[at].rank > a.parts[at].rank ? 1 : -1;
  }
  return 0;
};

const compilePart = (written: string): Part => {
  const pattern = fold(written);
  const [prefix = '', ...rest] = pattern.split('*');
  const suffix = rest.pop();
  if (suffix === undefined) return { rank: EXACT, matches: (text) => text === pattern };
  return {
    rank: Array.from(prefix).length,
    matches(text) {
      if (text.length < prefix.length + suffix.length || !text.startsWith(prefix) || !text.endsWith(suffix))
        return false;
      // Each middle piece as early as it comes: then the later ones have the most room.
      let from = prefix.length;
      const until = text.length - suffix.length;
      return rest.every((piece) => {
        const at = text.indexOf(piece, from);
        from = at + piece.length;
        return at !== -1 && from <= until;
      });
    },
  };
};
