import type { Auth } from '../carrier.ts';
import { AUTH_KINDS } from '../language/auths.ts';
import { didYouMean } from '../../mapping/closest.ts';
import { entriesOf, type Entry, type Node, textOf, valueOf } from '../tree.ts';
import type { Field } from '../language/field.ts';
import type { Context, Site } from './context.ts';
import { type Compiler, compileStep } from './operations.ts';
import { read } from './read.ts';

/** Compiles `auths` and whatever `auth` refers to; one written out is compiled once, however many steps inherit it. */
export const compileAuths = (context: Context): Compiler => {
  const { profile, findings, auths: named } = context;
  const declared = new Map(entriesOf(valueOf(profile, 'auths')).map((entry) => [entry.key.text, entry]));
  const inPlace = new Map<Node, Auth | undefined>();
  const open = new Set<string>();

  const byName = (node: Node): Auth | undefined => {
    const name = textOf(node) ?? 'none';
    if (name === 'none') return undefined;
    const entry = declared.get(name);
    if (entry === undefined) {
      const message = `there is no auth "${name.slice(0, 60)}"`;
      findings.report('unknown-auth', node.place, message, didYouMean(name, [...declared.keys(), 'none']));
      return undefined;
    }
    if (open.has(name)) {
      findings.report('circle', node.place, `the auth "${name}" would need itself to log in`);
      return undefined;
    }
    context.usedAuths.add(name);
    return ofEntry(name, entry);
  };

  const ofEntry = (name: string, entry: Entry): Auth | undefined => {
    const known = named.get(name);
    if (known !== undefined) return known;
    open.add(name);
    const auth = compileKind(compiler, entry.value, name);
    open.delete(name);
    if (auth !== undefined) named.set(name, auth);
    return auth;
  };

  const ofMap = (node: Node, name: string): Auth | undefined => {
    // Names written by people are words, so that this one meets none of theirs.
    if (!inPlace.has(node)) inPlace.set(node, compileKind(compiler, node, `(${name})`));
    return inPlace.get(node);
  };

  const compiler: Compiler = {
    ...context,
    authsOf: (node, name) => {
      if (node === undefined) return [];
      if (node.kind === 'list') return node.items.flatMap((item) => byName(item) ?? []);
      const auth = node.kind === 'map' ? ofMap(node, name) : byName(node);
      return auth === undefined ? [] : [auth];
    },
  };
  for (const [name, entry] of declared) ofEntry(name, entry);
  // First of all, so that it has one name wherever it is inherited.
  const written = valueOf(profile, 'auth');
  if (written?.kind === 'map') ofMap(written, 'profile');
  return compiler;
};

const compileKind = (compiler: Compiler, node: Node, name: string): Auth | undefined => {
  const [entry] = entriesOf(node);
  if (entry === undefined || !Object.hasOwn(AUTH_KINDS, entry.key.text)) return undefined;
  const kind = entry.key.text as Auth['kind'];
  const step = `${name}.login`;
  const site: Site = kind === 'session' ? { position: 'session', step } : { position: 'auths' };
  const field: Field = AUTH_KINDS[kind];
  const keys = read(compiler, field as Field<Readonly<Record<string, unknown>>>, entry.value, site);
  checkNeeds(compiler, kind, entry);
  if (keys === undefined) return undefined;
  const { header, query, login, ...rest } = keys;
  const carried = header === undefined ? { in: 'query', field: query } : { in: 'header', field: header };
  const loginSite = { position: 'auths', step } as const;
  return {
    kind,
    name,
    place: entry.key.place,
    ...rest,
    ...('header' in keys ? carried : {}),
    ...(login === undefined
      ? {}
      : { login: compileStep(compiler, { id: 'login', own: [login as Node], site: loginSite }) }),
  } as Auth;
};

const GRANT_NEEDS: Readonly<Record<string, readonly string[]>> = {
  password: ['username', 'password'],
  refresh_token: ['refreshToken'],
};

const checkNeeds = (context: Context, kind: Auth['kind'], { key: { place }, value }: Entry): void => {
  const need = (who: string, keys: readonly string[]): void => {
    for (const key of keys) {
      if (valueOf(value, key) === undefined) context.findings.report('missing-key', place, `${who} needs "${key}"`);
    }
  };
  const grant = textOf(valueOf(value, 'grant')) ?? '';
  if (kind === 'oauth2') need(`the grant ${grant}`, GRANT_NEEDS[grant] ?? ['clientSecret']);
  const algorithm = textOf(valueOf(value, 'algorithm')) ?? '';
  if (kind === 'signature' && algorithm.startsWith('hmac-')) need(algorithm, ['key']);
};
