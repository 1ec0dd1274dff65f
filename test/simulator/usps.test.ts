import { expect, it } from 'vitest';
import { type Called, grant, order, simulating } from './call.ts';

const login = async (secret: string): Promise<Called> =>
  await usps.ask('POST', '/oauth2/v3/token', grant('simulated-client', secret));
const authorizePayment = async (roles: unknown, headers = {}): Promise<Called> =>
  await usps.ask('POST', '/payments/v3/payment-authorization', { roles }, headers);
const { roles } = order('usps', 'payment');
const usps = simulating('usps', async () => {
  const authorization = `Bearer ${(await login('simulated-secret')).body.access_token}`;
  const { body } = await authorizePayment(roles, { authorization });
  return { authorization, 'x-payment-authorization-token': body.paymentAuthorizationToken };
});
const create = async (parcel: object = {}): Promise<Called> => {
  const { packageDescription, ...rest } = order('usps');
  return await usps.ask('POST', '/labels/v3/label', {
    ...rest,
    packageDescription: { ...packageDescription, ...parcel },
  });
};

it('wants both tokens, and roles that may pay', async () => {
  expect((await login('wrong')).status).toBe(401);
  const unpaid = await authorizePayment(roles.slice(1));
  expect(unpaid.body.error.errors).toMatchObject([{ detail: 'The role LABEL_OWNER is required' }]);
  delete usps.headers['x-payment-authorization-token'];
  expect((await create()).status).toBe(401);
});

it('names what it refuses', async () => {
  const { status, body } = await create({ weight: 71, mailClass: 'PIGEON' });
  expect(status).toBe(400);
  expect(body.error.errors.map(({ detail }: { detail: string }) => detail)).toEqual([
    'The weight must not exceed 70 pounds',
    'packageDescription.mailClass is not valid',
  ]);
});

it('tracks newest first, in detail only when asked, and nothing that it does not know', async () => {
  await create();
  const [{ trackingNumber } = { trackingNumber: '' }] = usps.simulator.shipments('usps');
  await usps.simulator.advance('usps', { trackingNumber, status: 'PICKED_UP' });
  const track = async (path: string): Promise<Called> => await usps.ask('GET', `/tracking/v3/tracking/${path}`);
  expect((await track(`${trackingNumber}?expand=DETAIL`)).body.trackingEvents).toMatchObject([
    { eventCode: '03' },
    { eventCode: 'GX' },
  ]);
  expect((await track(trackingNumber)).body).not.toHaveProperty('trackingEvents');
  expect((await track('92340')).status).toBe(404);
});
