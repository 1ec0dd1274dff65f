/** Files are written whole or not at all, also when the process is ended in the middle. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes the whole new file or leaves the old one, never half of either. */
export const replaceFile = (path: string, content: string | Buffer): void => {
  const beside = `${path}.${process.pid}.new`;
  try {
    writeFileSync(beside, content);
    renameSync(beside, path);
  } catch (thrown) {
    rmSync(beside, { force: true });
    throw thrown;
  }
};

/** All files or none: written aside first, then moved in one turn, which Ctrl-C does not split. Returns their paths. */
export const writeAll = (home: string, files: Readonly<Record<string, string | Buffer>>): readonly string[] => {
  const aside = join(home, `.waybill-new-${process.pid}`);
  const paths = Object.keys(files);
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(aside, path)), { recursive: true });
      writeFileSync(join(aside, path), content, { flag: 'wx' });
    }
    for (const path of paths) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      renameSync(join(aside, path), join(home, path));
    }
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return paths;
};
