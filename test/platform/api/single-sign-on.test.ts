import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { roleOf } from '../../../src/platform/api/single-sign-on.ts';
import { closeServers } from '../../engine/transport/servers.ts';
import { CLIENT, startIdentityProvider, type TestProvider } from './identity-provider.ts';
import { apiWorld, type Reply } from './world.ts';

const ROLES = new Map([
  ['support', 'operate'],
  ['everyone', 'read'],
  ['platform', 'administer'],
] as const);

const setCookies = ({ headers }: Reply): readonly string[] => [headers['set-cookie'] ?? []].flat().map(String);
const cookieOf = (reply: Reply): string => setCookies(reply).at(-1)?.split(';')[0] ?? '';
const troubleOf = ({ headers }: Reply): string | null =>
  new URL(String(headers['location']), 'https://x').searchParams.get('trouble');

describe('single sign-on', () => {
  let provider: TestProvider;
  beforeAll(async () => {
    provider = await startIdentityProvider();
  });
  const api = apiWorld(
    {
      publicUrl: 'https://waybill.example.com',
      get identityProvider() {
        return { issuer: provider.url, ...CLIENT, claim: 'groups', roles: ROLES };
      },
    },
    { limits: {} },
  );
  afterAll(closeServers);
  const usual = { sub: 'p-1', email: 'ada@example.com', email_verified: true, groups: ['support'] };
  beforeEach(() => {
    Object.assign(provider.state, { person: usual, claims: {}, refuses: undefined, isForged: false, isDown: false });
    // Wrong sign-ins of tests before are forgotten.
    api.clock.advance(3_600_000);
  });

  const begin = async (to?: string) => {
    const begun = await api.call({ url: `/console/sign-in${to === undefined ? '' : `?to=${encodeURIComponent(to)}`}` });
    const { headers } = await fetch(String(begun.headers['location']), { redirect: 'manual' });
    const { pathname, search } = new URL(headers.get('location') ?? '');
    return { begun, done: `${pathname}${search}`, cookie: cookieOf(begun) };
  };
  const signIn = async (to?: string): Promise<Reply> => {
    const { done, cookie } = await begin(to);
    return await api.call({ url: done, headers: { cookie } });
  };

  it('is told to the page, and begins at the provider with what only this browser has', async () => {
    expect((await api.call({ url: '/admin/session/ways' })).body).toEqual({ singleSignOn: '/console/sign-in' });
    const { begun } = await begin();
    const { origin, searchParams } = new URL(String(begun.headers['location']));
    expect(origin).toBe(provider.url);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: 'waybill',
      redirect_uri: 'https://waybill.example.com/console/sign-in/done',
      response_type: 'code',
      code_challenge_method: 'S256',
    });
    expect(setCookies(begun)).toEqual([
      expect.stringMatching(/^__Host-waybill-sign-in=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/),
    ]);
  });

  it('begins a session with the role of the group, and leads back to where it began', async () => {
    const done = await signIn('/consignments?number=R-1');
    expect(done).toMatchObject({ status: 302, headers: { location: '/console/consignments?number=R-1' } });
    expect(setCookies(done)).toEqual([
      expect.stringContaining('Max-Age=0'),
      expect.stringMatching(/^__Host-waybill=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/),
    ]);
    const { body } = await api.call({ url: '/admin/session', headers: { cookie: cookieOf(done) } });
    expect(body).toMatchObject({ actor: 'sso:ada@example.com', role: 'operate' });
    const [audited] = await api.sql(`select actor, action from audit_log order by id desc limit 1`);
    expect(audited).toEqual({ actor: 'sso:ada@example.com', action: 'sign_in' });
  });

  it('does what the role may, and no more; an administrator ends it', async () => {
    const headers = { cookie: cookieOf(await signIn()) };
    const { body } = await api.call({ url: '/admin/session', headers });
    const change = { headers: { ...headers, 'x-csrf-token': body.csrfToken, 'content-type': 'application/json' } };
    const ask = async (method: 'POST' | 'DELETE', url: string): Promise<Reply> =>
      await api.call({ method, url, payload: '{}', ...change });
    expect((await ask('POST', '/admin/pushes/rematch')).status).toBe(200);
    expect((await ask('DELETE', '/admin/tokens/another')).status).toBe(403);
    expect((await api.admin.delete(`/admin/sessions/${body.id}`)).status).toBe(200);
    expect((await api.call({ url: '/admin/session', headers })).status).toBe(401);
  });

  it('names whoever has no verified address by what the provider calls them', async () => {
    provider.state.person = { sub: 'p 2/<b>', email: 'boss@example.com', groups: ['everyone'] };
    const headers = { cookie: cookieOf(await signIn()) };
    expect((await api.call({ url: '/admin/session', headers })).body).toMatchObject({
      actor: 'sso:p_2__b_',
      role: 'read',
    });
  });

  it('leads nowhere else than into the console', async () => {
    for (const to of [
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      '@evil.example',
      '/a\nb',
      `/${'a'.repeat(600)}`,
      `/${'a'.repeat(400)}!`,
    ])
      expect((await signIn(to)).headers['location'], to).toBe('/console');
  });

  it('lets nobody in who is in no group that has a role', async () => {
    for (const groups of [[], ['guests'], undefined, { support: true }, ['support '], 'Support']) {
      provider.state.person = { sub: 'p-3', groups };
      expect(troubleOf(await signIn()), JSON.stringify(groups)).toBe('no-role');
    }
  });

  test.each<[string, () => void]>([
    ['is signed by another', () => (provider.state.isForged = true)],
    ['is for another client', () => (provider.state.claims = { aud: 'another' })],
    ['is of another provider', () => (provider.state.claims = { iss: 'https://evil.example' })],
    ['answers another question', () => (provider.state.claims = { nonce: 'another' })],
    ['is over', () => (provider.state.claims = { exp: 1_000 })],
  ])('an ID token that %s is worth nothing', async (_, make) => {
    make();
    const done = await signIn();
    expect(troubleOf(done)).toBe('unavailable');
    expect(setCookies(done)).toEqual([expect.stringContaining('Max-Age=0')]);
    const logged = api.log.lines.map((line) => JSON.stringify(line)).join('\n');
    expect(logged).toContain('single sign-on let nobody in');
    expect(logged).not.toMatch(/access_token|id_token"|a-secret-of-the-provider/);
  });

  it('ends only in the browser that began it, once', async () => {
    const { done, cookie } = await begin();
    const other = await begin();
    const withCookie = async (text: string): Promise<string | null> =>
      troubleOf(await api.call({ url: done, headers: { cookie: text } }));
    expect(await withCookie('')).toBe('expired');
    expect(await withCookie(other.cookie)).toBe('expired');
    expect(await withCookie(`${cookie.split('=')[0]}=!`)).toBe('expired');
    expect(await withCookie(cookie)).toBeNull();
    expect(await withCookie(cookie)).toBe('unavailable');
  });

  it('says that the provider refused, or could not be asked', async () => {
    provider.state.refuses = 'access_denied';
    expect(troubleOf(await signIn())).toBe('denied');
    provider.state.refuses = undefined;
    const { done, cookie } = await begin();
    provider.state.isDown = true;
    expect(troubleOf(await api.call({ url: done, headers: { cookie } }))).toBe('unavailable');
  });

  it('is tried no more often than a token is', async () => {
    const forged = `/console/sign-in/done?code=x&state=y`;
    const { cookie } = await begin();
    const tryTimes = async (headers: Record<string, string>): Promise<readonly number[]> => {
      const statuses: number[] = [];
      for (let tries = 0; tries < 200; tries += 1) statuses.push((await api.call({ url: forged, headers })).status);
      return statuses;
    };
    // As a page of somebody else can have it asked by whoever looks at it.
    expect(new Set(await tryTimes({}))).toEqual(new Set([302]));
    const statuses = await tryTimes({ cookie });
    expect(statuses[0]).toBe(302);
    expect(statuses.at(-1)).toBe(429);
    expect((await api.call({ url: '/console/sign-in' })).status).toBe(429);
  });
});

describe('a server without an identity provider', () => {
  const api = apiWorld({});

  it('offers no single sign-on', async () => {
    expect((await api.call({ url: '/admin/session/ways' })).body).toEqual({});
    expect(String((await api.call({ url: '/console/sign-in' })).headers['content-type'])).toContain('text/html');
  });
});

test('of several groups the highest role holds', () => {
  expect(roleOf(['everyone', 'platform', 'support'], { roles: ROLES })).toBe('administer');
  expect(roleOf('everyone', { roles: ROLES })).toBe('read');
  expect(roleOf([['platform'], null, 5], { roles: ROLES })).toBeUndefined();
});
