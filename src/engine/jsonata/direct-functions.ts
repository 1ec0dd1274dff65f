import type { Binding, Node } from './tree.ts';

interface Found {
  readonly candidates: Set<Binding>;
  /** Looked at, called before they are there, or called where a call has to be a value. */
  readonly others: Set<Binding>;
}

/**
 * Variables that hold a function of the expression from the statement that sets them on, and are only ever called: no
 * function value is needed for them.
 */
export const directFunctions = (node: Node): ReadonlySet<Binding> => {
  const found: Found = { candidates: new Set(), others: new Set() };
  collect(node, found);
  for (const binding of found.others) found.candidates.delete(binding);
  return found.candidates;
};

const collect = (part: unknown, found: Found): void => {
  if (Array.isArray(part)) {
    for (const item of part) collect(item, found);
    return;
  }
  if (typeof part !== 'object' || part === null || part instanceof RegExp) return;
  const node = part as Node;
  switch (node.kind) {
    case 'variable':
      for (const place of node.places) if (!('bindings' in place)) found.others.add(place);
      return;
    case 'block':
      collectBlock(node, found);
      return;
    case 'call': {
      const { procedure } = node;
      const callee = procedure.kind === 'variable' ? procedure.places[0] : undefined;
      const direct = callee !== undefined && !('bindings' in callee) && found.candidates.has(callee);
      // A call in tail position is a value that the caller acts on.
      if (!direct || node.tail) collect(procedure, found);
      collect(node.args, found);
      collect(node.hint, found);
      return;
    }
    default:
  }
  for (const [key, value] of Object.entries(node)) {
    if (key !== 'scope' && key !== 'target' && key !== 'parameters') collect(value, found);
  }
};

const collectBlock = ({ body, scope }: Node & { kind: 'block' }, found: Found): void => {
  body.forEach((part, index) => {
    if (part.kind === 'bind' && part.value.kind === 'function' && index < body.length - 1) {
      const { target, value } = part;
      const isOwn = target.scope === scope && target.writes === 1;
      if (isOwn && value.signature === undefined && !found.others.has(target)) found.candidates.add(target);
    }
    collect(part, found);
  });
};
