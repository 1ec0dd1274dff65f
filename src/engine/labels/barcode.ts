/** Barcodes: what is printed of them, and whether they hold and fit. */
import { createRequire } from 'node:module';
import type Bwip from '@bwip-js/node';
import { Failure, messageOf } from '../failure.ts';
import type { Symbology } from '../profile/language/label-template.ts';

const require = createRequire(import.meta.url);
/** Large, and of no use to whoever prints none. */
const bwip = () => require('@bwip-js/node') as Pick<typeof Bwip, 'raw'>;

/** Printers of labels have 203 dots an inch: 8 a millimetre. */
export const DOTS_PER_MM = 8;

export type Barcode =
  /** Widths of bars and spaces by turns, in modules; `zpl`: the data of `^BC` in mode N; undefined: the content, in mode A. */
  | {
      readonly kind: 'bars';
      readonly widths: readonly number[];
      readonly modules: number;
      readonly zpl: string | undefined;
    }
  /** Rows one after another. */
  | { readonly kind: 'matrix'; readonly dark: readonly boolean[]; readonly modules: number };

/** Longer than what any of them holds on a label. */
const LENGTH_MAX = 2_000;
/** What scanners of parcels read, in dots. */
const MODULE = { bars: { min: 2, max: 4, quiet: 10 }, matrix: { min: 3, max: 10, quiet: 4 } } as const;

const unprintable = (message: string, help?: string): Failure =>
  new Failure(message, { code: 'label_unprintable', help });

/** Throws `label_unprintable` where the barcode cannot hold the content, or its identifiers or check digits are wrong. */
export const encodeBarcode = (symbology: Symbology, content: string): Barcode => {
  const shown = `"${content.slice(0, 60)}"`;
  if (content === '') throw unprintable(`the content of a ${NAMES[symbology]} barcode is empty`);
  if (content.length > LENGTH_MAX) throw unprintable(`a barcode holds no ${content.length} characters`);
  if (symbology !== 'qr' && !/^[ -~]+$/.test(content))
    throw unprintable(`${NAMES[symbology]} cannot hold ${shown}`, 'letters without accents, digits and punctuation');
  try {
    const [drawn] = bwip().raw({ bcid: symbology === 'qr' ? 'qrcode' : symbology, text: content });
    if (drawn === undefined) throw unprintable(`${NAMES[symbology]} cannot hold ${shown}`);
    if ('pixs' in drawn) return { kind: 'matrix', dark: drawn.pixs.map((pixel) => pixel === 1), modules: drawn.pixx };
    const widths = drawn.sbs;
    const { zpl, modules } = symbology === 'gs1-128' ? gs1Zpl(content) : { zpl: undefined, modules: 0 };
    return { kind: 'bars', widths, modules: Math.max(modules, sumOf(widths)), zpl };
  } catch (thrown) {
    // It names the identifier: "bwipp.GS1badChecksum#3251: AI 00: Bad checksum".
    const why = messageOf(thrown).replace(/^bwipp\.\w+#\d+: /, '');
    throw thrown instanceof Failure ? thrown : unprintable(`${NAMES[symbology]} cannot hold ${shown}: ${why}`);
  }
};

const NAMES: Readonly<Record<Symbology, string>> = { code128: 'Code 128', 'gs1-128': 'GS1-128', qr: 'QR' };
const sumOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0);

/** The size of a module, in dots: as large as fits into so many millimetres. */
export const moduleDots = ({ kind, modules }: Barcode, millimetres: number): number => {
  const { min, max, quiet } = MODULE[kind];
  const dots = Math.floor((millimetres * DOTS_PER_MM) / (modules + 2 * quiet));
  if (dots >= min) return Math.min(dots, max);
  const needed = Math.ceil((min * (modules + 2 * quiet)) / DOTS_PER_MM);
  throw unprintable(
    `the barcode needs ${needed} mm, and has ${millimetres} mm`,
    'make it wider, or its content shorter',
  );
};

// GS1-128 as printers take it -----------------------------------------------------------------------------------------

/** GS1 identifiers whose values have a length of their own, so that nothing separates them from the next. */
const FIXED_LENGTH = /^(?:0[0-4]|1[1-9]|20|3[1-6]|41)/;

/** FNC1 is `>8`. All of it by pairs of digits (subset C) or none: not every printer changes the subset alike. */
const gs1Zpl = (content: string): { readonly zpl: string; readonly modules: number } => {
  const elements = [...content.matchAll(/\((\d{2,4})\)([^(]*)/g)];
  const data = elements.map(([, identifier = '', value = ''], at) => {
    const isEnded = at === elements.length - 1 || FIXED_LENGTH.test(identifier);
    return `${identifier}${value.replaceAll('>', '>0')}${isEnded ? '' : '>8'}`;
  });
  const zpl = `>8${data.join('')}`;
  const isPairs = /^(?:(?:>8)?\d\d)+$/.test(zpl);
  const symbols = zpl.replaceAll(isPairs ? />8|\d\d/g : />[08]/g, 'x').length;
  return { zpl: `${isPairs ? '>;' : '>:'}${zpl}`, modules: 11 * (symbols + 2) + 13 };
};
