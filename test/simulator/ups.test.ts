import { expect, it } from 'vitest';
import { checkDigit } from '../../simulator/ups_rules.ts';
import { basic, type Called, type Loose, order, simulating } from './call.ts';

const login = async (secret: string): Promise<Called> =>
  await ups.ask(
    'POST',
    '/security/v1/oauth/token',
    new URLSearchParams({ grant_type: 'client_credentials' }),
    basic('simulated-client', secret),
  );
const ups = simulating('ups', async () => ({
  authorization: `Bearer ${(await login('simulated-secret')).body.access_token}`,
  transid: 'example',
  transactionsrc: 'test',
}));
const ship = async (json: unknown): Promise<Called> => await ups.ask('POST', '/api/shipments/v2409/ship', json);
const shipped = async (): Promise<Loose> => (await ship(order('ups', 'three-packages'))).body.ShipmentResponse;
const codeOf = ({ status, body }: Called): unknown => [status, body.response.errors[0].code];

it('gives a token for four hours, and none for a wrong secret', async () => {
  expect((await login('wrong')).status).toBe(401);
  expect((await ship(order('ups'))).status).toBe(200);
  ups.wait(4 * 3_600_000);
  expect(codeOf(await ship(order('ups')))).toEqual([401, '250002']);
});

it('numbers each parcel with its check digit, and the shipment as the first', async () => {
  expect(checkDigit('999AA1012345678')).toBe('4');
  const { ShipmentResults: results, Response: response } = await shipped();
  for (const { TrackingNumber: number } of results.PackageResults) expect(number).toMatch(/^1ZA1B2C3\d{10}$/);
  expect(results.PackageResults[0].TrackingNumber).toBe(results.ShipmentIdentificationNumber);
  expect(response.TransactionReference.CustomerContext).toBe('REF-3003');
});

it.each([
  ['120100', (shipment: Loose) => (shipment.Shipper.ShipperNumber = '')],
  ['120206', (shipment: Loose) => (shipment.ShipTo.Address.StateProvinceCode = 'California')],
  ['120207', (shipment: Loose) => (shipment.ShipTo.Address.PostalCode = '9000')],
  ['120203', (shipment: Loose) => (shipment.ShipTo.Address.AddressLine[1] = 'x'.repeat(36))],
  ['120109', (shipment: Loose) => (shipment.Shipper.Phone.Number = '+12125550100')],
  ['120500', (shipment: Loose) => (shipment.Service.Code = '99')],
  ['120541', (shipment: Loose) => (shipment.ReferenceNumber = [{ Value: 'REF-1' }])],
  ['120546', (shipment: Loose) => (shipment.Package[0].PackageWeight.UnitOfMeasurement.Code = 'KGS')],
  ['120601', (shipment: Loose) => (shipment.Package[0].PackageWeight.Weight = 5.3)],
  ['120124', (shipment: Loose) => Object.assign(shipment.ShipTo.Address, { CountryCode: 'GB', PostalCode: 'N1 1AA' })],
])('refuses a shipment with %s', async (code, spoil) => {
  const wrong = order('ups');
  spoil(wrong.ShipmentRequest.Shipment);
  expect(codeOf(await ship(wrong))).toEqual([400, code]);
  expect(ups.simulator.shipments('ups')).toEqual([]);
});

it('tells the activity of a number, the newest first, with its offset', async () => {
  const { ShipmentIdentificationNumber: trackingNumber } = (await shipped()).ShipmentResults;
  await ups.simulator.advance('ups', { trackingNumber, status: 'DELIVERED' });
  const track = async (number: string): Promise<Loose> =>
    (await ups.ask('GET', `/api/track/v1/details/${number}`)).body.trackResponse.shipment[0];
  const [{ activity }] = (await track(trackingNumber)).package;
  expect(activity.map((entry: Loose) => [entry.date, entry.time, entry.gmtOffset, entry.status.type])).toEqual([
    ['20260501', '030001', '-05:00', 'D'],
    ['20260501', '030000', '-05:00', 'M'],
  ]);
  expect((await track('1ZA1B2C30300000000')).warnings[0].code).toBe('TW0001');
});
