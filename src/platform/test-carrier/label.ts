/** A label of 4 x 6 inches with the tracking number as Code 128: PDF, PNG (bars only) or ZPL. */
import anyAscii from 'any-ascii';
import type { LabelFormat } from '../../engine/consignment/consignment.ts';
import { DOTS_PER_MM, encodeBarcode } from '../../engine/labels/barcode.ts';
import { createFonts } from '../../engine/labels/fonts.ts';
import { layOut, type Printed } from '../../engine/labels/layout.ts';
import { drawZpl } from '../../engine/labels/zpl.ts';

interface LabelContent {
  readonly trackingNumber: string;
  readonly lines: readonly string[];
}

const TITLE = 'TEST LABEL - NOT FOR SHIPPING';
const PAGE = { width: 101.6, height: 152.4 };
/** On both sides of the bars, in modules. */
const QUIET = 10;
const fonts = createFonts();

export const drawLabel = async (format: LabelFormat, { trackingNumber, lines }: LabelContent): Promise<Buffer> => {
  const content = anyAscii(trackingNumber).replaceAll(/[^ -~]/g, '?');
  if (format === 'PNG') {
    const { default: bwip } = await import('@bwip-js/node');
    const padding = { paddingwidth: QUIET, paddingheight: QUIET, backgroundcolor: 'FFFFFF' };
    return await bwip.toBuffer({ bcid: 'code128', text: content, scale: 4, height: 20, ...padding });
  }
  const barcode = encodeBarcode('code128', content);
  // However long the number is: nobody ships with it.
  const dots = Math.floor((PAGE.width * DOTS_PER_MM) / (barcode.modules + 2 * QUIET));
  const module = Math.max(1, Math.min(3, dots)) / DOTS_PER_MM;
  const width = barcode.modules * module;
  const text = { x: 5, y: 5, width: PAGE.width - 10, height: 70 };
  const printed: readonly Printed[] = [
    layOut([TITLE, ...lines, content], text, { size: 12, bold: false, align: 'left' }, fonts),
    { kind: 'barcode', x: (PAGE.width - width) / 2, y: 100, width, height: 30, barcode, module, content },
  ];
  if (format === 'ZPL') return drawZpl(printed, PAGE);
  const { drawPdf } = await import('../../engine/labels/pdf.ts');
  return await drawPdf([printed], PAGE, fonts, { title: TITLE, nowMs: 0 });
};
