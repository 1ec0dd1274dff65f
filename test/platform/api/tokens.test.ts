import { describe, expect, it } from 'vitest';
import { sweep } from '../../../src/platform/processes/upkeep.ts';
import { quietLog } from '../../support/log.ts';
import { partsOfToken } from '../../support/tokens.ts';
import { ADMIN_TOKEN, apiWorld, OLD_ADMIN_TOKEN } from './world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const idOf = (token: string): string => partsOfToken(token).id;

describe('tokens of shippers, carriers and operators', () => {
  const api = apiWorld();
  const { admin, issue, clock } = api;
  const inDays = (days: number) => new Date(clock.now() + days * DAY_MS).toISOString();
  const statusOf = async (token: string) => (await api.as(token).get('/v2/webhooks')).status;
  const readsOf = async (token: string) => (await api.as(token).get('/admin/carriers')).status;
  const list = async (query: string) => (await admin.get(`/admin/tokens?${query}`)).body;
  const rotate = (token: string, body?: object) => admin.post(`/admin/tokens/${idOf(token)}/rotate`, body);
  const revoke = (token: string) => admin.delete(`/admin/tokens/${idOf(token)}`);

  it('carry an id and 256 random bits, of which only a hash is kept', async () => {
    const { body, status } = await admin.post('/admin/shippers', { code: 'bits', name: 'Example Shop' });
    expect(status).toBe(200);
    expect(body).toEqual({ code: 'bits', token: expect.stringMatching(/^wb_shipper_/) });
    expect(await statusOf(body.token)).toBe(200);
    const { kind, id, secret } = partsOfToken(body.token);
    expect({ kind, id: id.length }).toEqual({ kind: 'shipper', id: 12 });
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    const rows = await api.sql('select * from tokens where id = $1', [id]);
    expect(rows[0].hash).toHaveLength(32);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it.each([
    ['shippers/nobody', {}, 404, 'nobody'],
    ['carriers/nobody', {}, 404, 'nobody'],
    ['shippers/dated', { environment: 'moon' }, 400, 'environment'],
    ['shippers/dated', { environment: 'sandbox' }, 200, 'wb_shipper_'],
    ['shippers/dated', { expiresAt: '2020-01-01T00:00:00Z' }, 422, 'expiresAt must lie ahead'],
    ['shippers/dated', { expiresAt: '2999-02-30T00:00:00Z' }, 400, 'expiresAt must be a time written'],
    ['operators/anna', { role: 'read' }, 200, 'wb_operator_'],
    ['operators/anna', {}, 400, 'role is required'],
    ['operators/anna', { role: 'admin' }, 400, 'role must be one of read, operate, administer'],
    ['operators/-', { role: 'read' }, 400, 'name must be the name of an operator'],
    ['shippers/dated', { expiresAt: 'tomorrow' }, 400, 'expiresAt must be a time written'],
    ['shippers/dated', { expiresAt: '2999-13-01T00:00:00Z' }, 400, 'expiresAt must be a time written'],
  ])('are issued to %s with %j: %i', async (whose, body, status, says) => {
    await admin.post('/admin/shippers', { code: 'dated', name: 'Dated' });
    const issued = await admin.post(`/admin/${whose}/tokens`, body);
    expect(issued.status).toBe(status);
    expect(issued.text).toContain(says);
  });

  it('end when they expire', async () => {
    await api.newShipper('expiring');
    clock.advance(1_000);
    const expiresAt = inDays(1);
    const issued = await issue('shippers/expiring', { expiresAt });
    expect(issued).toMatchObject({ expiresAt, id: idOf(issued.token) });
    expect(await statusOf(issued.token)).toBe(200);
    clock.advance(DAY_MS);
    expect(await statusOf(issued.token)).toBe(401);
    expect((await list('shipper=expiring')).data).toMatchObject([{ state: 'expired', expiresAt }, { state: 'valid' }]);
  });

  it('are two while one takes the place of the other', async () => {
    const { token } = await api.newShipper();
    const { body } = await rotate(token, { overlapHours: 2 });
    expect(body).toMatchObject({
      token: expect.stringMatching(/^wb_shipper_/),
      replaces: { id: idOf(token), replacedBy: idOf(body.token), state: 'valid' },
    });
    expect([await statusOf(token), await statusOf(body.token)]).toEqual([200, 200]);
    expect((await rotate(token)).body).toMatchObject({
      status: 'CONFLICT',
      message: `The token ${idOf(token)} was replaced by ${idOf(body.token)} before`,
    });
    clock.advance(2 * HOUR_MS);
    expect([await statusOf(token), await statusOf(body.token)]).toEqual([401, 200]);
  });

  it('of a carrier keep its environment and its time to live when they are rotated', async () => {
    const { id, token } = await issue('carriers/solo', { environment: 'sandbox', expiresAt: inDays(10) });
    clock.advance(DAY_MS);
    expect((await rotate(token)).body.expiresAt).toBe(inDays(10));
    expect((await list('carrier=solo')).data).toMatchObject([
      { code: 'solo', environment: 'sandbox' },
      { id, expiresAt: inDays(1) },
    ]);
  });

  it('of an operator keep its role when they are rotated, and nothing once they are revoked', async () => {
    const { token } = await issue('operators/anna', { role: 'operate' });
    const { body } = await rotate(token, { overlapHours: 0 });
    const { data }: { data: { id: string }[] } = await list('operator=anna');
    const [newer, older] = [body.token, token].map((one) => data.find(({ id }) => id === idOf(one)));
    expect(newer).toMatchObject({
      id: idOf(body.token),
      kind: 'operator',
      code: 'anna',
      role: 'operate',
      state: 'valid',
    });
    expect(older).toMatchObject({ id: idOf(token), replacedBy: idOf(body.token), state: 'expired' });
    expect((await list('kind=operator')).data.every(({ kind }: { kind: string }) => kind === 'operator')).toBe(true);
    expect([await readsOf(token), await readsOf(body.token)]).toEqual([401, 200]);
    await revoke(body.token);
    expect(await readsOf(body.token)).toBe(401);
  });

  it('are nobody’s from the moment they are revoked', async () => {
    const { token } = await api.newShipper();
    const revoked = await revoke(token);
    expect(revoked.body).toMatchObject({ state: 'revoked', revokedAt: inDays(0) });
    expect(await statusOf(token)).toBe(401);
    clock.advance(1_000);
    expect((await revoke(token)).body).toEqual(revoked.body);
    expect((await rotate(token)).status).toBe(409);
    expect((await admin.delete('/admin/tokens/nobody')).status).toBe(404);
    expect((await admin.post('/admin/tokens/nobody/rotate')).status).toBe(404);
  });

  it('are listed page by page, without anything of their secrets', async () => {
    const issued = [(await api.newShipper('paged')).token];
    for (let more = 0; more < 2; more += 1) issued.push((await issue('shippers/paged')).token);
    const seen: string[] = [];
    let page = { nextCursor: '' };
    for (let cursor = ''; page.nextCursor !== undefined; cursor = `&cursor=${page.nextCursor}`) {
      const found = await list(`shipper=paged&limit=2${cursor}`);
      for (const one of issued) expect(JSON.stringify(found)).not.toContain(partsOfToken(one).secret);
      seen.push(...found.data.map(({ id }: { id: string }) => id));
      page = found;
    }
    expect(seen.toSorted()).toEqual(issued.map(idOf).toSorted());
    expect((await admin.get('/admin/tokens?cursor=abc')).status).toBe(400);
    expect((await admin.get('/admin/tokens?shipper=a&carrier=b')).status).toBe(400);
    expect((await list('')).data.length).toBeGreaterThan(3);
  });

  it('are forgotten 90 days after their end; what was done with them is not', async () => {
    const { token } = await api.newShipper('forgotten');
    const kept = await issue('shippers/forgotten');
    await revoke(token);
    await sweep(api.database.pool, quietLog, clock.now() + 89 * DAY_MS);
    expect((await list('shipper=forgotten')).data).toHaveLength(2);
    await sweep(api.database.pool, quietLog, clock.now() + 91 * DAY_MS);
    expect((await list('shipper=forgotten')).data).toMatchObject([{ id: kept.id }]);
    const audit = (await admin.get(`/admin/audit?subject=token:${idOf(token)}`)).body;
    expect(audit.data).toMatchObject([{ action: 'revoke_token', actor: 'admin' }, { action: 'issue_token' }]);
  });

  it.each([
    [ADMIN_TOKEN, 200],
    [OLD_ADMIN_TOKEN, 200],
    [`${OLD_ADMIN_TOKEN}x`, 401],
    ['undefined', 401],
  ])('of the admin are two while one takes the place of the other', async (token, status) => {
    expect((await api.as(token).get('/admin/carriers')).status).toBe(status);
  });
});
