import { describe, expect, it } from 'vitest';
import { answer, bodyOf, carrierOf, worldOf } from '../world.ts';
import type { WireOutcome } from '../../../../src/engine/transport/wire.ts';
import { account, profileWith } from './profiles.ts';

const done = answer(200, { number: 'T1' });
const session = (keys: string): string => `auth: login
auths:
  login:
    session:
      login:
        post: /login
        body: { json: { user: '\${credentials.user}', password: '\${credentials.password}' } }
${keys.replaceAll(/^/gm, '      ')}`;

const create = async (auth: string, replies: readonly WireOutcome[], change = (profile: string) => profile) => {
  const world = worldOf(change(profileWith(auth)), ...replies);
  const outcome = await world.run('create', undefined, { account: account() });
  return { ...world, outcome };
};

describe('the token of a login', () => {
  it('comes in JSON, and is a bearer unless said otherwise', async () => {
    const { sent } = await create(session('token: response.body.data.token\nexpiresIn: response.body.data.seconds'), [
      answer(200, { data: { token: 'sess-0123456', seconds: 60 } }),
      done,
    ]);
    expect(bodyOf(sent[0])).toEqual({ user: 'erika', password: 'pa:ss wörd-1' });
    expect(sent[0]?.headers['authorization']).toBeUndefined();
    expect(sent[1]?.headers['authorization']).toBe('Bearer sess-0123456');
  });

  it('comes in XML', async () => {
    const xml = {
      ...answer(200),
      headers: { 'content-type': 'text/xml' },
      body: Buffer.from('<login><token>sess-0123456</token></login>'),
    };
    const { sent } = await create(session('token: response.body.login.token\nexpiresIn: 1h'), [xml, done]);
    expect(sent[1]?.headers['authorization']).toBe('Bearer sess-0123456');
  });

  it('comes in a header of the answer, and that header is not written down', async () => {
    const { sent, exchanges } = await create(session("token: response.headers.'x-ticket'\nexpiresIn: 1h"), [
      answer(204, undefined, { 'x-ticket': 'sess-0123456' }),
      done,
    ]);
    expect(sent[1]?.headers['authorization']).toBe('Bearer sess-0123456');
    expect(JSON.stringify(exchanges)).not.toContain('sess-0123456');
  });

  it('may be made with the credentials', async () => {
    const { sent } = await create(session('token: credentials.user & "-" & response.body.nonce\nexpiresIn: 1h'), [
      answer(200, { nonce: 'n0nce-123' }),
      done,
    ]);
    expect(sent[1]?.headers['authorization']).toBe('Bearer erika-n0nce-123');
  });

  it('travels in headers and query of the profile’s choice', async () => {
    const { sent } = await create(
      session(
        "token: response.body.token\nexpiresIn: 1h\nsend: { headers: { X-Session: 'id=${token}' }, query: { sid: '${token}' } }",
      ),
      [answer(200, { token: 'sess-0123456' }), done],
    );
    expect(sent[1]?.headers).toMatchObject({ 'x-session': 'id=sess-0123456' });
    expect(sent[1]?.url).toBe('https://api.acme.example/orders?sid=sess-0123456');
    expect(sent[1]?.headers['authorization']).toBeUndefined();
  });

  it('travels in the body when nothing sends it, with what the login saved', async () => {
    const { sent, exchanges } = await create(
      session('token: response.body.token\nexpiresIn: 1h\nsave: { depot: response.body.depot }\nsend: none'),
      [answer(200, { token: 'sess-0123456', depot: '0530' }), done],
      (profile) =>
        profile.replace(
          "ref: '${consignment.referenceId}'",
          "token: '${auths.login.token}', depot: '${auths.login.depot}'",
        ),
    );
    expect(sent[1]?.headers['authorization']).toBeUndefined();
    expect(bodyOf(sent[1])).toMatchObject({ token: 'sess-0123456', depot: '0530' });
    expect(exchanges[1]?.requestBody?.toString()).toContain('"depot":"0530"');
    expect(exchanges[1]?.requestBody?.toString()).toContain('***token***');
  });

  it('lives until the moment that the carrier writes, in its own zone', async () => {
    const auth = session(
      "token: response.body.token\nexpiresAt: $time(response.body.until, ['dd.MM.yyyy HH:mm'], 'Europe/Berlin')",
    );
    const world = worldOf(
      profileWith(auth),
      answer(200, { token: 'sess-0000001', until: '01.05.2026 11:10' }),
      done,
      done,
      answer(200, { token: 'sess-0000002', until: '01.05.2026 12:00' }),
      done,
    );
    const next = async () => {
      return await world.another('create', undefined, { account: account() });
    };
    await next();
    world.clock.advance(8 * 60_000);
    await next();
    world.clock.advance(90_000);
    await next();
    expect(world.sent.map(({ url }) => url.split('/').at(-1))).toEqual([
      'login',
      'orders',
      'orders',
      'login',
      'orders',
    ]);
  });

  it('refused inside a 200 is fetched anew once', async () => {
    const stale = answer(200, { error: 'TOKEN' });
    const { sent, outcome } = await create(
      session('token: response.body.token\nexpiresIn: 1h'),
      [answer(200, { token: 'sess-0000001' }), stale, answer(200, { token: 'sess-0000002' }), done],
      (profile) => `${profile}outcomes: [ { when: "response.body.error = 'TOKEN'", do: refresh_auth } ]\n`,
    );
    expect(outcome.kind).toBe('done');
    expect(sent[3]?.headers['authorization']).toBe('Bearer sess-0000002');
  });
});

const app = (token: string) => answer(200, { access_token: token, expires_in: 3_600 });

describe('a login that needs a token of its own', () => {
  const nested = `auth: session
auths:
  app: { oauth2: { grant: client_credentials, tokenUrl: /token, clientId: '\${credentials.user}', clientSecret: '\${credentials.password}' } }
  session:
    session: { login: { post: /login, auth: app }, token: response.body.token, expiresIn: 1h }`;

  it('fetches that one first, and anew when it has ended', async () => {
    const { sent, outcome } = await create(nested, [
      app('app-0000001'),
      answer(401),
      app('app-0000002'),
      answer(200, { token: 'sess-0000001' }),
      done,
    ]);
    expect(outcome.kind).toBe('done');
    expect(sent.map(({ url }) => url.split('/').at(-1))).toEqual(['token', 'login', 'token', 'login', 'orders']);
  });

  it('and names itself does not load', () => {
    expect(() => carrierOf(profileWith(nested.replace('auth: app', 'auth: session')))).toThrow(/need itself/);
  });
});
