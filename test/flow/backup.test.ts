/** A backup taken, everything deleted, and restored: the stories of consignments are what they were. */
import { chmod, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../simulator/demo/receiver.ts';
import { freePort } from '../../simulator/demo/server.ts';
import { COMPANIONS } from '../../src/cli/extensions.ts';
import { serve, type Server } from '../../src/platform/processes/serve.ts';
import { keptSecrets } from '../../src/platform/processes/secrets.ts';
import { typed } from '../cli/home.ts';
import { DEPOT } from '../../simulator/demo/own-fleet.ts';
import { until } from '../support/until.ts';
import { type OwnCarrier, startCarrier } from './carrier.ts';
import { call, makeHome, minimalProfile, type Reply } from './server.ts';
import { orderOf } from './versions/story.ts';

let carrier: OwnCarrier;
let receiver: Receiver;
let home: string;
let port: number;
let server: Server | undefined;
let [admin, shop, screen] = ['', '', ''];

const start = async (): Promise<void> => {
  const url = `http://127.0.0.1:${port}`;
  const where = { WAYBILL_HOME: home, HOST: '127.0.0.1', PORT: String(port), PUBLIC_URL: url };
  const env = { ...where, ALLOW_PRIVATE_NETWORKS: 'true', LOG_LEVEL: 'silent', STOP_DELAY_MS: '0' };
  server = await serve({ role: 'all', env, companions: COMPANIONS, print: (text) => (screen = text) });
  admin = String((await keptSecrets(path.join(home, '.waybill')))['admin-token']);
};
const stop = async (): Promise<void> => {
  await server?.close();
  server = undefined;
};
const waybill = async (...args: readonly string[]) => await typed(args, { home });
const as =
  (token: () => string) =>
  async (method: string, route: string, body?: object, headers = {}): Promise<Reply> =>
    await call(`${server?.url}${route}`, token(), { method, body: JSON.stringify(body), headers });
const [asAdmin, asShop] = [as(() => admin), as(() => shop)];
const create = async (reference: string, headers = {}): Promise<Reply> =>
  await asShop('POST', '/v2/consignments', orderOf(reference), headers);
const asked = (reference: string): number => carrier.seen.filter(({ body }) => body.referenceId === reference).length;

beforeAll(async () => {
  [carrier, receiver, port] = [await startCarrier(), await startReceiver(), await freePort()];
  home = await makeHome({ plain: minimalProfile(carrier.url) });
  // PostgreSQL's own user has to come in, or its data lie elsewhere.
  await chmod(home, 0o755);
  await start();
});
afterAll(async () => {
  await stop();
  await Promise.all([carrier.close(), receiver.close()]);
  await rm(home, { recursive: true });
});

/** All that is told of a consignment, by whichever way. */
const storyOf = async (reference: string): Promise<object> => {
  const consignment = await asShop('GET', `/v2/consignments?referenceNumber=${reference}`);
  const links = JSON.stringify(consignment.body).match(/http[^"]*\/v2\/labels\/[^"]*/g) ?? [];
  const labels = await Promise.all(links.map(async (link) => await (await fetch(link)).text()));
  const [deliveries, exchanges, audit, held, depots] = await Promise.all([
    asShop('GET', '/v2/webhooks/deliveries'),
    asAdmin('GET', '/admin/exchanges?carrier=plain'),
    asAdmin('GET', `/admin/audit?action=create_account`),
    asAdmin('GET', '/admin/dispatches/held'),
    asAdmin('GET', '/fleet/v1/resources/depots'),
  ]);
  // When this was answered.
  delete consignment.body['timestamp'];
  return { consignment, labels, deliveries, exchanges, audit, held, depots };
};

it('the admin token that is made is shown, and not again', async () => {
  expect(screen).toMatch(new RegExp(String.raw`admin +Bearer ${admin}\n +kept in \S*\.waybill/admin-token\n`));
  await stop();
  await start();
  expect(screen).toContain('.waybill/admin-token');
  expect(screen).not.toContain(admin);
});

it('what is restored is what was there, and what was under way is held', async () => {
  shop = String((await asAdmin('POST', '/admin/shippers', { code: 'shop', name: 'Example Shop' })).body['token']);
  const credentials = { token: 'carrier-token-1' };
  await asAdmin('PUT', '/admin/accounts', { shipper: 'shop', carrier: 'plain', credentials });
  const { body } = await asShop('POST', '/v2/webhooks', { url: receiver.url, orderTypes: ['FORWARD'] });
  receiver.trust(String(body['secret']));
  await asAdmin('PUT', '/fleet/v1/resources/depots/BER', DEPOT);
  const created = await create('DONE', { 'idempotency-key': 'key-of-done' });
  const plain = String((await asAdmin('POST', '/admin/carriers/plain/tokens', {})).body['token']);
  const label = { content: Buffer.from('^XA^FDexample^FS^XZ').toString('base64') };
  const status = { type: 'Tracking', value: 'T-DONE-PKG-1', carrierStatusCode: 'IN_TRANSIT', label };
  await as(() => plain)('POST', '/v2/carriers/plain/statuses', { ...status, statusReceivedAt: '2026-05-02 08:15:00' });
  await until('the shipper has been told', async () => {
    const log = JSON.stringify((await asShop('GET', '/v2/webhooks/deliveries')).body);
    return receiver.received.length >= 3 && !/"state":"(?!delivered)/.test(log);
  });
  const before = await storyOf('DONE');
  expect(JSON.stringify(before)).toContain('^XA^FDexample^FS^XZ');
  expect(JSON.stringify(before)).toContain('Example Depot');

  const answer = carrier.hold();
  await create('UNDER-WAY', { prefer: 'respond-async' });
  await until('the carrier is asked', () => asked('UNDER-WAY') === 1);
  const file = path.join(home, 'a.backup');
  expect(await waybill('backup', file)).toMatchObject({
    code: 0,
    error: '',
    out: expect.stringContaining('with the key'),
  });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await waybill('backup', file)).toMatchObject({ code: 2, error: expect.stringContaining('is there already') });
  answer();
  await until('it is done', async () => JSON.stringify(await storyOf('UNDER-WAY')).includes('T-UNDER-WAY-PKG-1'));
  await stop();
  await rm(path.join(home, '.waybill'), { recursive: true });

  const restored = await waybill('restore', file, '--json');
  expect(restored).toMatchObject({ code: 0, error: '' });
  expect(JSON.parse(restored.out)).toMatchObject({ held: 1, unknownKeys: [] });
  await start();
  const { held, ...after } = (await storyOf('DONE')) as Record<string, unknown>;
  const { held: none, ...told } = before as Record<string, unknown>;
  expect(after).toEqual(told);
  expect(JSON.stringify(none)).not.toContain('restored');
  expect(JSON.stringify(held)).toMatch(/UNDER-WAY.*"restored"/);
  expect(asked('UNDER-WAY')).toBe(1);

  expect((await create('DONE', { 'idempotency-key': 'key-of-done' })).body).toEqual(created.body);
  await asShop('POST', '/v2/consignments/UNDER-WAY/dispatch');
  await until('it is done again', () => asked('UNDER-WAY') === 2);
  expect(await create('NEW')).toMatchObject({ status: 200 });
  expect(carrier.seen.at(-1)).toMatchObject({ authorization: 'Bearer carrier-token-1' });
  await until('the shipper is told', () => receiver.received.some(({ referenceNumber }) => referenceNumber === 'NEW'));
  expect(receiver.forged()).toBe(0);
  await stop();
  expect(await waybill('restore', file)).toMatchObject({ code: 2, error: expect.stringContaining('already') });
});
