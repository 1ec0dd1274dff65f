// Reads labels back, with other libraries than those that drew them: barcodes from images, text from PDF.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createCanvas, Path2D } from '@napi-rs/canvas';
import { getDocument, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { zplToBase64MultipleAsync } from 'zpl-renderer-js';

const wasm = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'));
// Of the same copy of the library that the canvas is of.
Object.assign(globalThis, { Path2D });
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer } });

/** The texts of the Code 128 and QR barcodes in an image; of GS1-128 with identifiers in brackets. */
export async function readPng(png: Buffer): Promise<readonly string[]> {
  const found = await readBarcodes(new Uint8Array(png), { formats: ['Code128', 'QRCode'], tryHarder: true });
  return found.map(({ text }) => text);
}

/** One list a label. */
export async function readZpl(zpl: string): Promise<readonly (readonly string[])[]> {
  const images = await zplToBase64MultipleAsync(zpl, 105, 152.4, 8);
  return await Promise.all(images.map(async (image) => await readPng(Buffer.from(image, 'base64'))));
}

const onPages = async <Result>(pdf: Buffer, read: (page: PDFPageProxy) => Promise<Result>): Promise<Result[]> => {
  const loading = getDocument({ data: new Uint8Array(pdf), verbosity: 0 });
  const document = await loading.promise;
  const results: Result[] = [];
  for (let page = 1; page <= document.numPages; page += 1) results.push(await read(await document.getPage(page)));
  await loading.destroy();
  return results;
};

/** One list a page. */
export const readPdf = async (pdf: Buffer): Promise<readonly (readonly string[])[]> =>
  await onPages(pdf, async (page) => {
    const viewport = page.getViewport({ scale: 4 });
    const canvas = createCanvas(viewport.width, viewport.height);
    const canvasContext = canvas.getContext('2d') as never;
    await page.render({ canvas: null, canvasContext, viewport }).promise;
    return await readPng(canvas.toBuffer('image/png'));
  });

/** The lines of a page, and its size in points. */
export const pdfTexts = async (pdf: Buffer) =>
  await onPages(pdf, async (page) => {
    const { items } = await page.getTextContent();
    const lines = items.flatMap((item) => ('str' in item && item.str.trim() !== '' ? [item.str] : []));
    return { lines, size: page.view.slice(2) };
  });
