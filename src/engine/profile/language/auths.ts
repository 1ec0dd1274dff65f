import * as f from './field.ts';

const HEADER_OR_QUERY = { keys: ['header', 'query'], needed: true };
const header = f.plain('The header that carries it.', 'X-Api-Key');
const query = f.plain('The query parameter that carries it.', 'key');

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
const oauth2 = f.group('OAuth 2 as RFC 6749 defines it; any other login is a session.', {
  example: { grant: 'client_credentials', tokenUrl: '/token', clientId: '${credentials.clientId}' },
  required: ['grant', 'tokenUrl', 'clientId'],
})({
  grant: f.word(['client_credentials', 'password', 'refresh_token'], 'The grant of RFC 6749.', 'password'),
  tokenUrl: f.text('The token endpoint: a path after environment.url, or absolute.', '/token', { encoding: 'url' }),
  clientId: f.text('Client id.', '${credentials.clientId}'),
  clientSecret: f.text('Client secret.', '${credentials.clientSecret}', { secret: true }),
  clientAuth: f.word(['body', 'basic'], 'Where the client id and secret are sent.', 'basic', { default: 'body' }),
  username: f.text('For the grant password.', '${credentials.username}'),
  password: f.text('For the grant password.', '${credentials.password}', { secret: true }),
  refreshToken: f.text('For the grant refresh_token.', '${credentials.refreshToken}', { secret: true }),
  scope: f.text('The requested scope.', 'shipping'),
  params: f.mapOf(
    tokenParam,
    'Further fields of the token request.',
    { audience: 'https://api.acme.example' },
    { default: {} },
  ),
});

const sent = (what: string, encoding: 'header' | 'query', example: Readonly<Record<string, string>>) =>
  f.mapOf(f.text('Its value.', '${token}', { encoding }), what, example, { default: {} });
const sentByName = f.word(['bearer', 'none'], 'bearer, or none if the body carries it.', 'none');
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
const send = f.either([sentByName, sentAsWritten], 'How requests carry the token.', 'none', { default: 'bearer' });

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
  token: f.expr('The token, from the login’s response.', 'response.body.accessToken'),
  expiresIn: f.lifetime(
    'How long it is valid: a duration, or an expression that yields seconds.',
    'response.body.expiresIn',
  ),
  expiresAt: f.expr('When it expires.', 'response.body.expires'),
  save: f.mapOf(
    f.expr('From the login’s response.', 'response.body.depot'),
    'Further values to keep with the token.',
    { depot: 'response.body.depot' },
    { names: f.NAMES, default: {} },
  ),
  send: f.compiledAs(send, (way): Send => (typeof way === 'string' ? { as: way } : { as: 'fields', ...way })),
});

const signature = f.group('A hash or HMAC over the request.', {
  example: { algorithm: 'hmac-sha256', key: '${credentials.webhookSecret}', header: 'x-signature' },
  required: ['algorithm'],
  oneOf: HEADER_OR_QUERY,
  site: { position: 'signature' },
})({
  algorithm: f.name(
    '^(hmac-)?[a-z0-9-]+$',
    'be hmac-<hash> or <hash>',
    'Its algorithm: hmac-<hash>, or a plain hash, as node:crypto names them.',
    'hmac-sha256',
  ),
  key: f.text('The key of an hmac.', '${credentials.webhookSecret}', { secret: true }),
  over: f.text('What is signed.', '${request.method}${request.path}${request.text}', { otherwise: 'the raw body' }),
  encoding: f.word(['hex', 'base64', 'base64url'], 'How the signature is written.', 'base64', { default: 'hex' }),
  header,
  query,
  format: f.text('The text around the signature.', 'sha256=${signature}', { site: { position: 'signatureFormat' } }),
  timestamp: f.text('A text that yields the signed time.', '${request.headers.`x-timestamp`}'),
  tolerance: f.duration('How far that time may differ from now.', '10m', { default: '5m' }),
});

const mtls = f.group('A client certificate.', { required: ['certificate', 'key'] })({
  certificate: f.text('Client certificate, PEM.', '${credentials.cert}'),
  key: f.text('Its private key, PEM.', '${credentials.certKey}', { secret: true }),
  passphrase: f.text('The passphrase of the key.', '${credentials.certPassphrase}'),
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
  f.either([nameOf, written, f.list(nameOf, 'Names applied together.', ['access', 'payment'])], description, 'login');

const authKind = oneKind(AUTH_KINDS, 'One kind of auth.');
const authKindRef = f.shared('authKind', authKind);
const anyAuth = anyOf(
  authKindRef,
  'How requests are authenticated: a name from auths, none, a kind written out, or names.',
);
export const authDefs = { authKind, auth: anyAuth };
export const auth = f.shared('auth', anyAuth);
export const webhookAuth = anyOf(
  oneKind(incoming, 'One kind of auth, for incoming requests.'),
  'How the carrier authenticates; none only together with allow.',
);
export const auths = f.mapOf(
  authKindRef,
  'Auths by name.',
  { login: { bearer: { token: '${credentials.token}' } } },
  { names: f.NAMES },
);
