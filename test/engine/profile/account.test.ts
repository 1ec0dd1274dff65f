import { describe, expect, test } from 'vitest';
import { checkAccount, resolveVariables, variableIssue } from '../../../src/engine/profile/account.ts';
import { HEAD, compileAcme } from './profiles.ts';

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
const carrier = compileAcme(PROFILE);

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

const variables: Record<string, string> = {
  WAYBILL_CARRIER_ACME_TOKEN: 'token-of-acme',
  WAYBILL_CARRIER_SHORT: 'short',
  WAYBILL_SECRET_KEY: 'ours, and nobody else’s',
};
const resolve = (credentials: object, settings: object = {}) =>
  resolveVariables({ credentials: { ...credentials }, settings: { ...settings } }, (name) => variables[name]);

describe('an account value that names a variable', () => {
  test('is what the variable holds when it is used; all else stays as it is', () => {
    expect(
      resolve({ token: 'env:WAYBILL_CARRIER_ACME_TOKEN', user: 'env' }, { depot: 'env:WAYBILL_CARRIER_SHORT', n: 1 }),
    ).toEqual({
      credentials: { token: 'token-of-acme', user: 'env' },
      settings: { depot: 'short', n: 1 },
      from: [
        { name: 'token', value: 'token-of-acme' },
        { name: 'depot', value: 'short' },
      ],
    });
  });

  test.each([
    ['env:WAYBILL_CARRIER_OTHER', 'credentials.token is to come from WAYBILL_CARRIER_OTHER, which is not set here'],
    [
      'env:WAYBILL_CARRIER_SHORT',
      'credentials.token comes from WAYBILL_CARRIER_SHORT, which has fewer than 8 characters',
    ],
  ])('fails for %s, by name', (token, says) => {
    expect(() => resolve({ token })).toThrow(says);
  });

  test.each([
    'env:WAYBILL_SECRET_KEY',
    'env:PATH',
    'env:',
    'env:WAYBILL_CARRIER_',
    'env:waybill_carrier_x',
    'env:WAYBILL_CARRIER_X ',
    'env:WAYBILL_CARRIER_X\n',
    'env:WAYBILL_CARRIER_../X',
  ])('may not be %j, neither saved nor used', (token) => {
    expect(variableIssue(token)).toMatch(/^must name a variable that begins with WAYBILL_CARRIER_/);
    expect(() => resolve({ token })).toThrow(/credentials.token must name a variable/);
  });
});
