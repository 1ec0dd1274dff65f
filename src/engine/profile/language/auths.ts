import {
  compiledAs,
  duration,
  either,
  expr,
  type Field,
  group,
  lifetime,
  list,
  mapOf,
  name,
  NAME,
  NAMES,
  otherwise,
  plain,
  ref,
  shared,
  standing,
  text,
  type Value,
  withDefault,
  word,
} from './field.ts';

const secret = { 'x-secret': true } as const;
const HEADER_OR_QUERY = { keys: ['header', 'query'], needed: true };
const header = plain('The header that carries it.', 'X-Api-Key');
const query = plain('The query parameter that carries it.', 'key');

const basic = group(
  {
    username: text('User name.', '${credentials.id}'),
    password: text('Password.', '${credentials.key}', secret),
  },
  'HTTP Basic.',
  { username: '${credentials.id}', password: '${credentials.key}' },
  { required: ['username', 'password'] },
);

const bearer = group(
  { token: text('The token.', '${credentials.token}', secret) },
  'A token in the Authorization header.',
  { token: '${credentials.token}' },
  { required: ['token'] },
);

const apiKey = group(
  { header, query, value: text('The key.', '${credentials.code}', secret) },
  'A key in a header or query parameter.',
  { header: 'code', value: '${credentials.code}' },
  { required: ['value'], oneOf: HEADER_OR_QUERY },
);

const oauth2 = group(
  {
    grant: word(['client_credentials', 'password', 'refresh_token'], 'The grant of RFC 6749.', 'password'),
    tokenUrl: text('The token endpoint: a path after environment.url, or absolute.', '/token', {
      'x-encoding': 'url',
    }),
    clientId: text('Client id.', '${credentials.clientId}'),
    clientSecret: text('Client secret.', '${credentials.clientSecret}', secret),
    clientAuth: withDefault('body', word(['body', 'basic'], 'Where id and secret travel.', 'basic')),
    username: text('For the grant password.', '${credentials.username}'),
    password: text('For the grant password.', '${credentials.password}', secret),
    refreshToken: text('For the grant refresh_token.', '${credentials.refreshToken}', secret),
    scope: text('The scope asked for.', 'shipping'),
    params: withDefault(
      {},
      mapOf(
        text('Its value.', 'https://api.acme.example', { 'x-encoding': 'query' }),
        'Further fields of the token request.',
        { audience: 'https://api.acme.example' },
      ),
    ),
  },
  'OAuth 2 as RFC 6749 defines it; any other login is a session.',
  { grant: 'client_credentials', tokenUrl: '/token', clientId: '${credentials.clientId}' },
  { required: ['grant', 'tokenUrl', 'clientId'] },
);

const sent = (what: string, encoding: 'header' | 'query', example: Readonly<Record<string, string>>) =>
  withDefault({}, mapOf(text('Its value.', '${token}', { 'x-encoding': encoding }), what, example));
const SEND_NAMED = word(['bearer', 'none'], 'bearer, or none: the body carries it.', 'none');
const SEND_FIELDS = standing(
  { position: 'send' },
  group(
    {
      headers: sent('Headers to send.', 'header', { 'X-Token': '${token}' }),
      query: sent('Query parameters to send.', 'query', { token: '${token}' }),
    },
    'Headers and query parameters to send, using ${token}.',
    { headers: { 'X-Token': '${token}' } },
  ),
);

type Send =
  | { readonly as: 'bearer' }
  | { readonly as: 'none' }
  | ({ readonly as: 'fields' } & Value<typeof SEND_FIELDS>);
const session = standing(
  { position: 'session' },
  group(
    {
      login: ref('login', 'The step that logs in.', {
        post: '/login',
        body: { json: { user: '${credentials.user}' } },
      }),
      token: expr('The token, from the login’s response.', 'response.body.accessToken'),
      expiresIn: lifetime('How long it lives: a duration, or an expr in seconds.', 'response.body.expiresIn'),
      expiresAt: expr('Until when it lives.', 'response.body.expires'),
      save: withDefault(
        {},
        mapOf(
          expr('From the login’s response.', 'response.body.depot'),
          'Further values to keep beside the token.',
          { depot: 'response.body.depot' },
          { propertyNames: NAMES },
        ),
      ),
      send: withDefault(
        'bearer',
        compiledAs(either([SEND_NAMED, SEND_FIELDS], 'How requests carry the token.', 'none'), (send): Send =>
          typeof send === 'string' ? { as: send } : { as: 'fields', ...send },
        ),
      ),
    },
    'Any other login.',
    { login: { post: '/login' }, token: 'response.body.token', expiresIn: '1h' },
    { required: ['login', 'token'], oneOf: { keys: ['expiresIn', 'expiresAt'], needed: false } },
  ),
);

const signature = standing(
  { position: 'signature' },
  group(
    {
      algorithm: name(
        'Its algorithm: hmac-<hash>, or a plain hash, as node:crypto names them.',
        'hmac-sha256',
        '^(hmac-)?[a-z0-9-]+$',
        'be hmac-<hash> or <hash>',
      ),
      key: text('The key of an hmac.', '${credentials.webhookSecret}', secret),
      over: otherwise('the raw body', text('What is signed.', '${request.method}${request.path}${request.text}')),
      encoding: withDefault('hex', word(['hex', 'base64', 'base64url'], 'How the signature is written.', 'base64')),
      header,
      query,
      format: text('The text around it.', 'sha256=${signature}', { 'x-site': { position: 'signatureFormat' } }),
      timestamp: text('The text that gives the time signed.', '${request.headers.`x-timestamp`}'),
      tolerance: withDefault('5m', duration('How far that time may be off.', '10m')),
    },
    'A hash or HMAC over the request.',
    { algorithm: 'hmac-sha256', key: '${credentials.webhookSecret}', header: 'x-signature' },
    { required: ['algorithm'], oneOf: HEADER_OR_QUERY },
  ),
);

const mtls = group(
  {
    certificate: text('Client certificate, PEM.', '${credentials.cert}'),
    key: text('Its private key, PEM.', '${credentials.certKey}', secret),
    passphrase: text('The passphrase of the key.', '${credentials.certPassphrase}'),
  },
  'A client certificate.',
  { certificate: '${credentials.cert}', key: '${credentials.certKey}' },
  { required: ['certificate', 'key'] },
);

export const AUTH_KINDS = { basic, bearer, apiKey, oauth2, session, signature, mtls };
const { oauth2: _oauth2, session: _session, ...incoming } = AUTH_KINDS;

const oneKind = (kinds: Readonly<Record<string, Field>>, description: string) =>
  group(
    kinds,
    description,
    { bearer: { token: '${credentials.token}' } },
    { oneOf: { keys: Object.keys(kinds), needed: true } },
  );

const nameOf = name('A name from auths, or none.', 'login', NAME, 'be a name from auths, or none');
const anyOf = (written: Field, description: string): Field =>
  either([nameOf, written, list(nameOf, 'Names applied together.', ['access', 'payment'])], description, 'login');

const authKind = oneKind(AUTH_KINDS, 'One kind of auth.');
const authKindRef = shared('authKind', authKind);
const anyAuth = anyOf(
  authKindRef,
  'How requests are authenticated: a name from auths, none, a kind written out, or names.',
);
export const authDefs = { authKind, auth: anyAuth };
export const auth = shared('auth', anyAuth);
export const webhookAuth = anyOf(
  oneKind(incoming, 'One kind of auth that a request brings along.'),
  'How the carrier authenticates itself; none only beside allow.',
);
export const auths = mapOf(
  authKindRef,
  'Auths by name.',
  { login: { bearer: { token: '${credentials.token}' } } },
  { propertyNames: NAMES },
);
