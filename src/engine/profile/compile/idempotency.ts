import type { Idempotency } from '../carrier.ts';
import { type Node, valueOf } from '../tree.ts';
import { durationOf, wordOf } from './layers.ts';

/** `key`, or `{ by: key, for: 72h }`; undefined when nothing is said. */
export const compileIdempotency = (node: Node | undefined): Idempotency | undefined => {
  const by = wordOf(node?.kind === 'map' ? valueOf(node, 'by') : node, ['key', 'reference', 'none'] as const);
  return by === undefined ? undefined : { by, forMs: durationOf(valueOf(node, 'for')) };
};
