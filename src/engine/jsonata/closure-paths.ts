import { compileGroup } from './closure-groups.ts';
import type { ClosureScope } from './closure-scope.ts';
import type { Frame } from './frame.ts';
import {
  filterIndex,
  filterItems,
  inputSequence,
  keepArray,
  mapStep,
  sortItems,
  type Evaluate,
  type Term,
} from './paths.ts';
import type { Run } from './run.ts';
import type { Node, PathNode, Scope, SortTerm, Step, StepStage } from './tree.ts';
import { tupleStep, type TupleStep } from './tuples.ts';
import { Sequence, TupleStream } from './value.ts';

type Closure = Evaluate<Frame>;
type StepFunction = (run: Run, items: readonly unknown[], frame: Frame) => unknown;

/** A path: not collapsed, or its tuples if it hands them on. */
export const compilePath = (node: PathNode, scope: ClosureScope): Closure => {
  const firstTuple = node.steps.findIndex((step) => step.tuple);
  if (firstTuple !== -1) return compileTuplePath(node, firstTuple, scope);
  const walk = compileSteps(node.steps, node.steps.length, scope);
  const { fromVariable, keep } = node;
  const path: Closure = (input, frame) => {
    const result = walk(frame.run, inputSequence(input, fromVariable), frame);
    return keep ? keepArray(result) : result;
  };
  return node.group === undefined ? path : compileGroup(path, node.group, scope);
};

/** What a step of the first kind gave, as the items of the next. */
const asItems = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  // A single item out of an array that begins a path has no items itself; a text has its characters.
  return typeof value === 'string' ? value.split('') : [];
};

/** True when a path ends early. */
const isNothing = (value: unknown): boolean =>
  value === undefined || ((Array.isArray(value) || typeof value === 'string') && value.length === 0);

const compileSteps = (steps: readonly Step[], total: number, scope: ClosureScope): StepFunction => {
  const functions = steps.map((step, index) => compileStep(step, index === total - 1, scope));
  const first = steps[0];
  const whole = first?.constructed === true && first.node !== undefined ? scope.compile(first.node) : undefined;
  return (run, input, frame) => {
    let items = input;
    let result: unknown;
    for (let index = 0; index < functions.length; index += 1) {
      if (index === 0 && whole !== undefined) result = whole(items, frame);
      else result = (functions[index] as StepFunction)(run, items, frame);
      if (isNothing(result)) return result;
      items = asItems(result);
    }
    return result;
  };
};

const compileStep = (step: Step, last: boolean, scope: ClosureScope): StepFunction => {
  const stages = step.stages.map((stage) => compileStage(stage, scope));
  if (step.sort !== undefined) {
    const { at } = step.sort;
    const terms = step.sort.terms.map((term) => compileTerm(term, scope));
    return (run, items, frame) => {
      let result: unknown = sortItems(run, items, terms, frame, at);
      for (const stage of stages) result = stage(result, frame);
      return result;
    };
  }
  const node = scope.compile(step.node as Node);
  if (stages.length === 0) return (run, items, frame) => mapStep(run, items, node, frame, last);
  const staged: Closure = (item, frame) => {
    let result = node(item, frame);
    for (const stage of stages) result = stage(result, frame);
    return result;
  };
  return (run, items, frame) => mapStep(run, items, staged, frame, last);
};

const constantNumber = (node: Node): number | undefined =>
  node.kind === 'constant' && typeof node.value === 'number' ? node.value : undefined;

const compileStage = (stage: StepStage, scope: ClosureScope): Closure => {
  if (stage.kind === 'index') return (value) => value;
  const number = constantNumber(stage.predicate);
  if (number !== undefined) return (value) => filterIndex(value, number);
  const predicate = scope.compile(stage.predicate);
  return (value, frame) => filterItems(frame.run, value, predicate, frame);
};

const compileTerm = (term: SortTerm, scope: ClosureScope): Term<Frame> => ({
  descending: term.descending,
  evaluate: scope.compile(term.value, term.scope),
});

const compileTupleStep = (step: Step, scope: ClosureScope): TupleStep => {
  const own = step.scope as Scope;
  return {
    evaluate: step.node === undefined ? undefined : scope.compile(step.node, own),
    terms: step.sort?.terms.map((term) => ({ ...compileTerm(term, scope), scope: term.scope as Scope })),
    at: step.sort?.at ?? 0,
    stages: step.stages.map((stage) =>
      stage.kind === 'index'
        ? stage
        : {
            kind: 'filter',
            evaluate: scope.compile(stage.predicate, stage.scope),
            number: constantNumber(stage.predicate),
            scope: stage.scope as Scope,
          },
    ),
    scope: own,
    focus: step.focus,
    index: step.index,
    ancestor: step.ancestor,
  };
};

const compileTuplePath = (node: PathNode, firstTuple: number, scope: ClosureScope): Closure => {
  const before = compileSteps(node.steps.slice(0, firstTuple), node.steps.length, scope);
  const steps = node.steps.slice(firstTuple).map((step) => compileTupleStep(step, scope));
  const { fromVariable, keep, carriesTuples } = node;
  const run = (input: unknown, frame: Frame): unknown => {
    const items = inputSequence(input, fromVariable);
    const plain = firstTuple === 0 ? items : before(frame.run, items, frame);
    let stream: TupleStream | undefined;
    // Nothing in front of the first tuple: there never is one.
    if (firstTuple > 0 && isNothing(plain)) return plain;
    const given = asItems(plain);
    for (const step of steps) stream = tupleStep(frame.run, step, given, stream, frame);
    return stream ?? new TupleStream();
  };
  const items = (stream: unknown): unknown => {
    if (!(stream instanceof TupleStream)) return keep ? keepArray(stream) : stream;
    if (carriesTuples) return stream;
    const result = new Sequence();
    for (let index = 0; index < stream.length; index += 1) result[index] = stream[index]?.['@'];
    return keep ? keepArray(result) : result;
  };
  if (node.group !== undefined) return compileGroup(run, node.group, scope);
  return (input, frame) => items(run(input, frame));
};
