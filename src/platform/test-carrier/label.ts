/** A label of 4 x 6 inches with the tracking number as Code 128: PDF, PNG (bars only) or ZPL. */
import { crc32, deflateSync } from 'node:zlib';
import anyAscii from 'any-ascii';
import type { LabelFormat } from '../../engine/consignment/consignment.ts';

export interface LabelContent {
  readonly trackingNumber: string;
  readonly lines: readonly string[];
}

const TITLE = 'TEST LABEL - NOT FOR SHIPPING';

export const drawLabel = (format: LabelFormat, { trackingNumber, lines }: LabelContent): Buffer => {
  const number = printable(trackingNumber);
  const texts = [TITLE, ...lines.map(printable), number];
  if (format === 'PNG') return drawPng(barsOf(number));
  return Buffer.from(format === 'PDF' ? drawPdf(texts, barsOf(number)) : drawZpl(texts, number), 'latin1');
};

const printable = (text: string): string => anyAscii(text).replaceAll(/[^ -~]/g, '?');

// Code 128, set B -------------------------------------------------------------------------------------------------------

/** Six widths a symbol, bar and space by turns, from value 0 on. */
const SYMBOLS =
  '212222222122222221121223121322131222122213122312132212221213221312231212112232122132122231113222123122123221' +
  '223211221132221231213212223112312131311222321122321221312212322112322211212123212321232121111323131123131321' +
  '112313132113132311211313231113231311112133112331132131113123113321133121313121211331231131213113213311213131' +
  '311123311321331121312113312311332111314111221411431111111224111422121124121421141122141221112214112412122114' +
  '122411142112142211241211221114413111241112134111111242121142121241114212124112124211411212421112421211212141' +
  '214121412121111143111341131141114113114311411113411311113141114131311141411131211412211214211232';
const START = 104;
const STOP = '2331112';

/** Widths in modules, bars and spaces by turns. */
const barsOf = (text: string): readonly number[] => {
  const values = [START, ...Buffer.from(text).map((byte) => byte - 32)];
  const check = values.reduce((sum, value, place) => sum + value * Math.max(1, place), 0) % 103;
  const widths = [...values, check].map((value) => SYMBOLS.slice(value * 6, value * 6 + 6)).join('') + STOP;
  return Array.from(widths, Number);
};

const modulesOf = (bars: readonly number[]): number => bars.reduce((sum, width) => sum + width, 0);
/** On both sides, in modules. */
const QUIET = 10;

// Formats ---------------------------------------------------------------------------------------------------------------

const drawPdf = (texts: readonly string[], bars: readonly number[]): string => {
  const module = 288 / (modulesOf(bars) + 2 * QUIET);
  let x = QUIET * module;
  const drawn = bars.map((width, place) => {
    const bar = `${x.toFixed(3)} 40 ${(width * module).toFixed(3)} 90 re`;
    x += width * module;
    return place % 2 === 0 ? bar : '';
  });
  const written = texts.map(
    (text, place) => `BT /F 12 Tf 16 ${400 - 18 * place} Td (${text.replaceAll(/[()\\]/g, String.raw`\$&`)}) Tj ET`,
  );
  const page = [...written, ...drawn.filter((bar) => bar !== ''), 'f'].join('\n');
  const content = deflateSync(page).toString('latin1');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 288 432] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    `<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let body = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const at = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}`;
  return `${body}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
};

const escaped = (text: string): string =>
  text.replaceAll(/[\^~_]/g, (mark) => `_${mark.charCodeAt(0).toString(16).toUpperCase()}`);

const drawZpl = (texts: readonly string[], number: string): string => {
  const fields = texts.map((text, place) => `^FO40,${40 + 50 * place}^A0N,36,36^FH^FD${escaped(text)}^FS`);
  return `^XA^PW812^LL1218\n${fields.join('\n')}\n^FO60,880^BY2^BCN,220,N,N,N^FH^FD${escaped(number)}^FS\n^XZ\n`;
};

const PIXELS = { module: 4, height: 240 };

const drawPng = (bars: readonly number[]): Buffer => {
  const width = (modulesOf(bars) + 2 * QUIET) * PIXELS.module;
  /** After its filter's byte, one byte of grey a pixel. */
  const row = Buffer.alloc(1 + width, 255).fill(0, 0, 1);
  let x = 1 + QUIET * PIXELS.module;
  for (const [place, bar] of bars.entries()) {
    if (place % 2 === 0) row.fill(0, x, x + bar * PIXELS.module);
    x += bar * PIXELS.module;
  }
  const margin = Array.from({ length: 40 }, () => Buffer.alloc(1 + width, 255).fill(0, 0, 1));
  const rows = [...margin, ...Array.from({ length: PIXELS.height }, () => row), ...margin];
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(rows.length, 4);
  head.writeUInt8(8, 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1A\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

const chunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
};
