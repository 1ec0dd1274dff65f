/** A long past: what a few dispatches and pushes left in the records, many times over. */
import type { Client } from 'pg';

/** In the order in which they name each other, with what is not the same in two copies: by column, of row `s` in copy `k`. */
const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  consignments: {
    reference_number: `s.reference_number || '-' || k`,
    order_number: `s.order_number || '-' || k`,
    consignment_number: `s.consignment_number || '-' || k`,
  },
  packages: { tracking_number: `s.tracking_number || '-' || k` },
  identifiers: { value: `s.value || '-' || k` },
  dispatches: { seed: 'gen_random_uuid()' },
  calls: {},
  draws: {},
  exchanges: {},
  pushes: {},
  events: { identity: `sha256(s.identity || int4send(k))`, sought_value: `s.sought_value || '-' || k` },
  labels: { id: `s.id || '-' || k` },
  notices: { id: `s.id || '-' || k` },
  deliveries: { notice_id: `s.notice_id || '-' || k` },
  delivery_attempts: {},
};
const NAMES: Readonly<Record<string, string>> = {
  consignment_id: 'consignments',
  dispatch_id: 'dispatches',
  push_id: 'pushes',
  delivery_id: 'deliveries',
};
const DAYS = 400;
/** How long before now copy `k` of so many was written. */
const agoOf = (copies: number): string => `interval '${DAYS} days' * (${copies} - k + 1) / ${copies}`;
/** Ids of a month are this much apart. */
const MONTH_OF_IDS = 100_000_000_000;
/** Rows of a statement, roughly. */
const AT_ONCE = 50_000;

interface Column {
  readonly name: string;
  readonly type: string;
}

const number = async (client: Client, query: string): Promise<number> => {
  const { rows } = await client.query<{ number: string | null }>(`select (${query})::text as number`);
  return Number(rows[0]?.number ?? 0);
};

/** Months that were, in place of the past before there were months: it is empty. */
const addPastMonths = async (client: Client): Promise<void> => {
  await client.query(`do $$
    declare name text; month timestamptz;
    begin
      for name, month in
        select relname, m from pg_class,
          generate_series(date_trunc('month', now() - interval '${DAYS} days'), now() - interval '1 month', '1 month') as m
        where relkind = 'p' and relnamespace = 'public'::regnamespace
      loop
        execute format('drop table if exists %s_past', name);
        execute format('create table %1$s_%2$s partition of %1$s for values from (%3$s) to (%4$s)', name,
          to_char(month, 'YYMM'), history_from(month), history_from(month + interval '1 month'));
      end loop;
    end $$`);
};

/** Makes of the consignments that are there, all of them done, about so many. Nobody writes meanwhile. */
export const makeHistory = async (client: Client, consignments: number): Promise<void> => {
  const copies = Math.ceil(consignments / (await number(client, 'select count(*) from consignments')));
  const strides = new Map<string, number>();
  // What is there proves itself: what refers to it does so rightly in each copy, and nobody is told.
  await client.query(`set session_replication_role = replica`);
  await client.query(`set time zone 'UTC'`);
  await addPastMonths(client);
  /** Tables whose ids have a month: they share one sequence. */
  const monthly = new Set<string>();
  for (const table of Object.keys(TABLES)) {
    await client.query(`create temp table sample_${table} as select * from ${table}`);
    const numbered = async (how: string): Promise<boolean> =>
      (await number(
        client,
        `select count(*) from information_schema.columns where table_name = '${table}' and column_name = 'id' and ${how}`,
      )) > 0;
    const isMonthly = await numbered(`column_default = 'history_id()'`);
    if (!isMonthly && !(await numbered(`is_identity = 'YES'`))) continue;
    const [shared] = isMonthly ? monthly : [];
    if (shared !== undefined) strides.set(table, strides.get(shared) ?? 0);
    if (isMonthly) monthly.add(table);
    if (shared !== undefined) continue;
    const sequence = isMonthly ? `'history_ids'` : `pg_get_serial_sequence('${table}', 'id')`;
    // Whoever has numbers in store has lower ones.
    const last = await number(client, `select nextval(${sequence})`);
    strides.set(table, last);
    await client.query(`select setval(${sequence}, ${last * (copies + 1) + 1_000})`);
  }
  for (const [table, own] of Object.entries(TABLES)) {
    const { rows } = await client.query<Column>(
      `select column_name as name, data_type as type from information_schema.columns
      where table_name = '${table}' and table_schema = 'public' and is_generated = 'NEVER' order by ordinal_position`,
    );
    const valueOf = ({ name, type }: Column): string => {
      if (own[name] !== undefined) return own[name];
      const of = name === 'id' ? table : (NAMES[name] ?? '');
      const stride = strides.get(of);
      const first = monthly.has(of)
        ? `s.${name} % ${MONTH_OF_IDS} + history_from(now() - ${agoOf(copies)})`
        : `s.${name}`;
      if (stride !== undefined) return `${first} + k * ${stride}::bigint`;
      if (type === 'timestamp with time zone') return `s.${name} - ${agoOf(copies)}`;
      return `s.${name}`;
    };
    const size = Math.max(1, await number(client, `select count(*) from sample_${table}`));
    const step = Math.max(1, Math.floor(AT_ONCE / size));
    for (let first = 1; first <= copies; first += step)
      await client.query(
        `insert into ${table} (${rows.map(({ name }) => name).join(', ')}) overriding system value
        select ${rows.map(valueOf).join(', ')}
        from generate_series(${first}, ${Math.min(copies, first + step - 1)}) as k cross join sample_${table} s
        order by k`,
      );
    await client.query(`drop table sample_${table}`);
  }
  await client.query(`reset session_replication_role`);
  await client.query('vacuum analyze');
  await client.query('checkpoint');
};
