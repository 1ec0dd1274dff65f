/** Running the cases of a home. */
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { Finding } from '../../engine/profile/finding.ts';
import type { CaseFiles } from './case-files.ts';
import { type CaseFile, readCase } from './read.ts';
import type { CaseReport } from './report.ts';
import { runCase } from './run.ts';

export interface RanCase {
  readonly report: CaseReport;
  /** undefined: the case could not be read. */
  readonly caseFile: CaseFile | undefined;
}

/** Reads and runs one case; what makes it unreadable is its report. */
export const runCaseNamed = async (carrier: Carrier, name: string, files: CaseFiles): Promise<RanCase> => {
  const read = readCase(carrier.code, name, files);
  if (read.ok) return { report: await runCase(read.caseFile, carrier), caseFile: read.caseFile };
  return { report: unreadable(carrier.code, name, read.findings), caseFile: undefined };
};

const unreadable = (carrier: string, name: string, findings: readonly Finding[]): CaseReport => ({
  case: name,
  carrier,
  place: { file: `fixtures/${carrier}/${name}`, line: 1, column: 1 },
  passed: false,
  problems: findings.map(({ place, message, help }) => ({
    place,
    message: help === undefined ? message : `${message} (${help})`,
    differences: [],
    corrections: [],
  })),
  touched: { steps: [], rules: [], rows: [] },
});
