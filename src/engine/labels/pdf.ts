/** What is printed, as PDF: bars and boxes are drawn, text is text that can be searched and copied. */
import bidiFactory from 'bidi-js';
import Pdf from 'pdfkit';
import type { Face, Fonts } from './fonts.ts';
import { LINE_HEIGHT, MM_PER_POINT, type Page, type Printed } from './layout.ts';

// Where modules resolve as in Node its types are those of a module of another kind; a bundler reads them as they are.
type BidiFactory = typeof bidiFactory extends { readonly default: infer Factory } ? Factory : typeof bidiFactory;
const bidi = (bidiFactory as unknown as BidiFactory)();

interface PdfOptions {
  readonly title: string;
  readonly nowMs: number;
}

/** A page for each list of what is printed. */
export const drawPdf = async (
  pages: readonly (readonly Printed[])[],
  { width, height }: Page,
  fonts: Fonts,
  { title, nowMs }: PdfOptions,
): Promise<Buffer> => {
  const size: [number, number] = [width / MM_PER_POINT, height / MM_PER_POINT];
  const info = { Title: title, Producer: 'Waybill', Creator: 'Waybill', CreationDate: new Date(nowMs) };
  const document = new Pdf({ autoFirstPage: false, margin: 0, size, info });
  const use = facesOf(document);
  const whole = bytesOf(document);
  for (const printed of pages) {
    document.addPage();
    for (const one of printed) draw(document, one, fonts, use);
  }
  document.end();
  return await whole;
};

const bytesOf = async (document: PDFKit.PDFDocument): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of document) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

type UseFace = (face: Face, size: number) => void;

/** Sets text in faces that stay open: to read a font for each document would cost more than the rest of it. */
const facesOf = (document: PDFKit.PDFDocument): UseFace => {
  const used = new Set<Face>();
  return (face, size) => {
    const font = face.font as unknown as PDFKit.Mixins.PDFFontSource;
    if (!used.has(face)) {
      // A font caches each glyph with the text that first asked for it. One that was only a part of another has none.
      Object.assign(font, { _glyphs: {} });
      document.registerFont(face.file, font);
      used.add(face);
    }
    document.font(face.file, size);
  };
};

const draw = (document: PDFKit.PDFDocument, printed: Printed, fonts: Fonts, use: UseFace): void => {
  const [x, y, width, height] = [printed.x, printed.y, printed.width, printed.height].map(
    (mm) => mm / MM_PER_POINT,
  ) as [number, number, number, number];
  switch (printed.kind) {
    case 'text':
      for (const [at, line] of printed.lines.entries()) {
        const runs = visualRuns(line, printed.bold, fonts);
        const free = width - fonts.widthOf(line, printed.size, printed.bold);
        let left = x + { left: 0, center: free / 2, right: free }[printed.align];
        const baseline = y + printed.size * (at * LINE_HEIGHT + 0.95);
        for (const { face, text } of runs) {
          use(face, printed.size);
          document.text(text, left, baseline, { lineBreak: false, baseline: 'alphabetic' });
          left += fonts.widthOf(text, printed.size, printed.bold);
        }
      }
      break;
    case 'box': {
      const border = printed.border / MM_PER_POINT;
      if (border * 2 >= Math.min(width, height)) document.rect(x, y, width, height).fill();
      else
        document
          .lineWidth(border)
          .rect(x + border / 2, y + border / 2, width - border, height - border)
          .stroke();
      break;
    }
    case 'barcode': {
      const { barcode } = printed;
      const module = printed.module / MM_PER_POINT;
      if (barcode.kind === 'bars') {
        let left = x;
        for (const [at, modules] of barcode.widths.entries()) {
          if (at % 2 === 0) document.rect(left, y, modules * module, height);
          left += modules * module;
        }
      } else
        for (const [at, isDark] of barcode.dark.entries())
          if (isDark)
            document.rect(
              x + (at % barcode.modules) * module,
              y + Math.floor(at / barcode.modules) * module,
              module,
              module,
            );
      document.fill();
    }
  }
};

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** From left to right, as they are seen: the Unicode bidirectional algorithm over whole runs. */
const visualRuns = (line: string, bold: boolean, fonts: Fonts) => {
  const { levels } = bidi.getEmbeddingLevels(line);
  const stretches: { level: number; text: string }[] = [];
  for (let at = 0; at < line.length; at += 1) {
    const last = stretches.at(-1);
    const level = levels[at] ?? 0;
    // Brackets open towards what they hold.
    const seen = level % 2 === 1 ? (bidi.getMirroredCharacter(line.charAt(at)) ?? line.charAt(at)) : line.charAt(at);
    if (last !== undefined && last.level === level) last.text += seen;
    else stretches.push({ level, text: seen });
  }
  const runs = stretches.flatMap(({ level, text }) =>
    fonts.runsOf(text, bold).map(({ face, text: part }) => {
      // A face turns round what is of a script from right to left, and nothing else.
      const isTurned = level % 2 === 0 || RIGHT_TO_LEFT.test(part);
      return { face, level, text: isTurned ? part : Array.from(part).toReversed().join('') };
    }),
  );
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level -= 1) {
    for (let from = 0; from < runs.length; from += 1) {
      let to = from;
      while ((runs[to]?.level ?? -1) >= level) to += 1;
      if (to > from) runs.splice(from, to - from, ...runs.slice(from, to).toReversed());
      from = to;
    }
  }
  return runs;
};
