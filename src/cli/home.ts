import { resolve } from 'node:path';
import type { Homes } from '../engine/profile/chain.ts';
import { codesOf } from '../engine/profile/chain.ts';
import { directoryFiles } from '../engine/profile/home-files.ts';
import { didYouMean } from '../engine/mapping/closest.ts';
import { Misuse, type Terminal } from './command.ts';

/** `WAYBILL_HOME`, or the working directory; absolute. */
export const homeOf = ({ env, cwd }: Terminal): string => resolve(cwd, env['WAYBILL_HOME'] || '.');

export const homesOf = (terminal: Terminal): Homes => ({
  home: directoryFiles(homeOf(terminal)),
  shipped: directoryFiles(terminal.packageRoot),
});

/** The carriers that were named, each of which has to exist; all of the home when none was. */
export const chooseCodes = (named: readonly string[], known: readonly string[], home: string): readonly string[] => {
  for (const code of named) {
    if (known.includes(code)) continue;
    const help = didYouMean(code, known) ?? 'carriers are the files in carriers/';
    throw new Misuse(`there is no carrier "${code}" in ${home}: ${help}`);
  }
  return named.length === 0 ? known : [...new Set(named)];
};

export const codesOfHome = (homes: Homes): readonly string[] => codesOf(homes.home);
