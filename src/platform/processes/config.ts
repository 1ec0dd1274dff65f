/** Configuration from the environment. Each setting is specified once, here: README's table is made of it. */
import { isIP } from 'node:net';
import path from 'node:path';
import { Failure } from '../../engine/failure.ts';
import { isNetwork } from '../../engine/transport/address.ts';

interface Setting<Value> {
  readonly variable: string;
  readonly description: string;
  /** As README shows it. */
  readonly default: string;
  /** Throws an error that says what the value must be; it never repeats the value, which may be a secret. */
  readonly read: (text: string | undefined) => Value;
  /** What of the value no log may hold. */
  readonly secretsOf: (value: Value) => readonly string[];
}

/** How the text of a variable is read. */
interface Kind<Value> {
  readonly parse: (text: string) => Value;
  readonly secretsOf?: (value: Value) => readonly string[];
}

const setting = <Value, const Default>(
  variable: string,
  { parse, secretsOf }: Kind<Value>,
  unset: Default,
  description: string,
  documented = String(unset),
): Setting<Value | Default> => ({
  variable,
  description,
  default: documented,
  read: (text) => (text === undefined || text === '' ? unset : parse(text)),
  secretsOf: (value) => (value === unset ? [] : (secretsOf?.(value as Value) ?? [])),
});

/** By default there is none; `documented` says what then holds. */
const optional = <Value>(variable: string, kind: Kind<Value>, documented: string, description: string) =>
  setting(variable, kind, undefined, description, documented);

/** Several, separated by commas; none by default. */
const list = (variable: string, kind: Kind<readonly string[]>, description: string) =>
  setting<readonly string[], readonly string[]>(variable, kind, [], description, 'none');

const anyText: Kind<string> = { parse: (text) => text };

/** What `isGood` lets pass; else the error names the rule. */
const checked = <Value>(
  read: (text: string) => Value,
  isGood: (value: Value) => boolean,
  rule: string,
): Kind<Value> => ({
  parse: (text) => {
    const value = read(text);
    if (isGood(value)) return value;
    throw new Error(rule);
  },
});

const integer = (min: number, max: number): Kind<number> =>
  checked(
    Number,
    (number) => Number.isInteger(number) && number >= min && number <= max,
    `must be a whole number from ${min} to ${max}`,
  );

const oneOf = <Choice extends string>(...choices: readonly Choice[]): Kind<Choice> =>
  checked(
    (text) => text as Choice,
    (choice) => choices.includes(choice),
    `must be one of ${choices.join(', ')}`,
  );

const url = (...protocols: readonly string[]): Kind<string> => ({
  ...checked(
    anyText.parse,
    (text) => protocols.includes(URL.parse(text)?.protocol ?? ''),
    `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  ),
  secretsOf: (text) => {
    const password = URL.parse(text)?.password ?? '';
    return password === '' ? [] : [password, decodeURIComponent(password)];
  },
});

const listOf = (isGood: (entry: string) => boolean, rule: string): Kind<readonly string[]> =>
  checked(entriesOf, (entries) => entries.every(isGood), rule);

const entriesOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

const secret = (kind: Kind<string>): Kind<string> => ({ ...kind, secretsOf: (text) => [text] });
const secrets = (kind: Kind<readonly string[]>): Kind<readonly string[]> => ({ ...kind, secretsOf: (texts) => texts });

/** Of 32 bytes. */
const isKey = (text: string): boolean => Buffer.from(text, 'base64').byteLength === 32;

/** 32 random bytes in base64: a guess at how random it is, and all that can be seen. */
const TOKEN_CHARACTERS_MIN = 43;
const isLongToken = (text: string): boolean => text.length >= TOKEN_CHARACTERS_MIN;
const TOKEN_RULE = `must have ${TOKEN_CHARACTERS_MIN} characters or more; make one with: openssl rand -hex 32`;

/** `10.0.0.1`, `10.1.0.0/16` or `fd00::/8`; a range of everything would let anyone name any address. */
const isRange = (entry: string): boolean => {
  const [address = '', bits] = entry.split('/');
  return isIP(address) > 0 && (bits === undefined || (isNetwork(entry) && Number(bits) > 0));
};

/** Ranges by the code of the carrier that may lie there, which may stand there more than once. */
const networksByCarrier: Kind<ReadonlyMap<string, readonly string[]>> = {
  parse: (text) => {
    const networks = new Map<string, string[]>();
    for (const entry of entriesOf(text)) {
      const [, carrier = '', network = ''] = /^([\w-]{1,64})=(\S+)$/.exec(entry) ?? [];
      if (!isNetwork(network)) throw new Error('must be a list as carrier=10.1.2.0/24,carrier=fd12:3456::/32');
      networks.set(carrier, [...(networks.get(carrier) ?? []), network]);
    }
    return networks;
  },
};

const DAY_MS = 86_400_000;

export const SETTINGS = {
  databaseUrl: optional(
    'DATABASE_URL',
    url('postgres:', 'postgresql:'),
    'a PostgreSQL of our own',
    'PostgreSQL 15 or newer, the only system of record. Without it the server starts its own under `.waybill/`.',
  ),
  redisUrl: optional(
    'REDIS_URL',
    url('redis:', 'rediss:'),
    'none',
    'Redis or Valkey for the queue. Without it the queue lives in the same PostgreSQL.',
  ),
  host: setting('HOST', anyText, '127.0.0.1', 'Where the server listens.'),
  port: setting('PORT', integer(0, 65_535), 8080, 'Its port; 0 takes a free one.'),
  publicUrl: optional(
    'PUBLIC_URL',
    url('http:', 'https:'),
    'http://HOST:PORT',
    'Under which others reach the server: label links and carriers’ webhooks are made of it.',
  ),
  adminToken: optional(
    'WAYBILL_ADMIN_TOKEN',
    secret(checked(anyText.parse, isLongToken, TOKEN_RULE)),
    'generated',
    'Bearer token of the admin routes; required with `DATABASE_URL`.',
  ),
  oldAdminTokens: list(
    'WAYBILL_ADMIN_TOKENS_OLD',
    secrets(listOf(isLongToken, `must be tokens by commas, each of which ${TOKEN_RULE}`)),
    'Tokens that are valid as well while another takes their place, by commas.',
  ),
  secretKey: optional(
    'WAYBILL_SECRET_KEY',
    secret(checked(anyText.parse, isKey, 'must be the base64 of 32 bytes; make one with: openssl rand -base64 32')),
    'generated',
    'Base64 of 32 bytes; seals accounts, webhook secrets and raw answers. Required with `DATABASE_URL`.',
  ),
  oldSecretKeys: list(
    'WAYBILL_SECRET_KEYS_OLD',
    secrets(listOf(isKey, 'must be keys by commas, each the base64 of 32 bytes')),
    'Keys that sealed before, by commas: what they sealed can still be opened, until `waybill reseal`.',
  ),
  lostSecretKeys: list(
    'WAYBILL_SECRET_KEYS_LOST',
    listOf((name) => /^[0-9a-f]{8}$/.test(name), 'must be names by commas, such as 1f2e3d4c'),
    'Names of keys that are lost, by commas: a server does not start while others are missing.',
  ),
  /** Absolute. */
  home: setting(
    'WAYBILL_HOME',
    { parse: (text) => path.resolve(text) },
    path.resolve(),
    'Holds `carriers/`, `mappings/`, `fixtures/` and `.waybill/`.',
    'the working directory',
  ),
  createWaitMs: setting(
    'CREATE_WAIT_MS',
    integer(0, 120_000),
    25_000,
    'How long a create, update or cancel waits for the carrier before it answers without.',
  ),
  /** Per minute. */
  rateLimit: setting(
    'RATE_LIMIT',
    integer(0, 100_000_000),
    60_000,
    'Requests a minute that each shipper’s or carrier’s token may make of one API process; 0: no limit.',
  ),
  trustProxy: list(
    'TRUST_PROXY',
    listOf(isRange, 'must be a list of addresses and CIDRs, such as 10.0.0.1, 10.1.0.0/16'),
    'Addresses and CIDRs of the proxies before us, with commas between: from these `X-Forwarded-For` says who asks.',
  ),
  webhookRetries: setting('WEBHOOK_RETRIES', integer(0, 100), 4, 'Retries of a webhook after its first try.'),
  webhookRetryMs: setting(
    'WEBHOOK_RETRY_MS',
    integer(100, 7 * DAY_MS),
    1_800_000,
    'Time between them, in milliseconds.',
  ),
  stopDelayMs: setting(
    'STOP_DELAY_MS',
    integer(0, 60_000),
    2_000,
    'How long `/readyz` says 503 after SIGTERM before the server takes no more requests.',
  ),
  stopLimitMs: setting(
    'STOP_LIMIT_MS',
    integer(1_000, 600_000),
    40_000,
    'How long a stop may take; what has not ended by then is cut off.',
  ),
  allowPrivateNetworks: setting(
    'ALLOW_PRIVATE_NETWORKS',
    { parse: (text) => oneOf('true', 'false').parse(text) === 'true' },
    false,
    'true: carriers, labels and webhooks may lie on private addresses, and there also on plain HTTP.',
  ),
  privateNetworks: setting(
    'PRIVATE_NETWORKS',
    networksByCarrier,
    new Map<string, readonly string[]>(),
    '`carrier=10.1.2.0/24,other=fd12:3456::/32`: private addresses that one carrier may lie on, by HTTPS only.',
    'none',
  ),
  mapping: setting(
    'WAYBILL_MAPPING',
    oneOf('compiled', 'stock'),
    'compiled',
    'How mappings are run: `compiled`, or `stock` (the interpreter of the jsonata package, for comparison).',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'info',
    '`debug`, `info`, `warn`, `error` or `silent`.',
  ),
};

export type Config = {
  readonly [Key in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Key]['read']>;
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
