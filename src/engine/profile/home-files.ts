import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type SourceText, sourceText } from '../mapping/source-text.ts';
import type { Place } from '../failure.ts';
import type { Findings } from './finding.ts';
import { didYouMean } from '../mapping/closest.ts';

/** The files of a home (or of the engine's own package) by their path below it, with `/` between the parts. */
export interface HomeFiles {
  /** undefined when there is no such file. Throws what the file system says when it cannot be read. */
  read(path: string): string | undefined;
  /** Names of the files right in a folder; none when there is no such folder. */
  list(folder: string): readonly string[];
}

/** Larger files are cut here, so that the check of sizes sees them without reading them whole. */
const READ_MAX_BYTES = 8_000_000;

/** undefined where there is none of that name, or can be none: it is too long, or holds a NUL. Throws what the file system says. */
export const findFile = (path: string) => {
  if (path.includes('\0')) return undefined;
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return undefined;
    throw thrown;
  }
};

export const directoryFiles = (root: string): HomeFiles => ({
  read: (path) => {
    const full = join(root, path);
    const found = findFile(full);
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

// Mappings ------------------------------------------------------------------------------------------------------------

/** Where one profile of the chain keeps its mappings: beside the profile itself. */
interface MappingFolder {
  readonly code: string;
  readonly files: HomeFiles;
}

const SIZE_MAX = 1_000_000;
const NAME = /^(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*\/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*$/;

/** The mapping files of a profile and its bases. A name that leads out of a folder is refused. */
export const mappingFiles = (
  folders: readonly MappingFolder[],
  findings: Findings,
  homes: readonly HomeFiles[] = [],
) => {
  /** Path → text of every file found so far. */
  const found = new Map<string, string>();
  const sources = new Map<string, SourceText>();
  /** By the name a profile writes. What is wrong with the file is a finding at `place`. */
  const find = (name: string, place: Place) => {
    if (!NAME.test(name)) {
      const message = `"${name.slice(0, 100)}" is not the name of a mapping file`;
      findings.report('mapping-path', place, message, 'use letters, digits, _ - . and / between folders');
      return undefined;
    }
    for (const { code, files } of folders) {
      const path = `mappings/${code}/${name}`;
      const text = found.get(path) ?? files.read(path);
      if (text === undefined) continue;
      if (text.length > SIZE_MAX) {
        findings.report('too-large', place, `${path} is larger than ${SIZE_MAX} characters`);
        return undefined;
      }
      const source = sources.get(path) ?? sourceText(path, text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text);
      found.set(path, text);
      sources.set(path, source);
      return { path, source };
    }
    const places = folders.map(({ code }) => `mappings/${code}/`).join(' and ');
    const known = folders.flatMap(({ code, files }) => files.list(`mappings/${code}`));
    findings.report('missing-mapping', place, `there is no ${name} in ${places}`, didYouMean(name, known));
    return undefined;
  };
  /** A file that carriers share and a profile names, by its path: of the home, else what ships with the engine. */
  const shared = (path: string): string | undefined => {
    const text = found.get(path) ?? homes.map((files) => files.read(path)).find((each) => each !== undefined);
    if (text !== undefined) found.set(path, text);
    return text;
  };
  /** Names of the files right in a folder that carriers share. */
  const sharedNames = (folder: string): readonly string[] => homes.flatMap((files) => files.list(folder));
  return { find, found, shared, sharedNames };
};
export type MappingFiles = ReturnType<typeof mappingFiles>;
