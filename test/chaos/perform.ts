import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { messageOf } from '../../src/engine/failure.ts';
import type { Backend, Dose, Outcome, Scenario, ScenarioContext } from './scenario.ts';

export interface Row extends Outcome {
  readonly scenario: string;
  readonly backend: Backend;
  readonly seconds: number;
  readonly verdict: 'PASS' | 'RED' | 'SKIPPED';
  /** The command that repeats it. */
  readonly repeat: string;
}

const LIMIT_MINUTES: Readonly<Record<Dose, number>> = { small: 1, quick: 3, full: 60 };
/** What a row may take to clear up once its time is up. */
const CLEARING_MS = 20_000;

/** Runs one row to its end, or to the end of its time. What it throws is a violation, too. */
export const perform = async (
  scenario: Scenario,
  context: Omit<ScenarioContext, 'signal' | 'folder'>,
  repeat: string,
): Promise<Row> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waybill-chaos-'));
  const beganMs = performance.now();
  const ownMinutes = scenario.limitMinutes?.[context.dose] ?? LIMIT_MINUTES[context.dose];
  const limitMinutes = ownMinutes * context.patience + (context.sizes.minutes ?? 0);
  const up = new AbortController();
  const late = `not done within ${limitMinutes} min`;
  const { promise: stuck, resolve } = Promise.withResolvers<Outcome>();
  const timers = [
    setTimeout(() => up.abort(new Error(late)), limitMinutes * 60_000),
    setTimeout(() => resolve(failed('nor did it clear up')), limitMinutes * 60_000 + CLEARING_MS * context.patience),
  ];
  const ran = scenario
    .run({ ...context, folder, signal: up.signal })
    .catch((error: unknown) => failed(messageOf(error)));
  const outcome = await Promise.race([ran, stuck]);
  for (const timer of timers) clearTimeout(timer);
  if (process.env['CHAOS_KEEP'] !== undefined) context.log(`kept: ${folder}`);
  else await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  // What was cut short may have found nothing for that very reason.
  const violations = [...new Set([...(up.signal.aborted ? [late] : []), ...outcome.violations])];
  return {
    ...outcome,
    violations,
    scenario: scenario.name,
    backend: context.backend,
    seconds: Math.round((performance.now() - beganMs) / 100) / 10,
    verdict: violations.length > 0 ? 'RED' : outcome.skipped === undefined ? 'PASS' : 'SKIPPED',
    repeat,
  };
};

const failed = (violation: string): Outcome => ({ figures: {}, violations: [violation] });

const SHOWN = 20;

/** A row as it is printed. */
export const rowText = ({ scenario, backend, seconds, verdict, figures, violations, skipped, repeat }: Row): string =>
  [
    `${verdict.padEnd(8)}${scenario} on ${backend} (${seconds} s)`,
    ...Object.entries(figures).map(([name, value]) => `        ${name}: ${value}`),
    ...(skipped === undefined ? [] : [`        skipped: ${skipped}`]),
    ...violations.slice(0, SHOWN).map((violation) => `      ! ${violation}`),
    ...(violations.length > SHOWN ? [`      ! and ${violations.length - SHOWN} more`] : []),
    `        ${repeat}`,
  ].join('\n');
