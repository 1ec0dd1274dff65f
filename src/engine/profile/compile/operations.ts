import type { Position } from '../../mapping/roots.ts';
import { compileIdempotency } from './idempotency.ts';
import { type Operation, type OperationName, OPERATIONS, type Step } from '../carrier.ts';
import { defaultIdempotency } from '../defaults.ts';
import { itemsOf, type Node, valueOf } from '../tree.ts';
import type { Auths } from './auths.ts';
import { compileMapping, type Context } from './context.ts';
import { numberOf, textOf } from './layers.ts';
import { compileStep, idOf } from './steps.ts';

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
    context.findings.error('missing-key', update.place, 'recreate needs the operations create and cancel');
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
  const result = valueOf(node, 'result');
  if (result === undefined && RESULT_NEEDED.has(name)) {
    context.findings.error('missing-key', node.place, `${name} needs "result"`);
  }
  return {
    name,
    place: node.place,
    steps: compileSteps(context, input),
    idempotency: compileIdempotency(valueOf(node, 'idempotency')) ?? { by: defaultIdempotency(name), forMs: undefined },
    batch: name === 'track' ? (numberOf(valueOf(node, 'batch')) ?? 1) : 1,
    result:
      result === undefined
        ? undefined
        : compileMapping(context, result, {
            // What a registration yields is kept in the account, encrypted: it may hold secrets.
            position: 'result',
            operation: name,
            ...(REMEMBERING.has(name) ? { remembers: true } : {}),
          }),
  };
};

const compileSteps = (context: Context, input: OperationInput): readonly [Step, ...Step[]] => {
  const { name, node } = input;
  const [first, ...more] = itemsOf(valueOf(node, 'steps'));
  if (first === undefined) return [one(context, input, { step: undefined, id: idOf(node, name) })];
  const ids = new Set<string>();
  const compile = (step: Node): Step => {
    const id = idOf(step, name);
    if (ids.has(id)) {
      context.findings.error(
        'repeated-id',
        step.place,
        `there is a step "${id}" already`,
        'give each step an id of its own',
      );
    }
    ids.add(id);
    return one(context, input, { step, id });
  };
  return [compile(first), ...more.map(compile)];
};

const one = (
  context: Context,
  input: OperationInput,
  { step, id }: { readonly step: Node | undefined; readonly id: string },
): Step => {
  const { name, node, profile, auths } = input;
  const sees: Position = name === 'register' || name === 'unregister' ? 'register' : 'request';
  return compileStep(context, {
    name: step === undefined ? name : `${name}.${id}`,
    id,
    place: (step ?? node).place,
    own: step === undefined ? [node] : [step, node],
    profile,
    sees,
    judges: 'outcomes',
    operation: name,
    auth: auths.compile,
  });
};
