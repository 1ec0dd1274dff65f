import { expect, it } from 'vitest';
import { allIn, inside, textIn } from '../../simulator/xml.ts';
import { type Called, requestText, simulating } from './call.ts';

const aramex = simulating('aramex');
const ask = async (service: 'Shipping' | 'Tracking', method: string, body: string): Promise<Called> =>
  await aramex.ask('POST', `/${service}/Service_1_0.svc`, body.replace('example-password', 'simulated-password'), {
    soapaction: `"http://ws.aramex.net/ShippingAPI/v1/Service_1_0/${method}"`,
  });
const create = async (from: string | RegExp, to: string): Promise<Called> =>
  await ask('Shipping', 'CreateShipments', requestText('aramex', 'one-package').replace(from, to));

it('gives the bytes of the label when asked for them', async () => {
  const { payload } = await create('>URL<', '>RPT<');
  const label = textIn(payload, 'Shipments', 'ProcessedShipment', 'ShipmentLabel', 'LabelFileContents');
  expect(Buffer.from(label, 'base64').subarray(0, 5).toString()).toBe('%PDF-');
});

it.each([
  ['a weight of nothing', /(<v1:ActualWeight>[\s\S]*?<v1:Value>)2.4/, '$10', 'ActualWeight is not valid'],
  ['a product of abroad', />OND</, '>PPX<', 'ProductType is not valid'],
  ['a wrong pin', />123456</, '>654321<', 'Invalid account number'],
  ['a wrong password', 'example-password', 'wrong', 'Invalid username or password'],
])('refuses %s inside HTTP 200', async (_, from, to, message) => {
  const { status, payload } = await create(from, to);
  const all = [
    ...allIn(inside(payload, 'Notifications'), 'Notification'),
    ...allIn(inside(payload, 'Shipments', 'ProcessedShipment', 'Notifications'), 'Notification'),
  ].map((one) => textIn(one, 'Message'));
  expect([status, textIn(payload, 'HasErrors'), all]).toEqual([200, 'true', [expect.stringContaining(message)]]);
  expect(aramex.simulator.shipments('aramex')).toEqual([]);
});

it('cannot read elements out of order', async () => {
  const { status, payload } = await create(/(<v1:ShippingDateTime>.*?>)\s*(<v1:DueDate>.*?>)/, '$2$1');
  expect([status, textIn(payload, 'faultcode')]).toEqual([500, 'a:DeserializationFailed']);
});

it('lists waybills it does not know', async () => {
  const { payload } = await ask('Tracking', 'TrackShipments', requestText('aramex', 'tracking'));
  expect(textIn(payload, 'NonExistingWaybills', 'string')).toBe('46032800516');
});
