import { describe, expect, it } from 'vitest';
import { apiWorld, order } from '../platform/api/world.ts';
import { homeWith } from './home.ts';

describe('waybill retain', () => {
  const api = apiWorld();
  const run = async (...args: string[]) =>
    await homeWith({}, { DATABASE_URL: api.database.databaseUrl }).run('retain', ...args);
  const counts = async () => {
    const [row] = await api.sql(
      `select (select count(*) from exchanges)::int as exchanges, (select count(*) from calls where answer is not null)::int as answers,
         (select count(*) from labels)::int as labels, (select count(*) from idempotency_keys)::int as keys,
         (select count(*) from consignments)::int as consignments,
         (select count(*) from pushes where length(body) > 0)::int as pushes,
         (select count(*) from events where match = 'matched')::int as matched,
         (select count(*) from events where match <> 'matched')::int as unmatched`,
    );
    return row;
  };

  /** A consignment with all that is kept of it, of so many days ago. */
  const keep = async (reference: string, days: number): Promise<void> => {
    await api.shop.create(order({}, reference), { 'idempotency-key': reference });
    const [{ id, dispatch }] = await api.sql(
      `select c.id, d.id as dispatch from consignments c join dispatches d on d.consignment_id = c.id
       where reference_number = '${reference}'`,
    );
    const ago = `now() - interval '${days} days'`;
    await api.sql(
      `insert into exchanges (at, carrier_code, environment, consignment_id, profile_hash, operation, step, element,
         attempt, method, url, request_headers, duration_ms, outcome)
       select ${ago}, 'acme', 'production', ${id}, 'h', 'create', 's', 0, 1, 'POST', 'https://a', '{}', 1, 'ok'
       from generate_series(1, 1500)`,
    );
    await api.sql(
      `insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at, answer)
       values (${dispatch}, 's', 0, 1, 'succeeded', ${ago}, ${ago}, 'x')`,
    );
    const pushed = (body: string, state: string) =>
      `insert into pushes (carrier_code, source, received_at, request, body, state)
       values ('acme', 'contract', ${ago}, '{"method":"POST"}', '${body}', ${state}) returning id`;
    for (const match of ['matched', 'unmatched'])
      await api.sql(
        `with push as (${pushed('raw', `'done'`)})
         insert into events (push_id, carrier_code, identity, match, consignment_id, status, carrier_status,
           carrier_sub_status, carrier_description, occurred_at, event_timezone, received_at, body)
         select id, 'acme', '${reference}${match}', '${match}', ${match === 'matched' ? id : null}, 'In Transit',
           '', '', '', now(), 'UTC', ${ago}, '{}' from push`,
      );
    await api.sql(pushed('not read yet', 'default'));
    await api.sql(`update labels set stored_at = ${ago} where consignment_id = ${id}`);
    await api.sql(`update idempotency_keys set created_at = ${ago} where key = '${reference}'`);
  };

  it('counts what is older, and deletes that and nothing younger with --apply', async () => {
    await keep('OLD', 91);
    await keep('NEW', 89);
    const events = { matched: 2, unmatched: 2 };
    const before = { exchanges: 3_000, answers: 2, labels: 2, keys: 2, consignments: 2, pushes: 6, ...events };
    expect(await counts()).toEqual(before);

    const dry = await run('--older-than', '90d', '--json');
    const counted = {
      exchanges: 1_500,
      deliveryAttempts: 0,
      answers: 1,
      labels: 1,
      manifestDocuments: 0,
      idempotencyKeys: 1,
      pushes: 2,
      unmatchedEvents: 1,
      pickups: 0,
    };
    expect(JSON.parse(dry.out)).toEqual({ applied: false, before: expect.stringMatching(/Z$/), ...counted });
    expect(await counts()).toEqual(before);

    const applied = await run('--older-than', '90d', '--apply');
    expect(applied).toMatchObject({ code: 0, error: '' });
    expect(applied.out).toMatch(
      /: 1500 exchanges, 1 raw answers, 1 labels, 0 documents of manifests, 1 idempotency keys, 2 status pushes, 1 unmatched events, 0 pickups, 0 webhook tries deleted\n$/,
    );
    const left = { exchanges: 1_500, answers: 1, labels: 1, keys: 1, consignments: 2, pushes: 4 };
    expect(await counts()).toEqual({ ...left, matched: 2, unmatched: 1 });
    expect((await api.shop.read('OLD')).trackingDetails[0]).not.toHaveProperty('label');
    expect(await api.sql(`select action, detail from audit_log where actor = 'command'`)).toEqual([
      { action: 'retain', detail: expect.stringContaining('"exchanges":1500') },
    ]);
  });

  it('may look through a long history: a statement has an hour', async () => {
    await api.sql(
      `create table seen (timeout text);
       create function see() returns trigger language plpgsql as $$ begin
         insert into seen values (current_setting('statement_timeout'));
         return old;
       end $$;
       create trigger seen before delete on idempotency_keys for each row execute function see()`,
    );
    await keep('LONG', 91);
    expect(await run('--older-than', '90d', '--apply')).toMatchObject({ code: 0 });
    expect(await api.sql('select timeout from seen')).toEqual([{ timeout: '1h' }]);
  });

  it('months are whole ones of UTC', async () => {
    const { before } = JSON.parse((await run('--older-than', '3mo', '--json')).out) as { before: string };
    const now = new Date();
    expect(before).toBe(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 3)).toISOString());
  });

  it.each([
    [],
    ...['', '0d', '0mo', '1300mo', '90', '-5d', '1.5d', 'all', '99999d'].map((age) => ['--older-than', age]),
  ])('is misuse where the age is %s %j', async (...age) =>
    expect(await run(...age, '--apply')).toMatchObject({ code: 2, out: '' }),
  );
});
