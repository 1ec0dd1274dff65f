import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pageQuery } from '../../../src/platform/records/list-consignments.ts';
import { rejected } from './carrier.ts';
import { apiWorld, order, readyLabel } from './world.ts';

interface Given {
  readonly reference: string;
  readonly status?: string;
  readonly carrier?: string;
  readonly acceptance?: string;
  readonly type?: string;
  readonly at?: string;
}

const api = apiWorld();
const { shop } = api;

/** Consignments of the shop as the records hold them; yields the shop's id. */
const given = async (rows: readonly Given[]): Promise<number> => {
  const [{ id }] = await api.sql('select id from shippers where code = $1', [(await shop.opened()).code]);
  await api.sql(
    `insert into consignments (shipper_id, environment, reference_number, order_number, consignment_number,
       consignment_type, order_types, carrier_code, order_text, canonical, status, acceptance, created_at, released_at,
       cancelled_at)
     select $1, 'production', reference, 'O', 'C-' || reference, coalesce(type, 'FORWARD'), '{FORWARD}', coalesce(carrier, 'acme'), '{}',
       '{}', coalesce(status, 'Order Created'), coalesce(acceptance, 'accepted'), coalesce(at, '2026-05-01T10:00:00Z'),
       case acceptance when 'rejected' then now() end, case acceptance when 'cancelled' then now() end
     from jsonb_to_recordset($2)
       as r(reference text, carrier text, status text, acceptance text, type text, at timestamptz)`,
    [id, JSON.stringify(rows)],
  );
  return id;
};
const listed = async (query = ''): Promise<{ references: string[]; nextCursor?: string }> => {
  const { status, body, text } = await shop.get(`/v2/consignments${query}`);
  expect(status, text).toBe(200);
  return {
    references: body.data.map(({ referenceNumber }: { referenceNumber: string }) => referenceNumber),
    nextCursor: body.nextCursor,
  };
};

describe('GET /v2/consignments?referenceNumber', () => {
  it('shows packages, labels, events and dispatches', async () => {
    await shop.create();
    const { id } = await api.stored();
    await api.sql(
      `with push as (insert into pushes (carrier_code, source, request, body) values ('acme', 'contract', '{}', '') returning id)
       insert into events (push_id, carrier_code, identity, match, consignment_id, position, status, carrier_status,
         carrier_sub_status, carrier_description, occurred_at, event_timezone, body)
       select id, 'acme', 'x', 'matched', $1, 0, 'Order Picked Up', 'picked_up', '', '', '2026-05-01T10:00:00Z', 'UTC', $2 from push`,
      [id, JSON.stringify({ value: 'T-REF-1-P1', carrierStatus: 'PICKED_UP' })],
    );
    const { status, body } = await shop.get('/v2/consignments?referenceNumber=REF-1');
    expect([status, body.status]).toEqual([200, 'OK']);
    expect(body.data).toHaveLength(1);
    expect(body.data[0]).toMatchObject({
      referenceNumber: 'REF-1',
      orderNumber: 'ORD-1',
      consignmentNumber: 'CON-1',
      masterTrackingNumber: 'T-REF-1-P1',
      consignmentType: 'FORWARD',
      carrierCode: 'acme',
      environment: 'production',
      acceptance: 'accepted',
      packages: [{ packageId: 'P1', trackingNumber: 'T-REF-1-P1' }],
      labels: [{ packageId: 'P1', format: 'PDF', state: 'stored', url: expect.stringContaining('/v2/labels/') }],
      events: [
        {
          packageId: 'P1',
          status: 'Order Picked Up',
          occurredAt: '2026-05-01T10:00:00.000Z',
          carrierStatus: { carrierStatus: 'PICKED_UP' },
        },
      ],
      dispatches: [{ operation: 'create', state: 'done', attempts: 1 }],
    });
    expect(body.data[0].dispatches[0]).not.toHaveProperty('dueAt');
  });

  it('still shows one that the carrier rejected, until the reference is used again', async () => {
    api.carrier.answers(rejected('no such street'));
    await shop.create();
    expect(await shop.read()).toMatchObject({
      acceptance: 'rejected',
      dispatches: [{ state: 'rejected', failure: { why: 'rejected', messages: ['no such street'] } }],
    });
    api.carrier.answers('as usual');
    await shop.create();
    expect(await shop.read()).toMatchObject({ acceptance: 'accepted' });
  });
});

describe('GET /v2/consignments/{referenceNumber}', () => {
  it('is the consignment, as by the query', async () => {
    const reference = 'R/1 ü';
    await shop.create(order({}, reference));
    const named = encodeURIComponent(reference);
    const { status, body } = await shop.get(`/v2/consignments/${named}`);
    expect([status, body.data[0].referenceNumber, body.data[0].dispatches.length]).toEqual([200, reference, 1]);
    expect(body.data).toEqual((await shop.get(`/v2/consignments?referenceNumber=${named}`)).body.data);
  });

  it('is 404 for one that is not there, or is another’s', async () => {
    await shop.create();
    const url = '/v2/consignments/REF-1';
    const other = await api.newShipper();
    expect(await other.get(url)).toMatchObject({ status: 404, body: { code: 'unknown_consignment' } });
    expect((await shop.get(url)).status).toBe(200);
  });
});

const three = async (): Promise<void> => {
  for (const [reference, number] of [
    ['A', '1'],
    ['B', '1'],
    ['C', '2'],
  ] as const) {
    const numbers = { orderNumber: `O-${number}`, consignmentNumber: `C-${reference}` };
    const changes = Object.entries(numbers).map(([name, value]) => [`consignmentDetails.${name}`, value]);
    await shop.create(order(Object.fromEntries(changes), reference));
  }
};

describe('a look-up by a number', () => {
  it.each([
    ['trackingNumber=T-B-P1', 'B'],
    ['orderNumber=O-1', 'B A'],
    ['orderNumber=O-1&limit=1', 'B'],
    ['consignmentNumber=C-C', 'C'],
    ['orderNumber=O-1&trackingNumber=T-A-P1', 'A'],
    ['orderNumber=O-1&consignmentNumber=C-C', ''],
    ['trackingNumber=T-NOWHERE', ''],
  ])('finds the consignments of it: %s', async (query, found) => {
    await three();
    expect((await listed(`?${query}`)).references.join(' ')).toBe(found);
  });

  it('finds by the number that a shipment had, and those of no other shipper', async () => {
    await three();
    await shop.cancel('A');
    expect((await listed('?trackingNumber=T-A-P1')).references).toEqual(['A']);
    const other = await api.newShipper();
    expect((await other.get('/v2/consignments?trackingNumber=T-A-P1')).body.data).toEqual([]);
  });

  it('finds what a carrier that is gone by now delivered', async () => {
    await three();
    await api.sql(`update consignments set carrier_code = 'gone'; update identifiers set carrier_code = 'gone'`);
    expect((await listed('?orderNumber=O-2')).references).toEqual(['C']);
  });
});

it('every time is told in one format', async () => {
  const document = JSON.parse((await api.call({ url: '/openapi.json' })).text) as unknown;
  const others: string[] = [];
  const look = (node: unknown, path: string, isAnswer: boolean): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [name, inner] of Object.entries(node as Record<string, { type?: string; format?: string }>)) {
      const isTime = /(?:At|[sS]ince|Until)$|^at$/.test(name) && inner.type === 'string';
      if (isTime && inner.format !== 'date-time' && !(inner.format === 'utc' && !isAnswer))
        others.push(`${path}.${name}`);
      look(inner, `${path}.${name}`, isAnswer || name === 'responses');
    }
  };
  look(document, '', false);
  expect(others).toEqual([]);
});

describe('GET /v2/consignments without a referenceNumber', () => {
  it('shows what there is, the newest first, package by package', async () => {
    await given([
      { reference: 'OLD', at: '2026-04-30T10:00:00Z' },
      { reference: 'NEW', status: 'In Transit' },
    ]);
    await api.sql(
      `insert into packages (consignment_id, position, reference, tracking_number)
       select id, n, chr(65 + n), case n when 0 then 'T-1' end from consignments, generate_series(0, 1) n
       where reference_number = 'NEW'`,
    );
    expect((await shop.get('/v2/consignments')).body).toEqual({
      timestamp: expect.stringMatching(/GMT\+0000$/),
      status: 'OK',
      data: [
        expect.objectContaining({
          referenceNumber: 'NEW',
          status: 'In Transit',
          carrierCode: 'acme',
          acceptance: 'partial',
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
    await given(all);
    let page = await listed('?limit=3');
    const seen = page.references;
    await given([{ reference: 'LATER', at: '2026-05-02' }]);
    while (page.nextCursor !== undefined) {
      page = await listed(`?limit=3&cursor=${page.nextCursor}`);
      seen.push(...page.references);
    }
    expect(seen).toEqual(all.map(({ reference }) => reference).toReversed());
  });

  it.each([
    ['status=In%20Transit', 'a-4 A-1'],
    ['status=In%20Transit&carrier=solo', 'a-4'],
    ['acceptance=rejected', 'A%3'],
    ['carrier=solo', 'a-4 A-2'],
    ['consignmentType=REVERSE', 'A-1'],
    ['consignmentType=FORWARD&carrier=acme', 'A%3'],
    ['referencePrefix=A-', 'A-2 A-1'],
    ['referencePrefix=A%25', 'A%3'],
    ['createdFrom=2026-05-02&createdBefore=2026-05-04T12:00:00Z', 'A%3 A-2'],
    ['carrier=nobody', ''],
  ])('is asked by status, acceptance, carrier, date and how the reference begins: %s', async (query, found) => {
    await given([
      { reference: 'A-1', status: 'In Transit', type: 'REVERSE', at: '2026-05-01T00:00:00Z' },
      { reference: 'A-2', carrier: 'solo', at: '2026-05-02T00:00:00Z' },
      { reference: 'A%3', acceptance: 'rejected', at: '2026-05-03T00:00:00Z' },
      { reference: 'a-4', status: 'In Transit', carrier: 'solo', at: '2026-05-04T12:00:00Z' },
    ]);
    expect((await listed(`?${query}`)).references.join(' ')).toBe(found);
  });

  it('gives 50 a page unless told, and at most 200', async () => {
    await given(Array.from({ length: 201 }, (_, index) => ({ reference: `R-${index}` })));
    expect((await listed('?limit=999')).references).toHaveLength(200);
    expect((await listed()).references).toHaveLength(50);
  });

  describe('of thousands', () => {
    let shipperId: number;
    beforeAll(async () => {
      shipperId = await given(
        Array.from({ length: 5_000 }, (_, n) => ({
          reference: `S-${n}`,
          carrier: n % 50 === 0 ? 'solo' : 'acme',
          status: n % 50 === 1 ? 'In Transit' : 'Order Created',
          type: n % 50 === 2 ? 'REVERSE' : 'FORWARD',
          acceptance: n % 50 === 3 ? 'rejected' : n % 50 === 4 ? 'cancelled' : 'accepted',
          at: new Date(Date.UTC(2026, 3, 1, n)).toISOString(),
        })),
      );
      await api.sql(
        `with those as (select id, carrier_code, reference_number from consignments where shipper_id = $1),
         packed as (insert into packages (consignment_id, position, reference, tracking_number)
           select id, 0, 'P', case when id % 50 > 0 then reference_number end from those),
         named as (insert into identifiers (carrier_code, kind, value, consignment_id)
           select carrier_code, kind, reference_number, id
           from those, unnest(array['Tracking', 'Order', 'Consignment', 'Reference']) kind)
         insert into dispatches (consignment_id, operation, state, input, profile_hash)
         select id, 'create', case id % 50 when 1 then 'held' when 2 then 'waiting' else 'done' end, '{}', hash
         from those, (select hash from profile_versions limit 1) version`,
        [shipperId],
      );
      await api.sql('analyze consignments, packages, identifiers, dispatches');
    });

    it.each([
      ['nothing', {}, 'by_age'],
      ['a status', { status: 'In Transit' as const }, 'consignments_by_status'],
      ['a carrier', { carrierCode: 'solo' }, 'consignments_by_carrier'],
      ['a prefix', { referencePrefix: 'S-7' }, 'consignments_by_prefix'],
      ['a type', { consignmentType: 'REVERSE' as const }, 'consignments_returns'],
      ['a tracking number', { trackingNumber: 'T-7' }, 'identifiers_carrier_code_kind_value'],
      ['an order number', { orderNumber: 'O-7' }, 'identifiers_carrier_code_kind_value'],
      ['a consignment number', { consignmentNumber: 'C-7' }, 'identifiers_carrier_code_kind_value'],
      ['what is rejected', { acceptance: 'rejected' as const }, 'consignments_rejected'],
      ['what is cancelled', { acceptance: 'cancelled' as const }, 'consignments_cancelled'],
      ['what is held', { acceptance: 'held' as const }, 'dispatches_held'],
      ['what is pending', { acceptance: 'pending' as const }, 'dispatches_unfinished'],
      ['what is there in part', { acceptance: 'partial' as const }, 'consignments_lacking_numbers'],
      ['a range of dates', { fromMs: Date.parse('2026-05-01'), beforeMs: Date.parse('2026-05-02') }, 'by_age'],
    ])('asked by %s finds an index', async (_, filter, index) => {
      const query = pageQuery({ shipperId, environment: 'production', ...filter }, { after: undefined, limit: 51 });
      const rows = await api.sql(`explain ${query.text}`, [...query.values]);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain(index);
      expect(plan).not.toContain('Seq Scan');
    });
  });
});

it.each([
  ['?referenceNumber=none', 404],
  ...[
    '?referenceNumber=',
    '?referenceNumber=a&referenceNumber=b',
    '?referenceNumber=%00',
    '?status=Flying',
    '?limit=0',
    '?limit=ten',
    '?createdFrom=yesterday',
    '?createdFrom=2026-02-30',
    '?createdFrom=2026-13-01',
    '?consignmentType=EXCHANGE',
    '?trackingNumber=',
    '?createdBefore=2026-05-01T25:00:00Z',
    '?cursor=nonsense',
    `?cursor=${Buffer.from('["1","x"]').toString('base64url')}`,
    '?referencePrefix=',
    '?referencePrefix=%00',
    '?carrier=a&carrier=b',
    '?color=red',
    '?referenceNumber=A-1&status=In%20Transit',
  ].map((query) => [query, 400] as const),
] as const)('GET /v2/consignments%s is %i', async (query, status) => {
  expect((await shop.get(`/v2/consignments${query}`)).status).toBe(status);
});

describe('GET /v2/labels/{id}', () => {
  let url = '';
  const served = (label: object) => api.state.labels.set(url.split('/').at(-1) ?? '', label as never);

  beforeEach(async () => {
    const { body } = await shop.create();
    url = new URL(body.data[0].trackingDetails[0].label).pathname;
    served(readyLabel('%PDF-1.4'));
  });

  it('serves the bytes to whoever has the link', async () => {
    expect(await api.call({ url })).toMatchObject({
      status: 200,
      text: '%PDF-1.4',
      headers: {
        'content-type': 'application/pdf',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; sandbox",
        'content-disposition': 'inline; filename="label.pdf"',
      },
    });
  });

  it('serves it to its shipper, hides it from another, and refuses a token that is none', async () => {
    const other = await api.newShipper();
    const all = [await shop.get(url), await other.get(url), await api.as('wb_shipper_x_y').get(url)];
    expect(all.map(({ status }) => status)).toEqual([200, 404, 401]);
  });

  it.each([
    ['revoked', { kind: 'gone', why: 'revoked', record: {} }, 404, ''],
    ['unknown', { kind: 'unknown' }, 404, ''],
    ['failed', { kind: 'gone', why: 'failed', record: { failure: 'not a label' } }, 502, 'not a label'],
    ['not made yet', { kind: 'not_ready', dueAtMs: api.clock.now() + 30_500, record: {} }, 503, '', '31'],
    [
      'not to be made at a time that is known',
      { kind: 'not_ready', record: { failure: 'answered 404' } },
      503,
      'answered 404',
      '30',
    ],
  ])('says when it is not there: %s', async (_, label, status, message, retryAfter?: string) => {
    served(label);
    const reply = await api.call({ url });
    expect(reply).toMatchObject({ status, body: { message: expect.stringContaining(message) } });
    expect(reply.headers['retry-after']).toBe(retryAfter);
  });

  it('is 400 for what no id can be', async () => {
    expect((await api.call({ url: '/v2/labels/..%2f..%2fetc' })).status).toBe(400);
  });
});
