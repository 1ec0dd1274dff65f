import { expect, it } from 'vitest';
import { pdfTexts } from '../../support/barcode.ts';
import { apiWorld, order } from './world.ts';

const api = apiWorld();
const { shop } = api;
const D = 'consignmentDetails.';

const [leastPackage] = order().consignmentDetails.packageDetails;
const packages = ['P1', 'P2'].map((id) => ({ ...leastPackage, id }));
const sku = (code: string, more: object = {}) => ({
  code,
  name: `Vase ${code}`,
  quantity: 1,
  weight: 0.5,
  weightUom: 'KG',
  unitPrice: 12.5,
  hsnName: '691200',
  originCountry: 'PL',
  packageIds: ['P1'],
  ...more,
});
const INFORMATION = {
  currency: 'EUR',
  incoterm: 'DAP',
  reasonForExport: 'SALE',
  customsInvoiceNumber: 'INV-7',
  shippingCost: 4,
  originEori: 'PL123456789',
};
const exported = (skuDetails: object[], information: object = INFORMATION) =>
  order({
    [`${D}packageDetails`]: packages,
    [`${D}totalQuantity`]: 2,
    [`${D}totalWeight`]: 5,
    [`${D}skuDetails`]: skuDetails,
    [`${D}additionalInformation`]: information,
    'shipTo.contact.name': 'Zoë Łódź',
  });
const SKUS = [
  sku('A', { description: 'Ceramic vase, hand-made' }),
  sku('B', { packageIds: ['P2'], unitPrice: 3, weight: 2, weightUom: 'LB' }),
];
const get = async (kind: string, reference = 'REF-1') =>
  await shop.get(`/v2/consignments/${reference}/documents/${kind}`);
const pagesOf = async (kind: string) => {
  const { status, bytes, text, headers } = await get(kind);
  expect(status, text).toBe(200);
  expect(headers['content-type']).toBe('application/pdf');
  return (await pdfTexts(bytes)).map(({ lines }) => lines);
};
const create = async (skuDetails: object[], information?: object): Promise<void> => {
  const { status, text } = await shop.create(exported(skuDetails, information));
  expect(status, text).toBe(200);
};

it('makes the commercial invoice of the whole consignment', async () => {
  await create(SKUS);
  const [lines = [], ...others] = await pagesOf('commercial-invoice');
  expect(others).toEqual([]);
  const seen = [
    'COMMERCIAL INVOICE',
    'Invoice INV-7',
    'EORI PL123456789',
    'Zoë Łódź',
    'INDIA',
    'Incoterm DAP',
    'Reason for export: SALE',
  ];
  expect(lines).toEqual(expect.arrayContaining([...seen, 'Tracking T-REF-1-P1, T-REF-1-P2', '691200', 'Vase B']));
  const text = lines.join(' ').replaceAll('\u00A0', ' ');
  for (const part of [
    'Ceramic vase, hand-made',
    'EUR 12.50',
    'Goods EUR 15.50, transport EUR 4.00',
    'Total EUR 19.50, net weight 1.407 kg',
  ])
    expect(text).toContain(part);
});

it.each(['cn22', 'cn23'])('makes a %s of each package, of what is in it', async (kind) => {
  await create(SKUS);
  const pages = (await pagesOf(kind)).map((lines) => lines.join(' ').replaceAll('\u00A0', ' '));
  expect(pages).toHaveLength(2);
  expect(pages[0]).toContain('Tracking T-REF-1-P1');
  expect(pages[0]).toContain('Total EUR 12.50, net weight 0.5 kg');
  expect(pages[0]).not.toContain('Vase B');
  expect(pages[1]).toContain('Tracking T-REF-1-P2');
  expect(pages[1]).toContain('Total EUR 3.00, net weight 0.907 kg');
});

it('goes on over the page, with the total at the end', async () => {
  await create(Array.from({ length: 30 }, (_, at) => sku(`S${at}`, { unitPrice: 1 })));
  const pages = (await pagesOf('commercial-invoice')).map((lines) => lines.join(' ').replaceAll('\u00A0', ' '));
  expect(pages).toHaveLength(3);
  expect(pages[2]).toContain('Page 3 of 3');
  expect(pages[2]).toContain('Total EUR 34.00');
  expect(pages[0]).not.toContain('Total');
});

const lackingOf = async (kind: string) => {
  const { status, body } = await get(kind);
  expect([status, body.code]).toEqual([422, 'rules_broken']);
  return body.findings.map(({ field }: { field: string }) =>
    field.replace(D, '').replace('additionalInformation.', '+'),
  );
};

it('names what the order lacks, by its fields', async () => {
  await create([sku('A', { hsnName: undefined }), sku('B', { weight: undefined, weightUom: undefined })], {
    incoterm: 'DAP',
  });
  expect(await lackingOf('commercial-invoice')).toEqual([
    '+customsInvoiceNumber',
    '+reasonForExport',
    'skuDetails[0].hsnName',
    '+currency',
  ]);
  expect(await lackingOf('cn22')).toEqual([
    '+reasonForExport',
    'skuDetails[0].hsnName',
    'skuDetails[1].weight',
    'skuDetails[1].weightUom',
    '+currency',
  ]);
});

it('has none of another shipper’s consignment, of one that is not known, and of another kind', async () => {
  await create(SKUS);
  const other = await api.newShipper();
  expect((await other.get('/v2/consignments/REF-1/documents/cn22')).body).toMatchObject({
    code: 'unknown_consignment',
  });
  expect((await get('cn22', 'REF-9')).status).toBe(404);
  expect((await get('cn24')).status).toBe(400);
});
