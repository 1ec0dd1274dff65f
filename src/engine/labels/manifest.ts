/** The list of what is handed over to a carrier, as PDF: our own, beside or in the place of the carrier's. */
import { setImmediate } from 'node:timers/promises';
import type { Address } from '../ask/shapes.ts';
import { zonedAt } from '../time-zone.ts';
import { addressLines } from './address.ts';
import { encodeBarcode } from './barcode.ts';
import type { Fonts } from './fonts.ts';
import type { Printed } from './layout.ts';
import { A4, createSheet } from './sheet.ts';

interface ListedPackage {
  readonly referenceNumber: string;
  readonly packageId: string;
  readonly trackingNumber: string;
  /** By its code; undefined: none. */
  readonly service: string | undefined;
  readonly weightKg: number;
  /** Where it goes: country and postcode. */
  readonly destination: string;
  /** Since when it is not handed over any more, milliseconds since 1970. */
  readonly struckOutAtMs: number | undefined;
}

export interface ManifestList {
  readonly number: string;
  readonly carrier: string;
  /** `YYYY-MM-DD`, local to the facility. */
  readonly day: string;
  readonly facilityCode: string;
  readonly address: Address;
  readonly timeZone: string;
  /** The carrier's numbers of it. */
  readonly carrierNumbers: readonly string[];
  readonly packages: readonly ListedPackage[];
}

const ROWS = 26;
const ROW_MM = 7;
const STYLE = { page: A4, margin: 14, size: 8 };
const COLUMNS: readonly (readonly [name: string, share: number])[] = [
  ['No.', 0.06],
  ['Consignment', 0.2],
  ['Package', 0.14],
  ['Tracking number', 0.26],
  ['Service', 0.12],
  ['To', 0.12],
  ['Weight', 0.1],
];
const SHARES = COLUMNS.map(([, share]) => share);

const kg = (value: number): string => `${Number(value.toFixed(3))} kg`;

/** A page for every so many packages. What is struck out stays where it is, with a line through it and the time. */
export const drawManifest = async (list: ManifestList, fonts: Fonts, nowMs: number): Promise<Buffer> => {
  const count = Math.ceil(list.packages.length / ROWS);
  const pages: Printed[][] = [];
  for (let at = 0; at < count; at += 1) {
    pages.push(pageOf(list, at, count, fonts));
    // Others have their turn between the pages of a long one.
    await setImmediate();
  }
  const { drawPdf } = await import('./pdf.ts');
  return await drawPdf(pages, A4, fonts, { title: `Manifest ${list.number}`, nowMs });
};

const pageOf = (list: ManifestList, at: number, count: number, fonts: Fonts): Printed[] => {
  const { number, carrier, day, facilityCode, address, timeZone, carrierNumbers, packages } = list;
  const { printed, write, rule, line, row, down } = createSheet({ ...STYLE, fonts });
  write([`MANIFEST ${number}`], [0, 0.6], 9, true, 16);
  printed.push(barcodeOf(number));
  down(10);
  write([`Page ${at + 1} of ${count}`], [0, 0.3], 5);
  down(6);
  line();
  write(['From', ...addressLines(address)], [0, 0.5], 30);
  const facts = [`Carrier ${carrier}`, `Facility ${facilityCode}`, `Day ${day}`];
  const theirs = carrierNumbers.length === 0 ? '' : `Number at the carrier ${carrierNumbers.join(', ')}`;
  write([...facts, theirs, totalOf(packages)], [0.5, 1], 30);
  down(31);
  line();
  row(
    COLUMNS.map(([name]) => name),
    SHARES,
    ROW_MM,
    true,
  );
  for (const [index, one] of packages.slice(at * ROWS, (at + 1) * ROWS).entries()) {
    const { struckOutAtMs } = one;
    const place = String(at * ROWS + index + 1);
    if (struckOutAtMs !== undefined) rule(1.7);
    row(
      [
        place,
        one.referenceNumber,
        one.packageId,
        one.trackingNumber,
        one.service ?? '',
        one.destination,
        kg(one.weightKg),
      ],
      SHARES,
      struckOutAtMs === undefined ? ROW_MM : ROW_MM - 3.2,
    );
    if (struckOutAtMs === undefined) continue;
    write([`struck out ${localText(struckOutAtMs, timeZone)}`], [0.06, 1], 3.2, false, 6);
    down(3.2);
  }
  line();
  if (at === count - 1) {
    down(3);
    const signed = '_'.repeat(28);
    write([`Handed over by ${signed}`], [0, 0.5], 8);
    write([`Received by ${signed}`, `Date and time ${'_'.repeat(24)}`], [0.5, 1], 14);
  }
  return printed;
};

const totalOf = (packages: readonly ListedPackage[]): string => {
  const left = packages.filter(({ struckOutAtMs }) => struckOutAtMs === undefined);
  const sum = left.reduce((total, { weightKg }) => total + weightKg, 0);
  const struck = packages.length - left.length;
  return `Packages ${left.length}, ${kg(sum)}${struck === 0 ? '' : `; struck out ${struck}`}`;
};

const localText = (atMs: number, timeZone: string): string => {
  const at = zonedAt(atMs, timeZone);
  return `${at.toPlainDate().toString()} ${at.toPlainTime().toString({ smallestUnit: 'minute' })} ${timeZone}`;
};

/** For whoever scans it at the handover. */
const barcodeOf = (content: string): Printed => {
  const barcode = encodeBarcode('code128', content);
  const width = 62;
  const { page, margin } = STYLE;
  const module = width / barcode.modules;
  return { kind: 'barcode', barcode, module, content, x: page.width - margin - width, y: margin, width, height: 12 };
};
