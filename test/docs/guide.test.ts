/** The examples of docs/guide.md, run one after another against a server. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { Type } from 'typebox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { validator } from '../../src/engine/validate.ts';
import { WebhookEvent } from '../../src/engine/webhooks/event.ts';
import { flowWorld } from '../flow/world.ts';
import { until } from '../support/until.ts';
import { PROJECT, read } from '../support/project.ts';

const SECRET = 'whsec_ZXhhbXBsZQ==';
const PAGE = read('docs/guide.md');
const blocks = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');

const flow = flowWorld();
const folder = mkdtempSync(path.join(tmpdir(), 'waybill-examples-'));
const env: Record<string, string> = {};

beforeAll(async () => {
  const { body } = await flow.asAdmin('POST', '/admin/shippers/shop/tokens', { environment: 'sandbox' });
  Object.assign(env, { URL: flow.server.url, TOKEN: String(body['token']), RECEIVER: flow.receiver.url });
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

it('the examples do what they say, in their order', async () => {
  blocks.shift();
  const [tracked] = (await next()).data[0].trackingDetails;
  expect(tracked.trackingNumber).toMatch(/^TEST/);
  const read = await next();
  expect(read.data[0]).toMatchObject({ referenceNumber: 'R-1001', acceptance: 'accepted' });
  expect((await next()).data).toMatchObject([{ referenceNumber: 'R-1001', carrierCode: 'test_carrier' }]);
  env['LABEL'] = read.data[0].labels[0].url;
  expect(await next()).toBeUndefined();
  expect(readFileSync(path.join(folder, 'label.pdf'), 'latin1')).toMatch(/^%PDF-/);
  expect((await next()).status).toBe('OK');
  expect((await next()).status).toBe('CONFLICT');
  const cancel = blocks.shift() ?? '';
  const subscribed = await next();
  env['WEBHOOK'] = subscribed.id;
  flow.receiver.trust(subscribed.secret);
  expect(await next()).toMatchObject({ delivered: true });
  const { secret } = await next();
  flow.receiver.trust(secret);
  expect(await next()).toMatchObject({ state: 'paused' });
  expect(await next()).toMatchObject({ state: 'active' });
  blocks.unshift(cancel);
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
  expect(await next()).toMatchObject({ code: 'NORTH', address: { type: 'FACILITY' } });
  expect((await next()).data).toMatchObject([{ code: 'NORTH' }]);
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

it('the event is one that the server could send', () => {
  const [example = ''] = /\{\n {2}"eventId"[^`]*/.exec(PAGE) ?? [];
  expect(validator(Type.Object(WebhookEvent.properties, { additionalProperties: false }))(JSON.parse(example))).toEqual(
    {
      ok: true,
      value: expect.anything(),
    },
  );
});

it('the check by hand takes what is signed, and nothing else', async () => {
  const [, example = ''] = /```js\n([^]*?)```/.exec(PAGE) ?? [];
  writeFileSync(path.join(folder, 'signed.mjs'), example);
  const { isSigned } = (await import(path.join(folder, 'signed.mjs'))) as {
    isSigned: (secret: string, headers: Readonly<Record<string, string>>, body: string) => boolean;
  };
  const signing = (at: Date, secret = SECRET) => ({
    'webhook-id': 'evt-1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': `v1,bm9uZQ== ${new Webhook(secret).sign('evt-1', at, '{"a":1}')}`,
  });
  expect(isSigned(SECRET, signing(new Date()), '{"a":1}')).toBe(true);
  expect(isSigned(SECRET, signing(new Date()), '{"a":2}')).toBe(false);
  expect(isSigned(SECRET, signing(new Date(Date.now() - 600_000)), '{"a":1}')).toBe(false);
  expect(isSigned(SECRET, signing(new Date(), 'whsec_b3RoZXI='), '{"a":1}')).toBe(false);
});
