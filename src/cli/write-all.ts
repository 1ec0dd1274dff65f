import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** All files or none: written aside first, and then moved in one turn, which Ctrl-C does not part. Yields their paths. */
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
