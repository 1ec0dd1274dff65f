/** Cases that stay at hand, and what of them a changed file touches: the carriers it is part of, the cases that read it. */
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { Homes } from '../../engine/profile/chain.ts';
import type { Finding } from '../../engine/profile/finding.ts';
import { draftOf, loadCarrier } from '../../engine/profile/load.ts';
import { type CaseFiles, caseNames } from './case-files.ts';
import { runPack } from './pack/run-pack.ts';
import type { CaseReport, ScenarioReport } from './report.ts';
import { runCaseNamed } from './run.ts';

interface Held {
  /** undefined: it does not load. */
  carrier: Carrier | undefined;
  /** The texts it is made of, bases and mappings among them. */
  parts: ReadonlySet<string>;
  /** By name of the case: the files it reads. */
  readonly read: Map<string, ReadonlySet<string>>;
}

/** What ran again; `findings` of carriers that do not load. */
export interface Rerun {
  readonly cases: readonly CaseReport[];
  readonly pack: readonly ScenarioReport[];
  readonly findings: readonly Finding[];
}

export interface Watched {
  runAll(codes: readonly string[]): Promise<Rerun>;
  /** Paths below the home. Carriers that are new run whole. */
  runTouched(codes: readonly string[], changed: ReadonlySet<string>): Promise<Rerun>;
}

export const watchedCases = (homes: Homes, files: CaseFiles, pack: boolean): Watched => {
  const held = new Map<string, Held>();

  const runNamed = async (code: string, carrier: Carrier, name: string): Promise<CaseReport> => {
    const seen = new Set([`fixtures/${code}/${name}`]);
    const noting: CaseFiles = {
      ...files,
      read: (path) => {
        seen.add(path);
        return files.read(path);
      },
    };
    const { report } = await runCaseNamed(carrier, name, noting);
    held.get(code)?.read.set(name, seen);
    return report;
  };

  const runWhole = async (code: string): Promise<Rerun> => {
    const loaded = loadCarrier(code, homes);
    const { bundle, findings } = loaded;
    const carrier = draftOf(loaded);
    held.set(code, { carrier, parts: new Set(Object.keys(bundle.files)), read: new Map() });
    if (carrier === undefined) {
      return { cases: [], pack: [], findings: findings.filter(({ severity }) => severity === 'error') };
    }
    const cases: CaseReport[] = [];
    for (const name of caseNames(code, files)) cases.push(await runNamed(code, carrier, name));
    return { cases, pack: pack && !carrier.abstract ? await runPack(carrier, files) : [], findings: [] };
  };

  const runTouchedOf = async (code: string, changed: ReadonlySet<string>): Promise<Rerun> => {
    const known = held.get(code);
    const isOwn = (path: string): boolean => path === `carriers/${code}.yaml` || path.startsWith(`mappings/${code}/`);
    const isPart = [...changed].some((path) => known?.parts.has(path) === true || isOwn(path));
    if (known === undefined || isPart) return await runWhole(code);
    const { carrier } = known;
    if (carrier === undefined) return NOTHING;
    const cases: CaseReport[] = [];
    for (const name of caseNames(code, files)) {
      const read = known.read.get(name);
      const isTouched = read === undefined || [...changed].some((path) => read.has(path));
      if (isTouched) cases.push(await runNamed(code, carrier, name));
    }
    // The pack takes what cases tell as its material.
    return { cases, pack: pack && cases.length > 0 ? await runPack(carrier, files) : [], findings: [] };
  };

  return {
    runAll: async (codes) => await joined(codes, runWhole),
    runTouched: async (codes, changed) => await joined(codes, async (code) => await runTouchedOf(code, changed)),
  };
};

const joined = async (codes: readonly string[], run: (code: string) => Promise<Rerun>): Promise<Rerun> => {
  const reruns: Rerun[] = [];
  for (const code of codes) reruns.push(await run(code));
  return {
    cases: reruns.flatMap(({ cases }) => cases),
    pack: reruns.flatMap((one) => one.pack),
    findings: reruns.flatMap(({ findings }) => findings),
  };
};

const NOTHING: Rerun = { cases: [], pack: [], findings: [] };
