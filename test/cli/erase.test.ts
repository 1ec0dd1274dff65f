import { describe, expect, it } from 'vitest';
import { held } from '../platform/api/carrier.ts';
import { apiWorld, order } from '../platform/api/world.ts';
import { homeWith } from './home.ts';

describe('waybill erase', () => {
  const api = apiWorld();
  /** Every column of every table that holds the text, in words or in bytes. */
  const placesOf = async (text: string): Promise<string[]> => {
    const columns = await api.sql(
      `select table_name as table, column_name as column, data_type as type from information_schema.columns
       where table_schema = 'public' and data_type in ('text', 'bytea', 'jsonb', 'json')`,
    );
    const found: string[] = [];
    for (const { table, column, type } of columns) {
      const within = type === 'bytea' ? `convert_to($1, 'UTF8') in "${column}"` : `$1 in "${column}"::text`;
      const held = await api.sql(`select 1 from "${table}" where position(${within}) > 0 limit 1`, [text]);
      if (held.length > 0) found.push(`${table}.${column}`);
    }
    return found.toSorted();
  };
  /** Inserts a row, and yields it as it is kept. Objects are written as JSON, buffers as bytes. */
  const insert = async (table: string, row: Readonly<Record<string, unknown>>) => {
    const values = Object.keys(row).map((_, at) => `$${at + 1}`);
    const statement = `insert into ${table} (${Object.keys(row).join()}) values (${values.join()}) returning *`;
    return (await api.sql(statement, Object.values(row)))[0];
  };
  const run = async (...args: string[]) =>
    await homeWith({}, { DATABASE_URL: api.database.databaseUrl }).run('erase', ...args);

  /** A consignment whose person is named wherever a person can be. */
  const withPerson = async (person: string, reference: string, code: string) => {
    const shipper = await api.newShipper(code);
    const changes = {
      'consignmentDetails.deliveryInstructions': `ask for ${person}`,
      'consignmentDetails.additionalInformation.note': person,
      'shipTo.contact.name': person,
      'shipTo.address.line2': `c/o ${person}`,
      'returnTo.address.line1': person,
      unknownField: { of: person },
    };
    const { status } = await shipper.create(order(changes, reference), { 'idempotency-key': `key-${reference}` });
    expect(status).toBe(200);
    const [{ id }] = await api.sql('select id from consignments where reference_number = $1', [reference]);
    await api.sql(
      `insert into exchanges (carrier_code, environment, consignment_id, dispatch_id, profile_hash, operation, step,
         element, attempt, method, url, request_headers, request_body, duration_ms, outcome)
       select 'acme', 'production', $1, id, 'h', 'create', 's', 0, 1, 'POST', 'https://a', '{}', $2, 1, 'ok'
       from dispatches where consignment_id = $1`,
      [id, Buffer.from(person)],
    );
    const failure = { why: 'fail', problem: { code: 'x', messages: [person] } };
    const ended = [id, { person }, failure];
    await api.sql('update dispatches set input = $2, result = $2, failure = $3 where consignment_id = $1', ended);
    const pushed = async (text: string, state = 'done', carrier = 'acme') => {
      const source = state === 'done' ? 'contract' : 'webhook';
      const what = { carrier_code: carrier, source, state, request: { a: 1 }, body: Buffer.from(text) };
      return await insert('pushes', what);
    };
    const DELIVERED = { carrier_code: 'acme', status: 'Order Delivered', carrier_status: '', carrier_sub_status: '' };
    const happened = async (identity: string, match: Readonly<Record<string, unknown>>, body: unknown) => {
      const { id: push_id } = await pushed(person);
      const when = { occurred_at: new Date(), event_timezone: 'UTC' };
      const words = { identity: Buffer.from(identity), carrier_description: `signed by ${person}`, body };
      await insert('events', { push_id, ...DELIVERED, ...when, ...match, ...words });
    };
    const extraInfo = { signedBy: person };
    await happened(reference, { match: 'matched', consignment_id: id, position: 0 }, { extraInfo });
    // What the carrier said before its number was known here, and what nobody could read.
    const tracking = `T-${reference}-P1`;
    const sought = { match: 'unmatched', sought_kind: 'Tracking', sought_value: tracking };
    await happened(tracking, sought, { value: tracking, extraInfo });
    await pushed(`<broken>${tracking} ${person}`, 'failed');
    await pushed(`<another carrier's>${tracking}`, 'failed', 'other');
    const notice = { id: `evt-${reference}`, consignment_id: id, sequence: 99, event: 'consignment.status' };
    await insert('notices', { ...notice, body: { referenceNumber: reference, extraInfo } });
    const asked = { shipFrom: { contact: { name: person } }, specialInstructions: person };
    const pickup = { reference: `PU-${reference}`, address: { name: person, country: 'DE' }, packages: [] };
    await api.sql(
      `insert into errands (kind, shipper_id, environment, reference_number, carrier_code, day, acceptance, request, result)
       select 'pickup', shipper_id, environment, 'PU-' || reference_number, 'acme', '2026-05-04', 'accepted', $2, $3
       from consignments where id = $1`,
      [
        id,
        JSON.stringify({ asked, consignments: [reference], pickup }),
        JSON.stringify({ number: 'V1', memo: { person } }),
      ],
    );
    await insert('audit_log', { actor: 'x', action: 'cancel', subject: `consignment:${id}`, detail: person });
    return { shipper, id };
  };

  it('only counts without --apply, and leaves nothing of a person anywhere with it', async () => {
    const person = 'Dora Example-Person';
    const { shipper, id } = await withPerson(person, 'ERASE-1', 'eraser');
    await withPerson('Emil Example-Other', 'KEEP-1', 'keeper');
    const before = await placesOf(person);
    const written =
      'audit_log.detail consignments.canonical consignments.order_text dispatches.failure dispatches.input events.body ' +
      'events.carrier_description exchanges.request_body notices.body pushes.body';
    expect(before).toEqual(expect.arrayContaining(written.split(' ')));

    const dry = await run('--shipper', 'eraser', '--reference', 'ERASE-1', '--json');
    expect(dry.code).toBe(0);
    const once = 'consignments pickups dispatches exchanges labels events idempotencyKeys unmatchedEvents unreadPushes';
    const counts = Object.fromEntries(once.split(' ').map((what) => [what, 1]));
    expect(JSON.parse(dry.out)).toEqual({
      applied: false,
      notices: expect.any(Number),
      manifestDocuments: 0,
      ...counts,
    });
    expect(await placesOf(person)).toEqual(before);

    const applied = await run('--shipper', 'eraser', '--reference', 'ERASE-1', '--apply');
    expect(applied).toMatchObject({ code: 0, error: '' });
    expect(applied.out).toContain('1 labels, 0 documents of manifests, 1 events');
    expect(await placesOf(person)).toEqual([]);
    const audit = await api.sql(`select action, subject, detail from audit_log where actor = 'command'`);
    const [{ pickup }] = await api.sql(
      `select max(id) as pickup from errands where reference_number = 'PU-ERASE-1' and result = '{"number": "V1"}'`,
    );
    expect(audit).toEqual([
      { action: 'erase', subject: `consignment:${id}`, detail: null },
      { action: 'erase', subject: `errand:${pickup}`, detail: null },
    ]);
    expect((await placesOf('Emil Example-Other')).length).toBeGreaterThan(8);

    expect(await shipper.read('ERASE-1')).toMatchObject({
      referenceNumber: 'ERASE-1',
      trackingDetails: [{ packageId: 'P1', trackingNumber: 'T-ERASE-1-P1' }],
      events: [{ status: 'Order Delivered' }],
      labels: [],
    });
    const again = await shipper.change({ referenceNumber: 'ERASE-1', deliveryInstructions: 'x' });
    expect(again.status).toBe(400);
  });

  it('waits for what is under way or held', async () => {
    const shipper = await api.newShipper('holder');
    api.carrier.answers(held('fail'));
    await shipper.create(order({}, 'HELD'));
    const { code, error } = await run('--shipper', 'holder', '--reference', 'HELD', '--apply');
    expect(code).toBe(1);
    expect(error).toMatch(/dispatch \d+ is under way or held/);
    expect(await placesOf('Bob Example')).toContain('consignments.order_text');
  });

  it.each([
    [['--shipper', 'nobody', '--reference', 'X'], 'there is no shipper "nobody"'],
    [
      ['--shipper', 'eraser', '--reference', 'X'],
      'shipper eraser has no consignment and no pickup with the reference "X"',
    ],
    [['--shipper', 'eraser', '--reference', 'ERASE-1', '--environment', 'sandbox'], 'has no consignment'],
    [['--shipper', 'eraser'], '--reference'],
  ])('with %j is misuse: %s', async (args, why) => {
    expect(await run(...args)).toMatchObject({ code: 2, out: '', error: expect.stringContaining(why) });
  });
});
