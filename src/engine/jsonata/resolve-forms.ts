import type { Ast } from './parse.ts';
import type { Node } from './tree.ts';

/** `$map` and `$each` put what a function gave into a sequence as it is, be it a sequence itself. */
export const holdsSequences = (part: unknown): boolean => {
  if (Array.isArray(part)) return part.some(holdsSequences);
  if (typeof part !== 'object' || part === null || part instanceof RegExp) return false;
  const ast = part as Ast;
  if (ast.type === 'variable') return ast.value === 'map' || ast.value === 'each';
  return Object.entries(ast).some(
    ([key, value]) => key !== 'slot' && key !== 'ancestor' && key !== 'seekingParent' && holdsSequences(value),
  );
};

/** True if what a node gives may have to be collapsed. */
export const yieldsSequence = (node: Node, nested: boolean): boolean => {
  switch (node.kind) {
    case 'path':
    case 'wildcard':
    case 'descendants':
    case 'filter':
    case 'range':
    case 'apply':
    case 'name':
      return true;
    case 'call':
      // Whoever makes the call collapses its result.
      return !node.tail;
    case 'block':
    case 'condition':
    case 'variable':
    case 'bind':
      return nested;
    default:
      return false;
  }
};

/** A part that the parser always writes. */
export const required = <T>(part: T | undefined): T => {
  if (part === undefined) throw new Error('The parser left out a part that this compiler relies on');
  return part;
};
