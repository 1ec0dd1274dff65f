/** What is printed, as ZPL for printers of 203 dots an inch. Nothing of the data can be a command. */
import { DOTS_PER_MM } from './barcode.ts';
import { LINE_HEIGHT, MM_PER_POINT, type Page, type Printed } from './layout.ts';

const dots = (millimetres: number): number => Math.round(millimetres * DOTS_PER_MM);

/** `font`: one of the printer, in the place of its font 0. */
export const drawZpl = (printed: readonly Printed[], { width, height }: Page, font?: string): Buffer => {
  const head = `^XA\n^CI28\n^PW${Math.floor(width * DOTS_PER_MM)}\n^LL${Math.floor(height * DOTS_PER_MM)}\n^LH0,0`;
  // A font of Unicode is written with its ligatures and from right to left.
  const shaping = font === undefined ? [] : ['^PA0,1,1,1'];
  const fields = printed.flatMap((one) => draw(one, font));
  return Buffer.from([head, ...shaping, ...fields, '^XZ', ''].join('\n'));
};

const draw = (printed: Printed, font: string | undefined): readonly string[] => {
  const [x, y, width, height] = [dots(printed.x), dots(printed.y), dots(printed.width), dots(printed.height)];
  switch (printed.kind) {
    case 'text': {
      const size = dots(printed.size * MM_PER_POINT);
      const written = font === undefined ? `^A0N,${size},${size}` : `^A@N,${size},${size},${font}`;
      const align = { left: 'L', center: 'C', right: 'R' }[printed.align];
      return printed.lines.map((line, at) => {
        const top = y + dots(at * printed.size * LINE_HEIGHT * MM_PER_POINT);
        // In a block a backslash begins a command of its own.
        return `^FO${x},${top}${written}^FB${width},1,0,${align}${field(line.replaceAll('\\', String.raw`\\`))}`;
      });
    }
    case 'box':
      return [`^FO${x},${y}^GB${width},${height},${Math.max(1, dots(printed.border))}^FS`];
    case 'barcode': {
      const module = dots(printed.module);
      const { barcode, content } = printed;
      if (barcode.kind === 'matrix') return [`^FO${x},${y}^BQN,2,${module}${field(`MA,${content}`)}`];
      const mode = barcode.zpl === undefined ? 'A' : 'N';
      return [`^FO${x},${y}^BY${module},3,${height}^BCN,${height},N,N,N,${mode}${field(barcode.zpl ?? content)}`];
    }
  }
};

const field = (data: string): string => `^FH^FD${escaped(data)}^FS`;

/** Whatever a printer could take for a command, and what it cannot print, by its bytes. */
const escaped = (data: string): string =>
  data.replaceAll(/[\^~_\p{Cc}]/gu, (mark) =>
    Array.from(Buffer.from(mark), (byte) => `_${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
