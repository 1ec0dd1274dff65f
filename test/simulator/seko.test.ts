import { describe, expect, it } from 'vitest';
import { carrier } from '../../simulator/seko.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { readPdf, readPng, readZpl } from './barcode.ts';
import { call, type Called, type Loose, simulating } from './call.ts';
import { now, sekoOrder } from './orders.ts';

let simulator: Simulator;
simulating({ carriers: [carrier], now: () => now }, (opened) => (simulator = opened));
const ask = async (path: string, json: unknown, key = 'simulated-access-key'): Promise<Called> =>
  await call('POST', simulator.carriers['seko']! + path, { json, headers: { access_key: key } });
const create = async (packages = 1, change: Record<string, unknown> = {}): Promise<Called> =>
  await ask('/labels/printshipment', sekoOrder(packages, change));

it('refuses a body that is not said to be JSON', async () => {
  const headers = { access_key: 'simulated-access-key', 'content-type': 'text/plain' };
  const answer = await call('POST', `${simulator.carriers['seko']!}/labels/printshipment`, {
    json: sekoOrder(1),
    headers,
  });
  expect(answer.status).toBe(415);
});

describe('a create', () => {
  it('of three packages gives one consignment, three items and three labels', async () => {
    const { status, body } = await create(3);
    expect(status).toBe(200);
    expect(body.Errors).toEqual([]);
    const [consignment] = body.Consignments;
    expect(consignment.Connote).toMatch(/^OMP\d{9}$/);
    expect(consignment.Items.map((item: Loose) => [item.PartNo, item.TrackingNo])).toEqual([
      [1, `${consignment.Connote}01`],
      [2, `${consignment.Connote}02`],
      [3, `${consignment.Connote}03`],
    ]);
    const files: string[] = consignment.OutputFiles.LABEL_PDF_100X150;
    const read = await Promise.all(files.map(async (file) => await readPdf(Buffer.from(file, 'base64'))));
    expect(read).toEqual(consignment.Items.map((item: Loose) => [[item.TrackingNo]]));
  });

  it('draws each output asked for', async () => {
    const { body } = await create(1, { Outputs: ['LABEL_ZPL_100X150', 'LABEL_PNG_100X150'] });
    const [{ OutputFiles: files, Items: items }] = body.Consignments;
    const [zpl, png] = [files.LABEL_ZPL_100X150[0], files.LABEL_PNG_100X150[0]].map((file) =>
      Buffer.from(file, 'base64'),
    );
    expect(await readZpl(zpl!.toString())).toEqual([[items[0].TrackingNo]]);
    expect(await readPng(png!)).toEqual([items[0].TrackingNo]);
  });

  it('repeated makes a second consignment', async () => {
    const [first, second] = [await create(), await create()];
    expect(second.body.Consignments[0].Connote).not.toBe(first.body.Consignments[0].Connote);
  });

  it('that lacks something is refused inside HTTP 200', async () => {
    const order: Loose = sekoOrder(1, { Outputs: ['LABEL_GIF'], Service: 'Teleport' });
    delete order.Destination.Address.CountryCode;
    order.Packages[0].Kg = 0;
    const { status, body } = await ask('/labels/printshipment', order);
    expect(status).toBe(200);
    expect(body.Consignments).toEqual([]);
    expect(body.Errors).toEqual([
      {
        Property: 'Destination.Address.CountryCode',
        Message: 'CountryCode is required',
        Key: 'CountryCode',
        Value: '',
      },
      { Property: 'Packages[0].Kg', Message: 'Kg must be greater than 0', Key: 'Kg', Value: '0' },
      { Property: 'Outputs', Message: 'Output is not supported', Key: 'Outputs', Value: 'LABEL_GIF' },
      { Property: 'Service', Message: 'Service is not available', Key: 'Service', Value: 'Teleport' },
    ]);
    expect(simulator.shipments('seko')).toEqual([]);
  });

  it('with the wrong key is refused', async () => {
    expect((await ask('/labels/printshipment', sekoOrder(1), 'wrong')).status).toBe(401);
  });
});

describe('a delete', () => {
  it('tells the outcome of each number', async () => {
    const created = [await create(), await create(), await create()];
    const [free = '', moving = '', done = ''] = created.map(({ body }) => body.Consignments[0].Connote as string);
    await simulator.advance('seko', { trackingNumber: moving, status: 'PICKED_UP' });
    await simulator.advance('seko', { trackingNumber: done, status: 'DELIVERED' });
    const numbers = [free, moving, done, 'OMP000000000'];
    expect((await ask('/labels/delete', numbers)).body).toEqual({
      [free]: 'Deleted',
      [moving]: 'Cannot be deleted. Already in transit.',
      [done]: 'Cannot be deleted. Already delivered.',
      OMP000000000: 'Invalid ticket number.',
    });
    expect((await ask('/labels/delete', [free])).body).toEqual({ [free]: 'Cannot be deleted. Already deleted.' });
  });

  it('of more than 50 numbers is refused', async () => {
    expect((await ask('/labels/delete', Array.from({ length: 51 }, String))).status).toBe(409);
  });
});

describe('tracking', () => {
  it('tells all events of a consignment, each with its part', async () => {
    const { body } = await create(2);
    const { Connote: connote } = body.Consignments[0];
    await simulator.advance('seko', { trackingNumber: `${connote}02`, status: 'PICKED_UP' });
    const answer = await ask('/labels/statusv2', [connote, 'OMP000000000']);
    expect(answer.body).toHaveLength(1);
    expect(answer.body[0]).toMatchObject({
      ConsignmentNo: connote,
      Status: 'Collected from sender',
      Picked: '2026-05-01T08:00:01',
      Delivered: null,
      Reference1: 'REF-1',
    });
    expect(answer.body[0].Events).toMatchObject([
      { OmniCode: 'OP-1', Code: null, EventDT: '2026-05-01T08:00:00.000', Part: 1 },
      { OmniCode: 'OP-1', Part: 2 },
      { OmniCode: 'OP-33', Code: 'PU', EventDT: '2026-05-01T08:00:01', Part: 2 },
    ]);
  });
});
