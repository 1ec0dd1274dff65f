import type { Auth, Step } from '../carrier.ts';
import { AUTH_KINDS } from '../language/auths.ts';
import { didYouMean } from '../../mapping/closest.ts';
import { entriesOf, type Entry, type Node, textOf, valueOf } from '../tree.ts';
import type { Field } from '../language/field.ts';
import type { Context, Site } from './context.ts';
import { read } from './read.ts';
import { type CompileAuth, compileStep } from './steps.ts';

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
      context.findings.report('unknown-auth', node.place, message, didYouMean(name, [...declared.keys(), 'none']));
      return [];
    }
    if (open.has(name)) {
      context.findings.report('circle', node.place, `the auth "${name}" would need itself to log in`);
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

/** One auth to compile: what is written, and the name it goes by. */
interface KindInput {
  readonly node: Node;
  readonly name: string;
  readonly profile: Node;
  readonly compile: CompileAuth;
}

const compileKind = (context: Context, input: KindInput): Auth | undefined => {
  const [entry] = entriesOf(input.node);
  if (entry === undefined || !Object.hasOwn(AUTH_KINDS, entry.key.text)) return undefined;
  const kind = entry.key.text as Auth['kind'];
  const { name } = input;
  const site: Site = kind === 'session' ? { position: 'session', step: `${name}.login` } : { position: 'auths' };
  const field: Field = AUTH_KINDS[kind];
  const keys = read(context, field as Field<Readonly<Record<string, unknown>>>, entry.value, site);
  checkNeeds(context, kind, entry);
  if (keys === undefined) return undefined;
  const { header, query, login, ...rest } = keys;
  const carried = header === undefined ? { in: 'query', field: query } : { in: 'header', field: header };
  return {
    kind,
    name,
    place: entry.key.place,
    ...rest,
    ...('header' in keys ? carried : {}),
    ...(login === undefined ? {} : { login: compileLogin(context, login as Node, input) }),
  } as Auth;
};

const GRANT_NEEDS: Readonly<Record<string, readonly string[]>> = {
  password: ['username', 'password'],
  refresh_token: ['refreshToken'],
};

/** What one key needs beside it. */
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

/** A login inherits the profile's limits, headers and outcomes, but authenticates only by an auth of its own. */
const compileLogin = (context: Context, node: Node, { name, profile, compile }: KindInput): Step =>
  compileStep(context, {
    id: 'login',
    own: [node],
    profile,
    site: { position: 'auths', step: `${name}.login` },
    outcomePosition: 'loginOutcomes',
    auth: () => compile(valueOf(node, 'auth'), `${name}.login`),
  });
