import { describe, expect, it } from 'vitest';
import { sweep } from '../../../src/platform/processes/upkeep.ts';
import { partsOfToken } from '../../support/tokens.ts';
import { ADMIN_TOKEN, apiUnderTest, OLD_ADMIN_TOKEN } from './harness.ts';

const DAY_MS = 86_400_000;

const idOf = (token: string): string => partsOfToken(token).id;

describe('tokens of shippers and carriers', () => {
  const api = apiUnderTest();
  const statusOf = async (token: string): Promise<number> => (await api.as(token)('GET', '/v2/webhooks')).statusCode;
  const issue = async (code: string, body: object = {}) =>
    (await api.admin('POST', `/admin/shippers/${code}/tokens`, body)).data as { id: string; token: string };
  const list = async (query: string) => (await api.admin('GET', `/admin/tokens?${query}`)).data;

  it('carry an id and 256 random bits, of which only a hash is kept', async () => {
    const { token } = await api.newShipper('bits');
    const { kind, id, secret } = partsOfToken(token);
    expect({ kind, id: id.length }).toEqual({ kind: 'shipper', id: 12 });
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    const { rows } = await api.database.pool.query('select * from tokens where id = $1', [id]);
    expect(rows[0].hash).toHaveLength(32);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it('end when they expire', async () => {
    await api.newShipper('expiring');
    api.clock.advance(1_000);
    const expiresAt = new Date(api.clock.now() + DAY_MS).toISOString();
    const issued = await issue('expiring', { expiresAt });
    expect(issued).toMatchObject({ expiresAt, id: idOf(issued.token) });
    expect(await statusOf(issued.token)).toBe(200);
    api.clock.advance(DAY_MS);
    expect(await statusOf(issued.token)).toBe(401);
    expect((await list('shipper=expiring')).data).toMatchObject([{ state: 'expired', expiresAt }, { state: 'valid' }]);
  });

  it.each([
    ['2020-01-01T00:00:00Z', 422, 'expiresAt must lie ahead'],
    ['2999-02-30T00:00:00Z', 200, ''],
    ['tomorrow', 400, 'expiresAt must be a time written'],
    ['2999-13-01T00:00:00Z', 400, 'expiresAt must be a time written'],
  ])('may expire at %s: %i', async (expiresAt, status, says) => {
    await api.admin('POST', '/admin/shippers', { code: 'dated', name: 'Dated' });
    const { statusCode, body } = await api.admin('POST', '/admin/shippers/dated/tokens', { expiresAt });
    expect(statusCode).toBe(status);
    expect(body).toContain(says);
  });

  it('are two while one takes the place of the other', async () => {
    const { token } = await api.newShipper('rotating');
    const rotated = await api.admin('POST', `/admin/tokens/${idOf(token)}/rotate`, { overlapHours: 2 });
    expect(rotated.data).toMatchObject({
      token: expect.stringMatching(/^wb_shipper_/),
      replaces: { id: idOf(token), replacedBy: idOf(rotated.data.token), state: 'valid' },
    });
    expect([await statusOf(token), await statusOf(rotated.data.token)]).toEqual([200, 200]);
    expect((await api.admin('POST', `/admin/tokens/${idOf(token)}/rotate`)).data).toMatchObject({
      status: 'CONFLICT',
      message: `The token ${idOf(token)} was replaced by ${idOf(rotated.data.token)} before`,
    });
    api.clock.advance(DAY_MS / 12);
    expect([await statusOf(token), await statusOf(rotated.data.token)]).toEqual([401, 200]);
  });

  it('of a carrier keep its environment and its time to live when they are rotated', async () => {
    const expiresAt = new Date(api.clock.now() + 10 * DAY_MS).toISOString();
    const body = { environment: 'sandbox', expiresAt };
    const { data } = await api.admin('POST', '/admin/carriers/solo/tokens', body);
    api.clock.advance(DAY_MS);
    const rotated = await api.admin('POST', `/admin/tokens/${data.id}/rotate`);
    expect(rotated.data.expiresAt).toBe(new Date(api.clock.now() + 10 * DAY_MS).toISOString());
    expect((await list('carrier=solo')).data).toMatchObject([
      { code: 'solo', environment: 'sandbox' },
      { id: data.id, expiresAt: new Date(api.clock.now() + DAY_MS).toISOString() },
    ]);
  });

  it('are nobody’s from the moment they are revoked', async () => {
    const { token } = await api.newShipper('revoked');
    const revoked = await api.admin('DELETE', `/admin/tokens/${idOf(token)}`);
    expect(revoked.data).toMatchObject({ state: 'revoked', revokedAt: new Date(api.clock.now()).toISOString() });
    expect(await statusOf(token)).toBe(401);
    api.clock.advance(1_000);
    expect((await api.admin('DELETE', `/admin/tokens/${idOf(token)}`)).data).toEqual(revoked.data);
    expect((await api.admin('POST', `/admin/tokens/${idOf(token)}/rotate`)).statusCode).toBe(409);
    for (const call of [
      await api.admin('DELETE', '/admin/tokens/nobody'),
      await api.admin('POST', '/admin/tokens/nobody/rotate'),
    ])
      expect(call.statusCode).toBe(404);
  });

  it('are listed page by page, without anything of their secrets', async () => {
    const { token } = await api.newShipper('paged');
    const issued = [token, (await issue('paged')).token, (await issue('paged')).token];
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const page = await list(`shipper=paged&limit=2${cursor}`);
      for (const one of issued) expect(JSON.stringify(page)).not.toContain(partsOfToken(one).secret);
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      if (page.nextCursor === undefined) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(seen.toSorted()).toEqual(issued.map(idOf).toSorted());
    expect((await api.admin('GET', '/admin/tokens?cursor=abc')).statusCode).toBe(400);
    expect((await api.admin('GET', '/admin/tokens?shipper=a&carrier=b')).statusCode).toBe(400);
    expect((await list('')).data.length).toBeGreaterThan(3);
  });

  it('are forgotten 90 days after their end; what was done with them is not', async () => {
    const { token } = await api.newShipper('forgotten');
    const kept = (await issue('forgotten')).token;
    await api.admin('DELETE', `/admin/tokens/${idOf(token)}`);
    await sweep(api.database.pool, api.clock.now() + 89 * DAY_MS);
    expect((await list('shipper=forgotten')).data).toHaveLength(2);
    await sweep(api.database.pool, api.clock.now() + 91 * DAY_MS);
    expect((await list('shipper=forgotten')).data).toMatchObject([{ id: idOf(kept) }]);
    const audit = (await api.admin('GET', `/admin/audit?subject=token:${idOf(token)}`)).data;
    expect(audit.data).toMatchObject([{ action: 'revoke_token', actor: 'admin' }, { action: 'issue_token' }]);
  });
});

describe('the admin’s tokens', () => {
  const api = apiUnderTest();

  it('are two while one takes the place of the other', async () => {
    const statuses = [ADMIN_TOKEN, OLD_ADMIN_TOKEN, `${OLD_ADMIN_TOKEN}x`, 'undefined'].map(
      async (token) => (await api.as(token)('GET', '/admin/carriers')).statusCode,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 401, 401]);
  });
});
