import { resolve } from 'node:path';
import { Option } from 'commander';
import { type Coverage, coverageOf } from '../workbench/cases/coverage.ts';
import { directoryCaseFiles } from '../workbench/cases/case-files.ts';
import { type CarrierRun, testCarrier } from '../workbench/cases/test-carrier.ts';
import { replaceFile } from '../workbench/write-files.ts';
import { type DeclareCommand, EXIT, Misuse, type Terminal, writeJson } from './command.ts';
import { chooseTested, homeOf, homesOf } from './home.ts';
import { createProgress } from './progress.ts';
import { junitReport } from './test-junit.ts';
import {
  jsonCoverage,
  jsonTest,
  type ShowOptions,
  showCarrier,
  showCoverage,
  showReport,
  showTest,
  summarise,
} from './test-report.ts';
import { testOnThreads, threadsFor } from './test-threads.ts';
import { watchCases } from './test-watch.ts';

interface Options extends ShowOptions {
  readonly format: (typeof FORMATS)[number];
  readonly json?: true;
  readonly junit?: string;
  readonly coverage?: true;
  readonly threshold?: string;
  readonly watch?: true;
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
    .option('--pack', 'show every scenario of the pack')
    .option('--no-pack', 'run the cases only')
    .option('--coverage', 'report fields, branches, rules and statuses that no case exercises')
    .option('--threshold <percent>', 'with --coverage: fail below this percentage')
    .option('--watch', 'keep running, and repeat what a changed file affects')
    .option('--accept', 'show the differences, and write the actual values into the cases')
    .option('--accept-config-errors', 'the same, including cases that end in config_error');
  act(command, async (named: string[], options: Options) => {
    terminal.endOnInterrupt();
    return await (options.watch === true ? watch : test)(named, options, terminal);
  });
};

const isAccepting = ({ accept, acceptConfigErrors }: Options): boolean =>
  accept === true || acceptConfigErrors === true;

const formatOf = ({ format, json }: Options): Options['format'] => (json === true ? 'json' : format);

const test = async (named: readonly string[], options: Options, terminal: Terminal): Promise<number> => {
  const format = formatOf(options);
  const least = thresholdOf(options);
  const show = (text: string): void => {
    if (format === 'pretty') terminal.out(text);
  };
  const runs = await runAll(named, options, terminal, show);
  const summary = summarise(runs, named);
  show(showTest(summary));
  const coverage = options.coverage === true ? await cover(runs, terminal) : undefined;
  for (const one of coverage ?? []) show(showCoverage(one));
  if (format === 'json') {
    writeJson(terminal, {
      ...jsonTest(summary),
      ...(coverage === undefined ? {} : { coverage: coverage.map(jsonCoverage) }),
    });
  }
  if (format === 'junit') terminal.out(junitReport(summary));
  if (options.junit !== undefined) write(options.junit, junitReport(summary), terminal);
  const isCovered = (coverage ?? []).every(
    ({ percent, missed }) => percent >= least && !missed.some(({ kind }) => kind === 'field'),
  );
  return summary.ok && isCovered ? EXIT.good : EXIT.findings;
};

/** The percentage that is asked for; 0 where none is. */
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

/** Shows each carrier as soon as it has run. */
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
    show(showCarrier(run, options));
    if (runs.length < codes.length) progress.show(`${runs.length} of ${codes.length} carriers`);
  };
  const pack = options.pack !== false;
  if (!isAccepting(options) && threadsFor(codes.length) > 1) {
    await testOnThreads(codes, { home, packageRoot: terminal.packageRoot, pack }, note);
    return runs;
  }
  const accept = isAccepting(options)
    ? {
        home,
        configErrors: options.acceptConfigErrors === true,
        onReport: (report: CarrierRun['cases'][number]) => show(showReport(report)),
      }
    : undefined;
  const testing = { homes: homesOf(terminal), files: directoryCaseFiles(home), pack };
  for (const code of codes) note(await testCarrier(code, testing, accept));
  return runs;
};

const watch = async (named: readonly string[], options: Options, terminal: Terminal): Promise<number> => {
  if (isAccepting(options) || options.junit !== undefined || formatOf(options) !== 'pretty') {
    throw new Misuse('--watch shows text and writes nothing: leave --accept, --format, --json and --junit away');
  }
  return await watchCases(named, options, terminal);
};
