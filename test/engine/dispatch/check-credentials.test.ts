import { expect, test } from 'vitest';
import { checkCredentials } from '../../../src/engine/dispatch/check-credentials.ts';
import { UNLIMITED } from '../../../src/engine/dispatch/limits.ts';
import { createMemoryLog } from '../../../src/engine/dispatch/attempt-log.ts';
import { createMemoryTokens } from '../../../src/engine/dispatch/token-store.ts';
import type { Exchange, Ports } from '../../../src/engine/dispatch/ports.ts';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';

const PROFILE = `carrier: acme
name: Acme
environments: { production: { url: 'https://api.acme.example' } }
operations:
  create:
    post: /orders
    body: { json: consignment }
    result: '{ "itemsTrackDetails": [{ "trackingNumber": response.body.number }] }'
credentials: { key: { secret: true } }
`;
const OAUTH =
  "auth: { oauth2: { grant: client_credentials, tokenUrl: /token, clientId: example, clientSecret: '${credentials.key}', clientAuth: basic } }\n";
const BASIC = "auth: { basic: { username: example, password: '${credentials.key}' } }\n";
const TOKEN = '{"access_token":"example-token-1","expires_in":60}';

/** What comes of it, and what was asked of the carrier. */
const checked = async (auth: string, status: number): Promise<readonly unknown[]> => {
  const files = memoryFiles({ 'carriers/acme.yaml': `${PROFILE}${auth}` });
  const { carrier } = loadCarrier('acme', { home: files, shipped: memoryFiles({}) });
  if (carrier === undefined) throw new Error('acme should load');
  const asked: string[] = [];
  const noteExchange = ({ method, url, outcome }: Exchange): Promise<void> => {
    asked.push(`${method} ${url}: ${outcome}`);
    return Promise.resolve();
  };
  const ports: Ports = {
    attemptLog: createMemoryLog(noteExchange),
    tokens: createMemoryTokens(() => 0),
    carrierLimits: UNLIMITED,
    noteExchange,
    send: () =>
      Promise.resolve({
        kind: 'answer',
        status,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(status === 200 ? TOKEN : '{}'),
      }),
    nowMs: () => 0,
    random: () => 0,
  };
  const account = { id: 1, version: 1, credentials: { key: 'example-key-1' }, settings: {} };
  const { kind } = await checkCredentials({ seed: 's', carrier, environment: 'production', account, nowMs: 0 }, ports);
  return [kind, ...asked];
};

test('without a probe the login is asked', async () => {
  expect(await checked(OAUTH, 200)).toEqual(['good', 'POST https://api.acme.example/token: succeed']);
});

test('a login that the carrier refuses is no good', async () => {
  expect(await checked(OAUTH, 401)).toEqual(['refused', 'POST https://api.acme.example/token: config_error']);
});

test('a carrier in problem says nothing of the credentials', async () => {
  expect((await checked(OAUTH, 503))[0]).toBe('unclear');
});

test('with neither probe nor login there is nothing to ask', async () => {
  expect(await checked(BASIC, 200)).toEqual(['nothing_to_ask']);
});
