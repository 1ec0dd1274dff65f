/** Configuration from the environment. Each setting is specified once, here; a test compares README's table with it. */
import path from 'node:path';
import { Failure } from '../../engine/failure.ts';
import type { IdentityProvider, ShownSetting } from '../api/deps.ts';
import { slipOf } from '../../engine/mapping/closest.ts';
import { readRedisUrl, REDIS_URL_RULE } from '../queue/redis.ts';
import {
  anyText,
  check,
  type Environment,
  integer,
  isKey,
  isLongToken,
  isRange,
  isWebhookSecret,
  issuer,
  type Kind,
  listOf,
  networksByCarrier,
  oneOf,
  optionalText,
  roleByGroup,
  secret,
  secrets,
  secretUrl,
  setting,
  type Settings,
  TOKEN_RULE,
  url,
  type ValuesOf,
} from './setting.ts';

const DAY_MS = 86_400_000;

/** Several workers of one machine share the default: the first has it. */
export const DEFAULT_WORKER_PORT = 8081;

export const SETTINGS = {
  databaseUrl: setting(
    'DATABASE_URL',
    url('embedded PostgreSQL', 'postgres:', 'postgresql:'),
    'PostgreSQL 15 or newer, the only system of record. Without it the server starts its own under `.waybill/`.',
  ),
  listenUrl: setting(
    'DATABASE_LISTEN_URL',
    url('DATABASE_URL', 'postgres:', 'postgresql:'),
    'The same database past a pooler in transaction mode, where `DATABASE_URL` is one: for LISTEN and migrations.',
  ),
  redisUrl: setting(
    'REDIS_URL',
    {
      parse: check(anyText, (text) => readRedisUrl(text) !== undefined, REDIS_URL_RULE),
      unset: undefined,
      documented: 'none',
      secretsOf: (text = '') => readRedisUrl(text)?.secrets ?? [],
    } satisfies Kind<string | undefined>,
    'Redis or Valkey for the queue: one server, a cluster, or by its sentinels. Without it the queue lives in the same PostgreSQL.',
  ),
  host: setting('HOST', { parse: anyText, unset: '127.0.0.1' }, 'Address to listen on.'),
  port: setting('PORT', integer(0, 65_535, 8080), 'Port to listen on; 0 picks a free one.'),
  /** Undefined: none. */
  workerPort: setting(
    'WORKER_PORT',
    {
      parse: (text): number | undefined => (text === 'off' ? undefined : integer(0, 65_535, 0).parse(text)),
      unset: DEFAULT_WORKER_PORT,
    },
    'Port of a worker without the API for `/metrics`, `/readyz` and `/healthz`; a free one where the default is taken; `off`: none.',
  ),
  publicUrl: setting(
    'PUBLIC_URL',
    url('http://HOST:PORT', 'http:', 'https:'),
    'Public base URL of the server, used in label links and carrier webhook URLs.',
  ),
  adminToken: setting(
    'WAYBILL_ADMIN_TOKEN',
    secret(isLongToken, TOKEN_RULE),
    'Bearer token for the admin routes; required with `DATABASE_URL`.',
  ),
  oldAdminTokens: setting(
    'WAYBILL_ADMIN_TOKENS_OLD',
    secrets(isLongToken, `must be comma-separated tokens, each of which ${TOKEN_RULE}`),
    'Previous admin tokens, comma-separated, that remain valid during a rotation.',
  ),
  oidcIssuer: setting(
    'OIDC_ISSUER',
    issuer,
    'Identity provider (OpenID Connect) at which operators sign in to the console. The redirect URI is `PUBLIC_URL/console/sign-in/done`.',
  ),
  oidcClientId: setting('OIDC_CLIENT_ID', optionalText, 'Client ID of this server at the identity provider.'),
  oidcClientSecret: setting(
    'OIDC_CLIENT_SECRET',
    secret(() => true, '', 'none'),
    'Client secret.',
  ),
  oidcGroupsClaim: setting(
    'OIDC_GROUPS_CLAIM',
    { parse: anyText, unset: 'groups' },
    'Claim of the ID token that lists a person’s groups.',
  ),
  oidcRoles: setting(
    'OIDC_ROLES',
    roleByGroup,
    '`administer=platform-admins,operate=support,read=everyone`: the role of each group. A person in none of these groups cannot sign in.',
  ),
  secretKey: setting(
    'WAYBILL_SECRET_KEY',
    secret(isKey, 'must be the base64 of 32 bytes; make one with: openssl rand -base64 32'),
    '32-byte key in Base64 that seals accounts, webhook secrets and raw responses. Required with `DATABASE_URL`.',
  ),
  oldSecretKeys: setting(
    'WAYBILL_SECRET_KEYS_OLD',
    secrets(isKey, 'must be comma-separated keys, each the base64 of 32 bytes'),
    'Previous keys, comma-separated; they can still open what they sealed, until `waybill reseal` has run.',
  ),
  lostSecretKeys: setting(
    'WAYBILL_SECRET_KEYS_LOST',
    listOf((name) => /^[0-9a-f]{8}$/.test(name), 'must be comma-separated names, such as 1f2e3d4c'),
    'Names of lost keys, comma-separated: the server refuses to start while any other key is missing.',
  ),
  /** Absolute. */
  home: setting(
    'WAYBILL_HOME',
    { parse: (text) => path.resolve(text), unset: path.resolve(), documented: 'the working directory' },
    'Holds `carriers/`, `mappings/`, `fixtures/` and `.waybill/`.',
  ),
  createWaitMs: setting(
    'CREATE_WAIT_MS',
    integer(0, 120_000, 25_000),
    'How long a create, update or cancel waits for the carrier before it responds without a result.',
  ),
  /** Per minute. */
  rateLimit: setting(
    'RATE_LIMIT',
    integer(0, 100_000_000, 60_000),
    'Requests per minute allowed for each shipper or carrier token, per API process; 0: no limit.',
  ),
  /** MB per minute. */
  largeRequestLimit: setting(
    'LARGE_REQUEST_LIMIT',
    integer(0, 1_000_000, 60),
    'MB per minute of large requests (more than 32 KB) allowed for each token, and for each address without one, per API process; 0: no limit.',
  ),
  slotsHeld: setting(
    'SLOTS_HELD',
    integer(1, 1_000_000, 200),
    'Delivery slots that a shipper may hold reserved or confirmed, in an environment, without an order that uses them.',
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    listOf(isRange, 'must be a list of addresses and CIDRs, such as 10.0.0.1, 10.1.0.0/16'),
    'Addresses and CIDR ranges of trusted proxies, comma-separated: only their `X-Forwarded-For` is believed.',
  ),
  webhookRetries: setting(
    'WEBHOOK_RETRIES',
    integer(0, 100, 4),
    'Retries of a webhook delivery after the first attempt.',
  ),
  webhookRetryMs: setting(
    'WEBHOOK_RETRY_MS',
    integer(100, 7 * DAY_MS, 1_800_000),
    'Time between retries, in milliseconds.',
  ),
  alertUrl: setting(
    'ALERT_WEBHOOK_URL',
    secretUrl('none', 'http:', 'https:'),
    'Where alerts are posted, on any network; they are in the log in any case. Needs `ALERT_WEBHOOK_SECRET`.',
  ),
  alertSecret: setting(
    'ALERT_WEBHOOK_SECRET',
    secret(
      isWebhookSecret,
      'must be whsec_ and the base64 of 24 to 64 bytes; make one with: echo whsec_$(openssl rand -base64 32)',
      'none',
    ),
    'Signs alerts as the webhooks of shippers are signed.',
  ),
  stopDelayMs: setting(
    'STOP_DELAY_MS',
    integer(0, 60_000, 2_000),
    'How long `/readyz` returns 503 after SIGTERM before the server stops accepting requests.',
  ),
  stopLimitMs: setting(
    'STOP_LIMIT_MS',
    integer(1_000, 600_000, 40_000),
    'Time limit of a shutdown; whatever is still running then is aborted.',
  ),
  allowPrivateNetworks: setting(
    'ALLOW_PRIVATE_NETWORKS',
    { parse: (text) => oneOf('true', 'false').parse(text) === 'true', unset: false },
    'true: carriers, labels and webhooks may be on private addresses, and may use plain HTTP there.',
  ),
  privateNetworks: setting(
    'PRIVATE_NETWORKS',
    networksByCarrier,
    '`carrier=10.1.2.0/24,other=fd12:3456::/32`: private networks that one carrier may be on, over HTTPS only.',
  ),
  mapping: setting(
    'WAYBILL_MAPPING',
    oneOf('compiled', 'stock'),
    'Mapping engine: `compiled`, or `stock` (the interpreter of the jsonata package, for comparison).',
  ),
  otlpEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    url('none', 'http:', 'https:'),
    'Base URL of a collector that takes traces by OTLP over HTTP (`…/v1/traces`); without it there are none. `OTEL_EXPORTER_OTLP_HEADERS` and its like are read as well.',
  ),
  /** 0 to 1. */
  traceRatio: setting(
    'OTEL_TRACES_SAMPLER_ARG',
    { parse: check(Number, (ratio) => ratio >= 0 && ratio <= 1, 'must be a number from 0 to 1'), unset: 1 },
    'Share of traces that are sent, 0 to 1, where a request brings no `traceparent` that decides.',
  ),
  serviceName: setting('OTEL_SERVICE_NAME', { parse: anyText, unset: 'waybill' }, 'What traces name this service.'),
  logLevel: setting(
    'LOG_LEVEL',
    { ...oneOf('debug', 'info', 'warn', 'error', 'silent'), unset: 'info' },
    '`debug`, `info`, `warn`, `error` or `silent`.',
  ),
};

export type Config = ValuesOf<typeof SETTINGS>;

const OIDC = ['oidcIssuer', 'oidcClientId', 'oidcClientSecret', 'oidcRoles'] as const;

/** Where operators sign in, beside with their tokens. */
export const identityProviderOf = (config: Config): IdentityProvider | undefined => {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcRoles: roles } = config;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined || roles === undefined)
    return undefined;
  return { issuer, clientId, clientSecret, roles, claim: config.oidcGroupsClaim };
};

/**
 * Reads all settings, and `beside`, those of companions; throws a `Failure` with code `config_invalid` that names every
 * invalid one.
 */
export const readConfig = (env: Environment, beside: Settings = {}): Config => {
  const all: Settings = { ...SETTINGS, ...beside };
  const wrong = misspelt(env, Object.values(all));
  const values = Object.entries(all).map(([key, setting]) => {
    try {
      return [key, setting.read(env[setting.variable])] as const;
    } catch (error) {
      wrong.push(`${setting.variable} ${(error as Error).message}`);
      return [key, undefined] as const;
    }
  });
  const config = Object.fromEntries(values) as unknown as Config;
  if (wrong.length === 0 && config.databaseUrl !== undefined) {
    for (const key of ['adminToken', 'secretKey'] as const) {
      if (config[key] === undefined) wrong.push(`${SETTINGS[key].variable} is required when DATABASE_URL is set`);
    }
  }
  if (config.listenUrl !== undefined && config.databaseUrl === undefined)
    wrong.push(`${SETTINGS.databaseUrl.variable} is required when DATABASE_LISTEN_URL is set`);
  if ((config.alertUrl === undefined) !== (config.alertSecret === undefined))
    wrong.push(`${SETTINGS.alertUrl.variable} and ${SETTINGS.alertSecret.variable} go together: set both or neither`);
  const given = OIDC.filter((key) => config[key] !== undefined);
  if (given.length > 0 && given.length < OIDC.length)
    wrong.push(`${OIDC.map((key) => SETTINGS[key].variable).join(', ')} go together: set all or none`);
  if (wrong.length > 0) throw new Failure(wrong.join('; '), { code: 'config_invalid' });
  return config;
};

/** For people: a value that is secret, or holds a secret, is left out. */
export const shownSettings = (config: Config, beside: Settings = {}): readonly ShownSetting[] =>
  Object.entries<Settings[string]>({ ...SETTINGS, ...beside }).map(([key, setting]) => {
    const { variable, description, default: documented } = setting;
    const value: unknown = config[key as keyof Config];
    const isDefault = textOf(value) === textOf(setting.read(undefined));
    const isSecret = setting.secretsOf(value).length > 0;
    const text = isSecret ? undefined : textOf(value);
    const shown = text === undefined ? {} : { value: text };
    return { variable, description, default: documented, state: isDefault ? 'default' : 'set', ...shown };
  });

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : JSON.stringify(value instanceof Map ? [...value] : value);

/**
 * Names within one typing error of a setting that is not set: what they say would silently not hold. Names without `_`
 * are left alone, as they are too short to tell whose they are.
 */
const misspelt = (env: Environment, settings: readonly Settings[string][]): string[] => {
  const missing = settings
    .map(({ variable }) => variable)
    .filter((variable) => env[variable] === undefined && variable.includes('_'));
  return Object.keys(env).flatMap((name) => {
    const meant = settings.some(({ variable }) => variable === name) ? undefined : slipOf(name, missing);
    return meant === undefined ? [] : [`${name} is no setting: write ${meant}`];
  });
};
