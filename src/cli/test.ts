import type { Coverage } from '../workbench/cases/coverage.ts';
import type { CarrierRun } from '../workbench/cases/test-carrier.ts';
import { type AddCommand, type ExitCode, FINDINGS, GOOD, Misuse, type Terminal, writeJson } from './command.ts';

export interface TestOptions {
  readonly format: string;
  readonly json?: true;
  readonly junit?: string;
  /** `true` unless one of `--pack` and `--no-pack` is given: then run, and told in short. */
  readonly pack?: boolean;
  readonly coverage?: true;
  readonly threshold?: string;
  readonly watch?: true;
  readonly accept?: true;
  readonly acceptConfigErrors?: true;
}

const FORMATS = ['pretty', 'json', 'junit'] as const;
type Format = (typeof FORMATS)[number];

export const addTest: AddCommand = (program, terminal, ran) => {
  program
    .command('test')
    .summary('run cases, and the platform’s own pack')
    .description(
      'Runs the cases in fixtures/<carrier>/ and the platform’s own pack, of all carriers unless some are named. ' +
        'No network is used.',
    )
    .argument('[carrier...]', 'codes of carriers')
    .option('--format <format>', FORMATS.join(', '), 'pretty')
    .option('--json', 'the same as --format json')
    .option('--junit <file>', 'write a JUnit report there, beside what is printed')
    .option('--pack', 'show each scenario of the pack')
    .option('--no-pack', 'run the cases only')
    .option('--coverage', 'tell what of the contract and the profile no case comes by')
    .option('--threshold <percent>', 'with --coverage: less is a finding')
    .option('--watch', 'stay, and run again what a changed file touches; Ctrl-C ends it')
    .option('--accept', 'write what was seen into the cases, after showing the differences')
    .option('--accept-config-errors', 'the same, also where a step turned out to end in config_error')
    .action(async (carriers: string[], options: TestOptions) => {
      terminal.endOnInterrupt();
      ran(await (options.watch === true ? watch : test)(carriers, options, terminal));
    });
};

const isAccepting = ({ accept, acceptConfigErrors }: TestOptions): boolean =>
  accept === true || acceptConfigErrors === true;

const formatOf = ({ format, json }: TestOptions): Format => {
  const known = FORMATS.find((each) => each === format);
  if (known === undefined) throw new Misuse(`there is no format "${format}": it is one of ${FORMATS.join(', ')}`);
  return json === true ? 'json' : known;
};

const test = async (named: readonly string[], options: TestOptions, terminal: Terminal): Promise<ExitCode> => {
  const format = formatOf(options);
  const least = thresholdOf(options);
  const { jsonTest, showCarrier, showTest, summarise } = await import('./show-test.ts');
  const show = (text: string): void => {
    if (format === 'pretty') terminal.out(text);
  };
  const runs = await runAll(named, options, { terminal, show, done: (run) => show(showCarrier(run, options)) });
  const summary = summarise(runs, named);
  show(showTest(summary));
  const coverage = options.coverage === true ? await cover(runs, terminal) : [];
  const { jsonCoverage, showCoverage } = await import('./show-coverage.ts');
  for (const one of coverage) show(showCoverage(one));
  if (format === 'json') {
    writeJson(terminal, {
      ...jsonTest(summary),
      ...(options.coverage === true ? { coverage: coverage.map(jsonCoverage) } : {}),
    });
  }
  if (format === 'junit' || options.junit !== undefined) {
    const { showJunit } = await import('./show-junit.ts');
    const report = showJunit(summary);
    if (format === 'junit') terminal.out(report);
    if (options.junit !== undefined) await write(options.junit, report, terminal);
  }
  const isCovered = coverage.every(
    ({ percent, missed }) => percent >= least && !missed.some(({ kind }) => kind === 'field'),
  );
  return summary.ok && isCovered ? GOOD : FINDINGS;
};

/** The percentage that is asked for; 0 where none is. */
const thresholdOf = ({ threshold, coverage }: TestOptions): number => {
  if (threshold === undefined) return 0;
  const percent = Number(threshold);
  if (coverage !== true) throw new Misuse('--threshold goes with --coverage');
  if (/^\d{1,3}(?:\.\d+)?$/.test(threshold) && percent <= 100) return percent;
  throw new Misuse(`--threshold is a percentage from 0 to 100, not "${threshold}"`);
};

/** Once more, on an engine that watches: what it costs is nobody else's. */
const cover = async (runs: readonly CarrierRun[], terminal: Terminal): Promise<readonly Coverage[]> => {
  const { coverageOf } = await import('../workbench/cases/coverage.ts');
  const { directoryCaseFiles } = await import('../workbench/cases/case-files.ts');
  const { homeOf, homesOf } = await import('./home.ts');
  const files = directoryCaseFiles(homeOf(terminal));
  const covered: Coverage[] = [];
  for (const { carrier, hasCases } of runs) {
    const coverage = hasCases ? await coverageOf(carrier, homesOf(terminal), files) : undefined;
    if (coverage !== undefined) covered.push(coverage);
  }
  return covered;
};

const write = async (file: string, text: string, { cwd }: Terminal): Promise<void> => {
  const { resolve } = await import('node:path');
  const { replaceFile } = await import('../workbench/write-files.ts');
  try {
    replaceFile(resolve(cwd, file), text);
  } catch (thrown) {
    if (!(thrown instanceof Error && 'syscall' in thrown)) throw thrown;
    throw new Misuse(`${file} cannot be written: ${thrown.message}`);
  }
};

interface Telling {
  readonly terminal: Terminal;
  readonly show: (text: string) => void;
  readonly done: (run: CarrierRun) => void;
}

const runAll = async (
  named: readonly string[],
  options: TestOptions,
  { terminal, show, done }: Telling,
): Promise<readonly CarrierRun[]> => {
  const { homeOf, homesOf } = await import('./home.ts');
  const { chooseTested } = await import('./tested-carriers.ts');
  const { createProgress } = await import('./progress.ts');
  const { testOnThreads, threadsFor } = await import('./test-threads.ts');
  const codes = chooseTested(named, terminal);
  const home = homeOf(terminal);
  const progress = createProgress(terminal);
  const runs: CarrierRun[] = [];
  const note = (run: CarrierRun): void => {
    runs.push(run);
    progress.clear();
    done(run);
    if (runs.length < codes.length) progress.show(`${runs.length} of ${codes.length} carriers`);
  };
  const pack = options.pack !== false;
  if (!isAccepting(options) && threadsFor(codes.length) > 1) {
    await testOnThreads(codes, { home, packageRoot: terminal.packageRoot, pack }, note);
    return runs;
  }
  const { directoryCaseFiles } = await import('../workbench/cases/case-files.ts');
  const { testCarrier } = await import('../workbench/cases/test-carrier.ts');
  const { showReport } = await import('./show-report.ts');
  const accept = isAccepting(options)
    ? {
        home,
        configErrors: options.acceptConfigErrors === true,
        tell: (report: CarrierRun['cases'][number]) => show(showReport(report)),
      }
    : undefined;
  const testing = { homes: homesOf(terminal), files: directoryCaseFiles(home), pack, accept };
  for (const code of codes) note(await testCarrier(code, testing));
  return runs;
};

const watch = async (named: readonly string[], options: TestOptions, terminal: Terminal): Promise<ExitCode> => {
  if (isAccepting(options) || options.junit !== undefined || formatOf(options) !== 'pretty') {
    throw new Misuse('--watch shows text and writes nothing: leave --accept, --format, --json and --junit away');
  }
  const { watchCases } = await import('./watch-cases.ts');
  return await watchCases(named, options, terminal);
};
