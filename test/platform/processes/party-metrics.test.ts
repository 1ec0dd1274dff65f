import { beforeAll, expect, it } from 'vitest';
import { createMetrics } from '../../../src/platform/processes/metrics.ts';
import { PARTIES_MAX } from '../../../src/platform/processes/party-metrics.ts';
import { freshDatabase } from '../../support/database.ts';

const database = freshDatabase();
/** Shippers 1 to 120 with a subscription each; of the first a consignment at acme with dispatches in all states. */
beforeAll(async () => {
  await database.pool.query(`
    insert into shippers (code, name) select 'shop-' || n, 'Shop' from generate_series(1, 120) n;
    insert into subscriptions (id, shipper_id, environment, url, order_types, secret)
    select 'sub-' || id, id, 'production', 'https://s', '{FORWARD}', '' from shippers;
    insert into consignments (shipper_id, environment, reference_number, order_number, consignment_number, consignment_type,
      order_types, carrier_code, order_text, canonical) values
      (1, 'production', 'R', 'O', 'C', 'FORWARD', '{FORWARD}', 'acme', '{}', '{}');
    insert into profile_versions (hash, carrier_code, bundle) values ('v1', 'acme', '{}');
    insert into dispatches (consignment_id, operation, state, profile_hash, input)
    select 1, 'create', state, 'v1', '{}'
    from unnest('{pending,sending,waiting,held,held,done,rejected,cancelled}'::text[]) state;`);
});

const linesOf = async (metrics: ReturnType<typeof createMetrics>, name: string): Promise<readonly string[]> =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(`${name}{`));

it('tells what has not ended of each carrier and each shipper, as the records have it', async () => {
  const metrics = createMetrics(database.pool);
  const counts = { pending: 1, sending: 1, waiting: 1, held: 2 };
  for (const [kind, code] of [
    ['carrier', 'acme'],
    ['shipper', 'shop-1'],
  ] as const) {
    const name = `waybill_${kind}_dispatches`;
    const lines = Object.entries(counts).map(
      ([state, count]) => `${name}{${kind}="${code}",state="${state}"} ${count}`,
    );
    expect((await linesOf(metrics, name)).toSorted()).toEqual(lines.toSorted());
  }
});

it('counts what this process does by carrier and by shipper', async () => {
  const metrics = createMetrics(database.pool);
  metrics.performed({ carrierCode: 'acme', shipperId: 2 }, 'done', 1);
  metrics.performed({ carrierCode: 'acme', shipperId: 2 }, 'done', 1);
  metrics.processed('solo', 'failed');
  metrics.delivered('sub-3', 'waiting');
  metrics.delivered('gone', 'waiting');
  metrics.watchBreakers(() => ['acme/7']);
  const dispatches = 'waybill_shipper_dispatches_total';
  expect(await linesOf(metrics, dispatches)).toEqual([`${dispatches}{shipper="shop-2",outcome="done"} 2`]);
  const tries = 'waybill_shipper_webhook_tries_total';
  expect(await linesOf(metrics, tries)).toEqual([
    `${tries}{shipper="shop-3",outcome="waiting"} 1`,
    `${tries}{shipper="other",outcome="waiting"} 1`,
  ]);
  const text = await metrics.text();
  expect(await metrics.text(false)).not.toMatch(/shipper=|carrier=/);
  expect(text).toContain('waybill_carrier_dispatch_seconds_count{carrier="acme",outcome="done"} 2');
  expect(text).toContain('waybill_carrier_pushes_total{carrier="solo",outcome="failed"} 1');
  expect(text).toContain('waybill_carrier_breaker_open{carrier="acme"} 1');
});

it('names no more than a hundred of each; the others are counted together', async () => {
  const metrics = createMetrics(database.pool);
  for (let shipperId = 1; shipperId <= 120; shipperId += 1) {
    metrics.performed({ carrierCode: `carrier-${shipperId}`, shipperId }, 'done', 1);
    metrics.delivered(`sub-${shipperId}`, 'delivered');
  }
  const lines = await linesOf(metrics, 'waybill_shipper_dispatches_total');
  expect(lines).toHaveLength(PARTIES_MAX + 1);
  expect(lines).toContain('waybill_shipper_dispatches_total{shipper="other",outcome="done"} 20');
  expect(await linesOf(metrics, 'waybill_carrier_dispatch_seconds_count')).toHaveLength(PARTIES_MAX + 1);
  expect(await linesOf(metrics, 'waybill_shipper_webhook_tries_total')).toHaveLength(PARTIES_MAX + 1);
});
