import { type Ast, walk } from '../../jsonata/parse.ts';
import { pathsOf } from './rule.ts';

interface Told {
  readonly node: Ast;
  /** Of the function. */
  readonly name: string;
}

type IsSecret = (names: readonly string[]) => boolean;

/**
 * Calls of these functions that may be given a secret, whatever it went through: names in paths, other calls, variables,
 * parameters. Where a variable is in scope is not looked at, so that too much is found rather than too little.
 */
export const toldFrom = (tree: Ast, functions: ReadonlySet<string>, isSecret: IsSecret): readonly Told[] => {
  const nameIn = ({ type, value }: Ast): string | undefined =>
    type === 'variable' && functions.has(String(value)) ? String(value) : undefined;
  if (!anyOf(tree, (node) => nameIn(node) !== undefined)) return [];
  const holds = secretsOf(tree, isSecret);
  if (!holds(tree)) return [];

  const found = new Map<Ast, string>();
  const inAll = (within: readonly Ast[]): void => {
    for (const each of within) {
      walk(each, (node) => {
        const name =
          node.type === 'function' || node.type === 'partial' ? nameIn(node.procedure ?? node) : nameIn(node);
        if (name !== undefined) found.set(node, name);
      });
    }
  };
  const called = new Set<Ast>();
  walk(tree, (node) => {
    const { type, procedure, arguments: given = [], steps = [] } = node;
    if (procedure !== undefined) called.add(procedure);
    if (type === 'function' || type === 'partial') {
      const name = procedure && nameIn(procedure);
      // The first argument of $assert is a condition.
      if (name !== undefined && given.slice(name === 'assert' ? 1 : 0).some(holds)) found.set(node, name);
    } else if (type === 'apply') {
      if (holds(node.lhs as Ast)) inAll([node.rhs as Ast]);
    } else if (type === 'path') {
      const end = steps.findIndex((step) => step.type !== 'name' && step.type !== 'variable');
      if (holds({ type, steps: end === -1 ? steps : steps.slice(0, end) })) inAll(steps);
    } else if (nameIn(node) !== undefined && !called.has(node)) {
      // Handed on under another name, or to a function that calls it.
      found.set(node, String(node.value));
    }
  });
  return [...found].flatMap(([node, name]) => (called.has(node) ? [] : [{ node, name }]));
};

const anyOf = (tree: Ast, is: (node: Ast) => boolean): boolean => {
  let found = false;
  walk(tree, (node) => void (found ||= is(node)));
  return found;
};

/** Tells whether a part of an expression may hold a secret, by the paths in it and the variables that were given one. */
const secretsOf = (tree: Ast, isSecret: IsSecret): ((part: Ast) => boolean) => {
  const names = new Set<string>();
  const holds = (part: Ast): boolean =>
    pathsOf(part).some((path) => isSecret(path.names) || names.has(path.names[0] ?? ''));
  const bound = new Map<string, Ast[]>();
  walk(tree, ({ type, lhs, rhs }) => {
    if (type !== 'bind' || rhs === undefined) return;
    const name = String((lhs as Ast).value);
    bound.set(name, [...(bound.get(name) ?? []), rhs]);
  });
  const parametersIn = (part: Ast): void =>
    walk(part, ({ type, arguments: parameters = [] }) => {
      if (type === 'lambda') for (const { value } of parameters) names.add(String(value));
    });
  for (let before = -1; before < names.size;) {
    before = names.size;
    for (const [name, values] of bound) if (values.some(holds)) names.add(name);
    walk(tree, ({ procedure, arguments: given = [] }) => {
      if (procedure === undefined || !given.some(holds)) return;
      for (const part of [procedure, ...given, ...(bound.get(String(procedure.value)) ?? [])]) parametersIn(part);
    });
  }
  return holds;
};
