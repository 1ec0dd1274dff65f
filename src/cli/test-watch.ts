/** `waybill test --watch`: runs all once, then what each change touches, until Ctrl-C. */
import { existsSync, watch } from 'node:fs';
import { join, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { directoryCaseFiles } from '../workbench/cases/case-files.ts';
import { type Tested, watchedCases } from '../workbench/cases/test-carrier.ts';
import type { Terminal } from './command.ts';
import { showFinding } from './findings.ts';
import { chooseTested, homeOf, homesOf } from './home.ts';
import { showCarrier, showCounts, type ShowOptions } from './test-report.ts';

const FOLDERS = ['carriers', 'mappings', 'fixtures'];

/** An editor writes a file in several goes. */
const SETTLED_MS = 50;

export const watchCases = async (
  named: readonly string[],
  options: ShowOptions,
  terminal: Terminal,
): Promise<number> => {
  const home = homeOf(terminal);
  // While an editor replaces a profile, it is not there.
  const first = chooseTested(named, terminal);
  const codes = (): readonly string[] => (named.length > 0 ? first : chooseTested(named, terminal));
  const runCases = watchedCases({
    homes: homesOf(terminal),
    files: directoryCaseFiles(home),
    pack: options.pack !== false,
  });
  const changes = watchChanges(home);
  show(await runCases(first), options, terminal);
  terminal.out('watching; Ctrl-C ends\n');
  for (;;) {
    const rerun = await runCases(codes(), await changes.next());
    if (rerun.cases.length + rerun.pack.length + rerun.findings.length > 0) show(rerun, options, terminal);
  }
};

const show = ({ cases, pack, findings }: Tested, options: ShowOptions, terminal: Terminal): void => {
  const run = { carrier: '', hasCases: true, cases, pack, findings, accepted: [], refused: [] };
  terminal.out(
    `${showCarrier(run, options)}${findings.map((finding) => `${showFinding(finding)}\n`).join('')}${showCounts(run)}`,
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
