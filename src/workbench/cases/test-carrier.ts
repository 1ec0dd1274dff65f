/** Tests of carriers, come to plain data that may travel between threads: all of one, or what a change touches. */
import { setImmediate } from 'node:timers/promises';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { Homes } from '../../engine/profile/chain.ts';
import type { Finding } from '../../engine/profile/finding.ts';
import { draftOf, loadCarrier, type LoadedCarrier } from '../../engine/profile/load.ts';
import { acceptCase, type Accepting } from './accept.ts';
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

interface Accept extends Accepting {
  /** Told of each report before anything of it is written, and of one that fails all the same. */
  readonly onReport: (report: CaseReport) => void;
}

export interface Testing {
  readonly homes: Homes;
  readonly files: CaseFiles;
  readonly pack: boolean;
  readonly accept?: Accept | undefined;
}

const errorsOf = ({ findings }: LoadedCarrier): readonly Finding[] =>
  findings.filter(({ severity }) => severity === 'error');

const packOf = async (carrier: Carrier, { pack, files }: Testing): Promise<readonly ScenarioReport[]> =>
  pack && !carrier.abstract ? await runPack(carrier, files) : [];

export const testCarrier = async (code: string, testing: Testing): Promise<CarrierRun> => {
  const names = caseNames(code, testing.files);
  const loaded = loadCarrier(code, testing.homes);
  const carrier = draftOf(loaded);
  const run = { carrier: code, hasCases: names.length > 0, findings: [], cases: [], pack: [] };
  if (carrier === undefined) return { ...run, findings: errorsOf(loaded), accepted: [], refused: [] };
  const ran = await runCases(carrier, names, testing);
  return { ...run, ...ran, pack: await packOf(carrier, testing) };
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
    accept?.onReport(report);
    const acceptance =
      accept === undefined || caseFile === undefined ? undefined : acceptCase(caseFile, report, accept);
    if (acceptance?.kind === 'refused') refused.push(acceptance.file);
    const written = acceptance?.kind === 'accepted' ? acceptance.written : [];
    accepted.push(...written);
    const last = written.length === 0 ? report : (await runCaseNamed(carrier, name, files)).report;
    if (last !== report && !last.passed) accept?.onReport(last);
    cases.push(last);
  }
  return { cases, accepted, refused };
};

// What a changed file touches ---------------------------------------------------------------------------------------

interface Held {
  /** undefined: it does not load. */
  readonly carrier: Carrier | undefined;
  /** The texts it is made of, bases and mappings among them. */
  readonly parts: ReadonlySet<string>;
  /** By name of the case: the files it reads. */
  readonly read: Map<string, ReadonlySet<string>>;
}

/** What ran again; `findings` of carriers that do not load. */
export type Rerun = Pick<CarrierRun, 'cases' | 'pack' | 'findings'>;

export interface Watched {
  runAll(codes: readonly string[]): Promise<Rerun>;
  /** Paths below the home. Carriers that are new run whole. */
  runTouched(codes: readonly string[], changed: ReadonlySet<string>): Promise<Rerun>;
}

/** Carriers and cases that stay at hand: the carriers a file is part of run whole, else the cases that read it. */
export const watchedCases = (testing: Omit<Testing, 'accept'>): Watched => {
  const { homes, files } = testing;
  const held = new Map<string, Held>();

  /** Of a case: runs it, and notes what it reads. */
  const runNoting = async (carrier: Carrier, name: string, read: Held['read']): Promise<CaseReport> => {
    const seen = new Set([`fixtures/${carrier.code}/${name}`]);
    const noting: CaseFiles = {
      ...files,
      read: (path) => {
        seen.add(path);
        return files.read(path);
      },
    };
    const { report } = await runCaseNamed(carrier, name, noting);
    read.set(name, seen);
    return report;
  };

  /** `changed` undefined: everything. */
  const runOf = async (code: string, { carrier, read }: Held, changed?: readonly string[]): Promise<Rerun> => {
    const cases: CaseReport[] = [];
    if (carrier === undefined) return { cases, pack: [], findings: [] };
    for (const name of caseNames(code, files)) {
      const parts = read.get(name);
      const isTouched = changed === undefined || parts === undefined || changed.some((path) => parts.has(path));
      if (isTouched) cases.push(await runNoting(carrier, name, read));
    }
    // The pack takes what cases show as its material.
    const needsPack = changed === undefined || cases.length > 0;
    return { cases, pack: needsPack ? await packOf(carrier, testing) : [], findings: [] };
  };

  const runWhole = async (code: string): Promise<Rerun> => {
    const loaded = loadCarrier(code, homes);
    const now = { carrier: draftOf(loaded), parts: new Set(Object.keys(loaded.bundle.files)), read: new Map() };
    held.set(code, now);
    if (now.carrier === undefined) return { cases: [], pack: [], findings: errorsOf(loaded) };
    return await runOf(code, now);
  };

  const runTouchedOf = async (code: string, changed: readonly string[]): Promise<Rerun> => {
    const known = held.get(code);
    const isOwn = (path: string): boolean => path === `carriers/${code}.yaml` || path.startsWith(`mappings/${code}/`);
    if (known === undefined || changed.some((path) => known.parts.has(path) || isOwn(path)))
      return await runWhole(code);
    return await runOf(code, known, changed);
  };

  return {
    runAll: async (codes) => await joined(codes, runWhole),
    runTouched: async (codes, changed) => await joined(codes, async (code) => await runTouchedOf(code, [...changed])),
  };
};

const joined = async (codes: readonly string[], run: (code: string) => Promise<Rerun>): Promise<Rerun> => {
  const reruns: Rerun[] = [];
  for (const code of codes) reruns.push(await run(code));
  return {
    cases: reruns.flatMap(({ cases }) => cases),
    pack: reruns.flatMap(({ pack }) => pack),
    findings: reruns.flatMap(({ findings }) => findings),
  };
};
