import { describe, expect, it } from 'vitest';
import { resolveVariables, variableIssue } from '../../../src/engine/profile/account.ts';

const variables: Record<string, string> = {
  WAYBILL_CARRIER_ACME_TOKEN: 'token-of-acme',
  WAYBILL_CARRIER_SHORT: 'short',
  WAYBILL_SECRET_KEY: 'ours, and nobody else’s',
};
const resolve = (credentials: object, settings: object = {}) =>
  resolveVariables({ credentials: { ...credentials }, settings: { ...settings } }, (name) => variables[name]);

describe('an account value that names a variable', () => {
  it('is what the variable holds when it is used; all else stays as it is', () => {
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

  it.each([
    ['env:WAYBILL_CARRIER_OTHER', 'credentials.token is to come from WAYBILL_CARRIER_OTHER, which is not set here'],
    [
      'env:WAYBILL_CARRIER_SHORT',
      'credentials.token comes from WAYBILL_CARRIER_SHORT, which has fewer than 8 characters',
    ],
  ])('fails for %s, by name', (token, says) => {
    expect(() => resolve({ token })).toThrow(says);
  });

  it.each([
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
