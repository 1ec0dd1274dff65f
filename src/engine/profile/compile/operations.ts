import { type Operation, type OperationName, OPERATIONS, type Step } from '../carrier.ts';
import { result } from '../language/operations.ts';
import { idempotency, step as stepKeys } from '../language/steps.ts';
import { itemsOf, type Node, textOf, valueOf } from '../tree.ts';
import type { Auths } from './auths.ts';
import type { Context } from './context.ts';
import { read } from './read.ts';
import { compileStep } from './steps.ts';

export interface Operations {
  readonly operations: Partial<Record<OperationName, Operation>>;
  readonly recreate: boolean;
}

/** Operations whose answer has to be read: without a result they would do nothing. */
const RESULT_NEEDED: ReadonlySet<OperationName> = new Set(['create', 'lookup', 'track']);
const REMEMBERING: ReadonlySet<OperationName> = new Set(['create', 'update', 'lookup']);

export const compileOperations = (context: Context, profile: Node, auths: Auths): Operations => {
  const all = valueOf(profile, 'operations');
  const operations: Partial<Record<OperationName, Operation>> = {};
  for (const name of OPERATIONS) {
    const node = valueOf(all, name);
    if (node?.kind === 'map') operations[name] = compileOperation(context, { name, node, profile, auths });
  }
  const update = valueOf(all, 'update');
  const recreate = textOf(update) === 'recreate';
  if (recreate && update !== undefined && (operations.create === undefined || operations.cancel === undefined)) {
    context.findings.report('missing-key', update.place, 'recreate needs the operations create and cancel');
  }
  return { operations, recreate };
};

interface OperationInput {
  readonly name: OperationName;
  readonly node: Node;
  readonly profile: Node;
  readonly auths: Auths;
}

const compileOperation = (context: Context, input: OperationInput): Operation => {
  const { name, node } = input;
  const written = valueOf(node, 'result');
  if (written === undefined && RESULT_NEEDED.has(name)) {
    context.findings.report('missing-key', node.place, `${name} needs "result"`);
  }
  // What a registration yields is kept in the account, encrypted: it may hold secrets.
  const site = {
    position: 'result',
    operation: name,
    ...(REMEMBERING.has(name) ? { remembers: true } : {}),
  } as const;
  return {
    name,
    place: node.place,
    steps: compileSteps(context, input),
    idempotency: read(context, idempotency, valueOf(node, 'idempotency'), site) ?? {
      by: name === 'update' || name === 'cancel' ? 'reference' : 'none',
      forMs: undefined,
    },
    batch: (name === 'track' ? read(context, stepKeys.batch, valueOf(node, 'batch'), site) : undefined) ?? 1,
    result: read(context, result, written, site),
  };
};

const compileSteps = (context: Context, input: OperationInput): readonly [Step, ...Step[]] => {
  const { name, node, profile, auths } = input;
  const ids = new Set<string>();
  const compile = (step: Node | undefined): Step => {
    const id = textOf(valueOf(step ?? node, 'id')) ?? name;
    if (ids.has(id)) {
      const help = 'give each step an id of its own';
      context.findings.report('repeated-id', (step ?? node).place, `there is a step "${id}" already`, help);
    }
    ids.add(id);
    return compileStep(context, {
      id,
      own: step === undefined ? [node] : [step, node],
      profile,
      site: {
        position: name === 'register' || name === 'unregister' ? 'register' : 'request',
        operation: name,
        step: step === undefined ? name : `${name}.${id}`,
      },
      outcomePosition: 'outcomes',
      auth: auths.compile,
    });
  };
  const [first, ...more] = itemsOf(valueOf(node, 'steps'));
  return [compile(first), ...more.map(compile)];
};
