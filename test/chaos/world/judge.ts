/** Brings the oracle what a world left behind. */
import { readFileSync } from 'node:fs';
import { findLost } from '../oracle/accepted.ts';
import { findMisused } from '../oracle/credentials.ts';
import { findDoubled } from '../oracle/effects.ts';
import type { Evidence } from '../oracle/evidence.ts';
import { findUnfinished } from '../oracle/finished.ts';
import { findHung, findUnclean, findUntried } from '../oracle/answers.ts';
import { searchSecrets } from '../oracle/secrets.ts';
import { findUntold } from '../oracle/statuses.ts';
import { readJournal } from './journal.ts';
import { dumpTables, readRecords } from './records.ts';
import { dumpCommands } from './redis.ts';
import { WEBHOOK_RETRIES, type World } from './world.ts';

export interface Judged {
  readonly evidence: Evidence;
  readonly violations: readonly string[];
}

/** What clients have heard so far. */
export const answersOf = ({ journals }: World): Evidence['answers'] =>
  readJournal(journals.client) as Evidence['answers'];

/** I1 to I5, that something was done and nobody kept waiting, and that no process ended that nobody had killed. */
export const judge = async (world: World): Promise<Judged> => {
  const { journals, databaseUrl, webhookSecrets, planted, fleet, answerWithinMs } = world;
  const evidence: Evidence = {
    answers: answersOf(world),
    carriers: readJournal(journals.carriers) as Evidence['carriers'],
    receivers: readJournal(journals.receivers) as Evidence['receivers'],
    records: await readRecords(databaseUrl),
    webhookSecrets,
    planted,
    answerWithinMs,
    deliveryTries: WEBHOOK_RETRIES + 1,
  };
  const violations = [
    ...findLost(evidence),
    ...findUnfinished(evidence),
    ...findDoubled(evidence),
    ...findUntold(evidence),
    ...findUntried(evidence),
    ...findMisused(evidence),
    ...findHung(evidence),
    ...findUnclean(evidence),
    ...(await findLeaked(world, evidence)),
    ...fleet.crashes,
  ];
  return { evidence, violations };
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
export const figuresOf = ({ answers, carriers, receivers, records }: Evidence): Readonly<Record<string, number>> => ({
  dispatches: records.dispatches.length,
  held: records.dispatches.filter(({ state }) => state === 'held').length,
  'requests of clients': answers.length,
  'requests to carriers': carriers.filter(({ what }) => what === 'request').length,
  'status pushes': carriers.filter(({ what }) => what === 'push').length,
  'webhooks received': receivers.length,
});
