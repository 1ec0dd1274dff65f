import { isIndexed, needsTuples } from './generate-tuples.ts';
import type { Binding, Node } from './tree.ts';

interface Found {
  readonly candidates: Set<Binding>;
  /** Looked at, called before they are there, or called where a call has to be a value. */
  readonly others: Set<Binding>;
}

/**
 * Variables that hold a function of the expression from the statement that sets them on, and are only ever called:
 * generated code then needs no function value for them.
 */
export const directFunctions = (node: Node): ReadonlySet<Binding> => {
  const found: Found = { candidates: new Set(), others: new Set() };
  collect(node, found, false);
  for (const binding of found.others) found.candidates.delete(binding);
  return found.candidates;
};

const collect = (part: unknown, found: Found, inClosure: boolean): void => {
  if (Array.isArray(part)) {
    for (const item of part) collect(item, found, inClosure);
    return;
  }
  if (typeof part !== 'object' || part === null || part instanceof RegExp) return;
  const node = part as Node;
  switch (node.kind) {
    case 'variable':
      for (const place of node.places) if (!('bindings' in place)) found.others.add(place);
      return;
    case 'block':
      collectBlock(node, found, inClosure);
      return;
    case 'call': {
      const { procedure } = node;
      const callee = procedure.kind === 'variable' ? procedure.places[0] : undefined;
      const direct = callee !== undefined && !('bindings' in callee) && found.candidates.has(callee);
      // A call in tail position is a value that the caller acts on.
      if (!direct || node.tail || inClosure) collect(procedure, found, inClosure);
      collect(node.args, found, inClosure);
      collect(node.hint, found, inClosure);
      return;
    }
    default:
  }
  const closure = inClosure || (needsTuples(node) && !isIndexed(node));
  for (const [key, value] of Object.entries(node)) {
    if (key !== 'scope' && key !== 'target' && key !== 'parameters') collect(value, found, closure);
  }
};

const collectBlock = ({ body, scope }: Node & { kind: 'block' }, found: Found, inClosure: boolean): void => {
  body.forEach((part, index) => {
    if (part.kind === 'bind' && part.value.kind === 'function' && index < body.length - 1 && !inClosure) {
      const { target, value } = part;
      const isOwn = target.scope === scope && target.writes === 1;
      if (isOwn && value.signature === undefined && !found.others.has(target)) found.candidates.add(target);
    }
    collect(part, found, inClosure);
  });
};
