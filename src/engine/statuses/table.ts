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
  match(code: string, subCode: string, description: string): { readonly row: StatusRow } | undefined;
  /** All rows that match, the best first; for explaining. */
  rivals(code: string, subCode: string, description: string): readonly Rival[];
}

interface Rival {
  readonly row: StatusRow;
  /** As good as the one before it: only the order in the file sets them apart. */
  readonly ties: boolean;
}

type Texts = readonly [string, string, string];

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

  const found = function* (texts: Texts): Generator<Compiled> {
    const fits = ({ parts }: Compiled): boolean => parts.every((part, at) => part.matches(texts[at] ?? ''));
    for (const row of byCode.get(texts[0]) ?? []) if (fits(row)) yield row;
    for (const row of byPattern) if (fits(row)) yield row;
  };
  return {
    match(code, subCode, description) {
      let best: Compiled | undefined;
      for (const next of found([fold(code), fold(subCode), fold(description)])) {
        if (best === undefined) best = next;
        else if (compareRank(best, next) !== 0) break;
        else if (best.row.status !== next.row.status || best.row.reason !== next.row.reason) return undefined;
      }
      return best === undefined ? undefined : { row: best.row };
    },
    rivals(code, subCode, description) {
      const all = [...found([fold(code), fold(subCode), fold(description)])];
      return all.map((rival, at) => {
        const before = at === 0 ? undefined : all[at - 1];
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
