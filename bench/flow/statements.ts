/** How often PostgreSQL is asked for a unit; that does not depend on the machine, so it can be judged anywhere. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dose, type Entry, type Figures, KINDS, send } from './entry.ts';
import { configure } from './machine.ts';
import type { Kind } from './shippers.ts';

/** Most that a unit may take, by backend, kind, and dose (`alone`, `at 32`). */
export type Limits = Readonly<Record<string, Readonly<Record<Kind, Readonly<Record<string, Figures>>>>>>;

/** Calls by the text of a statement, and transactions. */
interface Tally {
  readonly calls: ReadonlyMap<string, number>;
  readonly transactions: number;
  readonly ms: number;
}

/** What is asked of PostgreSQL while nothing is to be done, for it is asked anyway. */
type Idle = Tally;

const IDLE_MS = 6_000;
/** How many transactions the log tells of, from this byte on. */
const transactionsIn = async (file: string, start: number): Promise<number> => {
  const found = new Set<string>();
  for await (const line of createInterface({ input: createReadStream(file, { start }) })) {
    const [, transaction, text = ''] = /^(\d+\/\d+) LOG: +(?:statement|execute [^:]*): (.*)$/.exec(line) ?? [];
    if (transaction !== undefined && !/pg_stat|pg_reload_conf|alter system/.test(text)) found.add(transaction);
  }
  return found.size;
};

const tallyDuring = async ({ contender }: Entry, act: () => Promise<unknown>): Promise<Tally> => {
  const { client, logFile } = contender.records;
  const { size } = await stat(logFile);
  await configure(contender.records, { log_statement: 'all' });
  const startMs = performance.now();
  await client.query('select pg_stat_statements_reset()');
  await act();
  const { rows } = await client.query<{ query: string; calls: string }>(
    `select query, sum(calls) as calls from pg_stat_statements where query not like '%pg_stat%' group by query`,
  );
  const ms = performance.now() - startMs;
  await configure(contender.records, { log_statement: 'none' });
  return {
    calls: new Map(rows.map(({ query, calls }) => [query, Number(calls)])),
    transactions: await transactionsIn(logFile, size),
    ms,
  };
};

export const measureIdle = async (entry: Entry): Promise<Idle> =>
  await tallyDuring(entry, async () => await sleep(IDLE_MS));

/** Statements and transactions a unit beyond what is asked anyway, and which ones. */
export const count = async (
  entry: Entry,
  kind: Kind,
  { idle, dose }: { readonly idle: Idle; readonly dose: Dose },
): Promise<{ readonly figures: Figures; readonly statements: ReadonlyMap<string, number> }> => {
  const { calls, transactions, ms } = await tallyDuring(entry, async () => await send(entry, kind, dose));
  const share = ms / idle.ms;
  const beyond = (all: number, anyway: number): number => Math.max(0, all - anyway * share) / dose.count;
  const statements = new Map(
    [...calls].map(([query, all]) => [query, beyond(all, idle.calls.get(query) ?? 0)] as const),
  );
  const sum = [...statements.values()].reduce((all, one) => all + one, 0);
  return {
    figures: { statements: sum, transactions: beyond(transactions, idle.transactions) },
    statements,
  };
};

/** The statements, those asked most often first. */
export const print = (title: string, statements: ReadonlyMap<string, number>): void => {
  console.log(`\n${title}`);
  for (const [query, calls] of [...statements].toSorted(([, a], [, b]) => b - a))
    if (calls >= 0.005) console.log(`${calls.toFixed(2).padStart(8)}  ${query.replaceAll(/\s+/g, ' ').slice(0, 150)}`);
};

/** Which figures are above their limits. */
export const breaches = (counted: Limits, limits: Limits): readonly string[] =>
  Object.entries(counted).flatMap(([backend, kinds]) =>
    KINDS.flatMap((kind) =>
      Object.entries(kinds[kind]).flatMap(([dose, figures]) =>
        Object.entries(figures).flatMap(([name, figure]) => {
          const limit = limits[backend.split(',')[0] ?? '']?.[kind][dose]?.[name];
          const where = `${backend}, ${kind} ${dose}: ${figure.toFixed(2)} ${name}`;
          if (limit === undefined) return [`${where}, which has no limit`];
          return figure > limit ? [`${where}, limit ${limit}`] : [];
        }),
      ),
    ),
  );
