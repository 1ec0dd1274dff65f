import { describe, expect, it } from 'vitest';
import type { WireRequest } from '../../../../src/engine/transport/wire.ts';
import { answer, answerText, carrierOf, type Reply, refused, reset, tell, worldOf } from '../world.ts';
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

/** Creates one after another, each a dispatch of its own. */
const dispatching = (text: string, ...replies: readonly Reply[]) => {
  const world = worldOf(text, ...replies);
  const next = async (version = 1, values = {}) =>
    await world.another('create', undefined, { account: account(values, version) });
  return { ...world, next };
};

describe('an oauth2 token', () => {
  const client = { client_id: 'erika', client_secret: 'pa:ss wörd-1' };

  it.each([
    [
      'client credentials, the client named in the body',
      "grant: client_credentials, scope: 'ship track', params: { audience: acme }",
      { grant_type: 'client_credentials', ...client, scope: 'ship track', audience: 'acme' },
    ],
    [
      'client credentials by Basic',
      'grant: client_credentials, clientAuth: basic',
      { grant_type: 'client_credentials' },
    ],
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

  it('is used for 90% of its life, then fetched anew', async () => {
    const { next, clock, sent, requests } = dispatching(profile, grant(1), done, done, grant(2), done);
    for (const ms of [0, 899_000, 2_000]) {
      clock.advance(ms);
      await next();
    }
    expect(requests().map((request) => request.includes('token'))).toEqual([true, false, false, true, false]);
    expect(sent[4]?.headers['authorization']).toBe('Bearer tok-2-secret');
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

  it('is dropped on a 401, fetched anew once, and the step repeated once', async () => {
    const { outcome, paths, request } = await create(profile, [grant(1), 401, grant(2), done]);
    expect(outcome.kind).toBe('done');
    expect(paths).toEqual(['/token', '/orders', '/token', '/orders']);
    expect(request?.headers['authorization']).toBe('Bearer tok-2-secret');
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

describe('a 401', () => {
  const keyed = profileWith(clientCredentials, "idempotency: key\nheaders: { key: '${idempotencyKey}' }");
  const again = 'POST /token, POST /orders, POST /token, POST /orders';
  const doubtful = 'POST /token, POST /orders, POST /orders, POST /token, POST /orders';

  it.each([
    ['again is a matter of the configuration', profile, [grant(1), 401, grant(2), 401], 'held: config_error', again],
    [
      'says nothing of an earlier attempt in doubt',
      keyed,
      [grant(1), reset, 401, grant(2), 401],
      'waiting, held: unknown_outcome',
      doubtful,
    ],
  ] as const)('%s', async (shows, text, replies, endings, requests) => {
    const { attemptLog } = await tell([shows, text, replies, endings, requests], { account: account() });
    expect(attemptLog.calls[0]?.state).toBe(text === keyed ? 'unknown' : 'failed');
  });

  it('leaves the doubt in the attempt log before it asks again', async () => {
    const states: (string | undefined)[] = [];
    const world = worldOf(
      keyed,
      grant(1),
      reset,
      401,
      () => {
        states.push(world.attemptLog.calls[0]?.state);
        return answer(200, grant(2));
      },
      done,
    );
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

  it.each<[string, Reply]>([
    ['nobody listens', refused],
    ['the connection is cut', reset],
    ['of a 500', 500],
    ['of a 429', 429],
  ])('because %s is tried again later', async (_, reply) => {
    const { next } = dispatching(profile, reply, grant(1), done);
    expect((await next()).kind).toBe('waiting');
    expect((await next()).kind).toBe('done');
  });

  it('and asks for patience is given it', async () => {
    const { next, clock } = dispatching(profile, answer(429, undefined, { 'retry-after': '120' }));
    expect(await next()).toMatchObject({ kind: 'waiting', dueAtMs: clock.now() + 120_000 });
  });

  it('without a token in the answer is a matter of the profile, and is not remembered', async () => {
    const { next } = dispatching(profile, { token: 'x' }, grant(1), done);
    expect(await next()).toMatchObject({ kind: 'held', why: 'config_error', problem: { code: 'login_failed' } });
    expect((await next()).kind).toBe('done');
  });

  it('tells no secret that the carrier quotes', async () => {
    const { outcome } = await create(profile, [answerText(400, 'wrong: pa:ss wörd-1')]);
    expect(JSON.stringify(outcome)).toContain('***password***');
    expect(JSON.stringify(outcome)).not.toContain('pa:ss');
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
    const token = { token: 'tok-1-secret' };
    const { next, clock } = dispatching(profileWith(auth, 'retry: { attempts: 1 }'), token, done, token, done);
    for (const [ms, kind] of [
      [0, 'done'],
      [20_000, 'waiting'],
      [40_000, 'done'],
    ] as const) {
      clock.advance(ms);
      expect((await next()).kind).toBe(kind);
    }
  });
});
