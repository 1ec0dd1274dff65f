/** Labels of our own, from the order to the printer: made when asked for, failed with a reason, revoked with their consignment. */
import { expect, it } from 'vitest';
import { orderFor } from '../../simulator/demo/order.ts';
import type { Order } from '../../src/engine/consignment/order.ts';
import { until } from '../support/until.ts';
import { pdfTexts, readPdf, readZpl } from '../support/barcode.ts';
import { minimalProfile } from './server.ts';
import { flowWorld, plain } from './world.ts';

const flow = flowWorld({ profiles: (url) => ({ plain: `${minimalProfile(url)}labels: { template: standard }\n` }) });

const order = (reference: string, details: object, packageId = 'PKG-1') => {
  const base = orderFor(plain, reference, 1) as unknown as Order;
  const packageDetails = base.consignmentDetails.packageDetails.map((one) => ({ ...one, id: packageId }));
  return { ...base, consignmentDetails: { ...base.consignmentDetails, packageDetails, ...details } };
};
const create = async (reference: string, details: object, packageId?: string): Promise<string> => {
  const { status, body } = await flow.asShop('POST', '/v2/consignments', order(reference, details, packageId));
  expect(status, JSON.stringify(body)).toBe(200);
  return String(body['data']?.[0]?.['trackingDetails']?.[0]?.['label']);
};
const get = async (url: string) => {
  const response = await fetch(url);
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
};

it('a carrier without labels gets ours, by the link of the reply, in the format that the shipper asks for', async () => {
  const pdf = await get(await create('OWN-1', { labelFormat: 'PDF' }));
  expect(pdf).toMatchObject({ status: 200, type: 'application/pdf' });
  expect(await readPdf(pdf.bytes)).toEqual([['T-OWN-1-PKG-1']]);
  expect((await pdfTexts(pdf.bytes))[0]?.lines).toContain('Plain Carrier');
  const zpl = await get(await create('OWN-2', { labelFormat: 'ZPL' }));
  expect(zpl).toMatchObject({ status: 200, type: 'application/zpl' });
  expect(await readZpl(zpl.bytes.toString())).toEqual([['T-OWN-2-PKG-1']]);
});

it('it says what the order says after an update, by the same link', async () => {
  const link = await create('OWN-3', {});
  await get(link);
  const consignmentDetails = { referenceNumber: 'OWN-3', deliveryInstructions: 'Ring at Łódź' };
  expect((await flow.asShop('PUT', '/v2/consignments', { consignmentDetails })).status).toBe(200);
  await until('the label is made anew', async () => {
    const { status, bytes } = await get(link);
    return status === 200 && (await pdfTexts(bytes))[0]?.lines.includes('Ring at Łódź') === true;
  });
});

it('a number that no barcode holds fails its label alone, with the reason', async () => {
  const link = await create('OWN-4', {}, 'PKG-Ł');
  const { status, bytes } = await get(link);
  expect(status).toBe(502);
  expect(bytes.toString()).toContain('Code 128 cannot hold \\"T-OWN-4-PKG-Ł\\"');
  const { body } = await flow.read('OWN-4');
  expect(body['data']).toMatchObject([{ labels: [{ state: 'failed', reason: { code: 'label_unprintable' } }] }]);
});

it('one that failed is made anew when it is asked for', async () => {
  const link = await create('OWN-6', {}, 'PKG-Ó');
  expect((await get(link)).status).toBe(502);
  const retried = await flow.asShop('POST', `${new URL(link).pathname}/retry`);
  expect(retried, JSON.stringify(retried.body)).toMatchObject({ status: 200, body: { state: 'pending' } });
});

it('a cancel revokes it', async () => {
  const link = await create('OWN-5', {});
  expect((await get(link)).status).toBe(200);
  const consignments = [{ referenceNumber: 'OWN-5', remark: 'Example' }];
  expect((await flow.asShop('POST', '/v2/consignments-cancel', { consignments })).status).toBe(200);
  expect(await get(link)).toMatchObject({ status: 404 });
});
