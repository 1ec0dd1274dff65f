import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signatureOf, type SignedRequest, verify } from '../../../../src/engine/dispatch/auth/signature.ts';
import type { AuthOf } from '../../../../src/engine/dispatch/auth/auth-material.ts';
import { answer, carrierOf, worldOf } from '../world.ts';
import { account, profileWith } from './profiles.ts';

const KEY = 'key-0123456789';
const hmac = (text: string | Buffer, encoding: 'hex' | 'base64' = 'hex'): string =>
  createHmac('sha256', KEY).update(text).digest(encoding);

/** What one create sent under this signature. */
const create = async (keys: string, change = (profile: string): string => profile) => {
  const auth = `auth: { signature: { key: '\${credentials.key}', ${keys} } }`;
  const world = worldOf(change(profileWith(auth)), answer(200, { number: 'T1' }));
  const outcome = await world.run('create', undefined, { account: account() });
  const [request] = world.sent;
  return {
    outcome,
    request,
    text: Buffer.from(request?.body ?? []).toString(),
    now: new Date(world.clock.now()).toISOString(),
  };
};

describe('a signature over what goes out', () => {
  it('is over the raw body unless said otherwise', async () => {
    const { request, text } = await create('algorithm: hmac-sha256, header: X-Signature');
    expect(text).not.toBe('');
    expect(request?.headers['x-signature']).toBe(hmac(text));
  });

  it('is over declared parts of the exact request, in their order', async () => {
    const { request, text, now } = await create(
      "algorithm: hmac-sha256, header: sig, encoding: base64, over: '${request.method}|${request.path}|${request.query.a}|${request.headers.date}|${sentAt}|${request.text}'",
      (profile) => profile.replace('post: /orders', "post: '/orders/x?a=b%20c'\n    headers: { Date: '${sentAt}' }"),
    );
    expect(request?.headers['sig']).toBe(hmac(`POST|/orders/x|b c|${now}|${now}|${text}`, 'base64'));
  });

  it('may be over fields of the body, as a hash without a key', async () => {
    const { request } = await create(
      "algorithm: md5, header: sig, over: '${request.body.ref}${request.body.amount}${credentials.key}'",
    );
    expect(request?.headers['sig']).toBe(createHash('md5').update(`REF-112${KEY}`).digest('hex'));
  });

  it('travels in the query, beside what is there, in the format of the profile', async () => {
    const { request, text } = await create("algorithm: hmac-sha256, query: sig, format: 'v1=${signature}'", (profile) =>
      profile.replace('post: /orders', "post: /orders\n    query: { note: 'two words' }"),
    );
    expect(request?.url).toBe(`https://api.acme.example/orders?note=two%20words&sig=v1%3D${hmac(text)}`);
  });

  it('sees what the other auths have put into the request', async () => {
    const profile = profileWith(`auth: [code, sig]
auths:
  sig: { signature: { algorithm: hmac-sha256, key: '\${credentials.key}', header: sig, over: '\${request.headers."x-code"}' } }
  code: { apiKey: { header: X-Code, value: '\${credentials.password}' } }`);
    const world = worldOf(profile, answer(200, { number: 'T1' }));
    await world.run('create', undefined, { account: account() });
    expect(world.sent[0]?.headers['sig']).toBe(hmac('pa:ss wörd-1'));
  });

  it('without a key is a matter of the account', async () => {
    const auth = "auth: { signature: { key: '${credentials.key}', algorithm: hmac-sha256, header: sig } }";
    const world = worldOf(profileWith(auth));
    expect(await world.run('create', undefined, { account: account({ key: '' }) })).toMatchObject({
      kind: 'held',
      why: 'config_error',
    });
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

describe('a signature of what comes in', () => {
  const NOW = Date.parse('2026-05-01T09:00:00Z');
  const body = Buffer.from('{"status":"ok","n":"\u00e9"}');
  const context = { tables: {}, time: { zone: 'UTC', formats: [] }, nowMs: NOW, drawn: () => '' };
  const came = (headers: Record<string, string>, query: Record<string, string> = {}): SignedRequest => ({
    method: 'POST',
    url: 'https://us.example.com/hook',
    path: '/hook',
    query,
    headers,
    text: body.toString(),
  });
  const check = async (auth: AuthOf<'signature'>, request: SignedRequest, raw = body) =>
    await verify(auth, raw, { credentials: account().credentials, settings: {}, request }, context, NOW);
  const plain = signature('algorithm: hmac-sha256, header: X-Sig');

  it('is right over the raw bytes', async () => {
    expect(await check(plain, came({ 'x-sig': hmac(body) }))).toEqual({ ok: true });
  });

  it.each([
    ['is missing', {}],
    ['is another', { 'x-sig': hmac('other') }],
    ['is shorter', { 'x-sig': hmac(body).slice(0, 10) }],
    ['is empty', { 'x-sig': '' }],
  ])('is refused when it %s', async (_, headers) => {
    expect((await check(plain, came(headers as Record<string, string>))).ok).toBe(false);
  });

  it('is refused when one byte of the body is another', async () => {
    expect((await check(plain, came({ 'x-sig': hmac(body) }), Buffer.concat([body, Buffer.from(' ')]))).ok).toBe(false);
  });

  it('may travel in the query', async () => {
    const auth = signature("algorithm: hmac-sha256, query: sig, format: 'sha256=${signature}'");
    expect(await check(auth, came({}, { sig: `sha256=${hmac(body)}` }))).toEqual({ ok: true });
  });

  it('is the same that signing makes', async () => {
    const request = came({});
    const roots = { credentials: account().credentials, settings: {}, request };
    expect(await signatureOf(plain, body, roots, context)).toBe(hmac(body));
  });

  it('fails closed without a key', async () => {
    const roots = {
      credentials: { ...account().credentials, key: '' },
      settings: {},
      request: came({ 'x-sig': hmac(body) }),
    };
    await expect(verify(plain, body, roots, context, NOW)).rejects.toThrow('has no key');
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
  ])('counts only near its own time: %s', async (_, ts, ok) => {
    const request = came({ ts, sig: hmac(`${ts}.${body.toString()}`) });
    expect((await check(stamped, request)).ok).toBe(ok);
  });

  it('whose time was changed is refused', async () => {
    const request = came({ ts: String(NOW / 1_000), sig: hmac(`${NOW / 1_000 - 999}.${body.toString()}`) });
    expect((await check(stamped, request)).ok).toBe(false);
  });
});
