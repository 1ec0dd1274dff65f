import type { Node } from './tree.ts';

/**
 * What of a node's value may also stand elsewhere, or be an array of our own class. `none`: it is made here;
 * `items`: as `none`, but for a sequence around what was made here; `all`: nothing is known.
 */
export type Sharing = 'none' | 'items' | 'all';

const worse = (a: Sharing, b: Sharing): Sharing => {
  if (a === 'all' || b === 'all') return 'all';
  return a === 'items' || b === 'items' ? 'items' : 'none';
};

/** How far a node's value may be shared. Texts, numbers and the like never matter. */
export const sharingOf = (node: Node): Sharing => {
  switch (node.kind) {
    case 'constant':
    case 'object':
    case 'concat':
    case 'numeric':
    case 'comparison':
    case 'equality':
    case 'includes':
    case 'logic':
      return 'none';
    case 'array':
      return node.constructed ? 'all' : 'none';
    case 'condition':
      return node.no === undefined ? sharingOf(node.yes) : worse(sharingOf(node.yes), sharingOf(node.no));
    case 'collapse':
      return sharingOf(node.base) === 'none' ? 'none' : ofPath(node.base);
    default:
      return 'all';
  }
};

const ofPath = (node: Node): Sharing => {
  if (node.kind !== 'path' || node.group !== undefined) return 'all';
  // An empty array that begins a path is the path's value.
  if (node.steps[0]?.constructed === true) return 'all';
  const last = node.steps.at(-1);
  return last?.node?.kind === 'object' && last.stages.length === 0 && !last.tuple ? 'items' : 'all';
};
