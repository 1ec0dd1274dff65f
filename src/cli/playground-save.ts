/** Writes edited files into the home: never outside it, all or none, and never over what somebody else wrote meanwhile. */
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { writeAll } from '../workbench/write-files.ts';

export const versionOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A packaged server has a home that it may only read. */
export const isWritable = (home: string): boolean => {
  try {
    for (const folder of ['', 'carriers', 'mappings', 'fixtures'].map((name) => path.join(home, name)))
      if (folder === home || existsSync(folder)) accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

interface Edited {
  /** Below the home; of a form that cannot leave it. */
  readonly path: string;
  readonly text: string;
  /** As it was read; undefined: it is new. */
  readonly version?: string;
}

/** `changed`: a file that is not as it was read. Of these nothing was written; undefined: all are. */
export const saveFiles = (
  home: string,
  files: readonly Edited[],
): { readonly changed: string } | { readonly refused: string } | undefined => {
  for (const { path: file, version } of files) {
    const full = path.join(home, file);
    if (isLinked(home, full)) return { refused: `${file} lies behind a link` };
    const now = existsSync(full) ? versionOf(readFileSync(full, 'utf8')) : undefined;
    if (now !== version) return { changed: file };
  }
  try {
    writeAll(home, Object.fromEntries(files.map(({ path: file, text }) => [file, text])));
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Error && 'syscall' in thrown)) throw thrown;
    return { refused: `the home cannot be written: ${String('code' in thrown ? thrown.code : '')}` };
  }
};

/** A link may lead out of the home. */
const isLinked = (home: string, file: string): boolean => {
  let existing = file;
  while (lstatSync(existing, { throwIfNoEntry: false }) === undefined) existing = path.dirname(existing);
  try {
    return realpathSync(existing) !== path.join(realpathSync(home), path.relative(home, existing));
  } catch {
    return true;
  }
};
