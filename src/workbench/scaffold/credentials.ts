/** Lifts what belongs to an account out of calls: secrets are never written down, only what they are called. */
import { isSensitiveHeader, isSecretName } from '../../engine/transport/masking.ts';
import { createCleaner } from '../replay/anonymise.ts';
import { cleanBody } from '../replay/clean-body.ts';
import type { Answer, Body, Call, Headers } from './sample.ts';
import {
  createSecrets,
  isAccountHeader,
  kindOfName,
  kindOfParameter,
  mapScalars,
  parameterIn,
  proofIn,
} from './secrets.ts';
import { type BodyShape, exampleOf, type Scalar, wordsIn } from './shape.ts';

/** Kinds of authentication, and the credentials of each. */
const NEEDED = {
  none: [],
  basic: ['username', 'password'],
  bearer: ['token'],
  apiKey: ['apiKey'],
  oauth2: ['clientId', 'clientSecret'],
} as const;
export type AuthKind = keyof typeof NEEDED;
export const AUTHS = Object.keys(NEEDED) as readonly AuthKind[];

interface AccountValue {
  readonly secret: boolean;
  readonly example: string | number;
}
export interface Account {
  readonly credentials: Record<string, AccountValue>;
  readonly settings: Record<string, AccountValue>;
}

/** What a client or a server adds by itself. */
const USUAL =
  /^(?:host|user-agent|accept(?:-.*)?|content-(?:type|length|encoding)|connection|cache-control|pragma|origin|referer|soapaction|authorization|cookie|date|postman-token|sec-.*|upgrade-.*|x-request-id|traceparent|idempotency-key|dnt|te|priority)$/i;

export const camel = (text: string): string =>
  wordsIn(text)
    .map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
    .replace(/^(?=\d)/, 'n');

const exampleNamed = (name: string): string => `example-${wordsIn(name).join('-')}`;

/** Of one carrier: the same value has the same name everywhere. */
export const createAccount = () => {
  const account: Account = { credentials: {}, settings: {} };
  /** Value → its expression and what stands in its place. */
  const known = new Map<string, { readonly expression: string; readonly example: string | number }>();
  const ignored: string[] = [];
  const secrets = createSecrets();
  /** Texts in which what is noted stands among other things. */
  const cleaner = () => {
    const names = [...secrets.noted].map(([value, { name }]): [string, string] => [value, exampleNamed(name)]);
    return createCleaner(
      new Map([...names, ...[...known].map(([value, { example }]): [string, string] => [value, String(example)])]),
      true,
    );
  };

  /** `isShown`: a sample has the value; what was made up is known by its name alone. */
  const lift = (name: string, value: string | number, section: keyof Account, secret: boolean, isShown = true) => {
    const found = isShown ? known.get(String(value)) : undefined;
    if (found !== undefined) return found;
    const base = camel(name) || 'value';
    let own = base;
    const declared = isShown ? undefined : account[section][own];
    if (declared !== undefined) return { expression: `$${section}.${own}`, example: declared.example };
    for (let at = 2; own in account[section]; at += 1) own = `${base}${at}`;
    // An account's number is no secret, and its form matters.
    const isKept = section === 'settings';
    const example = isKept ? value : typeof value === 'number' ? 1000 + known.size : exampleNamed(own);
    account[section][own] = { secret, example };
    const lifted = { expression: `$${section}.${own}`, example };
    if (isShown && String(value) !== '') known.set(String(value), lifted);
    return lifted;
  };

  const scalar = (shape: Scalar, name: string, around: string): BodyShape => {
    const value = exampleOf(shape);
    if (typeof value !== 'string' && typeof value !== 'number') return shape;
    const kind = kindOfName(name, around);
    const isShown = shape.example !== undefined;
    const earlier = isShown && String(value).length >= 4 ? known.get(String(value)) : undefined;
    const isSecret = kind === 'secret' || secrets.noted.get(String(value))?.secret === true;
    if (!isSecret && (value === '' || /label|track|reference/i.test(name))) return shape;
    if (earlier === undefined && kind === undefined && !isSecret)
      return typeof shape.example === 'string'
        ? { ...shape, example: cleaner().value(shape.example) as string }
        : shape;
    const bare = name.replace(/^@?(?:[\w-]+:)?/, '');
    const own = /^(?:value|number|id|code|content|#text)$/i.test(bare) ? around : bare;
    const section = kind === 'account' && !isSecret ? 'settings' : 'credentials';
    const { expression, example } = earlier ?? lift(own, value, section, isSecret, isShown);
    return { ...shape, example, expression, isGuessed: !isShown };
  };
  const shapeOf = (shape: BodyShape): BodyShape => mapScalars(shape, scalar);

  const body = (given: Body): Body => ({
    ...given,
    shape: shapeOf(given.shape),
    ...(given.soap && { soap: { ...given.soap, header: given.soap.header && shapeOf(given.soap.header) } }),
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
        if (!isAccountHeader(name)) return [[name, within(value.replaceAll('${', '$${'))]];
        return [[name, inTemplate(lift(name, value, 'credentials', true).expression)]];
      }),
    );

  const answer = ({ bytes, contentType, ...rest }: Answer): Answer => ({
    ...rest,
    contentType,
    bytes: cleanBody(bytes, { contentType, cleaner: cleaner(), keepPeople: true }),
  });

  /** A text in which values of the account are replaced, outside of the templates that it has. */
  const within = (text: string): string =>
    text
      .split(/(\$\{[^}]*\})/)
      .map((piece, at) => {
        if (at % 2 === 1) return piece;
        const lifted = [...known].reduce(
          (held, [value, { expression }]) =>
            value.length < 6 || secrets.noted.has(value) ? held : held.replaceAll(value, inTemplate(expression)),
          piece,
        );
        return lifted === piece
          ? secrets.replace(piece, (value) => {
              const { name, secret } = secrets.noted.get(value) ?? { name: '', secret: true };
              return inTemplate(lift(name, value, 'credentials', secret).expression);
            })
          : within(lifted);
      })
      .join('');

  /** A URL or path whose parameters of the account are lifted. `except`: the one that the authentication sends. */
  const url = (text: string, except?: string): string => {
    const [path = '', ...queries] = text.split('?');
    const pairs = queries
      .flatMap((query) => query.split('&'))
      .flatMap((pair): string[] => {
        const [name, value] = parameterIn(pair);
        const kind = kindOfParameter(name);
        if (pair === '' || name === except) return [];
        if (kind === undefined || value === '' || /^:|\{/.test(value)) return [within(pair)];
        const section = kind === 'account' ? 'settings' : 'credentials';
        return [`${pair.split('=')[0]}=${inTemplate(lift(name, value, section, kind === 'secret').expression)}`];
      });
    return `${within(path)}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
  };

  /** What an authentication needs and no sample had. */
  const declare = (kind: AuthKind): void => {
    const { credentials } = account;
    for (const name of NEEDED[kind])
      credentials[name] ??= { secret: !/^(?:username|clientId)$/.test(name), example: exampleNamed(name) };
    if (kind === 'oauth2') delete credentials['token'];
  };

  return { account, ignored, secrets, lift, body, headersOf, answer, url, declare };
};
export type Accounts = ReturnType<typeof createAccount>;

/** `$credentials.apiKey` as it stands in a text of a profile. */
const inTemplate = (expression: string): string => `\${${expression.slice(1)}}`;

export interface Auth {
  readonly kind: AuthKind;
  /** Of a key: the header or query parameter that carries it. */
  readonly header?: string;
  readonly query?: string;
  readonly tokenUrl?: string | undefined;
  /** Nothing shows it. */
  readonly isGuessed?: boolean;
}

/** How a call proves whose it is; what it proves it with is lifted. undefined: the call does not say. */
export const authOfCall = ({ headers, url = '' }: Call, { lift }: Accounts): Auth | undefined => {
  const { scheme, user, proof } = proofIn(headers['authorization'] ?? '');
  if (scheme === 'basic') {
    lift('username', user, 'credentials', false);
    lift('password', proof, 'credentials', true);
    return { kind: 'basic' };
  }
  if (scheme === 'bearer') {
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
