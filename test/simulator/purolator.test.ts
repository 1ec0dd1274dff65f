import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { carrier } from '../../simulator/purolator.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { allIn, inside, textIn } from '../../simulator/xml.ts';
import { readPdf } from './barcode.ts';
import { simulating } from './call.ts';
import { now } from './orders.ts';
import { postXml, type SoapCalled } from './soap.ts';

let simulator: Simulator;
simulating({ carriers: [carrier], now: () => now }, (opened) => (simulator = opened));
const folder = `${import.meta.dirname}/../../fixtures/purolator`;
const fixture = (name: string): string => readFileSync(`${folder}/${name}.request.xml`, 'utf8');
const paths: Readonly<Record<string, string>> = {
  CreateShipment: '/EWS/V2/Shipping/ShippingService.asmx',
  VoidShipment: '/EWS/V2/Shipping/ShippingService.asmx',
  GetDocuments: '/EWS/V1/ShippingDocuments/ShippingDocumentsService.asmx',
};
const ask = async (method: string, body: string, password = 'simulated-password'): Promise<SoapCalled> => {
  const version = method === 'GetDocuments' ? 'v1' : 'v2';
  const authorization = `Basic ${Buffer.from(`simulated-key:${password}`).toString('base64')}`;
  const headers = { authorization, soapaction: `"http://purolator.com/pws/service/${version}/${method}"` };
  return await postXml(simulator.carriers['purolator']! + paths[method]!, body, headers);
};
const errorsOf = ({ payload }: SoapCalled): readonly string[] =>
  allIn(inside(payload, 'ResponseInformation', 'Errors'), 'Error').map((one) => textIn(one, 'Description'));

it('gives a PIN to each piece, and one document with a label for each', async () => {
  const { payload } = await ask('CreateShipment', fixture('three-packages'));
  const pins = allIn(inside(payload, 'PiecePINs'), 'PIN').map((one) => textIn(one, 'Value'));
  expect([textIn(payload, 'ShipmentPIN', 'Value'), pins.length]).toEqual([pins[0], 3]);
  const documents = await ask('GetDocuments', fixture('documents').replace('329014521622', pins[0]!));
  const detail = inside(documents.payload, 'Documents', 'Document', 'DocumentDetails', 'DocumentDetail');
  expect(textIn(detail, 'DocumentStatus')).toBe('Completed');
  expect((await readPdf(Buffer.from(textIn(detail, 'Data'), 'base64'))).flat()).toEqual(pins);
});

it('voids once', async () => {
  const { payload } = await ask('CreateShipment', fixture('one-package'));
  const body = fixture('cancel').replace('329014521622', textIn(payload, 'ShipmentPIN', 'Value'));
  expect(textIn((await ask('VoidShipment', body)).payload, 'ShipmentVoided')).toBe('true');
  expect(errorsOf(await ask('VoidShipment', body))).toEqual(['The shipment was already voided.']);
});

it('refuses what breaks a rule inside HTTP 200', async () => {
  const wrong = fixture('one-package').replace('V5C5A9', '12345').replace('PurolatorExpress', 'PurolatorExpressU.S.');
  const answer = await ask('CreateShipment', wrong);
  expect([answer.status, errorsOf(answer)]).toEqual([
    200,
    ['The service PurolatorExpressU.S. is not available to CA.', 'The postal code of the receiver is not valid.'],
  ]);
});

it.each([
  ['an element out of order', /(<v2:City>.*?<\/v2:City>)\s*(<v2:Province>.*?<\/v2:Province>)/, '$2$1'],
  ['an element in no namespace', /v2:ServiceID>/g, 'ServiceID>'],
  ['a total that is not whole', /<v2:Value>3</, '<v2:Value>2.4<'],
])('refuses %s by a fault', async (_, from, to) => {
  const answer = await ask('CreateShipment', fixture('one-package').replace(from, to));
  expect([answer.status, inside(answer.payload, 'detail', 'ValidationFault') !== undefined]).toEqual([500, true]);
  expect(simulator.shipments('purolator')).toEqual([]);
});

it('refuses a wrong key', async () => {
  expect((await ask('CreateShipment', fixture('one-package'), 'wrong')).status).toBe(401);
});
