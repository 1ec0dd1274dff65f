/** A database that was filled before tables were kept by month. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findDelivery } from '../../../src/platform/records/delivery-log.ts';
import { erasePerson } from '../../../src/platform/records/erase.ts';
import { listExchanges } from '../../../src/platform/records/exchanges.ts';
import { migrate } from '../../../src/platform/records/migrate.ts';
import { addMonths } from '../../../src/platform/records/partitions.ts';
import { createPool } from '../../../src/platform/records/pool.ts';
import { forgetOlder } from '../../../src/platform/records/retain.ts';
import { createDatabase } from '../../support/database.ts';
import { quietLog } from '../../support/log.ts';
import { notify } from './world.ts';

const MIGRATIONS = resolve(import.meta.dirname, '../../../src/platform/records/migrations');
const MONTHS = '0005';

/** Two consignments with a row in every table, of a time long ago. */
const FILLED = `
  insert into shippers (code, name) values ('shop', 'Shop');
  insert into tokens (id, hash, kind, shipper_id, environment) values ('t', '', 'shipper', 1, 'production');
  insert into accounts (shipper_id, carrier_code, environment, credentials, settings) values (1, 'acme', 'production', '', '{}');
  insert into facilities (shipper_id, environment, code, details) values (1, 'production', 'F', '{}');
  insert into profile_versions (hash, carrier_code, bundle) values ('v1', 'acme', '{}');
  insert into consignments (shipper_id, environment, reference_number, order_number, consignment_number, consignment_type,
    order_types, carrier_code, account_id, order_text, canonical, acceptance, created_at)
  select 1, 'production', 'R' || n, 'O', 'C' || n, 'FORWARD', '{FORWARD}', 'acme', 1, '{}', '{}', 'accepted', '2026-01-05'
  from generate_series(1, 2) as n;
  insert into packages (consignment_id, position, reference, tracking_number) select id, 0, 'P', 'T' || id from consignments;
  insert into packages (consignment_id, position, reference) values (2, 1, 'P2');
  insert into identifiers (carrier_code, kind, value, consignment_id, position)
  select 'acme', 'Tracking', 'T' || id, id, 0 from consignments;
  insert into dispatches (consignment_id, operation, state, profile_hash, account_id, input)
  select id, 'create', 'done', 'v1', 1, '{}' from consignments;
  insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at)
  select id, 's', 0, 1, 'succeeded', '2026-01-05', '2026-01-05' from dispatches;
  insert into carrier_tokens (key) values ('k');
  insert into draws (dispatch_id, key, value) select id, 'd', 'v' from dispatches;
  insert into sequences (account_id, name, next) values (1, 'n', 7);
  insert into exchanges (at, carrier_code, environment, account_id, consignment_id, dispatch_id, profile_hash, operation, step,
    element, attempt, method, url, request_headers, request_body, duration_ms, outcome)
  select '2026-01-05', 'acme', 'production', 1, consignment_id, id, 'v1', 'create', 's', 0, 1, 'POST', 'https://a', '{}', 'x', 1,
    'ok' from dispatches;
  insert into pushes (carrier_code, account_id, source, environment, received_at, request, body, state)
  select 'acme', 1, 'contract', 'production', '2026-01-06', '{"method":"POST"}', convert_to('raw' || id, 'UTF8'), 'done' from consignments;
  insert into events (push_id, carrier_code, identity, match, consignment_id, position, status, carrier_status,
    carrier_sub_status, carrier_description, occurred_at, event_timezone, received_at, body)
  select id, 'acme', sha256(int8send(id)), 'matched', id, 0, 'In Transit', 'IT', '', '', '2026-01-06', 'UTC', '2026-01-06', '{}'
  from pushes;
  insert into labels (id, consignment_id, state) select 'label' || id, id, 'failed' from consignments;
  insert into subscriptions (id, shipper_id, environment, url, order_types, secret)
  values ('sub', 1, 'production', 'https://s', '{FORWARD}', '');
  insert into notices (id, consignment_id, sequence, event, body)
  select 'notice' || id, id, 1, 'consignment.in_transit', '{}' from consignments;
  update consignments set notice_sequence = 1;
  insert into deliveries (notice_id, subscription_id, state, attempts) select id, 'sub', 'delivered', 1 from notices;
  insert into delivery_attempts (delivery_id, attempt, at, duration_ms, outcome, message)
  select id, 1, '2026-01-06', 1, 'delivered', 'said' from deliveries;
  insert into redeliveries (shipper_id, environment, filter, matching, last) values (1, 'production', '{}', 0, 0);
  insert into idempotency_keys (shipper_id, environment, key, request_hash) values (1, 'production', 'i', '');
  insert into request_acts (shipper_id, environment, key, consignment_id) values (1, 'production', 'i', 1);
  insert into audit_log (actor, action, subject) values ('a', 'b', 'c');
  insert into shared_limits (name, state, ends_at) values ('l', '{}', '2100-01-01');
  insert into cut_short (try) values (gen_random_uuid());`;

let folder: string;
let database: Awaited<ReturnType<typeof createDatabase>>;
let pool: Pool;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-upgrade-'));
  database = await createDatabase({ empty: true });
  for (const name of await readdir(MIGRATIONS)) if (name < MONTHS) await cp(join(MIGRATIONS, name), join(folder, name));
  await migrate(database.databaseUrl, folder);
  pool = createPool({ databaseUrl: database.databaseUrl, log: quietLog });
  await pool.query(FILLED);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

/** All rows of all tables that are no partitions, without what is null: later versions add columns. */
const everything = async (): Promise<Readonly<Record<string, unknown>>> => {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
       and relnamespace = 'public'::regnamespace and relname <> 'schema_migration' order by relname`,
  );
  const found: Record<string, unknown> = {};
  for (const { name } of tables) {
    const { rows } = await pool.query(
      `select jsonb_strip_nulls(to_jsonb(t)) as row from ${name} t order by to_jsonb(t)::text`,
    );
    found[name] = rows;
  }
  return found;
};

it('the tables of before become partitions of the past, with every row as it was', async () => {
  const before = await everything();
  expect(Object.entries(before).filter(([, rows]) => (rows as unknown[]).length === 0)).toEqual([]);
  await migrate(database.databaseUrl, MIGRATIONS);
  await addMonths(pool, quietLog);
  const inUse = (name: string) =>
    (before[name] as { row: object }[]).map(({ row }) => ({ row: { ...row, state: 'active' } }));
  const consignments = before['consignments'] as { row: { id: number } }[];
  const since = {
    consignments: consignments.map(({ row }) => ({ row: row.id === 2 ? { ...row, lacks_numbers: true } : row })),
    accounts: inUse('accounts'),
    shippers: inUse('shippers'),
    assigned_numbers: [],
    slot_reservations: [],
    errands: [],
    plans: [],
    manifest_packages: [],
    manifest_documents: [],
    sessions: [],
  };
  expect(await everything()).toEqual({ ...before, ...since });
});

it('what is written from then on stands behind what was there', async () => {
  await pool.query(
    `insert into exchanges (carrier_code, environment, consignment_id, profile_hash, operation, step, element, attempt,
       method, url, request_headers, duration_ms, outcome)
     values ('acme', 'production', 1, 'v1', 'track', 's', 0, 1, 'GET', 'https://a', '{}', 1, 'ok')`,
  );
  const listed = await listExchanges(pool, { carrierCode: 'acme', limit: 10 });
  expect(listed.map(({ operation }) => operation)).toEqual(['track', 'create', 'create']);
  const [id] = await notify(pool, 1);
  const owner = { shipperId: 1, environment: 'production' } as const;
  expect(await findDelivery(pool, owner, id!)).toMatchObject({ state: 'pending', attempts: 0 });
  expect(await findDelivery(pool, owner, 1)).toMatchObject({ state: 'delivered', attempts: 1 });
});

it('a person is erased from the past and from now, and the past is dropped when all of it is old', async () => {
  const person = { shipperId: 1, environment: 'production', referenceNumber: 'R1' } as const;
  expect(await erasePerson(pool, person, { apply: true })).toMatchObject({ kind: 'erased', erased: { exchanges: 2 } });
  expect(await listExchanges(pool, { consignmentId: 1, limit: 10 })).toEqual([]);
  expect(await forgetOlder(pool, new Date(Date.now() + 1))).toMatchObject({
    exchanges: 1,
    deliveryAttempts: 2,
    pushes: 2,
  });
  const { rows } = await pool.query(`select relname from pg_class where relname like '%!_past' escape '!'`);
  expect(rows).toEqual([]);
});
