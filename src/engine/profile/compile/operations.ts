import {
  type Auth,
  type Carrier,
  type Method,
  isRepeatable,
  type Operation,
  type OperationName,
  OPERATIONS,
  type OutcomeRule,
  REMEMBERING,
  RESULT_NEEDED,
  type Step,
} from '../carrier.ts';
import { result, variantWhen } from '../language/operations.ts';
import { found, idempotency, methods, notYet, outcomeRule, step as stepKeys } from '../language/steps.ts';
import { itemsOf, type Node, nodeOf, textOf, valueOf } from '../tree.ts';
import type { Context, Site } from './context.ts';
import { compileBody, withFragments } from './fragments.ts';
import { inherited, inheritedAll, read } from './read.ts';

/** A context whose auths are compiled. */
export interface Compiler extends Context {
  /** What is written at `auth`: nothing or `none`, a name, names, or a kind written out, which then goes by `name`. */
  readonly authsOf: (node: Node | undefined, name: string) => readonly Auth[];
}

/** Of what has no idempotency written: done twice is done. */
export const REPEATABLE = { by: 'natural', forMs: undefined } as const;

export const compileOperations = (compiler: Compiler): Pick<Carrier, 'operations' | 'recreate'> => {
  const all = valueOf(compiler.profile, 'operations');
  const operations: Partial<Record<OperationName, Operation>> = {};
  for (const name of OPERATIONS) {
    const node = valueOf(all, name);
    if (node?.kind === 'map') operations[name] = compileOperation(compiler, name, node);
    else if (node !== undefined && name === 'cancel')
      operations.cancel = compileOperation(compiler, name, { ...NO_CALL, place: node.place });
  }
  const { create, lookup } = operations;
  if (create !== undefined && lookup !== undefined) operations.create = withLookup(create, lookup);
  const update = valueOf(all, 'update');
  const recreate = textOf(update) === 'recreate';
  if (recreate && update !== undefined && (operations.create === undefined || operations.cancel === undefined)) {
    compiler.findings.report('missing-key', update.place, 'recreate needs the operations create and cancel');
  }
  return { operations, recreate };
};

/** What is asked about the shipment is asked about the one step that makes it, of each variant where a repeat is not safe. */
const withLookup = (create: Operation, lookup: Operation): Operation => {
  const [first, ...more] = create.variants;
  if (first === undefined) {
    const [step, second] = create.steps;
    return second === undefined ? { ...create, steps: [{ ...step, lookup: step.lookup ?? lookup }] } : create;
  }
  const attached = (one: (typeof create.variants)[number]): typeof one => {
    const { by, forMs } = one.operation.steps[0].idempotency ?? one.operation.idempotency;
    return by === 'none' || forMs !== undefined ? { ...one, operation: withLookup(one.operation, lookup) } : one;
  };
  return withVariants(create, [attached(first), ...more.map(attached)]);
};

type Variants = readonly [Operation['variants'][number], ...Operation['variants']];

/** With the steps of all. */
const withVariants = (operation: Operation, variants: Variants): Operation => {
  const [{ operation: first }, ...more] = variants;
  const [step, ...steps] = first.steps;
  return { ...operation, steps: [step, ...steps, ...more.flatMap((one) => one.operation.steps)], variants };
};

/** `cancel: nothing`: a call that is never made. */
const NO_CALL = nodeOf({ when: 'false', post: '/' });

const compileOperation = (compiler: Compiler, name: OperationName, node: Node): Operation => {
  const ids = new Set<string>();
  const [first, ...more] = itemsOf(valueOf(node, 'variants')).map((variant, at) => {
    const site = { position: 'variant', operation: name, variant: at } as const;
    const when = read(compiler, variantWhen, valueOf(variant, 'when'), site);
    return { when, operation: compileOne(compiler, name, [withoutKey(variant, 'when'), node], ids, at) };
  });
  if (first === undefined) return compileOne(compiler, name, [node], ids);
  const variants = [first, ...more];
  for (const [at, { operation }] of variants.entries()) {
    if (at === 0 || variants[at - 1]?.when !== undefined) continue;
    const message = `the variant before it is for all consignments that come to it`;
    compiler.findings.report('no-effect', operation.place, message, 'give that one a condition, or put it last');
  }
  return withVariants({ ...first.operation, place: node.place }, [first, ...more]);
};

const withoutKey = (node: Node, name: string): Node =>
  node.kind === 'map' ? { ...node, entries: node.entries.filter(({ key }) => key.text !== name) } : node;

const compileOne = (
  compiler: Compiler,
  name: OperationName,
  layers: readonly [Node, ...Node[]],
  ids: Set<string>,
  variant?: number,
): Operation => {
  const [node] = layers;
  const written = inherited(layers, 'result');
  if (written === undefined && RESULT_NEEDED.has(name)) {
    compiler.findings.report('missing-key', node.place, `${name} needs "result"`);
  }
  // What a registration yields is kept in the account, encrypted: it may hold secrets.
  const site = {
    position: 'result',
    operation: name,
    variant,
    ...(REMEMBERING.has(name) ? { remembers: true } : {}),
  } as const;
  const batchSite = { position: 'forEach', operation: name, batchBy: true } as const;
  const batch = name === 'track' ? read(compiler, stepKeys.batch, inherited(layers, 'batch'), batchSite) : undefined;
  return {
    name,
    place: node.place,
    variants: [],
    notYetMs: (name === 'lookup' ? read(compiler, notYet, inherited(layers, 'notYet'), site) : undefined) ?? 0,
    steps: compileSteps(compiler, name, layers, ids, variant),
    idempotency: read(compiler, idempotency, inherited(layers, 'idempotency'), site) ?? {
      ...(isRepeatable(name) ? REPEATABLE : { by: 'none' as const, forMs: undefined }),
    },
    batch: batch?.size ?? 1,
    batchBy: batch?.by,
    result: read(compiler, result, written, site),
  };
};

const compileSteps = (
  compiler: Compiler,
  name: OperationName,
  layers: readonly [Node, ...Node[]],
  ids: Set<string>,
  variant: number | undefined,
): readonly [Step, ...Step[]] => {
  const [node] = layers;
  const position = name === 'register' || name === 'unregister' ? 'register' : 'request';
  const compile = (step: Node | undefined): Step => {
    const id = textOf(valueOf(step ?? node, 'id')) ?? name;
    const own = step === undefined ? layers : ([step, ...layers] as const);
    const path = step === undefined && variant === undefined ? name : `${name}.${id}`;
    if (ids.has(id)) {
      const help = 'give each step an id of its own';
      compiler.findings.report('repeated-id', (step ?? node).place, `there is a step "${id}" already`, help);
    }
    ids.add(id);
    return compileStep(compiler, { id, own, site: { position, operation: name, step: path, variant } });
  };
  const [first, ...more] = itemsOf(inherited(layers, 'steps'));
  return [compile(first), ...more.map(compile)];
};

/** Of bytes that are not read: labels are larger than all else that carriers answer, and one by its URL may be as large. */
const BINARY = nodeOf({ limits: { size: '20MB' } });

interface StepInput {
  readonly id: string;
  /** The step, and its operation unless that is the step itself. */
  readonly own: readonly [Node, ...Node[]];
  /** The step that this one undoes or asks about: it authenticates, and is limited, as that one. */
  readonly serves?: readonly Node[];
  /** Where its requests stand; `step` is its name for people, and that of an auth written out in it. */
  readonly site: Site & { readonly step: string };
}

/**
 * One HTTP call with everything it inherits: step over operation over profile over built-in. A login (at `auths`)
 * authenticates only by an auth of its own.
 */
export const compileStep = (compiler: Compiler, { id, own: written, serves = [], site: given }: StepInput): Step => {
  const own = withFragments(compiler, written);
  const forEach = inherited(own, 'forEach');
  const site = forEach?.kind === 'scalar' ? { ...given, forEach } : given;
  const isLogin = site.position === 'auths';
  const all = [...own, compiler.profile];
  const shared = [...own, ...serves, compiler.profile];
  const outcomeSite = { ...site, position: isLogin ? 'loginOutcomes' : 'outcomes' } as const;
  const [undo, lookup] = [inherited(own, 'undo'), inherited(own, 'lookup')];
  const undoneBy = textOf(undo);
  const undoes = undo === undefined || undoneBy !== undefined ? [] : undo.kind === 'list' ? itemsOf(undo) : [undo];
  const ofOwn = <K extends keyof typeof stepKeys>(key: K) =>
    read(compiler, stepKeys[key], inheritedAll(own, key), site);
  const response = ofOwn('response');
  const bestEffort = ofOwn('bestEffort');
  const { limits, retry } = compileLimits(compiler, response === 'binary' ? [...shared, BINARY] : shared);
  /** The step's own, where it is not the operation itself. */
  const ofStep = (key: string): Node | undefined => (written.length > 1 ? valueOf(written[0], key) : undefined);
  return {
    id,
    place: own[0].place,
    variant: site.variant,
    when: ofOwn('when'),
    forEach: ofOwn('forEach'),
    // The batch of `track` counts the numbers of one run, not the elements of one step.
    batch: readBatch(compiler, site.operation === 'track' ? ofStep('batch') : inherited(own, 'batch'), site),
    parallel: ofOwn('parallel'),
    bestEffort,
    partial: ofOwn('partial'),
    ...findMethod(compiler, own, site),
    headers: read(compiler, stepKeys.headers, inheritedAll(all, 'headers'), site),
    query: ofOwn('query'),
    body: compileBody(compiler, own, site),
    response,
    auth: compiler.authsOf(inherited(isLogin ? own : shared, 'auth'), site.step),
    limits,
    retry: untilNow({ retry }, bestEffort),
    outcomes: inheritedAll(all, 'outcomes').flatMap((list) => compileOutcomes(compiler, list, outcomeSite)),
    // Of an operation of one step it is the operation’s.
    idempotency: read(compiler, idempotency, ofStep('idempotency'), site),
    lookup: lookup && compileLookup(compiler, { id, own: [lookup], serves: own, site }, bestEffort),
    undoneBy,
    undo: undoes.map((node, at) => {
      const step = `${site.step}.undo${undoes.length > 1 ? `[${at}]` : ''}`;
      const undoSite = { ...site, position: 'undo', step } as const;
      return compileStep(compiler, {
        id: textOf(valueOf(node, 'id')) ?? 'undo',
        own: [node],
        serves: own,
        site: undoSite,
      });
    }),
  };
};

/** Nobody waits for hours for what is not needed. */
const untilNow = ({ retry }: Pick<Step, 'retry'>, bestEffort: boolean): Step['retry'] =>
  bestEffort ? { ...retry, untilMs: 0 } : retry;

const compileLookup = (
  compiler: Compiler,
  { id, own, serves = [], site: given }: StepInput,
  bestEffort: boolean,
): Operation => {
  const site = { ...given, step: `${given.step}.lookup` };
  const step = compileStep(compiler, { id: `${id}~lookup`, own, serves, site });
  return {
    name: 'lookup',
    place: own[0].place,
    steps: [{ ...step, retry: untilNow(step, bestEffort) }],
    idempotency: { by: 'none', forMs: undefined },
    batch: 1,
    batchBy: undefined,
    result: read(compiler, found, valueOf(own[0], 'found'), { ...site, position: 'result' }),
    notYetMs: read(compiler, notYet, valueOf(own[0], 'notYet'), site) ?? 0,
    variants: [],
    yieldsBody: true,
  };
};

const readBatch = (context: Context, node: Node | undefined, site: Site): number | undefined => {
  const batch = read(context, stepKeys.batch, node, site);
  if (batch?.by !== undefined) {
    const message = 'only the numbers of track are grouped: the elements of a step are what its forEach yields';
    context.findings.report(
      'no-effect',
      batch.by.place,
      message,
      'let forEach yield them in their order, one group a step',
    );
  }
  return batch?.size;
};

/** Key by key from the nearest layer that writes it. */
export const compileLimits = (context: Context, layers: readonly Node[]): Pick<Step, 'limits' | 'retry'> => {
  const site = { position: 'request' } as const;
  return {
    limits: read(context, stepKeys.limits, inheritedAll(layers, 'limits'), site),
    retry: read(context, stepKeys.retry, inheritedAll(layers, 'retry'), site),
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

const METHOD_KEYS = Object.keys(methods) as readonly (keyof typeof methods)[];

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
