import type { Position } from '../../mapping/roots.ts';
import type { Auth, Method, OutcomeRule, Step } from '../carrier.ts';
import { idempotency, methods, outcomeRule, step } from '../language/steps.ts';
import { itemsOf, type Node, valueOf } from '../tree.ts';
import type { Context, Site } from './context.ts';
import { inherited, inheritedAll, read } from './read.ts';

const METHOD_KEYS = Object.keys(methods) as readonly (keyof typeof methods)[];

/** How a step authenticates: `node` is what is written for it, nearest first; undefined: nothing is. */
export type CompileAuth = (node: Node | undefined, name: string) => readonly Auth[];

export interface StepInput {
  readonly id: string;
  /** The step, and its operation unless that is the step itself. */
  readonly own: readonly [Node, ...Node[]];
  readonly profile: Node;
  /** Where its requests stand; `step` is its name for people, and that of an auth written out in it. */
  readonly site: Site & { readonly step: string };
  readonly outcomePosition: Position;
  readonly auth: CompileAuth;
}

/** One HTTP call with everything it inherits: step over operation over profile over built-in. */
export const compileStep = (context: Context, input: StepInput): Step => {
  const { id, own, profile, outcomePosition } = input;
  const forEach = inherited(own, 'forEach');
  const site = forEach?.kind === 'scalar' ? { ...input.site, forEach } : input.site;
  const all = [...own, profile];
  const ofOwn = <K extends keyof typeof step>(key: K) => read(context, step[key], inheritedAll(own, key), site);
  /** The step's own, where it is not the operation itself. */
  const ofStep = (key: string): Node | undefined => (own.length > 1 ? valueOf(own[0], key) : undefined);
  return {
    id,
    place: own[0].place,
    when: ofOwn('when'),
    forEach: ofOwn('forEach'),
    // The batch of `track` counts the numbers of one run, not the elements of one step.
    batch: site.operation === 'track' ? read(context, step.batch, ofStep('batch'), site) : ofOwn('batch'),
    parallel: ofOwn('parallel'),
    ...findMethod(context, own, site),
    headers: read(context, step.headers, inheritedAll(all, 'headers'), site),
    query: ofOwn('query'),
    body: ofOwn('body'),
    response: ofOwn('response'),
    auth: input.auth(inherited(all, 'auth'), site.step),
    ...compileLimits(context, all),
    outcomes: inheritedAll(all, 'outcomes').flatMap((list) =>
      compileOutcomes(context, list, { ...site, position: outcomePosition }),
    ),
    // Of an operation of one step it is the operation’s.
    idempotency: read(context, idempotency, ofStep('idempotency'), site),
    undo: compileUndo(context, { ...input, site }),
  };
};

/** Key by key from the nearest layer that writes it. */
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

/** The nearest layer that names a method: a step's `get` stands for an operation's `post`. */
const findMethod = (context: Context, own: StepInput['own'], site: StepInput['site']): Pick<Step, 'method' | 'url'> => {
  for (const layer of own) {
    for (const key of METHOD_KEYS) {
      const url = read(context, methods[key], valueOf(layer, key), site);
      if (url !== undefined) return { method: key.toUpperCase() as Method, url };
    }
  }
  const [{ place }] = own;
  context.findings.report('missing-key', place, `${site.step} needs one of ${METHOD_KEYS.join(', ')}`);
  return { method: 'POST', url: { place, text: '', constant: true, evaluate: () => '' } };
};

/**
 * An undo is a call of its own: its headers and outcomes are its own and the profile's. It authenticates, and is
 * limited, as the step it takes back.
 */
const compileUndo = (context: Context, input: StepInput): Step | undefined => {
  const { own, profile, site } = input;
  const node = inherited(own, 'undo');
  if (node === undefined) return undefined;
  const layers = [node, ...own, profile];
  const name = `${site.step}.undo`;
  const undo = compileStep(context, {
    ...input,
    id: 'undo',
    own: [node],
    site: { ...site, position: 'undo', step: name },
  });
  const auth = input.auth(inherited(layers, 'auth'), valueOf(node, 'auth') === undefined ? site.step : name);
  return { ...undo, auth, ...compileLimits(context, layers) };
};
