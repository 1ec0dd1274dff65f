/** The files of a home that cases are made of: by their path below it, as bytes, for labels among them are no text. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../engine/failure.ts';

export interface CaseFiles {
  /** undefined when there is no such file. Throws a `Failure` when it is too large. */
  read(path: string): Buffer | undefined;
  /** Names of the files directly in a folder; none when there is no such folder. */
  list(folder: string): readonly string[];
  /** Names of the folders directly in a folder. */
  folders(folder: string): readonly string[];
}

const READ_MAX_BYTES = 20_000_000;

export const directoryCaseFiles = (root: string): CaseFiles => {
  const names = (folder: string, wantsFolders: boolean): string[] => {
    const full = join(root, folder);
    if (statSync(full, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
    return readdirSync(full, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() === wantsFolders)
      .map(({ name }) => name)
      .toSorted();
  };
  return {
    read: (path) => {
      const full = join(root, path);
      const found = statSync(full, { throwIfNoEntry: false });
      if (found?.isFile() !== true) return undefined;
      if (found.size > READ_MAX_BYTES) {
        throw new Failure(`${path} is larger than ${READ_MAX_BYTES} bytes`, { code: 'file_too_large' });
      }
      return readFileSync(full);
    },
    list: (folder) => names(folder, false),
    folders: (folder) => names(folder, true),
  };
};

/** Names of a carrier's case files, in order. */
export const caseNames = (carrier: string, files: CaseFiles): readonly string[] =>
  files.list(`fixtures/${carrier}`).filter((name) => name.endsWith('.yaml'));

/** Codes that have cases. */
export const carriersWithCases = (files: CaseFiles): readonly string[] =>
  files.folders('fixtures').filter((name) => !name.startsWith('_') && caseNames(name, files).length > 0);
