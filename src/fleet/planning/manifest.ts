/** A route on paper: what is loaded, in which order it is brought, and to whom. */
import { encodeBarcode } from '../../engine/labels/barcode.ts';
import type { Printed } from '../../engine/labels/layout.ts';
import { A4, createSheet } from '../../engine/labels/sheet.ts';
import { zonedAt } from '../../engine/time-zone.ts';
import type { FleetDeps } from '../ports.ts';
import { routeAlone } from './board.ts';

const MARGIN = 14;
const ROWS = 9;
const ROW_MM = 25;
const SHARES = [0.05, 0.12, 0.33, 0.25, 0.25];
const BARCODE_MM = 60;

type Found = NonNullable<Awaited<ReturnType<typeof routeAlone>>>;

export const drawRouteManifest = async (deps: FleetDeps, routeId: number): Promise<Buffer | undefined> => {
  const found = await routeAlone(deps, routeId);
  if (found === undefined) return undefined;
  const fonts = await deps.fonts();
  const { stops } = found.view;
  const count = Math.max(1, Math.ceil(stops.length / ROWS));
  const pages = Array.from({ length: count }, (_, page) => pageOf(found, page, count, fonts));
  const { drawPdf } = await import('../../engine/labels/pdf.ts');
  return await drawPdf(pages, A4, fonts, { title: `Route ${routeId}`, nowMs: deps.nowMs() });
};

const pageOf = (
  { view, day }: Found,
  page: number,
  count: number,
  fonts: Awaited<ReturnType<FleetDeps['fonts']>>,
): Printed[] => {
  const { printed, write, line, row, down } = createSheet({ page: A4, margin: MARGIN, size: 8, fonts });
  const clock = (at: string | undefined): string =>
    at === undefined
      ? ''
      : zonedAt(Date.parse(at), day.site.timeZone).toPlainTime().toString({ smallestUnit: 'minute' });
  const packages = view.stops.flatMap(({ tasks }) => tasks.flatMap((task) => task.packages));
  write([`ROUTE ${view.id}`], [0, 0.5], 9, true, 16);
  printed.push(barcodeOf(`ROUTE-${view.id}`));
  down(16);
  write([`${day.depot} ${day.site.name}`, `Day ${day.day}`, `Page ${page + 1} of ${count}`], [0, 0.5], 14);
  write(
    [
      `Driver ${view.driverName}`,
      `Vehicle ${view.vehicle} ${view.plate ?? ''}`,
      `${view.stops.length} stops, ${packages.length} packages`,
    ],
    [0.5, 1],
    14,
  );
  down(15);
  line();
  row(['No.', 'Time', 'Customer', 'Packages', 'To do'], SHARES, 7, true);
  for (const stop of view.stops.slice(page * ROWS, (page + 1) * ROWS)) {
    const [task] = stop.tasks;
    let left = 0;
    const cells = [
      [String(stop.position + 1)],
      [
        clock(stop.plannedArrival),
        ...stop.tasks.flatMap(({ window }) =>
          window === undefined ? [] : [`${clock(window.from)}-${clock(window.to)}`],
        ),
      ],
      [...(task?.customer.address ?? []), task?.customer.phone ?? ''],
      stop.tasks.flatMap(({ kind, packages: own }) =>
        own.map(({ trackingNumber }) => `${kind === 'PICKUP' ? 'collect' : 'deliver'} ${trackingNumber}`),
      ),
      stop.tasks.flatMap(({ vas, instructions, cod }) => [
        ...vas.flatMap(({ vasCode }) => vasCode ?? []),
        ...(cod === undefined ? [] : [`COLLECT ${cod.amount ?? ''} ${cod.currency ?? ''}`]),
        instructions ?? '',
      ]),
    ];
    for (const [at, share] of SHARES.entries()) {
      write(cells[at] ?? [], [left, left + share], ROW_MM - 2);
      left += share;
    }
    down(ROW_MM);
    line();
  }
  return printed;
};

const barcodeOf = (content: string): Printed => {
  const barcode = encodeBarcode('code128', content);
  const module = BARCODE_MM / barcode.modules;
  return {
    kind: 'barcode',
    barcode,
    module,
    content,
    x: A4.width - MARGIN - BARCODE_MM,
    y: MARGIN,
    width: BARCODE_MM,
    height: 12,
  };
};
