import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a home (or of the engine's own package) by their path below it, with `/` between the parts. */
export interface HomeFiles {
  /** undefined when there is no such file. Throws what the file system says when it cannot be read. */
  read(path: string): string | undefined;
  /** Names of the files right in a folder; none when there is no such folder. */
  list(folder: string): readonly string[];
}

/** Larger files are cut here, so that the check of sizes sees them without reading them whole. */
const READ_MAX_BYTES = 8_000_000;

/** Files below a directory of the file system. */
export const directoryFiles = (root: string): HomeFiles => ({
  read: (path) => {
    const full = join(root, path);
    const found = statSync(full, { throwIfNoEntry: false });
    if (found?.isFile() !== true) return undefined;
    return found.size > READ_MAX_BYTES ? ' '.repeat(READ_MAX_BYTES) : readFileSync(full, 'utf8');
  },
  list: (folder) => {
    const full = join(root, folder);
    if (statSync(full, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
    return readdirSync(full, { withFileTypes: true })
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map((entry) => entry.name)
      .toSorted();
  },
});

/** Files kept in memory: those of a version stored earlier, or of a test. */
export const memoryFiles = (files: Readonly<Record<string, string>>): HomeFiles => ({
  read: (path) => (Object.hasOwn(files, path) ? files[path] : undefined),
  list: (folder) =>
    Object.keys(files)
      .filter((path) => path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes('/'))
      .map((path) => path.slice(folder.length + 1))
      .toSorted(),
});
