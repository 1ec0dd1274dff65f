import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ConsignmentFilter, pageQuery } from '../../../src/platform/records/list-consignments.ts';
import { held, rejected } from './carrier.ts';
import { apiWorld, order } from './world.ts';

const api = apiWorld();
const { admin, shop, carrier } = api;

const search = async (query: string): Promise<readonly string[]> => {
  const { status, body } = await admin.get(`/admin/consignments?${query}`);
  expect(status, query).toBe(200);
  return body.data.map((one: { referenceNumber: string }) => one.referenceNumber);
};

describe('GET /admin/consignments', () => {
  let [a, b] = ['', ''];
  beforeAll(async () => {
    const [one, other] = [await api.newShipper('a'), await api.newShipper('b')];
    [a, b] = [one.code, other.code];
    await one.create(order({ 'consignmentDetails.orderNumber': 'ORD-A' }, 'A-1'));
    api.clock.advance(1_000);
    await other.create(order({ 'consignmentDetails.consignmentNumber': 'CON-B' }, 'B-1'));
    await api.sql(`update consignments set status = 'In Transit' where reference_number = 'B-1'`);
    await one.create(order({ 'carrier.code': 'solo' }, 'A-2'));
    carrier.answers(rejected('no such street'));
    await one.create(order({}, 'A-3'));
    carrier.answers(held('fail'));
    await other.create(order({}, 'B-2'));
    await api.sql(`update consignments set order_types = '{FORWARD,EXCHANGE}' where reference_number = 'B-2'`);
    await admin.put('/admin/accounts', {
      shipper: a,
      carrier: 'acme',
      environment: 'sandbox',
      credentials: { token: 'secret-token' },
    });
    const { token } = await api.issue(`shippers/${a}`, { environment: 'sandbox' });
    await api.as(token).create(order({}, 'SANDBOX'));
    carrier.reset();
  });

  it.each([
    ['', 'SANDBOX B-2 A-3 A-2 B-1 A-1'],
    ['number=A-1', 'A-1'],
    ['number=ORD-A', 'A-1'],
    ['number=CON-B', 'B-1'],
    ['number=T-B-1-P1', 'B-1'],
    ['number=nothing', ''],
    ['number=T-B-1-P1&shipper=a', ''],
    ['shipper=a', 'SANDBOX A-3 A-2 A-1'],
    ['shipper=a&environment=sandbox', 'SANDBOX'],
    ['environment=sandbox', 'SANDBOX'],
    ['shipper=nobody', ''],
    ['carrier=solo', 'A-2'],
    ['status=In%20Transit', 'B-1'],
    ['acceptance=rejected', 'A-3'],
    ['acceptance=held', 'SANDBOX B-2'],
    ['acceptance=accepted&shipper=b', 'B-1'],
    ['orderType=EXCHANGE', 'B-2'],
    ['orderType=FORWARD&carrier=acme&shipper=a', 'SANDBOX A-3 A-1'],
    ['createdBefore=2000-01-01T00:00:00Z', ''],
    ['createdFrom=2000-01-01T00:00:00Z&status=In%20Transit', 'B-1'],
  ])('finds those of all shippers that fit: %s', async (query, found) => {
    expect((await search(query)).join(' ')).toBe(found);
  });

  it('says whose each is, and how it stands', async () => {
    const { body } = await admin.get('/admin/consignments?number=B-2');
    expect(body.data).toMatchObject([
      {
        id: expect.any(Number),
        shipper: b,
        environment: 'production',
        orderTypes: ['FORWARD', 'EXCHANGE'],
        carrierCode: 'acme',
        acceptance: 'held',
        reason: { code: 'fail', message: 'no luck' },
        packages: [{ packageId: 'P1' }],
      },
    ]);
  });

  it.each(['', 'shipper=a&', 'acceptance=held&'])(
    'leads through all pages, each consignment once: %s',
    async (query) => {
      const all = await search(query);
      const seen: string[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const next: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const { body } = await admin.get(`/admin/consignments?${query}limit=1${next}`);
        seen.push(body.data[0].referenceNumber);
        cursor = body.nextCursor;
      }
      expect(seen).toEqual(all);
    },
  );

  it.each(['colour=red', 'status=Flying', 'acceptance=maybe', 'orderType=RETURN', 'createdFrom=yesterday', 'number='])(
    'is 400 for %s',
    async (query) => {
      expect((await admin.get(`/admin/consignments?${query}`)).status).toBe(400);
    },
  );

  describe('over many', () => {
    beforeAll(async () => {
      await api.sql(
        `insert into consignments (shipper_id, environment, reference_number, order_number, consignment_number,
           consignment_type, order_types, carrier_code, order_text, canonical, acceptance, cancelled_at, released_at, status, created_at)
         select s.id, 'production', 'N-' || n, 'O-' || n, 'C-' || n, 'FORWARD',
           case when n % 100 = 1 then '{FORWARD,EXCHANGE}' when n % 100 = 2 then '{REVERSE}' when n % 100 = 3 then '{FORWARD,TRANSFER}' else '{FORWARD}' end::text[],
           case when n % 50 = 0 then 'solo' else 'acme' end, '{}', '{}',
           case when n % 50 = 4 then 'cancelled' when n % 100 = 5 then 'rejected' else 'accepted' end,
           case when n % 50 = 4 then now() end, case when n % 100 = 5 then now() end,
           case when n % 50 = 1 then 'In Transit' else 'Order Delivered' end, timestamptz '2026-01-01' + n * interval '1 minute'
         from generate_series(1, 20000) n, (select min(id) as id from shippers) s`,
      );
      await api.sql(
        `insert into packages (consignment_id, position, reference, tracking_number)
         select id, 0, 'P', case when id % 200 > 0 then 'T-' || id end from consignments where reference_number like 'N-%'`,
      );
      await api.sql(
        `insert into identifiers (carrier_code, kind, value, consignment_id)
         select carrier_code, 'Reference', reference_number, id from consignments where reference_number like 'N-%'`,
      );
      await api.sql('analyze');
    });
    const some: readonly (readonly [ConsignmentFilter, string])[] = [
      [{}, 'consignments_of_all_by_age'],
      [{ number: 'N-77' }, 'identifiers_'],
      [{ status: 'In Transit' }, 'consignments_of_all_by_status'],
      [{ carrierCode: 'solo' }, 'consignments_of_all_by_carrier'],
      [{ acceptance: 'held' }, 'consignments_pkey'],
      [{ acceptance: 'pending' }, 'consignments_pkey'],
      [{ acceptance: 'partial' }, 'consignments_lacking_numbers'],
      [{ acceptance: 'rejected' }, 'consignments_of_all_rejected'],
      [{ acceptance: 'cancelled' }, 'consignments_of_all_cancelled'],
      [{ orderType: 'EXCHANGE' }, 'consignments_exchange'],
      [{ orderType: 'REVERSE' }, 'consignments_reverse'],
      [{ orderType: 'TRANSFER' }, 'consignments_transfer'],
      [{ fromMs: Date.parse('2026-01-03'), beforeMs: Date.parse('2026-01-04') }, 'consignments_of_all_by_age'],
      [{ shipperId: 1 }, 'consignments_by_age'],
    ];
    it.each(some)('a search by %j ends in an index', async (filter, index) => {
      const query = pageQuery(filter, { after: undefined, limit: 51 });
      const rows = await api.sql(`explain ${query.text}`, [...query.values]);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain(index);
      expect(plan).not.toContain('Seq Scan on consignments');
      expect(plan).not.toContain('Seq Scan on identifiers');
    });
  });
});

const idOf = async () => (await api.sql('select max(id) as id from consignments'))[0].id as number;
const story = async () => (await admin.get(`/admin/consignments/${await idOf()}`)).body;

describe('GET /admin/consignments/{id}', () => {
  beforeEach(async () => {
    await shop.post('/v2/webhooks', { url: 'https://shop.example/hook', orderTypes: ['FORWARD'] });
  });

  it('tells the whole story: order, dispatches, calls, exchanges, events, labels, notices, deliveries and audit', async () => {
    carrier.answers(held('fail'));
    await shop.create();
    carrier.answers('as usual');
    await shop.retry();
    const id = await idOf();
    const { token } = await api.issue('carriers/acme', { environment: 'production' });
    const pushed = { value: 'T-REF-1-P1', carrierStatus: 'PICKED_UP', carrierStatusCode: 'PICKED_UP' };
    await api.as(token).post('/v2/carriers/acme/statuses', { ...pushed, statusReceivedAt: '2026-05-01 10:00:00' });
    await api.sql(
      `insert into calls (dispatch_id, step, element, attempt, state, first_sent_at, sent_at, verdict)
       select min(id), 'create', 0, 2, 'failed', now(), now(), '{"failed":{"as":"fail","problem":{"code":"http_500","messages":["busy"]}}}'
       from dispatches where consignment_id = $1`,
      [id],
    );
    await api.sql(
      `insert into exchanges (carrier_code, environment, consignment_id, profile_hash, operation, step, element, attempt,
         method, url, request_headers, request_body, status, response_headers, response_body, duration_ms, outcome)
       values ('acme', 'production', $1, 'h', 'create', 'create', 0, 1, 'POST', 'https://acme.example.com', '{}', $2, 200,
         '{}', $2, 5, 'succeed')`,
      [id, Buffer.from(`${'x'.repeat(16_383)}ü and more`)],
    );
    expect(await story()).toMatchObject({
      id,
      shipper: (await shop.opened()).code,
      referenceNumber: 'REF-1',
      acceptance: 'accepted',
      order: { consignmentDetails: { referenceNumber: 'REF-1' } },
      packages: [{ trackingNumber: 'T-REF-1-P1', status: 'Order Picked Up' }],
      labels: [{ state: 'stored' }],
      events: [{ status: 'Order Picked Up' }],
      dispatches: [{ state: 'cancelled' }, { state: 'done' }],
      calls: [
        { step: 'create', attempt: 2, state: 'failed', failure: { as: 'fail', code: 'http_500', messages: ['busy'] } },
      ],
      exchanges: [{ outcome: 'succeed', response: { status: 200, body: 'x'.repeat(16_383), size: 16_394 } }],
      audit: [{ actor: expect.stringMatching(/^shipper:/), action: 'retry' }],
      cut: [],
    });
    const { notices, deliveries } = await story();
    expect(notices.map(({ event }: { event: string }) => event)).toContain('consignment.tracking');
    expect(deliveries).toHaveLength(notices.length);
    expect(deliveries[0]).toMatchObject({ eventId: notices[0].eventId, state: 'pending', attempts: 0 });
  });

  it('stays bounded, and names what is cut', async () => {
    await shop.create();
    await api.sql(
      `insert into exchanges (carrier_code, environment, consignment_id, profile_hash, operation, step, element, attempt,
         method, url, request_headers, duration_ms, outcome)
       select 'acme', 'production', $1, 'h', 'create', 'create', 0, n, 'POST', 'https://acme.example.com', '{}', 5, 'retry'
       from generate_series(1, 101) n`,
      [await idOf()],
    );
    const { exchanges, cut } = await story();
    expect(exchanges).toHaveLength(100);
    expect(exchanges[0].attempt).toBe(101);
    expect(cut).toEqual(['exchanges']);
  });

  it('shows no secret: neither credentials nor what a webhook is signed with', async () => {
    await shop.create();
    const text = JSON.stringify(await story());
    expect(text).not.toContain('secret-token');
    expect(text).not.toContain('whsec_');
  });

  it.each([
    ['999999', 404],
    ['abc', 400],
  ])('is for %s a %i', async (id, status) => {
    expect((await admin.get(`/admin/consignments/${id}`)).status).toBe(status);
  });
});
