import type { Ast } from '../../jsonata/parse.ts';
import { startOfNode } from '../../jsonata/position.ts';
import { partsOf } from '../walk.ts';
import { callOf } from './calls.ts';
import { anyField, descendantsOf, fieldOf, variableOf } from './fields.ts';
import { compareWords } from './words.ts';
import { alwaysList, filtered, groupOf, pathOf } from './paths.ts';
import {
  ANY,
  BOOLEAN,
  type Callable,
  elementsOf,
  listOf,
  MISSING,
  Names,
  NEVER,
  NULL,
  NUMBER,
  objectOf,
  type Origin,
  optional,
  TEXT,
  type Type,
  unionOf,
  word,
} from './type.ts';
import { type TypeFinding, Verdicts } from './verdicts.ts';
import type { At, Surrounding, Walker } from './walker.ts';

export interface Checked {
  /** What the expression may yield. */
  readonly type: Type;
  readonly findings: readonly TypeFinding[];
  readonly lookups: ReadonlyMap<number, Origin | undefined>;
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
  const walk = new TypeWalk(text, surrounding);
  const type = walk.visit(tree, { context: walk.document, names: new Names() });
  walk.enterUncalled();
  judge(tree, walk);
  return { type, findings: walk.verdicts.list(), lookups: walk.lookups };
};

/** Calls within calls, and calls in all, that are followed up. */
const DEPTH_MAX = 24;
const CALLS_MAX = 3_000;

export class TypeWalk implements Walker {
  readonly surrounding: Surrounding;
  readonly document: Type;
  readonly verdicts = new Verdicts();
  /** What the names of paths were looked up in, by their places; undefined: nothing is known of it. */
  readonly lookups = new Map<number, Origin | undefined>();
  /** What each node came to, over all its visits. */
  readonly #yielded = new Map<Ast, Type>();
  readonly text: string;
  readonly #functions = new Map<Ast, Callable>();
  readonly #called = new Set<Ast>();
  readonly #active: Ast[] = [];
  #calls = 0;

  constructor(text: string, surrounding: Surrounding) {
    this.text = text;
    this.surrounding = surrounding;
    this.document = objectOf(surrounding.roots, { origin: 'document', name: 'the document' });
  }

  /** What a node came to; nothing is known of one that was never come by. */
  typeOf(node: Ast): Type {
    return this.#yielded.get(node) ?? ANY;
  }

  offsetOf(node: Ast): number {
    return startOfNode(this.text, node) ?? 0;
  }

  report(what: string, node: Ast, finding: Omit<TypeFinding, 'offset'>): void {
    this.verdicts.bad(what, { ...finding, offset: this.offsetOf(node) });
  }

  accept(what: string, node: Ast): void {
    this.verdicts.good(what, this.offsetOf(node));
  }

  lookedUp(node: Ast, origin: Origin | undefined): void {
    const offset = this.offsetOf(node);
    // The least that is known counts: what holds somewhere is no fault.
    const isLess = origin === undefined || (origin === 'shown' && this.lookups.get(offset) !== undefined);
    if (isLess || !this.lookups.has(offset)) this.lookups.set(offset, origin);
  }

  apply(callee: Type, args: readonly Type[]): Type {
    const { callable } = callee;
    if (callable === undefined) return ANY;
    const { node, scope, context } = callable;
    const depth = this.#active.filter((each) => each === node).length;
    this.#calls += 1;
    if (depth > 1 || this.#active.length > DEPTH_MAX || this.#calls > CALLS_MAX || node.body === undefined) return ANY;
    this.#called.add(node);
    const names = new Names(scope);
    for (const [at, parameter] of (node.arguments ?? []).entries()) {
      names.set(String(parameter.value), argumentType(args[at] ?? MISSING));
    }
    this.#active.push(node);
    const value = this.visit(node.body, { context, names });
    this.#active.pop();
    return value;
  }

  /** Functions that nothing calls here: with arguments of which nothing is known. */
  enterUncalled(): void {
    for (const [node, callable] of this.#functions) {
      if (!this.#called.has(node))
        this.apply(
          { callable },
          (node.arguments ?? []).map(() => ANY),
        );
    }
  }

  visit(node: Ast, at: At): Type {
    let value = this.#bare(node, at);
    for (const { expr } of node.predicate ?? []) {
      if (expr !== undefined) value = filtered(this, expr, { ...at, context: value });
    }
    if (node.group !== undefined && node.type !== 'path')
      value = groupOf(this, node.group.lhs, { ...at, context: value });
    if (node.keepArray === true) value = alwaysList(value);
    const before = this.#yielded.get(node);
    this.#yielded.set(node, before === undefined ? value : unionOf([before, value]));
    return value;
  }

  #bare(node: Ast, at: At): Type {
    switch (node.type) {
      case 'string':
        return word(String(node.value));
      case 'number':
        return NUMBER;
      case 'value':
        return node.value === null ? NULL : BOOLEAN;
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
        for (const part of partsOf(node)) this.visit(part, at);
        return ANY;
    }
  }

  #binary(node: Ast, at: At): Type {
    const [left, right] = [node.lhs as Ast, node.rhs as Ast];
    const [one, other] = [this.visit(left, at), this.visit(right, at)];
    switch (node.value) {
      case '=':
      case '!=':
      case 'in':
        compareWords(this, { left, right, one, other });
        return BOOLEAN;
      case '&':
        return TEXT;
      case '..':
        return listOf(NUMBER);
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
        return [one, other].some((side) => side.missing === true || side.any === true) ? optional(NUMBER) : NUMBER;
      default:
        return BOOLEAN;
    }
  }

  #unary(node: Ast, at: At): Type {
    if (node.value === '{') return this.#object(node.lhs as readonly (readonly [Ast, Ast])[], at);
    if (node.value === '[') {
      const items = (node.expressions ?? []).map((item): Type => {
        const type = this.visit(item, at);
        return item.type === 'unary' && item.value === '[' ? type : elementsOf(type);
      });
      const { missing: _, sequence: _s, ...element } = unionOf(items);
      return listOf(element.any === true ? ANY : items.length === 0 ? NEVER : element);
    }
    if (node.expression !== undefined) this.visit(node.expression, at);
    return NUMBER;
  }

  #object(pairs: readonly (readonly [Ast, Ast])[], at: At): Type {
    const fields = new Map<string, Type>();
    let open = false;
    for (const [key, value] of pairs) {
      if (key.type !== 'string') {
        this.visit(key, at);
        open = true;
      }
      const held = this.visit(value, at);
      if (key.type === 'string') fields.set(String(key.value), held);
    }
    return objectOf(fields, { origin: 'made', name: 'this object', others: open ? ANY : undefined });
  }

  #condition(node: Ast, at: At): Type {
    if (node.condition !== undefined) this.visit(node.condition, at);
    const yes = node.then === undefined ? MISSING : this.visit(node.then, at);
    return unionOf([yes, node.else === undefined ? MISSING : this.visit(node.else, at)]);
  }

  #block(node: Ast, at: At): Type {
    const names = new Names(at.names);
    let last: Type = MISSING;
    for (const each of node.expressions ?? []) last = this.visit(each, { ...at, names });
    return last;
  }

  #bind(node: Ast, at: At): Type {
    const target = String((node.lhs as Ast).value);
    const value = node.rhs === undefined ? MISSING : this.visit(node.rhs, at);
    at.names.set(target, value);
    return value;
  }

  #lambda(node: Ast, at: At): Type {
    // The parser wraps a call in tail position this way.
    if (node.thunk === true) return node.body === undefined ? ANY : this.visit(node.body, at);
    const callable: Callable = { node, context: at.context, scope: at.names };
    if (!this.#functions.has(node)) this.#functions.set(node, callable);
    return { callable };
  }

  #apply(node: Ast, at: At): Type {
    const input = this.visit(node.lhs as Ast, at);
    const { rhs } = node;
    if (rhs === undefined) return input;
    if (rhs.type === 'function') return callOf(this, rhs, at, input);
    const callee = this.visit(rhs, rhs.type === 'transform' ? { ...at, context: input } : at);
    return input.callable === undefined ? this.apply(callee, [input]) : ANY;
  }

  #transform(node: Ast, at: At): Type {
    if (node.pattern !== undefined) this.visit(node.pattern, at);
    for (const part of [node.update, node.delete]) if (part !== undefined) this.visit(part, { ...at, context: ANY });
    return ANY;
  }
}

/** What a constant says of itself holds for this call alone. */
const argumentType = (type: Type): Type =>
  type.text === undefined || type.closed === true ? type : { ...type, text: true };
