// Finds the carriers: every file of this folder that exports `carrier`.
import { readdir } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import type { SimulatedCarrier } from './carrier.ts';

/** All simulated carriers, by code in alphabetical order. */
export async function findCarriers(): Promise<readonly SimulatedCarrier[]> {
  const folder = import.meta.dirname;
  const files = (await readdir(folder)).filter((name) => name.endsWith('.ts')).sort();
  const carriers: SimulatedCarrier[] = [];
  for (const name of files) {
    const module = (await import(pathToFileURL(join(folder, name)).href)) as { carrier?: SimulatedCarrier };
    if (!module.carrier) continue;
    if (`${module.carrier.code}.ts` !== name)
      throw new Error(`simulator/${name} holds carrier "${module.carrier.code}"`);
    carriers.push(module.carrier);
  }
  return carriers;
}
