import { readFileSync } from 'node:fs';
import path from 'node:path';
import { directoryCaseFiles, caseNames } from '../../src/workbench/cases/case-files.ts';
import { codesOf, type Homes } from '../../src/engine/profile/chain.ts';
import { directoryFiles } from '../../src/engine/profile/home-files.ts';
import type { ReferenceExample } from './profile-document.ts';

/** The examples of `docs/profile.md`: a home of their own. */

export const PROJECT = path.resolve(import.meta.dirname, '../..');
const HOME = path.join(PROJECT, 'docs/examples');

export const homes: Homes = { home: directoryFiles(HOME), shipped: directoryFiles(PROJECT) };
export const caseFiles = directoryCaseFiles(HOME);
export const exampleCodes: readonly string[] = codesOf(homes.home);

const textOf = (file: string): string => readFileSync(path.join(HOME, file), 'utf8');

export const examples: ReadonlyMap<string, ReferenceExample> = new Map(
  exampleCodes.map((code) => {
    const files = homes.home.list(`mappings/${code}`);
    const mappings = Object.fromEntries(files.map((file) => [file, textOf(`mappings/${code}/${file}`)]));
    const cases = caseNames(code, caseFiles);
    return [code, { profile: textOf(`carriers/${code}.yaml`), mappings, cases }];
  }),
);
