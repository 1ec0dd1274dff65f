import { expect, test } from 'vitest';
import { checkCredentials } from '../../../src/engine/dispatch/check-credentials.ts';
import { answer, carrierOf, createWorld } from './world.ts';

const PROFILE = `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations:
  create:
    post: /orders
    result: '{ "itemsTrackDetails": [{ "trackingNumber": response.body.number }] }'
credentials: { key: { secret: true } }
`;
const OAUTH =
  "auth: { oauth2: { grant: client_credentials, tokenUrl: /token, clientId: example, clientSecret: '${credentials.key}', clientAuth: basic } }\n";
const BASIC = "auth: { basic: { username: example, password: '${credentials.key}' } }\n";
const TOKEN = { access_token: 'example-token-1', expires_in: 60 };

/** What comes of it, and what was asked of the carrier. */
const checked = async (auth: string, status: number): Promise<readonly unknown[]> => {
  const carrier = carrierOf(`${PROFILE}${auth}`);
  const { ports, exchanges } = createWorld(carrier, [answer(status, status === 200 ? TOKEN : {})]);
  const account = { id: 1, version: 1, credentials: { key: 'example-key-1' }, settings: {} };
  const { kind } = await checkCredentials({ seed: 's', carrier, environment: 'production', account, nowMs: 0 }, ports);
  return [kind, ...exchanges.map(({ method, url, outcome }) => `${method} ${url}: ${outcome}`)];
};

test.each([
  ['that the carrier takes is good', 200, 'good', 'succeed'],
  ['that the carrier refuses is no good', 401, 'refused', 'config_error'],
  ['at a carrier in trouble says nothing of the credentials', 503, 'unclear', 'retry'],
])('without a probe the login is asked: one %s', async (_, status, kind, outcome) => {
  expect(await checked(OAUTH, status)).toEqual([kind, `POST https://api.acme.example/token: ${outcome}`]);
});

test('with neither probe nor login there is nothing to ask', async () => {
  expect(await checked(BASIC, 200)).toEqual(['nothing_to_ask']);
});
