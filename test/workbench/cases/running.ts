import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { memoryCaseFiles } from '../../../src/workbench/cases/read.ts';
import type { CaseDifference } from '../../../src/workbench/cases/compare-values.ts';
import type { CaseReport } from '../../../src/workbench/cases/report.ts';
import { runCaseNamed } from '../../../src/workbench/cases/run.ts';
import type { Carrier } from '../../../src/engine/profile/carrier.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A consignment of the contract, as YAML. */
export const ONE_BOX = readFileSync(`${ROOT}/fixtures/_consignments/one-box-de.yaml`);

/** A consignment of `fixtures/_consignments`. */
export const consignmentNamed = (name: string): Record<string, unknown> =>
  parse(readFileSync(`${ROOT}/fixtures/_consignments/${name}.yaml`, 'utf8')) as Record<string, unknown>;

/** Runs one case of a carrier written out here; `files` lie beside it. */
export const runText = async (
  carrier: Carrier,
  text: string,
  files: Readonly<Record<string, string | Buffer>> = {},
): Promise<CaseReport> => {
  const { report } = await runCaseNamed(
    carrier,
    'story.yaml',
    memoryCaseFiles({
      [`fixtures/${carrier.code}/story.yaml`]: text,
      'fixtures/_consignments/one-box.yaml': ONE_BOX,
      ...files,
    }),
  );
  return report;
};

/** Differences as one text: `path: expected → seen | …`. */
export const shownDifferences = (differences: readonly CaseDifference[]): string =>
  differences
    .map(({ path, expected, seen }) => `${path}: ${JSON.stringify(expected) ?? '-'} → ${JSON.stringify(seen) ?? '-'}`)
    .join(' | ');

/** Each problem with its place and differences, as one text. */
export const said = (report: CaseReport): string[] =>
  report.problems.map(({ place, message, differences }) => {
    const head = `${place.line}:${place.column} ${message}`;
    return differences.length === 0 ? head : `${head} | ${shownDifferences(differences)}`;
  });
