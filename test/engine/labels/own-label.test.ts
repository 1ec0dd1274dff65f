import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { labelBytes } from '../../../src/engine/codecs/label-document.ts';
import { createFonts } from '../../../src/engine/labels/fonts.ts';
import { ownLabel } from '../../../src/engine/labels/make.ts';
import { directoryFiles, memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';
import { pdfTexts, readPdf, readZpl } from '../../support/barcode.ts';
import { PROJECT } from '../../support/project.ts';

/** A font of Japanese, as a home may hold one. */
const fonts = createFonts(path.join(PROJECT, 'node_modules/@embedpdf/fonts-jp/fonts'));
const PROFILE = readFileSync(path.join(PROJECT, 'carriers/plain.yaml'), 'utf8');

const CONSIGNMENT = {
  referenceId: 'REF-1',
  orderNumber: 'ORD-1',
  typeOfService: 'EXPRESS',
  shippingDateTime: '2026-05-01 00:00:00',
  itemList: [
    { itemReferenceNumber: 'P1', itemWeight: 1.5, itemWeightUom: 'KG' },
    { itemReferenceNumber: 'P2', itemWeight: 2, itemWeightUom: 'KG' },
  ],
  originName: 'Zakład Łódź',
  originAddressLine1: 'ul. Piotrkowska 1',
  originPostalCode: '90-001',
  originCity: 'Łódź',
  originCountry: 'PL',
  destinationName: 'Max Sample',
  destinationAddressLine1: 'Straße 22',
  destinationPostalCode: '80331',
  destinationCity: 'München',
  destinationCountry: 'DE',
  destinationContactNumber: '+4989555',
};
const fileNamed = (template: string) => ({ 'carriers/labels/own.yaml': template });

interface Wanted {
  readonly format?: string;
  readonly consignment?: object;
  readonly trackingNumber?: string;
  readonly labels?: string;
  readonly template?: string;
}

const make = async (wanted: Wanted = {}) => {
  const { format = 'PDF', consignment, trackingNumber = 'ACME0000000001', template } = wanted;
  const { labels = template === undefined ? '{ template: standard }' : '{ template: own }' } = wanted;
  const files = { 'carriers/plain.yaml': `${PROFILE}labels: ${labels}\n`, ...(template && fileNamed(template)) };
  const { carrier, findings } = loadCarrier('plain', { home: memoryFiles(files), shipped: directoryFiles(PROJECT) });
  expect(findings).toEqual([]);
  const packages = [{ trackingNumber: 'ACME0' }, { itemReferenceNumber: 'P2', trackingNumber, memo: {} }];
  const inputs = { consignment: { ...CONSIGNMENT, labelFormat: format, ...consignment }, shipment: { packages } };
  return await ownLabel(carrier!.labelTemplate!, { carrier: carrier!, inputs, settings: {}, nowMs: 0 }, 1, fonts);
};
const bytesOf = async (wanted?: Wanted): Promise<Buffer> => {
  const made = await make(wanted);
  if (made.kind !== 'stored') throw new Error(made.message);
  expect(labelBytes(made.bytes)).toMatchObject({ ok: true, format: made.format });
  return made.bytes;
};
const element = (keys: string): string => `elements: [ { x: 2, y: 2, width: 97, height: 30, ${keys} } ]`;

it.each(['4x6', 'A6'])(
  'the standard template on %s holds the number of its package, and who sends what to whom',
  async (size) => {
    const labels = `{ template: standard, size: ${size} }`;
    const pdf = await bytesOf({ labels });
    expect(await readPdf(pdf)).toEqual([['ACME0000000001']]);
    const [page] = await pdfTexts(pdf);
    expect(page?.size.map(Math.round)).toEqual(size === 'A6' ? [298, 420] : [288, 432]);
    const seen = ['Plain Carrier', 'Zakład Łódź', '90-001 Łódź', 'POLAND', 'Straße 22', '80331 München', 'GERMANY'];
    expect(page?.lines).toEqual(expect.arrayContaining([...seen, 'Reference REF-1', 'Package P2', '2 of 2', '2 KG']));
    const zpl = (await bytesOf({ labels, format: 'ZPL' })).toString();
    expect(await readZpl(zpl)).toEqual([['ACME0000000001']]);
    expect(zpl).toContain('^CI28');
    expect(zpl).toContain('^FD80331 München^FS');
  },
);

it.each([
  ['code128', 'A1-b2/C3 ~^_>;{}'],
  ['code128', '00340123450000000017'],
  ['gs1-128', '(00)340123450000000017'],
  ['gs1-128', '(01)09521234543213(10)ABC123(21)X'],
  ['qr', 'https://example.com/東京?a=^~_\\&b'],
])('%s holds %s in each format', async (barcode, content) => {
  const template = element(`barcode: ${barcode}, content: item.trackingNumber`);
  const [pdf, zpl] = [
    await bytesOf({ template, trackingNumber: content }),
    await bytesOf({ template, trackingNumber: content, format: 'ZPL' }),
  ];
  expect(await readPdf(pdf)).toEqual([[content]]);
  expect(await readZpl(zpl.toString())).toEqual([[content]]);
});

it.each(['Łódź Straße ß', 'Ελλάδα Привет Ђ', 'Đà Nẵng', 'العربية', 'שלום', '東京都渋谷区', 'Ñandú 1½ €'])(
  '%s is text of the PDF',
  async (text) => {
    const [page] = await pdfTexts(await bytesOf({ consignment: { destinationName: text } }));
    expect(page?.lines).toContain(text);
  },
);

it('is text of the PDF after labels with letters that are made of it', async () => {
  await bytesOf({ consignment: { destinationName: 'ẊẎẄ' } });
  const [page] = await pdfTexts(await bytesOf({ consignment: { destinationName: 'XYW' } }));
  expect(page?.lines).toContain('XYW');
});

it('writes from right to left what is to be read so, with numbers and Latin letters as they are', async () => {
  const [page] = await pdfTexts(await bytesOf({ consignment: { destinationName: 'شارع 12 (Dubai)' } }));
  const line = page?.lines.filter((one) => /[\u0600-\u06FF]|Dubai/.test(one)).join('');
  for (const part of ['شارع', '12', 'Dubai']) expect(line).toContain(part);
});

it('transliterates what no font has', async () => {
  const [page] = await pdfTexts(await bytesOf({ consignment: { destinationName: 'ᏣᎳᎩ' } }));
  expect(page?.lines.join()).not.toContain('\u0000');
});

it('nothing that a shipper writes is a command of the printer', async () => {
  const evil = '^XZ^XA~JA^FS^FO0,0_5E\u0010\n\r\\&';
  const consignment = { destinationName: evil, destinationCity: evil, orderNumber: evil, deliveryInstructions: evil };
  const zpl = (await bytesOf({ format: 'ZPL', consignment })).toString();
  // Every command is one that a label of our own is made of, and every field ends where it should.
  const commands = zpl.match(/[\^~](?:[A-Z]{2}|A0|A@)/g) ?? [];
  const known = [
    '^XA',
    '^CI',
    '^PW',
    '^LL',
    '^LH',
    '^FO',
    '^A0',
    '^FB',
    '^FH',
    '^FD',
    '^FS',
    '^GB',
    '^BY',
    '^BC',
    '^XZ',
  ];
  expect(commands.filter((command) => !known.includes(command))).toEqual([]);
  expect(zpl.match(/[\^~]/g)).toHaveLength(commands.length);
  expect(zpl.match(/\^X[AZ]/g)).toEqual(['^XA', '^XZ']);
  expect(await readZpl(zpl)).toEqual([['ACME0000000001']]);
});

it('prints smaller, then cuts, what does not fit', async () => {
  const long = 'Ring twice and wait. '.repeat(60);
  const [page] = await pdfTexts(
    await bytesOf({ consignment: { deliveryInstructions: long, destinationAddressLine1: 'W'.repeat(400) } }),
  );
  const lines = page?.lines ?? [];
  expect(lines.filter((line) => line.includes('Ring twice')).length).toBeLessThanOrEqual(4);
  expect(lines.some((line) => line.endsWith('…'))).toBe(true);
});

it('prints conditional elements, boxes and lines that say something', async () => {
  const template = `
elements:
  - { text: ['\${consignment.info.none}', 'COD \${consignment.amountToBeCollected}'], when: consignment.paymentMode = 'COD', x: 2, y: 2, width: 40, height: 10 }
  - { box: 1, x: 2, y: 20, width: 90, height: 20 }
`;
  expect(
    (
      await bytesOf({ template, format: 'ZPL', consignment: { paymentMode: 'COD', amountToBeCollected: 5 } })
    ).toString(),
  ).toContain('^FDCOD 5^FS\n^FO16,160^GB720,160,8^FS');
  expect((await bytesOf({ template, format: 'ZPL' })).toString()).not.toContain('^FD');
});

const GS1 = element('barcode: gs1-128, content: item.trackingNumber');
it.each<[string, string, Wanted]>([
  [
    'letters that Code 128 has not',
    'Code 128 cannot hold "Łódź-1" (letters without accents, digits and punctuation)',
    { trackingNumber: 'Łódź-1' },
  ],
  [
    'more than fits',
    'the barcode needs 165 mm, and has 97 mm (make it wider, or its content shorter)',
    { trackingNumber: 'A'.repeat(55) },
  ],
  [
    'a wrong check digit',
    'GS1-128 cannot hold "(00)340123450000000018": AI 00: Bad checksum',
    { template: GS1, trackingNumber: '(00)340123450000000018' },
  ],
  [
    'an unknown identifier',
    'GS1-128 cannot hold "(77)1": AI 77: Unrecognised AI',
    { template: GS1, trackingNumber: '(77)1' },
  ],
  ['no identifier', 'GS1-128 cannot hold "12": AIs must start with \'(\'', { template: GS1, trackingNumber: '12' }],
  [
    'nothing',
    'the content of a QR barcode is empty',
    { template: element('barcode: qr, content: consignment.info.routingCode') },
  ],
])('a label with %s has failed, and says why', async (_, message, wanted) => {
  expect(await make(wanted)).toMatchObject({
    kind: 'failed',
    code: 'label_unprintable',
    message: expect.stringContaining(message),
  });
});
