/**
 * How long the console waits for what it asks with a long history in the records. Fails where a search or a story takes
 * longer than the limit. `npm run bench:console -- --help` shows the options.
 */
import { Command } from 'commander';
import { enter, KINDS, send } from './flow/entry.ts';
import { makeHistory } from './flow/history.ts';
import { ADMIN, startWaybill } from './flow/waybill.ts';
import { number, printTimes } from './options.ts';

const options = new Command('bench:console')
  .option('--consignments <number>', 'consignments in the records', number, 100_000)
  .option('--events <number>', 'status events in the records', number, 1_000_000)
  .option('--requests <number>', 'requests of each kind', number, 100)
  .option('--limit <ms>', 'p95 of searches and stories', number, 300)
  .parse()
  .opts<Readonly<Record<'consignments' | 'events' | 'requests' | 'limit', number>>>();

/** Consignments that the history repeats. */
const SAMPLE = 64;

await using running = new AsyncDisposableStack();
const form = {
  backend: 'postgres',
  carriers: 4,
  subscribers: 4,
  history: options.consignments,
  isProfiled: false,
} as const;
const entry = running.use(enter(await startWaybill(form)));
const { client } = entry.contender.records;
for (const kind of KINDS) await send(entry, kind, { count: SAMPLE, concurrency: 8 });
await makeHistory(client, options.consignments);

const count = async (table: string): Promise<number> =>
  Number((await client.query<{ count: string }>(`select count(*) from ${table}`)).rows[0]?.count);
const { rows: columns } = await client.query<{ name: string }>(
  `select column_name as name from information_schema.columns
   where table_schema = 'public' and table_name = 'events' and column_name <> 'id' and is_generated = 'NEVER'
   order by ordinal_position`,
);
const names = columns.map(({ name }) => name);
const before = await count('events');
const copies = Math.ceil(options.events / before) - 1;
await client.query(`set session_replication_role = replica`);
for (let copy = 1; copy <= copies; copy += 1)
  await client.query(
    `insert into events (${names.join(', ')})
     select ${names
       .map((name) => {
         if (name === 'identity') return `sha256(identity || '\\x01' || int4send(${copy}))`;
         return name === 'occurred_at' ? `occurred_at + ${copy} * interval '3 hours'` : name;
       })
       .join(', ')}
     from (select * from events order by id limit ${before}) first`,
  );
await client.query(`reset session_replication_role`);
await client.query('vacuum analyze');

const sampled = async (query: string): Promise<readonly string[]> =>
  (await client.query<{ value: string }>(`${query} order by random() limit ${options.requests}`)).rows.map(
    ({ value }) => value,
  );
const ids = await sampled('select id::text as value from consignments');
const references = await sampled('select reference_number as value from consignments');
const trackings = await sampled('select tracking_number as value from packages where tracking_number is not null');
const all = <Value>(value: Value): readonly Value[] => Array.from({ length: options.requests }, () => value);

/** What a person waits for; of the first ones the limit holds. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  'search by tracking number': trackings.map((one) => `/admin/consignments?number=${encodeURIComponent(one)}`),
  'search by reference number': references.map((one) => `/admin/consignments?number=${encodeURIComponent(one)}`),
  'search for nothing there': all('/admin/consignments?number=NOT-THERE'),
  'all consignments': all('/admin/consignments'),
  'of a carrier': all('/admin/consignments?carrier=flow1'),
  'of a shipper and status': all('/admin/consignments?shipper=shop1&status=Order+Picked+Up'),
  'of a status that few have': all('/admin/consignments?status=Lost'),
  'rejected ones': all('/admin/consignments?acceptance=rejected'),
  story: ids.map((id) => `/admin/consignments/${id}`),
  'explanation of a dispatch': all('').slice(0, 20),
  'activity of carriers': all('/admin/activity').slice(0, 20),
  deliveries: all('/admin/webhooks/deliveries').slice(0, 20),
  'unmapped statuses': all('/admin/statuses/unmapped').slice(0, 20),
  'audit log': all('/admin/audit').slice(0, 20),
};
const LIMITED = /^(?:search|story|all|of|rejected)/;

const dispatches = await sampled('select id::text as value from dispatches');
const [target] = entry.contender.trafficOf('dispatch').targets;
const origin = new URL(target?.url ?? '').origin;
const ask = async (path: string): Promise<number> => {
  const startedMs = performance.now();
  const response = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${ADMIN}` } });
  await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return performance.now() - startedMs;
};

console.log(`${await count('consignments')} consignments, ${await count('events')} events`);
let isSlow = false;
for (const [what, paths] of Object.entries(ASKED)) {
  const tookMs: number[] = [];
  for (const [at, path] of paths.entries())
    tookMs.push(await ask(path === '' ? `/admin/dispatches/${dispatches[at]}/explanation` : path));
  isSlow = printTimes(what, tookMs, LIMITED.test(what) ? options.limit : undefined) || isSlow;
}
if (isSlow) process.exitCode = 1;
