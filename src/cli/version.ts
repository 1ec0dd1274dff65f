import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of the package that lies there. */
export const versionOf = (packageRoot: string): string => {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  return version;
};
