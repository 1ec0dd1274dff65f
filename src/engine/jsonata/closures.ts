import { applyTo, compileCall, compileFunction, compilePartial } from './closure-calls.ts';
import { compileFilter, compileGroup, compileObject, compilePath } from './closure-paths.ts';
import { Frame, type Closure, type ClosureScope } from './frame.ts';
import { compare, concat, equals, includes, negate, numeric, range } from './operators.ts';
import { descendants, fields, fieldsOf, lookup, wildcard } from './paths.ts';
import { BoundedRegex, regexFunction } from './regex.ts';
import { transformation } from './transform.ts';
import type { ArrayItem, BinaryNode, Node } from './tree.ts';
import { Constructed, Sequence, appendTo, collapse, isInherited, truth } from './value.ts';

/** Compiles a part of the tree. */
export const closureOf = (node: Node, scope: ClosureScope): Closure => {
  switch (node.kind) {
    case 'constant': {
      const { value } = node;
      return () => value;
    }
    case 'context':
      // An input that is an array is wrapped; the items that a path begins with are a sequence.
      return collapse;
    case 'variable':
      return scope.reader(node.name, node.places);
    case 'name': {
      const { name } = node;
      return (input, { run }) => lookup(run, input, name);
    }
    case 'fields':
      return compileFields(node.base, node.names, scope);
    case 'wildcard':
      return (input, { run }) => wildcard(run, input);
    case 'descendants':
      return (input, { run }) => descendants(run, input);
    case 'path':
      return compilePath(node, scope);
    case 'filter':
      return compileFilter(node, scope);
    case 'group':
      return compileGroup(scope.compile(node.base), node.group, scope);
    case 'collapse':
      return compileCollapse(node, scope);
    case 'binary':
      return compileBinary(node, scope.compile(node.left), scope.compile(node.right));
    case 'negate': {
      const value = scope.compile(node.value);
      const { at } = node;
      return (input, frame) => negate(value(input, frame), at);
    }
    case 'array':
      return compileArray(node.items, node.constructed, scope);
    case 'object':
      return compileObject(node.pairs, node.at, scope);
    case 'bind': {
      const value = scope.compile(node.value);
      const write = scope.writer(node.target);
      return (input, frame) => {
        const result = value(input, frame);
        write(frame, result);
        return result;
      };
    }
    case 'block':
      return compileBlock(node, scope);
    case 'condition': {
      const [test, yes] = [scope.compile(node.test), scope.compile(node.yes)];
      const no = node.no && scope.compile(node.no);
      return (input, frame) => (truth(test(input, frame)) ? yes(input, frame) : no?.(input, frame));
    }
    case 'regex': {
      const regex = new BoundedRegex(node.pattern);
      const { at } = node;
      return () => regexFunction(regex, at);
    }
    case 'call':
      return compileCall(node, scope);
    case 'partial':
      return compilePartial(node, scope);
    case 'function':
      return compileFunction(node, scope);
    default: {
      const [clone, pattern] = [scope.compile(node.clone), scope.compile(node.pattern)];
      const [update, removal] = [scope.compile(node.update), node.removal && scope.compile(node.removal)];
      return (input, frame) => transformation({ clone, pattern, update, removal }, node, input, frame);
    }
  }
};

const compileCollapse = (node: Node & { kind: 'collapse' }, scope: ClosureScope): Closure => {
  const base = scope.compile(node.base);
  if (!node.keep) return isCollapsed(node, scope) ? base : (input, frame) => collapse(base(input, frame));
  return (input, frame) => {
    const value = base(input, frame);
    if (value instanceof Sequence) value.keep = true;
    return collapse(value);
  };
};

/** True for calls of functions that give texts, numbers or booleans, or make no sequences. */
const isCollapsed = ({ base, nested }: Node & { kind: 'collapse' }, { library }: ClosureScope): boolean => {
  const entry = base.kind !== 'call' || base.builtin === undefined ? undefined : library.get(base.builtin);
  return entry?.signature === undefined ? entry !== undefined && !nested : /:[snb]>$/.test(entry.signature.definition);
};

const compileBinary = ({ operator, at }: BinaryNode, left: Closure, right: Closure): Closure => {
  switch (operator) {
    case '<':
    case '<=':
    case '>':
    case '>=':
      return (input, frame) => compare(operator, left(input, frame), right(input, frame), at);
    case '=':
    case '!=': {
      const negated = operator === '!=';
      return (input, frame) => equals(frame.run, negated, left(input, frame), right(input, frame));
    }
    case '&':
      return (input, frame) => concat(frame.run, left(input, frame), right(input, frame), at);
    case 'and':
      return (input, frame) => truth(left(input, frame)) && truth(right(input, frame));
    case 'or':
      return (input, frame) => truth(left(input, frame)) || truth(right(input, frame));
    case 'in':
      return (input, frame) => includes(frame.run, left(input, frame), right(input, frame));
    case '..':
      return (input, frame) => range(frame.run, left(input, frame), right(input, frame), at);
    case '~>':
      return (input, frame) => applyTo(frame.run, left(input, frame), right(input, frame), at);
    default:
      return (input, frame) => numeric(operator, left(input, frame), right(input, frame), at);
  }
};

const compileFields = (base: Node | undefined, names: readonly string[], scope: ClosureScope): Closure => {
  const start = base && scope.compile(base);
  const walk = base === undefined ? fields : fieldsOf;
  const [first, second] = names as [string, string | undefined];
  if (names.length > 2 || names.some(isInherited))
    return (input, frame) => walk(frame.run, start === undefined ? input : start(input, frame), names);
  // One or two names on plain objects, by far the most frequent.
  return (input, frame) => {
    const from = start === undefined ? input : start(input, frame);
    if (typeof from !== 'object' || from === null || Array.isArray(from)) return walk(frame.run, from, names);
    let value = (from as Record<string, unknown>)[first];
    if (second !== undefined) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return walk(frame.run, from, names);
      value = (value as Record<string, unknown>)[second];
    }
    return value instanceof Sequence ? walk(frame.run, from, names) : value;
  };
};

const compileArray = (items: readonly ArrayItem[], constructed: boolean, scope: ClosureScope): Closure => {
  const parts = items.map(({ node }) => scope.compile(node));
  const nested = items.map((item) => item.nested);
  const constants = items.flatMap(({ node }) => (node.kind === 'constant' ? [node.value] : []));
  if (constants.length === items.length && !constructed) return () => constants.slice();
  return (input, frame) => {
    const result: unknown[] = constructed ? new Constructed() : [];
    for (let index = 0; index < parts.length; index += 1) {
      const value = (parts[index] as Closure)(input, frame);
      if (value === undefined) continue;
      if (!Array.isArray(value) || nested[index] === true) result.push(value);
      else appendTo(frame.run, result, value);
    }
    return result;
  };
};

const compileBlock = (node: Node & { kind: 'block' }, scope: ClosureScope): Closure => {
  const inner = node.scope === undefined ? scope : scope.inside(node.scope);
  const body = node.body.map((part) => inner.compile(part));
  const last = body.pop();
  if (last === undefined) return () => undefined;
  const size = node.scope?.bindings.size;
  if (size === undefined && body.length === 0) return last;
  return (input, outer) => {
    const frame = size === undefined ? outer : new Frame(outer.run, size, outer);
    for (const part of body) part(input, frame);
    return last(input, frame);
  };
};
