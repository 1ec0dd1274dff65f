import { standardNames } from '../jsonata/functions/library.ts';
import type { Ast, Stage } from '../jsonata/parse.ts';
import { startOfNode } from '../jsonata/position.ts';
import { closest } from './closest.ts';
import { LIBRARY } from './functions/library.ts';
import { isRoot, ROOTS, seenIn, SHOWN, type Position, type Root } from './roots.ts';
import { NUMBER, ROOT_SHAPES, type Shape } from './shape.ts';
import { partsOf } from './walk.ts';

export interface RootFinding {
  readonly rule:
    | 'unknown-root'
    | 'root-inside-path'
    | 'secret-shown'
    | 'unknown-function'
    | 'undeclared-field'
    | 'undeclared-memo'
    | 'number-as-index';
  readonly message: string;
  readonly help: string | undefined;
  /** In the text of the expression. */
  readonly offset: number;
}

export interface RootCheck {
  /** All positions that the expression serves. */
  readonly positions: readonly Position[];
  /** What the profile declares, over what is known of every profile. */
  readonly shapes?: Readonly<Partial<Record<Root, Shape>>>;
}

/** Where names are looked up: in the input document, or in a value within it. */
type Context = { readonly document: true } | { readonly document: false; readonly shape: Shape; readonly of: string };

const DOCUMENT: Context = { document: true };
const open = (of: string): Context => ({ document: false, shape: 'open', of });

/**
 * Finds what an expression names that is not there: roots, functions and variables nobody declares, roots its
 * position does not see, roots written inside a path without their `$`, fields that a declared value does not have.
 * And numbers of the contract that stand as a filter, where they are an index.
 */
export function checkRoots(tree: Ast, text: string, { positions, shapes = {} }: RootCheck): readonly RootFinding[] {
  const seen = seenIn(positions);
  const rootShapes = { ...ROOT_SHAPES, ...shapes };
  const locals = new Map<string, Context>();
  const found = new Map<string, RootFinding>();

  const report = (rule: RootFinding['rule'], node: Ast, message: string, help?: string): void => {
    const offset = startOfNode(text, node) ?? 0;
    // The parser doubles the left side of `??` and `?:`.
    found.set(`${rule} ${offset}`, { rule, message, help, offset });
  };

  const rootContext = (name: Root, node: Ast): Context => {
    if (!seen.has(name)) reportUnseen(name, node);
    return { document: false, shape: rootShapes[name] ?? 'open', of: name };
  };

  const reportUnseen = (name: Root, node: Ast): void => {
    const where = positions.join(', ');
    const secret = name === 'credentials' || name === 'auths';
    if (secret && positions.some((position) => SHOWN.has(position))) {
      report('secret-shown', node, `${name} cannot be used in ${where}: what is kept or shown cannot hold a secret`);
    } else {
      report('unknown-root', node, `${name} is not seen in ${where}`, `seen here: ${[...seen].join(', ')}`);
    }
  };

  const fieldOfDocument = (node: Ast, name: string): Context => {
    if (isRoot(name)) return rootContext(name, node);
    const meant = closest(name, seen);
    report('unknown-root', node, `there is no root '${name}'`, suggestion(meant, [...seen]));
    return open(name);
  };

  const fieldOf = (context: Context & { document: false }, node: Ast, name: string): Context => {
    const { shape, of } = context;
    if (shape === 'open') return open(name);
    const inner = shape.get(name);
    if (inner !== undefined) return { document: false, shape: inner, of: name };
    const rule = of === 'memo' ? 'undeclared-memo' : 'undeclared-field';
    const known = [...shape.keys()];
    report(rule, node, `${of} has no '${name}'`, suggestion(closest(name, known), known));
    return open(name);
  };

  /** The first name of a path, where it is not the document that is looked into. */
  const firstInside = (context: Context & { document: false }, node: Ast, name: string, more: boolean): Context => {
    const known = context.shape !== 'open';
    const isField = context.shape !== 'open' && context.shape.has(name);
    if (isRoot(name) && !isField && (known || (more && NEVER_A_CARRIERS.has(name)))) {
      const message = `inside a path, '${name}' is a field of ${context.of}, not the root`;
      report('root-inside-path', node, message, `write $${name} for the root`);
      return { document: false, shape: rootShapes[name] ?? 'open', of: name };
    }
    return fieldOf(context, node, name);
  };

  const variable = (node: Ast, context: Context): Context => {
    const name = String(node.value);
    if (name === '') return context;
    if (name === '$') return DOCUMENT;
    const local = locals.get(name);
    if (local !== undefined) return local;
    if (isRoot(name)) return rootContext(name, node);
    if (LIBRARY.has(name) || standardNames.has(name)) return open(name);
    const names = [...seen, ...LIBRARY.keys(), ...standardNames, ...locals.keys()];
    const meant = closest(name, names);
    report('unknown-root', node, `there is no root, function or variable $${name}`, meant && `did you mean $${meant}?`);
    return open(name);
  };

  const callee = (node: Ast, context: Context): void => {
    const name = node.type === 'variable' ? String(node.value) : undefined;
    const bare = node.type === 'path' && node.steps?.length === 1 ? String(node.steps[0]?.value) : undefined;
    if (bare !== undefined) {
      const known = LIBRARY.has(bare) || standardNames.has(bare) || locals.has(bare);
      const help = known ? `write $${bare}(…)` : 'the name of a function begins with $';
      report('unknown-function', node, `'${bare}' is not a function`, help);
    } else if (name !== undefined && !locals.has(name) && !LIBRARY.has(name) && !standardNames.has(name)) {
      const meant = closest(name, [...LIBRARY.keys(), ...standardNames, ...locals.keys()]);
      report('unknown-function', node, `there is no function $${name}`, meant && `did you mean $${meant}?`);
    } else {
      visit(node, context);
    }
  };

  const stages = (list: readonly Stage[] | undefined, context: Context): void => {
    for (const stage of list ?? []) {
      if (stage.expr !== undefined) filter(stage.expr, context);
      if (stage.type === 'index' && stage.value !== undefined) locals.set(stage.value, open(stage.value));
    }
  };

  const filter = (node: Ast, context: Context): void => {
    const value = visit(node, context);
    const [field, more] = node.type === 'path' ? (node.steps ?? []) : [];
    if (field?.type !== 'name' || more !== undefined || value.document || value.shape !== NUMBER) return;
    const name = String(field.value);
    report(
      'number-as-index',
      node,
      `[${name}] is the element of that number, not those that have one`,
      `write [$exists(${name})], or compare it`,
    );
  };

  const step = (node: Ast, context: Context, place: { first: boolean; more: boolean }): Context => {
    if (node.type !== 'name') return visit(node, context);
    const name = String(node.value);
    if (context.document) return fieldOfDocument(node, name);
    return place.first ? firstInside(context, node, name, place.more) : fieldOf(context, node, name);
  };

  const path = (node: Ast, context: Context): Context => {
    const steps = node.steps ?? [];
    let current = context;
    for (const [at, each] of steps.entries()) {
      if (each.type === 'sort') {
        for (const term of each.terms ?? []) visit(term.expression, current);
        if (each.index !== undefined) locals.set(each.index, open(each.index));
        stages(each.stages, current);
        continue;
      }
      const reached = step(each, current, { first: at === 0, more: steps.length > at + 1 });
      if (each.index !== undefined) locals.set(each.index, open(each.index));
      stages(each.stages, reached);
      // `@$x` gives the value a name and leaves the context where it was.
      if (each.focus === undefined) current = reached;
      else locals.set(each.focus, reached);
    }
    return current;
  };

  const pairs = (list: readonly (readonly [Ast, Ast])[], context: Context): void => {
    for (const part of list.flat()) visit(part, context);
  };

  /** Checks a node and says what its value's fields are. */
  const visit = (node: Ast, context: Context): Context => {
    const value = visitBare(node, context);
    stages(node.predicate, value);
    if (node.group === undefined) return value;
    pairs(node.group.lhs, value);
    return open('the group');
  };

  const visitBare = (node: Ast, context: Context): Context => {
    switch (node.type) {
      case 'path':
        return path(node, context);
      case 'variable':
        return variable(node, context);
      case 'function':
      case 'partial':
        if (node.procedure !== undefined) callee(node.procedure, context);
        for (const argument of node.arguments ?? []) visit(argument, context);
        return open('the result');
      case 'lambda':
        for (const { value } of node.arguments ?? []) locals.set(String(value), open(String(value)));
        if (node.body !== undefined) visit(node.body, context);
        return open('the function');
      case 'bind': {
        const target = String((node.lhs as Ast).value);
        // Before its value, for a function that calls itself.
        locals.set(target, open(target));
        if (node.rhs !== undefined) locals.set(target, visit(node.rhs, context));
        return locals.get(target) ?? context;
      }
      case 'block': {
        let last: Context = open('the block');
        for (const each of node.expressions ?? []) last = visit(each, context);
        return last;
      }
      case 'apply': {
        const input = visit(node.lhs as Ast, context);
        return node.rhs === undefined ? input : visit(node.rhs, node.rhs.type === 'transform' ? input : context);
      }
      case 'transform':
        visitAll([node.pattern], context);
        visitAll([node.update, node.delete], open('the match'));
        return open('the copy');
      default:
        visitAll([...partsOf(node)], context);
        return open('the value');
    }
  };

  const visitAll = (nodes: readonly (Ast | undefined)[], context: Context): void => {
    for (const each of nodes) if (each !== undefined) visit(each, context);
  };

  visit(tree, DOCUMENT);
  return [...found.values()].toSorted((one, other) => one.offset - other.offset);
}

/** Roots that a carrier's own data will hardly have a field of; any other name may well be the carrier's. */
const NEVER_A_CARRIERS: ReadonlySet<string> = new Set([
  'settings',
  'credentials',
  'environment',
  'tables',
  'auths',
] satisfies Root[]);

const suggestion = (meant: string | undefined, known: readonly string[]): string | undefined => {
  if (meant !== undefined) return `did you mean ${meant}?`;
  return known.length === 0 || known.length > ROOTS.length ? undefined : `there are ${known.join(', ')}`;
};
