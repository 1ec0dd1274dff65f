import type { Mapping } from '../../mapping/mapping.ts';
import * as f from './field.ts';

/** The definition of the template of a label of our own. */

export const LABEL_SIZES = ['4x6', 'A6'] as const;
export type LabelSize = (typeof LABEL_SIZES)[number];

/** Millimetres. */
export const PAGES: Readonly<Record<LabelSize, { readonly width: number; readonly height: number }>> = {
  '4x6': { width: 101.6, height: 152.4 },
  A6: { width: 105, height: 148 },
};

/** Formats that a label of our own has. */
export const OWN_FORMATS = ['PDF', 'ZPL'] as const;

const SYMBOLOGIES = ['code128', 'gs1-128', 'qr'] as const;
export type Symbology = (typeof SYMBOLOGIES)[number];

const line = f.text('A text.', 'Order ${consignment.orderNumber}', { encoding: 'value' });
const lines = f.compiledAs(
  f.either<f.Field<Mapping | readonly Mapping[]>, object>(
    [line, f.list(line, 'Lines; those that come to nothing are left out.', ['${consignment.orderNumber}'])],
    'A text, or a line each; it is wrapped, then printed smaller, then cut.',
    'Order ${consignment.orderNumber}',
  ),
  (written): readonly Mapping[] => [written].flat(),
);
const mm = (description: string, example: number) => f.number([0, 152.4], description, example);

const WHAT = ['text', 'address', 'barcode', 'box'] as const;
const element = f.group('What is printed in one place: a text, an address, a barcode or a box.', {
  example: ['text', 'x', 'y', 'width', 'height'],
  required: ['x', 'y', 'width', 'height'],
  oneOf: { keys: WHAT, needed: true },
})({
  text: lines,
  address: f.word(['origin', 'destination'], 'The name and address of the sender or the recipient.', 'destination'),
  barcode: f.word(SYMBOLOGIES, 'A barcode of this kind.', 'code128'),
  box: f.number([0.1, 152.4], 'The thickness of its border, in mm.', 0.5),
  x: mm('Distance from the left edge, in mm.', 4),
  y: mm('Distance from the upper edge, in mm.', 4),
  width: mm('In mm.', 93),
  height: mm('In mm.', 10),
  when: f.expr('Condition for it to be printed.', "consignment.paymentMode = 'COD'"),
  size: f.number([4, 72], 'Size of the text, in points.', 12, { default: 9 }),
  bold: f.flag('Bold text.', true, { default: false }),
  align: f.word(['left', 'center', 'right'], 'Where lines of text stand.', 'center', { default: 'left' }),
  content: f.expr('What the barcode holds; of GS1-128 with its identifiers in brackets.', 'item.trackingNumber'),
  example: f.plain('The longest content there may be; lint checks that it fits.', 'ACME00000000000001'),
  caption: f.flag('Whether the content of a linear barcode stands below it.', false, { default: true }),
});
export type Element = f.Value<typeof element>;

export const labelTemplate = f.group('A template of labels.', { required: ['elements'] })({
  size: f.word(LABEL_SIZES, 'Size of the label: 4 × 6 inches, or A6.', 'A6', { default: '4x6' }),
  zplFont: f.name(
    String.raw`^[A-Z]:[A-Z0-9_]{1,16}\.(TTF|TTE|FNT)$`,
    'name a font of the printer, like E:TT0003M_.TTF',
    'A Unicode font of the printer, for ZPL.',
    'E:TT0003M_.TTF',
    { otherwise: 'font 0' },
  ),
  elements: f.list(
    element,
    'What is printed, in this order.',
    [{ text: '${carrier.name}', x: 4, y: 4, width: 93, height: 10 }],
    { notEmpty: true },
  ),
});
export type LabelTemplate = f.Value<typeof labelTemplate>;
