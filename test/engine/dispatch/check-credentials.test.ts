import { expect, test } from 'vitest';
import { checkCredentials } from '../../../src/engine/dispatch/check-credentials.ts';
import { account, profileWith } from './auth/profiles.ts';
import { answer, carrierOf, createWorld, runOf } from './world.ts';

const OAUTH =
  "auth: { oauth2: { grant: client_credentials, tokenUrl: /token, clientId: example, clientSecret: '${credentials.key}' } }\n";
const BASIC = "auth: { basic: { username: example, password: '${credentials.key}' } }\n";
const TOKEN = { access_token: 'example-token-1', expires_in: 60 };

test.each([
  ['that the carrier takes is good', OAUTH, 200, 'good', ['succeed']],
  ['that the carrier refuses is no good', OAUTH, 401, 'refused', ['config_error']],
  ['at a carrier in trouble says nothing of the credentials', OAUTH, 503, 'unclear', ['retry']],
  ['without a request cannot be asked', BASIC, 200, 'nothing_to_ask', []],
])('without a probe the login is asked: one %s', async (_, auth, status, kind, outcomes) => {
  const carrier = carrierOf(profileWith(auth));
  const { ports, exchanges } = createWorld(carrier, [answer(status, status === 200 ? TOKEN : {})]);
  const run = runOf(carrier, 'create', { account: account() });
  expect((await checkCredentials(run, ports)).kind).toBe(kind);
  const asked = exchanges.map(({ method, url, outcome }) => `${method} ${url}: ${outcome}`);
  expect(asked).toEqual(outcomes.map((outcome) => `POST https://api.acme.example/token: ${outcome}`));
});

test('where a request was not let out, it is unclear', async () => {
  const carrier = carrierOf(profileWith(OAUTH));
  const forbidden = { kind: 'not_sent', code: 'plain_http_forbidden', message: 'only https: is allowed' } as const;
  const { ports } = createWorld(carrier, [forbidden]);
  const run = runOf(carrier, 'create', { account: account() });
  expect(await checkCredentials(run, ports)).toMatchObject({
    kind: 'unclear',
    problem: { code: 'plain_http_forbidden' },
  });
});

test('where nothing was sent, for a value is missing here, it is unclear and names the value', async () => {
  const carrier = carrierOf(profileWith(OAUTH.replace('/token', "'/token/${credentials.refresh}'")));
  const { ports, exchanges } = createWorld(carrier, []);
  const run = runOf(carrier, 'create', { account: account({ refresh: undefined }) });
  const checked = await checkCredentials(run, ports);
  expect(exchanges).toEqual([]);
  expect(checked).toMatchObject({
    kind: 'unclear',
    problem: { messages: expect.arrayContaining([expect.stringContaining('credentials.refresh')]) },
  });
});
