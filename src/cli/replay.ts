import { Option } from 'commander';
import { Failure } from '../engine/failure.ts';
import { plainLine } from '../engine/text.ts';
import { isGood, startTally, type Tally } from '../workbench/replay/observation.ts';
import { type Broken, type Found, showPlace } from '../workbench/replay/payload.ts';
import { runPayload } from '../workbench/replay/run-payload.ts';
import { type DeclareCommand, EXIT, type JsonOption, type Terminal, wholeNumber } from './command.ts';
import { openCarriers } from './home.ts';
import { openLive } from './live.ts';
import { showNumber } from './progress.ts';
import { openTraffic, takeTraffic } from './traffic.ts';

interface Options extends JsonOption {
  readonly carrier?: string;
  readonly as?: string;
  readonly service?: string;
  readonly against: 'nobody' | 'simulator' | 'sandbox';
  readonly shipper?: string;
  readonly limit?: string;
}

const SANDBOX_LIMIT = 20;

export const declareCommand: DeclareCommand = (command, terminal, act) => {
  command
    .description(
      'Runs orders, consignments, carrier responses, status pushes, HAR files and cases through a profile with the ' +
        'server’s engine, and counts the results. Nothing is sent without --against, and never to production.',
    )
    .argument('<source...>', 'files, folders, or queries of a server’s records: "pushes:carrier=acme since=7d"')
    .option('--carrier <code>', 'carrier of payloads that do not name one')
    .option('--as <what>', 'type of payloads that cannot be recognised: webhook, or <operation>[/<step>]')
    .option('--service <word>', 'service of consignments, as the shipper names it')
    .addOption(
      new Option('--against <what>', 'where requests are sent (nobody: use recorded responses only)')
        .choices(['nobody', 'simulator', 'sandbox'])
        .default('nobody'),
    )
    .option('--shipper <code>', 'with --against sandbox: shipper whose account is used')
    .option('--limit <number>', `maximum number of payloads to run; default with --against sandbox: ${SANDBOX_LIMIT}`)
    .option('--json', 'JSON lines: one for each payload, then the summary');
  act(command, async (sources: string[], options: Options) => await replay(sources, options, terminal));
};

const replay = async (sources: readonly string[], options: Options, terminal: Terminal): Promise<number> => {
  const carriers = openCarriers(terminal, options.carrier);
  const limit = limitOf(options);
  const traffic = openTraffic(sources, options, terminal);
  const live = await openLive(options, 'replay', terminal);
  const counting = startTally();
  const broken: Broken[] = [];
  const startMs = Date.now();
  const running = { nowMs: startMs, service: options.service };
  let isOk = true;

  const writeLine = (line: Readonly<Record<string, unknown>>): void => {
    if (options.json === true) terminal.out(`${JSON.stringify(line)}\n`);
  };
  const noteBroken = (one: Broken): void => {
    counting.addBroken();
    if (broken.length < BROKEN_SHOWN) broken.push(one);
    writeLine({ at: showPlace(one.place), broken: one.why });
  };
  const runOne = async (found: Found): Promise<void> => {
    if ('broken' in found) return noteBroken(found.broken);
    const { payload } = found;
    const { place, kind } = payload;
    try {
      const carrier = carriers.find(options.carrier ?? payload.carrier);
      const setting = await live.settingOf(carrier);
      const observations = await runPayload(payload, setting.carrier, { ...running, ...setting.running });
      counting.add(observations, place);
      isOk &&= observations.every(isGood);
      writeLine({ at: showPlace(place), carrier: carrier.code, kind, observations: observations.map(withDeed) });
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      noteBroken({ place, why: thrown.message });
    }
  };

  let isInterrupted: boolean;
  try {
    isInterrupted = await takeTraffic(traffic, terminal, async (found, count) => {
      await runOne(found);
      return count >= limit || !(await terminal.drained()) ? 'enough' : 'go on';
    });
  } finally {
    await live.close();
  }
  const tally = counting.tally();
  isOk &&= tally.broken === 0;
  const tookMs = Date.now() - startMs;
  if (options.json === true) {
    const examples = tally.examples.map(withDeed);
    writeLine({ summary: { ok: isOk, interrupted: isInterrupted, tookMs, ...tally, examples } });
  } else terminal.out(showSummary(tally, { tookMs, isInterrupted, broken }));
  carriers.showFindings();
  return isInterrupted ? EXIT.interrupted : isOk ? EXIT.good : EXIT.findings;
};

/** As `--json` names it. */
const withDeed = ({ action, ...rest }: { readonly action: string }): unknown => ({ deed: action, ...rest });

const limitOf = ({ limit, against }: Options): number => {
  if (limit === undefined) return against === 'sandbox' ? SANDBOX_LIMIT : Infinity;
  return wholeNumber(limit, 9, '--limit must be a whole number from 1');
};

const BROKEN_SHOWN = 20;

interface About {
  readonly tookMs: number;
  readonly isInterrupted: boolean;
  readonly broken: readonly Broken[];
}

const showSummary = (tally: Tally, { tookMs, isInterrupted, broken }: About): string => {
  const rate = tookMs > 0 ? ` (${showNumber(Math.round((tally.payloads / tookMs) * 1_000))}/s)` : '';
  const seconds = (tookMs / 1_000).toFixed(1);
  const head = `${isInterrupted ? 'interrupted: ' : ''}${showNumber(tally.payloads)} payloads in ${seconds} s${rate}`;
  const lines = [
    head,
    ...Object.entries(tally.outcomes).flatMap(([action, outcomes]) => counted(outcomes, `  ${action}: `)),
    ...(Object.keys(tally.statuses).length > 0 ? ['statuses'] : []),
    ...counted(tally.statuses, '  '),
    ...counted(tally.unmapped, '    no row for '),
    ...tally.examples.flatMap(({ action, outcome, at, message }) => [`${action}: ${outcome}`, `  ${at}  ${message}`]),
    ...(tally.warnings > 0 ? [`${showNumber(tally.warnings)} events with warnings (--json shows them)`] : []),
    ...(tally.broken > 0 ? [`${showNumber(tally.broken)} broken`] : []),
    ...broken.map(({ place, why }) => `  ${showPlace(place)}  ${why}`),
    ...(tally.broken > broken.length ? [`  … and ${showNumber(tally.broken - broken.length)} more`] : []),
  ];
  return `${lines.map(plainLine).join('\n')}\n`;
};

/** Those that are counted most first. */
const counted = (counts: Readonly<Record<string, number>>, label: string): readonly string[] =>
  Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `  ${showNumber(count).padStart(9)}${label}${name}`);
