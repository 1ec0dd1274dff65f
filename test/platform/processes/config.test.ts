import { expect, it } from 'vitest';
import { COMPANIONS } from '../../../src/cli/extensions.ts';
import { settingsOf } from '../../../src/platform/processes/companion.ts';
import { identityProviderOf, readConfig, SETTINGS, shownSettings } from '../../../src/platform/processes/config.ts';
import { secretsToMask } from '../../../src/platform/processes/secrets.ts';
import { type Environment, readSettings } from '../../../src/platform/processes/setting.ts';

it('private networks are listed by the carrier that may lie there', () => {
  const { privateNetworks } = readConfig({
    PRIVATE_NETWORKS: 'acme=10.1.2.0/24, other=fd12:3456::/32,acme=10.3.0.0/16,',
  });
  expect([...privateNetworks]).toEqual([
    ['acme', ['10.1.2.0/24', '10.3.0.0/16']],
    ['other', ['fd12:3456::/32']],
  ]);
  expect([...readConfig({}).privateNetworks]).toEqual([]);
});

it.each([
  '10.1.2.0/24',
  'acme=10.1.2.0',
  'acme=10.1.2.0/33',
  'acme=',
  '=10.0.0.0/8',
  'a b=10.0.0.0/8',
  'acme=anything',
])('private networks written as %s keep the server from starting', (text) => {
  expect(() => readConfig({ PRIVATE_NETWORKS: text })).toThrow(/PRIVATE_NETWORKS must be a list/);
});

const OIDC = {
  OIDC_ISSUER: 'https://login.example.com/staff',
  OIDC_CLIENT_ID: 'waybill',
  OIDC_CLIENT_SECRET: 'only-for-this-run',
  OIDC_ROLES: 'administer=Platform Admins, operate=support=eu',
};

it('an identity provider is read whole, its groups with their roles, and its secret is not shown', () => {
  expect(identityProviderOf(readConfig({}))).toBeUndefined();
  const config = readConfig(OIDC);
  const roles = new Map([
    ['Platform Admins', 'administer'],
    ['support=eu', 'operate'],
  ]);
  expect(identityProviderOf(config)).toMatchObject({ issuer: OIDC.OIDC_ISSUER, claim: 'groups', roles });
  const shown = shownSettings(config).filter(({ variable }) => variable.startsWith('OIDC'));
  expect(JSON.stringify(shown)).not.toContain('only-for-this-run');
  expect(shown.find(({ variable }) => variable === 'OIDC_ROLES')).toMatchObject({
    state: 'set',
    value: '[["Platform Admins","administer"],["support=eu","operate"]]',
  });
});

it.each<[Partial<typeof OIDC>, RegExp]>([
  [{ OIDC_ISSUER: 'http://login.example.com' }, /OIDC_ISSUER must be a URL that begins with https/],
  [{ OIDC_ISSUER: 'login.example.com' }, /OIDC_ISSUER must be a URL/],
  [{ OIDC_ROLES: 'owner=everyone' }, /OIDC_ROLES must be a list such as read=group,operate=group,administer=group/],
  [{ OIDC_ROLES: 'administer=' }, /OIDC_ROLES must be a list/],
  [{ OIDC_ROLES: 'read=a,operate=a' }, /OIDC_ROLES must give each group one role/],
  [{ OIDC_ROLES: '' }, /OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_ROLES go together/],
])('an identity provider with %j keeps the server from starting', (other, message) => {
  expect(() => readConfig({ ...OIDC, ...other })).toThrow(message);
});

it.each([
  ['WAYBILL_ADMIN_TOKEN', 'only-for-this-run'],
  ['WAYBILL_ADMIN_TOKENS_OLD', `${'x'.repeat(43)},short`],
])('%s that may be guessed keeps the server from starting, and is not repeated', (variable, value) => {
  expect(() => readConfig({ [variable]: value })).toThrow(/must have 43 characters or more; make one with/);
  expect(() => readConfig({ [variable]: value })).not.toThrow(/only-for|short/);
});

it('an admin token and the one that it replaces are both read', () => {
  const [now, before] = ['n'.repeat(43), 'b'.repeat(43)];
  expect(readConfig({ WAYBILL_ADMIN_TOKEN: now, WAYBILL_ADMIN_TOKENS_OLD: ` ${before} ,` })).toMatchObject({
    adminToken: now,
    oldAdminTokens: [before],
  });
});

it.each([
  ['ALLOW_PRIVATE_NETWORK', 'ALLOW_PRIVATE_NETWORKS'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['Rate_Limit', 'RATE_LIMIT'],
  ['WAYBILL_SECRET_KEY_OLD', 'WAYBILL_SECRET_KEYS_OLD'],
])('%s keeps the server from starting, as it is not %s', (name, meant) => {
  expect(() => readConfig({ [name]: 'a-value' })).toThrow(`${name} is no setting: write ${meant}`);
  expect(() => readConfig({ [name]: 'a-value' })).not.toThrow(/a-value/);
});

it('variables of others, and those beside the right one, are none of our business', () => {
  const others = {
    PATH: '/bin',
    HOSTS: 'a',
    POST: '1',
    REDIS_HOST: 'r',
    WAYBILL_PORT: 'tcp://10.0.0.1:80',
    PGHOST: 'p',
  };
  expect(readConfig(others).port).toBe(8080);
  expect(readConfig({ RATE_LIMITS: '5', RATE_LIMIT: '7' }).rateLimit).toBe(7);
});

it('a URL past the pooler needs one of the pooler; the passwords of both are kept out of the log', () => {
  const listenUrl = 'postgres://app:p%40st@db.example.com/waybill';
  expect(() => readConfig({ DATABASE_LISTEN_URL: listenUrl })).toThrow(
    /^DATABASE_URL is required when DATABASE_LISTEN_URL is set$/,
  );
  expect(SETTINGS.listenUrl.secretsOf(listenUrl)).toEqual(['p%40st', 'p@st']);
});

it('settings of companions are checked with the others, masked in the log, and shown without passwords', () => {
  const beside = settingsOf(COMPANIONS);
  const read = (env: Environment) => readConfig(env, beside);
  expect(() => read({ VROM_URL: 'http://vroom.example' })).toThrow('VROM_URL is no setting: write VROOM_URL');
  expect(() => read({ FLEET_KEEP_POSITION: '3' })).toThrow('write FLEET_KEEP_POSITIONS');
  expect(() => read({ FLEET_KEEP_POSITIONS: 'long', OSRM_URL: 'osrm', PORT: 'x' })).toThrow(
    /^PORT must .*; FLEET_KEEP_POSITIONS must be a whole number .*; OSRM_URL must be a URL/,
  );
  const env = { VALHALLA_URL: 'https://fleet:hidden-word@valhalla.example', FLEET_KEEP_POSITIONS: '0' };
  expect(readSettings(env, beside)).toMatchObject({ keepPositionsDays: 0, vroomUrl: undefined });
  expect(secretsToMask(read(env), env, beside)).toContainEqual({ name: 'VALHALLA_URL', value: 'hidden-word' });
  const shown = shownSettings(read(env), beside);
  expect(shown).toContainEqual(expect.objectContaining({ variable: 'FLEET_KEEP_POSITIONS', state: 'set', value: '0' }));
  expect(JSON.stringify(shown)).not.toContain('hidden-word');
});
