import { renameSync, rmSync, writeFileSync } from 'node:fs';

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
