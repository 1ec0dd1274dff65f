import { describe, expect, it } from 'vitest';
import { answer, answerText, bodyOf, carrierOf, worldOf } from '../world.ts';
import { account, create, done, profileWith } from './profiles.ts';

const session = (...keys: string[]): string => `auth: login
auths:
  login:
    session:
      login:
        post: /login
        body: { json: { user: '\${credentials.user}', password: '\${credentials.password}' } }
${keys.map((key) => `      ${key}`).join('\n')}`;
const token = 'sess-0123456';
const hour = 'expiresIn: 1h';
const plain = session('token: response.body.token', hour);
const header = session("token: response.headers.'x-ticket'", hour);

describe('the token of a login', () => {
  it.each([
    [
      'in JSON',
      session('token: response.body.data.token', 'expiresIn: response.body.s'),
      { data: { token }, s: 60 },
      token,
    ],
    [
      'in XML',
      session('token: response.body.login.token', hour),
      answerText(200, `<login><token>${token}</token></login>`, 'text/xml'),
      token,
    ],
    ['in a header of the answer', header, answer(204, undefined, { 'x-ticket': token }), token],
    [
      'made with the credentials',
      session('token: credentials.user & "-" & response.body.nonce', hour),
      { nonce: 'n0nce-123' },
      'erika-n0nce-123',
    ],
  ])('comes %s, is a bearer unless said otherwise, and is not written down', async (_, auth, reply, value) => {
    const { sent, exchanges } = await create(profileWith(auth), [reply, done]);
    expect(bodyOf(sent[0])).toEqual({ user: 'erika', password: 'pa:ss wörd-1' });
    expect(sent.map(({ headers }) => headers['authorization'])).toEqual([undefined, `Bearer ${value}`]);
    expect(JSON.stringify(exchanges)).not.toContain(value);
  });

  it('travels in headers and query of the profile’s choice', async () => {
    const send = "send: { headers: { X-Session: 'id=${token}' }, query: { sid: '${token}' } }";
    const { request } = await create(profileWith(session('token: response.body.token', hour, send)), [{ token }, done]);
    expect(request?.headers).toMatchObject({ 'x-session': `id=${token}` });
    expect(request?.url).toBe(`https://api.acme.example/orders?sid=${token}`);
    expect(request?.headers['authorization']).toBeUndefined();
  });

  it('travels in the body when nothing sends it, with what the login saved', async () => {
    const auth = session('token: response.body.token', hour, 'save: { depot: response.body.depot }', 'send: none');
    const body = "token: '${auths.login.token}', depot: '${auths.login.depot}'";
    const { request, exchanges } = await create(profileWith(auth, '', body), [{ token, depot: '0530' }, done]);
    expect(request?.headers['authorization']).toBeUndefined();
    expect(bodyOf(request)).toEqual({ token, depot: '0530' });
    expect(exchanges[1]?.requestBody?.toString()).toBe('{"token":"***token***","depot":"0530"}');
  });

  it('lives until the moment that the carrier writes, in its own zone', async () => {
    const expiresAt = "expiresAt: $time(response.body.until, ['dd.MM.yyyy HH:mm'], 'Europe/Berlin')";
    const replies = [{ token, until: '01.05.2026 11:10' }, done, done, { token, until: '01.05.2026 12:00' }, done];
    const world = worldOf(profileWith(session('token: response.body.token', expiresAt)), ...replies);
    for (const ms of [0, 480_000, 90_000]) {
      world.clock.advance(ms);
      await world.another('create', undefined, { account: account() });
    }
    const paths = world.requests().map((request) => request.slice('POST '.length));
    expect(paths).toEqual(['/login', '/orders', '/orders', '/login', '/orders']);
  });

  it('refused inside a 200 is fetched anew once', async () => {
    const outcomes = 'outcomes: [ { when: "response.body.error = \'TOKEN\'", do: refresh_auth } ]';
    const replies = [{ token: 'sess-0000001' }, { error: 'TOKEN' }, { token: 'sess-0000002' }, done];
    const { outcome, request } = await create(profileWith(plain, outcomes), replies);
    expect(outcome.kind).toBe('done');
    expect(request?.headers['authorization']).toBe('Bearer sess-0000002');
  });
});

describe('a login that needs a token of its own', () => {
  const nested = `auth: session
auths:
  app: { oauth2: { grant: client_credentials, tokenUrl: /token, clientId: '\${credentials.user}', clientSecret: '\${credentials.password}' } }
  session:
    session: { login: { post: /login, auth: app }, token: response.body.token, expiresIn: 1h }`;

  it('fetches that one first, and anew when it has ended', async () => {
    const app = { access_token: 'app-0000001', expires_in: 3_600 };
    const { outcome, paths } = await create(profileWith(nested), [app, 401, app, { token }, done]);
    expect(outcome.kind).toBe('done');
    expect(paths).toEqual(['/token', '/login', '/token', '/login', '/orders']);
  });

  it('and names itself does not load', () => {
    expect(() => carrierOf(profileWith(nested.replace('auth: app', 'auth: session')))).toThrow(/need itself/);
  });
});
