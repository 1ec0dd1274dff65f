import {
  duration,
  either,
  expr,
  group,
  lifetime,
  list,
  mapOf,
  name,
  NAME,
  NAMES,
  plain,
  ref,
  text,
  word,
  shared,
} from './kinds.ts';

/** §2.3 of the language: proving who we are. */

const carriedIn = { oneOf: [{ keys: ['header', 'query'], needed: true }] };
const header = plain('The header that carries it.', 'X-Api-Key');
const query = plain('The query parameter that carries it.', 'key');

const basic = group(
  {
    username: text('User name.', '${credentials.id}'),
    password: text('Password.', '${credentials.key}'),
  },
  'HTTP Basic.',
  { username: '${credentials.id}', password: '${credentials.key}' },
  { required: ['username', 'password'] },
);

const bearer = group(
  { token: text('The token.', '${credentials.token}') },
  'A token in the Authorization header.',
  { token: '${credentials.token}' },
  { required: ['token'] },
);

const apiKey = group(
  { header, query, value: text('The key.', '${credentials.code}') },
  'A key in a header or query parameter.',
  { header: 'code', value: '${credentials.code}' },
  { required: ['value'], ...carriedIn },
);

const oauth2 = group(
  {
    grant: word(['client_credentials', 'password', 'refresh_token'], 'The grant of RFC 6749.', 'password'),
    tokenUrl: text('Where tokens are given: a path after environment.url, or absolute.', '/token'),
    clientId: text('Client id.', '${credentials.clientId}'),
    clientSecret: text('Client secret.', '${credentials.clientSecret}'),
    clientAuth: word(['body', 'basic'], 'Where id and secret travel; body unless said.', 'basic'),
    username: text('For the grant password.', '${credentials.username}'),
    password: text('For the grant password.', '${credentials.password}'),
    refreshToken: text('For the grant refresh_token.', '${credentials.refreshToken}'),
    scope: text('The scope asked for.', 'shipping'),
    params: mapOf(text('Its value.', 'https://api.acme.example'), 'Further fields of the token request.', {
      audience: 'https://api.acme.example',
    }),
  },
  'OAuth 2 as RFC 6749 writes it; what differs from it is a session.',
  { grant: 'client_credentials', tokenUrl: '/token', clientId: '${credentials.clientId}' },
  { required: ['grant', 'tokenUrl', 'clientId'] },
);

const session = group(
  {
    login: ref('login', 'The step that logs in.', { post: '/login', body: { json: { user: '${credentials.user}' } } }),
    token: expr('The token, from the login’s response.', 'response.body.accessToken'),
    expiresIn: lifetime('How long it lives: a duration, or an expr in seconds.', 'response.body.expiresIn'),
    expiresAt: expr('Until when it lives.', 'response.body.expires'),
    save: mapOf(
      expr('From the login’s response.', 'response.body.depot'),
      'Further values to keep beside the token.',
      {
        depot: 'response.body.depot',
      },
      { propertyNames: NAMES },
    ),
    send: either(
      [
        word(['bearer', 'none'], 'bearer, or none: the body carries it.', 'none'),
        group(
          {
            headers: mapOf(text('Its value.', '${token}'), 'Headers to send.', { 'X-Token': '${token}' }),
            query: mapOf(text('Its value.', '${token}'), 'Query parameters to send.', { token: '${token}' }),
          },
          'Headers and query parameters to send, using ${token}.',
          { headers: { 'X-Token': '${token}' } },
        ),
      ],
      'How requests carry the token; bearer unless said.',
      'none',
    ),
  },
  'Any other login.',
  { login: { post: '/login' }, token: 'response.body.token', expiresIn: '1h' },
  { required: ['login', 'token'], oneOf: [{ keys: ['expiresIn', 'expiresAt'], needed: false }] },
);

const signature = group(
  {
    algorithm: name(
      'Its algorithm: hmac-<hash>, or a plain hash.',
      'hmac-sha256',
      '^(hmac-)?[a-z0-9-]+$',
      'be hmac-<hash> or <hash>',
    ),
    key: text('The key of an hmac.', '${credentials.webhookSecret}'),
    over: text('What is signed; the raw body unless said.', '${request.method}${request.path}${request.text}'),
    encoding: word(['hex', 'base64', 'base64url'], 'How the signature is written; hex unless said.', 'base64'),
    header,
    query,
    format: text('The text around it.', 'sha256=${signature}'),
    timestamp: text('The text that gives the time signed.', '${request.headers.`x-timestamp`}'),
    tolerance: duration('How far that time may be off; 5m unless said.', '10m'),
  },
  'A hash or HMAC over the request.',
  { algorithm: 'hmac-sha256', key: '${credentials.webhookSecret}', header: 'x-signature' },
  { required: ['algorithm'], ...carriedIn },
);

const mtls = group(
  {
    certificate: text('Client certificate, PEM.', '${credentials.cert}'),
    key: text('Its private key, PEM.', '${credentials.certKey}'),
    passphrase: text('What opens the key.', '${credentials.certPassphrase}'),
  },
  'A client certificate.',
  { certificate: '${credentials.cert}', key: '${credentials.certKey}' },
  { required: ['certificate', 'key'] },
);

const all = { basic, bearer, apiKey, oauth2, session, signature, mtls };
const { oauth2: _oauth2, session: _session, ...incoming } = all;

const kind = (kinds: Readonly<Record<string, (typeof all)[keyof typeof all]>>, description: string) =>
  group(
    kinds,
    description,
    { bearer: { token: '${credentials.token}' } },
    {
      oneOf: [{ keys: Object.keys(kinds), needed: true }],
    },
  );

const nameOf = name('A name from auths, or none.', 'login', NAME, 'be a name from auths, or none');
const anyOf = (written: ReturnType<typeof ref>, description: string) =>
  either([nameOf, written, list(nameOf, 'Names applied together.', ['access', 'payment'])], description, 'login');

const authKindSchema = kind(all, 'One kind of auth.');
const authKind = shared('authKind', authKindSchema);
const anyAuthSchema = anyOf(
  authKind,
  'How requests are authenticated: a name from auths, none, a kind written out, or names.',
);
export const authDefs = { authKind: authKindSchema, auth: anyAuthSchema };
export const authSchema = shared('auth', anyAuthSchema);
export const webhookAuthSchema = anyOf(
  kind(incoming, 'One kind of auth that a request brings along.'),
  'How the carrier proves itself; none only beside allow.',
);
export const authsSchema = mapOf(
  authKind,
  'Auths by name.',
  { login: { bearer: { token: '${credentials.token}' } } },
  {
    propertyNames: NAMES,
  },
);
