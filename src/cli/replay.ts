import { setImmediate } from 'node:timers/promises';
import { Option } from 'commander';
import { plainLine } from '../engine/text.ts';
import { type Broken, type Found, showPlace } from '../workbench/replay/payload.ts';
import type { Tally } from '../workbench/replay/tally.ts';
import { type AddCommand, type ExitCode, FINDINGS, GOOD, INTERRUPTED, Misuse, type Terminal } from './command.ts';
import { showNumber, startProgressBar } from './progress-bar.ts';

interface Options {
  readonly carrier?: string;
  readonly as?: string;
  readonly service?: string;
  readonly against: 'nobody' | 'simulator' | 'sandbox';
  readonly shipper?: string;
  readonly limit?: string;
  readonly json?: boolean;
}

export const addReplay: AddCommand = (program, terminal, ran) => {
  program
    .command('replay')
    .summary('run recorded payloads through a profile')
    .description(
      'Runs orders, consignments, carriers’ answers, status pushes, HAR files and cases through a profile, as the ' +
        'server would, and counts what comes of them. Nothing is sent unless --against says so, and never to production.',
    )
    .argument('<source...>', 'files, folders, or queries of what a server recorded: "pushes:carrier=acme since=7d"')
    .option('--carrier <code>', 'whose they are, where they do not say')
    .option('--as <what>', 'what they are, where their shape does not say: webhook, or <operation>[/<step>]')
    .option('--service <word>', 'the shipper’s word for the service of consignments')
    .addOption(
      new Option('--against <what>', 'who answers what is asked of the carrier: nobody but the recorded answers, ...')
        .choices(['nobody', 'simulator', 'sandbox'])
        .default('nobody'),
    )
    .option('--shipper <code>', 'whose sandbox account is used, with --against sandbox')
    .option('--limit <number>', `payloads at most; ${SANDBOX_LIMIT} against a sandbox unless said`)
    .option('--json', 'one JSON object a line: each payload, and at the end the summary')
    .action(async (sources: string[], options: Options) => {
      ran(await replay(sources, options, terminal));
    });
};

const replay = async (sources: readonly string[], options: Options, terminal: Terminal): Promise<ExitCode> => {
  const { openTraffic } = await import('./traffic.ts');
  const { findingsOfLoading, openCarriers } = await import('./carriers.ts');
  const { openLive } = await import('./live.ts');
  const { runPayload } = await import('../workbench/replay/run-payload.ts');
  const { isGood } = await import('../workbench/replay/observation.ts');
  const { startTally } = await import('../workbench/replay/tally.ts');
  const { Failure } = await import('../engine/failure.ts');

  const carriers = openCarriers(terminal, options.carrier);
  const limit = limitOf(options);
  const traffic = openTraffic(sources, options, terminal);
  const live = await openLive(options, 'replay', terminal);
  const counting = startTally();
  const progress = startProgressBar(terminal, 'payloads', Date.now);
  const broken: Broken[] = [];
  const startMs = Date.now();
  const running = { nowMs: startMs, service: options.service };
  let isInterrupted = false;
  let isOk = true;
  let turnMs = startMs;
  terminal.onInterrupt(() => {
    isInterrupted = true;
  });

  const tell = (line: Readonly<Record<string, unknown>>): void => {
    if (options.json === true) terminal.out(`${JSON.stringify(line)}\n`);
  };
  const noteBroken = (one: Broken): void => {
    counting.addBroken();
    if (broken.length < BROKEN_SHOWN) broken.push(one);
    tell({ at: showPlace(one.place), broken: one.why });
  };
  const runOne = async (found: Found): Promise<void> => {
    if ('broken' in found) return noteBroken(found.broken);
    const { payload } = found;
    try {
      const carrier = carriers.find(options.carrier ?? payload.carrier);
      const setting = await live.settingOf(carrier);
      const observations = await runPayload(payload, setting.carrier, { ...running, ...setting.running });
      counting.add(observations, payload.place);
      isOk &&= observations.every(isGood);
      tell({
        at: showPlace(payload.place),
        carrier: carrier.code,
        kind: payload.kind,
        observations: observations.map(withDeed),
      });
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      noteBroken({ place: payload.place, why: thrown.message });
    }
  };

  let count = 0;
  try {
    for await (const found of traffic.found) {
      await runOne(found);
      count += 1;
      // Mapping gives nobody else a turn, Ctrl-C neither.
      if (Date.now() - turnMs >= TURN_MS) {
        await setImmediate();
        turnMs = Date.now();
        progress.show(traffic.done(), traffic.total, count);
      }
      if (isInterrupted || count >= limit || !(await terminal.drained())) break;
    }
  } finally {
    progress.clear();
    await live.close();
  }
  const tally = counting.tally();
  isOk &&= tally.broken === 0;
  const tookMs = Date.now() - startMs;
  if (options.json === true)
    tell({
      summary: { ok: isOk, interrupted: isInterrupted, tookMs, ...tally, examples: tally.examples.map(withDeed) },
    });
  else terminal.out(showSummary(tally, { tookMs, isInterrupted, broken }));
  findingsOfLoading(carriers, terminal);
  return isInterrupted ? INTERRUPTED : isOk ? GOOD : FINDINGS;
};

/** As `--json` names it. */
const withDeed = ({ action, ...rest }: { readonly action: string }): unknown => ({
  deed: action,
  ...rest,
});

const SANDBOX_LIMIT = 20;

const limitOf = ({ limit, against }: Options): number => {
  if (limit === undefined) return against === 'sandbox' ? SANDBOX_LIMIT : Infinity;
  if (/^[1-9]\d{0,8}$/.test(limit)) return Number(limit);
  throw new Misuse('--limit must be a whole number from 1');
};

const TURN_MS = 50;
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
  const lines = [head];
  for (const [action, outcomes] of Object.entries(tally.outcomes)) {
    for (const [outcome, count] of byCount(outcomes)) lines.push(`  ${pad(count)}  ${action}: ${outcome}`);
  }
  if (Object.keys(tally.statuses).length > 0) lines.push('statuses');
  for (const [status, count] of byCount(tally.statuses)) lines.push(`  ${pad(count)}  ${status}`);
  for (const [code, count] of byCount(tally.unmapped)) lines.push(`  ${pad(count)}    no row for ${code}`);
  for (const { action, outcome, at, message } of tally.examples)
    lines.push(`${action}: ${outcome}`, `  ${at}  ${message}`);
  if (tally.warnings > 0) lines.push(`${showNumber(tally.warnings)} events with warnings (--json shows them)`);
  if (tally.broken > 0) lines.push(`${showNumber(tally.broken)} broken`);
  for (const { place, why } of broken) lines.push(`  ${showPlace(place)}  ${why}`);
  if (tally.broken > broken.length) lines.push(`  … and ${showNumber(tally.broken - broken.length)} more`);
  return `${lines.map(plainLine).join('\n')}\n`;
};

const pad = (count: number): string => showNumber(count).padStart(9);
const byCount = (counts: Readonly<Record<string, number>>): readonly (readonly [string, number])[] =>
  Object.entries(counts).sort(([, one], [, other]) => other - one);
