import { describe, expect, it } from 'vitest';
import { drawLabels, escapeZpl, toLatin1, type LabelContent } from '../../simulator/label.ts';
import { pdfContents, readPdf, readPng, readZpl } from './barcode.ts';

const label = (trackingNumber: string): LabelContent => ({
  carrier: 'Plain Carrier',
  service: 'EXPRESS',
  trackingNumber,
  reference: 'ORD-1 ^XZ ~JA _5E',
  part: '1/2',
  weight: '2.4 KG',
  from: ['Example Goods GmbH', 'Example Street 1', '20095 Hamburg', 'DE'],
  to: ['Łucja Przykład', 'ul. Przykładowa 22', '00-001 Łódź', 'PL', '東京'],
});
const two = [label('JD014600004700012301'), label('PLN0000000002')];
const numbers = two.map(({ trackingNumber }) => [trackingNumber]);

describe('a PDF label', () => {
  it('is a page of 4 x 6 inches a label, each with the tracking number as a readable Code 128', async () => {
    const pdf = await drawLabels('PDF', two);
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(pdf.toString('latin1').match(/\/MediaBox \[0 0 288 432\]/g)).toHaveLength(2);
    expect(await readPdf(pdf)).toEqual(numbers);
  });

  it('keeps the bars inside the page', async () => {
    const [content = ''] = pdfContents(await drawLabels('PDF', [label('PLN-0000000002-WITH-A-LONG-TAIL')]));
    const bars = [...content.matchAll(/([\d.]+) [\d.]+ ([\d.]+) [\d.]+ re/g)];
    expect(bars.length).toBeGreaterThan(50);
    for (const [, x, width] of bars) expect(Number(x) + Number(width)).toBeLessThan(288);
  });

  it.each([
    ['München', 'München'],
    ['Łódź', 'Lódz'],
    ['Œuvre', 'OEuvre'],
    ['東京', '??'],
    ['a\u0301', 'á'],
  ])('writes %s as %s, for its fonts', (text, latin) => {
    expect(toLatin1(text)).toBe(latin);
  });
});

it('a ZPL label renders to a readable Code 128, one label after the other', async () => {
  expect(await readZpl((await drawLabels('ZPL', two)).toString())).toEqual(numbers);
});

it('a ZPL label lets no text of the shipper be a command', async () => {
  const zpl = (await drawLabels('ZPL', [label('PLN0000000001')])).toString();
  expect(zpl.match(/\^XZ/g)).toHaveLength(1);
  expect(zpl).not.toContain('~');
  expect(zpl).toContain('ORD-1 _5EXZ _7EJA _5F5E');
  expect(escapeZpl('a^b~c_d é')).toBe('a_5Eb_7Ec_5Fd _C3_A9');
});

it('a PNG label holds the tracking number as a readable Code 128', async () => {
  const png = await drawLabels('PNG', two.slice(1));
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect(await readPng(png)).toEqual(numbers[1]);
});
