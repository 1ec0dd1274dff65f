import { beforeAll, describe, expect, it } from 'vitest';
import { apiWorld, type Headers, type Reply } from './world.ts';

const ADMIN_TOKEN = 'an-admin-token-that-is-only-for-this-test';
const admins = [ADMIN_TOKEN];
const api = apiWorld({ adminTokens: admins });
const local = apiWorld({ adminTokens: admins, publicUrl: 'http://127.0.0.1:8080' });

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const signIn = async (token: string): Promise<{ readonly cookie: string; readonly csrf: string }> => {
  const { status, headers, body } = await api.call({ method: 'POST', url: '/admin/session', headers: bearer(token) });
  expect(status).toBe(200);
  return { cookie: String(headers['set-cookie']).split(';')[0] ?? '', csrf: body.csrfToken };
};
const look = async (cookie: string): Promise<Reply> => await api.call({ url: '/admin/session', headers: { cookie } });
const minutes = (count: number): void => api.clock.advance(count * 60_000);

interface Issued {
  readonly id: string;
  readonly token: string;
}
const issue = async (): Promise<Issued> =>
  (
    await api.call({
      method: 'POST',
      url: '/admin/operators/ops.one/tokens',
      headers: { ...bearer(ADMIN_TOKEN), 'content-type': 'application/json' },
      payload: JSON.stringify({ role: 'operate' }),
    })
  ).body;
const cookieOf = ({ headers }: Reply): string => String(headers['set-cookie']);

describe('a session in a browser', () => {
  let operator: Issued;
  beforeAll(async () => {
    operator = await issue();
  });

  it('stands for the operator whose token began it, with the role of the token', async () => {
    const { cookie, csrf } = await signIn(operator.token);
    expect((await look(cookie)).body).toEqual({
      actor: 'operator:ops.one',
      role: 'operate',
      id: cookie.split(/[=.]/)[1],
      csrfToken: csrf,
    });
    const json = { cookie, 'content-type': 'application/json' };
    const rematch = { method: 'POST', url: '/admin/pushes/rematch', payload: '{}', headers: json } as const;
    expect(await api.call(rematch)).toMatchObject({ status: 403, body: { code: 'csrf_token' } });
    const sent = { ...rematch, headers: { ...json, 'x-csrf-token': csrf } };
    expect((await api.call(sent)).status).toBe(200);
    expect((await api.call({ ...sent, method: 'DELETE', url: `/admin/tokens/${operator.id}` })).status).toBe(403);
    const [{ actor }] = await api.sql(
      `select actor from audit_log where action = 'rematch_pushes' order by id desc limit 1`,
    );
    expect(actor).toBe('operator:ops.one');
  });

  it('begins with a token alone, never with another session', async () => {
    const { cookie, csrf } = await signIn(operator.token);
    const headers = { cookie, 'x-csrf-token': csrf };
    expect((await api.call({ method: 'POST', url: '/admin/session', headers })).status).toBe(400);
  });

  it('is kept as a hash, and nothing that resembles it is one', async () => {
    const { cookie } = await signIn(operator.token);
    const [row] = await api.sql('select * from sessions order by created_at desc limit 1');
    expect(JSON.stringify(row)).not.toContain(cookie.split('.')[1]);
    const [name = '', id = ''] = cookie.split(/[=.]/);
    for (const text of [`${id}.${'A'.repeat(43)}`, `${id}.`, id, '', 'x'.repeat(5_000)])
      expect((await look(`${name}=${text}`)).status).toBe(401);
  });

  it('ends an hour after its last use, and twelve after its beginning', async () => {
    const idle = await signIn(operator.token);
    minutes(59);
    expect((await look(idle.cookie)).status).toBe(200);
    minutes(59);
    expect((await look(idle.cookie)).status).toBe(200);
    minutes(61);
    expect((await look(idle.cookie)).status).toBe(401);
    const used = await signIn(operator.token);
    for (let hour = 0; hour < 14; hour += 1) {
      minutes(50);
      expect((await look(used.cookie)).status).toBe(200);
    }
    minutes(30);
    expect((await look(used.cookie)).status).toBe(401);
  });

  it('is not prolonged by a page that asks by itself', async () => {
    const { cookie } = await signIn(operator.token);
    minutes(40);
    const headers = { cookie, 'x-waybill-poll': '1' };
    expect((await api.call({ url: '/admin/session', headers })).status).toBe(200);
    minutes(30);
    expect((await look(cookie)).status).toBe(401);
  });

  it('ends with its token: revoked, expired, or no longer the server’s own', async () => {
    const other = await issue();
    const { cookie } = await signIn(other.token);
    await api.call({ method: 'DELETE', url: `/admin/tokens/${other.id}`, headers: bearer(ADMIN_TOKEN) });
    expect((await look(cookie)).status).toBe(401);
    const admin = await signIn(ADMIN_TOKEN);
    expect((await look(admin.cookie)).body).toMatchObject({ actor: 'admin', role: 'administer' });
    admins[0] = 'another-admin-token-that-is-only-for-this-test';
    expect((await look(admin.cookie)).status).toBe(401);
    admins[0] = ADMIN_TOKEN;
  });

  it('is listed, and ended by its operator or by whoever administers', async () => {
    const [mine, theirs] = [await signIn(operator.token), await signIn(operator.token)];
    const out = {
      method: 'DELETE',
      url: '/admin/session',
      headers: { cookie: mine.cookie, 'x-csrf-token': mine.csrf },
    };
    const { status, headers } = await api.call(out);
    expect([status, String(headers['set-cookie'])]).toEqual([200, expect.stringContaining('Max-Age=0')]);
    expect((await look(mine.cookie)).status).toBe(401);
    const [{ actor }] = await api.sql(`select actor from audit_log where action = 'sign_out' order by id desc limit 1`);
    expect(actor).toBe('operator:ops.one');
    const listed = await api.call({ url: '/admin/sessions', headers: bearer(ADMIN_TOKEN) });
    const id = theirs.cookie.split(/[=.]/)[1] ?? '';
    expect(listed.body.data.map((one: { id: string }) => one.id)).toContain(id);
    const end = { method: 'DELETE', url: `/admin/sessions/${id}`, headers: bearer(ADMIN_TOKEN) } as const;
    expect((await api.call(end)).status).toBe(200);
    expect((await api.call(end)).body.code).toBe('unknown_session');
    expect((await look(theirs.cookie)).status).toBe(401);
  });

  it('leaves the machine over HTTPS alone, under a name that nobody else can set', async () => {
    const begin = { method: 'POST', url: '/admin/session', headers: bearer(ADMIN_TOKEN) } as const;
    expect(cookieOf(await api.call(begin))).toMatch(
      /^__Host-waybill=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(cookieOf(await local.call(begin))).toMatch(/^waybill-8080=[^;]+; Path=\/; HttpOnly; SameSite=Strict$/);
  });
});
