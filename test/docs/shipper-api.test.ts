/** The examples of docs/shipper-api.md, run one after another against a server. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { flowWorld } from '../flow/world.ts';
import { until } from '../support/until.ts';
import { PROJECT, read } from '../support/project.ts';

const PAGE = read('docs/shipper-api.md');
const blocks = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');
const LABEL = '^XA^FDexample label^FS^XZ';

const flow = flowWorld();
const folder = mkdtempSync(path.join(tmpdir(), 'waybill-examples-'));
const env: Record<string, string> = {};

beforeAll(() => {
  Object.assign(env, { URL: flow.server.url, TOKEN: flow.shop, RECEIVER: flow.receiver.url });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What it prints; throws, with what it says, when it fails. */
const run = async (command: string, args: readonly string[]): Promise<string> => {
  const options = { cwd: folder, env: { PATH: process.env['PATH'] ?? '', ...env } };
  return (await promisify(execFile)(command, args, options)).stdout;
};

// oxlint-disable-next-line typescript/no-explicit-any -- replies of every shape
type Reply = any;
/** Runs the next example. */
const next = async (): Promise<Reply> => {
  const block = blocks.shift();
  if (block === undefined) throw new Error('there is no further example');
  const out = await run('sh', ['-ec', block]);
  return out === '' ? undefined : JSON.parse(out);
};

const stored = async (): Promise<boolean> => {
  const { rows } = await flow.database.pool.query(`select id from labels where state = 'stored'`);
  return rows.length > 0;
};

const pushLabel = async (): Promise<void> => {
  await flow.push({
    value: 'T-R-1001-PKG-1',
    carrierStatusCode: 'SHIPMENT_CREATED',
    statusReceivedAt: '2026-05-01 08:00:00',
    label: { content: Buffer.from(LABEL).toString('base64') },
  });
  await until('the label is there', stored);
};

it('the examples do what they say, in their order', async () => {
  expect((await next()).data[0].trackingDetails).toMatchObject([{ trackingNumber: 'T-R-1001-PKG-1' }]);
  await pushLabel();
  const read = await next();
  expect(read.data[0]).toMatchObject({ referenceNumber: 'R-1001', acceptance: 'accepted' });
  expect((await next()).data).toMatchObject([{ referenceNumber: 'R-1001', carrierCode: 'plain' }]);
  env['LABEL'] = read.data[0].labels[0].url;
  expect(await next()).toBeUndefined();
  expect(readFileSync(path.join(folder, 'label.zpl'), 'utf8')).toBe(LABEL);
  expect((await next()).status).toBe('OK');
  expect(flow.carrier.seen.at(-1)?.body).toMatchObject({
    typeOfAction: 'UPDATE',
    deliveryInstructions: 'Example: ring twice',
  });
  expect((await next()).status).toBe('CONFLICT');
  expect(await next()).toMatchObject({ code: 'NORTH', address: { type: 'FACILITY' } });
  expect((await next()).data).toMatchObject([{ code: 'NORTH' }]);
  const subscribed = await next();
  env['WEBHOOK'] = subscribed.id;
  flow.receiver.trust(subscribed.secret);
  expect(await next()).toMatchObject({ delivered: true });
  flow.receiver.trust((await next()).secret);
  expect(await next()).toMatchObject({ state: 'paused' });
  expect(await next()).toMatchObject({ state: 'active' });
  expect(await next()).toMatchObject({ successCount: 1, failedCount: 0 });
  await until('the shipper is told', () => flow.receiver.received.some(({ status }) => status === 'Cancelled'));
  await until('that is in the log', async () => {
    const { rows } = await flow.database.pool.query(`select 1 from deliveries where state = 'delivered'`);
    return rows.length > 0;
  });
  const { data } = await next();
  expect(data[0]).toMatchObject({ event: 'consignment.cancelled', state: 'delivered', referenceNumber: 'R-1001' });
  env['DELIVERY'] = data[0].id;
  expect(await next()).toMatchObject({ state: 'queued' });
  expect(await next()).toMatchObject({ matching: 0 });
  expect(blocks).toEqual([]);

  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(PAGE) ?? [];
  const client = path.join(PROJECT, 'src/client/client.ts');
  writeFileSync(path.join(folder, 'example.ts'), example.replace('waybill/client', client));
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  const out = await run(process.execPath, ['example.ts']);
  expect(out.trim().split('\n')).toEqual([
    'Cancellation is not allowed: already cancelled',
    'Cancelled',
    'R-1001 Cancelled',
  ]);
});
