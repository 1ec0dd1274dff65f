/** Kinds of settings: how a variable’s text is parsed, and how README describes it. */
import { isIP } from 'node:net';
import { isNetwork } from '../../engine/transport/address.ts';
import { isLocal } from '../api/cookies.ts';
import { type Role, ROLES } from '../records/tokens.ts';

/** How a variable is parsed, and its default. */
export interface Kind<Value> {
  /** Throws an error that says what the value must be; it never repeats the value, which may be a secret. */
  readonly parse: (text: string) => Value;
  readonly unset: Value;
  /** The default as README shows it, where it is not the value itself. */
  readonly documented?: string;
  /** The parts of the value that must never be logged. */
  readonly secretsOf?: (value: Value) => readonly string[];
}

export const setting = <Value>(
  variable: string,
  { parse, unset, documented = String(unset), secretsOf }: Kind<Value>,
  description: string,
) => ({
  variable,
  description,
  default: documented,
  read: (text: string | undefined): Value => (text === undefined || text === '' ? unset : parse(text)),
  secretsOf(value: Value): readonly string[] {
    return value === unset ? [] : (secretsOf?.(value) ?? []);
  },
});

type Setting = ReturnType<typeof setting<unknown>>;
/** By the names that the values have. */
export type Settings = Readonly<Record<string, Setting>>;
export type ValuesOf<Of extends Settings> = { readonly [Key in keyof Of]: ReturnType<Of[Key]['read']> };
export type Environment = Readonly<Record<string, string | undefined>>;

/** Throws where one is not what it must be. */
export const readSettings = <Of extends Settings>(env: Environment, settings: Of): ValuesOf<Of> =>
  Object.fromEntries(
    Object.entries(settings).map(([key, { variable, read }]) => [key, read(env[variable])]),
  ) as ValuesOf<Of>;

export const anyText = (text: string): string => text;

/** Accepts what `isGood` accepts; the error states the rule. */
export const check =
  <Value>(read: (text: string) => Value, isGood: (value: Value) => boolean, rule: string) =>
  (text: string): Value => {
    const value = read(text);
    if (isGood(value)) return value;
    throw new Error(rule);
  };

export const integer = (min: number, max: number, unset: number): Kind<number> => {
  const isGood = (number: number): boolean => Number.isInteger(number) && number >= min && number <= max;
  return { parse: check(Number, isGood, `must be a whole number from ${min} to ${max}`), unset };
};

/** The first is the default. */
export const oneOf = <Choice extends string>(unset: Choice, ...others: readonly Choice[]): Kind<Choice> => {
  const choices: readonly string[] = [unset, ...others];
  const isGood = (text: string): text is Choice => choices.includes(text);
  return { parse: check(anyText, isGood, `must be one of ${choices.join(', ')}`) as (text: string) => Choice, unset };
};

export const url = (documented: string, ...protocols: readonly string[]): Kind<string | undefined> => ({
  parse: check(
    anyText,
    (text) => protocols.includes(URL.parse(text)?.protocol ?? ''),
    `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  ),
  unset: undefined,
  documented,
  secretsOf: (text = '') => {
    const { password = '', searchParams = new URLSearchParams() } = URL.parse(text) ?? {};
    const written = password === '' ? [] : [password, decodeURIComponent(password)];
    return [...written, ...PASSWORDS.flatMap((name) => searchParams.getAll(name))].filter((one) => one !== '');
  },
});
/** Parameters of a connection to PostgreSQL. */
const PASSWORDS = ['password', 'sslpassword'];

/** Whoever knows the URL may use it: it is a secret as a whole. */
export const secretUrl = (...of: Parameters<typeof url>): Kind<string | undefined> => ({
  ...url(...of),
  secretsOf: (text = '') => [text],
});

export const secret = (
  isGood: (text: string) => boolean,
  rule: string,
  documented = 'generated',
): Kind<string | undefined> => ({
  parse: check(anyText, isGood, rule),
  unset: undefined,
  documented,
  secretsOf: (text = '') => [text],
});

const entriesOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

export const listOf = (isGood: (entry: string) => boolean, rule: string): Kind<readonly string[]> => ({
  parse: check(entriesOf, (entries) => entries.every(isGood), rule),
  unset: [],
  documented: 'none',
});
export const secrets = (...rule: Parameters<typeof listOf>): Kind<readonly string[]> => ({
  ...listOf(...rule),
  secretsOf: (texts) => texts,
});

/** Of 32 bytes. */
export const isKey = (text: string): boolean => Buffer.from(text, 'base64').byteLength === 32;

/** As the Standard Webhooks scheme has it. */
export const isWebhookSecret = (text: string): boolean => {
  const [, key] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(text) ?? [];
  const { byteLength } = Buffer.from(key ?? '', 'base64');
  return byteLength >= 24 && byteLength <= 64;
};

/** The length of 32 random bytes in base64: a proxy for entropy. */
const TOKEN_CHARACTERS_MIN = 43;
export const isLongToken = (text: string): boolean => text.length >= TOKEN_CHARACTERS_MIN;
export const TOKEN_RULE = `must have ${TOKEN_CHARACTERS_MIN} characters or more; make one with: openssl rand -hex 32`;

/** `10.0.0.1`, `10.1.0.0/16` or `fd00::/8`; a range of /0 would let any client claim any address. */
export const isRange = (entry: string): boolean => {
  const [address = '', bits] = entry.split('/');
  return isIP(address) > 0 && (bits === undefined || (isNetwork(entry) && Number(bits) > 0));
};

export const optionalText: Kind<string | undefined> = { parse: anyText, unset: undefined, documented: 'none' };

/** Whoever can listen to what goes there could sign in as anybody. */
export const issuer: Kind<string | undefined> = {
  ...url('none', 'https:', 'http:'),
  parse: check(
    anyText,
    (text) => URL.parse(text)?.protocol === 'https:' || (URL.canParse(text) && isLocal(text)),
    'must be a URL that begins with https://',
  ),
};

/** Roles by group. */
export const roleByGroup: Kind<ReadonlyMap<string, Role> | undefined> = {
  parse: (text) => {
    const roles = entriesOf(text).map((entry) => {
      const [, role, group = ''] = /^(\w+)=(.+)$/.exec(entry) ?? [];
      const known = ROLES.find((one) => one === role);
      if (known === undefined)
        throw new Error(`must be a list such as ${ROLES.map((one) => `${one}=group`).join(',')}`);
      return [group, known] as const;
    });
    const groups = Map.groupBy(roles, ([group]) => group);
    if (groups.size < roles.length) throw new Error('must give each group one role');
    return new Map(roles);
  },
  unset: undefined,
  documented: 'none',
};

/** Ranges by carrier code; a carrier may have several. */
export const networksByCarrier: Kind<ReadonlyMap<string, readonly string[]>> = {
  parse: (text) => {
    const networks = entriesOf(text).map((entry) => /^([\w-]{1,64})=(\S+)$/.exec(entry)?.slice(1) ?? ['', '']);
    if (!networks.every(([, network = '']) => isNetwork(network)))
      throw new Error('must be a list such as carrier=10.1.2.0/24,carrier=fd12:3456::/32');
    const byCarrier = Map.groupBy(networks, ([carrier = '']) => carrier);
    return new Map([...byCarrier].map(([carrier, own]) => [carrier, own.map(([, network = '']) => network)]));
  },
  unset: new Map(),
  documented: 'none',
};
