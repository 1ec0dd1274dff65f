/** The server on the database of an earlier version: what that one began goes on. */
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../simulator/demo/receiver.ts';
import { takeProblems } from '../support/answers.ts';
import { createDatabase } from '../support/database.ts';
import { read as readFile } from '../support/project.ts';
import { until } from '../support/until.ts';
import { type OwnCarrier, startCarrier } from './carrier.ts';
import { ADMIN, call, makeHome, type Reply, startServer } from './server.ts';
import { orderOf, PROFILE } from './versions/story.ts';

const FOLDER = path.join(import.meta.dirname, 'versions');
const versions = readdirSync(FOLDER).flatMap((name) => (name.endsWith('.sql') ? [name.slice(0, -'.sql'.length)] : []));

it('there is a dump of every release', () => {
  const releases = [...readFile('CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$/gm)].map(
    ([, version]) => version,
  );
  expect(releases).not.toEqual([]);
  expect(versions).toEqual(expect.arrayContaining(releases));
});

describe.each(versions)('the database of %s', (version) => {
  const dump = readFileSync(path.join(FOLDER, `${version}.sql`), 'utf8');
  const said = JSON.parse(dump.slice('-- '.length, dump.indexOf('\n'))) as Record<'shop' | 'plain' | 'secret', string>;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let client: Client;
  let carrier: OwnCarrier;
  let receiver: Receiver;
  let home: string;
  let server: Awaited<ReturnType<typeof startServer>>;

  beforeAll(async () => {
    [carrier, receiver, home] = [await startCarrier(), await startReceiver(), await makeHome({ plain: PROFILE })];
    receiver.trust(said.secret);
    database = await createDatabase({ empty: true });
    client = new Client({ connectionString: database.databaseUrl });
    await client.connect();
    await client.query(dump);
    // Carrier and shop live elsewhere by now, and what had to wait has waited.
    await client.query(`
      set search_path to public;
      update accounts set settings = replace(settings, settings::json ->> 'url', '${carrier.url}');
      update subscriptions set url = '${receiver.url}';
      update dispatches set due_at = now() where state = 'waiting';
      update dispatches set lease_until = now() where state = 'sending';
      update deliveries set due_at = now() where state = 'waiting'`);
    server = await startServer({ home, databaseUrl: database.databaseUrl });
  });
  afterAll(async () => {
    await server.close();
    await client.end();
    for (const part of [receiver, carrier, { close: database.drop }]) await part.close();
    await rm(home, { recursive: true });
  });

  const as =
    (token: string) =>
    async (method: string, route: string, body?: object, headers = {}): Promise<Reply> =>
      await call(`${server.url}${route}`, token, { method, body: JSON.stringify(body), headers });
  const [asShop, asAdmin] = [as(said.shop), as(ADMIN)];
  const create = async (reference: string, headers = {}): Promise<Reply> =>
    await asShop('POST', '/v2/consignments', orderOf(reference), headers);
  const read = async (reference: string): Promise<Reply> =>
    await asShop('GET', `/v2/consignments?referenceNumber=${reference}`);
  const says = async (reference: string, text: string): Promise<boolean> =>
    JSON.stringify((await read(reference)).body).includes(text);

  it.each(['PENDING', 'WAITING', 'SENDING'])('goes on with what was %s', async (reference) => {
    await until('it has its number', async () => await says(reference, `"T-${reference}-PKG-1"`));
    const asked = carrier.seen.filter(({ body }) => body.referenceId === reference);
    expect(asked.map(({ authorization }) => authorization)).toEqual(['Bearer carrier-token-1']);
  });

  it.each([
    ['DONE', '"In Transit"'],
    ['DELIVERED', '"Order Delivered"'],
    ['CANCELLED', '"Cancelled"'],
  ])('tells the story of what was %s', async (reference, status) => {
    expect(await says(reference, status)).toBe(true);
    expect(await says(reference, `"T-${reference}-PKG-1"`)).toBe(true);
    expect(carrier.seen.some(({ body }) => body.referenceId === reference)).toBe(false);
  });

  it('processes what was pushed, and tells of it beside what it had yet to tell, each signed as before', async () => {
    await until('the push is processed', async () => await says('DONE', '"Out for Delivery"'));
    await until('all is told', async () => {
      const { rows } = await client.query(`select 1 from deliveries where state <> 'delivered'`);
      return rows.length === 0;
    });
    const told = receiver.received.map(({ event, referenceNumber }) => `${event} ${referenceNumber}`);
    expect(told).toEqual(expect.arrayContaining(['consignment.out_for_delivery DONE', 'consignment.status DELIVERED']));
    expect(receiver.forged()).toBe(0);
  });

  it('serves its labels', async () => {
    const { rows } = await client.query<{ id: string }>('select id from labels');
    const label = await fetch(`${server.url}/v2/labels/${rows[0]?.id}`);
    expect(await label.text()).toBe('^XA^FDexample^FS^XZ');
  });

  it('replays what was answered to a key, and knows what was asked with it', async () => {
    // The order of today names other days.
    const { rows } = await client.query<{ order: object }>(
      `select order_text::json as order from consignments where reference_number = 'DONE'`,
    );
    const { body } = await asShop('POST', '/v2/consignments', rows[0]?.order, { 'idempotency-key': 'key-of-done' });
    expect(JSON.stringify(body)).toContain('"T-DONE-PKG-1"');
    // Word for word: what answers have since that version is not in it.
    for (const problem of takeProblems()) expect(problem).toMatch(/"missingProperty":"(?:acceptance|code)"/);
    expect(await create('OTHER', { 'idempotency-key': 'key-of-done' })).toMatchObject({ status: 409 });
    expect(await create('DONE')).toMatchObject({ status: 409 });
  });

  it('gives an event that came first to the consignment that comes now', async () => {
    expect(await create('LATER')).toMatchObject({ status: 200 });
    await until('the event is applied', async () => await says('LATER', '"Out for Delivery"'));
  });

  it('lets what was held be tried again, and what was rejected be sent anew', async () => {
    const held = await asAdmin('GET', '/admin/dispatches/held');
    expect(JSON.stringify(held.body)).toContain('"HELD"');
    await asShop('POST', '/v2/consignments/HELD/dispatch');
    await until('it has its number', async () => await says('HELD', '"T-HELD-PKG-1"'));
    expect(JSON.stringify((await create('REJECTED')).body)).toContain('"T-REJECTED-PKG-1"');
  });

  it('takes what its carrier pushes', async () => {
    const update = { type: 'Tracking', value: 'T-HELD-PKG-1', carrierStatusCode: 'DELIVERED' };
    const body = { ...update, statusReceivedAt: '2026-11-22 08:15:00' };
    expect(await as(said.plain)('POST', '/v2/carriers/plain/statuses', body)).toMatchObject({ status: 200 });
    await until('it is known', async () => await says('HELD', '"Order Delivered"'));
  });
});
