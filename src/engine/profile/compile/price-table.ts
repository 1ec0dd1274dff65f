/** Tables of prices as spreadsheets have them: a row for each bracket, a column for each zone. */
import { MEASURES, type Measure, type PriceRow, type PriceTable } from '../../rates/price-table.ts';
import type { Cell } from '../csv.ts';
import type { Findings } from '../finding.ts';
import type { Context } from './context.ts';
import { checkZoneName, type Zones } from './rate-files.ts';

const isMeasure = (name: string): name is Measure => Object.hasOwn(MEASURES, name);

const isLimiting = (name: string): boolean => name === 'from' || name === 'to' || isMeasure(name);

/** A row, and where it is written. */
interface Written extends PriceRow {
  readonly cells: readonly Cell[];
}

/**
 * The first line names the columns: `to` (the weight up to which a row holds), maybe `from`, measures, and zones. `+1`
 * in the place of `to`: what each started unit above the last row costs beside it.
 */
export const compilePriceTable = (
  context: Context,
  [head = [], ...lines]: readonly (readonly Cell[])[],
  zones: Zones,
): PriceTable => {
  const { findings } = context;
  const names = head.map(({ text }) =>
    /^(?:from|to)$/i.test(text) || isMeasure(text.toLowerCase()) ? text.toLowerCase() : text,
  );
  const priced = head.flatMap((cell, at) => (isLimiting(names[at] ?? '') ? [] : [{ cell, at }]));
  const columns = new Map<string, number>();
  for (const { cell, at } of priced) {
    if (columns.has(cell.text)) findings.report('repeated-key', cell.place, `there is a column "${cell.text}" already`);
    else if (checkZoneName(context, cell, zones))
      columns.set(
        cell.text,
        priced.findIndex((one) => one.at === at),
      );
  }
  const rows: Written[] = [];
  let above: PriceTable['above'];
  for (const line of lines) {
    const cellOf = (name: string): Cell | undefined => line[names.indexOf(name)];
    const extra = line.slice(head.length).find(({ text }) => text !== '');
    if (extra !== undefined)
      findings.report('wrong-value', extra.place, 'this cell is in no column', 'the first line names the columns');
    const prices = priced.map(({ at }) => numberIn(line[at], findings));
    const to = cellOf('to');
    const start = line[0];
    if (above !== undefined && start !== undefined)
      findings.report('wrong-value', start.place, 'nothing may follow the row of what is above', 'move it to the end');
    if (to?.text.startsWith('+') === true) {
      const step = numberIn({ ...to, text: to.text.slice(1) }, findings);
      if (step === 0) findings.report('wrong-value', to.place, 'a step must be more than 0', 'such as +1');
      above = { step: step || 1, prices };
      continue;
    }
    const limits = names.flatMap((name, at) => {
      const most = isMeasure(name) ? numberIn(line[at], findings) : undefined;
      return isMeasure(name) && most !== undefined ? [[name, most] as const] : [];
    });
    const row = { weight: numberIn(to, findings) ?? Infinity, limits, prices, cells: line };
    checkStart(rows.at(-1), row, cellOf('from'), findings);
    checkReach(rows, row, to, findings);
    rows.push(row);
  }
  for (const { cell, at } of priced)
    checkColumn(
      rows,
      priced.findIndex((one) => one.at === at),
      cell.text,
      at,
      findings,
    );
  if (lines.length === 0 && head[0] !== undefined) findings.report('missing-key', head[0].place, 'there are no prices');
  return { columns, rows: rows.map(({ weight, limits, prices }) => ({ weight, limits, prices })), above };
};

/** `4.90` or `4,90`; undefined: the cell is empty, or holds no number, which is a finding. */
const numberIn = (cell: Cell | undefined, findings: Findings): number | undefined => {
  if (cell === undefined || cell.text === '') return undefined;
  const shown = `"${cell.text.slice(0, 60)}"`;
  if (!/^\d+(?:[.,]\d+)?$/.test(cell.text)) {
    findings.report('wrong-value', cell.place, `${shown} is not a number of 0 or more`, 'such as 4.90 or 4,90');
    return undefined;
  }
  if (/,\d{3}$/.test(cell.text))
    findings.report('wrong-value', cell.place, `${shown} can be read in two ways`, 'write it without a comma');
  return Number(cell.text.replace(',', '.'));
};

const checkStart = (
  before: Written | undefined,
  { weight }: Written,
  from: Cell | undefined,
  findings: Findings,
): void => {
  const start = numberIn(from, findings);
  if (start === undefined || from === undefined) return;
  const end = before === undefined ? 0 : before.weight;
  if (start >= weight)
    findings.report('wrong-value', from.place, `${start} is not below ${weight}, up to which the row holds`);
  else if (start > end)
    findings.report('gap', from.place, `between ${end} and ${start} there is no price`, `begin at ${end}`);
  else if (start < end)
    findings.report('overlap', from.place, `the row before holds up to ${end} already`, `begin at ${end}`);
};

/** A row that an earlier one leaves nothing. */
const checkReach = (rows: readonly Written[], row: Written, to: Cell | undefined, findings: Findings): void => {
  const limitOf = ({ limits }: Written, measure: Measure): number =>
    limits.find(([name]) => name === measure)?.[1] ?? Infinity;
  const taken = rows.find(
    (one) => one.weight >= row.weight && one.limits.every(([measure, most]) => limitOf(row, measure) <= most),
  );
  const [first] = row.cells;
  if (taken === undefined || first === undefined) return;
  const message = `nothing comes to this row: that of line ${taken.cells[0]?.place.line} takes all that would fit`;
  findings.report('overlap', (to ?? first).place, message, 'order rows from small to large');
};

const checkColumn = (rows: readonly Written[], column: number, zone: string, at: number, findings: Findings): void => {
  const priceOf = ({ prices }: Written): number | undefined => prices[column];
  const last = rows.findLastIndex((row) => priceOf(row) !== undefined);
  let most = 0;
  rows.forEach((row, index) => {
    const price = priceOf(row);
    const place = row.cells[at]?.place ?? row.cells[0]?.place;
    if (place === undefined) return;
    if (price === undefined && index < last && row.cells[at]?.text === '')
      findings.report(
        'gap',
        place,
        `zone "${zone}" has no price here, though it has one further down`,
        'fill the cell',
      );
    if (price !== undefined && price < most && rows.every(({ limits }) => limits.length === 0))
      findings.report('falling-price', place, `${price} is less than ${most}, which a lighter one costs`);
    most = Math.max(most, price ?? 0);
  });
};
