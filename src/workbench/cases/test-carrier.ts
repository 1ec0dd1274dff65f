/** All tests of one carrier, come to plain data: it may travel between threads. */
import { setImmediate } from 'node:timers/promises';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { Homes } from '../../engine/profile/chain.ts';
import type { Finding } from '../../engine/profile/finding.ts';
import { draftOf, loadCarrier } from '../../engine/profile/load.ts';
import { acceptCase } from './accept.ts';
import { type CaseFiles, caseNames } from './case-files.ts';
import { runPack } from './pack/run-pack.ts';
import type { CaseReport, ScenarioReport } from './report.ts';
import { runCaseNamed } from './run.ts';

export interface CarrierRun {
  readonly carrier: string;
  /** Errors of a carrier that does not load: nothing of it is run. */
  readonly findings: readonly Finding[];
  readonly hasCases: boolean;
  readonly cases: readonly CaseReport[];
  /** Scenarios of the platform's own pack; none where it was not asked for. */
  readonly pack: readonly ScenarioReport[];
  /** Files that were written. */
  readonly accepted: readonly string[];
  /** Cases that were not written, as they would tell of a broken run. */
  readonly refused: readonly string[];
}

interface Accept {
  readonly home: string;
  readonly configErrors: boolean;
  /** Told of each report before anything of it is written, and of one that fails all the same. */
  readonly tell: (report: CaseReport) => void;
}

export interface Testing {
  readonly homes: Homes;
  readonly files: CaseFiles;
  readonly pack: boolean;
  readonly accept?: Accept | undefined;
}

export const testCarrier = async (code: string, testing: Testing): Promise<CarrierRun> => {
  const names = caseNames(code, testing.files);
  const nothing = { carrier: code, hasCases: names.length > 0, findings: [], cases: [], pack: [] };
  const loaded = loadCarrier(code, testing.homes);
  const { findings } = loaded;
  const carrier = draftOf(loaded);
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (carrier === undefined) return { ...nothing, findings: errors, accepted: [], refused: [] };
  const ran = await runCases(carrier, names, testing);
  const pack = testing.pack && !carrier.abstract ? await runPack(carrier, testing.files) : [];
  return { ...nothing, ...ran, pack };
};

const runCases = async (
  carrier: Carrier,
  names: readonly string[],
  { files, accept }: Testing,
): Promise<Pick<CarrierRun, 'cases' | 'accepted' | 'refused'>> => {
  const cases: CaseReport[] = [];
  const accepted: string[] = [];
  const refused: string[] = [];
  for (const name of names) {
    // Running a case gives nobody else a turn, Ctrl-C neither.
    await setImmediate();
    const { report, caseFile } = await runCaseNamed(carrier, name, files);
    accept?.tell(report);
    const acceptance =
      accept === undefined || caseFile === undefined ? undefined : acceptCase(caseFile, report, accept);
    if (acceptance?.kind === 'refused') refused.push(acceptance.file);
    const written = acceptance?.kind === 'accepted' ? acceptance.written : [];
    accepted.push(...written);
    const last = written.length === 0 ? report : (await runCaseNamed(carrier, name, files)).report;
    if (last !== report && !last.passed) accept?.tell(last);
    cases.push(last);
  }
  return { cases, accepted, refused };
};
