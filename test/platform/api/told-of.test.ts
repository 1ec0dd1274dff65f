/** Nothing goes wrong in silence: what in the records is not well has a route, a metric and a line of the log that tell of it. */
import { globSync, readFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/platform/processes/metrics.ts';
import { type AlertCode, ALERTS } from '../../../src/platform/records/alert.ts';
import { PROJECT, read } from '../../support/project.ts';
import { apiWorld } from './world.ts';

interface Told {
  /** Lists what is so; of `/v2`, to the shipper that it concerns. */
  readonly route: string;
  /** Of what the route lists, where that is more. */
  readonly among?: (entry: { readonly state: string }) => boolean;
  /** Is more with one more that is so; `counted`: as it comes to be so, by a process. */
  readonly metric: string | { readonly counted: string };
  readonly alert: AlertCode;
  /** Makes the world's consignment, dispatch, label, push or event so. */
  readonly make: string;
}

const HELD = `update dispatches set state = 'held', finished_at = now(),
  failure = '{"why":"unknown_outcome","problem":{"code":"timeout","messages":["no answer"]}}'`;
const held: Told = {
  route: '/admin/dispatches/held',
  metric: 'waybill_dispatches_held',
  alert: 'dispatch_held',
  make: HELD,
};
const login: Told = {
  route: '/admin/logins/refused',
  metric: 'waybill_logins_refused',
  alert: 'login_failed',
  make: `insert into carrier_tokens (key, fetched_at, refused)
    select concat_ws('/', carrier_code, id, environment, version, 'main'), now(), '{"problem":{"code":"refused","messages":[]}}'
    from accounts where carrier_code = 'acme'`,
};
const label: Told = {
  route: '/admin/labels/failed',
  metric: 'waybill_labels_failed',
  alert: 'label_failed',
  make: `update labels set state = 'failed', failure = 'refused', failure_code = 'label_refused', due_at = null`,
};
const paused = (reason: string): Told => ({
  route: '/v2/webhooks',
  among: ({ state }) => state === 'paused',
  metric: 'waybill_subscriptions_paused',
  alert: 'subscription_paused',
  make: `update subscriptions set state = 'paused', pause_reason = '${reason}', paused_at = now()`,
});
const exhausted: Told = {
  route: '/v2/webhooks/deliveries?state=failed',
  metric: { counted: 'waybill_webhook_tries_total' },
  alert: 'delivery_exhausted',
  make: `update deliveries set state = 'failed', finished_at = now()`,
};
const push = (reason: string, make: string): Told => ({
  route: `/admin/pushes?reason=${reason}`,
  metric: 'waybill_pushes_unsettled',
  alert: `push_${reason}` as AlertCode,
  make,
});
const failedPush = push('failed', `update pushes set state = 'failed', failure = 'cannot be read', due_at = null`);
const event = (match: string): string =>
  `update events set match = '${match}', consignment_id = null, position = null where id > 0`;
/** A carrier that is away. */
const away: Told = {
  route: '/admin/dispatches/waiting',
  metric: 'waybill_dispatches_away',
  alert: 'dispatch_waiting',
  make: `update dispatches set state = 'waiting', finished_at = null, due_at = now() + interval '1 hour', away_since = now(),
    failure = '{"why":"waiting","problem":{"code":"connection_refused","messages":["nobody listens"]}}'`,
};

const failingPlan: Told = {
  route: '/admin/plans?failing=true',
  metric: 'waybill_plans_failing',
  alert: 'plan_failed',
  make: `insert into plans (kind, shipper_id, environment, code, carrier_code, request, day, due_at, failure)
    select 'pickup', id, 'production', 'daily', 'acme', '{}', '2026-05-04', now(), '{"day":"2026-05-01","code":"refused","messages":[]}'
    from shippers limit 1`,
};

const NOT_WELL: Readonly<Record<string, Told>> = {
  'dispatches.state held': held,
  'dispatches.state waiting': away,
  // A call of which nobody knows, or that failed for good, makes its dispatch one that is held.
  'calls.state unknown': held,
  'calls.state failed': held,
  'labels.state failed': label,
  'pushes.state failed': failedPush,
  'events.match unmatched': push('unmatched', event('unmatched')),
  'events.match ambiguous': push('ambiguous', event('ambiguous')),
  'subscriptions.state paused': paused('failing'),
  'subscriptions.pause_reason gone': paused('gone'),
  'subscriptions.pause_reason failing': paused('failing'),
  'deliveries.state failed': exhausted,
};

/** Columns that tell of trouble beside those states, by their names. */
const TROUBLE = /fail|refus|problem|error|reject|lost|away|lease_until|cut_short/;
const TROUBLES: Readonly<Record<string, Told | string>> = {
  'carrier_tokens.refused': login,
  'dispatches.away_since': away,
  'dispatches.failure': held,
  'plans.failure': failingPlan,
  'labels.failure': label,
  'labels.failure_code': label,
  'pushes.failure': failedPush,
  'subscriptions.failing_since': paused('failing'),
  'dispatches.lease_until': 'waybill_leases_expired',
  'deliveries.lease_until': 'waybill_leases_expired',
  'labels.lease_until': 'waybill_leases_expired',
  // Who logs in under one that has run out takes it over, and tells of its end.
  'carrier_tokens.lease_until': 'waybill_logins_refused',
};

/** What is well: begun, under way, or ended as its shipper was told; and what is no state at all. */
const WELL: Readonly<Record<string, readonly string[] | 'no state'>> = {
  'dispatches.state': ['pending', 'sending', 'done', 'rejected', 'cancelled'],
  'calls.state': ['sending', 'succeeded', 'retry'],
  'labels.state': ['pending', 'stored', 'revoked'],
  'pushes.state': ['pending', 'done'],
  'events.match': ['matched'],
  'subscriptions.state': ['active'],
  'subscriptions.pause_reason': ['requested'],
  'deliveries.state': ['pending', 'sending', 'waiting', 'delivered'],
  'redeliveries.state': ['running', 'done'],
  'consignments.acceptance': ['pending', 'accepted', 'rejected', 'cancelled'],
  'errands.acceptance': ['pending', 'accepted', 'rejected', 'cancelled'],
  // What operators take out of use, by their own will.
  'shippers.state': ['active', 'disabled', 'deleted'],
  'accounts.state': ['active', 'disabled', 'deleted'],
  'consignments.consignment_type': 'no state',
  'slot_reservations.state': ['reserved', 'confirmed', 'released'],
  // What is asked and never answered lapses; who cannot give one back says so in the log, and tries again.
  'slot_reservations.at_carrier': ['asked', 'reserved', 'confirmed', 'gone'],
  'accounts.environment': 'no state',
  'facilities.environment': 'no state',
  'pushes.source': 'no state',
  'tokens.environment': 'no state',
  'tokens.kind': 'no state',
  'tokens.role': 'no state',
};

const valueOf = (text: string, name: string): number =>
  [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );

describe('what is not well', () => {
  const api = apiWorld();
  let shop: Awaited<ReturnType<typeof api.newShipper>>;
  const metrics = () => createMetrics(api.database.pool).text();
  /** A consignment whose dispatch has ended well, with a label, a webhook's delivery, and a push that fits. */
  beforeAll(async () => {
    shop = await api.newShipper('shop');
    await shop.post('/v2/webhooks', { url: 'https://shop.example/hook', orderTypes: ['FORWARD'] });
    await shop.create();
    await api.sql(`insert into pushes (carrier_code, account_id, source, environment, received_at, request, body, state)
      values ('acme', 1, 'contract', 'production', now(), '{"method":"POST","url":"","headers":{}}', '[]', 'done')`);
    await api.sql(`insert into events (push_id, carrier_code, identity, match, consignment_id, position, status, carrier_status,
        carrier_sub_status, carrier_description, occurred_at, event_timezone, received_at, body)
      select id, 'acme', '\\x00', 'matched', 1, 0, 'In Transit', 'IT', '', '', now(), 'UTC', now(), '{}' from pushes`);
  });
  /** Each begins from there. */
  let undo: readonly string[] = [];
  afterEach(async () => {
    for (const one of undo) await api.sql(one);
    undo = [];
  });
  const keep = async (): Promise<void> => {
    const tables = ['dispatches', 'labels', 'pushes', 'events', 'subscriptions', 'deliveries', 'carrier_tokens'];
    const columns = await api.sql(
      `select table_name as name, string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
       where table_name = any($1) and is_identity = 'NO' and is_generated = 'NEVER' group by 1`,
      [tables],
    );
    for (const { name } of columns)
      await api.sql(`create table if not exists kept_${name} as table ${name} with no data`);
    const sets: string[] = [];
    for (const { name, columns: all } of columns) {
      await api.sql(`truncate kept_${name}`);
      await api.sql(`insert into kept_${name} select * from ${name}`);
      const key = name === 'carrier_tokens' ? 'key' : 'id';
      sets.push(`delete from ${name} where ${key} not in (select ${key} from kept_${name})`);
      const own = all.split(', ').filter((column: string) => column !== key);
      sets.push(
        `update ${name} t set (${own.join(', ')}) = (select ${own.map((one: string) => `k.${one}`).join(', ')} from kept_${name} k where k.${key} = t.${key})`,
      );
    }
    undo = sets;
  };
  const shownAt = async ({ route, among = () => true }: Told): Promise<number> => {
    const answer = await (route.startsWith('/v2') ? shop : api.admin).get(route);
    expect(answer.status, `${route}: ${answer.text}`).toBe(200);
    return answer.body.data.filter(among).length;
  };
  it('is each state that the records know and that is not among those that are', async () => {
    const rows = await api.sql(
      `select conrelid::regclass::text as table, pg_get_constraintdef(oid) as rule from pg_constraint
       where contype = 'c' and connamespace = 'public'::regnamespace and conparentid = 0
         and not (select relispartition from pg_class where oid = conrelid)`,
    );
    const states = rows.flatMap(({ table, rule }) =>
      [...rule.matchAll(/\((\w+) = ANY \(ARRAY\[([^\]]+)\]/g)].flatMap(([, column, values]: readonly string[]) =>
        [...(values ?? '').matchAll(/'(\w+)'/g)].map(([, value]) => ({
          column: `${table}.${column}`,
          value: value ?? '',
        })),
      ),
    );
    expect(states.length).toBeGreaterThan(40);
    for (const { column, value } of states) {
      const well = WELL[column];
      const isTold = Object.hasOwn(NOT_WELL, `${column} ${value}`);
      expect(well === 'no state' || well?.includes(value) === true || isTold, `who tells of ${column} ${value}?`).toBe(
        true,
      );
    }
    const there = new Set(states.flatMap(({ column, value }) => [column, `${column} ${value}`]));
    for (const name of [...Object.keys(NOT_WELL), ...Object.keys(WELL)]) expect(there, name).toContain(name);
  });

  it('is whatever a column tells of', async () => {
    const columns = await api.sql(
      `select c.table_name || '.' || column_name as name from information_schema.columns c join pg_class on relname = c.table_name
       where table_schema = 'public' and not relispartition and relkind in ('r', 'p')`,
    );
    const found: string[] = columns.map(({ name }) => name).filter((name) => TROUBLE.test(name.split('.')[1]));
    expect(found.toSorted()).toEqual(Object.keys(TROUBLES).toSorted());
  });

  const all = {
    ...NOT_WELL,
    ...Object.fromEntries(Object.entries(TROUBLES).filter(([, told]) => typeof told === 'object')),
  };
  it.each(Object.entries(all as Readonly<Record<string, Told>>))(
    'is shown by a route, counted by a metric and told by a line of the log: %s',
    async (_, told) => {
      const { route, metric, alert, make } = told;
      const before = { shown: await shownAt(told), text: await metrics() };
      await keep();
      await api.sql(make);
      expect(await shownAt(told), route).toBe(before.shown + 1);
      const text = await metrics();
      if (typeof metric === 'object') expect(text).toContain(`# TYPE ${metric.counted} counter`);
      else expect(valueOf(text, metric), metric).toBeGreaterThan(valueOf(before.text, metric));
      expect(Object.keys(ALERTS)).toContain(alert);
    },
  );

  it('is work of a process that died', async () => {
    await keep();
    for (const table of ['dispatches', 'deliveries']) {
      const before = valueOf(await metrics(), 'waybill_leases_expired');
      await api.sql(
        `update ${table} set state = 'sending', lease = gen_random_uuid(), lease_until = now() - interval '1 s'`,
      );
      expect(valueOf(await metrics(), 'waybill_leases_expired')).toBe(before + 1);
    }
    expect(Object.values(TROUBLES).filter((told) => typeof told === 'string')).toContain('waybill_leases_expired');
  });

  it('is told by lines of the log that there are, which the operators’ page explains', () => {
    const sources = globSync('src/**/*.ts', { cwd: PROJECT }).map((file) => readFileSync(`${PROJECT}/${file}`, 'utf8'));
    const explained = new Set([...read('docs/operations.md').matchAll(/`(\w+)`/g)].map(([, name]) => name));
    for (const code of Object.keys(ALERTS)) {
      expect(
        sources.some((text) => text.includes(`alert('${code}'`) || text.includes(`alert?.('${code}'`)),
        code,
      ).toBe(true);
      expect(explained, code).toContain(code);
    }
  });
});
