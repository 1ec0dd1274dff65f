/** What of calls is a secret's or a user's, by its name or its place, and which texts hold it: it is neither written nor printed. */
import { unescape } from 'node:querystring';
import { createMask, isSecretName, isSensitiveHeader } from '../../engine/transport/masking.ts';
import { literally } from '../../engine/text.ts';
import type { Call } from './sample.ts';
import type { BodyShape, Scalar } from './shape.ts';

type Kind = 'secret' | 'user' | 'account';

const SECRET = /^(?:pass|pw|passcode|jwt)$|(?:auth|licen[cs]e|client|app|user|signing|shared)[-_]?key$/i;
const USER =
  /^(?:(?:api|login)?_?user(?:_?(?:name|id))?|login(?:_?(?:name|id))?|client_?id|delis_?id|api_?id|access_?id)$/i;
const ACCOUNT =
  /(?:account|customer|client|shipper|merchant|contract|payer|meter|vendor|billing)_?(?:number|no|num|nr|id|code|account|entity)$|^(?:account|delis_?id|meter)$/i;
const KEY = /key|token|secret|signature|credential|pass|client|account|user/i;
const PROOF = /(?:key|token|secret|signature|sig|hmac|credentials?|pass\w*|pin|auth|sid|session)$/i;
/** Values that say nothing of anybody, and stand in what is written. */
const PLACEHOLDER =
  /^(?:example.*|string|true|false|null|test|demo|password|secret|token|user(?:name)?|api[-_]?key|\$?\{.*\}|<.*>)$/is;
/** A shorter value is lifted where it stands; elsewhere it would be found in any text. */
const SHORTEST = { secret: 4, user: 6 };
/** From here on a value is looked for inside of words, too, in every encoding. */
const LONG = 8;

const bareName = (name: string): string => name.replace(/^@?(?:[\w-]+:)?/, '').replace(/\W+$/, '');

/** What a name says of its value. `around`: what the map or element is called that it is in. */
export const kindOfName = (name: string, around = ''): Kind | undefined => {
  const bare = bareName(/^(?:#text|value|content)$/i.test(name) && around !== '' ? around : name);
  if (isSecretName(bare) || SECRET.test(bare)) return 'secret';
  if (USER.test(bare)) return 'user';
  return ACCOUNT.test(bare) || (/^(?:value|number|id)$/i.test(bare) && ACCOUNT.test(around)) ? 'account' : undefined;
};

/** Of a parameter of a URL: there is less that a name may mean than in a body. */
export const kindOfParameter = (name: string): Kind | undefined =>
  kindOfName(name) ?? (PROOF.test(bareName(name)) ? 'secret' : KEY.test(name) ? 'user' : undefined);

export const isAccountHeader = (name: string): boolean => isSensitiveHeader(name) || KEY.test(name);

/** What an Authorization says: of Basic the user and the password, of any other scheme what is behind it. */
export const proofIn = (authorization: string) => {
  const [, scheme = '', given = authorization] = /^(\w+)\s+(.+)$/s.exec(authorization) ?? [];
  const isBasic = /^basic$/i.test(scheme);
  const [user = '', proof = ''] = isBasic ? Buffer.from(given, 'base64').toString().split(/:(.*)/s) : ['', given];
  return { scheme: scheme.toLowerCase(), user, proof };
};

/** `name=value` of a query, decoded. */
export const parameterIn = (pair: string): [string, string] => {
  const at = pair.indexOf('=');
  const text = pair.replaceAll('+', ' ');
  return at === -1 ? [unescape(text), ''] : [unescape(text.slice(0, at)), unescape(text.slice(at + 1))];
};

/** Every scalar with its name and what is around it; of `{ name: password, value: … }` that name is around. */
export const mapScalars = (
  shape: BodyShape,
  change: (scalar: Scalar, name: string, around: string) => BodyShape,
  name = '',
  around = '',
): BodyShape => {
  switch (shape.kind) {
    case 'scalar':
      return change(shape, name, around);
    case 'list':
      return { ...shape, of: shape.of.map((one) => mapScalars(one, change, name, around)) };
    case 'map': {
      const said = shape.fields.find((field) => /^@?(?:name|key)$/i.test(field.name))?.shape;
      const told = said?.kind === 'scalar' && typeof said.example === 'string' ? said.example : '';
      const above = kindOfName(told) === undefined ? name : told;
      return {
        ...shape,
        fields: shape.fields.map((field) => ({ ...field, shape: mapScalars(field.shape, change, field.name, above) })),
      };
    }
  }
};

const USERINFO = /^((?:[a-z][\w+.-]*:)?\/\/|)([^/?#]*)@/i;

/** As curl sends it: the user of a URL is one of Basic authentication. */
export const withoutUserinfo = (call: Call): Call => {
  const [, , info] = USERINFO.exec(call.url ?? '') ?? [];
  if (info === undefined) return call;
  const authorization = `Basic ${Buffer.from(unescape(info)).toString('base64')}`;
  return { ...call, url: call.url?.replace(USERINFO, '$1'), headers: { authorization, ...call.headers } };
};

/** `password=…`, `"password": "…"` or `<password>…` in a text of any kind; values may hold further ones. */
const NAMED = /([\w.-]+)(?:\\*["'\]])*\s*(?:[=:]\s*(?:\\*["'])?|>)(?=([^&;#\s"'<>,\\]+))/g;

/** A short value as a whole word only. */
const patternOf = (value: string): RegExp => {
  const any = `(?:${[value, encodeURIComponent(value.toWellFormed())].map(literally).join('|')})`;
  return new RegExp(value.length < LONG ? `(?<![\\p{L}\\p{N}])${any}(?![\\p{L}\\p{N}])` : any, 'gu');
};

/** All secrets and users of the calls that are noted. */
export const createSecrets = () => {
  const noted = new Map<string, { readonly name: string; readonly secret: boolean }>();
  const mask = createMask([]);

  const add = (name: string, value: Scalar['example'], kind: Kind | undefined): void => {
    const text = String(value ?? '').trim();
    if (kind === undefined || kind === 'account' || text.length < SHORTEST[kind] || PLACEHOLDER.test(text)) return;
    // A user may be called as the carrier is.
    if ((kind === 'user' && /^\p{L}+$/u.test(text)) || noted.get(text)?.secret === true) return;
    noted.set(text, { name, secret: kind === 'secret' });
    mask.add(name, text);
  };
  const inText = (text: string): void => {
    for (const [, name = '', value = ''] of text.matchAll(NAMED))
      if (kindOfName(name) === 'secret') for (const one of [value, unescape(value)]) add(name, one, 'secret');
  };
  const url = (text: string): void => {
    const [, , info = ''] = USERINFO.exec(text) ?? [];
    const [user = '', ...password] = info.split(':');
    add('username', unescape(user), 'user');
    add('password', unescape(password.join(':')), 'secret');
    for (const pair of text.split(/[?&;#]/).slice(1)) {
      const [name, value] = parameterIn(pair);
      for (const one of [value, pair.slice(pair.indexOf('=') + 1)]) add(name, one, kindOfParameter(name));
    }
    inText(text);
  };
  const header = (name: string, value: string): void => {
    if (name.endsWith('authorization')) {
      const { user, proof } = proofIn(value);
      add('username', user, 'user');
      add('authorization', proof, 'secret');
    } else if (name === 'cookie') {
      for (const [, held = ''] of value.matchAll(/=([^;]*)/g)) if (held.length >= LONG) add('cookie', held, 'secret');
    } else if (isSensitiveHeader(name) || PROOF.test(name)) add(name, value, 'secret');
    else if (isAccountHeader(name)) add(name, value, 'user');
    inText(value);
  };
  const body = (shape: BodyShape | undefined, kinds: readonly Kind[]): void => {
    if (shape === undefined) return;
    mapScalars(shape, (scalar, name, around) => {
      const kind = kindOfName(name, around);
      if (kind !== undefined && kinds.includes(kind)) add(bareName(name), scalar.example, kind);
      if (typeof scalar.example === 'string') inText(scalar.example);
      return scalar;
    });
  };

  /** The longest first: one may be part of another. */
  const replace = (text: string, by: (value: string) => string): string =>
    [...noted.keys()]
      .toSorted((one, other) => other.length - one.length)
      .reduce((held, value) => held.replaceAll(patternOf(value), () => by(value)), text);

  return {
    noted: noted as ReadonlyMap<string, { readonly name: string; readonly secret: boolean }>,
    url,
    note: ({ url: at = '', headers, request, answers, about, from }: Call): void => {
      url(at);
      for (const [name, value] of Object.entries(headers)) header(name, value);
      for (const shape of [request?.shape, request?.soap?.header]) body(shape, ['secret', 'user']);
      for (const { shape } of answers) body(shape, ['secret']);
      for (const text of [about, from]) inText(text);
    },
    replace,
    /** As it may be printed: `***name***` stands for what is noted. */
    text: (text: string): string => replace(mask.text(text), (value) => `***${noted.get(value)?.name ?? ''}***`),
    /** Names of what a text holds. */
    namesIn: (text: string): readonly string[] => [
      ...new Set([
        ...mask.namesIn(text),
        ...[...noted].flatMap(([value, { name }]) => (patternOf(value).test(text) ? [name] : [])),
      ]),
    ],
  };
};
export type Secrets = ReturnType<typeof createSecrets>;
