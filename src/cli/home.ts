/** The carriers of `WAYBILL_HOME`, which is the working directory unless it is set. */
import { resolve } from 'node:path';
import { Failure } from '../engine/failure.ts';
import type { Engine } from '../engine/mapping/engine.ts';
import type { Carrier } from '../engine/profile/carrier.ts';
import { codesOf, type Homes } from '../engine/profile/chain.ts';
import type { Finding } from '../engine/profile/finding.ts';
import { directoryFiles } from '../engine/profile/home-files.ts';
import { draftOf, loadCarrier } from '../engine/profile/load.ts';
import { policyNames } from '../engine/profile/policies.ts';
import { didYouMean } from '../engine/mapping/closest.ts';
import { carriersWithCases, type CaseFile, caseNames, directoryCaseFiles, readCase } from '../workbench/cases/read.ts';
import { Misuse, type Terminal } from './command.ts';
import { showFinding } from './findings.ts';

/** Absolute. */
export const homeOf = ({ env, cwd }: Terminal): string => resolve(cwd, env['WAYBILL_HOME'] || '.');

export const homesOf = (terminal: Terminal): Homes => ({
  home: directoryFiles(homeOf(terminal)),
  shipped: directoryFiles(terminal.packageRoot),
});

/** The carriers that were named, each of which must be among those known; all of these when none was. */
export const chooseAmong = (
  named: readonly string[],
  known: readonly string[],
  terminal: Terminal,
): readonly string[] => {
  for (const code of named) {
    if (known.includes(code)) continue;
    const help = didYouMean(code, known) ?? 'carriers are the files in carriers/';
    throw new Misuse(`there is no carrier "${code}" in ${homeOf(terminal)}: ${help}`);
  }
  return named.length === 0 ? known : [...new Set(named)];
};

/** Of all carriers of the home. */
export const chooseCodes = (named: readonly string[], terminal: Terminal): readonly string[] =>
  chooseAmong(named, codesOf(homesOf(terminal).home), terminal);

/** Carriers and policies to be tested: cases whose carrier is not there are told by its missing profile. */
export const chooseTested = (named: readonly string[], terminal: Terminal): readonly string[] => {
  const homes = homesOf(terminal);
  const codes = chooseAmong(named, [...codesOf(homes.home), ...policyNames(homes)], terminal);
  if (named.length > 0) return codes;
  const withCases = carriersWithCases(directoryCaseFiles(homeOf(terminal)));
  return [...codes, ...withCases.filter((code) => !codes.includes(code))];
};

export const printFindings = (findings: readonly Finding[], terminal: Terminal): void =>
  terminal.error(findings.map((finding) => `${showFinding(finding)}\n`).join(''));

/** undefined: it does not load, and why has been said. */
export const carrierOf = (code: string, terminal: Terminal, engine?: Engine): Carrier | undefined => {
  chooseCodes([code], terminal);
  const { carrier, findings } = loadCarrier(code, homesOf(terminal), undefined, engine);
  if (carrier === undefined) printFindings(findings, terminal);
  return carrier;
};

/** `name`: of a file in `fixtures/<carrier>/`, with or without `.yaml`. undefined: it cannot be read, and why has been said. */
export const readNamedCase = (code: string, name: string, terminal: Terminal): CaseFile | undefined => {
  const files = directoryCaseFiles(homeOf(terminal));
  const known = caseNames(code, files).map((file) => file.slice(0, -'.yaml'.length));
  const wanted = name.replace(/\.yaml$/, '');
  if (!known.includes(wanted)) {
    const help = didYouMean(wanted, known) ?? `cases are the files in fixtures/${code}/`;
    throw new Misuse(`there is no case "${name}" of ${code}: ${help}`);
  }
  const read = readCase(code, `${wanted}.yaml`, files);
  if (read.ok) return read.caseFile;
  printFindings(read.findings, terminal);
  return undefined;
};

/** Carriers, each loaded when it is first asked for. `named`: the one a command names, which has to exist. */
export const openCarriers = (terminal: Terminal, named: string | undefined) => {
  const homes = homesOf(terminal);
  const known = codesOf(homes.home);
  if (named !== undefined) chooseAmong([named], known, terminal);
  const loaded = new Map<string, Carrier | undefined>();
  const findings: Finding[] = [];
  const load = (code: string): Carrier | undefined => {
    if (loaded.has(code)) return loaded.get(code);
    const read = loadCarrier(code, homes);
    const carrier = draftOf(read);
    loaded.set(code, carrier);
    if (carrier === undefined) findings.push(...read.findings.filter(({ severity }) => severity === 'error'));
    return carrier;
  };
  return {
    /** Throws a `Failure`: nobody says which carrier, there is none of that name, or it does not load. */
    find: (code: string | undefined): Carrier => {
      if (code === undefined) {
        throw new Failure('it does not say for which carrier: say --carrier', { code: 'carrier_unsaid' });
      }
      if (!known.includes(code)) {
        const help = didYouMean(code, known);
        const message = `there is no carrier "${code.slice(0, 60)}"${help === undefined ? '' : `: ${help}`}`;
        throw new Failure(message, { code: 'carrier_unknown' });
      }
      const carrier = load(code);
      if (carrier !== undefined) return carrier;
      throw new Failure(`${code} does not load: see waybill lint`, { code: 'carrier_broken' });
    },
    /** Tells why carriers did not load. */
    showFindings: () => printFindings(findings, terminal),
  };
};
export type CarriersOfHome = ReturnType<typeof openCarriers>;
