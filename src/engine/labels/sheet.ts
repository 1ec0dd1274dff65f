/** A page of a document, written from its top to its bottom. Lengths are millimetres, sizes of text points. */
import type { Fonts } from './fonts.ts';
import { layOut, type Page, type Printed } from './layout.ts';

export const A4: Page = { width: 210, height: 297 };

interface SheetStyle {
  readonly page: Page;
  readonly margin: number;
  /** Of text where nothing else is said. */
  readonly size: number;
  readonly fonts: Fonts;
}

/** Between two shares of the width: 0 is the left margin, 1 the right one. */
type Between = readonly [left: number, right: number];

export const createSheet = ({ page, margin, size, fonts }: SheetStyle) => {
  const printed: Printed[] = [];
  const width = page.width - 2 * margin;
  let y = margin;
  const write = (
    texts: readonly string[],
    [left, right]: Between,
    height: number,
    bold = false,
    points = size,
  ): void => {
    const area = { x: margin + left * width, y, width: (right - left) * width - 1, height };
    printed.push(layOut(texts, area, { size: points, bold, align: 'left' }, fonts));
  };
  const rule = (at = 0): void =>
    void printed.push({ kind: 'box', x: margin, y: y + at, width, height: 0.3, border: 0.3 });
  return {
    printed,
    /** Here; the place stays. */
    write,
    /** A line across the page, so far below here; the place stays. */
    rule,
    down: (by: number): void => void (y += by),
    line: (): void => {
      rule();
      y += 1;
    },
    /** Each text in its share of the width, side by side. */
    row: (texts: readonly string[], shares: readonly number[], height: number, bold = false): void => {
      let left = 0;
      for (const [at, share] of shares.entries()) {
        write([texts[at] ?? ''], [left, left + share], height - 1, bold);
        left += share;
      }
      y += height;
    },
  };
};
