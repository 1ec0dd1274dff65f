import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signatureOf, type SignedRequest, verify } from '../../../../src/engine/dispatch/auth/authenticate.ts';
import type { AuthOf } from '../../../../src/engine/dispatch/auth/token.ts';
import { carrierOf } from '../world.ts';
import { account, create, done, profileWith } from './profiles.ts';

const KEY = 'key-0123456789';
const hmac = (text: string | Buffer, encoding: 'hex' | 'base64' = 'hex'): string =>
  createHmac('sha256', KEY).update(text).digest(encoding);

/** What one create sent under this signature. */
const sign = async (keys: string, lines = '', path = '/orders') => {
  const auth = `auth: { signature: { key: '\${credentials.key}', ${keys} } }`;
  const { request, clock } = await create(profileWith(auth, lines).replace('post: /orders', `post: '${path}'`), [done]);
  return { request, text: Buffer.from(request?.body ?? []).toString(), now: new Date(clock.now()).toISOString() };
};

describe('a signature of a request', () => {
  it('is over the raw body unless said otherwise', async () => {
    const { request, text } = await sign('algorithm: hmac-sha256, header: X-Signature');
    expect(text).not.toBe('');
    expect(request?.headers['x-signature']).toBe(hmac(text));
  });

  it('is over declared parts of the exact request, in their order', async () => {
    const over =
      '${request.method}|${request.path}|${request.query.a}|${request.headers.date}|${sentAt}|${request.text}';
    const keys = `algorithm: hmac-sha256, header: sig, encoding: base64, over: '${over}'`;
    const { request, text, now } = await sign(keys, "headers: { Date: '${sentAt}' }", '/orders/x?a=b%20c');
    expect(request?.headers['sig']).toBe(hmac(`POST|/orders/x|b c|${now}|${now}|${text}`, 'base64'));
  });

  it('may be over fields of the body, as a hash without a key', async () => {
    const over = '${request.body.ref}${request.body.amount}${credentials.key}';
    const { request } = await sign(`algorithm: md5, header: sig, over: '${over}'`);
    expect(request?.headers['sig']).toBe(createHash('md5').update(`REF-112${KEY}`).digest('hex'));
  });

  it('travels in the query, beside what is there, in the format of the profile', async () => {
    const keys = "algorithm: hmac-sha256, query: sig, format: 'v1=${signature}'";
    const { request, text } = await sign(keys, "query: { note: 'two words' }");
    expect(request?.url).toBe(`https://api.acme.example/orders?note=two%20words&sig=v1%3D${hmac(text)}`);
  });

  it('sees what the other auths have put into the request', async () => {
    const profile = profileWith(`auth: [code, sig]
auths:
  sig: { signature: { algorithm: hmac-sha256, key: '\${credentials.key}', header: sig, over: '\${request.headers."x-code"}' } }
  code: { apiKey: { header: X-Code, value: '\${credentials.password}' } }`);
    const { request } = await create(profile, [done]);
    expect(request?.headers['sig']).toBe(hmac('pa:ss wörd-1'));
  });

  it('without a key is a matter of the account', async () => {
    const auth = "auth: { signature: { key: '${credentials.key}', algorithm: hmac-sha256, header: sig } }";
    const { outcome } = await create(profileWith(auth), [], { key: '' });
    expect(outcome).toMatchObject({ kind: 'held', why: 'config_error' });
  });
});

const signature = (keys: string): AuthOf<'signature'> => {
  const carrier = carrierOf(
    profileWith(`auths: { hook: { signature: { key: '\${credentials.key}', ${keys} } } }\nauth: hook`),
  );
  const { hook } = carrier.auths;
  if (hook?.kind !== 'signature') throw new Error('no signature');
  return hook;
};

const rootsOf = (request: SignedRequest, values = {}) => ({
  credentials: account(values).credentials,
  settings: {},
  request,
});

describe('a signature of an incoming request', () => {
  const NOW = Date.parse('2026-05-01T09:00:00Z');
  const body = Buffer.from('{"status":"ok","n":"\u00e9"}');
  const context = { tables: {}, time: { zone: 'UTC', formats: [] }, nowMs: NOW, drawn: () => '' };
  const incoming = (headers: Record<string, string>, query: Record<string, string> = {}): SignedRequest => {
    const url = 'https://us.example.com/hook';
    return { method: 'POST', url, path: '/hook', query, headers, text: body.toString() };
  };
  const plain = signature('algorithm: hmac-sha256, header: X-Sig');
  const right = incoming({ 'x-sig': hmac(body) });

  const inQuery = signature("algorithm: hmac-sha256, query: sig, format: 'sha256=${signature}'");
  it.each<[string, AuthOf<'signature'>, SignedRequest, Buffer, boolean]>([
    ['is right over the raw bytes', plain, right, body, true],
    ['may travel in the query', inQuery, incoming({}, { sig: `sha256=${hmac(body)}` }), body, true],
    ['is refused when it is missing', plain, incoming({}), body, false],
    ['is refused when it is another', plain, incoming({ 'x-sig': hmac('other') }), body, false],
    ['is refused when it is shorter', plain, incoming({ 'x-sig': hmac(body).slice(0, 10) }), body, false],
    ['is refused when it is empty', plain, incoming({ 'x-sig': '' }), body, false],
    ['is refused when a byte was added', plain, right, Buffer.concat([body, Buffer.from(' ')]), false],
  ])('%s', async (_, auth, request, raw, ok) => {
    expect((await verify(auth, raw, rootsOf(request), context, NOW)).ok).toBe(ok);
  });

  it('is the same that signing makes', async () => {
    expect(await signatureOf(plain, body, rootsOf(right), context)).toBe(hmac(body));
  });

  it('fails closed without a key', async () => {
    await expect(verify(plain, body, rootsOf(right, { key: '' }), context, NOW)).rejects.toThrow('has no key');
  });

  const stamped = signature(
    "algorithm: hmac-sha256, header: sig, over: '${request.headers.ts}.${request.text}', timestamp: '${request.headers.ts}', tolerance: 5m",
  );
  it.each([
    ['seconds', String(NOW / 1_000 - 299), true],
    ['milliseconds', String(NOW + 299_000), true],
    ['ISO 8601', '2026-05-01T08:56:00Z', true],
    ['too old', String(NOW / 1_000 - 301), false],
    ['too new', String(NOW / 1_000 + 301), false],
    ['no time', 'yesterday', false],
    ['changed since', String(NOW / 1_000), false, String(NOW / 1_000 - 999)],
  ] as const)('counts only near its own time: %s', async (_, ts, ok, signed = ts) => {
    const request = incoming({ ts, sig: hmac(`${signed}.${body.toString()}`) });
    expect((await verify(stamped, body, rootsOf(request), context, NOW)).ok).toBe(ok);
  });
});
