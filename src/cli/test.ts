import { join, resolve, sep } from 'node:path';
import { Option } from 'commander';
import { type Coverage, coverageOf } from '../workbench/cases/coverage.ts';
import { directoryCaseFiles } from '../workbench/cases/read.ts';
import {
  type CarrierRun,
  casesNamed,
  testCarrier,
  type Tested,
  watchedCases,
} from '../workbench/cases/test-carrier.ts';
import { replaceFile } from '../workbench/write-files.ts';
import { type DeclareCommand, EXIT, Misuse, type Terminal, writeJson } from './command.ts';
import { chooseTested, homeOf, homesOf } from './home.ts';
import { createProgress } from './progress.ts';
import * as report from './test-report.ts';
import { testOnThreads, threadsFor } from './test-threads.ts';
import { existsSync, watch } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { showFinding } from './findings.ts';

interface Options extends report.ShowOptions {
  readonly format: (typeof FORMATS)[number];
  readonly json?: true;
  readonly junit?: string;
  readonly coverage?: true;
  readonly threshold?: string;
  readonly watch?: true;
  readonly case?: string;
}

const FORMATS = ['pretty', 'json', 'junit'] as const;

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Runs the cases in fixtures/<carrier>/ and the built-in scenario pack (default: for all carriers). ' +
        'No network is used.',
    )
    .argument('[carrier...]', 'carrier codes')
    .addOption(new Option('--format <format>', 'output format').choices(FORMATS).default('pretty'))
    .option('--json', 'the same as --format json')
    .option('--junit <file>', 'also write a JUnit report')
    .option('-t, --case <case>', 'only cases with this in their file name or title, without the pack')
    .option('--pack', 'show every scenario of the pack')
    .option('--no-pack', 'run the cases only')
    .option('--coverage', 'report fields, branches, rules and statuses that no case exercises')
    .option('--threshold <percent>', 'with --coverage: fail below this percentage')
    .option('--watch', 'keep running, and repeat what a changed file affects')
    .option('--accept', 'show the differences, and write the actual values into the cases')
    .option('--accept-outcomes', 'the same, without a question where a step ends in another outcome')
    .option('--accept-config-errors', 'the same, including cases that end in config_error');
  act(command, async (named: string[], options: Options) => {
    terminal.endOnInterrupt();
    return await (options.watch === true ? watchCases : test)(named, options, terminal);
  });
};

const formatOf = ({ format, json }: Options): Options['format'] => (json === true ? 'json' : format);

const test = async (named: readonly string[], options: Options, terminal: Terminal): Promise<number> => {
  const format = formatOf(options);
  const least = thresholdOf(options);
  const show = (text: string): void => {
    if (format === 'pretty') terminal.out(text);
  };
  const runs = await runAll(named, options, terminal, show);
  const summary = report.summarise(runs, named);
  show(report.showTest(summary));
  const coverage = options.coverage === true ? await cover(runs, terminal) : undefined;
  for (const one of coverage ?? []) show(report.showCoverage(one));
  if (format === 'json') {
    writeJson(terminal, {
      ...report.jsonTest(summary),
      ...(coverage === undefined ? {} : { coverage: coverage.map(report.jsonCoverage) }),
    });
  }
  if (format === 'junit') terminal.out(report.junitReport(summary));
  if (options.junit !== undefined) write(options.junit, report.junitReport(summary), terminal);
  const isCovered = (coverage ?? []).every(
    ({ percent, missed }) => percent >= least && !missed.some(({ kind }) => kind === 'field'),
  );
  return summary.ok && isCovered ? EXIT.good : EXIT.findings;
};

const thresholdOf = ({ threshold, coverage }: Options): number => {
  if (threshold === undefined) return 0;
  const percent = Number(threshold);
  if (coverage !== true) throw new Misuse('--threshold goes with --coverage');
  if (/^\d{1,3}(?:\.\d+)?$/.test(threshold) && percent <= 100) return percent;
  throw new Misuse(`--threshold is a percentage from 0 to 100, not "${threshold}"`);
};

/** Once more, on an engine that watches: what it costs is nobody else's. */
const cover = async (runs: readonly CarrierRun[], terminal: Terminal): Promise<readonly Coverage[]> => {
  const files = directoryCaseFiles(homeOf(terminal));
  const covered: Coverage[] = [];
  for (const { carrier, hasCases } of runs) {
    const coverage = hasCases ? await coverageOf(carrier, homesOf(terminal), files) : undefined;
    if (coverage !== undefined) covered.push(coverage);
  }
  return covered;
};

const write = (file: string, text: string, { cwd }: Terminal): void => {
  try {
    replaceFile(resolve(cwd, file), text);
  } catch (thrown) {
    if (!(thrown instanceof Error && 'syscall' in thrown)) throw thrown;
    throw new Misuse(`${file} cannot be written: ${thrown.message}`);
  }
};

const runAll = async (
  named: readonly string[],
  options: Options,
  terminal: Terminal,
  show: (text: string) => void,
): Promise<readonly CarrierRun[]> => {
  const codes = chooseTested(named, terminal);
  const home = homeOf(terminal);
  const progress = createProgress(terminal);
  const runs: CarrierRun[] = [];
  const note = (run: CarrierRun): void => {
    runs.push(run);
    progress.clear();
    show(report.showCarrier(run, options));
    if (runs.length < codes.length) progress.show(`${runs.length} of ${codes.length} carriers`);
  };
  const only = options.case;
  const pack = options.pack !== false && only === undefined;
  if (only === undefined && !report.isAccepting(options) && threadsFor(codes.length) > 1) {
    await testOnThreads(codes, { home, packageRoot: terminal.packageRoot, pack }, note);
    return runs;
  }
  const accept = report.isAccepting(options)
    ? {
        home,
        configErrors: options.acceptConfigErrors === true,
        mayChangeOutcome: async (what: string) =>
          options.acceptOutcomes === true || /^y/i.test((await terminal.ask?.(`${what}. Write it? [y/N] `)) ?? ''),
        onReport: (one: CarrierRun['cases'][number]) => show(report.showReport(one)),
      }
    : undefined;
  const testing = { homes: homesOf(terminal), files: directoryCaseFiles(home), pack, only };
  if (codes.every((code) => casesNamed(code, testing).length === 0) && only !== undefined) {
    throw new Misuse(`there is no case with "${only}" in its file name or title`);
  }
  for (const code of codes) note(await testCarrier(code, testing, accept));
  return runs;
};

// Watching ------------------------------------------------------------------------------------------------------------

const FOLDERS = ['carriers', 'mappings', 'fixtures'];

/** An editor writes a file in several goes. */
const SETTLED_MS = 50;

/** Runs all once, then what each change touches, until Ctrl-C. */
const watchCases = async (named: readonly string[], options: Options, terminal: Terminal): Promise<number> => {
  if (report.isAccepting(options) || options.junit !== undefined || formatOf(options) !== 'pretty') {
    throw new Misuse('--watch shows text and writes nothing: leave --accept, --format, --json and --junit away');
  }
  const home = homeOf(terminal);
  // While an editor replaces a profile, it is not there.
  const first = chooseTested(named, terminal);
  const codes = (): readonly string[] => (named.length > 0 ? first : chooseTested(named, terminal));
  const runCases = watchedCases({
    homes: homesOf(terminal),
    files: directoryCaseFiles(home),
    pack: options.pack !== false && options.case === undefined,
    only: options.case,
  });
  const changes = watchChanges(home);
  show(await runCases(first), options, terminal);
  terminal.out('watching; Ctrl-C ends\n');
  for (;;) {
    const rerun = await runCases(codes(), await changes.next());
    if (rerun.cases.length + rerun.pack.length + rerun.findings.length > 0) show(rerun, options, terminal);
  }
};

const show = ({ cases, pack, findings }: Tested, options: report.ShowOptions, terminal: Terminal): void => {
  const run = { carrier: '', hasCases: true, cases, pack, findings, accepted: [], refused: [] };
  terminal.out(
    `${report.showCarrier(run, options)}${findings.map((finding) => `${showFinding(finding)}\n`).join('')}${report.showCounts(run)}`,
  );
};

/** The files below a home that change, from now on, gathered while they are being written. */
const watchChanges = (home: string): { next(): Promise<ReadonlySet<string>> } => {
  let changed = new Set<string>();
  let wake = Promise.withResolvers<void>();
  for (const folder of FOLDERS.filter((name) => existsSync(join(home, name)))) {
    watch(join(home, folder), { recursive: true }, (_event, name) => {
      if (name === null) return;
      changed.add(`${folder}/${name.split(sep).join('/')}`);
      wake.resolve();
    });
  }
  return {
    next: async () => {
      await wake.promise;
      await setTimeout(SETTLED_MS);
      wake = Promise.withResolvers();
      const settled = changed;
      changed = new Set();
      return settled;
    },
  };
};
