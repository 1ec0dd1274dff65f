import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTransport } from '../../../src/engine/transport/transport.ts';
import { makeDue } from '../../../src/platform/processes/plans.ts';
import { erasePerson } from '../../../src/platform/records/erase.ts';
import { forgetOlder } from '../../../src/platform/records/retain.ts';
import { pdfTexts } from '../../support/barcode.ts';
import { apiWorld, order } from './world.ts';

const HOST = 'https://closer.example.com';
const closer = `
carrier: closer
name: Closer Post
environments: { production: { url: '${HOST}' } }
operations:
  create: { post: /orders, body: { json: consignment }, result: response.body }
  cancel: { post: /cancel, body: { json: consignment } }
  manifest:
    post: /close-outs
    body: { json: { number: '\${manifest.reference}', day: '\${manifest.day}', at: '\${manifest.facility.address.postalCode}', parcels: '\${[manifest.shipments.packages.{ "number": trackingNumber, "kg": weightKg }]}' } }
    outcomes: [ { status: 409, do: reject, messages: response.body.error } ]
    result: |
      { "number": response.body.id, "document": (response.body.pdf ? { "content": response.body.pdf }), "trackingNumbers": response.body.taken }
`;
const api = apiWorld({}, { profiles: { closer } });
const { shop, admin, clock } = api;
const MANIFESTS = '/v2/manifests';
const warehouse = {
  name: 'Example warehouse',
  contact: { name: 'Example Warehouse', contactNumber: '+49 30 5' },
  address: { line1: '5 Example Yard', city: 'Berlin', pincode: '10117', country: 'DE', county: 'Mitte' },
  timezone: 'Europe/Berlin',
};
const [leastPackage] = order().consignmentDetails.packageDetails;

/** A consignment of the facility, accepted by its carrier, with so many packages. */
const accepted = async (reference: string, { carrier = 'acme', packages = 1, more = {} } = {}): Promise<void> => {
  const { status, text: said } = await shop.create(
    order(
      {
        'carrier.code': carrier,
        'shipFrom.originFacilityCode': 'WH',
        'consignmentDetails.serviceType': 'Express',
        'consignmentDetails.totalQuantity': packages,
        'consignmentDetails.totalWeight': 2.5 * packages,
        'consignmentDetails.packageDetails': Array.from({ length: packages }, (_, at) => ({
          ...leastPackage,
          id: `P${at + 1}`,
        })),
        ...more,
      },
      reference,
    ),
  );
  expect(status, said).toBe(200);
};
const make = (carrier = 'acme', more: object = {}) =>
  shop.post(MANIFESTS, { carrier: { code: carrier }, facilityCode: 'WH', ...more });
const listUrl = (manifest: { documents: { kind: string; url: string }[] }, kind = 'list'): string =>
  new URL(manifest.documents.find((one) => one.kind === kind)?.url ?? '').pathname;
const linesOf = async (url: string) => {
  const { status, bytes, headers } = await api.call({ method: 'GET', url });
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/pdf');
  return (await pdfTexts(bytes)).map(({ lines }) => lines);
};

beforeEach(async () => {
  await shop.put('/v2/facilities/WH', warehouse);
});

/** Makes what is due by plans. */
const working = async (): Promise<void> => {
  while (await makeDue({ ...api.deps(), handOn: () => undefined }));
};
const held = async () =>
  (await admin.get('/admin/dispatches/held?operation=manifest&limit=500')).body.data.at(-1) as { id: number };
const resolve = async (outcome: string, more: object = {}) =>
  await admin.post(`/admin/dispatches/${(await held()).id}/resolve`, { outcome, note: 'seen there', ...more });

describe('our own list', () => {
  it('has what waits at the facility, as PDF, and strikes out what is cancelled afterwards', async () => {
    await accepted('REF-1', { packages: 2 });
    await accepted('REF-2');
    await accepted('REF-3', { more: { 'shipFrom.originFacilityCode': 'OTHER' } });
    await accepted('REF-4', {
      more: {
        'shipFrom.pickupStartDateTime': '2026-05-02 09:00:00',
        'shipFrom.pickupEndDateTime': '2026-05-02 10:00:00',
      },
    });
    const { status, body } = await make();
    expect(status, JSON.stringify(body)).toBe(200);
    const [manifest] = body.data;
    expect(manifest).toMatchObject({
      number: expect.stringMatching(/^M\d{8}$/),
      carrierCode: 'acme',
      facilityCode: 'WH',
      day: '2026-05-01',
      timezone: 'Europe/Berlin',
      acceptance: 'accepted',
      packageCount: 3,
      struckOutCount: 0,
    });
    const parcel = { packageId: 'P1', service: 'Express', weightKg: 2.5 };
    expect(manifest.packages).toEqual([
      { ...parcel, referenceNumber: 'REF-1', trackingNumber: 'T-REF-1-P1' },
      { ...parcel, referenceNumber: 'REF-1', packageId: 'P2', trackingNumber: 'T-REF-1-P2' },
      { ...parcel, referenceNumber: 'REF-2', trackingNumber: 'T-REF-2-P1' },
    ]);
    const [page = [], ...others] = await linesOf(listUrl(manifest));
    expect(others).toEqual([]);
    const seen = ['Carrier Acme Parcels', 'Facility WH', 'Day 2026-05-01', 'Packages 3, 7.5 kg', '10117 Berlin'];
    expect(page).toEqual(
      expect.arrayContaining([`MANIFEST ${manifest.number}`, ...seen, 'T-REF-1-P2', 'REF-2', 'IN 400001', '2.5 kg']),
    );
    expect(page.join(' ')).not.toContain('struck out');
    expect(page.join(' ')).not.toContain('Bob');

    await shop.cancel('REF-1');
    const { body: after } = await shop.get(`${MANIFESTS}/${manifest.number}`);
    expect(after).toMatchObject({ packageCount: 3, struckOutCount: 2 });
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(after.packages.map(({ struckOutAt }: { struckOutAt?: string }) => struckOutAt)).toEqual([at, at, undefined]);
    const [struck = []] = await linesOf(listUrl(manifest));
    expect(struck.filter((line) => /^struck out \d{4}-\d\d-\d\d \d\d:\d\d Europe\/Berlin$/.test(line))).toHaveLength(2);
    expect(struck).toContain('Packages 1, 2.5 kg; struck out 2');
    // Its day has come, and nothing else is left.
    clock.advance(86_400_000);
    expect((await make()).body.data[0].packages).toMatchObject([{ referenceNumber: 'REF-4' }]);
    clock.advance(-86_400_000);
  });

  it('has a package made anew under another number again, and strikes the old number out', async () => {
    await accepted('REF-1');
    const [first] = (await make()).body.data;
    await api.sql(`update packages set tracking_number = 'T-NEW' where tracking_number = 'T-REF-1-P1'`);
    const [second] = (await make()).body.data;
    expect(second.packages).toMatchObject([{ trackingNumber: 'T-NEW' }]);
    expect((await shop.get(`${MANIFESTS}/${first.number}`)).body).toMatchObject({ struckOutCount: 1 });
  });

  it('has each package once, however many ask at the same time', async () => {
    for (let at = 1; at <= 4; at += 1) await accepted(`REF-${at}`, { packages: 2 });
    const replies = await Promise.all(Array.from({ length: 20 }, async () => await make()));
    const made = replies.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    expect(made[0]?.body.data[0].packages).toHaveLength(8);
    expect(replies.filter(({ body }) => body.code === 'nothing_to_manifest')).toHaveLength(19);
  });

  it('is the same for repeats under one key', async () => {
    await accepted('REF-1');
    const key = { 'idempotency-key': 'one' };
    const ask = async () => await shop.post(MANIFESTS, { carrier: { code: 'acme' }, facilityCode: 'WH' }, key);
    const [first, second] = [await ask(), await ask()];
    expect(second.body).toEqual(first.body);
    expect(first.body.data[0].packageCount).toBe(1);
  });

  it('is listed, filtered, by pages', async () => {
    const numbers: string[] = [];
    for (const [at, carrier] of ['acme', 'solo', 'acme'].entries()) {
      await accepted(`REF-${at + 1}`, {
        carrier,
        more: carrier === 'solo' ? { 'consignmentDetails.serviceType': 'Standard' } : {},
      });
      numbers.unshift((await make(carrier)).body.data[0].number);
    }
    const listed = async (query: string) => (await shop.get(`${MANIFESTS}?${query}`)).body;
    const first = await listed('limit=2');
    expect(first.data.map(({ number }: { number: string }) => number)).toEqual(numbers.slice(0, 2));
    expect(first.data[0]).not.toHaveProperty('packages');
    const rest = await listed(`limit=2&cursor=${first.nextCursor}`);
    expect(rest).toMatchObject({ data: [{ number: numbers[2], packageCount: 1 }] });
    expect((await listed('carrier=solo')).data).toMatchObject([{ number: numbers[1] }]);
    expect((await listed('fromDate=2026-05-02')).data).toEqual([]);
    expect((await listed('facilityCode=WH&fromDate=2026-05-01&toDate=2026-05-01')).data).toHaveLength(3);
    const other = await api.newShipper();
    expect((await other.get(MANIFESTS)).body.data).toEqual([]);
    expect(await other.get(`${MANIFESTS}/${numbers[0]}`)).toMatchObject({
      status: 404,
      body: { code: 'unknown_manifest' },
    });
    expect(await other.get(listUrl(first.data[0]))).toMatchObject({ status: 404, body: { code: 'unknown_document' } });
  });

  it.each([
    ['an unknown carrier', { carrier: { code: 'nobody' } }, 'carrier_known', 'carrier.code'],
    ['an unknown facility', { facilityCode: 'NOWHERE' }, 'facility_known', 'facilityCode'],
    ['a day that has not begun there', { day: '2026-05-02' }, 'day_begun', 'day'],
  ])('is not made for %s', async (_, wrong, code, field) => {
    const { status, body } = await make('acme', wrong);
    expect(status).toBe(422);
    expect(body.findings).toEqual([expect.objectContaining({ code, field })]);
  });

  it('is not made of nothing, which names the one that has it all', async () => {
    expect(await make()).toMatchObject({ status: 422, body: { code: 'nothing_to_manifest' } });
    await accepted('REF-1');
    const [{ number }] = (await make()).body.data;
    expect((await make()).body.message).toContain(number);
    expect((await shop.post(MANIFESTS, { facilityCode: 'WH', day: 'x' })).status).toBe(400);
  });
});

describe('at a cut-off', () => {
  it('is made by itself, local to the facility, on working days, and not when it is cleared', async () => {
    const manifests = [{ carrier: { code: 'acme' }, cutOff: '12:00' }];
    const saved = await shop.put('/v2/facilities/WH', { ...warehouse, manifests });
    expect(saved).toMatchObject({ status: 200, body: { manifests } });
    await accepted('REF-1');
    await working();
    expect((await shop.get(MANIFESTS)).body.data).toEqual([]);
    // Berlin is two hours ahead of 09:00 UTC.
    clock.advance(3_600_000);
    await shop.put('/v2/facilities/WH', { ...warehouse, manifests });
    await working();
    await working();
    expect((await shop.get(MANIFESTS)).body.data).toMatchObject([{ day: '2026-05-01', packageCount: 1 }]);
    // Friday's is made: the next is Monday's.
    const [plan] = await api.sql('select day::text, due_at from plans order by id desc limit 1');
    expect(plan).toEqual({ day: '2026-05-04', due_at: new Date('2026-05-04T10:00:00Z') });
    await shop.put('/v2/facilities/WH', warehouse);
    expect(await api.sql('select from plans where due_at is not null')).toEqual([]);
    clock.advance(-3_600_000);
  });
  it.each([
    [{ carrier: { code: 'nobody' }, cutOff: '12:00' }, 422],
    [{ carrier: { code: 'acme' }, cutOff: '25:00' }, 400],
    [{ carrier: { code: 'acme' }, cutOff: '12:00', weekdays: ['DOMINGO'] }, 400],
  ])('is configured rightly or not at all: %j', async (cutOff, status) => {
    const reply = await shop.put('/v2/facilities/WH', { ...warehouse, manifests: [cutOff] });
    expect(reply.status).toBe(status);
    expect(reply.body.findings[0].field).toMatch(/^manifests\[0\]/);
  });
});

describe('a carrier’s close-out', () => {
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies of every shape
  const asked: any[] = [];
  let answer: (body: Record<string, unknown>) => { status?: number; json: object } | 'hang up';
  const taken = () => ({
    json: { id: `C-${asked.length}`, pdf: Buffer.from('%PDF-1.4\ncarrier\n%%EOF\n').toString('base64') },
  });
  let server: Server;
  const { send, close } = createTransport({ allowPrivateNetworks: true, userAgent: 'test' });
  const wire = async (request: Parameters<typeof send>[0], limits: Parameters<typeof send>[1]) => {
    const { port } = server.address() as AddressInfo;
    const url = request.url.replace(HOST, `http://127.0.0.1:${port}`);
    return await send({ ...request, url, allowedHosts: undefined }, limits);
  };
  const handle = async (request: IncomingMessage) => {
    const body = JSON.parse(await text(request)) as Record<string, unknown>;
    asked.push(body);
    return answer(body);
  };
  beforeAll(async () => {
    server = createServer((request, response) => {
      void handle(request).then((said) => {
        if (said === 'hang up') return request.socket.destroy();
        response.writeHead(said.status ?? 200, { 'content-type': 'application/json' });
        return response.end(JSON.stringify(said.json));
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    close();
    await new Promise((resolve) => void server.close(resolve));
  });
  beforeEach(async () => {
    asked.length = 0;
    answer = taken;
    await accepted('REF-1', { carrier: 'closer', packages: 2 });
    await accepted('REF-2', { carrier: 'closer' });
    api.state.wire = wire;
  });
  it('is asked for once, with all that waits, and its document is served', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, async () => await make('closer')));
    const made = replies.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    const [manifest] = made[0]?.body.data ?? [];
    expect(manifest).toMatchObject({ acceptance: 'accepted', carrierNumbers: ['C-1'], packageCount: 3 });
    expect(asked).toEqual([
      {
        number: manifest.number,
        day: '2026-05-01',
        at: '10117',
        parcels: ['T-REF-1-P1', 'T-REF-1-P2', 'T-REF-2-P1'].map((number) => ({ number, kg: 2.5 })),
      },
    ]);
    const { bytes, headers } = await shop.get(listUrl(manifest, 'carrier'));
    expect(bytes.toString()).toContain('carrier');
    expect(headers['content-security-policy']).toContain('sandbox');
    expect((await linesOf(listUrl(manifest))).flat()).toContain('Number at the carrier C-1');
  });

  it('leaves what the carrier leaves out to another manifest', async () => {
    answer = () => ({ json: { id: 'C-1', taken: ['T-REF-1-P1', 'T-REF-1-P2'] } });
    const [first] = (await make('closer')).body.data;
    expect(first).toMatchObject({ packageCount: 2, warnings: [expect.stringContaining('T-REF-2-P1')] });
    answer = taken;
    expect((await make('closer')).body.data[0].packages).toMatchObject([{ referenceNumber: 'REF-2' }]);
  });

  it('that is refused says so in the carrier’s words, and all of it may be on another', async () => {
    answer = () => ({ status: 409, json: { error: 'closed already' } });
    const refused = await make('closer');
    expect(refused).toMatchObject({ status: 422, body: { code: 'carrier_rejected', errors: ['closed already'] } });
    expect((await shop.get(MANIFESTS)).body.data).toMatchObject([
      { acceptance: 'rejected', reason: { message: 'closed already' } },
    ]);
    answer = taken;
    expect((await make('closer')).body.data[0].packageCount).toBe(3);
  });

  it.each([
    ['done', { number: 'C-9' }, { acceptance: 'accepted', carrierNumbers: ['C-9'] }, 422],
    ['not_done', {}, { acceptance: 'rejected' }, 200],
    ['rejected', {}, { acceptance: 'rejected' }, 200],
  ])(
    'of unknown outcome is held, asked for no more, and ends as an operator says: %s',
    async (outcome, more, after, next) => {
      answer = () => 'hang up';
      const [manifest] = (await make('closer')).body.data;
      expect(manifest.acceptance).toBe('held');
      expect(asked).toHaveLength(1);
      expect((await make('closer')).body.code).toBe('nothing_to_manifest');
      expect(await held()).toMatchObject({
        operation: 'manifest',
        referenceNumber: manifest.number,
        carrierCode: 'closer',
      });
      expect((await resolve(outcome, more)).status).toBe(200);
      expect((await shop.get(`${MANIFESTS}/${manifest.number}`)).body).toMatchObject(after);
      answer = taken;
      expect((await make('closer')).status).toBe(next);
    },
  );

  it('is not asked for again by whoever takes over from a process that died between its answer and the record', async () => {
    api.state.wire = async (...given) => {
      const answered = await wire(...(given as unknown as Parameters<typeof wire>));
      await api.sql(
        `update dispatches set lease = gen_random_uuid(), lease_until = now() - interval '1 s' where state = 'sending'`,
      );
      return answered;
    };
    const [manifest] = (await make('closer')).body.data;
    expect(manifest.acceptance).toBe('pending');
    api.state.wire = wire;
    await api.work();
    expect(asked).toHaveLength(1);
    expect((await shop.get(`${MANIFESTS}/${manifest.number}`)).body.acceptance).toBe('held');
    expect((await make('closer')).body.code).toBe('nothing_to_manifest');
    await resolve('rejected');
  });

  it('leaves nothing of a person once that is erased, and no document of long ago', async () => {
    const [manifest] = (await make('closer')).body.data;
    const shipper = await api.sql(`select id from shippers order by id desc limit 1`);
    const owner = { shipperId: shipper[0].id, environment: 'production' as const };
    const erased = await erasePerson(api.database.pool, { ...owner, referenceNumber: 'REF-2' }, { apply: true });
    expect(erased).toMatchObject({ kind: 'erased', erased: { manifestDocuments: 1 } });
    expect(await shop.get(listUrl(manifest, 'carrier'))).toMatchObject({ status: 404 });
    const lines = (await linesOf(listUrl(manifest))).flat();
    expect(lines.filter((line) => line === 'IN 400001')).toHaveLength(2);
    expect(await api.sql('select from exchanges where dispatch_id = (select max(id) from dispatches)')).toEqual([]);

    api.state.wire = undefined;
    await accepted('REF-6', { carrier: 'closer' });
    api.state.wire = wire;
    const [second] = (await make('closer')).body.data;
    const { manifestDocuments } = await forgetOlder(api.database.pool, new Date(Date.now() + 60_000));
    expect(manifestDocuments).toBeGreaterThan(0);
    expect((await shop.get(listUrl(second, 'carrier'))).status).toBe(404);
    expect((await shop.get(`${MANIFESTS}/${second.number}`)).body.packageCount).toBe(1);
  });
});
