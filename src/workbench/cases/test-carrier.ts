/** Tests of carriers, come to plain data that may travel between threads: all of one, or what a change touches. */
import { setImmediate } from 'node:timers/promises';
import type { Carrier } from '../../engine/profile/carrier.ts';
import type { Homes } from '../../engine/profile/chain.ts';
import type { Finding } from '../../engine/profile/finding.ts';
import { draftOf, loadCarrier } from '../../engine/profile/load.ts';
import { policyNames } from '../../engine/profile/policies.ts';
import { runPolicyCase } from '../policies/run-case.ts';
import { tryPolicy } from '../policies/open.ts';
import { type CaseFile, type CaseFiles, caseNames, readFlow } from './read.ts';
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
  /** Cases that were not written, as that is for a person to decide. */
  readonly refused: readonly { readonly file: string; readonly why: string }[];
}

interface Testing {
  readonly homes: Homes;
  readonly files: CaseFiles;
  readonly pack: boolean;
  /** Only cases with this in their file name or title. */
  readonly only?: string | undefined;
}

interface Accept extends Accepting {
  /** Told of each report before anything of it is written, and of one that fails all the same. */
  readonly onReport: (report: CaseReport) => void;
}

interface Loaded {
  /** undefined: it does not load, by these findings. */
  readonly run: ((name: string, files: CaseFiles) => Promise<Ran>) | undefined;
  readonly findings: readonly Finding[];
  /** undefined of a policy. */
  readonly carrier: Carrier | undefined;
  /** What it is made of, by path: bases and mappings among them. */
  readonly texts: Readonly<Record<string, string>>;
}

/** A carrier, or a policy, by its name. */
const load = (code: string, homes: Homes): Loaded => {
  if (policyNames(homes).includes(code)) {
    const { opened, findings } = tryPolicy(code, homes);
    const run = opened && (async (name: string, files: CaseFiles) => await runPolicyCase(opened, name, files));
    return { run, findings, carrier: undefined, texts: {} };
  }
  const loaded = loadCarrier(code, homes);
  const carrier = draftOf(loaded);
  return {
    run: carrier && (async (name, files) => await runCaseNamed(carrier, name, files)),
    carrier,
    findings: carrier === undefined ? loaded.findings.filter(({ severity }) => severity === 'error') : [],
    texts: loaded.bundle.files,
  };
};

const packOf = async ({ carrier, texts }: Loaded, { pack, files }: Testing): Promise<readonly ScenarioReport[]> =>
  pack && carrier?.abstract === false ? await runPack(carrier, files, Object.values(texts)) : [];

/** `code`: of a carrier, or the name of a policy. */
export const testCarrier = async (code: string, testing: Testing, accept?: Accept): Promise<CarrierRun> => {
  const { files, homes } = testing;
  const names = casesNamed(code, testing);
  const loaded = load(code, homes);
  const { run: runOne, findings } = loaded;
  const [cases, accepted]: [CaseReport[], string[]] = [[], []];
  const refused: { file: string; why: string }[] = [];
  const run = { carrier: code, hasCases: names.length > 0, findings, accepted, refused, cases };
  if (runOne === undefined) return { ...run, pack: [] };
  for (const name of names) {
    // Running a case gives nobody else a turn, Ctrl-C neither.
    await setImmediate();
    const again = async (): Promise<Ran> => await runOne(name, files);
    const first = await again();
    accept?.onReport(first.report);
    const after = accept && (await acceptAll(first, again, accept));
    const report = after?.report ?? first.report;
    if (report !== first.report && !report.passed) accept?.onReport(report);
    accepted.push(...(after?.written ?? []));
    refused.push(...(after?.refused ?? []));
    cases.push(report);
  }
  return { ...run, pack: await packOf(loaded, testing) };
};

/** The names of a carrier's cases that are meant, all by default. */
export const casesNamed = (code: string, { files, only }: Pick<Testing, 'files' | 'only'>): readonly string[] => {
  const wanted = only?.toLowerCase();
  const means = (text: unknown): boolean =>
    String(text)
      .toLowerCase()
      .includes(wanted ?? '');
  return caseNames(code, files).filter(
    (name) =>
      wanted === undefined || means(name.slice(0, -'.yaml'.length)) || means(readFlow(code, name, files)?.content.case),
  );
};

// What a changed file touches ---------------------------------------------------------------------------------------

interface Held extends Loaded {
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
  const runNoting = async (
    code: string,
    name: string,
    { run, read }: Held & { readonly run: NonNullable<Held['run']> },
  ): Promise<CaseReport> => {
    const seen = new Set([`fixtures/${code}/${name}`]);
    const noting: CaseFiles = {
      ...files,
      read: (path) => {
        seen.add(path);
        return files.read(path);
      },
    };
    const { report } = await run(name, noting);
    read.set(name, seen);
    return report;
  };

  /** `changed` undefined: everything. */
  const runOne = async (code: string, changed: readonly string[] | undefined): Promise<Tested> => {
    const known = held.get(code);
    const isOwn = (path: string): boolean =>
      path === `carriers/${code}.yaml` ||
      path.startsWith(`mappings/${code}/`) ||
      // A policy is made of all that its carriers are.
      (known?.carrier === undefined && path.startsWith('carriers/'));
    const isKept = known !== undefined && changed?.some((path) => path in known.texts || isOwn(path)) === false;
    const now: Held = isKept ? known : { ...load(code, homes), read: new Map() };
    held.set(code, now);
    const { run, read } = now;
    const cases: CaseReport[] = [];
    // Why it does not load is told once.
    if (run === undefined) return { cases, pack: [], findings: isKept ? [] : now.findings };
    for (const name of casesNamed(code, testing)) {
      const parts = read.get(name);
      if (parts === undefined || changed?.some((path) => parts.has(path)))
        cases.push(await runNoting(code, name, { ...now, run }));
    }
    // The pack takes what cases show as its material.
    const needsPack = !isKept || cases.length > 0;
    return { cases, pack: needsPack ? await packOf(now, testing) : [], findings: [] };
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

type Ran = Awaited<ReturnType<typeof runCaseNamed>>;

const ROUNDS_MAX = 10;

/** Until nothing is left to write: what is accepted may show what was hidden by it, but not for ever. */
const acceptAll = async (first: Ran, again: () => Promise<Ran>, accept: Accepting) => {
  const written = new Set<string>();
  let ran = first;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const { report, caseFile } = ran;
    if (report.passed || caseFile === undefined) break;
    const outcome = await acceptCase(caseFile, report, accept);
    if ('refusal' in outcome) return { report, written, refused: [{ file: caseFile.file, why: outcome.refusal }] };
    if (outcome.written.length === 0) break;
    for (const file of outcome.written) written.add(file);
    ran = await again();
  }
  return { report: ran.report, written, refused: [] };
};

interface Accepting {
  readonly home: string;
  /** Also where a step turned out to end in `config_error`: usually the profile is wrong then, not the case. */
  readonly configErrors: boolean;
  /** Whether a step may end otherwise than its case said: `what` tells it as a question. */
  readonly mayChangeOutcome: (what: string) => Promise<boolean>;
}

const CONFIG_ERROR =
  'a step ends in config_error, so the profile or the account is to be mended; --accept-config-errors writes it all the same';

/** The files that were written, below the home. What only a person can decide stays. */
const acceptCase = async (
  { carrier, file, text }: CaseFile,
  { problems }: CaseReport,
  { home, configErrors, mayChangeOutcome }: Accepting,
): Promise<{ readonly written: readonly string[] } | { readonly refusal: string }> => {
  const corrections = problems.flatMap((problem) => problem.corrections);
  const values = corrections.filter((one) => 'path' in one);
  const outcomes = values.filter(({ path }) => path.at(-2) === 'expect' && path.at(-1) === 'outcome');
  for (const { value, path } of outcomes) {
    if (value === 'config_error' && configErrors) continue;
    if (value === 'config_error') return { refusal: CONFIG_ERROR };
    const what = `step ${Number(path[1]) + 1} would end in ${String(value)}`;
    if (!(await mayChangeOutcome(`${file}: ${what}`))) return { refusal: `${what}; --accept-outcomes writes it` };
  }
  const bodies = corrections.filter((one) => 'file' in one);
  const changed = new Map<string, string | Buffer>(bodies.map((one) => [`fixtures/${carrier}/${one.file}`, one.bytes]));
  const corrected = correctYaml(text, values);
  if (corrected !== text) changed.set(file, corrected);
  for (const [path, content] of changed) replaceFile(join(home, path), content);
  return { written: [...changed.keys()] };
};
