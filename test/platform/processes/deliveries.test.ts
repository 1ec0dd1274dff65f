import { randomUUID } from 'node:crypto';
import type net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDeliveryPump, createRedeliveryPump } from '../../../src/platform/processes/deliveries.ts';
import { createAlert } from '../../../src/platform/records/alert.ts';
import { beginRedelivery, findRedelivery } from '../../../src/platform/records/redeliveries.ts';
import { createSubscription } from '../../../src/platform/records/subscriptions.ts';
import { createTransport, type Transport } from '../../../src/engine/transport/transport.ts';
import { closeServers, startHttp, startTcp } from '../../engine/transport/servers.ts';
import { freshDatabase } from '../../support/database.ts';
import { recordingLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';
import { newConsignment, newOwner, notices, notify, ownerOfEachTest, pauseAll, sealer } from '../records/world.ts';

const database = freshDatabase();
const owner = ownerOfEachTest(database);
const DAY_MS = 86_400_000;

let transport: Transport;
let delivered: string[];
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  // What other tests left is not to be claimed here.
  await pauseAll(database.pool);
  transport = createTransport({ userAgent: 'waybill-test', allowPrivateNetworks: true });
  delivered = [];
});
afterEach(async () => {
  transport.close();
  await Promise.all(closing.splice(0).map((close) => close()));
  await closeServers();
});

/** A process's pump, started. */
const startPump = (retryMs = DAY_MS) => {
  const log = recordingLog();
  const pump = createDeliveryPump({
    pool: database.pool,
    sealer,
    log,
    nowMs: Date.now,
    send: transport.send,
    policy: { retries: 4, retryMs, pauseAfterMs: DAY_MS },
    alert: createAlert(log),
    delivered: (_, outcome) => delivered.push(outcome),
    closeLimitMs: 100,
  });
  closing.push(pump.close);
  pump.start();
  return { pump, log };
};

const subscribe = async (url: string, whose = owner) =>
  (await createSubscription(database.pool, sealer, whose, { url, orderTypes: ['FORWARD'] })).id;

const write = async (count: number, whose = owner) =>
  await notify(database.pool, await newConsignment(database.pool, whose), notices(count));

/** A receiver that answers with these statuses in turn, the last one for ever; yields the webhook-ids it got. */
const startReceiver = async (...statuses: number[]) => {
  const got: unknown[] = [];
  const server = await startHttp((request, response) => {
    got.push(request.headers['webhook-id']);
    request
      .resume()
      .on('end', () => response.writeHead(statuses[Math.min(got.length, statuses.length) - 1] ?? 200).end());
  });
  return { url: server.url, got };
};

describe('the pump of deliveries', () => {
  test('sends what is written, each once, to one subscription as fast as its receiver answers', async () => {
    const { url, got } = await startReceiver(200);
    await subscribe(url);
    const { pump } = startPump();
    await write(150);
    pump.wake();
    await until('all are delivered', () => delivered.length === 150);
    expect(new Set(got).size).toBe(150);
    expect(new Set(delivered)).toEqual(new Set(['delivered']));
  });

  test('tries again by itself when a try is due', async () => {
    const { url, got } = await startReceiver(500, 500, 200);
    await subscribe(url);
    const { pump } = startPump(30);
    await write(1);
    pump.wake();
    await until('it is delivered', () => delivered.length === 3);
    expect(delivered).toEqual(['waiting', 'waiting', 'delivered']);
    expect(new Set(got).size).toBe(1);
  });

  test('says so when one is exhausted, and when its subscription is paused for it', async () => {
    const { url } = await startReceiver(500, 500, 500, 500, 500, 410);
    const subscription = await subscribe(url);
    const { pump, log } = startPump(30);
    await write(1);
    pump.wake();
    await until('it is exhausted', () => delivered.length === 5);
    await write(1);
    pump.wake();
    await until('its receiver is gone', () => delivered.length === 6);
    const message = expect.any(String);
    expect(log.lines).toEqual([
      {
        level: 'warn',
        message,
        fields: {
          alert: 'delivery_exhausted',
          delivery: expect.any(Number),
          subscription,
          tries: 5,
          outcome: 'http_error',
          reason: 'answered 500',
        },
      },
      {
        level: 'warn',
        message,
        fields: { alert: 'subscription_paused', subscription, pause: 'gone', reason: 'answered 410 Gone' },
      },
    ]);
  });

  test('keeps a receiver that hangs from taking more than twelve places; others are served meanwhile', async () => {
    const held: net.Socket[] = [];
    const hanging = await startTcp((socket) => held.push(socket));
    await subscribe(hanging.url);
    const { pump } = startPump();
    await write(20);
    pump.wake();
    await until('twelve hang there', () => held.length === 12);

    const { url, got } = await startReceiver(200);
    const other = await newOwner(database.pool);
    await subscribe(url, other);
    await write(30, other);
    pump.wake();
    await until('the others are served', () => got.length === 30);
    expect(held).toHaveLength(12);
    // The places of those that end are others', of a receiver that fails some of them.
    for (const socket of held) socket.destroy();
    await until('others are sent', () => held.length === 14);
  });

  test('sends ever more at once to a receiver that answers well, and few again to one that fails', async () => {
    const answers: ((status: number) => void)[] = [];
    const receiver = await startHttp((request, response) => {
      request.resume().on('end', () => answers.push((status) => response.writeHead(status).end()));
    });
    await subscribe(receiver.url);
    const { pump } = startPump();
    await write(300);
    pump.wake();
    const answerAll = async (count: number, status: number): Promise<void> => {
      await until(`${count} are under way`, () => answers.length === count);
      await sleep(50);
      expect(answers).toHaveLength(count);
      for (const answer of answers.splice(0)) answer(status);
    };
    await answerAll(12, 200);
    await answerAll(24, 200);
    await answerAll(48, 200);
    await answerAll(64, 200);
    await answerAll(64, 500);
    await answerAll(2, 200);
  });

  test('keeps room for another receiver when all that answered fast begin to hang', async () => {
    let [isHanging, answered, held] = [false, 0, 0];
    const { pump } = startPump();
    for (let count = 0; count < 5; count += 1) {
      const receiver = await startHttp((request, response) => {
        request.resume().on('end', () => {
          if (isHanging) held += 1;
          else {
            answered += 1;
            response.writeHead(200).end();
          }
        });
      });
      const whose = await newOwner(database.pool);
      await subscribe(receiver.url, whose);
      await write(250, whose);
    }
    pump.wake();
    await until('they are sent much at once', () => answered > 400);
    isHanging = true;
    await until('they hang', () => held > 180);
    const { url, got } = await startReceiver(200);
    const other = await newOwner(database.pool);
    await subscribe(url, other);
    await write(30, other);
    pump.wake();
    await until('the other is served', () => got.length === 30);
  });

  test('has room for deliveries that are written claimed, but for those of who is behind', async () => {
    const held: net.Socket[] = [];
    const hanging = await startTcp((socket) => held.push(socket));
    const subscriptionId = await subscribe(hanging.url);
    const { pump } = startPump();
    const first = pump.reserve(1_000);
    expect(first).toMatchObject({ slots: 128, behind: [] });
    const second = pump.reserve(1_000);
    expect(pump.reserve(1)).toBeUndefined();
    for (const room of [first, second]) pump.take([], room!);
    await write(13);
    pump.wake();
    await until('twelve hang there', () => held.length === 12);
    const room = pump.reserve(5);
    const capacity = { bySubscription: new Map([[subscriptionId, 0]]), others: 12 };
    expect(room).toMatchObject({ slots: 5, capacity, behind: [subscriptionId] });
    pump.take([], room!);
  });

  test('sends what was written claimed for it', async () => {
    const { url, got } = await startReceiver(200);
    const subscriptionId = await subscribe(url);
    // So that the pump does not claim it by itself.
    await pauseAll(database.pool);
    const [deliveryId] = await write(1);
    const { pump } = startPump();
    const room = pump.reserve(1)!;
    const rows = await database.rows<{ secret: Buffer; webhook_id: string; body: string }>(
      `update deliveries d set state = 'sending', attempts = 1, lease = $2, lease_until = now() + interval '1 minute'
       from subscriptions s, notices n where d.id = $1 and s.id = d.subscription_id and n.id = d.notice_id
       returning s.secret, n.id as webhook_id, n.body`,
      deliveryId,
      room.lease,
    );
    const { secret, webhook_id: webhookId, body } = rows[0]!;
    const own = { headers: undefined, retryAfterSeconds: undefined };
    const sealed = { secret, oldSecret: undefined, oldSecretUntilMs: undefined, ...own };
    pump.take([{ ...sealed, deliveryId: deliveryId!, subscriptionId, webhookId, body, url }], room);
    await until('it is delivered', () => delivered.length === 1);
    expect(got).toEqual([webhookId]);
    expect(await database.values('select state from deliveries where id = $1', deliveryId)).toEqual(['delivered']);
  });

  test('that is closed ends what hangs, which another process sends again at once', async () => {
    const hanging = await startTcp();
    await subscribe(hanging.url);
    const { pump } = startPump();
    const [id] = await write(1);
    pump.wake();
    const stateOf = async () => (await database.values('select state from deliveries where id = $1', id))[0];
    await until('it is being sent', async () => (await stateOf()) === 'sending');
    await pump.close();
    expect(await database.rows('select state, uncounted from deliveries where id = $1', id)).toEqual([
      { state: 'waiting', uncounted: 1 },
    ]);
    startPump();
    await until('another sends it', async () => (await stateOf()) === 'sending');
  });
});

test('the pump of redeliveries carries out all of them, batch by batch', async () => {
  await subscribe('https://shop.example.com');
  const ids = await write(700);
  await database.rows(`update deliveries set state = 'failed' where id = any($1)`, ids);
  const { id } = await beginRedelivery(database.pool, owner, {});
  const second = await beginRedelivery(database.pool, owner, { referenceNumber: randomUUID() });
  const log = recordingLog();
  const pump = createRedeliveryPump({ pool: database.pool, log, nowMs: Date.now, closeLimitMs: 100 });
  closing.push(pump.close);
  pump.start();
  const isDone = async (of: number) => (await findRedelivery(database.pool, owner, of))?.state === 'done';
  await until('both are done', async () => (await isDone(id)) && (await isDone(second.id)));
  const states = await database.values('select distinct state from deliveries where id = any($1)', ids);
  expect(states).toEqual(['pending']);
  expect(log.lines).toEqual([]);
});
