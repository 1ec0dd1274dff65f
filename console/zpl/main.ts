/** Draws the ZPL that the console hands over, in a frame without an origin: what a carrier wrote reaches nothing from here. */
import { zplToBase64MultipleAsync } from 'zpl-renderer-js';

const DOTS_PER_MM = 8;
/** Of a label that does not say its size: 4 × 6 in. */
const [WIDTH_MM, HEIGHT_MM] = [101.6, 152.4];
const SIDE_MM_MAX = 400;

/** `^PW` and `^LL` give it in dots. */
const sideMm = (zpl: string, command: string, otherwise: number): number => {
  const dots = Number(new RegExp(String.raw`\^${command}(\d+)`, 'i').exec(zpl)?.[1] ?? otherwise * DOTS_PER_MM);
  return Math.min(dots / DOTS_PER_MM, SIDE_MM_MAX);
};

const draw = async (zpl: string): Promise<readonly HTMLElement[]> => {
  const [width, height] = [sideMm(zpl, 'PW', WIDTH_MM), sideMm(zpl, 'LL', HEIGHT_MM)];
  const pictures = await zplToBase64MultipleAsync(zpl, width, height, DOTS_PER_MM);
  return pictures.map((picture, at) => {
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    image.alt = `Label ${at + 1} of ${pictures.length}`;
    return image;
  });
};

addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
  if (source !== parent) return;
  draw(String(data)).then(
    (images) => document.body.replaceChildren(...images),
    (thrown: unknown) => document.body.replaceChildren(`This label cannot be drawn: ${String(thrown)}`),
  );
});
