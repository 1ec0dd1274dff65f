/** Customs documents that requests attach, as the carrier gets them. */
import { expect, test } from 'vitest';
import { createFonts } from '../../../src/engine/labels/fonts.ts';
import { drawCustoms } from '../../../src/engine/labels/customs.ts';
import { pdfTexts } from '../../support/barcode.ts';
import { carrierOf, createWorld, numbers, profileOf } from './world.ts';

const fonts = createFonts();
const sku = (code: string, itemReferenceNumber: string) => ({
  itemReferenceNumber,
  skuCode: code,
  skuItemName: `Vase ${code}`,
  skuQuantity: 2,
  skuItemUnitPrice: '12.50',
  skuHsnCode: '691200',
  skuOriginCountry: 'PL',
  skuWeight: 0.5,
  skuWeightUom: 'KG',
});
const exported = {
  referenceId: 'REF-1',
  orderNumber: 'ORD-1',
  shippingDateTime: '2026-05-04 10:00:00',
  originName: 'Example Goods',
  originCountry: 'DE',
  destinationName: 'Alex Sample',
  destinationCountry: 'US',
  itemList: [{ itemReferenceNumber: 'PKG-1' }, { itemReferenceNumber: 'PKG-2' }],
  skuList: [sku('A', 'PKG-1'), sku('B', 'PKG-2')],
  info: { currency: 'EUR', incoterm: 'DAP', reasonForExport: 'SALE', customsInvoiceNumber: 'INV-7' },
};

const WHOLE = profileOf(`create:
  post: /orders
  body: { json: { ref: '\${consignment.referenceId}', invoice: '\${documents.commercialInvoice}' } }
  result: '{ "itemsTrackDetails": [response.body.numbers.{ "trackingNumber": $ }] }'
`);
/** Reads them in another way than by a name. */
const HELD = profileOf(`create:
  post: /orders
  body: { json: '( $all := $documents; { "declaration": $all.cn22, "others": $count($keys($all)) } )' }
  result: '{ "itemsTrackDetails": [response.body.numbers.{ "trackingNumber": $ }] }'
`);
const EACH = profileOf(`create:
  forEach: consignment.itemList
  post: /orders
  body: { json: '{ "declaration": $documents.cn22 }' }
  result: '{ "itemsTrackDetails": steps.create.{ "itemReferenceNumber": item.itemReferenceNumber, "trackingNumber": body.number } }'
`);

const sentOf = async (profile: string, consignment: object, replies: readonly object[]) => {
  const world = createWorld(carrierOf(profile), replies as never);
  const drawn: string[] = [];
  const ports = {
    ...world.ports,
    drawCustoms: async (...[kind, declared]: Parameters<NonNullable<typeof world.ports.drawCustoms>>) => {
      drawn.push(kind);
      return await drawCustoms(kind, { ...declared, fonts });
    },
  };
  expect((await world.run('create', { consignment }, {}, ports)).kind).toBe('done');
  return { drawn, bodies: world.sent.map(({ body }) => JSON.parse(String(body)) as Record<string, string>) };
};
const linesOf = async (content = '') =>
  (await pdfTexts(Buffer.from(content, 'base64'))).map(({ lines }) => lines.join('\n'));

test('the commercial invoice goes with the order, and only what the request reads is drawn', async () => {
  const { drawn, bodies } = await sentOf(WHOLE, exported, [numbers]);
  expect(drawn).toEqual(['commercial-invoice']);
  const [page, ...others] = await linesOf(bodies[0]?.['invoice']);
  expect(others).toEqual([]);
  expect(page).toContain('Invoice INV-7');
  expect(page).toContain('Total EUR 50.00');
  expect((await sentOf(WHOLE, exported, [numbers])).bodies).toEqual(bodies);
});

test('where each package is an order of its own, each has its own declaration', async () => {
  const { bodies } = await sentOf(EACH, exported, [{ number: 'T-1' }, { number: 'T-2' }]);
  const pages = await Promise.all(bodies.map(async ({ declaration }) => await linesOf(declaration)));
  expect(pages.map((own) => [own.length, /Vase [AB]/.exec(own[0] ?? '')?.[0]])).toEqual([
    [1, 'Vase A'],
    [1, 'Vase B'],
  ]);
});

test('all are there where the request reads the root in another way than by a name', async () => {
  const { bodies } = await sentOf(HELD, exported, [numbers]);
  expect(bodies[0]).toMatchObject({ others: 3 });
  expect((await linesOf(bodies[0]?.['declaration'])).join('\n')).toContain('Vase A');
});

test.each([
  ['within one country', { destinationCountry: 'DE' }],
  ['of an order that lacks what it needs', { info: { currency: 'EUR' } }],
])('there is none %s', async (_, change) => {
  const { drawn, bodies } = await sentOf(WHOLE, { ...exported, ...change }, [numbers]);
  expect([drawn, bodies]).toEqual([[], [{ ref: 'REF-1' }]]);
});
