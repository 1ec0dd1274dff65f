import { describe, expect, it } from 'vitest';
import { answer, bodyOf } from '../world.ts';
import { create, done, profileWith } from './profiles.ts';

const basic = "{ basic: { username: '${credentials.user}', password: '${credentials.password}' } }";
const bearer = "{ bearer: { token: '${credentials.key}' } }";
const pair = `Basic ${Buffer.from('erika:pa:ss wörd-1').toString('base64')}`;

describe('an auth', () => {
  it.each([
    ['basic: user and password, as UTF-8', `auth: ${basic}`, '', { authorization: pair }],
    ['bearer: a static token', `auth: ${bearer}`, '', { authorization: 'Bearer key-0123456789' }],
    ['apiKey', "auth: { apiKey: { header: X-Code, value: '${credentials.key}' } }", '', { 'x-code': 'key-0123456789' }],
    [
      'a list of names, each where it belongs',
      `auth: [who, what]\nauths: { who: ${basic}, what: { apiKey: { header: x-key, value: '\${credentials.key}' } } }`,
      '',
      { authorization: pair, 'x-key': 'key-0123456789' },
    ],
    ['none, where a step says so', `auth: ${bearer}`, 'auth: none', { authorization: undefined }],
  ])('is sent, and not written down: %s', async (_, auth, lines, headers) => {
    const { request, exchanges } = await create(profileWith(auth, lines), [done]);
    for (const [name, value] of Object.entries(headers)) expect(request?.headers[name]).toBe(value);
    expect(JSON.stringify(exchanges)).not.toMatch(/key-0123456789|cGE6c3M/);
  });

  it('travels in the query, beside what the URL has, and is not written down', async () => {
    const auth = "auth: { apiKey: { query: code, value: '${credentials.key}' } }";
    const profile = profileWith(auth, "query: { note: 'two words' }").replace('post: /orders', "post: '/orders?a=1'");
    const { request, exchanges } = await create(profile, [done]);
    expect(request?.url).toBe('https://api.acme.example/orders?a=1&note=two%20words&code=key-0123456789');
    expect(exchanges[0]?.url).toContain('code=***key***');
  });

  it('is a matter of the account when a value is empty, and nothing is sent', async () => {
    const { outcome, sent } = await create(profileWith(`auth: ${basic}`), [], { password: '' });
    const problem = { code: 'auth_value_missing', place: { file: 'carriers/acme.yaml' } };
    expect(outcome).toMatchObject({ kind: 'held', why: 'config_error', problem });
    expect(sent).toHaveLength(0);
  });
});

describe('what is made of a secret', () => {
  it('is masked as a token', async () => {
    const profile = profileWith("auth: { bearer: { token: '${$uppercase(credentials.key)}' } }");
    const { request, exchanges } = await create(profile, [{ ...done, echo: 'KEY-0123456789' }]);
    expect(request?.headers['authorization']).toBe('Bearer KEY-0123456789');
    expect(exchanges[0]?.responseBody?.toString()).not.toContain('KEY-0123456789');
  });

  it.each([
    "$hash('md5', credentials.key)",
    "$hmac('sha256', credentials.key, consignment.referenceId)",
    '$base64($uppercase(credentials.user) & credentials.key)',
  ])('is masked in bodies: %s', async (expression) => {
    const profile = profileWith('auth: none', '', `ref: '\${${expression.replaceAll("'", '"')}}'`);
    const { request, exchanges } = await create(profile, [
      (sent) => answer(200, { ...done, echo: (bodyOf(sent) as { ref: string }).ref }),
    ]);
    const { ref } = bodyOf(request) as { ref: string };
    expect(ref.length).toBeGreaterThan(16);
    const kept = [exchanges[0]?.requestBody, exchanges[0]?.responseBody].map(String);
    for (const body of kept) expect(body).not.toContain(ref);
    expect(kept[0]).toContain('***');
  });
});
