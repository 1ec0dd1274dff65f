/** How PostgreSQL finds rows in large tables: each look must be ended by an index. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dose, type Entry, KINDS, send } from './entry.ts';
import { configure, type Records } from './machine.ts';

/** A node of a plan as PostgreSQL explains it after it ran; sums are averages of its loops but for filters and blocks. */
interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly Node[];
}

interface Explained {
  readonly 'Query Text': string;
  readonly Plan: Node;
}

/** Longer than anybody waits who looks for what nobody told of. */
const LOOKS_WITHIN_MS = 11_000;

const LARGE_ROWS = 5_000;
/** Rows that a statement may read beyond those that it finds, and how many in each of its looks: those of a consignment. */
const BESIDES_ROWS = 200;
const BESIDES_ROWS_A_LOOK = 5;
/** Pages that a look may touch: for each row and each loop as many as an index is deep, and some that others hold. */
const pagesFor = (rows: number, loops: number): number => 200 + 10 * (rows + loops);

const explainedIn = async (file: string, start: number): Promise<readonly Explained[]> => {
  const found: Explained[] = [];
  let text: string | undefined;
  const end = (): void => {
    if (text !== undefined) found.push(JSON.parse(text) as Explained);
    text = undefined;
  };
  for await (const line of createInterface({ input: createReadStream(file, { start }) })) {
    if (line.startsWith('\t')) {
      if (text !== undefined) text += line.slice(1);
    } else {
      end();
      if (/ LOG: +duration: .* plan:$/.test(line)) text = '';
    }
  }
  end();
  return found;
};

const blocksOf = (node: Node): number => (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0);

/** What this node, and those below, read without an index that ends the look. */
const readTooMuch = (node: Node, large: ReadonlySet<string>): readonly string[] => {
  const { Plans: below = [], 'Node Type': type, 'Relation Name': relation = '' } = node;
  const found = below.flatMap((one) => [...readTooMuch(one, large)]);
  if (!large.has(relation) || type === 'ModifyTable') return found;
  const loops = node['Actual Loops'] ?? 0;
  const rows = Math.round((node['Actual Rows'] ?? 0) * loops);
  const removed = ((node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)) * loops;
  // A month to come is empty.
  if (type === 'Seq Scan') return rows + removed === 0 ? found : [...found, `reads all of ${relation}`];
  const blocks =
    blocksOf(node) - below.reduce((sum, one) => sum + (one['Index Name'] === undefined ? blocksOf(one) : 0), 0);
  const by = `of ${relation} by ${node['Index Name'] ?? below.find((one) => one['Index Name'])?.['Index Name']}`;
  if (removed > Math.max(BESIDES_ROWS, BESIDES_ROWS_A_LOOK * loops))
    found.push(`reads ${removed} rows ${by} beyond the ${rows} it finds`);
  if (blocks > pagesFor(rows, loops))
    found.push(`touches ${blocks} pages ${by} to find ${rows} rows in ${loops} looks`);
  return found;
};

/** A table by months is as large as all its months. */
const largeTables = async ({ client }: Records): Promise<ReadonlySet<string>> => {
  const { rows } = await client.query<{ name: string }>(
    `select name from (
      select relname as name, sum(greatest(reltuples, 0)) over (partition by coalesce(inhparent, oid)) as rows
      from pg_class left join pg_inherits on inhrelid = oid
      where relkind = 'r' and relnamespace = 'public'::regnamespace) any_table
    where rows > ${LARGE_ROWS}`,
  );
  return new Set(rows.map(({ name }) => name));
};

/** Looks at all plans of a dose of each kind, and of what is looked for anyway; yields those that read too much. */
export const findWasteful = async (
  entry: Entry,
  doses: readonly Dose[],
): Promise<{ readonly plans: number; readonly tables: number; readonly wasteful: readonly string[] }> => {
  const { records } = entry.contender;
  const large = await largeTables(records);
  const { size } = await stat(records.logFile);
  await configure(records, { 'auto_explain.log_min_duration': '0' });
  for (const dose of doses) for (const kind of KINDS) await send(entry, kind, dose);
  await sleep(LOOKS_WITHIN_MS);
  await configure(records, { 'auto_explain.log_min_duration': '-1' });
  const explained = await explainedIn(records.logFile, size);
  const wasteful = explained.flatMap(({ Plan: plan, 'Query Text': text }) => {
    const query = text.replaceAll(/\s+/g, ' ').trim().slice(0, 200);
    return readTooMuch(plan, large).map((what) => ({ query, what }));
  });
  // One example of each.
  const examples = new Map(
    wasteful.map(({ query, what }) => [`${query}${what.replaceAll(/\d+/g, '')}`, `${what}: ${query}`]),
  );
  return { plans: explained.length, tables: large.size, wasteful: [...examples.values()] };
};
