/** The carriers of a home, each loaded when it is first asked for. */
import { Failure } from '../engine/failure.ts';
import type { Carrier } from '../engine/profile/carrier.ts';
import type { Finding } from '../engine/profile/finding.ts';
import { draftOf, loadCarrier } from '../engine/profile/load.ts';
import { didYouMean } from '../engine/mapping/closest.ts';
import type { Terminal } from './command.ts';
import { chooseCodes, codesOfHome, homeOf, homesOf } from './home.ts';
import { showFinding } from './show-finding.ts';

export interface CarriersOfHome {
  /** Throws a `Failure`: nobody says which carrier, there is none of that name, or it does not load. */
  find(code: string | undefined): Carrier;
  /** Errors of those that did not load. */
  findings(): readonly Finding[];
}

/** `named`: the carrier a command names, which has to exist. */
export const openCarriers = (terminal: Terminal, named: string | undefined): CarriersOfHome => {
  const homes = homesOf(terminal);
  const known = codesOfHome(homes);
  if (named !== undefined) chooseCodes([named], known, homeOf(terminal));
  const loaded = new Map<string, Carrier | undefined>();
  const findings: Finding[] = [];
  return {
    find: (code) => {
      if (code === undefined)
        throw new Failure('it does not say for which carrier: say --carrier', { code: 'carrier_unsaid' });
      if (!known.includes(code)) {
        const help = didYouMean(code, known);
        throw new Failure(`there is no carrier "${code.slice(0, 60)}"${help === undefined ? '' : `: ${help}`}`, {
          code: 'carrier_unknown',
        });
      }
      if (!loaded.has(code)) {
        const read = loadCarrier(code, homes);
        const carrier = draftOf(read);
        loaded.set(code, carrier);
        if (carrier === undefined) findings.push(...read.findings.filter(({ severity }) => severity === 'error'));
      }
      const carrier = loaded.get(code);
      if (carrier === undefined)
        throw new Failure(`${code} does not load: see waybill lint`, { code: 'carrier_broken' });
      return carrier;
    },
    findings: () => findings,
  };
};

/** Tells why carriers did not load. */
export const findingsOfLoading = (carriers: CarriersOfHome, terminal: Terminal): void => {
  for (const finding of carriers.findings()) terminal.error(`${showFinding(finding)}\n`);
};
