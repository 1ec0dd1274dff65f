import { describe, expect, it } from 'vitest';
import type { WireOutcome, WireRequest } from '../../../../src/engine/transport/wire.ts';
import { answer, carrierOf, createWorld, refused, reset, worldOf } from '../world.ts';
import { account, profileWith } from './profiles.ts';

const done = answer(200, { number: 'T1' });
const oauth2 = (keys: string): string =>
  `auth: { oauth2: { tokenUrl: /token, clientId: '\${credentials.user}', clientSecret: '\${credentials.password}', ${keys} } }`;
const grant = (token: string, more: object = {}) =>
  answer(200, { access_token: token, token_type: 'bearer', expires_in: 1_000, ...more });
const formOf = (request: WireRequest | undefined) =>
  Object.fromEntries(new URLSearchParams(Buffer.from(request?.body ?? []).toString()));
const clientCredentials = oauth2('grant: client_credentials');

const authWorld = (auth: string, replies: readonly WireOutcome[], more = '') => {
  const world = worldOf(profileWith(auth, more), ...replies);
  let number = 0;
  return {
    ...world,
    create: async (version = 1, values = {}) => {
      number += 1;
      return await world.another('create', undefined, { seed: `seed-${number}`, account: account(values, version) });
    },
    paths: () => world.sent.map(({ url }) => new URL(url).pathname),
  };
};

describe('an oauth2 token', () => {
  it('is fetched by client credentials, the client named in the body', async () => {
    const world = authWorld(oauth2("grant: client_credentials, scope: 'ship track', params: { audience: acme }"), [
      grant('tok-1-secret'),
      done,
    ]);
    expect((await world.create()).kind).toBe('done');
    expect(formOf(world.sent[0])).toEqual({
      grant_type: 'client_credentials',
      client_id: 'erika',
      client_secret: 'pa:ss wörd-1',
      scope: 'ship track',
      audience: 'acme',
    });
    expect(world.sent[0]).toMatchObject({ method: 'POST', url: 'https://api.acme.example/token' });
    expect(world.sent[1]?.headers['authorization']).toBe('Bearer tok-1-secret');
  });

  it('is fetched with the client named by Basic, each part form-encoded first', async () => {
    const world = authWorld(oauth2('grant: client_credentials, clientAuth: basic'), [grant('tok-1-secret'), done]);
    await world.create();
    expect(formOf(world.sent[0])).toEqual({ grant_type: 'client_credentials' });
    const pair = Buffer.from(
      (world.sent[0]?.headers['authorization'] ?? '').replace('Basic ', ''),
      'base64',
    ).toString();
    expect(pair).toBe('erika:pa%3Ass+w%C3%B6rd-1');
  });

  it('is fetched by password', async () => {
    const world = authWorld(
      oauth2("grant: password, username: '${credentials.user}', password: '${credentials.key}'"),
      [grant('tok-1-secret'), done],
    );
    await world.create();
    expect(formOf(world.sent[0])).toMatchObject({
      grant_type: 'password',
      username: 'erika',
      password: 'key-0123456789',
    });
  });

  it('is fetched by a refresh token, and a rotated one is kept, also when the account changes otherwise', async () => {
    const world = authWorld(oauth2("grant: refresh_token, refreshToken: '${credentials.refresh}'"), [
      grant('tok-1-secret', { refresh_token: 'refresh-two-2' }),
      done,
      grant('tok-2-secret', { refresh_token: 'refresh-three-3' }),
      done,
      grant('tok-3-secret'),
      done,
      grant('tok-4-secret'),
      done,
    ]);
    await world.create();
    world.clock.advance(901_000);
    await world.create();
    await world.create(2);
    await world.create(3, { refresh: 'refresh-fresh-9' });
    const used = world.sent
      .filter(({ url }) => url.endsWith('/token'))
      .map((request) => formOf(request)['refresh_token']);
    expect(used).toEqual(['refresh-one-1', 'refresh-two-2', 'refresh-three-3', 'refresh-fresh-9']);
  });

  it('is used for 90% of its life, then fetched anew', async () => {
    const world = authWorld(clientCredentials, [grant('tok-1-secret'), done, done, grant('tok-2-secret'), done]);
    await world.create();
    world.clock.advance(899_000);
    await world.create();
    world.clock.advance(2_000);
    await world.create();
    expect(world.paths()).toEqual(['/token', '/orders', '/orders', '/token', '/orders']);
    expect(world.sent[4]?.headers['authorization']).toBe('Bearer tok-2-secret');
  });

  it('is fetched once for many calls at once', async () => {
    const each = `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
credentials: { user: {}, password: { secret: true } }
${clientCredentials}
operations:
  create:
    forEach: consignment.itemList
    parallel: 4
    post: /orders
    result: '{ "itemsTrackDetails": steps.create.{ "itemReferenceNumber": item.itemReferenceNumber, "trackingNumber": body.number } }'
`;
    const world = worldOf(each, grant('tok-1-secret'), done, done);
    expect((await world.run('create', undefined, { account: account() })).kind).toBe('done');
    expect(world.sent.filter(({ url }) => url.endsWith('/token'))).toHaveLength(1);
  });

  it('is dropped on a 401, fetched anew once, and the step repeated once', async () => {
    const world = authWorld(clientCredentials, [grant('tok-1-secret'), answer(401), grant('tok-2-secret'), done]);
    expect((await world.create()).kind).toBe('done');
    expect(world.paths()).toEqual(['/token', '/orders', '/token', '/orders']);
    expect(world.sent[3]?.headers['authorization']).toBe('Bearer tok-2-secret');
  });

  it('refused a second time is a matter of the configuration, and not asked about again', async () => {
    const world = authWorld(clientCredentials, [
      grant('tok-1-secret'),
      answer(401),
      grant('tok-2-secret'),
      answer(401),
    ]);
    expect(await world.create()).toMatchObject({ kind: 'held', why: 'config_error' });
    expect(world.unused()).toBe(0);
  });

  it('stays out of whatever is written down, and the login keeps no body', async () => {
    const world = authWorld(clientCredentials, [
      grant('tok-1-secret'),
      answer(200, { number: 'T1', echo: 'tok-1-secret' }),
    ]);
    await world.create();
    expect(world.exchanges).toHaveLength(2);
    for (const { requestBody, responseBody, ...exchange } of world.exchanges) {
      expect(`${JSON.stringify(exchange)}${requestBody?.toString()}${responseBody?.toString()}`).not.toMatch(
        /tok-1-secret|pa:ss/,
      );
    }
    expect(world.exchanges[0]).toMatchObject({
      operation: 'login',
      requestBody: undefined,
      responseBody: undefined,
      status: 200,
    });
  });
});

const keyed = (auth: string): string =>
  profileWith(auth).replace(
    'post: /orders',
    "idempotency: key\n    post: /orders\n    headers: { key: '${idempotencyKey}' }",
  );

describe('a 401 while an earlier try may have been carried out', () => {
  it('says nothing of that try: the outcome stays unknown', async () => {
    const world = worldOf(
      keyed(clientCredentials),
      grant('tok-1-secret'),
      reset,
      answer(401),
      grant('tok-2-secret'),
      answer(401),
    );
    expect((await world.run('create', undefined, { account: account() })).kind).toBe('waiting');
    expect(await world.run('create', undefined, { account: account() })).toMatchObject({
      kind: 'held',
      why: 'unknown_outcome',
    });
    expect(world.attemptLog.calls[0]?.state).toBe('unknown');
  });

  it('leaves the doubt in the attempt log before it asks again', async () => {
    const states: string[] = [];
    const world = worldOf(
      keyed(clientCredentials),
      grant('tok-1-secret'),
      reset,
      answer(401),
      () => {
        states.push(world.attemptLog.calls[0]?.state ?? '');
        return grant('tok-2-secret');
      },
      done,
    );
    await world.run('create', undefined, { account: account() });
    expect((await world.run('create', undefined, { account: account() })).kind).toBe('done');
    expect(states).toEqual(['unknown']);
  });
});

describe('a login that fails', () => {
  it('refused is a matter of the configuration, and not tried again until the account changes', async () => {
    const world = authWorld(clientCredentials, [answer(400, { error: 'invalid_client' }), grant('tok-1-secret'), done]);
    expect(await world.create()).toMatchObject({ kind: 'held', why: 'config_error' });
    expect(await world.create()).toMatchObject({ kind: 'held', why: 'config_error' });
    expect(world.sent).toHaveLength(1);
    expect((await world.create(2)).kind).toBe('done');
  });

  it('is tried again under a mended profile', async () => {
    const first = carrierOf(profileWith(clientCredentials));
    const second = carrierOf(profileWith(clientCredentials.replace('/token', '/oauth/token')));
    const world = createWorld(first, [answer(404), grant('tok-1-secret'), done]);
    expect((await world.run('create', undefined, { account: account() })).kind).toBe('held');
    const { create } = second.operations;
    if (create === undefined) throw new Error('no create');
    expect(
      (await world.another('create', undefined, { account: account(), carrier: second, operation: create })).kind,
    ).toBe('done');
  });

  it.each([
    ['nobody listens', refused],
    ['the connection is cut', reset],
    ['a 500', answer(500)],
    ['a 429', answer(429)],
  ])('because %s is tried again later', async (_, reply) => {
    const world = authWorld(clientCredentials, [reply, grant('tok-1-secret'), done]);
    expect((await world.create()).kind).toBe('waiting');
    expect((await world.create()).kind).toBe('done');
  });

  it('and asks for patience is given it', async () => {
    const world = authWorld(clientCredentials, [answer(429, undefined, { 'retry-after': '120' })]);
    expect(await world.create()).toMatchObject({ kind: 'waiting', dueAtMs: world.clock.now() + 120_000 });
  });

  it('without a token in the answer is a matter of the profile, and is not remembered', async () => {
    const world = authWorld(clientCredentials, [answer(200, { token: 'x' }), grant('tok-1-secret'), done]);
    expect(await world.create()).toMatchObject({
      kind: 'held',
      why: 'config_error',
      problem: { code: 'login_failed' },
    });
    expect((await world.create()).kind).toBe('done');
  });

  it('tells no secret that the carrier quotes', async () => {
    const world = authWorld(clientCredentials, [
      {
        ...answer(400),
        headers: { 'content-type': 'text/plain' },
        body: Buffer.from('wrong: pa:ss wörd-1'),
      } as WireOutcome,
    ]);
    const outcome = await world.create();
    expect(JSON.stringify(outcome)).toContain('***password***');
    expect(JSON.stringify(outcome)).not.toContain('pa:ss');
  });
});

describe('limits', () => {
  it('of one call at a time leave room for the login that the call needs', async () => {
    const world = authWorld(clientCredentials, [grant('tok-1-secret'), done], 'limits: { concurrency: 1 }\n');
    expect((await world.create()).kind).toBe('done');
  });

  it('that hold a login back use up no attempt', async () => {
    const login = `auth:
  session:
    login: { post: /login, limits: { rate: 1/m, per: account } }
    token: response.body.token
    expiresIn: 10s
`;
    const world = authWorld(
      login,
      [answer(200, { token: 'tok-1-secret' }), done, answer(200, { token: 'tok-2-secret' }), done],
      'retry: { attempts: 1 }\n',
    );
    await world.create();
    world.clock.advance(20_000);
    const held = await world.create();
    expect(held).toMatchObject({ kind: 'waiting' });
    world.clock.advance(40_000);
    expect((await world.create()).kind).toBe('done');
  });
});
