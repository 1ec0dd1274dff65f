/** A label of our own: template → what is printed → PDF or ZPL. */
import type { Consignment } from '../consignment/consignment.ts';
import type { Inputs } from '../dispatch/ports.ts';
import { Failure } from '../failure.ts';
import { type EvaluationContext, type Mapping, Rejection, type Roots } from '../mapping/mapping.ts';
import type { Carrier } from '../profile/carrier.ts';
import { type Element, type LabelTemplate, PAGES } from '../profile/language/label-template.ts';
import { textOfScalar } from '../text.ts';
import { addressLines } from './address.ts';
import { DOTS_PER_MM, encodeBarcode, moduleDots } from './barcode.ts';
import type { LabelOutcome } from './fetch.ts';
import type { Fonts } from './fonts.ts';
import { LINE_HEIGHT, layOut, MM_PER_POINT, type Printed } from './layout.ts';
import { drawZpl } from './zpl.ts';

interface Making {
  readonly roots: Roots;
  readonly context: EvaluationContext;
  readonly fonts: Fonts;
}

/** What a label of our own is made of. */
export interface Shipment {
  readonly carrier: Carrier;
  readonly inputs: Pick<Inputs, 'consignment' | 'service' | 'shipment'>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly nowMs: number;
}

/** The label of the package in this place; what cannot be printed has failed. */
export const ownLabel = async (
  template: LabelTemplate,
  { carrier, inputs, settings, nowMs }: Shipment,
  position: number,
  fonts: Fonts,
): Promise<LabelOutcome> => {
  const { code, name, labels, tables, time } = carrier;
  const { itemList, labelFormat = labels.formats[0] } = inputs.consignment as Consignment;
  const made = inputs.shipment as { readonly packages: readonly object[] };
  const roots = {
    consignment: inputs.consignment,
    service: inputs.service,
    shipment: inputs.shipment,
    carrier: { code, name },
    item: { ...itemList[position], ...made.packages[position] },
    index: position,
    settings,
    tables,
    now: new Date(nowMs).toISOString(),
  };
  const drawn = (): never => {
    throw new Failure('a label draws no $uuid and no $sequence', { code: 'mapping_failed', place: carrier.place });
  };
  const format = labelFormat === 'ZPL' ? 'ZPL' : 'PDF';
  try {
    const bytes = await makeLabel(template, format, { roots, context: { tables, time, nowMs, drawn }, fonts });
    return { kind: 'stored', bytes, format };
  } catch (thrown) {
    if (thrown instanceof Rejection) return { kind: 'failed', code: 'label_unprintable', message: thrown.message };
    if (!(thrown instanceof Failure)) throw thrown;
    return { kind: 'failed', code: thrown.code, message: thrown.describe() };
  }
};

/** Throws a `Failure` where the data cannot be printed: `label_unprintable`, or what an expression fails with. */
const makeLabel = async (template: LabelTemplate, format: string, making: Making): Promise<Buffer> => {
  const printed: Printed[] = [];
  for (const element of template.elements) printed.push(...(await print(element, making)));
  const page = PAGES[template.size];
  if (format === 'ZPL') return drawZpl(printed, page, template.zplFont);
  const { drawPdf } = await import('./pdf.ts');
  return await drawPdf([printed], page, making.fonts, { title: 'Label', nowMs: making.context.nowMs });
};

const print = async (element: Element, making: Making): Promise<readonly Printed[]> => {
  const { roots, fonts } = making;
  const { x, y, width, height, size, bold, align } = element;
  const area = { x, y, width, height };
  if (element.when !== undefined && (await evaluate(element.when, making)) !== true) return [];
  if (element.box !== undefined) return [{ kind: 'box', ...area, border: element.box }];
  if (element.barcode !== undefined) {
    const content = element.content && (await textOf(element.content, making));
    return printBarcode(element, content ?? '', fonts);
  }
  const lines =
    element.address === undefined
      ? await Promise.all((element.text ?? []).map(async (line) => await textOf(line, making)))
      : addressLines(roots['consignment'], element.address);
  return [layOut(lines, area, { size, bold, align }, fonts)];
};

/** In the middle of its area. */
const printBarcode = (
  { barcode: symbology = 'code128', caption, size, bold, x, y, width, height }: Element,
  content: string,
  fonts: Fonts,
): readonly Printed[] => {
  const barcode = encodeBarcode(symbology, content);
  const isLinear = barcode.kind === 'bars';
  const below = isLinear && caption ? size * LINE_HEIGHT * MM_PER_POINT : 0;
  const module = moduleDots(barcode, isLinear ? width : Math.min(width, height)) / DOTS_PER_MM;
  const side = barcode.modules * module;
  const left = x + (width - side) / 2;
  const area = isLinear
    ? { x: left, y, width: side, height: height - below }
    : { x: left, y: y + (height - side) / 2, width: side, height: side };
  const written = { x, y: y + height - below, width, height: below };
  return [
    { kind: 'barcode', ...area, barcode, module, content },
    ...(below > 0 ? [layOut([content], written, { size, bold, align: 'center' }, fonts)] : []),
  ];
};

const evaluate = async (mapping: Mapping, { roots, context }: Making): Promise<unknown> =>
  await mapping.evaluate(roots, context);

/** Nothing is an empty text. */
const textOf = async (mapping: Mapping, making: Making): Promise<string> => {
  const value = await evaluate(mapping, making);
  if (value === undefined || value === null) return '';
  const text = textOfScalar(value);
  if (text !== undefined) return text;
  const message = 'a label prints texts, numbers and booleans, not lists or objects';
  throw new Failure(message, {
    code: 'mapping_failed',
    place: mapping.place,
    help: '$join(…) makes one text of several',
  });
};
