import { expect, it } from 'vitest';
import { type Called, type Loose, order, simulating } from './call.ts';

const seko = simulating('seko', { access_key: 'simulated-access-key' });
const print = async (json: unknown, headers: Record<string, string> = {}): Promise<Called> =>
  await seko.ask('POST', '/labels/printshipment', json, headers);
const create = async (name = 'one-package'): Promise<Loose> => (await print(order('seko', name))).body.Consignments[0];

it('gives each part the number of the consignment and its own, and a repeated create other ones', async () => {
  const [{ Connote: connote, Items: items }, again] = [await create('three-packages'), await create('three-packages')];
  expect(connote).toMatch(/^OMP\d{9}$/);
  const numbers = items.map((item: Loose) => [item.PartNo, item.TrackingNo]);
  expect(numbers).toEqual([1, 2, 3].map((part) => [part, `${connote}0${part}`]));
  expect(again.Connote).not.toBe(connote);
});

it('draws each output asked for', async () => {
  const { body } = await print(order('seko', 'one-package', { Outputs: ['LABEL_ZPL_100X150', 'LABEL_PNG_100X150'] }));
  const { LABEL_ZPL_100X150: zpl, LABEL_PNG_100X150: png } = body.Consignments[0].OutputFiles;
  expect(Buffer.from(zpl[0], 'base64').toString()).toMatch(/^\^XA/);
  expect(Buffer.from(png[0], 'base64').toString('latin1')).toMatch(/^.PNG/);
});

it('refuses inside HTTP 200 a create that lacks something', async () => {
  const wrong = order('seko', 'one-package', { Outputs: ['LABEL_GIF'], Service: 'Teleport' });
  delete wrong.Destination.Address.CountryCode;
  wrong.Packages[0].Kg = 0;
  const { status, body } = await print(wrong);
  expect([status, body.Consignments]).toEqual([200, []]);
  expect(body.Errors.map(({ Property, Message, Key, Value }: Loose) => [Property, Message, Key, Value])).toEqual([
    ['Destination.Address.CountryCode', 'CountryCode is required', 'CountryCode', ''],
    ['Packages[0].Kg', 'Kg must be greater than 0', 'Kg', '0'],
    ['Outputs', 'Output is not supported', 'Outputs', 'LABEL_GIF'],
    ['Service', 'Service is not available', 'Service', 'Teleport'],
  ]);
  expect(seko.simulator.shipments('seko')).toEqual([]);
});

it.each([
  ['a wrong key', { access_key: 'wrong' }, 401],
  ['a body that is not said to be JSON', { 'content-type': 'text/plain' }, 415],
])('refuses %s', async (_, headers, status) => {
  expect((await print(order('seko'), headers)).status).toBe(status);
});

it('tells the outcome of each number that is to be deleted, of up to 50', async () => {
  const [free, moving, done] = [await create(), await create(), await create()].map(({ Connote }) => Connote as string);
  await seko.simulator.advance('seko', { trackingNumber: moving!, status: 'PICKED_UP' });
  await seko.simulator.advance('seko', { trackingNumber: done!, status: 'DELIVERED' });
  const cancel = async (numbers: readonly unknown[]): Promise<Called> =>
    await seko.ask('POST', '/labels/delete', numbers);
  expect((await cancel([free, moving, done, 'OMP000000000'])).body).toEqual({
    [free!]: 'Deleted',
    [moving!]: 'Cannot be deleted. Already in transit.',
    [done!]: 'Cannot be deleted. Already delivered.',
    OMP000000000: 'Invalid ticket number.',
  });
  expect((await cancel([free])).body).toEqual({ [free!]: 'Cannot be deleted. Already deleted.' });
  expect((await cancel(Array.from({ length: 51 }, String))).status).toBe(409);
});

it('tells all events of a consignment, each with its part', async () => {
  const { Connote: connote } = await create('three-packages');
  await seko.simulator.advance('seko', { trackingNumber: `${connote}02`, status: 'PICKED_UP' });
  const { body } = await seko.ask('POST', '/labels/statusv2', [connote, 'OMP000000000']);
  expect(body).toMatchObject([
    {
      ConsignmentNo: connote,
      Status: 'Collected from sender',
      Picked: '2026-05-01T08:00:01',
      Delivered: null,
      Reference1: 'REF-2003',
      Events: [
        { OmniCode: 'OP-1', Code: null, EventDT: '2026-05-01T08:00:00.000', Part: 1 },
        { OmniCode: 'OP-1', Part: 2 },
        { OmniCode: 'OP-1', Part: 3 },
        { OmniCode: 'OP-33', Code: 'PU', EventDT: '2026-05-01T08:00:01', Part: 2 },
      ],
    },
  ]);
});
