/** Writes what a case saw into it: only the values that differ change, the rest of the file stays as it is written. */
import { join } from 'node:path';
import { replaceFile } from '../write-files.ts';
import { correctYaml } from './correct-yaml.ts';
import type { CaseFile } from './read.ts';
import type { CaseReport } from './report.ts';

export interface Accepting {
  readonly home: string;
  /** Also where a step turned out to end in `config_error`: usually the profile is wrong then, not the case. */
  readonly configErrors: boolean;
}

/** The files that were written, below the home; undefined: the case is refused. What only a person can decide stays. */
export const acceptCase = (
  { carrier, file, text }: CaseFile,
  { problems }: CaseReport,
  { home, configErrors }: Accepting,
): readonly string[] | undefined => {
  const corrections = problems.flatMap((problem) => problem.corrections);
  const values = corrections.filter((one) => 'path' in one);
  const isConfigError = values.some(({ path, value }) => path.at(-1) === 'outcome' && value === 'config_error');
  if (isConfigError && !configErrors) return undefined;
  const bodies = corrections.filter((one) => 'file' in one);
  const changed = new Map<string, string | Buffer>(bodies.map((one) => [`fixtures/${carrier}/${one.file}`, one.bytes]));
  const corrected = correctYaml(text, values);
  if (corrected !== text) changed.set(file, corrected);
  for (const [path, content] of changed) replaceFile(join(home, path), content);
  return [...changed.keys()];
};
