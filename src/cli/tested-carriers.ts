import { directoryCaseFiles, carriersWithCases } from '../workbench/cases/case-files.ts';
import type { Terminal } from './command.ts';
import { chooseCodes, codesOfHome, homeOf, homesOf } from './home.ts';

/** Those that were named, else all of the home; cases whose carrier is not there are told by its missing profile. */
export const chooseTested = (named: readonly string[], terminal: Terminal): readonly string[] => {
  const home = homeOf(terminal);
  const codes = chooseCodes(named, codesOfHome(homesOf(terminal)), home);
  if (named.length > 0) return codes;
  return [...codes, ...carriersWithCases(directoryCaseFiles(home)).filter((code) => !codes.includes(code))];
};
