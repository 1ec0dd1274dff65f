import type { Findings } from '../finding.ts';
import type { HomeFiles } from '../home-files.ts';

/** unused: mapping files in a carrier's folder that no profile of the home names. */
export const findUnusedFiles = (code: string, home: HomeFiles, used: ReadonlySet<string>, findings: Findings): void => {
  for (const name of home.list(`mappings/${code}`)) {
    const file = `mappings/${code}/${name}`;
    if (!name.endsWith('.jsonata') || used.has(file)) continue;
    findings.warning('unused', { file, line: 1, column: 1 }, 'no profile names this file', 'use it, or remove it');
  }
};
