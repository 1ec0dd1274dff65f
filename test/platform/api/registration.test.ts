import { describe, expect, it } from 'vitest';
import { apiUnderTest } from './harness.ts';

describe('announcing our webhook at a carrier', () => {
  const api = apiUnderTest();
  const post = async (url: string) => await api.admin('POST', url);

  it('says what the carrier calls from now on', async () => {
    api.state.registered = { kind: 'done', webhookUrl: 'https://waybill.example.com/v2/carriers/acme/webhook/7' };
    const reply = await post('/admin/accounts/7/register');
    expect(reply.statusCode).toBe(200);
    expect(reply.data).toEqual({ id: 7, webhook: 'https://waybill.example.com/v2/carriers/acme/webhook/7' });
    expect(api.state.registering).toContainEqual({ id: 7, operation: 'register' });
  });

  it('hands the carrier’s words on when it refuses', async () => {
    api.state.registered = { kind: 'failed', problem: { code: 'http_400', messages: ['too many webhooks'] } };
    const reply = await post('/admin/accounts/7/unregister');
    expect(reply.statusCode).toBe(422);
    expect(reply.data).toMatchObject({ errors: ['too many webhooks'] });
  });

  it.each([
    ['an account that there is not', { kind: 'unknown' as const }],
    ['a carrier that has no such operation', { kind: 'not_offered' as const }],
  ])('is 404 for %s', async (_, registered) => {
    api.state.registered = registered;
    expect((await post('/admin/accounts/8/register')).statusCode).toBe(404);
  });

  it('is for the admin only', async () => {
    expect((await api.as('nobody')('POST', '/admin/accounts/7/register')).statusCode).toBe(401);
  });
});
