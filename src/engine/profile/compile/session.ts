import { parseDuration } from '../../duration.ts';
import type { Auth, Session, Step } from '../carrier.ts';
import { entriesOf, type Node, valueOf } from '../tree.ts';
import { compileExpr, compileTexts, type Context } from './context.ts';
import { textOf, wordOf } from './layers.ts';
import { type CompileAuth, compileStep } from './steps.ts';

/** One auth to compile: what is written, and the name it goes by. */
export interface KindInput {
  readonly node: Node;
  readonly name: string;
  readonly profile: Node;
  readonly compile: CompileAuth;
}

export type Common = Pick<Auth, 'name' | 'place'>;

/** A session: a login of the carrier's own kind. */
export const compileSession = (
  context: Context,
  keys: Node,
  { input, ...common }: Common & { readonly input: KindInput },
): Auth | undefined => {
  const expr = (node: Node | undefined) =>
    node === undefined ? undefined : compileExpr(context, node, { position: 'session', step: `${common.name}.login` });
  const login = valueOf(keys, 'login');
  const token = expr(valueOf(keys, 'token'));
  const rest = {
    expiresIn: compileLifetime(context, valueOf(keys, 'expiresIn')),
    expiresAt: expr(valueOf(keys, 'expiresAt')),
    save: Object.fromEntries(
      entriesOf(valueOf(keys, 'save')).map((entry) => [
        entry.key.text,
        compileExpr(context, entry.value, { position: 'session' }),
      ]),
    ),
    send: compileSend(context, valueOf(keys, 'send')),
  };
  if (login === undefined || token === undefined) return undefined;
  return { kind: 'session', ...common, login: compileLogin(context, login, input), token, ...rest };
};

/** A login inherits the profile's manners and outcomes, but proves nothing unless it says so itself. */
const compileLogin = (context: Context, node: Node, { name, profile, compile }: KindInput): Step =>
  compileStep(context, {
    name: `${name}.login`,
    id: 'login',
    place: node.place,
    own: [node],
    profile,
    sees: 'auths',
    judges: 'loginOutcomes',
    operation: undefined,
    auth: () => compile(valueOf(node, 'auth'), `${name}.login`),
  });

const compileLifetime = (context: Context, node: Node | undefined): Session['expiresIn'] => {
  if (node === undefined) return undefined;
  const ms = parseDuration(textOf(node) ?? '');
  return ms === undefined ? compileExpr(context, node, { position: 'session' }) : { ms };
};

const compileSend = (context: Context, node: Node | undefined): Session['send'] => {
  if (node?.kind !== 'map') return { as: wordOf(node, ['bearer', 'none']) ?? 'bearer' };
  const site = { position: 'send' } as const;
  return {
    as: 'fields',
    headers: compileTexts(context, entriesOf(valueOf(node, 'headers')), site, 'header'),
    query: compileTexts(context, entriesOf(valueOf(node, 'query')), site, 'query'),
  };
};
