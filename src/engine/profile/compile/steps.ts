import type { Place } from '../../failure.ts';
import type { Position } from '../../mapping/roots.ts';
import type { Auth, Method, OperationName, OutcomeRule, Step } from '../carrier.ts';
import { idempotency, methods, outcomeRule, step } from '../language/steps.ts';
import { itemsOf, type Node, valueOf } from '../tree.ts';
import type { Context, Site } from './context.ts';
import { inherited, inheritedAll, read } from './read.ts';

const METHOD_KEYS = Object.keys(methods) as readonly (keyof typeof methods)[];

/** How a step authenticates: `node` is what is written for it, nearest first; undefined: nothing is. */
export type CompileAuth = (node: Node | undefined, name: string) => readonly Auth[];

export interface StepInput {
  /** `create`, `create.booking`: for people, and the name of an auth written out in the step. */
  readonly name: string;
  readonly id: string;
  readonly place: Place;
  /** The step, and its operation unless that is the step itself. */
  readonly own: readonly Node[];
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

/** One HTTP call with everything it inherits: step over operation over profile over built-in. */
export const compileStep = (context: Context, input: StepInput): Step => {
  const { own, place } = input;
  const all = [...own, input.profile];
  const site = siteOf(input, input.sees);
  const ofOwn = <K extends keyof typeof step>(key: K) => read(context, step[key], inheritedAll(own, key), site);
  /** The step's own, where it is not the operation itself. */
  const ofStep = (key: string): Node | undefined => (own.length > 1 ? valueOf(own[0], key) : undefined);
  return {
    id: input.id,
    place,
    when: ofOwn('when'),
    forEach: ofOwn('forEach'),
    // The batch of `track` counts the numbers of one run, not the elements of one step.
    batch: input.operation === 'track' ? read(context, step.batch, ofStep('batch'), site) : ofOwn('batch'),
    parallel: ofOwn('parallel'),
    ...findMethod(context, input),
    headers: read(context, step.headers, inheritedAll(all, 'headers'), site),
    query: ofOwn('query'),
    body: ofOwn('body'),
    response: ofOwn('response'),
    auth: input.auth(inherited(all, 'auth'), input.name),
    ...compileLimits(context, all),
    outcomes: inheritedAll(all, 'outcomes').flatMap((list) =>
      compileOutcomes(context, list, siteOf(input, input.judges)),
    ),
    // An operation of one step says it for both.
    idempotency: read(context, idempotency, ofStep('idempotency'), site),
    undo: compileUndo(context, input),
  };
};

/** Key by key from the nearest layer that says it. */
export const compileLimits = (context: Context, layers: readonly Node[]): Pick<Step, 'limits' | 'retry'> => {
  const site = { position: 'request' } as const;
  return {
    limits: read(context, step.limits, inheritedAll(layers, 'limits'), site),
    retry: read(context, step.retry, inheritedAll(layers, 'retry'), site),
  };
};

const compileOutcomes = (context: Context, list: Node, site: Site): readonly OutcomeRule[] => {
  const rules = itemsOf(list).flatMap((node) => {
    const rule = read(context, outcomeRule, node, site);
    return rule === undefined ? [] : [{ place: node.place, ...rule }];
  });
  context.outcomeLists.push(rules);
  return rules;
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
const findMethod = (context: Context, input: StepInput): Pick<Step, 'method' | 'url'> => {
  for (const layer of input.own) {
    for (const key of METHOD_KEYS) {
      const url = read(context, methods[key], valueOf(layer, key), siteOf(input, input.sees));
      if (url !== undefined) return { method: key.toUpperCase() as Method, url };
    }
  }
  context.findings.error('missing-key', input.place, `${input.name} needs one of ${METHOD_KEYS.join(', ')}`);
  return { method: 'POST', url: { place: input.place, text: '', constant: true, evaluate: () => '' } };
};

/**
 * An undo is a call of its own: its headers and outcomes are its own and the profile's. It authenticates, and is
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
    ...compileLimits(context, layers),
  };
};
