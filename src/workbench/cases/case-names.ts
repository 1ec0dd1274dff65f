import type { CaseFiles } from './case-files.ts';

/** Names of a carrier's case files, in order. */
export const caseNames = (carrier: string, files: CaseFiles): readonly string[] =>
  files.list(`fixtures/${carrier}`).filter((name) => name.endsWith('.yaml'));

/** Codes that have cases. */
export const carriersWithCases = (files: CaseFiles): readonly string[] =>
  files.folders('fixtures').filter((name) => !name.startsWith('_') && caseNames(name, files).length > 0);
