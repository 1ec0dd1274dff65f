import type { Library } from './functions/library.ts';
import type { CallNode, Node } from './tree.ts';

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
export const sharingOf = (node: Node, library: Library): Sharing => {
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
      return worse(sharingOf(node.yes, library), node.no === undefined ? 'none' : sharingOf(node.no, library));
    case 'block': {
      const last = node.body.at(-1);
      return last === undefined ? 'none' : sharingOf(last, library);
    }
    case 'call':
      return isRebuilt(node, library) ? 'none' : 'all';
    case 'collapse':
      return sharingOf(node.base, library) === 'none' ? 'none' : ofPath(node.base, library);
    default:
      return 'all';
  }
};

/** What such a function gives has been looked through. */
const isRebuilt = ({ builtin, args, tail }: CallNode, library: Library): boolean =>
  builtin !== undefined && !tail && args.length === 1 && library.get(builtin)?.part !== undefined;

const ofPath = (node: Node, library: Library): Sharing => {
  if (node.kind !== 'path' || node.group !== undefined) return 'all';
  // An empty array that begins a path is the path's value.
  if (node.steps[0]?.constructed === true) return 'all';
  const last = node.steps.at(-1);
  if (last?.node === undefined || last.stages.length > 0 || last.tuple) return 'all';
  return sharingOf(last.node, library) === 'none' ? 'items' : 'all';
};
