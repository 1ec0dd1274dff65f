import { expect, it } from 'vitest';
import { labelBytes } from '../../../src/engine/codecs/label-document.ts';
import { drawLabel } from '../../../src/platform/test-carrier/label.ts';
import { readPdf, readPng, readZpl } from '../../support/barcode.ts';

const NUMBERS = ['TEST00000000000001', 'a~_^{|}', 'Mixed-Case 12/34'];
const draw = async (format: 'PDF' | 'ZPL' | 'PNG', trackingNumber: string): Promise<Buffer> => {
  const bytes = await drawLabel(format, { trackingNumber, lines: ['STANDARD (1/1) \\ order', 'Jürgen Müller'] });
  expect(labelBytes(bytes)).toMatchObject({ ok: true, format });
  return bytes;
};

it.each(NUMBERS)('%s can be scanned from each format', async (number) => {
  expect(await readPdf(await draw('PDF', number))).toEqual([[number]]);
  expect(await readPng(await draw('PNG', number))).toEqual([number]);
  expect(await readZpl((await draw('ZPL', number)).toString())).toEqual([[number]]);
});
