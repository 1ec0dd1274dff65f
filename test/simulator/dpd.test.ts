import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { carrier } from '../../simulator/dpd.ts';
import { start } from '../../simulator/server.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { allIn, textIn } from '../../simulator/xml.ts';
import { readPdf } from './barcode.ts';
import { now } from './orders.ts';
import { postXml, type SoapCalled } from './soap.ts';

let simulator: Simulator;
let nowMs = now.getTime();
const types = 'http://dpd.com/common/service/types';
const fixture = (name: string): string => readFileSync(`${import.meta.dirname}/../../fixtures/dpd/${name}`, 'utf8');
const logIn = async (password = 'simulated-password'): Promise<SoapCalled> =>
  await postXml(
    `${simulator.carriers['dpd']!}/soap/services/LoginService/V2_1`,
    fixture('login.request.xml').replace('EXAMPLE01', 'SIMULATED1').replace('example-password', password),
    { soapaction: `"${types}/LoginService/2.1/getAuth"` },
  );
const order = async (token: string, change: (text: string) => string = (text) => text): Promise<SoapCalled> => {
  const text = fixture('three-packages.request.xml').replace('EXAMPLE01', 'SIMULATED1');
  return await postXml(
    `${simulator.carriers['dpd']!}/soap/services/ShipmentService/V3_3`,
    change(text.replace(/<authToken>.*?<\/authToken>/, `<authToken>${token}</authToken>`)),
    { soapaction: `"${types}/ShipmentService/3.3/storeOrders"` },
  );
};
const faultOf = ({ payload }: SoapCalled): string =>
  textIn(payload, 'detail', 'authenticationFault', 'errorCode') || textIn(payload, 'faultstring');

beforeEach(async () => {
  nowMs = now.getTime();
  simulator = await start({ carriers: [carrier], now: () => new Date(nowMs) });
});
afterEach(async () => {
  await simulator.close();
});

it('gives the same token while one lives, and then another', async () => {
  const tokens: string[] = [];
  for (const waitMs of [0, 23 * 3_600_000, 3_600_000]) {
    nowMs += waitMs;
    tokens.push(textIn((await logIn()).payload, 'return', 'authToken'));
  }
  expect(tokens[1]).toBe(tokens[0]);
  expect(tokens[2]).not.toBe(tokens[0]);
});

it('refuses a wrong password and wrong or old tokens, each by its own code and as HTTP 500', async () => {
  const refused = await logIn('wrong');
  expect([refused.status, faultOf(refused)]).toEqual([500, 'DELICOM_ERR_AUTHENTICATION']);
  const token = textIn((await logIn()).payload, 'return', 'authToken');
  expect(faultOf(await order('no-token'))).toBe('DELICOM_ERR_AUTHENTICATION');
  expect(faultOf(await order('x'.repeat(60)))).toBe('ERR_DELICOM_TOKEN_INCORRECT');
  nowMs += 86_400_000;
  expect(faultOf(await order(token))).toBe('ERR_DELICOM_TOKEN_EXPIRED');
});

it('takes three parcels, numbers them in order and draws a document of three pages', async () => {
  const token = textIn((await logIn()).payload, 'return', 'authToken');
  const { status, payload } = await order(token);
  expect(status).toBe(200);
  const response = payload?.children[0]?.children.find(({ local }) => local === 'shipmentResponses');
  const numbers = allIn(response, 'parcelInformation').map((one) => textIn(one, 'parcelLabelNumber'));
  expect(numbers).toHaveLength(3);
  const pdf = Buffer.from(textIn(payload, 'orderResult', 'parcellabelsPDF'), 'base64');
  expect((await readPdf(pdf)).flat()).toEqual(numbers);
});

it.each([
  ['a missing element', /<zipCode>2800<\/zipCode>/, '', "The element 'city' in .* is not expected here: 'zipCode' is"],
  [
    'a namespace where there is none',
    /<order>/,
    '<order xmlns="urn:x">',
    "The element 'order' .* is not expected here",
  ],
  ['a weight that is not whole', /<weight>240</, '<weight>2.4<', "The value '2.4' of .*weight is not valid"],
  ['a DOCTYPE', /<soap:Envelope/, '<!DOCTYPE x><soap:Envelope', 'not well-formed'],
])('refuses %s', async (_, from, to, message) => {
  const token = textIn((await logIn()).payload, 'return', 'authToken');
  const answer = await order(token, (text) => text.replace(from, to));
  expect([answer.status, textIn(answer.payload, 'faultcode')]).toEqual([500, 'soap:Client']);
  expect(faultOf(answer)).toMatch(new RegExp(message));
  expect(simulator.shipments('dpd')).toEqual([]);
});
