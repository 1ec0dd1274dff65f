import type { ErrandKind } from './errands.ts';
import { MANIFEST } from './manifests.ts';
import { PICKUP } from './pickups.ts';

/** By the `kind` of an errand. */
const ERRANDS: Readonly<Record<string, ErrandKind>> = { manifest: MANIFEST, pickup: PICKUP };

export const errandKind = (kind: string): ErrandKind => {
  const found = ERRANDS[kind];
  if (found === undefined) throw new Error(`there are no errands of the kind ${kind}`);
  return found;
};
