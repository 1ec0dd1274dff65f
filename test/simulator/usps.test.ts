import { afterEach, beforeEach, expect, it } from 'vitest';
import { carrier } from '../../simulator/usps.ts';
import { start } from '../../simulator/server.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { readPdf } from './barcode.ts';
import { call, type Called } from './call.ts';
import { now } from './orders.ts';

let simulator: Simulator;
let headers: Record<string, string> = {};
const url = (path: string): string => simulator.carriers['usps']! + path;
const ask = async (method: string, path: string, json?: unknown): Promise<Called> =>
  await call(method, url(path), { json, headers });
const login = async (secret: string): Promise<Response> =>
  await fetch(url('/oauth2/v3/token'), {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'simulated-client',
      client_secret: secret,
    }),
  });

const role = { CRID: '12345678', MID: '900100200', accountType: 'EPS', accountNumber: '1000200030' };
const address = {
  firm: 'Example Goods Inc',
  streetAddress: '1 Example Street',
  city: 'New York',
  state: 'NY',
  ZIPCode: '10001',
};
const order = (parcel: Record<string, unknown> = {}): Record<string, unknown> => ({
  fromAddress: address,
  toAddress: address,
  packageDescription: {
    mailClass: 'PRIORITY_MAIL',
    rateIndicator: 'SP',
    processingCategory: 'MACHINABLE',
    destinationEntryFacilityType: 'NONE',
    weightUOM: 'lb',
    weight: 2,
    dimensionsUOM: 'in',
    length: 12,
    width: 8,
    height: 6,
    mailingDate: '2026-05-04',
    ...parcel,
  },
});
const create = async (): Promise<{ trackingNumber: string; file: Buffer }> => {
  const answer = await fetch(url('/labels/v3/label'), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(order()),
  });
  const form = await answer.formData();
  const file = await (form.get('labelImage') as File).text();
  const { trackingNumber } = JSON.parse(form.get('labelMetadata') as string) as { trackingNumber: string };
  return { trackingNumber, file: Buffer.from(file, 'base64') };
};

beforeEach(async () => {
  simulator = await start({ carriers: [carrier], now: () => now });
  const { access_token: access } = (await (await login('simulated-secret')).json()) as { access_token: string };
  headers = { authorization: `Bearer ${access}` };
  const roles = [
    { roleName: 'PAYER', ...role },
    { roleName: 'LABEL_OWNER', ...role },
  ];
  const paid = await ask('POST', '/payments/v3/payment-authorization', { roles });
  headers = { ...headers, 'x-payment-authorization-token': paid.body.paymentAuthorizationToken };
});
afterEach(async () => {
  await simulator.close();
});

it('answers a create in parts, the label among them', async () => {
  const { trackingNumber, file } = await create();
  expect(await readPdf(file)).toEqual([[trackingNumber]]);
});

it('wants both tokens, and roles that may pay', async () => {
  expect((await login('wrong')).status).toBe(401);
  const roles = [{ roleName: 'PAYER', ...role }];
  expect((await ask('POST', '/payments/v3/payment-authorization', { roles })).body.error.errors).toMatchObject([
    { detail: 'The role LABEL_OWNER is required' },
  ]);
  headers = { authorization: headers['authorization']! };
  expect((await ask('POST', '/labels/v3/label', order())).status).toBe(401);
});

it('names what it refuses', async () => {
  const { status, body } = await ask('POST', '/labels/v3/label', order({ weight: 71, mailClass: 'PIGEON' }));
  expect(status).toBe(400);
  expect(body.error.errors.map(({ detail }: { detail: string }) => detail)).toEqual([
    'The weight must not exceed 70 pounds',
    'packageDescription.mailClass is not valid',
  ]);
});

it('cancels until the parcel is under way, and tracks newest first', async () => {
  const [free, moving] = [await create(), await create()];
  await simulator.advance('usps', { trackingNumber: moving.trackingNumber, status: 'PICKED_UP' });
  expect((await ask('DELETE', `/labels/v3/label/${free.trackingNumber}`)).body.status).toBe('CANCELED');
  expect((await ask('DELETE', `/labels/v3/label/${free.trackingNumber}`)).status).toBe(400);
  expect((await ask('DELETE', `/labels/v3/label/${moving.trackingNumber}`)).status).toBe(400);
  const tracked = await ask('GET', `/tracking/v3/tracking/${moving.trackingNumber}?expand=DETAIL`);
  expect(tracked.body.trackingEvents).toMatchObject([{ eventCode: '03' }, { eventCode: 'GX' }]);
  expect((await ask('GET', `/tracking/v3/tracking/${moving.trackingNumber}`)).body).not.toHaveProperty(
    'trackingEvents',
  );
  expect((await ask('GET', '/tracking/v3/tracking/92340')).status).toBe(404);
});
