import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { orderFor } from '../../simulator/demo/order.ts';
import { until } from '../support/until.ts';
import { flowWorld, plain } from './world.ts';

const SECRET = 'webhook-secret-1';

const profile = (url: string): string => `carrier: signer
name: Signer
extends: contract
environments: { production: { url: '${url}' } }
credentials: { token: { secret: true }, webhookSecret: { secret: true } }
auth: { bearer: { token: '\${credentials.token}' } }
statuses:
  webhook:
    auth: { signature: { algorithm: hmac-sha256, key: '\${credentials.webhookSecret}', header: X-Signature } }
    handshake: { when: "request.body.type = 'hello'", reply: { json: { challenge: '\${request.body.challenge}' } } }
    reply: { status: 202, json: { thanks: true } }
    events: |
      request.body.events.{ "value": number, "carrierStatusCode": code, "statusReceivedAt": at }
  table: { done: Order Delivered }
`;

const event = (code: string, number = 'T-REF-1-PKG-1') => ({
  type: 'events',
  events: [{ number, code, at: '2026-05-03 10:00:00' }],
});

describe('a carrier that speaks to its own webhook', () => {
  const flow = flowWorld({ profiles: (url) => ({ signer: profile(url) }) });
  const { database } = flow;

  const post = async (body: unknown, signature?: string, where = ''): Promise<Response> => {
    const text = JSON.stringify(body);
    const right = createHmac('sha256', SECRET).update(text).digest('hex');
    return await fetch(`${flow.server.url}/v2/carriers/signer/webhook${where}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-signature': signature ?? right },
      body: text,
    });
  };
  const told = async (body: unknown, where: string, signature?: string): Promise<string> => {
    const reply = await post(body, signature, where);
    return `${reply.status} ${(await reply.text()).replace(/"timestamp":"[^"]*"/, '')}`;
  };
  const count = async (what: string) => (await database.pool.query(`select count(*) from ${what}`)).rows[0].count;
  const stored = async () => JSON.stringify((await flow.read('REF-1')).body);

  beforeAll(async () => {
    await flow.openAccount('signer', { token: 'carrier-token-1', webhookSecret: SECRET });
    const order = { ...orderFor(plain, 'REF-1', 1), carrier: { code: 'signer' } };
    const created = await flow.asShop('POST', '/v2/consignments', order);
    expect(created.status).toBe(200);
  });

  it('is answered to a handshake before any proof, and nothing is recorded', async () => {
    const reply = await post({ type: 'hello', challenge: 'abc' }, 'none');
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({ challenge: 'abc' });
    expect(await count('pushes')).toBe(0);
  });

  it('is refused with a wrong signature, or one over other bytes, and nothing is recorded', async () => {
    const other = createHmac('sha256', SECRET).update('other').digest('hex');
    for (const signature of ['forged', other]) expect((await post(event('done'), signature)).status).toBe(401);
    expect(await count('pushes')).toBe(0);
  });

  it('is recorded, answered as the profile says, and moves the consignment', async () => {
    const reply = await post(event('done'));
    expect(reply.status).toBe(202);
    expect(await reply.json()).toEqual({ thanks: true });
    await until('the consignment is delivered', async () => (await stored()).includes('"Order Delivered"'));
  });

  it('keeps an event that fits no consignment', async () => {
    expect((await post(event('done', 'T-NOBODY'))).status).toBe(202);
    await until('it is kept', async () => (await count(`events where match = 'unmatched'`)) === 1);
  });

  it('is told the same of an account that there is not as of a wrong proof, and of a handshake', async () => {
    const { rows } = await database.pool.query('select id from accounts');
    const before = await count('pushes');
    const wrong = await told(event('done'), `/${rows[0].id}`, 'forged');
    expect(wrong).toMatch(/^401 /);
    for (const where of ['/999', '/nonsense']) {
      expect(await told(event('done'), where)).toBe(wrong);
      expect(await told({ type: 'hello', challenge: 'abc' }, where)).toBe('200 {"challenge":"abc"}');
    }
    expect(await count('pushes')).toBe(before);
  });

  it('leaves no secret in the records', async () => {
    const { rows } = await database.pool.query(`select request, convert_from(body, 'UTF8') from pushes`);
    expect(JSON.stringify(rows)).not.toContain(SECRET);
  });
});
