/** A package's label, 4 × 6 inches, as PDF or ZPL: drawn of the task when it is asked for. */
import { addressLines } from '../../engine/labels/address.ts';
import { DOTS_PER_MM, encodeBarcode, moduleDots } from '../../engine/labels/barcode.ts';
import { layOut, type Printed } from '../../engine/labels/layout.ts';
import { drawZpl } from '../../engine/labels/zpl.ts';
import type { Consignment } from '../../engine/consignment/consignment.ts';
import { type Answer, notFound } from '../http.ts';
import type { FleetDeps } from '../ports.ts';

interface LabelRow {
  readonly position: number;
  readonly count: number;
  readonly trackingNumber: string;
  readonly consignment: Consignment;
  readonly depot: string;
  readonly zone: string | undefined;
  readonly firstDay: string;
}

const PAGE = { width: 101.6, height: 152.4 };
const ID = /^[\w-]{32}$/;

/** The id is the key: it cannot be guessed. That of a package that was called off opens nothing. */
export const serveLabel = async ({ database, fonts: loadFonts, nowMs }: FleetDeps, id: string): Promise<Answer> => {
  const row = ID.test(id)
    ? await database.first<LabelRow>`
        select p.position, p.tracking_number, t.consignment, t.depot, t.zone, t.first_day,
          (select count(*) from fleet.packages o where o.task_id = p.task_id and not o.revoked) as count
        from fleet.packages p join fleet.tasks t on t.id = p.task_id where p.label_id = ${id} and not p.revoked`
    : undefined;
  if (row === undefined) throw notFound('such label');
  const fonts = await loadFonts();
  const isZpl = row.consignment.labelFormat === 'ZPL';
  const printed = contentOf(row, fonts);
  const headers = {
    'content-type': isZpl ? 'text/plain' : 'application/pdf',
    'content-disposition': `inline; filename="label.${isZpl ? 'zpl' : 'pdf'}"`,
  };
  if (isZpl) return { status: 200, headers, body: drawZpl(printed, PAGE) };
  const { drawPdf } = await import('../../engine/labels/pdf.ts');
  return { status: 200, headers, body: await drawPdf([printed], PAGE, fonts, { title: 'Label', nowMs: nowMs() }) };
};

const contentOf = (
  { position, count, trackingNumber, consignment, depot, zone, firstDay }: LabelRow,
  fonts: Awaited<ReturnType<FleetDeps['fonts']>>,
): readonly Printed[] => {
  const { typeOfOrder, orderNumber, vas = [], paymentMode, amountToBeCollected, currencyCode } = consignment;
  const text = (lines: readonly string[], y: number, height: number, size: number, bold = false): Printed =>
    layOut(lines, { x: 5, y, width: PAGE.width - 10, height }, { size, bold, align: 'left' }, fonts);
  const box = (y: number): Printed => ({ kind: 'box', x: 4, y, width: PAGE.width - 8, height: 0.4, border: 0.4 });
  const isReturn = typeOfOrder === 'REVERSE';
  const collect = paymentMode === 'COD' ? [`COLLECT ${amountToBeCollected ?? ''} ${currencyCode ?? ''}`] : [];
  const services = [...new Set(vas.flatMap(({ vasCode }) => vasCode ?? []))].join(', ');
  const barcode = encodeBarcode('code128', trackingNumber);
  const module = moduleDots(barcode, PAGE.width) / DOTS_PER_MM;
  const width = barcode.modules * module;
  return [
    text([`${depot} / ${zone ?? '-'}`], 5, 12, 26, true),
    text([isReturn ? 'RETURN' : 'DELIVERY', firstDay, `${position + 1} of ${count}`], 18, 14, 11, true),
    box(33),
    text(['From', ...addressLines(consignment, 'origin')], 35, 28, 9),
    box(64),
    text(['To', ...addressLines(consignment, 'destination')], 66, 36, 13, true),
    text([`Order ${orderNumber}`, services, ...collect], 103, 12, 9),
    {
      kind: 'barcode',
      x: (PAGE.width - width) / 2,
      y: 117,
      width,
      height: 24,
      barcode,
      module,
      content: trackingNumber,
    },
    layOut(
      [trackingNumber],
      { x: 5, y: 143, width: PAGE.width - 10, height: 6 },
      { size: 11, bold: true, align: 'center' },
      fonts,
    ),
  ];
};
