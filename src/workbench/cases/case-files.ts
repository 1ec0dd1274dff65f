import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../engine/failure.ts';

/** The files of a home by their path below it, as bytes: labels among them are no text. */
export interface CaseFiles {
  /** undefined when there is no such file. Throws a `Failure` when it is too large. */
  read(path: string): Buffer | undefined;
  /** Names of the files right in a folder; none when there is no such folder. */
  list(folder: string): readonly string[];
  /** Names of the folders right in a folder. */
  folders(folder: string): readonly string[];
}

const READ_MAX_BYTES = 20_000_000;

export const directoryCaseFiles = (root: string): CaseFiles => {
  const entries = (folder: string): { name: string; isFolder: boolean }[] => {
    const full = join(root, folder);
    if (statSync(full, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
    return readdirSync(full, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
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
    list: (folder) => entries(folder).flatMap(({ name, isFolder }) => (isFolder ? [] : [name])),
    folders: (folder) => entries(folder).flatMap(({ name, isFolder }) => (isFolder ? [name] : [])),
  };
};
