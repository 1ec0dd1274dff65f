import { expect, test } from 'vitest';
import { checkAccount } from '../../../src/engine/profile/account.ts';
import { memoryFiles } from '../../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../../src/engine/profile/load.ts';

const PROFILE = `
carrier: acme
environments: { production: { url: 'https://acme.example' } }
credentials:
  user: {}
  key: { secret: true }
  hookSecret: { secret: true, from: register }
settings:
  account: { pattern: '^\\d{9}$' }
  country: { oneOf: [BE, NL], default: BE }
  code: { default: NO }
  depth: { type: number, optional: true }
  test: { type: boolean, default: false }
auth: { basic: { username: '\${credentials.user}', password: '\${credentials.key}' } }
operations:
  create: { post: /orders, headers: { A: '\${settings.account}' }, result: '{ "itemsTrackDetails": response.body.x }' }
  register: { post: /hooks, result: { credentials: { hookSecret: '\${response.body.s}' } } }
`;
const { carrier, findings } = loadCarrier('acme', {
  home: memoryFiles({ 'carriers/acme.yaml': PROFILE }),
  shipped: memoryFiles({}),
});
if (carrier === undefined) throw new Error(JSON.stringify(findings));

const good = { credentials: { user: 'me', key: 'long-enough' }, settings: { account: '123456789' } };

test('values come back typed, with defaults, the text NO among them', () => {
  expect(checkAccount(carrier, 'production', good)).toEqual({
    ok: true,
    credentials: { user: 'me', key: 'long-enough' },
    settings: { account: '123456789', country: 'BE', code: 'NO', test: false },
  });
});

test('every issue is named by its field, all at once', () => {
  const checked = checkAccount(carrier, 'sandbox', {
    credentials: { user: 5, key: 'short', pasword: 'x' },
    settings: { account: '12', country: 'DE', depth: '3', test: 'true' },
  });
  expect(checked.ok ? [] : checked.issues.map((issue) => `${issue.rule} ${issue.field}`)).toEqual([
    'environment environment',
    'type credentials.user',
    'length credentials.key',
    'undeclared credentials.pasword',
    'pattern settings.account',
    'oneOf settings.country',
    'type settings.depth',
    'type settings.test',
  ]);
  expect(JSON.stringify(checked)).not.toContain('short');
});

test('a missing or empty field is an issue, unless it is optional or a registration fills it', () => {
  const checked = checkAccount(carrier, 'production', { credentials: { user: '' } });
  expect(checked.ok ? [] : checked.issues.map((issue) => issue.message)).toEqual([
    'credentials.user is required',
    'credentials.key is required',
    'settings.account is required',
  ]);
});

test('names of the language’s own objects are no fields', () => {
  const checked = checkAccount(carrier, 'production', { ...good, settings: { ...good.settings, constructor: 'x' } });
  expect(checked.ok ? [] : checked.issues.map((issue) => issue.field)).toEqual(['settings.constructor']);
});
