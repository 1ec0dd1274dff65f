/** Tests of carriers, come to plain data that may travel between threads: all of one, or what a change touches. */
import { setImmediate } from 'node:timers/promises';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { Homes } from '../../engine/profile/chain.ts';
import type { Finding } from '../../engine/profile/finding.ts';
import { draftOf, loadCarrier, type LoadedCarrier } from '../../engine/profile/load.ts';
import { type CaseFile, type CaseFiles, caseNames } from './read.ts';
import { runPack } from './pack/run-pack.ts';
import type { CaseReport, ScenarioReport } from './report.ts';
import { runCaseNamed } from './run.ts';
import { join } from 'node:path';
import { replaceFile } from '../write-files.ts';
import { correctYaml } from './correct-yaml.ts';

export interface Tested {
  /** Errors of a carrier that does not load: nothing of it is run. */
  readonly findings: readonly Finding[];
  readonly cases: readonly CaseReport[];
  /** Scenarios of the platform's own pack; none where it was not asked for. */
  readonly pack: readonly ScenarioReport[];
}

export interface CarrierRun extends Tested {
  readonly carrier: string;
  readonly hasCases: boolean;
  readonly accepted: readonly string[];
  /** Cases that were not written, as they would tell of a broken run. */
  readonly refused: readonly string[];
}

interface Testing {
  readonly homes: Homes;
  readonly files: CaseFiles;
  readonly pack: boolean;
}

interface Accept extends Accepting {
  /** Told of each report before anything of it is written, and of one that fails all the same. */
  readonly onReport: (report: CaseReport) => void;
}

const errorsOf = ({ findings }: LoadedCarrier): readonly Finding[] =>
  findings.filter(({ severity }) => severity === 'error');

const packOf = async (carrier: Carrier, { pack, files }: Testing): Promise<readonly ScenarioReport[]> =>
  pack && !carrier.abstract ? await runPack(carrier, files) : [];

export const testCarrier = async (code: string, testing: Testing, accept?: Accept): Promise<CarrierRun> => {
  const { files, homes } = testing;
  const names = caseNames(code, files);
  const loaded = loadCarrier(code, homes);
  const carrier = draftOf(loaded);
  const [cases, accepted, refused]: [CaseReport[], string[], string[]] = [[], [], []];
  const run = { carrier: code, hasCases: names.length > 0, accepted, refused, cases };
  if (carrier === undefined) return { ...run, findings: errorsOf(loaded), pack: [] };
  for (const name of names) {
    // Running a case gives nobody else a turn, Ctrl-C neither.
    await setImmediate();
    const { report, caseFile } = await runCaseNamed(carrier, name, files);
    accept?.onReport(report);
    const written = accept && caseFile ? acceptCase(caseFile, report, accept) : [];
    if (written === undefined && caseFile !== undefined) refused.push(caseFile.file);
    const isWritten = written !== undefined && written.length > 0;
    const last = isWritten ? (await runCaseNamed(carrier, name, files)).report : report;
    if (last !== report && !last.passed) accept?.onReport(last);
    accepted.push(...(written ?? []));
    cases.push(last);
  }
  return { ...run, findings: [], pack: await packOf(carrier, testing) };
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

/**
 * Carriers and cases that stay at hand: the carriers a file is part of run whole, else the cases that read it. The
 * function takes the paths that changed, below the home; without them it runs everything. Carriers that are new run whole.
 */
export const watchedCases = (
  testing: Testing,
): ((codes: readonly string[], changed?: ReadonlySet<string>) => Promise<Tested>) => {
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
  const runOne = async (code: string, changed: readonly string[] | undefined): Promise<Tested> => {
    const isOwn = (path: string): boolean => path === `carriers/${code}.yaml` || path.startsWith(`mappings/${code}/`);
    const known = held.get(code);
    const isStale = changed === undefined || changed.some((path) => known?.parts.has(path) || isOwn(path));
    if (known === undefined || isStale) {
      const loaded = loadCarrier(code, homes);
      const now = { carrier: draftOf(loaded), parts: new Set(Object.keys(loaded.bundle.files)), read: new Map() };
      held.set(code, now);
      if (now.carrier === undefined) return { cases: [], pack: [], findings: errorsOf(loaded) };
    }
    const { carrier, read } = held.get(code) as Held;
    const cases: CaseReport[] = [];
    if (carrier === undefined) return { cases, pack: [], findings: [] };
    for (const name of caseNames(code, files)) {
      const parts = read.get(name);
      if (parts === undefined || changed?.some((path) => parts.has(path)))
        cases.push(await runNoting(carrier, name, read));
    }
    // The pack takes what cases show as its material.
    const needsPack = known === undefined || isStale || cases.length > 0;
    return { cases, pack: needsPack ? await packOf(carrier, testing) : [], findings: [] };
  };

  return async (codes, changed) => {
    const tested: Tested[] = [];
    for (const code of codes) tested.push(await runOne(code, changed && [...changed]));
    return {
      cases: tested.flatMap(({ cases }) => cases),
      pack: tested.flatMap(({ pack }) => pack),
      findings: tested.flatMap(({ findings }) => findings),
    };
  };
};

interface Accepting {
  readonly home: string;
  /** Also where a step turned out to end in `config_error`: usually the profile is wrong then, not the case. */
  readonly configErrors: boolean;
}

/** The files that were written, below the home; undefined: the case is refused. What only a person can decide stays. */
const acceptCase = (
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
