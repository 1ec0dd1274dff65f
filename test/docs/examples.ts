import path from 'node:path';
import { directoryCaseFiles, caseNames } from '../../src/workbench/cases/read.ts';
import { codesOf, type Homes } from '../../src/engine/profile/chain.ts';
import { directoryFiles } from '../../src/engine/profile/home-files.ts';
import { PROJECT, read } from '../support/project.ts';

/** The examples of `docs/profile.md` and `docs/reference`: a home of their own. */

const HOME = path.join(PROJECT, 'docs/examples');

export const homes: Homes = { home: directoryFiles(HOME), shipped: directoryFiles(PROJECT) };
export const caseFiles = directoryCaseFiles(HOME);
export const exampleCodes: readonly string[] = codesOf(homes.home);

const textOf = (file: string): string => read(`docs/examples/${file}`);

/** A profile and its mapping files, by name, as they are written; and the names of its cases. */
export const examples = new Map(
  exampleCodes.map((code) => {
    const files = homes.home.list(`mappings/${code}`);
    const mappings = Object.fromEntries(files.map((file) => [file, textOf(`mappings/${code}/${file}`)]));
    const cases = caseNames(code, caseFiles);
    // What an example leaves out is nothing that a reader of it has to know.
    const profile = textOf(`carriers/${code}.yaml`).replace(/^# waived:.*\n/m, '');
    return [code, { profile, mappings, cases }] as const;
  }),
);
