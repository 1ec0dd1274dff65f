/** Writes what a case saw into it: only the values that differ change, the rest of the file stays as it is written. */
import { join } from 'node:path';
import { correctYaml } from './correct-yaml.ts';
import type { CaseFile } from './read.ts';
import { replaceFile } from '../write-files.ts';
import type { CaseReport, Correction } from './report.ts';
import type { OutcomeName } from './schema.ts';

export interface Accepting {
  readonly home: string;
  /** Also where a step turned out to end in `config_error`, which is rather a profile to mend than a story to tell. */
  readonly configErrors: boolean;
}

export type Acceptance =
  /** The files that were written, below the home. */
  | { readonly kind: 'accepted'; readonly written: readonly string[] }
  | { readonly kind: 'refused'; readonly file: string };

/** What only a person can decide stays as it is. */
export const acceptCase = (caseFile: CaseFile, report: CaseReport, { home, configErrors }: Accepting): Acceptance => {
  const corrections = report.problems.flatMap((problem) => problem.corrections);
  if (!configErrors && corrections.some(isConfigError)) return { kind: 'refused', file: caseFile.file };
  const values = corrections.flatMap((one) => (one.kind === 'value' ? [one] : []));
  const written: string[] = [];
  for (const one of corrections) {
    if (one.kind !== 'file') continue;
    const file = `fixtures/${caseFile.carrier}/${one.name}`;
    replaceFile(join(home, file), one.bytes);
    written.push(file);
  }
  const text = correctYaml(caseFile.text, values);
  if (text !== caseFile.text) {
    replaceFile(join(home, caseFile.file), text);
    written.push(caseFile.file);
  }
  return { kind: 'accepted', written };
};

const isConfigError = (one: Correction): boolean =>
  one.kind === 'value' && one.value === ('config_error' satisfies OutcomeName) && one.path.at(-1) === 'outcome';
