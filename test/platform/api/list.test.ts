import { describe, expect, it } from 'vitest';
import { pageQuery } from '../../../src/platform/records/consignments.ts';
import { apiUnderTest } from './harness.ts';

interface Row {
  readonly reference: string;
  readonly status?: string;
  readonly carrier?: string;
  readonly acceptance?: string;
  readonly at?: string;
}

describe('GET /v2/consignments without a referenceNumber', () => {
  const api = apiUnderTest();
  const shipperWith = async (rows: readonly Row[]) => {
    const shipper = await api.newShipper();
    const { pool } = api.database;
    const owner = await pool.query('select id from shippers where code = $1', [shipper.code]);
    for (const { reference, status, carrier, acceptance, at } of rows) {
      const { rows: made } = await pool.query(
        `insert into consignments (shipper_id, environment, reference_number, order_number, consignment_number,
           consignment_type, order_types, carrier_code, order_text, canonical, status, acceptance, created_at)
         values ($1, 'production', $2, 'O', 'C', 'FORWARD', '{FORWARD}', $3, '{}', '{}', $4, $5, $6) returning id`,
        [
          owner.rows[0].id,
          reference,
          carrier ?? 'acme',
          status ?? 'Order Created',
          acceptance ?? 'accepted',
          at ?? '2026-05-01T10:00:00Z',
        ],
      );
      await pool.query(
        `insert into packages (consignment_id, position, reference, tracking_number) values ($1, 1, 'B', null), ($1, 0, 'A', 'T-1')`,
        [made[0].id],
      );
    }
    return Object.assign(shipper, { id: owner.rows[0].id as number });
  };
  type Shipper = Awaited<ReturnType<typeof shipperWith>>;
  const references = async (shipper: Shipper, query = ''): Promise<string[]> => {
    const { statusCode, data, body } = await shipper('GET', `/v2/consignments${query}`);
    expect(statusCode, body).toBe(200);
    return data.data.map(({ referenceNumber }: { referenceNumber: string }) => referenceNumber);
  };

  it('shows what there is, the newest first, package by package', async () => {
    const shipper = await shipperWith([
      { reference: 'OLD', at: '2026-04-30T10:00:00Z' },
      { reference: 'NEW', status: 'In Transit' },
    ]);
    const { data } = await shipper('GET', '/v2/consignments');
    expect(data).toEqual({
      timestamp: expect.stringMatching(/GMT\+0000$/),
      status: 'OK',
      data: [
        expect.objectContaining({
          referenceNumber: 'NEW',
          status: 'In Transit',
          carrierCode: 'acme',
          acceptance: 'accepted',
          packages: [
            { packageId: 'A', status: 'Order Created', trackingNumber: 'T-1' },
            { packageId: 'B', status: 'Order Created' },
          ],
          createdAt: '2026-05-01T10:00:00.000Z',
        }),
        expect.objectContaining({ referenceNumber: 'OLD' }),
      ],
    });
  });

  it('turns its pages in one order, also where many were created at once and others come in between', async () => {
    const all = Array.from({ length: 11 }, (_, index) => ({
      reference: `R-${index}`,
      at: index < 8 ? '2026-05-01T10:00:00.123456Z' : '2026-05-01T10:00:00.123457Z',
    }));
    const shipper = await shipperWith(all);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data } = await shipper(
        'GET',
        `/v2/consignments?limit=3${cursor === undefined ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...data.data.map(({ referenceNumber }: { referenceNumber: string }) => referenceNumber));
      if (cursor === undefined)
        await api.database.pool.query(
          `insert into consignments (shipper_id, environment, reference_number, order_number, consignment_number,
             consignment_type, order_types, carrier_code, order_text, canonical)
           values ($1, 'production', 'LATER', 'O', 'C', 'FORWARD', '{FORWARD}', 'acme', '{}', '{}')`,
          [shipper.id],
        );
      cursor = data.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(all.map(({ reference }) => reference).toReversed());
  });

  it('is asked by status, acceptance, carrier, date and how the reference begins', async () => {
    const shipper = await shipperWith([
      { reference: 'A-1', status: 'In Transit', at: '2026-05-01T00:00:00Z' },
      { reference: 'A-2', carrier: 'solo', at: '2026-05-02T00:00:00Z' },
      { reference: 'A%3', acceptance: 'rejected', at: '2026-05-03T00:00:00Z' },
      { reference: 'a-4', status: 'In Transit', carrier: 'solo', at: '2026-05-04T12:00:00Z' },
    ]);
    expect(await references(shipper, '?status=In%20Transit')).toEqual(['a-4', 'A-1']);
    expect(await references(shipper, '?status=In%20Transit&carrier=solo')).toEqual(['a-4']);
    expect(await references(shipper, '?acceptance=rejected')).toEqual(['A%3']);
    expect(await references(shipper, '?carrier=solo')).toEqual(['a-4', 'A-2']);
    expect(await references(shipper, '?referencePrefix=A-')).toEqual(['A-2', 'A-1']);
    expect(await references(shipper, '?referencePrefix=A%25')).toEqual(['A%3']);
    expect(await references(shipper, '?createdFrom=2026-05-02&createdBefore=2026-05-04T12:00:00Z')).toEqual([
      'A%3',
      'A-2',
    ]);
    expect(await references(shipper, '?carrier=nobody')).toEqual([]);
  });

  it('gives at most 200 a page', async () => {
    const shipper = await shipperWith([]);
    await api.database.pool.query(
      `insert into consignments (shipper_id, environment, reference_number, order_number, consignment_number,
         consignment_type, order_types, carrier_code, order_text, canonical)
       select $1, 'production', 'R-' || n, 'O', 'C', 'FORWARD', '{FORWARD}', 'acme', '{}', '{}' from generate_series(1, 201) n`,
      [shipper.id],
    );
    expect(await references(shipper, '?limit=999')).toHaveLength(200);
    expect(await references(shipper)).toHaveLength(50);
  });

  it('shows nobody else’s, and none of the other environment', async () => {
    const one = await shipperWith([{ reference: 'A-1' }]);
    const other = await shipperWith([]);
    const { token } = (await api.admin('POST', `/admin/shippers/${one.code}/tokens`, { environment: 'sandbox' })).data;
    expect(await references(other)).toEqual([]);
    expect((await api.as(token)('GET', '/v2/consignments')).data.data).toEqual([]);
  });

  it.each([
    '?status=Flying',
    '?limit=0',
    '?limit=ten',
    '?createdFrom=yesterday',
    '?createdFrom=2026-02-30',
    '?createdFrom=2026-13-01',
    '?createdBefore=2026-05-01T25:00:00Z',
    '?cursor=nonsense',
    `?cursor=${Buffer.from('["1","x"]').toString('base64url')}`,
    '?referencePrefix=',
    '?referencePrefix=%00',
    '?carrier=a&carrier=b',
    '?color=red',
    '?referenceNumber=A-1&status=In%20Transit',
  ])('is 400 for %s', async (query) => {
    const shipper = await shipperWith([]);
    expect((await shipper('GET', `/v2/consignments${query}`)).statusCode).toBe(400);
  });

  it.each([
    ['nothing', {}, 'consignments_by_age'],
    ['a status', { status: 'In Transit' as const }, 'consignments_by_status'],
    ['a carrier', { carrierCode: 'solo' }, 'consignments_by_carrier'],
    ['a prefix', { referencePrefix: 'S-7' }, 'consignments_by_prefix'],
    ['a range of dates', { fromMs: Date.parse('2026-05-01'), beforeMs: Date.parse('2026-05-02') }, 'by_age'],
  ])('asked by %s finds an index', async (_, filter, index) => {
    const shipper = await shipperWith([]);
    const { pool } = api.database;
    await pool.query(
      `insert into consignments (shipper_id, environment, reference_number, order_number, consignment_number,
         consignment_type, order_types, carrier_code, order_text, canonical, status, created_at)
       select $1, 'production', 'S-' || n, 'O', 'C', 'FORWARD', '{FORWARD}', case n % 50 when 0 then 'solo' else 'acme' end,
         '{}', '{}', case n % 50 when 1 then 'In Transit' else 'Order Created' end, '2026-04-01Z'::timestamptz + n * interval '1 hour'
       from generate_series(1, 5000) n`,
      [shipper.id],
    );
    await pool.query('analyze consignments');
    const { text, values } = pageQuery(
      { shipperId: shipper.id, environment: 'production', ...filter },
      { after: undefined, limit: 51 },
    );
    const { rows } = await pool.query(`explain ${text}`, [...values]);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain(index);
    expect(plan).not.toContain('Seq Scan on consignments');
  });
});
