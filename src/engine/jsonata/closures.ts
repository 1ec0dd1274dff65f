import { applyTo, builtinOf, compileCall, compileFunction, compilePartial } from './closure-calls.ts';
import { compileFilter, compileGroup, compileObject, compilePath, fieldsIn } from './closure-paths.ts';
import type { Closure, Scope } from './scope.ts';
import { compare, concat, equals, includes, negate, numeric, type NumericOperator, range } from './operators.ts';
import { type Ast, constantOf, required, startOfText } from './parse.ts';
import { descendants, lookup, wildcard } from './paths.ts';
import { GuardedRegex, regexFunction } from './regex.ts';
import { transformation } from './transform.ts';
import { appendTo, collapse, Constructed, Sequence, truth } from './value.ts';

/** Compiles a part of an expression, with the filters, grouping and `[]` written behind it. */
export const compilePart = (ast: Ast, scope: Scope): Closure => {
  const carriesTuples = ast.tuple === true;
  let closure = scope.observed(compileBare(ast, scope));
  for (const { expr } of ast.predicate ?? []) {
    closure = scope.observed(compileFilter(closure, required(expr), carriesTuples, scope), {
      kind: 'pick',
      from: closure,
    });
  }
  const isGrouped = ast.group !== undefined && ast.type !== 'path';
  if (isGrouped) closure = scope.observed(compileGroup(closure, required(ast.group), carriesTuples, scope));
  const isFiltered = (ast.predicate?.length ?? 0) > 0;
  if (isGrouped || !(isFiltered || mayBeSequence(ast, scope))) return closure;
  return scope.observed(collapsing(closure, ast.keepArray === true), { kind: 'pick', from: closure });
};

const collapsing = (base: Closure, keep: boolean): Closure => {
  if (!keep) return (input, frame) => collapse(base(input, frame));
  return (input, frame) => {
    const value = base(input, frame);
    if (value instanceof Sequence) value.keep = true;
    return collapse(value);
  };
};

/** True if what a part gives by itself may have to be collapsed. */
const mayBeSequence = (ast: Ast, scope: Scope): boolean => {
  switch (ast.type) {
    case 'path':
      return fieldsIn(ast) === undefined;
    case 'wildcard':
    case 'descendant':
    case 'name':
      return true;
    case 'binary':
      return ast.value === '..';
    case 'function':
      return ast.keepArray === true || !isCollapsedCall(ast, scope);
    case 'apply':
      return ast.keepArray === true || ast.rhs?.type !== 'function' || !isCollapsedCall(ast.rhs, scope);
    case 'variable':
      return ast.value !== '' && scope.expression.nestsSequences;
    case 'block':
    case 'condition':
    case 'parent':
    case 'bind':
      return scope.expression.nestsSequences;
    default:
      return false;
  }
};

/** True for calls of functions that give texts, numbers or booleans, or make no sequences. */
const isCollapsedCall = (call: Ast, scope: Scope): boolean => {
  const { library, nestsSequences } = scope.expression;
  const entry = library.get(builtinOf(call, scope) ?? '');
  if (entry?.signature === undefined) return entry !== undefined && !nestsSequences;
  return /:[snb]>$/.test(entry.signature.definition);
};

const compileBare = (ast: Ast, scope: Scope): Closure => {
  switch (ast.type) {
    case 'string':
    case 'number':
    case 'value': {
      const { value } = ast;
      return () => value;
    }
    case 'name': {
      const name = String(ast.value);
      return (input, { run }) => lookup(run, input, name);
    }
    case 'variable':
      return scope.variable(String(ast.value));
    case 'parent':
      return scope.variable(required(ast.slot).label);
    case 'wildcard':
      return (input, { run }) => wildcard(run, input);
    case 'descendant':
      return (input, { run }) => descendants(run, input);
    case 'path':
      return compilePath(ast, scope);
    case 'binary':
      return compileBinary(ast, scope);
    case 'unary':
      return compileUnary(ast, scope);
    case 'bind': {
      const value = scope.compile(required(ast.rhs));
      const { target, write } = scope.writer(String((ast.lhs as Ast).value));
      const bind: Closure = (input, frame) => {
        const result = value(input, frame);
        write(frame, result);
        return result;
      };
      return scope.observed(bind, { kind: 'bind', target, value });
    }
    case 'block':
      return compileBlock(ast.expressions ?? [], scope);
    case 'condition': {
      const [test, yes] = [scope.choosing(required(ast.condition)), scope.compile(required(ast.then))];
      const no = ast.else && scope.compile(ast.else);
      return scope.observed((input, frame) => (truth(test(input, frame)) ? yes(input, frame) : no?.(input, frame)), {
        kind: 'condition',
        at: Math.max(0, (ast.position ?? 1) - 1),
        yes,
        ...(no === undefined ? {} : { no }),
      });
    }
    case 'regex': {
      const { source, flags } = ast.value as RegExp;
      const regex = new GuardedRegex(source, flags);
      const at = scope.operatorAt(ast);
      return () => regexFunction(regex, at);
    }
    case 'function':
      return compileCall(ast, scope);
    case 'lambda':
      // The parser wraps a call in tail position this way.
      return ast.thunk === true ? compileCall(required(ast.body), scope, { tail: true }) : compileFunction(ast, scope);
    case 'partial':
      return compilePartial(ast, scope);
    case 'apply':
      return compileApply(ast, scope);
    case 'transform': {
      const clone = scope.variable('clone');
      const [pattern, update] = [scope.compile(required(ast.pattern)), scope.compile(required(ast.update))];
      const removal = ast.delete && scope.compile(ast.delete);
      const removalAt = ast.delete === undefined ? 0 : scope.at(ast.delete);
      const places = { at: scope.at(ast), updateAt: scope.at(required(ast.update)), removalAt };
      return (input, frame) => transformation({ clone, pattern, update, removal }, places, input, frame);
    }
    default:
      throw new Error(`The parser yields a node of type ${ast.type}, which this compiler does not know`);
  }
};

const compileBinary = (ast: Ast, scope: Scope): Closure => {
  const left = scope.compile(ast.lhs as Ast);
  const right = scope.compile(required(ast.rhs));
  const at = scope.operatorAt(ast);
  const { value: operator } = ast;
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
    default:
      return (input, frame) => numeric(operator as NumericOperator, left(input, frame), right(input, frame), at);
  }
};

const compileUnary = (ast: Ast, scope: Scope): Closure => {
  const { value: sign, expressions: items = [] } = ast;
  if (sign === '[') return compileArray(items, ast.consarray === true, scope);
  if (sign === '{') return compileObject(ast, scope);
  const value = scope.compile(required(ast.expression));
  const at = scope.operatorAt(ast);
  return (input, frame) => negate(value(input, frame), at);
};

const compileArray = (items: readonly Ast[], constructed: boolean, scope: Scope): Closure => {
  const parts = items.map((item) => scope.compile(item));
  // Written as an array itself, an item stays one.
  const nested = items.map(({ value }) => value === '[');
  const constants = items.flatMap((item) => constantOf(item) ?? []).map(({ value }) => value);
  if (constants.length === items.length && !constructed) return () => constants.slice();
  const list: Closure = (input, frame) => {
    const result: unknown[] = constructed ? new Constructed() : [];
    for (let index = 0; index < parts.length; index += 1) {
      const value = (parts[index] as Closure)(input, frame);
      if (value === undefined) continue;
      if (!Array.isArray(value) || nested[index] === true) result.push(value);
      else appendTo(frame.run, result, value);
    }
    return result;
  };
  const at = (index: number): number => startOfText(scope.expression.source, items[index] as Ast);
  return scope.observed(list, {
    kind: 'list',
    items: parts.map((value, index) => ({ value, at: at(index), isOne: nested[index] === true })),
  });
};

const compileBlock = (contents: readonly Ast[], scope: Scope): Closure => {
  const own = scope.inside(contents);
  const hasFrame = own.bindings.size > 0;
  const body = contents.map((part) => (hasFrame ? own : scope).compile(part));
  const last = body.pop();
  if (last === undefined) return () => undefined;
  if (!hasFrame && body.length === 0) return last;
  return (input, outer) => {
    const frame = hasFrame ? own.frameIn(outer) : outer;
    for (const part of body) part(input, frame);
    return last(input, frame);
  };
};

/** `x ~> $f(y)` is a call with x before y; filters behind the call are dropped by the stock evaluator too. */
const compileApply = (ast: Ast, scope: Scope): Closure => {
  const left = scope.compile(ast.lhs as Ast);
  const written = required(ast.rhs);
  if (written.type === 'function') return compileCall(written, scope, { applied: left });
  const right = scope.compile(written);
  const at = scope.operatorAt(ast);
  const apply: Closure = (input, frame) => applyTo(frame.run, left(input, frame), right(input, frame), at);
  return scope.observed(apply, { kind: 'call', args: [left], at });
};
