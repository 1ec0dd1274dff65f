// Reads barcodes back from labels, with another library than the one that drew them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inflateSync } from 'node:zlib';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { zplToBase64MultipleAsync } from 'zpl-renderer-js';

const wasm = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'));
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer } });

type Image = Parameters<typeof readBarcodes>[0];

/** The Code 128 texts in an image. */
async function read(image: Image): Promise<readonly string[]> {
  const found = await readBarcodes(image, { formats: ['Code128'], tryHarder: true });
  return found.map(({ text }) => text);
}

export async function readPng(png: Buffer): Promise<readonly string[]> {
  return await read(new Uint8Array(png));
}

/** One list a label. */
export async function readZpl(zpl: string): Promise<readonly (readonly string[])[]> {
  const images = await zplToBase64MultipleAsync(zpl, 101.6, 152.4, 8);
  return await Promise.all(images.map(async (image) => await readPng(Buffer.from(image, 'base64'))));
}

/** The content streams of a PDF, unpacked: one a page. */
function pdfContents(pdf: Buffer): readonly string[] {
  const text = pdf.toString('latin1');
  const contents: string[] = [];
  for (const match of text.matchAll(/\/Filter \/FlateDecode[^>]*>>\s*stream\n/g)) {
    const start = match.index + match[0].length;
    const end = text.indexOf('\nendstream', start);
    contents.push(inflateSync(pdf.subarray(start, end)).toString('latin1'));
  }
  return contents.filter((content) => content.includes(' re'));
}

/** Paints a page's rectangles, which are the bars, and reads them; one list a page. */
export async function readPdf(pdf: Buffer): Promise<readonly (readonly string[])[]> {
  return await Promise.all(pdfContents(pdf).map(async (content) => await read(paint(content))));
}

function paint(content: string): Image {
  const scale = 6;
  const width = 288 * scale;
  const height = 100;
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (const [, left = '', , bar = ''] of content.matchAll(/([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re/g)) {
    const from = Math.round(Number(left) * scale);
    const to = Math.round((Number(left) + Number(bar)) * scale);
    for (let y = 10; y < height - 10; y += 1)
      for (let x = from; x < to; x += 1) data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
  }
  return { data, width, height, colorSpace: 'srgb' } as Image;
}
