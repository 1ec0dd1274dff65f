import { expect, it } from 'vitest';
import { allIn, inside, textIn } from '../../simulator/xml.ts';
import { basic, type Called, requestText, simulating } from './call.ts';

const purolator = simulating('purolator', basic('simulated-key', 'simulated-password'));
const ask = async (method: string, body: string, headers: Record<string, string> = {}): Promise<Called> =>
  await purolator.ask('POST', '/EWS/V2/Shipping/ShippingService.asmx', body, {
    soapaction: `"http://purolator.com/pws/service/v2/${method}"`,
    ...headers,
  });
const order = requestText('purolator', 'one-package');
const errorsOf = ({ payload }: Called): readonly string[] =>
  allIn(inside(payload, 'ResponseInformation', 'Errors'), 'Error').map((one) => textIn(one, 'Description'));

it('voids once', async () => {
  const { payload } = await ask('CreateShipment', order);
  const body = requestText('purolator', 'cancel').replace('329014521622', textIn(payload, 'ShipmentPIN', 'Value'));
  expect(textIn((await ask('VoidShipment', body)).payload, 'ShipmentVoided')).toBe('true');
  expect(errorsOf(await ask('VoidShipment', body))).toEqual(['The shipment was already voided.']);
});

it('refuses what breaks a rule inside HTTP 200', async () => {
  const wrong = order.replace('V5C5A9', '12345').replace('PurolatorExpress', 'PurolatorExpressU.S.');
  const answer = await ask('CreateShipment', wrong);
  expect([answer.status, ...errorsOf(answer)]).toEqual([
    200,
    'The service PurolatorExpressU.S. is not available to CA.',
    'The postal code of the receiver is not valid.',
  ]);
});

it.each([
  ['an element out of order', /(<v2:City>.*?<\/v2:City>)\s*(<v2:Province>.*?<\/v2:Province>)/, '$2$1'],
  ['an element in no namespace', /v2:ServiceID>/g, 'ServiceID>'],
  ['a total that is not whole', /<v2:Value>3</, '<v2:Value>2.4<'],
])('refuses %s by a fault', async (_, from, to) => {
  const answer = await ask('CreateShipment', order.replace(from, to));
  expect([answer.status, inside(answer.payload, 'detail', 'ValidationFault') !== undefined]).toEqual([500, true]);
  expect(purolator.simulator.shipments('purolator')).toEqual([]);
});

it('refuses a wrong key', async () => {
  expect((await ask('CreateShipment', order, basic('simulated-key', 'wrong'))).status).toBe(401);
});
