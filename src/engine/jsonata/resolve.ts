import type { Ast, Group, Stage } from './parse.ts';
import { startOfNode, startOfText, startOfToken } from './position.ts';
import { holdsSequences, required, yieldsSequence } from './resolve-forms.ts';
import { resolvePath, stepScope } from './resolve-path.ts';
import { ScopeChain, assignedNames } from './scope.ts';
import type { ArrayItem, GroupNode, Node, Pair, Scope } from './tree.ts';

/** The resolved tree of an expression and the scope of its outermost assignments. */
export interface Resolved {
  readonly node: Node;
  readonly top: Scope;
  /** Library functions that are called by name. */
  readonly called: ReadonlySet<string>;
  /**
   * Places where an array item or object value assigns a variable that its siblings could see. Siblings are evaluated
   * from top to bottom here, but side by side by the stock evaluator.
   */
  readonly siblingAssignments: readonly number[];
}

/** Resolves names and tells forms apart; total for whatever the parser yields. */
export const resolve = (ast: Ast, source: string): Resolved => {
  const chain = ScopeChain.top(ast);
  const resolver = new Resolver(source, chain, holdsSequences(ast));
  const { called, siblingAssignments } = resolver;
  return { node: resolver.node(ast), top: chain.scope, called, siblingAssignments };
};

/** Walks the parsed tree with the scopes of the place it has reached. */
export class Resolver {
  readonly source: string;
  readonly chain: ScopeChain;
  readonly called: Set<string>;
  readonly siblingAssignments: number[];
  readonly #nested: boolean;

  /** `nested`: some value may be a sequence within a sequence, which every expression collapses by one level. */
  constructor(source: string, chain: ScopeChain, nested: boolean, outer?: Resolver) {
    this.source = source;
    this.chain = chain;
    this.#nested = nested;
    this.called = outer?.called ?? new Set();
    this.siblingAssignments = outer?.siblingAssignments ?? [];
  }

  within(kind: Scope['kind'], contents: readonly Ast[], parameters: readonly string[] = []): Resolver {
    return new Resolver(this.source, this.chain.inner(kind, contents, parameters), this.#nested, this);
  }

  withinTuple(contents: readonly Ast[], holds: ReadonlySet<string>): Resolver {
    return new Resolver(this.source, this.chain.innerTuple(contents, holds), this.#nested, this);
  }

  /** A node with the filters, grouping and `[]` written behind it. */
  node(ast: Ast): Node {
    return this.finish(ast, this.bare(ast), true);
  }

  finish(ast: Ast, bare: Node, withGroup: boolean): Node {
    let node = bare;
    const mayCarryTuples = ast.tuple === true;
    for (const stage of ast.predicate ?? []) node = this.#filter(node, stage, mayCarryTuples);
    if (withGroup && ast.group !== undefined && ast.type !== 'path') {
      node = { kind: 'group', base: node, group: this.group(ast.group, mayCarryTuples) };
    }
    return yieldsSequence(node, this.#nested) ? { kind: 'collapse', base: node, keep: ast.keepArray === true } : node;
  }

  at(ast: Ast): number {
    return startOfNode(this.source, ast) ?? 0;
  }

  operatorAt(ast: Ast): number {
    return startOfToken(this.source, ast.value, ast.position ?? 0);
  }

  group(group: Group, tuples: boolean): GroupNode {
    const resolver = tuples ? this.within('tuple', group.lhs.flat()) : this;
    const pairs = group.lhs.map(([key, value]) => ({
      key: resolver.node(key),
      value: resolver.node(value),
      at: startOfText(this.source, value),
    }));
    return { pairs, at: Math.max(0, group.position - 1), scope: stepScope(resolver, tuples) };
  }

  #filter(base: Node, stage: Stage, tuples: boolean): Node {
    const expr = required(stage.expr);
    const resolver = tuples ? this.within('tuple', [expr]) : this;
    return { kind: 'filter', base, predicate: resolver.node(expr), scope: stepScope(resolver, tuples) };
  }

  bare(ast: Ast): Node {
    switch (ast.type) {
      case 'string':
      case 'number':
      case 'value':
        return { kind: 'constant', value: ast.value };
      case 'name':
        return { kind: 'name', name: String(ast.value) };
      case 'variable':
        return this.variable(String(ast.value));
      case 'parent':
        return this.variable(required(ast.slot).label);
      case 'wildcard':
        return { kind: 'wildcard' };
      case 'descendant':
        return { kind: 'descendants' };
      case 'path':
        return resolvePath(this, ast);
      case 'binary':
        return this.#binary(ast);
      case 'unary':
        return this.#unary(ast);
      case 'bind': {
        const value = this.node(required(ast.rhs));
        const target = this.chain.target(String((ast.lhs as Ast).value));
        target.writes += 1;
        return { kind: 'bind', target, value };
      }
      case 'block': {
        const contents = ast.expressions ?? [];
        const resolver = this.within('block', contents);
        const scope = resolver.chain.scope.bindings.size > 0 ? resolver.chain.scope : undefined;
        return { kind: 'block', scope, body: contents.map((item) => resolver.node(item)) };
      }
      case 'condition':
        return {
          kind: 'condition',
          test: this.node(required(ast.condition)),
          yes: this.node(required(ast.then)),
          no: ast.else === undefined ? undefined : this.node(ast.else),
          at: Math.max(0, (ast.position ?? 1) - 1),
        };
      case 'regex':
        return { kind: 'regex', pattern: ast.value as RegExp, at: this.operatorAt(ast) };
      case 'function':
        return this.#call(ast, undefined, false);
      case 'lambda':
        // The parser wraps a call in tail position this way.
        if (ast.thunk === true) return this.#call(required(ast.body), undefined, true);
        return this.#function(ast);
      case 'partial':
        return this.#partial(ast);
      case 'apply':
        return this.#apply(ast);
      case 'transform':
        return {
          kind: 'transform',
          clone: this.variable('clone'),
          pattern: this.node(required(ast.pattern)),
          update: this.node(required(ast.update)),
          removal: ast.delete === undefined ? undefined : this.node(ast.delete),
          at: this.at(ast),
          updateAt: this.at(required(ast.update)),
          removalAt: ast.delete === undefined ? 0 : this.at(ast.delete),
        };
      default:
        throw new Error(`The parser yields a node of type ${ast.type}, which this compiler does not know`);
    }
  }

  variable(name: string): Node {
    return name === '' ? { kind: 'context' } : { kind: 'variable', name, places: this.chain.places(name) };
  }

  #binary(ast: Ast): Node {
    const left = this.node(ast.lhs as Ast);
    const right = this.node(required(ast.rhs));
    const at = this.operatorAt(ast);
    const operator = String(ast.value);
    switch (operator) {
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
        return { kind: 'numeric', operator, left, right, at };
      case '<':
      case '<=':
      case '>':
      case '>=':
        return { kind: 'comparison', operator, left, right, at };
      case '=':
      case '!=':
        return { kind: 'equality', negated: operator === '!=', left, right };
      case '&':
        return { kind: 'concat', left, right, at };
      case 'and':
      case 'or':
        return { kind: 'logic', operator, left, right, at };
      case 'in':
        return { kind: 'includes', left, right };
      case '..':
        return { kind: 'range', left, right, at };
      default:
        throw new Error(`The parser yields the operator ${operator}, which this compiler does not know`);
    }
  }

  #unary(ast: Ast): Node {
    if (ast.value === '-')
      return { kind: 'negate', value: this.node(required(ast.expression)), at: this.operatorAt(ast) };
    if (ast.value === '[') {
      this.#noteSiblings(ast.expressions ?? []);
      const items: ArrayItem[] = (ast.expressions ?? []).map((item) => ({
        node: this.node(item),
        nested: item.value === '[',
      }));
      return { kind: 'array', items, constructed: ast.consarray === true };
    }
    const written = ast.lhs as readonly (readonly [Ast, Ast])[];
    this.#noteSiblings(written.map(([, value]) => value));
    const pairs: Pair[] = written.map(([key, value]) => ({
      key: this.node(key),
      value: this.node(value),
      at: startOfText(this.source, value),
    }));
    return { kind: 'object', pairs, at: this.operatorAt(ast) };
  }

  #noteSiblings(siblings: readonly Ast[]): void {
    if (siblings.length < 2) return;
    for (const sibling of siblings) {
      if (assignedNames([sibling]).size > 0) this.siblingAssignments.push(this.at(sibling));
    }
  }

  #call(ast: Ast, applied: Node | undefined, tail: boolean): Node {
    const procedure = required(ast.procedure);
    const args = (ast.arguments ?? []).map((argument) => this.node(argument));
    const bareVariable = procedure.type === 'variable' && procedure.predicate === undefined;
    const resolved = bareVariable ? this.variable(String(procedure.value)) : this.node(procedure);
    // Where sequences may nest, the result of a tail call must not be collapsed by what stands around the call.
    const direct = !(tail && this.#nested);
    const builtin = direct && resolved.kind === 'variable' && resolved.places.length === 0 ? resolved.name : undefined;
    if (builtin !== undefined) this.called.add(builtin);
    return {
      kind: 'call',
      procedure: resolved,
      builtin,
      args: applied === undefined ? args : [applied, ...args],
      tail,
      at: this.at(ast),
      ...this.#callee(procedure),
    };
  }

  #callee(procedure: Ast): { token: string; hint: Node | undefined } {
    const first = procedure.type === 'path' ? procedure.steps?.[0] : undefined;
    if (first === undefined) return { token: String(procedure.value), hint: undefined };
    const name = String(first.value);
    return { token: name, hint: this.variable(name) };
  }

  #function(ast: Ast): Node {
    const body = required(ast.body);
    const names = (ast.arguments ?? []).map((parameter) => String(parameter.value));
    const resolver = this.within('function', [body], names);
    const scope = resolver.chain.scope;
    const parameters = names.map((name) => resolver.chain.target(name));
    for (const parameter of parameters) parameter.writes += 1;
    return { kind: 'function', scope, parameters, body: resolver.node(body), signature: ast.signature?.definition };
  }

  #partial(ast: Ast): Node {
    const procedure = required(ast.procedure);
    return {
      kind: 'partial',
      procedure: this.node(procedure),
      args: (ast.arguments ?? []).map((argument) =>
        argument.type === 'operator' && argument.value === '?' ? undefined : this.node(argument),
      ),
      at: this.at(ast),
      ...this.#callee(procedure),
    };
  }

  #apply(ast: Ast): Node {
    const left = this.node(ast.lhs as Ast);
    const rightAst = required(ast.rhs);
    // `x ~> $f(y)` is a call with x before y; filters behind the call are dropped by the stock evaluator too.
    if (rightAst.type === 'function') return this.#call(rightAst, left, false);
    return { kind: 'apply', left, right: this.node(rightAst), at: this.operatorAt(ast) };
  }
}
