import { describe, expect, it } from 'vitest';
import type { WireRequest } from '../../../../src/engine/transport/wire.ts';
import { answer, answerText, bodyOf, carrierOf, type Reply, refused, reset, tell, worldOf } from '../world.ts';
import { account, create, done, profileWith } from './profiles.ts';

const oauth2 = (keys: string): string =>
  `auth: { oauth2: { tokenUrl: /token, clientId: '\${credentials.user}', clientSecret: '\${credentials.password}', ${keys} } }`;
const grant = (number: number, more: object = {}) => ({
  access_token: `tok-${number}-secret`,
  token_type: 'bearer',
  expires_in: 1_000,
  ...more,
});
const formOf = (request: WireRequest | undefined) =>
  Object.fromEntries(new URLSearchParams(Buffer.from(request?.body ?? []).toString()));
const clientCredentials = oauth2('grant: client_credentials');
const profile = profileWith(clientCredentials);

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

/** Creates one after another, each a dispatch of its own. */
const dispatching = (text: string, ...replies: readonly Reply[]) => {
  const world = worldOf(text, ...replies);
  const next = async (version = 1, values = {}, baseUrl?: string) =>
    await world.another('create', undefined, { account: { ...account(values, version), baseUrl } });
  return { ...world, next };
};

describe('an oauth2 token', () => {
  const byClient = { grant_type: 'client_credentials' };
  const client = { client_id: 'erika', client_secret: 'pa:ss wörd-1' };

  it.each([
    [
      'client credentials, the client named in the body',
      "grant: client_credentials, scope: 'ship track', params: { audience: acme }",
      { ...byClient, ...client, scope: 'ship track', audience: 'acme' },
    ],
    ['client credentials by Basic', 'grant: client_credentials, clientAuth: basic', byClient],
    [
      'password',
      "grant: password, username: '${credentials.user}', password: '${credentials.key}'",
      { grant_type: 'password', ...client, username: 'erika', password: 'key-0123456789' },
    ],
  ])('is fetched by %s', async (_, keys, form) => {
    const { outcome, sent } = await create(profileWith(oauth2(keys)), [grant(1), done]);
    expect(outcome.kind).toBe('done');
    expect(sent[0]).toMatchObject({ method: 'POST', url: 'https://api.acme.example/token' });
    expect(formOf(sent[0])).toEqual(form);
    expect(sent[1]?.headers['authorization']).toBe('Bearer tok-1-secret');
    const [, pair] = /^Basic (.*)$/.exec(sent[0]?.headers['authorization'] ?? '') ?? [];
    // Each part is form-encoded first.
    if (pair !== undefined) expect(Buffer.from(pair, 'base64').toString()).toBe('erika:pa%3Ass+w%C3%B6rd-1');
    expect(pair === undefined).toBe('client_id' in form);
  });

  it('is fetched by a refresh token, and a rotated one is kept, also when the account changes otherwise', async () => {
    const rotating = profileWith(oauth2("grant: refresh_token, refreshToken: '${credentials.refresh}'"));
    const [two, three] = ['refresh-two-2', 'refresh-three-3'].map((token) => grant(1, { refresh_token: token }));
    const { next, clock, sent } = dispatching(rotating, two!, done, three!, done, grant(3), done, grant(4), done);
    await next();
    clock.advance(901_000);
    await next();
    await next(2);
    await next(3, { refresh: 'refresh-fresh-9' });
    const used = sent.map((request) => formOf(request)['refresh_token']).filter((token) => token !== undefined);
    expect(used).toEqual(['refresh-one-1', 'refresh-two-2', 'refresh-three-3', 'refresh-fresh-9']);
  });

  it('is not fetched at another host by a refresh token that was rotated at the former one', async () => {
    const rotating = profileWith(oauth2("grant: refresh_token, refreshToken: '${credentials.refresh}'"));
    const rotated = grant(1, { refresh_token: 'refresh-two-2' });
    const { next, sent } = dispatching(rotating, rotated, done, grant(2), done, grant(3), done);
    await next();
    await next(2, {}, 'https://other.acme.example');
    await next(3);
    const logins = sent.filter(({ url }) => url.endsWith('/token'));
    expect(logins.map((request) => [new URL(request.url).host, formOf(request)['refresh_token']])).toEqual([
      ['api.acme.example', 'refresh-one-1'],
      ['other.acme.example', 'refresh-one-1'],
      ['api.acme.example', 'refresh-two-2'],
    ]);
  });

  it('is fetched once for many calls at once', async () => {
    const each = profileWith(clientCredentials, 'forEach: consignment.itemList\nparallel: 4').replace(
      /"itemsTrackDetails": .*/,
      `"itemsTrackDetails": steps.create.{ "itemReferenceNumber": item.itemReferenceNumber, "trackingNumber": body.number } }'`,
    );
    const { outcome, paths } = await create(each, [grant(1), done, done]);
    expect(outcome.kind).toBe('done');
    expect(paths).toEqual(['/token', '/orders', '/orders']);
  });

  it('stays out of whatever is written down, and the login keeps no body', async () => {
    const { exchanges } = await create(profile, [grant(1), { ...done, echo: 'tok-1-secret' }]);
    const text = exchanges.map((one) => `${JSON.stringify(one)}${String(one.requestBody)}${String(one.responseBody)}`);
    expect(text).toHaveLength(2);
    for (const one of text) expect(one).not.toMatch(/tok-1-secret|pa:ss/);
    const login = { operation: 'login', requestBody: undefined, responseBody: undefined, status: 200 };
    expect(exchanges[0]).toMatchObject(login);
  });
});

describe('a token is fetched anew', () => {
  const expiresAt = "expiresAt: $time(response.body.until, ['dd.MM.yyyy HH:mm'], 'Europe/Berlin')";
  const dated = session('token: response.body.token', expiresAt);
  const early = { token: 'sess-0000001', until: '01.05.2026 11:10' };
  const late = { token: 'sess-0000002', until: '01.05.2026 12:00' };

  it.each([
    ['after 90% of its life', clientCredentials, grant(1), grant(2), 'tok-2-secret', [899_000, 2_000]],
    ['from the moment that the carrier writes, in its own zone', dated, early, late, late.token, [480_000, 90_000]],
  ] as const)('%s', async (_, auth, first, second, used, [before, after]) => {
    const { next, clock, sent, requests } = dispatching(profileWith(auth), first, done, done, second, done);
    for (const ms of [0, before, after]) {
      clock.advance(ms);
      await next();
    }
    expect(requests().map((request) => request.endsWith('/orders'))).toEqual([false, true, true, false, true]);
    expect(sent[4]?.headers['authorization']).toBe(`Bearer ${used}`);
  });

  const expired = 'outcomes: [ { when: "response.body.error = \'TOKEN\'", do: refresh_auth } ]';
  it.each([
    ['a 401', profile, [grant(1), 401, grant(2)], '/token', 'tok-2-secret'],
    ['a 200 that says so', profileWith(dated, expired), [early, { error: 'TOKEN' }, late], '/login', late.token],
  ] as const)('once on %s, and the step repeated once', async (_, text, replies, login, used) => {
    const { outcome, paths, request } = await create(text, [...replies, done]);
    expect(outcome.kind).toBe('done');
    expect(paths).toEqual([login, '/orders', login, '/orders']);
    expect(request?.headers['authorization']).toBe(`Bearer ${used}`);
  });
});

describe('a 401', () => {
  const keyed = profileWith(clientCredentials, "idempotency: key\nheaders: { key: '${idempotencyKey}' }");
  const again = 'POST /token, POST /orders, POST /token, POST /orders';
  const unsure = 'waiting, held: unknown_outcome';
  const doubtful = 'POST /token, POST /orders, POST /orders, POST /token, POST /orders';

  it.each([
    ['again is a matter of the configuration', profile, [grant(1), 401, grant(2), 401], 'held: config_error', again],
    ['says nothing of an earlier attempt in doubt', keyed, [grant(1), reset, 401, grant(2), 401], unsure, doubtful],
  ] as const)('%s', async (shows, text, replies, endings, requests) => {
    const { attemptLog } = await tell([shows, text, replies, endings, requests], { account: account() });
    expect(attemptLog.calls[0]?.state).toBe(text === keyed ? 'unknown' : 'failed');
  });

  it('leaves the doubt in the attempt log before it asks again', async () => {
    const states: (string | undefined)[] = [];
    const login = () => {
      states.push(world.attemptLog.calls[0]?.state);
      return answer(200, grant(2));
    };
    const world = worldOf(keyed, grant(1), reset, 401, login, done);
    for (const kind of ['waiting', 'done'])
      expect((await world.run('create', undefined, { account: account() })).kind).toBe(kind);
    expect(states).toEqual(['unknown']);
  });
});

describe('a login that fails', () => {
  it('refused is a matter of the configuration, and not tried again until the account changes', async () => {
    const { next, sent } = dispatching(profile, answer(400, { error: 'invalid_client' }), grant(1), done);
    for (const _ of [1, 2]) expect(await next()).toMatchObject({ kind: 'held', why: 'config_error' });
    expect(sent).toHaveLength(1);
    expect((await next(2)).kind).toBe('done');
  });

  it('is tried again under a mended profile', async () => {
    const mended = carrierOf(profileWith(clientCredentials.replace('/token', '/oauth/token')));
    const { next, another } = dispatching(profile, 404, grant(1), done);
    expect((await next()).kind).toBe('held');
    const to = { account: account(), carrier: mended, operation: mended.operations.create! };
    expect((await another('create', undefined, to)).kind).toBe('done');
  });

  const waiting = { kind: 'waiting' };
  const unusable = { kind: 'held', why: 'config_error', problem: { code: 'login_failed' } };
  const patient = answer(429, undefined, { 'retry-after': '120' });
  it.each<[string, Reply, object]>([
    ['nobody listens', refused, waiting],
    ['the connection is cut', reset, waiting],
    ['of a 500', 500, waiting],
    ['of a 429', 429, waiting],
    ['the carrier asks for patience', patient, { ...waiting, dueAtMs: Date.parse('2026-05-01T09:02:00Z') }],
    ['there is no token in the answer', { token: 'x' }, unusable],
  ])('because %s is not remembered', async (_, reply, first) => {
    const { next } = dispatching(profile, reply, grant(1), done);
    expect(await next()).toMatchObject(first);
    expect((await next()).kind).toBe('done');
  });

  it('tells no secret that the carrier quotes', async () => {
    const { outcome } = await create(profile, [answerText(400, 'wrong: pa:ss wörd-1')]);
    expect(JSON.stringify(outcome)).toContain('***password***');
    expect(JSON.stringify(outcome)).not.toContain('pa:ss');
  });
});

describe('the token of a login', () => {
  const xml = answerText(200, `<login><token>${token}</token></login>`, 'text/xml');
  it.each<[string, string, Reply, string, string?]>([
    ['in JSON', 'response.body.data.token', { data: { token }, s: 60 }, token, 'expiresIn: response.body.s'],
    ['in XML', 'response.body.login.token', xml, token],
    ['in a header of the answer', "response.headers.'x-ticket'", answer(204, undefined, { 'x-ticket': token }), token],
    [
      'made with the credentials',
      'credentials.user & "-" & response.body.nonce',
      { nonce: '0123456' },
      'erika-0123456',
    ],
  ])('comes %s, is a bearer unless said otherwise, and is not written down', async (_, from, reply, value, life) => {
    const auth = session(`token: ${from}`, life ?? hour);
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

describe('limits', () => {
  it('of one call at a time leave room for the login that the call needs', async () => {
    const { outcome } = await create(`${profile}limits: { concurrency: 1 }\n`, [grant(1), done]);
    expect(outcome.kind).toBe('done');
  });

  it('that hold a login back use up no attempt', async () => {
    const login = 'login: { post: /login, limits: { rate: 1/m, per: account } }';
    const auth = `auth: { session: { ${login}, token: response.body.token, expiresIn: 10s } }`;
    const replies = [{ token }, done, { token }, done];
    const { next, clock } = dispatching(profileWith(auth, 'retry: { attempts: 1 }'), ...replies);
    expect((await next()).kind).toBe('done');
    clock.advance(20_000);
    expect((await next()).kind).toBe('waiting');
    clock.advance(40_050);
    expect((await next()).kind).toBe('done');
  });
});
