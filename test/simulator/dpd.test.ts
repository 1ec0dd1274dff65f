import { expect, it } from 'vitest';
import { textIn } from '../../simulator/xml.ts';
import { type Called, requestText, simulating } from './call.ts';

const dpd = simulating('dpd');
const ask = async (service: string, version: string, method: string, body: string): Promise<Called> =>
  await dpd.ask(
    'POST',
    `/soap/services/${service}/V${version.replace('.', '_')}`,
    body.replace('EXAMPLE01', 'SIMULATED1'),
    { soapaction: `"http://dpd.com/common/service/types/${service}/${version}/${method}"` },
  );
const logIn = async (password = 'simulated-password'): Promise<Called> =>
  await ask(
    'LoginService',
    '2.1',
    'getAuth',
    requestText('dpd', 'login').replace('EXAMPLE01', 'SIMULATED1').replace('example-password', password),
  );
const tokenOf = ({ payload }: Called): string => textIn(payload, 'return', 'authToken');
const order = async (token: string, from: string | RegExp = '', to = ''): Promise<Called> => {
  const text = requestText('dpd', 'three-packages').replace(/(<authToken>).*?(<\/authToken>)/, `$1${token}$2`);
  return await ask('ShipmentService', '3.3', 'storeOrders', text.replace(from, to));
};
const faultOf = ({ payload }: Called): string =>
  textIn(payload, 'detail', 'authenticationFault', 'errorCode') || textIn(payload, 'faultstring');

it('gives the same token while one lives, and then another', async () => {
  const tokens: string[] = [];
  for (const waitMs of [0, 23 * 3_600_000, 3_600_000]) {
    dpd.wait(waitMs);
    tokens.push(tokenOf(await logIn()));
  }
  expect(tokens[1]).toBe(tokens[0]);
  expect(tokens[2]).not.toBe(tokens[0]);
});

it('refuses a wrong password and wrong or old tokens, each by its own code and as HTTP 500', async () => {
  const refused = await logIn('wrong');
  expect([refused.status, faultOf(refused)]).toEqual([500, 'DELICOM_ERR_AUTHENTICATION']);
  const token = tokenOf(await logIn());
  expect(faultOf(await order('no-token'))).toBe('DELICOM_ERR_AUTHENTICATION');
  expect(faultOf(await order('x'.repeat(60)))).toBe('ERR_DELICOM_TOKEN_INCORRECT');
  dpd.wait(86_400_000);
  expect(faultOf(await order(token))).toBe('ERR_DELICOM_TOKEN_EXPIRED');
});

const UNEXPECTED = /The element 'order' .* is not expected here/;
it.each([
  ['a missing element', '<zipCode>2800</zipCode>', '', /The element 'city' in .* is not expected here: 'zipCode' is/],
  ['a namespace where there is none', '<order>', '<order xmlns="urn:x">', UNEXPECTED],
  ['a weight that is not whole', '<weight>240<', '<weight>2.4<', /The value '2.4' of .*weight is not valid/],
  ['a DOCTYPE', '<soap:Envelope', '<!DOCTYPE x><soap:Envelope', /not well-formed/],
])('refuses %s', async (_, from, to, message) => {
  const answer = await order(tokenOf(await logIn()), from, to);
  expect([answer.status, textIn(answer.payload, 'faultcode')]).toEqual([500, 'soap:Client']);
  expect(faultOf(answer)).toMatch(message);
  expect(dpd.simulator.shipments('dpd')).toEqual([]);
});
