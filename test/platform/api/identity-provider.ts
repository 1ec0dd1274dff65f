/** An OpenID provider that lets everybody in at once, as the person it was told; it checks what a real one checks. */
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { startHttp } from '../../engine/transport/servers.ts';

export const CLIENT = { clientId: 'waybill', clientSecret: 'a-secret-of-the-provider' };

type Claims = Record<string, unknown>;

/** Another site than the server under test, as a provider is. */
const urlOf = (port: number): string => `http://localhost:${port}`;

export const startIdentityProvider = async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const others = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const state = {
    person: { sub: 'p-1', email: 'ada@example.com', email_verified: true, groups: ['support'] } as Claims,
    /** Written over the claims that are right. */
    claims: {} as Claims,
    refuses: undefined as string | undefined,
    isForged: false,
    isDown: false,
  };
  const grants = new Map<string, { readonly challenge: string; readonly redirect: string; readonly nonce: string }>();
  const jwt = (issuer: string, nonce: string): string => {
    const nowS = Math.floor(Date.now() / 1_000);
    const right = { iss: issuer, aud: CLIENT.clientId, iat: nowS, exp: nowS + 300, nonce };
    const parts = [
      { alg: 'RS256', kid: 'one' },
      { ...right, ...state.person, ...state.claims },
    ];
    const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const key = state.isForged ? others.privateKey : privateKey;
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
  };
  const server = await startHttp((request, response) => {
    const json = (body: object, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const url = urlOf(server.port);
    const { pathname, searchParams: query } = new URL(request.url ?? '', url);
    if (state.isDown) return json({}, 503);
    if (pathname === '/.well-known/openid-configuration')
      return json({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        id_token_signing_alg_values_supported: ['RS256'],
      });
    if (pathname === '/keys')
      return json({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] });
    if (pathname === '/authorize') {
      const code = randomUUID();
      const redirect = query.get('redirect_uri') ?? '';
      const back = new URL(redirect);
      back.searchParams.set('state', query.get('state') ?? '');
      if (state.refuses === undefined) {
        grants.set(code, { redirect, challenge: query.get('code_challenge') ?? '', nonce: query.get('nonce') ?? '' });
        back.searchParams.set('code', code);
      } else back.searchParams.set('error', state.refuses);
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    void text(request).then((body) => {
      const form = new URLSearchParams(body);
      const grant = grants.get(form.get('code') ?? '');
      grants.delete(form.get('code') ?? '');
      const [id, secret] = [form.get('client_id'), form.get('client_secret')];
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const isRight = grant?.challenge === challenge && grant.redirect === form.get('redirect_uri');
      if (!isRight || id !== CLIENT.clientId || secret !== CLIENT.clientSecret)
        return json({ error: 'invalid_grant' }, 400);
      json({ access_token: randomUUID(), token_type: 'Bearer', id_token: jwt(url, grant.nonce) });
    });
  });
  return { url: urlOf(server.port), state };
};
export type TestProvider = Awaited<ReturnType<typeof startIdentityProvider>>;
