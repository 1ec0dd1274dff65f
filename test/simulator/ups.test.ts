import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { carrier } from '../../simulator/ups.ts';
import { checkDigit } from '../../simulator/ups_rules.ts';
import { start } from '../../simulator/server.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { readPdf, readZpl } from './barcode.ts';
import { call, type Called, type Loose } from './call.ts';
import { now, upsOrder } from './orders.ts';

let simulator: Simulator;
let atMs: number;
let token: string;
const ask = async (method: string, path: string, json?: unknown, bearer = token): Promise<Called> =>
  await call(method, simulator.carriers['ups']! + path, {
    ...(json === undefined ? {} : { json }),
    headers: { authorization: `Bearer ${bearer}`, transid: 'example', transactionsrc: 'test' },
  });
const ship = async (order: unknown): Promise<Called> => await ask('POST', '/api/shipments/v2409/ship', order);
const recover = async (asked: unknown): Promise<Called> =>
  await ask('POST', '/api/labels/v2409/recovery', { LabelRecoveryRequest: asked });
const pdf = { LabelImageFormat: { Code: 'PDF' } };
const codeOf = ({ status, body }: Called): unknown => [status, body.response.errors[0].code];
const login = async (secret = 'simulated-secret'): Promise<Response> =>
  await fetch(`${simulator.carriers['ups']!}/security/v1/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`simulated-client:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });

beforeEach(async () => {
  atMs = now.getTime();
  simulator = await start({ carriers: [carrier], now: () => new Date(atMs) });
  token = ((await (await login()).json()) as Loose).access_token;
});
afterEach(async () => {
  await simulator.close();
});

it('gives a token for four hours, and none for a wrong secret', async () => {
  expect((await login('wrong')).status).toBe(401);
  expect((await ship(upsOrder(1))).status).toBe(200);
  atMs += 4 * 3_600_000;
  expect(codeOf(await ship(upsOrder(1)))).toEqual([401, '250002']);
});

it('numbers a parcel with its check digit', () => {
  expect(checkDigit('999AA1012345678')).toBe('4');
});

describe('a shipment', () => {
  it('of three packages has three numbers and three labels, to be recovered as PDF and by reference', async () => {
    const { status, body } = await ship(upsOrder(3));
    expect(status).toBe(200);
    const { ShipmentIdentificationNumber: first, PackageResults: results } = body.ShipmentResponse.ShipmentResults;
    expect(body.ShipmentResponse.Response.TransactionReference.CustomerContext).toBe('REF-1');
    expect(results).toHaveLength(3);
    expect(results[0].TrackingNumber).toBe(first);
    for (const { TrackingNumber: number, ShippingLabel: label } of results) {
      expect(number).toMatch(/^1ZA1B2C303\d{8}$/);
      expect(await readZpl(Buffer.from(label.GraphicImage, 'base64').toString())).toEqual([[number]]);
    }
    const one = await recover({ LabelSpecification: pdf, TrackingNumber: results[1].TrackingNumber });
    const [label] = one.body.LabelRecoveryResponse.LabelResults;
    expect(await readPdf(Buffer.from(label.LabelImage.GraphicImage, 'base64'))).toEqual([[results[1].TrackingNumber]]);
    const references = { ReferenceNumber: { Value: 'REF-1' }, ShipperNumber: 'A1B2C3' };
    const all = await recover({ LabelSpecification: pdf, ReferenceValues: references });
    expect(all.body.LabelRecoveryResponse.LabelResults.map((entry: Loose) => entry.TrackingNumber)).toEqual(
      results.map((entry: Loose) => entry.TrackingNumber),
    );
  });

  it.each([
    ['120100', (order: Loose) => (order.Shipper.ShipperNumber = '')],
    ['120206', (order: Loose) => (order.ShipTo.Address.StateProvinceCode = 'California')],
    ['120207', (order: Loose) => (order.ShipTo.Address.PostalCode = '9000')],
    ['120203', (order: Loose) => order.ShipTo.Address.AddressLine.push('x'.repeat(36))],
    ['120109', (order: Loose) => (order.Shipper.Phone.Number = '+12125550100')],
    ['120500', (order: Loose) => (order.Service.Code = '99')],
    ['120541', (order: Loose) => (order.ReferenceNumber = [{ Value: 'REF-1' }])],
    ['120546', (order: Loose) => (order.Package[0].PackageWeight.UnitOfMeasurement.Code = 'KGS')],
    ['120601', (order: Loose) => (order.Package[0].PackageWeight.Weight = 5.3)],
    ['120124', (order: Loose) => Object.assign(order.ShipTo.Address, { CountryCode: 'GB', PostalCode: 'N1 1AA' })],
  ])('is refused with %s', async (code, spoil) => {
    const order: Loose = upsOrder(1);
    spoil(order.ShipmentRequest.Shipment);
    expect(codeOf(await ship(order))).toEqual([400, code]);
    expect(simulator.shipments('ups')).toEqual([]);
  });

  it('is void once, and not once it is on its way', async () => {
    const free = (await ship(upsOrder(1))).body.ShipmentResponse.ShipmentResults.ShipmentIdentificationNumber;
    const moving = (await ship(upsOrder(1))).body.ShipmentResponse.ShipmentResults.ShipmentIdentificationNumber;
    await simulator.advance('ups', { trackingNumber: moving, status: 'PICKED_UP' });
    const path = '/api/shipments/v2409/void/cancel/';
    expect((await ask('DELETE', path + free)).body.VoidShipmentResponse.SummaryResult.Status.Code).toBe('1');
    expect(codeOf(await ask('DELETE', path + free))).toEqual([400, '190117']);
    expect(codeOf(await ask('DELETE', path + moving))).toEqual([400, '190101']);
  });
});

it('tells the activity of a number, the newest first, with its offset', async () => {
  const { ShipmentIdentificationNumber: number } = (await ship(upsOrder(1))).body.ShipmentResponse.ShipmentResults;
  await simulator.advance('ups', { trackingNumber: number, status: 'DELIVERED' });
  const { body } = await ask('GET', `/api/track/v1/details/${number}`);
  const [parcel] = body.trackResponse.shipment[0].package;
  expect(parcel.activity.map((entry: Loose) => [entry.date, entry.time, entry.gmtOffset, entry.status.type])).toEqual([
    ['20260501', '030001', '-05:00', 'D'],
    ['20260501', '030000', '-05:00', 'M'],
  ]);
  const unknown = await ask('GET', '/api/track/v1/details/1ZA1B2C30300000000');
  expect(unknown.body.trackResponse.shipment[0].warnings[0].code).toBe('TW0001');
});
