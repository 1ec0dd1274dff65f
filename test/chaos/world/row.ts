/** What most rows have in common: their end, and what the oracle says of it. */
import { readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Evidence } from '../oracle/evidence.ts';
import { violationsOf } from '../oracle/rules.ts';
import { searchSecrets } from '../oracle/secrets.ts';
import type { Outcome, ScenarioContext } from '../scenario.ts';
import { countBy } from './call.ts';
import { readJournal } from './journal.ts';
import type { ClientAnswer } from './load.ts';
import { countUnderWay, dumpTables, readRecords } from './records.ts';
import { dumpCommands } from './redis.ts';
import { WEBHOOK_RETRIES, type World } from './world.ts';

interface End {
  readonly quietWithinS: number;
  /** When the last fault ended, as `performance.now()`. */
  readonly sinceMs?: number;
  readonly figures?: Outcome['figures'];
  readonly violations?: readonly string[];
}

/** Waits for quiet and asks the oracle; no process may have ended that nobody killed. */
export const conclude = async (
  world: World,
  context: ScenarioContext,
  { quietWithinS, sinceMs, figures = {}, violations = [] }: End,
): Promise<Outcome> => {
  context.log('waiting for quiet');
  const quiet = await untilQuiet(world, quietWithinS * context.patience, sinceMs);
  context.log(`quiet after ${quiet.afterS} s`);
  const evidence = await evidenceOf(world);
  const found = [...violationsOf(evidence), ...(await findLeaked(world, evidence)), ...world.fleet.crashes];
  return {
    figures: { ...figuresOf(evidence), ...figures, 'quiet after s': quiet.afterS },
    violations: [...violations, ...quiet.violations, ...found],
  };
};

/** As a figure. */
export const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, times]) => `${times} × ${name}`)
    .join(', ');

/** Answers between two moments (`Date.now()`), by status; 0: none came. */
export const countStatuses = (
  answers: readonly ClientAnswer[],
  fromMs = 0,
  toMs = Number.POSITIVE_INFINITY,
): Readonly<Record<number, number>> =>
  countBy(answers.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs).map(({ status }) => status));

const LOOK_EVERY_MS = 500;
/** For so long nothing may have been said by anybody: carriers repeat a push after two seconds at most. */
const STILL_MS = 3_000;

interface Quiet {
  /** Until the last thing happened. */
  readonly afterS: number;
  readonly violations: readonly string[];
}

/** Waits until the records have nothing under way and nobody says anything. */
const untilQuiet = async (world: World, limitS: number, beganMs = performance.now()): Promise<Quiet> => {
  const { journals, databaseUrl } = world;
  const sizes = (): string =>
    Object.values(journals)
      .map((file) => statSync(file).size)
      .join();
  let [lastSizes, lastChangeMs] = [sizes(), performance.now()];
  for (;;) {
    const underWay = await countUnderWay(databaseUrl).catch(() => ({ records: 1 }));
    const left = Object.entries(underWay).filter(([, count]) => count > 0);
    const nowMs = performance.now();
    if (sizes() !== lastSizes || left.length > 0) [lastSizes, lastChangeMs] = [sizes(), nowMs];
    const afterS = Math.round((lastChangeMs - beganMs) / 100) / 10;
    if (nowMs - lastChangeMs > STILL_MS) return { afterS, violations: [] };
    if (nowMs - beganMs > limitS * 1_000 + STILL_MS) {
      const what = left.map(([name, count]) => `${count} ${name}`).join(', ');
      return { afterS, violations: [`not quiet within ${limitS} s: ${what === '' ? 'somebody still sends' : what}`] };
    }
    await sleep(LOOK_EVERY_MS);
  }
};

/** What clients have heard so far. */
export const answersOf = ({ journals }: World): Evidence['answers'] =>
  readJournal(journals.client) as Evidence['answers'];

const evidenceOf = async (world: World): Promise<Evidence> => {
  const { journals, databaseUrl, webhookSecrets, planted, answerWithinMs } = world;
  return {
    answers: answersOf(world),
    carriers: readJournal(journals.carriers) as Evidence['carriers'],
    receivers: readJournal(journals.receivers) as Evidence['receivers'],
    records: await readRecords(databaseUrl),
    webhookSecrets,
    planted,
    answerWithinMs,
    deliveryTries: WEBHOOK_RETRIES + 1,
  };
};

const findLeaked = async (world: World, { answers, receivers }: Evidence): Promise<readonly string[]> => {
  const search = searchSecrets(world.planted);
  for (const file of world.fleet.logs) search.look('a server log', readFileSync(file, 'utf8'));
  for (const { operation, text } of answers) search.look(`the answer to a ${operation}`, text);
  for (const { body } of receivers) search.look('a webhook', body);
  for (const url of world.fleet.urls) {
    const response = await fetch(`${url}/metrics`).catch(() => undefined);
    search.look('the metrics', (await response?.text()) ?? '');
  }
  await dumpTables(world.databaseUrl, (table, text) => search.look(`the table ${table}`, text));
  const { redis } = world;
  if (redis === undefined) return search.violations();
  const bytes = await dumpCommands(redis.url, (text) => search.look('what Redis was told', text));
  return [...search.violations(), ...(bytes > 0 ? [] : ['nothing was kept of what Redis was told'])];
};

/** What a row tells of its load. */
const figuresOf = ({ answers, carriers, receivers, records }: Evidence): Readonly<Record<string, number>> => ({
  dispatches: records.dispatches.length,
  held: records.dispatches.filter(({ state }) => state === 'held').length,
  'requests of clients': answers.length,
  'requests to carriers': carriers.filter(({ what }) => what === 'request').length,
  'status pushes': carriers.filter(({ what }) => what === 'push').length,
  'webhooks received': receivers.length,
});
