/** Files beside profiles that say what carriers take and how long they do, and the CSV files that these name. */
import { didYouMean } from '../../mapping/closest.ts';
import { sourceText, type SourceText } from '../../mapping/source-text.ts';
import { type ZoneRow, overlapsOf, zoneRows, zoneTable, type ZoneTable } from '../../rates/zone-table.ts';
import { type PostcodeRange, parsePostcodes } from '../../rates/zones.ts';
import { isCountry } from '../../validate.ts';
import { checkWhole } from '../check.ts';
import { type Cell, readCsv } from '../csv.ts';
import type { ZonePart } from '../language/rates.ts';
import type { Shape } from '../language/kinds.ts';
import { parseSource } from '../source.ts';
import { entriesOf, type Node, type ScalarNode, textOf, valueOf } from '../tree.ts';
import type { Context } from './context.ts';

export type RateFolder = 'tariffs' | 'transit';

/** A checked file by its name, which stands at a node of the profile; undefined: it cannot be read. */
export const readRateFile = (
  context: Context,
  folder: RateFolder,
  named: ScalarNode,
  shape: Shape,
): Node | undefined => {
  const { files, findings } = context;
  const key = folder === 'tariffs' ? 'tariff' : 'transit';
  const path = `carriers/${folder}/${named.text}.yaml`;
  const text = files.shared(path);
  if (text === undefined) {
    const known = files.sharedNames(`carriers/${folder}`).filter((file) => file.endsWith('.yaml'));
    const help = didYouMean(
      named.text,
      known.map((file) => file.slice(0, -'.yaml'.length)),
    );
    findings.report('missing-file', named.place, `there is no ${path}`, help);
    return undefined;
  }
  const { root, findings: wrong } = parseSource(path, text);
  for (const finding of wrong) findings.add(finding);
  if (root === undefined) return undefined;
  checkWhole(root, shape, `the ${key}`, findings);
  const name = valueOf(root, key);
  if (name !== undefined && textOf(name) !== named.text)
    findings.report('wrong-code', name.place, `the file is named ${named.text}.yaml, but the ${key} "${textOf(name)}"`);
  return root;
};

/** The lines of CSV that a node holds, or those of the file that it names. */
export const csvAt = ({ files, findings }: Context, folder: RateFolder, node: ScalarNode) => {
  if (node.text.includes('\n')) return readCsv(node, findings);
  const path = `carriers/${folder}/${node.text}`;
  const text = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*\.csv$/.test(node.text) ? files.shared(path) : undefined;
  if (text !== undefined) return readCsv(csvSource(path, text), findings);
  const known = files.sharedNames(`carriers/${folder}`).filter((file) => file.endsWith('.csv'));
  findings.report('missing-file', node.place, `there is no ${path.slice(0, 120)}`, didYouMean(node.text, known));
  return undefined;
};

const csvSource = (path: string, text: string): SourceText => sourceText(path, text.replace(/^\uFEFF/, ''));

export interface Zones {
  readonly names: ReadonlySet<string>;
  readonly table: ZoneTable;
}

/** `written`: what the key `zones` of the file reads as. */
export const compileZones = (
  context: Context,
  folder: RateFolder,
  root: Node,
  written: Readonly<Record<string, readonly ZonePart[]>> | Node,
): Zones => {
  const node = valueOf(root, 'zones');
  const named =
    node?.kind === 'scalar'
      ? rowsOfCsv(context, folder, node)
      : entriesOf(node).map(({ key }) => {
          const parts = (written as Readonly<Record<string, readonly ZonePart[]>>)[key.text] ?? [];
          return { zone: key.text, rows: parts.flatMap((part) => zoneRows(key.text, part, key.place)) };
        });
  const rows = named.flatMap((one) => one.rows);
  for (const [one, other] of overlapsOf(rows)) {
    const message = `a place of zone "${other.zone}" is one of "${one.zone}", too (line ${one.place.line})`;
    context.findings.report('overlap', other.place, message, 'take it out of one of them');
  }
  return { names: new Set(named.map(({ zone }) => zone)), table: zoneTable(rows) };
};

const COLUMNS = ['zone', 'countries', 'postcodes', 'fromcountries', 'frompostcodes'] as const;
const COLUMN_NAMES = 'zone, countries, postcodes, fromCountries, fromPostcodes';

const rowsOfCsv = (context: Context, folder: RateFolder, node: ScalarNode) => {
  const { findings } = context;
  const [head = [], ...lines] = csvAt(context, folder, node) ?? [];
  const columns = head.map((cell) =>
    COLUMNS.find((name) => name === cell.text.toLowerCase().replaceAll(/[^a-z]/g, '')),
  );
  for (const [at, cell] of head.entries())
    if (columns[at] === undefined)
      findings.report(
        'unknown-key',
        cell.place,
        `"${cell.text.slice(0, 60)}" is no column of zones`,
        `one of ${COLUMN_NAMES}`,
      );
  return lines.map((line): { readonly zone: string; readonly rows: readonly ZoneRow[] } => {
    const cells = new Map(columns.map((name, at) => [name, line[at]]));
    const place = line[0]?.place ?? node.place;
    const zone = cells.get('zone')?.text ?? '';
    if (zone === '') findings.report('missing-key', place, 'this row names no zone');
    const from = partIn(context, cells.get('fromcountries'), cells.get('frompostcodes'));
    return {
      zone,
      rows: zoneRows(zone, { ...partIn(context, cells.get('countries'), cells.get('postcodes')), from }, place),
    };
  });
};

const partIn = (context: Context, countries: Cell | undefined, postcodes: Cell | undefined) => ({
  countries: listIn(
    countries,
    (word) => (isCountry(word) ? word : undefined),
    'no country of ISO 3166-1 alpha-2',
    context,
  ),
  postcodes: listIn<PostcodeRange>(
    postcodes,
    parsePostcodes,
    'no postcode, beginning (10*) or range (20000..29999)',
    context,
  ),
});

/** Separated by spaces, commas or semicolons; undefined: nothing is written. */
const listIn = <T>(
  cell: Cell | undefined,
  read: (word: string) => T | undefined,
  wrong: string,
  { findings }: Context,
): readonly T[] | undefined => {
  if (cell === undefined || cell.text === '') return undefined;
  return cell.text.split(/[\s,;]+/).flatMap((word) => {
    const value = read(word);
    if (value === undefined) findings.report('wrong-value', cell.place, `"${word.slice(0, 60)}" is ${wrong}`);
    return value === undefined ? [] : [value];
  });
};

/** Rows of a profile; undefined: no profile names the file, which may name any. */
export type NamedServices = readonly { readonly name: string }[] | undefined;

/** The service of the profile that a file names; undefined: it has none such. */
export const serviceAt = (
  { findings }: Context,
  key: ScalarNode,
  services: NamedServices,
): { readonly name: string } | undefined => {
  if (services === undefined) return { name: key.text };
  const found = services.find(({ name }) => name.toLowerCase() === key.text.toLowerCase());
  if (found === undefined) {
    const message = `the profile has no service "${key.text.slice(0, 60)}"`;
    findings.report(
      'unknown-service',
      key.place,
      message,
      didYouMean(
        key.text,
        services.map(({ name }) => name),
      ),
    );
  }
  return found;
};

export const checkZoneName = (
  { findings }: Context,
  at: Pick<ScalarNode, 'text' | 'place'>,
  { names }: Zones,
): boolean => {
  if (names.has(at.text)) return true;
  findings.report(
    'unknown-zone',
    at.place,
    `there is no zone "${at.text.slice(0, 60)}"`,
    didYouMean(at.text, [...names]),
  );
  return false;
};
