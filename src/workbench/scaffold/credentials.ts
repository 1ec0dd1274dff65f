/** Lifts what belongs to an account out of calls: secrets are never written down, only what they are called. */
import { isSensitiveHeader, isSecretName } from '../../engine/transport/masking.ts';
import { createCleaner } from '../replay/anonymise.ts';
import { cleanBody } from '../replay/clean-body.ts';
import type { Answer, Body, Call, Headers } from './sample.ts';
import { type BodyShape, exampleOf, type Scalar, wordsIn } from './shape.ts';

export const AUTHS = ['none', 'basic', 'bearer', 'apiKey', 'oauth2'] as const;
export type AuthKind = (typeof AUTHS)[number];

interface AccountValue {
  readonly secret: boolean;
  readonly example: string | number;
}
export interface Account {
  readonly credentials: Record<string, AccountValue>;
  readonly settings: Record<string, AccountValue>;
}

const USER =
  /^(?:(?:api|login)?_?user(?:_?(?:name|id))?|login(?:_?(?:name|id))?|client_?id|delis_?id|api_?id|access_?id)$/i;
const ACCOUNT =
  /(?:account|customer|client|shipper|merchant|contract|payer|meter|vendor|billing)_?(?:number|no|num|nr|id|code|account|entity)$|^(?:account|delis_?id|meter)$/i;
const KEY_HEADER = /key|token|secret|signature|credential|pass|client|account|user/i;
/** What a client or a server adds by itself. */
const USUAL =
  /^(?:host|user-agent|accept(?:-.*)?|content-(?:type|length|encoding)|connection|cache-control|pragma|origin|referer|soapaction|authorization|cookie|date|postman-token|sec-.*|upgrade-.*|x-request-id|traceparent|idempotency-key|dnt|te|priority)$/i;

const camel = (text: string): string =>
  wordsIn(text)
    .map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
    .replace(/^(?=\d)/, 'n');

/** Of one carrier: the same value has the same name everywhere. */
export const createAccount = () => {
  const account: Account = { credentials: {}, settings: {} };
  /** Value → its expression and what stands in its place. */
  const known = new Map<string, { readonly expression: string; readonly example: string | number }>();
  const ignored: string[] = [];

  const lift = (name: string, value: string | number, section: keyof Account, secret: boolean) => {
    const found = known.get(String(value));
    if (found !== undefined) return found;
    const base = camel(name) || 'value';
    let own = base;
    for (let at = 2; own in account[section]; at += 1) own = `${base}${at}`;
    // An account's number is no secret, and its form matters.
    const isKept = section === 'settings';
    const example = isKept
      ? value
      : typeof value === 'number'
        ? 1000 + known.size
        : `example-${wordsIn(own).join('-')}`;
    account[section][own] = { secret, example };
    const lifted = { expression: `$${section}.${own}`, example };
    if (String(value) !== '') known.set(String(value), lifted);
    return lifted;
  };

  const scalar = (shape: Scalar, name: string, around: string): BodyShape => {
    const value = exampleOf(shape);
    if (typeof value !== 'string' && typeof value !== 'number') return shape;
    const bare = name.replace(/^@?(?:[\w-]+:)?/, '');
    const isUser = USER.test(bare);
    const isAccount = ACCOUNT.test(bare) || (/^(?:value|number|id)$/i.test(bare) && ACCOUNT.test(around));
    const earlier = String(value).length >= 4 ? known.get(String(value)) : undefined;
    if (earlier === undefined && !isSecretName(bare) && !isUser && !isAccount) return shape;
    if (/label|track|reference/i.test(bare) || (value === '' && !isSecretName(bare))) return shape;
    const section = isAccount && !isSecretName(bare) && !isUser ? 'settings' : 'credentials';
    const { expression, example } =
      earlier ?? lift(/^(?:value|number|id|code)$/i.test(bare) ? around : bare, value, section, isSecretName(bare));
    return { ...shape, example, expression };
  };

  const shapeOf = (shape: BodyShape, name = '', around = ''): BodyShape => {
    switch (shape.kind) {
      case 'scalar':
        return scalar(shape, name, around);
      case 'list':
        return { ...shape, of: shape.of.map((one) => shapeOf(one, name, around)) };
      case 'map':
        return {
          ...shape,
          fields: shape.fields.map((field) => ({ ...field, shape: shapeOf(field.shape, field.name, name) })),
        };
    }
  };

  const body = (given: Body): Body => ({
    ...given,
    shape: shapeOf(given.shape),
    ...(given.soap?.header === undefined ? {} : { soap: { ...given.soap, header: shapeOf(given.soap.header) } }),
  });

  /** Headers that a profile has to write, as templates. */
  const headersOf = ({ headers, from }: Call, except: string | undefined): Headers =>
    Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]): [string, string][] => {
        if (name === 'cookie') ignored.push(`${from}: the cookie; sessions are declared under auth.session`);
        if (USUAL.test(name) || name === except) return [];
        if (/signature|hmac|digest/i.test(name)) {
          ignored.push(
            `${from}: the header ${name}; what it is computed from is declared under auths (docs/reference/authentication.md)`,
          );
          return [];
        }
        if (!isSensitiveHeader(name) && !KEY_HEADER.test(name)) return [[name, value.replaceAll('${', '$${')]];
        return [[name, inTemplate(lift(name, value, 'credentials', true).expression)]];
      }),
    );

  const answer = ({ bytes, contentType, ...rest }: Answer): Answer => {
    const cleaner = createCleaner(new Map([...known].map(([value, { example }]) => [value, String(example)])), true);
    return { ...rest, contentType, bytes: cleanBody(bytes, { contentType, cleaner, keepPeople: true }) };
  };

  /** A text in which values of the account are replaced. */
  const url = (text: string): string =>
    [...known].reduce(
      (held, [value, { expression }]) => (value.length < 6 ? held : held.replaceAll(value, inTemplate(expression))),
      text,
    );

  return { account, ignored, lift, body, headersOf, answer, url };
};
export type Accounts = ReturnType<typeof createAccount>;

/** `$credentials.apiKey` as it stands in a text of a profile. */
const inTemplate = (expression: string): string => `\${${expression.slice(1)}}`;

export interface Auth {
  readonly kind: AuthKind;
  /** Of a key: the header or query parameter that carries it. */
  readonly header?: string;
  readonly query?: string;
  readonly tokenUrl?: string;
}

/** How a call proves whose it is; what it proves it with is lifted. undefined: the call does not say. */
export const authOfCall = ({ headers, url = '' }: Call, { lift }: Accounts): Auth | undefined => {
  const [, scheme = '', proof = ''] = /^(\w+)\s+(.+)$/.exec(headers['authorization'] ?? '') ?? [];
  if (/^basic$/i.test(scheme)) {
    const [user = '', password = ''] = Buffer.from(proof, 'base64').toString().split(/:(.*)/s);
    lift('username', user, 'credentials', false);
    lift('password', password, 'credentials', true);
    return { kind: 'basic' };
  }
  if (/^bearer$/i.test(scheme)) {
    lift('token', proof, 'credentials', true);
    return { kind: 'bearer' };
  }
  const key = Object.keys(headers).find((name) => isKeyHeader(name));
  if (headers['authorization'] !== undefined || key !== undefined) {
    const header = key ?? 'authorization';
    lift('apiKey', headers[header] ?? '', 'credentials', true);
    return { kind: 'apiKey', header };
  }
  const query = [...(URL.parse(url)?.searchParams ?? [])].find(
    ([name]) => isSecretName(name) || /^(?:api_?)?key$/i.test(name),
  );
  if (query === undefined) return undefined;
  lift('apiKey', query[1], 'credentials', true);
  return { kind: 'apiKey', query: query[0] };
};

const isKeyHeader = (name: string): boolean =>
  name !== 'authorization' &&
  name !== 'cookie' &&
  !USUAL.test(name) &&
  !/signature/.test(name) &&
  (isSensitiveHeader(name) || /key|token/.test(name));
