import { expect, test } from 'vitest';
import { checkAccount } from '../../../src/engine/profile/account.ts';
import { HEAD, loadAcme } from './profiles.ts';

const PROFILE = `${HEAD}
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
const { carrier, said } = loadAcme(PROFILE);
if (carrier === undefined) throw new Error(said.join('\n'));

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
  expect(checked).toEqual({
    ok: false,
    issues: [
      'acme has no environment sandbox, only production',
      'credentials.user must be text',
      'credentials.key is a secret and must have 8 characters or more',
      'credentials.pasword is not declared by the carrier: known here: user, key, hookSecret',
      String.raw`settings.account must match ^\d{9}$`,
      'settings.country must be one of BE, NL',
      'settings.depth must be a number',
      'settings.test must be true or false',
    ],
  });
  expect(JSON.stringify(checked)).not.toContain('short');
});

test('a missing or empty field is an issue, unless it is optional or a registration fills it', () => {
  const checked = checkAccount(carrier, 'production', { credentials: { user: '' } });
  expect(checked.ok ? [] : checked.issues).toEqual([
    'credentials.user is required',
    'credentials.key is required',
    'settings.account is required',
  ]);
});

test('names of the language’s own objects are no fields', () => {
  const checked = checkAccount(carrier, 'production', { ...good, settings: { ...good.settings, constructor: 'x' } });
  expect(checked.ok ? [] : checked.issues).toEqual([expect.stringContaining('settings.constructor is not declared')]);
});
