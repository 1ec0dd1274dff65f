import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { carrier } from '../../simulator/aramex.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { allIn, inside, textIn } from '../../simulator/xml.ts';
import { readPdf } from './barcode.ts';
import { simulating } from './call.ts';
import { now } from './orders.ts';
import { postXml, type SoapCalled } from './soap.ts';

let simulator: Simulator;
simulating({ carriers: [carrier], now: () => now }, (opened) => (simulator = opened));
const fixture = (name: string): string =>
  readFileSync(`${import.meta.dirname}/../../fixtures/aramex/${name}.request.xml`, 'utf8').replace(
    'example-password',
    'simulated-password',
  );
const ask = async (method: 'CreateShipments' | 'TrackShipments', body: string): Promise<SoapCalled> => {
  const service = method === 'CreateShipments' ? 'Shipping' : 'Tracking';
  return await postXml(`${simulator.carriers['aramex']!}/${service}/Service_1_0.svc`, body, {
    soapaction: `"http://ws.aramex.net/ShippingAPI/v1/Service_1_0/${method}"`,
  });
};
const create = async (name: string, change: (text: string) => string = (text) => text): Promise<SoapCalled> =>
  await ask('CreateShipments', change(fixture(name)));

it('gives one waybill to three pieces, and an address with a label for each', async () => {
  const { payload } = await create('three-packages');
  const processed = inside(payload, 'Shipments', 'ProcessedShipment');
  const number = textIn(processed, 'ID');
  const label = await fetch(textIn(processed, 'ShipmentLabel', 'LabelURL'));
  expect((await readPdf(Buffer.from(await label.arrayBuffer()))).flat()).toEqual([number, number, number]);
});

it('gives the bytes of the label when asked for them', async () => {
  const { payload } = await create('one-package', (text) => text.replace('>URL<', '>RPT<'));
  const label = textIn(payload, 'Shipments', 'ProcessedShipment', 'ShipmentLabel', 'LabelFileContents');
  expect(Buffer.from(label, 'base64').subarray(0, 5).toString()).toBe('%PDF-');
});

it.each([
  ['a weight of nothing', /(<v1:ActualWeight>[\s\S]*?<v1:Value>)2.4/, '$10', 'ActualWeight is not valid'],
  ['a product of abroad', />OND</, '>PPX<', 'ProductType is not valid'],
  ['a wrong pin', />123456</, '>654321<', 'Invalid account number'],
  ['a wrong password', 'simulated-password', 'wrong', 'Invalid username or password'],
])('refuses %s inside HTTP 200', async (_, from, to, message) => {
  const { status, payload } = await create('one-package', (text) => text.replace(from, to));
  const all = [
    ...allIn(inside(payload, 'Notifications'), 'Notification'),
    ...allIn(inside(payload, 'Shipments', 'ProcessedShipment', 'Notifications'), 'Notification'),
  ].map((one) => textIn(one, 'Message'));
  expect([status, textIn(payload, 'HasErrors'), all]).toEqual([200, 'true', [expect.stringContaining(message)]]);
  expect(simulator.shipments('aramex')).toEqual([]);
});

it('cannot read elements out of order', async () => {
  const dates = /(<v1:ShippingDateTime>.*?>)\s*(<v1:DueDate>.*?>)/;
  const { status, payload } = await create('one-package', (text) => text.replace(dates, '$2$1'));
  expect([status, textIn(payload, 'faultcode')]).toEqual([500, 'a:DeserializationFailed']);
});

it('lists waybills it does not know', async () => {
  const { payload } = await ask('TrackShipments', fixture('tracking'));
  expect(textIn(payload, 'NonExistingWaybills', 'string')).toBe('46032800516');
});
