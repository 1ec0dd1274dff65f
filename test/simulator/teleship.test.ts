import { expect, it } from 'vitest';
import { type Called, order, simulating } from './call.ts';

const login = async (login: object): Promise<Called> => await teleship.ask('POST', '/oauth/token', login);
const client = { clientId: 'simulated-client', clientSecret: 'simulated-secret' };
const teleship = simulating('teleship', async () => ({
  authorization: `Bearer ${(await login(client)).body.accessToken}`,
}));
const create = async (change: object = {}): Promise<Called> =>
  await teleship.ask('POST', '/api/shipments/labels', order('teleship', 'one-package', change));

it('tells in milliseconds how long a login lasts, and refuses a wrong one', async () => {
  const { body } = await login(client);
  expect(body).toMatchObject({ expiresIn: 3_600_000, expirationTime: Date.parse('2026-05-01T09:00:00Z') });
  expect((await login({ clientId: 'simulated-client' })).status).toBe(400);
  expect((await login({ ...client, clientSecret: 'wrong' })).status).toBe(401);
  teleship.headers = { authorization: 'Bearer wrong' };
  expect((await create()).status).toBe(401);
});

it('tells all that is wrong', async () => {
  const { status, body } = await create({ commodities: undefined, customs: {} });
  expect([status, body.messages[0].details]).toEqual([
    400,
    ['customs.contentType must be a valid enum value', 'commodities is required'],
  ]);
});

it('forgets a webhook once', async () => {
  const { body } = await teleship.ask('POST', '/api/webhooks', {
    url: 'https://example.com/h',
    enabled: true,
    enabledEvents: ['*'],
  });
  const forget = async () => (await teleship.ask('DELETE', `/api/webhooks/${body.id}`)).status;
  expect([await forget(), await forget()]).toEqual([204, 404]);
});
