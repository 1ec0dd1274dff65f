import { describe, expect, it } from 'vitest';
import { answer, carrierOf, createWorld, worldOf } from '../world.ts';
import { account, profileWith } from './profiles.ts';

const done = answer(200, { number: 'T1' });

/** What one create sent, and what was kept of it. */
const create = async (auth: string, values = {}) => {
  const world = worldOf(profileWith(auth), done);
  const outcome = await world.run('create', undefined, { account: account(values) });
  return { outcome, request: world.sent[0], kept: JSON.stringify(world.exchanges), sent: world.sent };
};

describe('basic', () => {
  it('joins user and password as UTF-8', async () => {
    const { request } = await create(
      "auth: { basic: { username: '${credentials.user}', password: '${credentials.password}' } }",
    );
    const pair = Buffer.from('erika:pa:ss wörd-1').toString('base64');
    expect(request?.headers['authorization']).toBe(`Basic ${pair}`);
  });

  it('is a matter of the account when the password is empty, and nothing is sent', async () => {
    const { outcome, sent } = await create(
      "auth: { basic: { username: '${credentials.user}', password: '${credentials.password}' } }",
      { password: '' },
    );
    expect(outcome).toMatchObject({
      kind: 'held',
      why: 'config_error',
      problem: { code: 'auth_value_missing', place: { file: 'carriers/acme.yaml' } },
    });
    expect(sent).toHaveLength(0);
  });
});

describe('bearer', () => {
  it('carries a static token', async () => {
    const { request, kept } = await create("auth: { bearer: { token: '${credentials.key}' } }");
    expect(request?.headers['authorization']).toBe('Bearer key-0123456789');
    expect(kept).not.toContain('key-0123456789');
  });

  it('hides also a token that the profile makes of parts', async () => {
    const carrier = carrierOf(profileWith("auth: { bearer: { token: '${$uppercase(credentials.key)}' } }"));
    const world = createWorld(carrier, [answer(200, { number: 'T1', echo: 'KEY-0123456789' })]);
    await world.run('create', undefined, { account: account() });
    expect(world.sent[0]?.headers['authorization']).toBe('Bearer KEY-0123456789');
    expect(world.exchanges[0]?.responseBody?.toString()).not.toContain('KEY-0123456789');
  });
});

describe('apiKey', () => {
  it('travels in the header that the profile names', async () => {
    const { request } = await create("auth: { apiKey: { header: X-Code, value: '${credentials.key}' } }");
    expect(request?.headers['x-code']).toBe('key-0123456789');
  });

  it('travels in the query, beside what the URL has, and is not written down', async () => {
    const profile = profileWith("auth: { apiKey: { query: code, value: '${credentials.key}' } }").replace(
      'post: /orders',
      "post: '/orders?a=1'\n    query: { note: 'two words' }",
    );
    const world = worldOf(profile, done);
    await world.run('create', undefined, { account: account() });
    expect(world.sent[0]?.url).toBe('https://api.acme.example/orders?a=1&note=two%20words&code=key-0123456789');
    expect(world.exchanges[0]?.url).toContain('code=***key***');
  });
});

describe('none, and several together', () => {
  it('sends nothing of it where a step says none', async () => {
    const profile = profileWith("auth: { bearer: { token: '${credentials.key}' } }").replace(
      'post: /orders',
      'post: /orders\n    auth: none',
    );
    const world = worldOf(profile, done);
    await world.run('create', undefined, { account: account() });
    expect(world.sent[0]?.headers['authorization']).toBeUndefined();
  });

  it('applies a list of names, each where it belongs', async () => {
    const { request } = await create(`auth: [who, what]
auths:
  who: { basic: { username: '\${credentials.user}', password: '\${credentials.password}' } }
  what: { apiKey: { header: x-key, value: '\${credentials.key}' } }`);
    expect(request?.headers['authorization']).toMatch(/^Basic /);
    expect(request?.headers['x-key']).toBe('key-0123456789');
  });
});

describe('what is made of a secret', () => {
  it.each([
    "$hash('md5', credentials.key)",
    "$hmac('sha256', credentials.key, consignment.referenceId)",
    '$base64($uppercase(credentials.user) & credentials.key)',
  ])('is masked too: %s', async (made) => {
    const profile = profileWith('auth: none').replace(
      "ref: '${consignment.referenceId}'",
      `ref: '\${${made.replaceAll("'", '"')}}'`,
    );
    const world = worldOf(profile, (request) =>
      answer(200, { number: 'T1', echo: JSON.parse(Buffer.from(request.body ?? []).toString()).ref }),
    );
    await world.run('create', undefined, { account: account() });
    const sent = JSON.parse(Buffer.from(world.sent[0]?.body ?? []).toString()) as { ref: string };
    expect(sent.ref.length).toBeGreaterThan(16);
    const [exchange] = world.exchanges;
    expect(`${exchange?.requestBody?.toString()}${exchange?.responseBody?.toString()}`).not.toContain(sent.ref);
    expect(exchange?.requestBody?.toString()).toContain('***');
  });
});
