// Real shipping labels, 4 x 6 inches, each with a Code 128 of the tracking number: PDF, ZPL, PNG.
import bwip from 'bwip-js';
import Pdf from 'pdfkit';

export type LabelFormat = 'PDF' | 'ZPL' | 'PNG';

export interface LabelContent {
  readonly carrier: string;
  readonly service: string;
  readonly trackingNumber: string;
  readonly reference: string;
  /** Which package of how many, e.g. `1/3`. */
  readonly part: string;
  readonly weight: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** One document with a page a label (PDF, ZPL); a PNG is one label, so it takes the first. */
export async function drawLabels(format: LabelFormat, labels: readonly LabelContent[]): Promise<Buffer> {
  if (format === 'PDF') return await drawPdf(labels);
  if (format === 'ZPL') return Buffer.from(labels.map(drawZpl).join('\n'), 'utf8');
  return await drawPng(labels[0]?.trackingNumber ?? '');
}

export const labelTypes: Readonly<Record<LabelFormat, string>> = {
  PDF: 'application/pdf',
  ZPL: 'text/plain; charset=utf-8',
  PNG: 'image/png',
};

const pageWidth = 288;
const pageHeight = 432;
const margin = 14;

async function drawPdf(labels: readonly LabelContent[]): Promise<Buffer> {
  const document = new Pdf({
    size: [pageWidth, pageHeight],
    margin: 0,
    autoFirstPage: false,
    info: { CreationDate: new Date(0) },
  });
  const chunks: Buffer[] = [];
  const done = new Promise<Buffer>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
  });
  for (const label of labels) {
    document.addPage();
    drawPage(document, label);
  }
  document.end();
  return await done;
}

function drawPage(document: PDFKit.PDFDocument, label: LabelContent): void {
  const line = (text: string, x: number, y: number, size: number, bold = false): void => {
    document.font(bold ? 'Helvetica-Bold' : 'Helvetica').fontSize(size);
    document.text(toLatin1(text), x, y, {
      width: pageWidth - x - margin,
      height: size * 1.2,
      ellipsis: true,
      lineBreak: false,
    });
  };
  line(label.carrier, margin, 14, 16, true);
  line(label.service, margin, 34, 11);
  line(`Package ${label.part}   ${label.weight}`, margin, 50, 9);
  line('From', margin, 70, 8, true);
  label.from.slice(0, 6).forEach((text, index) => line(text, margin, 82 + index * 10, 8));
  line('To', margin, 152, 9, true);
  label.to.slice(0, 7).forEach((text, index) => line(text, margin, 165 + index * 15, 12, index === 0));
  line(`Ref ${label.reference}`, margin, 282, 9);
  drawBars(document, label.trackingNumber, 300, 90);
  line(label.trackingNumber, margin, 396, 12, true);
}

/** Vector bars over the page's width, a quiet zone of ten modules on both sides. */
function drawBars(document: PDFKit.PDFDocument, text: string, y: number, height: number): void {
  const widths = barWidths(text);
  const modules = widths.reduce((sum, width) => sum + width, 0) + 20;
  const module = (pageWidth - margin) / modules;
  let x = margin / 2 + 10 * module;
  widths.forEach((width, index) => {
    if (index % 2 === 0) document.rect(x, y, width * module, height);
    x += width * module;
  });
  document.fill('black');
}

/** Widths in modules, beginning with a bar, bars and spaces by turns. */
function barWidths(text: string): readonly number[] {
  const [symbol] = bwip.raw({ bcid: 'code128', text });
  if (!symbol || !('sbs' in symbol)) throw new Error(`No Code 128 for "${text}"`);
  return symbol.sbs;
}

async function drawPng(text: string): Promise<Buffer> {
  return await bwip.toBuffer({
    bcid: 'code128',
    text,
    includetext: true,
    textxalign: 'center',
    scale: 3,
    height: 20,
    padding: 10,
    backgroundcolor: 'FFFFFF',
  });
}

/** ZPL II for 203 dpi, text in UTF-8, everything but plain letters written as ^FH escapes. */
function drawZpl(label: LabelContent): string {
  const field = (x: number, y: number, height: number, text: string): string =>
    `^FO${x},${y}^A0N,${height},${height}^FH^FD${escapeZpl(text)}^FS`;
  return [
    '^XA^CI28^PW812^LL1218^LH0,0',
    field(40, 30, 44, label.carrier),
    field(40, 84, 30, label.service),
    field(40, 124, 26, `Package ${label.part}   ${label.weight}`),
    ...label.from.slice(0, 6).map((text, index) => field(40, 180 + index * 28, 24, text)),
    '^FO40,356^GB732,3,3^FS',
    ...label.to.slice(0, 7).map((text, index) => field(40, 380 + index * 44, 38, text)),
    field(40, 720, 26, `Ref ${label.reference}`),
    `^FO60,780^BY${label.trackingNumber.length > 14 ? 2 : 3}^BCN,220,N,N,N^FH^FD${escapeZpl(label.trackingNumber)}^FS`,
    field(60, 1030, 36, label.trackingNumber),
    '^XZ',
  ].join('\n');
}

/** `^`, `~`, `_` and all that is not printable ASCII as `_` and two hex digits a byte of UTF-8. */
export function escapeZpl(text: string): string {
  let escaped = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    const char = String.fromCharCode(byte);
    const plain = byte >= 0x20 && byte < 0x7f && char !== '^' && char !== '~' && char !== '_';
    escaped += plain ? char : `_${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}

const withoutDecomposition: Readonly<Record<string, string>> = {
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  Ħ: 'H',
  ħ: 'h',
  ı: 'i',
  Œ: 'OE',
  œ: 'oe',
  Ŋ: 'N',
  ŋ: 'n',
};

/** The PDF standard fonts know Latin-1 only: other letters lose their accents, other scripts become `?`. */
export function toLatin1(text: string): string {
  let latin = '';
  for (const char of text.normalize('NFC')) {
    if (char.charCodeAt(0) <= 0xff) latin += char;
    else latin += withoutDecomposition[char] ?? stripAccents(char);
  }
  return latin;
}

function stripAccents(char: string): string {
  const bare = char.normalize('NFD').replace(/\p{M}/gu, '');
  return /^[\u0020-\u00ff]+$/.test(bare) ? bare : '?';
}
