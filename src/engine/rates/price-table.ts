/** Sides of a package, the longest first, in the unit of the tariff. */
export type Sides = readonly [number, number, number];

/** What a column of a table may limit beside the weight. */
export const MEASURES = {
  longest: ([longest]: Sides) => longest,
  middle: ([, middle]: Sides) => middle,
  shortest: ([, , shortest]: Sides) => shortest,
  sum: ([one, two, three]: Sides) => one + two + three,
  girth: ([longest, middle, shortest]: Sides) => longest + 2 * (middle + shortest),
  volume: ([one, two, three]: Sides) => one * two * three,
} as const;
export type Measure = keyof typeof MEASURES;

/** What fits within the limits of a row, and of none before, has its prices: by column, undefined where it has none. */
export interface PriceRow {
  /** Infinity: any. */
  readonly weight: number;
  readonly limits: readonly (readonly [Measure, number])[];
  readonly prices: readonly (number | undefined)[];
}

export interface PriceTable {
  /** The column of each zone. */
  readonly columns: ReadonlyMap<string, number>;
  readonly rows: readonly PriceRow[];
  /** Above the last row's weight: for each started step of weight, so much more. */
  readonly above: { readonly step: number; readonly prices: PriceRow['prices'] } | undefined;
}

/** Binary fractions of a weight do not lead to another row. */
export const NEGLIGIBLE = 1e-9;

/** `sides`: of each package that has to fit. undefined: the table has no price for it. */
export const priceAt = (
  { columns, rows, above }: PriceTable,
  zone: string,
  weight: number,
  sides: readonly Sides[],
): number | undefined => {
  const column = columns.get(zone);
  if (column === undefined) return undefined;
  const fits = ({ limits }: PriceRow): boolean =>
    limits.every(([measure, most]) => sides.every((each) => MEASURES[measure](each) <= most + NEGLIGIBLE));
  const row = rows.find((one) => weight <= one.weight + NEGLIGIBLE && fits(one));
  if (row !== undefined) return row.prices[column];
  const further = above?.prices[column];
  const last = rows.at(-1);
  if (
    above === undefined ||
    further === undefined ||
    (last !== undefined && (last.prices[column] === undefined || !fits(last)))
  )
    return undefined;
  const steps = Math.ceil((weight - (last?.weight ?? 0)) / above.step - NEGLIGIBLE);
  return (last?.prices[column] ?? 0) + steps * further;
};
