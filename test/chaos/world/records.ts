/** What the records say at the end, as far as the oracle asks. */
import type { Records } from '../oracle/evidence.ts';
import { asAdmin } from './postgres.ts';

const DISPATCHES = `
  select c.reference_number as reference, c.carrier_code as carrier, d.operation, d.state, d.failure, d.attempt
  from dispatches d join consignments c on c.id = d.consignment_id order by d.id`;
const CONSIGNMENTS = `
  select reference_number as reference, carrier_code as carrier, acceptance, status from consignments order by id`;
const EXCHANGES = `
  select c.reference_number as reference, e.carrier_code as carrier, e.operation, e.step, e.element, e.attempt, e.outcome
  from exchanges e join consignments c on c.id = e.consignment_id order by e.id`;
const EVENTS = `
  select e.body::json->'extraInfo'->>'comments' as id, e.match, c.reference_number as reference
  from events e left join consignments c on c.id = e.consignment_id order by e.id`;
const DELIVERIES = `
  select n.id as notice, n.event, n.body::json->'extraInfo'->>'comments' as "eventId", d.state,
    (select count(*)::int from delivery_attempts a where a.delivery_id = d.id and a.outcome not in ('lost', 'interrupted'))
      as tries,
    regexp_replace(s.url, '^.*/', '') as receiver
  from notices n left join deliveries d on d.notice_id = n.id left join subscriptions s on s.id = d.subscription_id
  order by n.consignment_id, n.sequence`;

export const readRecords = async (databaseUrl: string): Promise<Records> =>
  await asAdmin(databaseUrl, async (client) => {
    const rows = async <Row>(sql: string): Promise<readonly Row[]> => (await client.query(sql)).rows as Row[];
    return {
      consignments: await rows(CONSIGNMENTS),
      dispatches: await rows(DISPATCHES),
      exchanges: await rows(EXCHANGES),
      events: await rows(EVENTS),
      deliveries: await rows(DELIVERIES),
    };
  });

const UNDER_WAY = `
  select (select count(*)::int from dispatches where state in ('pending', 'sending', 'waiting')) as dispatches,
    (select count(*)::int from pushes where state = 'pending' or due_at < now() + interval '1 minute') as pushes,
    (select count(*)::int from deliveries where state in ('pending', 'sending', 'waiting')) as deliveries`;

/** What is not finished yet, by kind. */
export const countUnderWay = async (databaseUrl: string): Promise<Readonly<Record<string, number>>> =>
  await asAdmin(databaseUrl, async (client) => {
    const { rows } = await client.query<Record<string, number>>(UNDER_WAY);
    return rows[0] ?? {};
  });

/** Where secrets belong: sealed. */
const SEALED = new Set([
  'accounts.credentials',
  'calls.answer',
  'carrier_tokens.token',
  'carrier_tokens.refresh_token',
  'subscriptions.secret',
  'subscriptions.old_secret',
]);
const PAGE = 500;

/** All rows of all tables as text, a page at a time, without the sealed columns. */
export const dumpTables = async (databaseUrl: string, take: (table: string, text: string) => void): Promise<void> =>
  await asAdmin(databaseUrl, async (client) => {
    const { rows: columns } = await client.query<{ name: string; column: string; type: string }>(
      `select format('%I.%I', table_schema, table_name) as name, column_name as column, data_type as type
       from information_schema.columns where table_schema in ('public', 'bullmq') order by 1, ordinal_position`,
    );
    for (const [name, own] of Map.groupBy(columns, (column) => column.name)) {
      const shown = own.filter(({ column }) => !SEALED.has(`${name.replace(/^public\./, '')}.${column}`));
      const list = shown.map(({ column, type }) =>
        type === 'bytea' ? `encode("${column}", 'escape') as "${column}"` : `"${column}"::text as "${column}"`,
      );
      await client.query('begin');
      await client.query(`declare page no scroll cursor for select ${list.join(', ')} from ${name}`);
      for (;;) {
        const { rows } = await client.query<Record<string, string | null>>(`fetch ${PAGE} from page`);
        if (rows.length === 0) break;
        take(name, rows.map((row) => Object.values(row).join('\t')).join('\n'));
      }
      await client.query('rollback');
    }
  });
