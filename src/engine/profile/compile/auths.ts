import { parseDuration } from '../../duration.ts';
import type { Position } from '../../mapping/roots.ts';
import type { Auth } from '../carrier.ts';
import { DEFAULT_TOLERANCE_MS } from '../defaults.ts';
import { didYouMean } from '../suggest.ts';
import { entriesOf, type Entry, type Node, valueOf } from '../tree.ts';
import { compileText, compileTexts, type Context } from './context.ts';
import { textOf, wordOf } from './layers.ts';
import { type Common, compileSession, type KindInput } from './session.ts';
import type { CompileAuth } from './steps.ts';

export interface Auths {
  /** Those under `auths`, by name. */
  readonly named: Readonly<Record<string, Auth>>;
  /** Names under `auths` that something uses. */
  readonly used: ReadonlySet<string>;
  /** What is written at `auth`: nothing or `none`, a name, names, or a kind written out. */
  readonly compile: CompileAuth;
}

/** Compiles `auths` and whatever `auth` refers to; one written out is compiled once, however many steps inherit it. */
export const compileAuths = (context: Context, profile: Node): Auths => {
  const declared = new Map(entriesOf(valueOf(profile, 'auths')).map((entry) => [entry.key.text, entry]));
  const named = new Map<string, Auth>();
  const inPlace = new Map<Node, Auth | undefined>();
  const used = new Set<string>();
  const open = new Set<string>();

  const byName = (node: Node): readonly Auth[] => {
    const name = textOf(node) ?? 'none';
    if (name === 'none') return [];
    const entry = declared.get(name);
    if (entry === undefined) {
      const message = `there is no auth "${name.slice(0, 60)}"`;
      context.findings.error('unknown-auth', node.place, message, didYouMean(name, [...declared.keys(), 'none']));
      return [];
    }
    if (open.has(name)) {
      context.findings.error('circle', node.place, `the auth "${name}" would need itself to log in`);
      return [];
    }
    used.add(name);
    const auth = ofEntry(name, entry);
    return auth === undefined ? [] : [auth];
  };

  const ofEntry = (name: string, entry: Entry): Auth | undefined => {
    const known = named.get(name);
    if (known !== undefined) return known;
    open.add(name);
    const auth = compileKind(context, { node: entry.value, name, profile, compile });
    open.delete(name);
    if (auth !== undefined) named.set(name, auth);
    return auth;
  };

  const compile: Auths['compile'] = (node, name) => {
    if (node === undefined) return [];
    if (node.kind === 'scalar') return byName(node);
    if (node.kind === 'list') return node.items.flatMap(byName);
    // Names written by people are words, so that this one meets none of theirs.
    if (!inPlace.has(node)) inPlace.set(node, compileKind(context, { node, name: `(${name})`, profile, compile }));
    const auth = inPlace.get(node);
    return auth === undefined ? [] : [auth];
  };

  for (const [name, entry] of declared) ofEntry(name, entry);
  // First of all, so that it has one name wherever it is inherited.
  const written = valueOf(profile, 'auth');
  if (written?.kind === 'map') compile(written, 'profile');
  return { named: Object.fromEntries(named), used, compile };
};

const compileKind = (context: Context, input: KindInput): Auth | undefined => {
  const [entry] = entriesOf(input.node);
  if (entry === undefined) return undefined;
  const keys = entry.value;
  const common = { name: input.name, place: entry.key.place };
  const text = (key: string, position: Position = 'auths') => {
    const node = valueOf(keys, key);
    return node === undefined ? undefined : compileText(context, node, { position }, 'text');
  };
  switch (entry.key.text) {
    case 'basic': {
      const [username, password] = [text('username'), text('password')];
      return username && password && { kind: 'basic', ...common, username, password };
    }
    case 'bearer': {
      const token = text('token');
      return token && { kind: 'bearer', ...common, token };
    }
    case 'apiKey': {
      const [value, carried] = [text('value'), carriedOf(keys)];
      return value && carried && { kind: 'apiKey', ...common, value, ...carried };
    }
    case 'mtls': {
      const [certificate, key] = [text('certificate'), text('key')];
      return certificate && key && { kind: 'mtls', ...common, certificate, key, passphrase: text('passphrase') };
    }
    case 'oauth2':
      return compileOAuth2(context, keys, common);
    case 'signature':
      return compileSignature(context, keys, common);
    case 'session':
      return compileSession(context, keys, { ...common, input });
    default:
      return undefined;
  }
};

const carriedOf = (keys: Node): { readonly in: 'header' | 'query'; readonly field: string } | undefined => {
  const header = textOf(valueOf(keys, 'header'));
  if (header !== undefined) return { in: 'header', field: header };
  const query = textOf(valueOf(keys, 'query'));
  return query === undefined ? undefined : { in: 'query', field: query };
};

const compileOAuth2 = (context: Context, keys: Node, common: Common): Auth | undefined => {
  const site = { position: 'auths' } as const;
  const text = (key: string) => {
    const node = valueOf(keys, key);
    return node === undefined ? undefined : compileText(context, node, site, 'text');
  };
  const grant = wordOf(valueOf(keys, 'grant'), ['client_credentials', 'password', 'refresh_token']);
  const url = valueOf(keys, 'tokenUrl');
  const tokenUrl = url === undefined ? undefined : compileText(context, url, site, 'url');
  const clientId = text('clientId');
  const needs =
    grant === 'password' ? ['username', 'password'] : grant === 'refresh_token' ? ['refreshToken'] : ['clientSecret'];
  for (const key of needs) {
    if (valueOf(keys, key) !== undefined) continue;
    context.findings.error('missing-key', common.place, `the grant ${grant ?? ''} needs "${key}"`);
  }
  const params = compileTexts(context, entriesOf(valueOf(keys, 'params')), site, 'query');
  if (grant === undefined || tokenUrl === undefined || clientId === undefined) return undefined;
  return {
    kind: 'oauth2',
    ...common,
    grant,
    tokenUrl,
    clientId,
    clientSecret: text('clientSecret'),
    clientAuth: wordOf(valueOf(keys, 'clientAuth'), ['body', 'basic']) ?? 'body',
    username: text('username'),
    password: text('password'),
    refreshToken: text('refreshToken'),
    scope: text('scope'),
    params,
  };
};

const compileSignature = (context: Context, keys: Node, common: Common): Auth | undefined => {
  const text = (key: string, position: Position = 'signature') => {
    const node = valueOf(keys, key);
    return node === undefined ? undefined : compileText(context, node, { position }, 'text');
  };
  const [algorithm, carried, key] = [textOf(valueOf(keys, 'algorithm')), carriedOf(keys), text('key')];
  const tolerance = textOf(valueOf(keys, 'tolerance'));
  if (algorithm?.startsWith('hmac-') === true && key === undefined) {
    context.findings.error('missing-key', common.place, `${algorithm} needs "key"`);
  }
  const [over, format, timestamp] = [text('over'), text('format', 'signatureFormat'), text('timestamp')];
  if (algorithm === undefined || carried === undefined) return undefined;
  return {
    kind: 'signature',
    ...common,
    ...carried,
    algorithm,
    key,
    over,
    encoding: wordOf(valueOf(keys, 'encoding'), ['hex', 'base64', 'base64url']) ?? 'hex',
    format,
    timestamp,
    toleranceMs: parseDuration(tolerance ?? '') ?? DEFAULT_TOLERANCE_MS,
  };
};
