import { fileURLToPath } from 'node:url';
import type { Carrier } from '../../src/engine/profile/carrier.ts';
import { directoryFiles } from '../../src/engine/profile/home-files.ts';
import { loadCarrier } from '../../src/engine/profile/load.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A bundled carrier; throws with its findings when it does not load. */
export const bundled = (code: string): Carrier => {
  const files = directoryFiles(ROOT);
  const { carrier, findings } = loadCarrier(code, { home: files, shipped: files });
  if (carrier === undefined) throw new Error(JSON.stringify(findings, undefined, 1));
  return carrier;
};
