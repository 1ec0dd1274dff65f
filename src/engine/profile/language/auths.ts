import { createHash, getHashes } from 'node:crypto';
import { didYouMean } from '../../mapping/closest.ts';
import * as f from './field.ts';
import type { ScalarIssue } from './kinds.ts';

const HEADER_OR_QUERY = { keys: ['header', 'query'], needed: true };
const header = f.plain('The header in which it is sent.', 'X-Api-Key');
const query = f.plain('The query parameter in which it is sent.', 'key');

const basic = f.group('HTTP Basic.', { required: ['username', 'password'] })({
  username: f.text('User name.', '${credentials.id}'),
  password: f.text('Password.', '${credentials.key}', { secret: true }),
});

const bearer = f.group('A token in the Authorization header.', { required: ['token'] })({
  token: f.text('The token.', '${credentials.token}', { secret: true }),
});

const apiKey = f.group('A key in a header or query parameter.', {
  example: { header: 'code', value: '${credentials.code}' },
  required: ['value'],
  oneOf: HEADER_OR_QUERY,
})({ header, query, value: f.text('The key.', '${credentials.code}', { secret: true }) });

const tokenParam = f.text('Its value.', 'https://api.acme.example', { encoding: 'query' });
const oauth2 = f.group('OAuth 2.0 (RFC 6749); any other login is a session.', {
  example: { grant: 'client_credentials', tokenUrl: '/token', clientId: '${credentials.clientId}' },
  required: ['grant', 'tokenUrl', 'clientId'],
})({
  grant: f.word(['client_credentials', 'password', 'refresh_token'], 'The grant type.', 'password'),
  tokenUrl: f.text('The token endpoint: an absolute URL, or a path relative to environment.url.', '/token', {
    encoding: 'url',
  }),
  clientId: f.text('Client id.', '${credentials.clientId}'),
  clientSecret: f.text('Client secret.', '${credentials.clientSecret}', { secret: true }),
  clientAuth: f.word(['body', 'basic'], 'Where the client id and secret are sent.', 'basic', { default: 'body' }),
  username: f.text('User name for the password grant.', '${credentials.username}'),
  password: f.text('Password for the password grant.', '${credentials.password}', { secret: true }),
  refreshToken: f.text('Refresh token for the refresh_token grant.', '${credentials.refreshToken}', { secret: true }),
  scope: f.text('The requested scope.', 'shipping'),
  params: f.mapOf(
    tokenParam,
    'Additional fields of the token request.',
    { audience: 'https://api.acme.example' },
    { default: {} },
  ),
});

const sent = (what: string, encoding: 'header' | 'query', example: Readonly<Record<string, string>>) =>
  f.mapOf(f.text('Its value.', '${token}', { encoding }), what, example, { default: {} });
const sentByName = f.word(['bearer', 'none'], 'bearer, or none if the token is sent in the body.', 'none');
const sentAsWritten = f.group('Headers and query parameters to send, using ${token}.', {
  example: ['headers'],
  site: { position: 'send' },
})({
  headers: sent('Headers to send.', 'header', { 'X-Token': '${token}' }),
  query: sent('Query parameters to send.', 'query', { token: '${token}' }),
});
type Send =
  | { readonly as: 'bearer' }
  | { readonly as: 'none' }
  | ({ readonly as: 'fields' } & f.Value<typeof sentAsWritten>);
const send = f.either([sentByName, sentAsWritten], 'How the token is sent with requests.', 'none', {
  default: 'bearer',
});

const session = f.group('Any other login.', {
  example: { login: { post: '/login' }, token: 'response.body.token', expiresIn: '1h' },
  required: ['login', 'token'],
  oneOf: { keys: ['expiresIn', 'expiresAt'], needed: false },
  site: { position: 'session' },
})({
  login: f.ref('login', 'The step that logs in.', {
    post: '/login',
    body: { json: { user: '${credentials.user}' } },
  }),
  token: f.expr('The token in the login’s response.', 'response.body.accessToken'),
  expiresIn: f.lifetime(
    'Lifetime of the token: a duration, or an expression that yields seconds.',
    'response.body.expiresIn',
  ),
  expiresAt: f.expr('Expiry time of the token.', 'response.body.expires'),
  save: f.mapOf(
    f.expr('A value in the login’s response.', 'response.body.depot'),
    'Additional values to store with the token.',
    { depot: 'response.body.depot' },
    { names: f.NAMES, default: {} },
  ),
  send: f.compiledAs(send, (way): Send => (typeof way === 'string' ? { as: way } : { as: 'fields', ...way })),
});

const hashIssue = (algorithm: string): ScalarIssue | undefined => {
  const hash = algorithm.replace(/^hmac-/, '');
  try {
    // It knows more names than `getHashes` lists: sha-256 beside sha256.
    createHash(hash);
    return undefined;
  } catch {
    return [`there is no hash ${hash}`, didYouMean(hash, getHashes()) ?? 'like sha256'];
  }
};

const signature = f.group('A hash or HMAC of the request.', {
  example: { algorithm: 'hmac-sha256', key: '${credentials.webhookSecret}', header: 'x-signature' },
  required: ['algorithm'],
  oneOf: HEADER_OR_QUERY,
  site: { position: 'signature' },
})({
  algorithm: f.name(
    '^(hmac-)?[a-z0-9-]+$',
    'be hmac-<hash> or <hash>',
    'The algorithm: hmac-<hash>, or a plain hash, by its name in node:crypto.',
    'hmac-sha256',
    { issue: hashIssue },
  ),
  key: f.text('The key of an HMAC.', '${credentials.webhookSecret}', { secret: true }),
  over: f.text('What is signed.', '${request.method}${request.path}${request.text}', { otherwise: 'the raw body' }),
  encoding: f.word(['hex', 'base64', 'base64url'], 'Encoding of the signature.', 'base64', { default: 'hex' }),
  header,
  query,
  format: f.text('Text around the signature.', 'sha256=${signature}', { site: { position: 'signatureFormat' } }),
  timestamp: f.text('The signed timestamp.', '${request.headers.`x-timestamp`}'),
  tolerance: f.duration('Maximum difference between the timestamp and now.', '10m', { default: '5m' }),
});

const mtls = f.group('A client certificate.', { required: ['certificate', 'key'] })({
  certificate: f.text('Client certificate (PEM).', '${credentials.cert}'),
  key: f.text('Private key of the certificate (PEM).', '${credentials.certKey}', { secret: true }),
  passphrase: f.text('Passphrase of the private key.', '${credentials.certPassphrase}'),
});

export const AUTH_KINDS = { basic, bearer, apiKey, oauth2, session, signature, mtls };
const { oauth2: _oauth2, session: _session, ...incoming } = AUTH_KINDS;

const oneKind = (kinds: Readonly<Record<string, f.Field>>, description: string) =>
  f.group(description, {
    example: { bearer: { token: '${credentials.token}' } },
    oneOf: { keys: Object.keys(kinds), needed: true },
  })(kinds);

const nameOf = f.name(f.NAME, 'be a name from auths, or none', 'A name from auths, or none.', 'login');
const anyOf = (written: f.Field, description: string): f.Field =>
  f.either(
    [nameOf, written, f.list(nameOf, 'Names of auths to apply together.', ['access', 'payment'])],
    description,
    'login',
  );

const authKind = oneKind(AUTH_KINDS, 'One kind of auth.');
const authKindRef = f.shared('authKind', authKind);
const anyAuth = anyOf(
  authKindRef,
  'How requests are authenticated: a name from auths, none, one kind inline, or a list of names.',
);
export const authDefs = { authKind, auth: anyAuth };
export const auth = f.shared('auth', anyAuth);
export const webhookAuth = anyOf(
  oneKind(incoming, 'One kind of auth, for incoming requests.'),
  'How the carrier’s requests are authenticated; none only together with allow.',
);
export const auths = f.mapOf(
  authKindRef,
  'Auths by name.',
  { login: { bearer: { token: '${credentials.token}' } } },
  { names: f.NAMES },
);
