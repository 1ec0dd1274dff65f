import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_CARRIERS } from '../../simulator/demo/carriers.ts';
import { orderFor } from '../../simulator/demo/order.ts';
import { type Receiver, startReceiver } from '../../simulator/demo/receiver.ts';
import { freshDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { type OwnCarrier, startCarrier } from './carrier.ts';
import { ADMIN, call, makeHome, minimalProfile, openShop, type Running, startServer } from './server.ts';

const [plain] = DEMO_CARRIERS;
if (plain === undefined) throw new Error('the demo lost its first carrier');

describe('a profile that changes under a running server', () => {
  const database = freshDatabase();
  let carrier: OwnCarrier;
  let receiver: Receiver;
  let home: string;
  let server: Running;
  let shop: string;

  const writeProfile = async (more: string): Promise<void> =>
    await writeFile(path.join(home, 'carriers/plain.yaml'), minimalProfile(carrier.url) + more);
  const reload = async (): Promise<void> => {
    const reply = await call(`${server.url}/admin/reload`, 'POST', ADMIN);
    expect(reply.status).toBe(200);
  };
  const told = (status: string): boolean => receiver.received.some((notice) => notice.status === status);

  beforeAll(async () => {
    carrier = await startCarrier();
    receiver = await startReceiver();
    home = await makeHome({ plain: minimalProfile(carrier.url) });
    server = await startServer({ home, databaseUrl: database.databaseUrl });
    shop = await openShop(server.url);
    const subscribed = await call(`${server.url}/v2/webhooks`, 'POST', shop, {
      url: receiver.url,
      orderTypes: ['forward'],
    });
    receiver.trust(String(subscribed.body['secret']));
    await call(`${server.url}/v2/consignments`, 'POST', shop, orderFor(plain, 'REF-1', 1));
    const token = await call(`${server.url}/admin/carriers/plain/tokens`, 'POST', ADMIN, {});
    await call(`${server.url}/v2/carriers/plain/statuses`, 'POST', String(token.body['token']), {
      value: 'T-REF-1-PKG-1',
      carrierStatusCode: 'ON_THE_MOON',
      statusReceivedAt: '2026-05-02 08:00:00',
    });
    await until('the unknown status is told', () => told('Unmapped'));
  });
  afterAll(async () => {
    await server.close();
    await receiver.close();
    await carrier.close();
    await rm(home, { recursive: true, force: true });
  });

  it('makes good what it has learnt: stored events are normalised again, and the shipper is told', async () => {
    await writeProfile('statuses: { table: { ON_THE_MOON: Delayed } }\n');
    await reload();
    await until('the status that the table has learnt is told', () => told('Delayed'));
    const stored = await call(`${server.url}/v2/consignments?referenceNumber=REF-1`, 'GET', shop);
    expect(JSON.stringify(stored.body)).toContain('"Delayed"');
    const unmapped = await call(`${server.url}/admin/statuses/unmapped`, 'GET', ADMIN);
    expect(JSON.stringify(unmapped.body)).not.toContain('ON_THE_MOON');
  });

  it('stays in its last good version when the new one is broken, and says what is wrong with it', async () => {
    await writeProfile('sttuses: {}\n');
    await reload();
    const listed = JSON.stringify((await call(`${server.url}/admin/carriers`, 'GET', ADMIN)).body);
    expect(listed).toContain('sttuses');
    const reply = await call(`${server.url}/v2/consignments`, 'POST', shop, orderFor(plain, 'REF-2', 1));
    expect(JSON.stringify(reply.body)).toContain('T-REF-2-PKG-1');
  });

  it('records with each exchange the version that was used', async () => {
    await writeProfile('labels: { formats: [PDF] }\n');
    await reload();
    await call(`${server.url}/v2/consignments`, 'POST', shop, orderFor(plain, 'REF-3', 1));
    const { rows } = await database.pool.query<{ versions: number }>(
      'select count(distinct profile_hash) as versions from exchanges',
    );
    expect(rows[0]?.versions).toBeGreaterThanOrEqual(2);
  });
});
