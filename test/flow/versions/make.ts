/**
 * Makes the dump of a version, by that version itself, with something in every state; it is kept for as long as that
 * version may be upgraded from: `DATABASE_URL=… node test/flow/versions/make.ts > test/flow/versions/<version>.sql`,
 * with an empty database of the oldest PostgreSQL that is supported, and pg_dump.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Client } from 'pg';
import { until } from '../../support/until.ts';
import { listenLocally, textOf } from '../carrier.ts';
import { ADMIN, call, makeHome, type Reply, spawnServer, startServer } from '../server.ts';
import { orderOf, PROFILE } from './story.ts';

const databaseUrl = process.env['DATABASE_URL'] ?? '';
const client = new Client({ connectionString: databaseUrl });
await client.connect();

const carrier = await listenLocally(async (request, response) => {
  const { referenceId, itemList = [] } = JSON.parse(await textOf(request)) as {
    readonly referenceId: string;
    readonly itemList?: readonly { readonly itemReferenceNumber: string }[];
  };
  if (referenceId === 'SENDING') return;
  if (referenceId === 'HELD') return void request.socket.destroy();
  const status = referenceId === 'REJECTED' ? 400 : referenceId === 'WAITING' ? 429 : 200;
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '3600' });
  const itemsTrackDetails = itemList.map(({ itemReferenceNumber }) => ({
    itemReferenceNumber,
    trackingNumber: `T-${referenceId}-${itemReferenceNumber}`,
  }));
  response.end(JSON.stringify({ status, referenceId, message: 'the example says so', itemsTrackDetails }));
});
/** Fails for one consignment. */
const told: string[] = [];
const receiver = await listenLocally(async (request, response) => {
  const { referenceNumber, event } = JSON.parse(await textOf(request)) as Record<string, string>;
  told.push(`${event} ${referenceNumber}`);
  response.writeHead(referenceNumber === 'DELIVERED' ? 503 : 200).end();
});

const where = { home: await makeHome({ plain: PROFILE }), databaseUrl };
const { url, child } = await spawnServer(where);
let server = { url };
const as =
  (token: string) =>
  async (method: string, path: string, body?: object, headers = {}): Promise<Reply> => {
    const reply = await call(`${server.url}${path}`, token, { method, body: JSON.stringify(body), headers });
    process.stderr.write(`${method} ${path} ${reply.status}\n`);
    return reply;
  };
const [admin, later] = [as(ADMIN), { prefer: 'respond-async' }];
const shop = String((await admin('POST', '/admin/shippers', { code: 'shop', name: 'Example Shop' })).body['token']);
const plain = String((await admin('POST', '/admin/carriers/plain/tokens', {})).body['token']);
const [asShop, asCarrier] = [as(shop), as(plain)];
const credentials = { token: 'carrier-token-1' };
await admin('PUT', '/admin/accounts', {
  shipper: 'shop',
  carrier: 'plain',
  credentials,
  settings: { url: carrier.url },
});
const subscribed = await asShop('POST', '/v2/webhooks', { url: receiver.url, orderTypes: ['FORWARD'] });

const create = async (reference: string, headers = {}): Promise<Reply> =>
  await asShop('POST', '/v2/consignments', orderOf(reference), headers);
const push = async (value: string, carrierStatusCode: string, more = {}): Promise<Reply> =>
  await asCarrier('POST', '/v2/carriers/plain/statuses', {
    type: 'Tracking',
    value,
    carrierStatusCode,
    statusReceivedAt: '2026-11-20 08:15:00',
    ...more,
  });
const stateOf = async (reference: string): Promise<unknown> =>
  (
    await client.query(
      'select state from dispatches d join consignments c on c.id = consignment_id where reference_number = $1',
      [reference],
    )
  ).rows[0]?.state;

await create('DONE', { 'idempotency-key': 'key-of-done' });
await push('T-DONE-PKG-1', 'IN_TRANSIT', { label: { content: Buffer.from('^XA^FDexample^FS^XZ').toString('base64') } });
await create('DELIVERED');
await push('T-DELIVERED-PKG-1', 'DELIVERED');
await create('CANCELLED');
await asShop('POST', '/v2/consignments-cancel', { consignments: [{ referenceNumber: 'CANCELLED' }] });
for (const reference of ['REJECTED', 'HELD']) await create(reference);
// Before there is a consignment of that number.
await push('T-LATER-PKG-1', 'OUT_FOR_DELIVERY');
for (const reference of ['WAITING', 'SENDING']) {
  await create(reference, later);
  const wanted = reference.toLowerCase();
  await until(`it is ${wanted}`, async () => (await stateOf(reference)) === wanted);
}
await until('the shipper is told', () => told.includes('consignment.in_transit DONE'));
await until('what fails waits', async () => {
  const { rows } = await client.query(`select 1 from deliveries where state in ('pending', 'sending')`);
  return rows.length === 0;
});
// A worker dies while its carrier is asked; an API alone takes orders that nobody carries out.
child.kill('SIGKILL');
await once(child, 'exit');
server = await startServer({ ...where, role: 'api' });
await create('PENDING', { ...later, 'idempotency-key': 'key-of-pending' });
await client.query(
  `insert into pushes (carrier_code, source, request, body) values ('plain', 'contract', $1, convert_to($2, 'UTF8'))`,
  [
    JSON.stringify({ method: 'POST', url: '/v2/carriers/plain/statuses', headers: {} }),
    JSON.stringify({
      type: 'Tracking',
      value: 'T-DONE-PKG-1',
      carrierStatusCode: 'OUT_FOR_DELIVERY',
      statusReceivedAt: '2026-11-21 08:15:00',
    }),
  ],
);

// As versions after 0.1.0 say that it is to be processed.
await client.query(`update pushes set due_at = now() where state = 'pending'`).catch(() => undefined);

const dump = execFileSync(
  'pg_dump',
  ['--no-owner', '--no-privileges', '--rows-per-insert=50', '--exclude-schema=bullmq', databaseUrl],
  {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  },
);
// What only psql understands, and what differs from one run to the next.
const sql = dump.replaceAll(/^(?:\\.*|--.*|SET transaction_timeout.*)\n/gm, '').replaceAll(/\n{3,}/g, '\n\n');
const said = JSON.stringify({ shop, plain, secret: subscribed.body['secret'] });
const text = `-- ${said}\n${sql}`;
if (!process.stdout.write(text)) await once(process.stdout, 'drain');
process.exit(0);
