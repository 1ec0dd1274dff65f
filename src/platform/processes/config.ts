/** Configuration from the environment. Each setting is stated once, here: README's table is made of it. */
import path from 'node:path';
import { isIP } from 'node:net';
import { Failure } from '../../engine/failure.ts';
import { isNetwork } from '../../engine/transport/address.ts';

interface Setting<T> {
  readonly variable: string;
  /** As README shows it. */
  readonly standard: string;
  readonly says: string;
  readonly read: (text: string | undefined) => T;
}

export interface Config {
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | undefined;
  readonly adminToken: string | undefined;
  readonly oldAdminTokens: readonly string[];
  readonly secretKey: string | undefined;
  readonly oldSecretKeys: readonly string[];
  /** Names, as a start that was refused tells them. */
  readonly lostSecretKeys: readonly string[];
  /** Absolute. */
  readonly home: string;
  readonly createWaitMs: number;
  readonly rateLimit: number;
  /** Addresses and CIDRs of proxies whose X-Forwarded-For is believed. */
  readonly trustProxy: readonly string[];
  readonly webhookRetries: number;
  readonly webhookRetryMs: number;
  readonly stopDelayMs: number;
  readonly stopLimitMs: number;
  readonly allowPrivateNetworks: boolean;
  /** Ranges of addresses by the code of the carrier that may lie there. */
  readonly privateNetworks: ReadonlyMap<string, readonly string[]>;
  readonly mapping: 'compiled' | 'closures' | 'stock';
  readonly logLevel: string;
}

const invalid = (must: string): Error => new Error(must);

const text = (value: string | undefined): string | undefined =>
  value === undefined || value === '' ? undefined : value;

const listed = (value: string | undefined): readonly string[] =>
  (text(value) ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

const integer =
  (standard: number, min: number, max: number) =>
  (value: string | undefined): number => {
    if (text(value) === undefined) return standard;
    const number = Number(value);
    if (!Number.isInteger(number) || number < min || number > max) {
      throw invalid(`must be a whole number from ${min} to ${max}`);
    }
    return number;
  };

const oneOf =
  <T extends string>(standard: T, ...allowed: readonly T[]) =>
  (value: string | undefined): T => {
    const given = text(value) ?? standard;
    const found = allowed.find((one) => one === given);
    if (found === undefined) throw invalid(`must be one of ${allowed.join(', ')}`);
    return found;
  };

const url =
  (...protocols: readonly string[]) =>
  (value: string | undefined): string | undefined => {
    const given = text(value);
    if (given === undefined) return undefined;
    const parsed = URL.parse(given);
    // The value may hold a password: it is never repeated.
    if (parsed === null || !protocols.includes(parsed.protocol)) {
      throw invalid(`must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
    }
    return given;
  };

const isKey = (value: string): boolean => Buffer.from(value, 'base64').byteLength === 32;

/** 32 random bytes in base64: a guess at how random it is, and all that can be seen. */
const TOKEN_CHARACTERS_MIN = 43;
const isLongToken = (value: string): boolean => value.length >= TOKEN_CHARACTERS_MIN;
const TOKEN_RULE = `must have ${TOKEN_CHARACTERS_MIN} characters or more; make one with: openssl rand -hex 32`;

const BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

const isRange = (entry: string): boolean => {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const most = BITS[isIP(address)] ?? 0;
  return most > 0 && (bits === undefined || (Number(bits) >= 1 && Number(bits) <= most));
};

/** `10.0.0.1, 10.1.0.0/16, fd00::/8`; a range of everything would let anyone name any address. */
const addresses = (value: string | undefined): readonly string[] => {
  const listed = (text(value) ?? '').split(',').map((entry) => entry.trim());
  const given = listed.filter((entry) => entry !== '');
  if (!given.every(isRange)) throw invalid('must be a list of addresses and CIDRs, such as 10.0.0.1, 10.1.0.0/16');
  return given;
};

/** By carrier; a carrier may stand there more than once. */
const readNetworks = (value: string | undefined): ReadonlyMap<string, readonly string[]> => {
  const networks = new Map<string, string[]>();
  for (const entry of (text(value) ?? '').split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const [, carrier = '', network = ''] = /^([\w-]{1,64})=(\S+)$/.exec(entry) ?? [];
    if (!isNetwork(network)) throw invalid('must be a list as carrier=10.1.2.0/24,carrier=fd12:3456::/32');
    networks.set(carrier, [...(networks.get(carrier) ?? []), network]);
  }
  return networks;
};

const DAY_MS = 86_400_000;

export const SETTINGS: { readonly [Key in keyof Config]: Setting<Config[Key]> } = {
  databaseUrl: {
    variable: 'DATABASE_URL',
    standard: 'a PostgreSQL of our own',
    says: 'PostgreSQL 15 or newer, the only system of record. Without it the server starts its own under `.waybill/`.',
    read: url('postgres:', 'postgresql:'),
  },
  redisUrl: {
    variable: 'REDIS_URL',
    standard: 'none',
    says: 'Redis or Valkey for the queue. Without it the queue lives in the same PostgreSQL.',
    read: url('redis:', 'rediss:'),
  },
  host: {
    variable: 'HOST',
    standard: '127.0.0.1',
    says: 'Where the server listens.',
    read: (value) => text(value) ?? '127.0.0.1',
  },
  port: { variable: 'PORT', standard: '8080', says: 'Its port; 0 takes a free one.', read: integer(8080, 0, 65_535) },
  publicUrl: {
    variable: 'PUBLIC_URL',
    standard: 'http://HOST:PORT',
    says: 'Under which others reach the server: label links and carriers’ webhooks are made of it.',
    read: url('http:', 'https:'),
  },
  adminToken: {
    variable: 'WAYBILL_ADMIN_TOKEN',
    standard: 'generated',
    says: 'Bearer token of the admin routes; required with `DATABASE_URL`.',
    read: (value) => {
      const given = text(value);
      if (given !== undefined && !isLongToken(given)) throw invalid(TOKEN_RULE);
      return given;
    },
  },
  oldAdminTokens: {
    variable: 'WAYBILL_ADMIN_TOKENS_OLD',
    standard: 'none',
    says: 'Tokens that are valid as well while another takes their place, by commas.',
    read: (value) => {
      const tokens = listed(value);
      if (!tokens.every(isLongToken)) throw invalid(`must be tokens by commas, each of which ${TOKEN_RULE}`);
      return tokens;
    },
  },
  secretKey: {
    variable: 'WAYBILL_SECRET_KEY',
    standard: 'generated',
    says: 'Base64 of 32 bytes; seals accounts, webhook secrets and raw answers. Required with `DATABASE_URL`.',
    read: (value) => {
      const given = text(value);
      if (given !== undefined && !isKey(given)) {
        throw invalid('must be the base64 of 32 bytes; make one with: openssl rand -base64 32');
      }
      return given;
    },
  },
  oldSecretKeys: {
    variable: 'WAYBILL_SECRET_KEYS_OLD',
    standard: 'none',
    says: 'Keys that sealed before, by commas: what they sealed can still be opened, until `waybill reseal`.',
    read: (value) => {
      const keys = listed(value);
      if (!keys.every(isKey)) throw invalid('must be keys by commas, each the base64 of 32 bytes');
      return keys;
    },
  },
  lostSecretKeys: {
    variable: 'WAYBILL_SECRET_KEYS_LOST',
    standard: 'none',
    says: 'Names of keys that are lost, by commas: a server does not start while others are missing.',
    read: (value) => {
      const names = listed(value);
      if (!names.every((name) => /^[0-9a-f]{8}$/.test(name)))
        throw invalid('must be names by commas, such as 1f2e3d4c');
      return names;
    },
  },
  home: {
    variable: 'WAYBILL_HOME',
    standard: 'the working directory',
    says: 'Holds `carriers/`, `mappings/`, `fixtures/` and `.waybill/`.',
    read: (value) => path.resolve(text(value) ?? '.'),
  },
  createWaitMs: {
    variable: 'CREATE_WAIT_MS',
    standard: '25000',
    says: 'How long a create, update or cancel waits for the carrier before it answers without.',
    read: integer(25_000, 0, 120_000),
  },
  rateLimit: {
    variable: 'RATE_LIMIT',
    standard: '60000',
    says: 'Requests a minute that each shipper’s or carrier’s token may make of one API process; 0: no limit.',
    read: integer(60_000, 0, 100_000_000),
  },
  trustProxy: {
    variable: 'TRUST_PROXY',
    standard: 'none',
    says: 'Addresses and CIDRs of the proxies before us, with commas between: from these `X-Forwarded-For` says who asks.',
    read: addresses,
  },
  webhookRetries: {
    variable: 'WEBHOOK_RETRIES',
    standard: '4',
    says: 'Retries of a webhook after its first try.',
    read: integer(4, 0, 100),
  },
  webhookRetryMs: {
    variable: 'WEBHOOK_RETRY_MS',
    standard: '1800000',
    says: 'Time between them, in milliseconds.',
    read: integer(1_800_000, 100, 7 * DAY_MS),
  },
  stopDelayMs: {
    variable: 'STOP_DELAY_MS',
    standard: '2000',
    says: 'How long `/readyz` says 503 after SIGTERM before the server takes no more requests.',
    read: integer(2_000, 0, 60_000),
  },
  stopLimitMs: {
    variable: 'STOP_LIMIT_MS',
    standard: '40000',
    says: 'How long a stop may take; what has not ended by then is cut off.',
    read: integer(40_000, 1_000, 600_000),
  },
  allowPrivateNetworks: {
    variable: 'ALLOW_PRIVATE_NETWORKS',
    standard: 'false',
    says: 'true: carriers, labels and webhooks may lie on private addresses, and there also on plain HTTP.',
    read: (value) => oneOf('false', 'true', 'false')(value) === 'true',
  },
  privateNetworks: {
    variable: 'PRIVATE_NETWORKS',
    standard: 'none',
    says: '`carrier=10.1.2.0/24,other=fd12:3456::/32`: private addresses that one carrier may lie on, by HTTPS only.',
    read: readNetworks,
  },
  mapping: {
    variable: 'WAYBILL_MAPPING',
    standard: 'compiled',
    says: 'How mappings are run: `compiled`, or `stock` (the interpreter of the jsonata package, for comparison).',
    read: oneOf('compiled', 'compiled', 'stock'),
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    standard: 'info',
    says: '`debug`, `info`, `warn`, `error` or `silent`.',
    read: oneOf('info', 'debug', 'info', 'warn', 'error', 'silent'),
  },
};

/** Reads all settings; a `Failure` with code `config_invalid` names every one that is wrong. */
export const readConfig = (env: Readonly<Record<string, string | undefined>>): Config => {
  const wrong: string[] = [];
  const values = Object.entries(SETTINGS).map(([key, setting]) => {
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
  if (wrong.length > 0) throw new Failure(wrong.join('; '), { code: 'config_invalid' });
  return config;
};
