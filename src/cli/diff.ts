import { setImmediate } from 'node:timers/promises';
import { join } from 'node:path';
import { Option } from 'commander';
import type { Carrier } from '../engine/profile/carrier.ts';
import type { Finding } from '../engine/profile/finding.ts';
import type { Grouping } from '../workbench/replay/difference-groups.ts';
import { type Found, showPlace } from '../workbench/replay/payload.ts';
import type { CarrierDifferences } from '../workbench/replay/show-differences.ts';
import {
  type AddCommand,
  type ExitCode,
  FINDINGS,
  GOOD,
  INTERRUPTED,
  Misuse,
  type Terminal,
  writeJson,
} from './command.ts';
import { startProgressBar } from './progress-bar.ts';
import type { Version } from './versions.ts';

interface Options {
  readonly from: string;
  readonly to: string;
  readonly traffic?: readonly string[];
  readonly as?: string;
  readonly service?: string;
  readonly format: 'text' | 'markdown';
  readonly json?: boolean;
}

export const addDiff: AddCommand = (program, terminal, ran) => {
  program
    .command('diff')
    .summary('what a change of profiles does to recorded traffic')
    .description(
      'Runs recorded traffic through two versions of carriers, and groups what changes by what it means. A version is ' +
        'a commit, "working tree", or the hash of a profile that a server keeps.',
    )
    .argument('[carrier...]', 'codes of carriers; all that differ unless some are named')
    .option('--from <version>', 'the one before', 'HEAD')
    .option('--to <version>', 'the one after', 'working tree')
    .option('--traffic <source...>', 'files, folders or queries, as replay takes them; the carriers’ cases unless said')
    .option('--as <what>', 'as for replay')
    .option('--service <word>', 'as for replay')
    .addOption(new Option('--format <format>', 'how it is told').choices(['text', 'markdown']).default('text'))
    .option('--json', 'one JSON object instead of text')
    .action(async (carriers: string[], options: Options) => {
      ran(await diff(carriers, options, terminal));
    });
};

interface Pair {
  readonly from: Carrier;
  readonly to: Carrier;
  readonly grouping: Grouping;
}

const diff = async (named: readonly string[], options: Options, terminal: Terminal): Promise<ExitCode> => {
  const { openVersion } = await import('./versions.ts');
  const { differencesAsMarkdown, differencesAsText } = await import('../workbench/replay/show-differences.ts');
  const [from, to] = [await openVersion(options.from, terminal), await openVersion(options.to, terminal)];
  const codes = await codesFor(named, from, to, terminal);
  const pairs = new Map<string, Pair>();
  const told = new Map<string, CarrierDifferences>();
  for (const code of codes) {
    const compared = await compareVersions(code, from, to);
    if ('grouping' in compared) pairs.set(code, compared);
    else if (named.length > 0 || compared.state !== 'same') told.set(code, compared);
  }
  const { broken, isInterrupted } = await runTraffic(pairs, named, options, terminal);
  const effects = codes.flatMap((code): CarrierDifferences[] => {
    const pair = pairs.get(code);
    if (pair !== undefined) return [comparedPair(code, pair)];
    const state = told.get(code);
    return state === undefined ? [] : [state];
  });
  const isSame = effects.every((one) => one.state === 'same' || (one.state === 'compared' && one.changed === 0));
  if (options.json === true) {
    writeJson(terminal, {
      ok: isSame,
      interrupted: isInterrupted,
      from: from.name,
      to: to.name,
      broken,
      carriers: effects.map(jsonOf),
    });
  } else {
    terminal.out(options.format === 'markdown' ? differencesAsMarkdown(effects) : differencesAsText(effects));
    if (broken > 0) terminal.error(`waybill: ${broken} payloads cannot be used: waybill replay tells why\n`);
    if (isInterrupted) terminal.error('waybill: interrupted: this is what was seen so far\n');
  }
  return isInterrupted ? INTERRUPTED : isSame ? GOOD : FINDINGS;
};

/** As `--json` has it. */
const jsonOf = (one: CarrierDifferences): unknown => {
  if (one.state !== 'compared') return one;
  const { differences, ...rest } = one;
  return { ...rest, effects: differences.map(({ action, ...group }) => ({ ...group, deed: action })) };
};

const codesFor = async (
  named: readonly string[],
  from: Version,
  to: Version,
  terminal: Terminal,
): Promise<readonly string[]> => {
  const { chooseCodes, homeOf } = await import('./home.ts');
  const isOne = from.codes.length === 1 || to.codes.length === 1;
  // A profile kept by its hash is one carrier's: the others have nothing to be compared with.
  const known = isOne
    ? from.codes.filter((code) => to.codes.includes(code))
    : [...new Set([...from.codes, ...to.codes])];
  if (known.length === 0 && isOne) throw new Misuse('the two versions have no carrier in common');
  return chooseCodes(named, known.toSorted(), homeOf(terminal));
};

const compareVersions = async (code: string, from: Version, to: Version): Promise<Pair | CarrierDifferences> => {
  const { startGrouping } = await import('../workbench/replay/difference-groups.ts');
  const [before, after] = [from.load(code), to.load(code)];
  if (before === undefined) return { carrier: code, state: 'new' };
  if (after === undefined) return { carrier: code, state: 'gone' };
  if (before.carrier !== undefined && after.carrier !== undefined) {
    if (before.carrier.hash === after.carrier.hash) return { carrier: code, state: 'same' };
    return { from: before.carrier, to: after.carrier, grouping: startGrouping() };
  }
  if (before.carrier === undefined && after.carrier === undefined) {
    const isSame = JSON.stringify(before.bundle) === JSON.stringify(after.bundle);
    return isSame
      ? { carrier: code, state: 'same' }
      : { carrier: code, state: 'broken', why: await whyOf(after.findings) };
  }
  return after.carrier === undefined
    ? { carrier: code, state: 'broken', why: await whyOf(after.findings) }
    : { carrier: code, state: 'mended', why: await whyOf(before.findings) };
};

const whyOf = async (findings: readonly Finding[]): Promise<string> => {
  const { formatFinding } = await import('../engine/profile/finding.ts');
  const [first] = findings.filter(({ severity }) => severity === 'error');
  return first === undefined ? 'it has errors' : formatFinding(first);
};

interface Ran {
  readonly broken: number;
  readonly isInterrupted: boolean;
}

const TURN_MS = 50;

/** Each payload through both versions of its carrier. */
const runTraffic = async (
  pairs: ReadonlyMap<string, Pair>,
  named: readonly string[],
  options: Options,
  terminal: Terminal,
): Promise<Ran> => {
  const { openTraffic } = await import('./traffic.ts');
  const { homeOf } = await import('./home.ts');
  const { sizeOfSource } = await import('../workbench/replay/read-source.ts');
  const cases = [...pairs.keys()].map((code) => join(homeOf(terminal), 'fixtures', code));
  const sources = options.traffic ?? cases.filter((folder) => sizeOfSource(folder) !== undefined);
  const traffic = openTraffic(sources, options, terminal);
  const progress = startProgressBar(terminal, 'payloads', Date.now);
  const only = named.length === 1 ? named[0] : undefined;
  let isInterrupted = false;
  let count = 0;
  let broken = 0;
  let turnMs = Date.now();
  if (pairs.size === 0) return { broken, isInterrupted };
  terminal.onInterrupt(() => {
    isInterrupted = true;
  });
  try {
    for await (const found of traffic.found) {
      if (!(await compareOne(found, pairs, only, options))) broken += 1;
      count += 1;
      if (Date.now() - turnMs >= TURN_MS) {
        await setImmediate();
        turnMs = Date.now();
        progress.show(traffic.done(), traffic.total, count);
      }
      if (isInterrupted) break;
    }
  } finally {
    progress.clear();
  }
  return { broken, isInterrupted };
};

/** False when it cannot be used. */
const compareOne = async (
  found: Found,
  pairs: ReadonlyMap<string, Pair>,
  only: string | undefined,
  { service }: Options,
): Promise<boolean> => {
  const { differencesOf } = await import('../workbench/replay/difference.ts');
  const { isUsable, tryPayload } = await import('../workbench/replay/run-payload.ts');
  if ('broken' in found) return false;
  const { payload } = found;
  const code = payload.carrier ?? only;
  if (code === undefined) return false;
  const pair = pairs.get(code);
  // Of a carrier that is the same, or was not asked for.
  if (pair === undefined) return true;
  const running = { nowMs: NOW_MS, service };
  const before = await tryPayload(payload, pair.from, running);
  const after = await tryPayload(payload, pair.to, running);
  if (!isUsable(before) && !isUsable(after)) return false;
  const actions = [...before, ...after].map(({ action }) => action);
  pair.grouping.add(showPlace(payload.place), actions, differencesOf(before, after));
  return true;
};

/** The same for both, and for all payloads that do not say when they were. */
const NOW_MS = Date.parse('2026-01-15T10:00:00Z');

const comparedPair = (carrier: string, { from, to, grouping }: Pair): CarrierDifferences => ({
  carrier,
  state: 'compared',
  from: from.hash,
  to: to.hash,
  payloads: grouping.payloads,
  changed: grouping.changed,
  differences: grouping.groups(),
});
