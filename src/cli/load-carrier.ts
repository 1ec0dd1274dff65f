import type { Engine } from '../engine/mapping/engine.ts';
import type { Carrier } from '../engine/profile/carrier.ts';
import type { Terminal } from './command.ts';

/** undefined: it does not load, and why has been said. */
export const carrierOf = async (code: string, terminal: Terminal, engine?: Engine): Promise<Carrier | undefined> => {
  const { chooseCodes, codesOfHome, homeOf, homesOf } = await import('./home.ts');
  const { loadCarrier } = await import('../engine/profile/load.ts');
  const { showFinding } = await import('./show-finding.ts');
  const homes = homesOf(terminal);
  chooseCodes([code], codesOfHome(homes), homeOf(terminal));
  const { carrier, findings } = loadCarrier(code, homes, undefined, engine);
  if (carrier === undefined) for (const finding of findings) terminal.error(`${showFinding(finding)}\n`);
  return carrier;
};
