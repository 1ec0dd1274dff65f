/**
 * The status table of a profile: up to three parts are compared left to right with the
 * carrier's code, sub-code and description. In each part an exact text comes before a pattern, and of patterns the one
 * with more letters before its `*`. Case and outer spaces do not count; what is missing is the empty text.
 */
import type { Carrier, StatusRow } from '../profile/carrier.ts';
import { once } from '../value.ts';

interface Part {
  /** More is better; an exact text is better than any pattern. */
  readonly rank: number;
  matches(text: string): boolean;
}

interface Compiled {
  readonly row: StatusRow;
  readonly parts: readonly Part[];
}

/** Compiles rows once; a row with an exact code is found without looking at those of other codes. */
export const compileTable = (rows: readonly StatusRow[]) => {
  // The sort is stable: of equals the first written stays first.
  const ordered = rows.map((row) => ({ row, parts: row.patterns.map(compilePart) })).toSorted(compareRank);
  const byCode = Map.groupBy(ordered.filter(isExact), ({ row }) => fold(row.patterns[0]));
  const byPattern = ordered.filter((row) => !isExact(row));
  /** All rows that match, the best first; for explaining. `ties`: only the order in the file sets it after the one before. */
  const rivals = (...given: readonly [code: string, subCode: string, description: string]) => {
    const texts = given.map(fold);
    return [...(byCode.get(texts[0] ?? '') ?? []), ...byPattern]
      .filter(({ parts }) => parts.every((part, at) => part.matches(texts[at] ?? '')))
      .map((rival, at, all) => ({ row: rival.row, ties: at > 0 && compareRank(all[at - 1] ?? rival, rival) === 0 }));
  };
  return {
    rivals,
    /**
     * The row that says what a status means. Undefined when none matches, and when the best two are equally good and
     * disagree: nothing is guessed.
     */
    match(...texts: readonly [code: string, subCode: string, description: string]): StatusRow | undefined {
      const [best, ...others] = rivals(...texts);
      const worse = others.findIndex(({ ties }) => !ties);
      const equals = worse === -1 ? others : others.slice(0, worse);
      const agree = equals.every(({ row }) => row.status === best?.row.status && row.reason === best.row.reason);
      return agree ? best?.row : undefined;
    },
  };
};

type Table = ReturnType<typeof compileTable>;

/**
 * The carrier's rows, compiled at their first use: `FORWARD` for all but returns, `REVERSE` for returns, whose own rows
 * come first; the same where there are none of these.
 */
export const tablesOf = once(({ statuses }: Carrier): Readonly<Record<'FORWARD' | 'REVERSE', Table>> => {
  const FORWARD = compileTable(statuses.table.filter(({ ofReturns }) => !ofReturns));
  const own = statuses.table.filter(({ ofReturns }) => ofReturns);
  if (own.length === 0) return { FORWARD, REVERSE: FORWARD };
  const returns = compileTable(own);
  const tableFor = (texts: Parameters<Table['match']>): Table =>
    returns.rivals(...texts).length > 0 ? returns : FORWARD;
  return {
    FORWARD,
    REVERSE: {
      rivals: (...texts) => [...returns.rivals(...texts), ...FORWARD.rivals(...texts)],
      match: (...texts) => tableFor(texts).match(...texts),
    },
  };
}, new WeakMap());

const EXACT = Number.POSITIVE_INFINITY;

const isExact = ({ parts: [code] }: Compiled): boolean => code?.rank === EXACT;

const fold = (text: string): string => text.trim().toLowerCase();

const compareRank = (a: Compiled, b: Compiled): number => {
  for (const [at, { rank }] of a.parts.entries()) {
    const other = b.parts[at]?.rank ?? rank;
    if (rank !== other) return other > rank ? 1 : -1;
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
