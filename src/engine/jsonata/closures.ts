import { applyPartially, applyTo, checkCallee, type CallSite } from './call.ts';
import { compileCall, compileDirectFunction, compileFunction } from './closure-calls.ts';
import { compileFilter, compileGroup, compileObject } from './closure-groups.ts';
import { compilePath } from './closure-paths.ts';
import type { ClosureScope } from './closure-scope.ts';
import { Frame, emptySlots } from './frame.ts';
import { compare, concat, equals, includes, negate, numeric, range } from './operators.ts';
import { hole } from './partial.ts';
import { fields, fieldsOf, type Evaluate } from './paths.ts';
import { descendants, wildcard } from './descend.ts';
import { lookup } from './lookup.ts';
import { BoundedRegex, regexFunction } from './regex.ts';
import { sharingOf } from './sharing.ts';
import { transformation } from './transform.ts';
import type { ArrayItem, Node } from './tree.ts';
import { Constructed, appendTo, collapse, ownField, Sequence, truth, isInherited } from './value.ts';

type Closure = Evaluate<Frame>;

/** Compiles a tree to closures. */
export const compileClosure = (node: Node, scope: ClosureScope): Closure =>
  scope.observed(node, closureOf(node, scope));

const closureOf = (node: Node, scope: ClosureScope): Closure => {
  const compile = (part: Node): Closure => compileClosure(part, scope);
  switch (node.kind) {
    case 'constant': {
      const { value } = node;
      return () => value;
    }
    case 'context':
      // An input that is an array is wrapped; the items that a path begins with are a sequence.
      return collapse;
    case 'variable':
      return scope.reader(node);
    case 'name': {
      const { name } = node;
      return (input, frame) => lookup(frame.run, input, name);
    }
    case 'fields':
      return compileFields(node, scope);
    case 'wildcard':
      return (input, frame) => wildcard(frame.run, input);
    case 'descendants':
      return (input, frame) => descendants(frame.run, input);
    case 'path':
      return compilePath(node, scope);
    case 'filter':
      return compileFilter(node, scope);
    case 'group':
      return compileGroup(compile(node.base), node.group, scope);
    case 'collapse': {
      const base = compile(node.base);
      if (!node.keep) return (input, frame) => collapse(base(input, frame));
      return (input, frame) => {
        const value = base(input, frame);
        if (value instanceof Sequence) value.keep = true;
        return collapse(value);
      };
    }
    case 'numeric': {
      const { operator, at } = node;
      const [left, right] = [compile(node.left), compile(node.right)];
      return (input, frame) => numeric(operator, left(input, frame), right(input, frame), at);
    }
    case 'comparison': {
      const { operator, at } = node;
      const [left, right] = [compile(node.left), compile(node.right)];
      return (input, frame) => compare(operator, left(input, frame), right(input, frame), at);
    }
    case 'equality': {
      const { negated } = node;
      const [left, right] = [compile(node.left), compile(node.right)];
      return (input, frame) => equals(frame.run, negated, left(input, frame), right(input, frame));
    }
    case 'concat': {
      const { at } = node;
      const [left, right] = [compile(node.left), compile(node.right)];
      return (input, frame) => concat(frame.run, left(input, frame), right(input, frame), at);
    }
    case 'includes': {
      const [left, right] = [compile(node.left), compile(node.right)];
      return (input, frame) => includes(frame.run, left(input, frame), right(input, frame));
    }
    case 'logic': {
      const [left, right] = [compile(node.left), compile(node.right)];
      if (node.operator === 'and') return (input, frame) => truth(left(input, frame)) && truth(right(input, frame));
      return (input, frame) => truth(left(input, frame)) || truth(right(input, frame));
    }
    case 'range': {
      const { at } = node;
      const [left, right] = [compile(node.left), compile(node.right)];
      return (input, frame) => range(frame.run, left(input, frame), right(input, frame), at);
    }
    case 'negate': {
      const value = compile(node.value);
      const { at } = node;
      return (input, frame) => negate(value(input, frame), at);
    }
    case 'array':
      return compileArray(node.items, node.constructed, scope);
    case 'object':
      return compileObject(node.pairs, node.at, scope);
    case 'bind': {
      if (node.value.kind === 'function' && scope.isDirect(node.target)) {
        return compileDirectFunction(node.target, node.value, scope);
      }
      const value = compile(node.value);
      const write = scope.writer(node.target);
      return (input, frame) => {
        const { mixed } = frame.run;
        const result = value(input, frame);
        // What a variable holds counts as shared wherever it goes.
        frame.run.mixed = mixed;
        write(frame, result);
        return result;
      };
    }
    case 'block':
      return compileBlock(node, scope);
    case 'condition': {
      const [test, yes] = [compile(node.test), compile(node.yes)];
      const no = node.no === undefined ? undefined : compile(node.no);
      return (input, frame) => (truth(test(input, frame)) ? yes(input, frame) : no?.(input, frame));
    }
    case 'regex': {
      const regex = new BoundedRegex(node.pattern);
      const { at } = node;
      return () => regexFunction(regex, at);
    }
    case 'call':
      return compileCall(node, scope);
    case 'partial': {
      const site: CallSite = { at: node.at, token: node.token, tail: false };
      const args = node.args.map((argument) => (argument === undefined ? undefined : compile(argument)));
      const procedure = compile(node.procedure);
      const hint = node.hint === undefined ? undefined : compile(node.hint);
      return (input, frame) => {
        const values = args.map((argument) => (argument === undefined ? hole : argument(input, frame)));
        const callee = procedure(input, frame);
        checkCallee(callee, hint && (() => hint(input, frame)), 'T1007', site);
        return applyPartially(callee, values, site);
      };
    }
    case 'function':
      return compileFunction(node, scope);
    case 'apply': {
      const [left, right] = [compile(node.left), compile(node.right)];
      const { at } = node;
      return (input, frame) => applyTo(frame.run, left(input, frame), right(input, frame), at);
    }
    default: {
      const [clone, pattern, update] = [compile(node.clone), compile(node.pattern), compile(node.update)];
      const removal = node.removal === undefined ? undefined : compile(node.removal);
      return (input, frame) =>
        transformation(
          {
            clone: () => clone(input, frame),
            pattern: (value) => pattern(value, frame),
            update: (value) => update(value, frame),
            removal: removal && ((value) => removal(value, frame)),
          },
          node,
        );
    }
  }
};

const compileFields = (node: Node & { kind: 'fields' }, scope: ClosureScope): Closure => {
  const { names } = node;
  const [only] = names;
  const inherited = names.some(isInherited);
  if (node.base !== undefined) {
    const base = compileClosure(node.base, scope);
    return (input, frame) => fieldsOf(frame.run, base(input, frame), names);
  }
  const second = names[1];
  if (names.length === 2 && only !== undefined && second !== undefined && !inherited) {
    return (input, frame) => {
      if (typeof input !== 'object' || input === null || Array.isArray(input)) return fields(frame.run, input, names);
      const owner = (input as Record<string, unknown>)[only];
      if (typeof owner !== 'object' || owner === null || Array.isArray(owner)) return fields(frame.run, input, names);
      const value = (owner as Record<string, unknown>)[second];
      return value instanceof Sequence ? fields(frame.run, input, names) : value;
    };
  }
  if (names.length !== 1 || only === undefined) return (input, frame) => fields(frame.run, input, names);
  return (input, frame) => {
    if (typeof input !== 'object' || input === null) return undefined;
    if (Array.isArray(input)) return fields(frame.run, input, names);
    const value = inherited ? ownField(input, only) : (input as Record<string, unknown>)[only];
    return value instanceof Sequence ? fields(frame.run, input, names) : value;
  };
};

const compileArray = (items: readonly ArrayItem[], constructed: boolean, scope: ClosureScope): Closure => {
  const parts = items.map(({ node, nested }) => ({
    evaluate: compileClosure(node, scope),
    nested,
    shared: sharingOf(node, scope.library) === 'all',
  }));
  return (input, frame) => {
    const result: unknown[] = constructed ? new Constructed() : [];
    for (const { evaluate, nested, shared } of parts) {
      const value = evaluate(input, frame);
      if (value === undefined) continue;
      if (shared && typeof value === 'object') frame.run.mixed = true;
      if (nested) result.push(value);
      else appendTo(frame.run, result, value);
    }
    return result;
  };
};

const compileBlock = (node: Node & { kind: 'block' }, scope: ClosureScope): Closure => {
  const inner = node.scope === undefined ? scope : scope.inside(node.scope);
  const body = node.body.map((part) => compileClosure(part, inner));
  const last = body.pop();
  if (last === undefined) return () => undefined;
  const size = node.scope?.bindings.size;
  if (size === undefined && body.length === 0) return last;
  return (input, outer) => {
    const frame = size === undefined ? outer : new Frame(outer.run, emptySlots(size), outer, undefined);
    for (const part of body) part(input, frame);
    return last(input, frame);
  };
};
