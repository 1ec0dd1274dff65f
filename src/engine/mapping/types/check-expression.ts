import { type Ast, partsOf } from '../../jsonata/parse.ts';
import { callOf, checkShadowed } from './calls.ts';
import { checkComparison } from './comparisons.ts';
import { anyField, descendantsOf, fieldOf, variableOf } from './fields.ts';
import { alwaysList, filtered, groupOf, pathOf } from './paths.ts';
import * as t from './type.ts';
import { type At, type Surrounding, type TypeFinding, TypeWalk } from './type-walk.ts';

export interface Checked {
  readonly type: t.Type;
  readonly findings: readonly TypeFinding[];
  readonly lookups: ReadonlyMap<number, t.Origin | undefined>;
}

/**
 * Goes through an expression with what is known of its roots, and finds what it names that is not there, calls that
 * cannot be, and comparisons that never hold. What is not known is never reported. `judge` gets to see the outcome
 * before the findings are collected.
 */
export const checkExpression = (
  tree: Ast,
  text: string,
  surrounding: Surrounding,
  judge: (tree: Ast, walk: TypeWalk) => void = () => {},
): Checked => {
  const walk = new ExpressionWalk(text, surrounding);
  const type = walk.visit(tree, { context: walk.document, names: new Map() });
  walk.enterUncalled();
  judge(tree, walk);
  return { type, findings: walk.findings(), lookups: walk.lookups };
};

/** Limits of the calls that are followed: nested, and in all. */
const DEPTH_MAX = 24;
const CALLS_MAX = 3_000;

class ExpressionWalk extends TypeWalk {
  readonly #functions = new Map<Ast, t.Callable>();
  readonly #called = new Set<Ast>();
  readonly #active: Ast[] = [];
  #calls = 0;

  apply(callee: t.Type, args: readonly t.Type[]): t.Type {
    const { callable } = callee;
    if (callable === undefined) return t.ANY;
    const { node, scope, context } = callable;
    const depth = this.#active.filter((each) => each === node).length;
    this.#calls += 1;
    if (depth > 1 || this.#active.length > DEPTH_MAX || this.#calls > CALLS_MAX || node.body === undefined)
      return t.ANY;
    this.#called.add(node);
    const names = new Map(scope);
    for (const [at, parameter] of (node.arguments ?? []).entries()) {
      names.set(String(parameter.value), argumentType(args[at] ?? t.MISSING));
    }
    this.#active.push(node);
    const value = this.visit(node.body, { context, names });
    this.#active.pop();
    return value;
  }

  /** Checks functions that the expression itself never calls, with unknown arguments. */
  enterUncalled(): void {
    for (const [node, callable] of this.#functions) {
      if (!this.#called.has(node))
        this.apply(
          { callable },
          (node.arguments ?? []).map(() => t.ANY),
        );
    }
  }

  visit(node: Ast, at: At): t.Type {
    let value = this.#bare(node, at);
    for (const { expr } of node.predicate ?? []) {
      if (expr !== undefined) value = filtered(this, expr, { ...at, context: value });
    }
    if (node.group !== undefined && node.type !== 'path')
      value = groupOf(this, node.group.lhs, { ...at, context: value });
    if (node.keepArray === true) value = alwaysList(value);
    const before = this.yielded.get(node);
    this.yielded.set(node, before === undefined ? value : t.unionOf([before, value]));
    return value;
  }

  #bare(node: Ast, at: At): t.Type {
    switch (node.type) {
      case 'string':
        return t.knownText(String(node.value));
      case 'number':
        return t.NUMBER;
      case 'value':
        return node.value === null ? t.NULL : t.BOOLEAN;
      case 'name':
        return fieldOf(this, node, String(node.value), at.context, { first: true, more: false });
      case 'variable':
        return variableOf(this, node, at);
      case 'path':
        return pathOf(this, node, at);
      case 'wildcard':
        return anyField(at.context);
      case 'descendant':
        return descendantsOf(at.context);
      case 'binary':
        return this.#binary(node, at);
      case 'unary':
        return this.#unary(node, at);
      case 'condition':
        return this.#condition(node, at);
      case 'block':
        return this.#block(node, at);
      case 'bind':
        return this.#bind(node, at);
      case 'function':
        return callOf(this, node, at);
      case 'lambda':
        return this.#lambda(node, at);
      case 'apply':
        return this.#apply(node, at);
      case 'transform':
        return this.#transform(node, at);
      default:
        if (node.type === 'partial') checkShadowed(this, node.procedure, at);
        // Its filters and grouping come after it.
        for (const part of partsOf({ ...node, predicate: undefined, stages: undefined, group: undefined }))
          this.visit(part, at);
        return t.ANY;
    }
  }

  #binary(node: Ast, at: At): t.Type {
    const [left, right] = [node.lhs as Ast, node.rhs as Ast];
    const [one, other] = [this.visit(left, at), this.visit(right, at)];
    switch (node.value) {
      case '=':
      case '!=':
      case 'in':
        checkComparison(this, node, one, other);
        return t.BOOLEAN;
      case '&':
        return t.TEXT;
      case '..':
        return t.listOf(t.NUMBER);
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
        return [one, other].some((side) => side.missing === true || side.any === true)
          ? t.orMissing(t.NUMBER)
          : t.NUMBER;
      default:
        return t.BOOLEAN;
    }
  }

  #unary(node: Ast, at: At): t.Type {
    if (node.value === '{') return this.#object(node.lhs as readonly (readonly [Ast, Ast])[], at);
    if (node.value === '[') {
      const items = (node.expressions ?? []).map((item): t.Type => {
        const type = this.visit(item, at);
        return item.type === 'unary' && item.value === '[' ? type : t.elementsOf(type);
      });
      const { missing: _, sequence: _s, ...element } = t.unionOf(items);
      return t.listOf(element.any === true ? t.ANY : items.length === 0 ? t.NEVER : element);
    }
    if (node.expression !== undefined) this.visit(node.expression, at);
    return t.NUMBER;
  }

  #object(pairs: readonly (readonly [Ast, Ast])[], at: At): t.Type {
    const fields = new Map<string, t.Type>();
    let open = false;
    for (const [key, value] of pairs) {
      if (key.type !== 'string') {
        this.visit(key, at);
        open = true;
      }
      const held = this.visit(value, at);
      if (key.type === 'string') fields.set(String(key.value), held);
    }
    return t.objectOf(fields, { origin: 'made', name: 'this object', others: open ? t.ANY : undefined });
  }

  #condition(node: Ast, at: At): t.Type {
    if (node.condition !== undefined) this.visit(node.condition, at);
    const yes = node.then === undefined ? t.MISSING : this.visit(node.then, at);
    return t.unionOf([yes, node.else === undefined ? t.MISSING : this.visit(node.else, at)]);
  }

  #block(node: Ast, at: At): t.Type {
    const names = new Map(at.names);
    let last: t.Type = t.MISSING;
    for (const each of node.expressions ?? []) last = this.visit(each, { ...at, names });
    return last;
  }

  #bind(node: Ast, at: At): t.Type {
    const target = String((node.lhs as Ast).value);
    const value = node.rhs === undefined ? t.MISSING : this.visit(node.rhs, at);
    // The form of what is bound decides, not the variables in it.
    const { uncallable: _, ...bound } = value;
    at.names.set(target, mayBeFunction(node.rhs) ? bound : { ...bound, uncallable: true });
    return value;
  }

  #lambda(node: Ast, at: At): t.Type {
    // The parser wraps a call in tail position this way.
    if (node.thunk === true) return node.body === undefined ? t.ANY : this.visit(node.body, at);
    const callable: t.Callable = { node, context: at.context, scope: at.names };
    if (!this.#functions.has(node)) this.#functions.set(node, callable);
    return { callable };
  }

  #apply(node: Ast, at: At): t.Type {
    const input = this.visit(node.lhs as Ast, at);
    const { rhs } = node;
    if (rhs === undefined) return input;
    if (rhs.type === 'function') return callOf(this, rhs, at, input);
    checkShadowed(this, rhs, at);
    if (rhs.type === 'transform') return this.visit(rhs, { ...at, context: input });
    const callee = this.visit(rhs, at);
    return input.callable === undefined ? this.apply(callee, [input]) : t.ANY;
  }

  /** What `~> |where|change|` makes of its input: where it is not said which of the objects within it were changed, any may have been. */
  #transform(node: Ast, at: At): t.Type {
    const found = node.pattern === undefined ? t.ANY : t.elementsOf(this.visit(node.pattern, at));
    const change = node.update === undefined ? t.ANY : this.visit(node.update, { ...at, context: found });
    if (node.delete !== undefined) this.visit(node.delete, { ...at, context: t.ANY });
    return change.object === undefined ? t.ANY : mayHave(at.context, change.object.fields);
  }
}

const TRANSFORMED_DEPTH = 12;

/** Each object within it may have these fields, and may have lost any. */
const mayHave = (type: t.Type, more: ReadonlyMap<string, t.Type>, depth = 0): t.Type => {
  if (type.any === true || depth > TRANSFORMED_DEPTH) return t.ANY;
  const { object, list, ...rest } = type;
  const inner = (held: t.Type): t.Type => mayHave(held, more, depth + 1);
  const fields = new Map([...(object?.fields ?? [])].map(([name, held]) => [name, t.orMissing(inner(held))] as const));
  for (const [name, held] of more) fields.set(name, t.orMissing(t.union(fields.get(name) ?? t.NEVER, held)));
  return {
    ...rest,
    ...(list && { list: inner(list) }),
    ...(object && { object: { ...object, fields, others: object.others && inner(object.others) } }),
  };
};

/** May what is assigned be a function, so that its variable may well be called? */
const mayBeFunction = (node: Ast | undefined): boolean =>
  node?.type === 'block'
    ? mayBeFunction(node.expressions?.at(-1))
    : node?.type === 'condition'
      ? mayBeFunction(node.then) || mayBeFunction(node.else)
      : ['lambda', 'partial', 'transform', 'variable', 'apply'].includes(node?.type ?? '');

/** A parameter is not known to be the one text that this call passes. */
const argumentType = (type: t.Type): t.Type =>
  type.text === undefined || type.closed === true ? type : { ...type, text: true };
