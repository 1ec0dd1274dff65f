import type { Place } from '../../failure.ts';
import type { Position } from '../../mapping/roots.ts';
import type { Auth, Method, OperationName, ResponseCodec, Step } from '../carrier.ts';
import { type Node, valueOf } from '../tree.ts';
import { compileBody } from './bodies.ts';
import { compileExpr, compileText, compileTexts, type Context, type Site } from './context.ts';
import { compileIdempotency } from './idempotency.ts';
import { inherited, inheritedAll, type Layers, mergedEntries, numberOf, textOf, wordOf } from './layers.ts';
import { compileLimits, compileRetry } from './limits-and-retry.ts';
import { compileOutcomes } from './outcomes.ts';

const METHODS = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;
const METHOD_KEYS = Object.keys(METHODS) as (keyof typeof METHODS)[];
const RESPONSES: readonly ResponseCodec[] = ['json', 'xml', 'soap', 'text', 'binary', 'multipart', 'none'];

/** How a step proves who we are: `node` is what is written for it, nearest first; undefined: nothing is. */
export type CompileAuth = (node: Node | undefined, name: string) => readonly Auth[];

export interface StepInput {
  /** `create`, `create.booking`: for people, and the name of an auth written out in the step. */
  readonly name: string;
  readonly id: string;
  readonly place: Place;
  /** The step, its operation (unless that is the step itself) and the profile. */
  readonly own: Layers;
  readonly profile: Node;
  /** What its requests see, and its outcomes. */
  readonly sees: Position;
  readonly judges: Position;
  readonly operation: OperationName | undefined;
  /** The operation whose step it takes back. */
  readonly undoes?: OperationName | undefined;
  /** Where the step whose `item` it sees says what it goes through. */
  readonly elements?: Node | undefined;
  readonly auth: CompileAuth;
}

/** One HTTP call with everything it inherits: step over operation over profile over built-in (§1.5). */
export const compileStep = (context: Context, input: StepInput): Step => {
  const { own, place } = input;
  const all = [...own, input.profile];
  const site = siteOf(input, input.sees);
  const optional = (key: string) => {
    const node = inherited(own, key);
    return node === undefined ? undefined : compileExpr(context, node, site);
  };
  const { method, url } = findMethod(context, input);
  const headers = mergedEntries(inheritedAll(all, 'headers'), (key) => key.toLowerCase());
  const query = mergedEntries(inheritedAll(own, 'query'));
  return {
    id: input.id,
    place,
    when: optional('when'),
    forEach: optional('forEach'),
    // The batch of `track` counts the numbers of one run, not the elements of one step.
    batch:
      input.operation === 'track'
        ? numberOf(valueOf(own.length > 1 ? own[0] : undefined, 'batch'))
        : numberOf(inherited(own, 'batch')),
    parallel: numberOf(inherited(own, 'parallel')) ?? 1,
    method,
    url,
    headers: compileTexts(context, headers, site, 'header'),
    query: compileTexts(context, query, site, 'query'),
    body: compileBody(context, inherited(own, 'body'), site),
    response: wordOf(inherited(own, 'response'), RESPONSES),
    auth: input.auth(inherited(all, 'auth'), input.name),
    limits: compileLimits(all),
    retry: compileRetry(all),
    outcomes: compileOutcomes(context, inheritedAll(all, 'outcomes'), siteOf(input, input.judges)),
    // An operation of one step says it for both.
    idempotency: compileIdempotency(own.length > 1 ? valueOf(own[0], 'idempotency') : undefined),
    undo: compileUndo(context, input),
  };
};

const siteOf = ({ name, own, operation, undoes, elements }: StepInput, position: Position): Site => {
  const [within, forEach] = [operation ?? undoes, elements ?? inherited(own, 'forEach')];
  return {
    position,
    step: name,
    ...(within === undefined ? {} : { operation: within }),
    ...(forEach?.kind === 'scalar' ? { forEach } : {}),
  };
};

/** The nearest layer that names a method: a step's `get` stands for an operation's `post`. */
const findMethod = (context: Context, input: StepInput): { readonly method: Method; readonly url: Step['url'] } => {
  const site = siteOf(input, input.sees);
  for (const layer of input.own) {
    for (const key of METHOD_KEYS) {
      const node = valueOf(layer, key);
      if (node !== undefined) return { method: METHODS[key], url: compileText(context, node, site, 'url') };
    }
  }
  context.findings.error('missing-key', input.place, `${input.name} needs one of ${METHOD_KEYS.join(', ')}`);
  const nowhere = { place: input.place, text: '', constant: true, evaluate: () => '' };
  return { method: 'POST', url: nowhere };
};

/**
 * An undo is a call of its own: its headers and outcomes are its own and the profile's. It proves who we are, and is
 * limited, as the step it takes back.
 */
const compileUndo = (context: Context, input: StepInput): Step | undefined => {
  const node = inherited(input.own, 'undo');
  if (node === undefined) return undefined;
  const layers = [node, ...input.own, input.profile];
  const undo = compileStep(context, {
    ...input,
    name: `${input.name}.undo`,
    id: 'undo',
    place: node.place,
    own: [node],
    sees: 'undo',
    operation: undefined,
    undoes: input.operation,
    elements: inherited(input.own, 'forEach'),
  });
  const auth = inherited(layers, 'auth');
  return {
    ...undo,
    auth: input.auth(auth, valueOf(node, 'auth') === undefined ? input.name : `${input.name}.undo`),
    limits: compileLimits(layers),
    retry: compileRetry(layers),
  };
};

export const idOf = (node: Node | undefined, otherwise: string): string => textOf(valueOf(node, 'id')) ?? otherwise;
