import type { Ast, Group, Stage } from './parse.ts';
import { startOfNode, startOfText, startOfToken } from './position.ts';
import { resolvePath, type PartResolver } from './resolve-path.ts';
import { ScopeChain, assignedNames, makeScope, survey } from './scope.ts';
import type { ArrayItem, BinaryNode, CallNode, GroupNode, Node, Pair, Scope } from './tree.ts';

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
  const { tupleNames, nestsSequences } = survey(ast);
  const top = makeScope('top', undefined, assignedNames([ast]));
  const notes: Notes = { source, nestsSequences, called: new Set(), siblingAssignments: [] };
  const node = new Resolver(notes, new ScopeChain(top, tupleNames)).node(ast);
  return { node, top, called: notes.called, siblingAssignments: notes.siblingAssignments };
};

/** What the whole expression has in common. */
interface Notes {
  readonly source: string;
  /** Some value may be a sequence within a sequence, which every expression collapses by one level. */
  readonly nestsSequences: boolean;
  readonly called: Set<string>;
  readonly siblingAssignments: number[];
}

/** A part that the parser always writes. */
const required = <T>(part: T | undefined): T => {
  if (part === undefined) throw new Error('The parser left out a part that this compiler relies on');
  return part;
};

/** Walks the parsed tree with the scopes of the place it has reached. */
class Resolver implements PartResolver {
  readonly #notes: Notes;
  readonly #chain: ScopeChain;

  constructor(notes: Notes, chain: ScopeChain) {
    this.#notes = notes;
    this.#chain = chain;
  }

  #within(kind: Scope['kind'], contents: readonly Ast[], parameters: readonly string[] = []): Resolver {
    return new Resolver(this.#notes, this.#chain.inner(kind, contents, parameters));
  }

  perTuple(tuples: boolean, contents: readonly Ast[]): { readonly inner: Resolver; readonly scope?: Scope } {
    if (!tuples) return { inner: this };
    const inner = this.#within('tuple', contents);
    return { inner, scope: inner.#chain.scope };
  }

  /** A node with the filters, grouping and `[]` written behind it. */
  node(ast: Ast): Node {
    let node = this.#bare(ast);
    const mayCarryTuples = ast.tuple === true;
    for (const stage of ast.predicate ?? []) node = this.#filter(node, stage, mayCarryTuples);
    if (ast.group !== undefined && ast.type !== 'path') {
      node = { kind: 'group', base: node, group: this.group(ast.group, mayCarryTuples) };
    }
    if (!this.#yieldsSequence(node)) return node;
    return { kind: 'collapse', base: node, keep: ast.keepArray === true, nested: this.#notes.nestsSequences };
  }

  /** True if what a node gives may have to be collapsed. */
  #yieldsSequence(node: Node): boolean {
    switch (node.kind) {
      case 'path':
      case 'wildcard':
      case 'descendants':
      case 'filter':
      case 'name':
        return true;
      case 'binary':
        return node.operator === '..' || node.operator === '~>';
      case 'call':
        // Whoever makes the call collapses its result.
        return !node.tail;
      case 'block':
      case 'condition':
      case 'variable':
      case 'bind':
        return this.#notes.nestsSequences;
      default:
        return false;
    }
  }

  #at(ast: Ast): number {
    return startOfNode(this.#notes.source, ast) ?? 0;
  }

  #operatorAt(ast: Ast): number {
    return startOfToken(this.#notes.source, ast.value, ast.position ?? 0);
  }

  #pairs(pairs: readonly (readonly [Ast, Ast])[]): readonly Pair[] {
    return pairs.map(([key, value]) => ({
      key: this.node(key),
      value: this.node(value),
      at: startOfText(this.#notes.source, value),
    }));
  }

  group(group: Group, tuples: boolean): GroupNode {
    const { inner, scope } = this.perTuple(tuples, group.lhs.flat());
    return { pairs: inner.#pairs(group.lhs), at: Math.max(0, group.position - 1), scope };
  }

  #filter(base: Node, stage: Stage, tuples: boolean): Node {
    const expr = required(stage.expr);
    const { inner, scope } = this.perTuple(tuples, [expr]);
    return { kind: 'filter', base, predicate: inner.node(expr), scope };
  }

  #bare(ast: Ast): Node {
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
        const target = this.#chain.target(String((ast.lhs as Ast).value));
        return { kind: 'bind', target, value };
      }
      case 'block': {
        const contents = ast.expressions ?? [];
        const resolver = this.#within('block', contents);
        const { scope } = resolver.#chain;
        const body = contents.map((item) => resolver.node(item));
        return { kind: 'block', scope: scope.bindings.size > 0 ? scope : undefined, body };
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
        return { kind: 'regex', pattern: ast.value as RegExp, at: this.#operatorAt(ast) };
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
          at: this.#at(ast),
          updateAt: this.#at(required(ast.update)),
          removalAt: ast.delete === undefined ? 0 : this.#at(ast.delete),
        };
      default:
        throw new Error(`The parser yields a node of type ${ast.type}, which this compiler does not know`);
    }
  }

  variable(name: string): Node {
    return name === '' ? { kind: 'context' } : { kind: 'variable', name, places: this.#chain.places(name) };
  }

  #binary(ast: Ast): BinaryNode {
    const left = this.node(ast.lhs as Ast);
    const right = this.node(required(ast.rhs));
    return { kind: 'binary', operator: ast.value as BinaryNode['operator'], left, right, at: this.#operatorAt(ast) };
  }

  #unary(ast: Ast): Node {
    if (ast.value === '-')
      return { kind: 'negate', value: this.node(required(ast.expression)), at: this.#operatorAt(ast) };
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
    return { kind: 'object', pairs: this.#pairs(written), at: this.#operatorAt(ast) };
  }

  #noteSiblings(siblings: readonly Ast[]): void {
    if (siblings.length < 2) return;
    for (const sibling of siblings) {
      if (assignedNames([sibling]).size > 0) this.#notes.siblingAssignments.push(this.#at(sibling));
    }
  }

  #call(ast: Ast, applied: Node | undefined, tail: boolean): CallNode {
    const procedure = required(ast.procedure);
    const args = (ast.arguments ?? []).map((argument) => this.node(argument));
    const bareVariable = procedure.type === 'variable' && procedure.predicate === undefined;
    const resolved = bareVariable ? this.variable(String(procedure.value)) : this.node(procedure);
    // Where sequences may nest, the result of a tail call must not be collapsed by what stands around the call.
    const direct = !(tail && this.#notes.nestsSequences);
    const builtin = direct && resolved.kind === 'variable' && resolved.places.length === 0 ? resolved.name : undefined;
    if (builtin !== undefined) this.#notes.called.add(builtin);
    return {
      kind: 'call',
      procedure: resolved,
      builtin,
      args: applied === undefined ? args : [applied, ...args],
      tail,
      at: this.#at(ast),
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
    const resolver = this.#within('function', [body], names);
    const scope = resolver.#chain.scope;
    const parameters = names.map((name) => resolver.#chain.target(name));
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
      at: this.#at(ast),
      ...this.#callee(procedure),
    };
  }

  #apply(ast: Ast): Node {
    const left = this.node(ast.lhs as Ast);
    const rightAst = required(ast.rhs);
    // `x ~> $f(y)` is a call with x before y; filters behind the call are dropped by the stock evaluator too.
    if (rightAst.type === 'function') return this.#call(rightAst, left, false);
    return { kind: 'binary', operator: '~>', left, right: this.node(rightAst), at: this.#operatorAt(ast) };
  }
}
