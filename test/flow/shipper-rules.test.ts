/** Rules of the shipper API that lean on the queue, with the real server, a real carrier, and both backends. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { describeRedis, sharedRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';
import type { Reply } from './server.ts';
import { flowWorld } from './world.ts';

interface Hook {
  readonly url: string;
  readonly ids: readonly string[];
  close(): Promise<void>;
}

/** A webhook endpoint that answers each request by its turn; late, never: test/engine/webhooks/deliver.test.ts. */
const startHook = async (answers: readonly number[]): Promise<Hook> => {
  const ids: string[] = [];
  const server = createServer((request, response) => {
    const answer = answers[ids.length] ?? answers.at(-1) ?? 200;
    ids.push(String(request.headers['webhook-id']));
    request.resume();
    response.writeHead(answer).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    ids,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

const rules = (redisUrl?: () => Promise<string>): void => {
  const flow = flowWorld({ env: { WEBHOOK_RETRY_MS: '100' }, ...(redisUrl === undefined ? {} : { redisUrl }) });
  const { create, database } = flow;

  const cancel = async (...references: string[]): Promise<Reply> =>
    await flow.asShop('POST', '/v2/consignments-cancel', {
      consignments: references.map((referenceNumber) => ({ referenceNumber })),
    });
  const asked = (reference: string, action?: string) =>
    flow.carrier.seen.filter(
      ({ body }) => body.referenceId === reference && (action === undefined || body['typeOfAction'] === action),
    );
  const push = async (reference: string, code: string): Promise<void> => {
    await flow.push({
      type: 'Tracking',
      value: `T-${reference}-PKG-1`,
      carrierStatusCode: code,
      statusReceivedAt: '2026-05-02 08:15:00',
      eventTimezone: 'UTC',
    });
    await until('the status is known', async () => {
      const read = await flow.read(reference);
      return JSON.stringify(read.body).includes('"events":[{');
    });
  };

  it('line 26: of 200 creates of one reference at once one is 200, the rest 409, and one shipment is at the carrier', async () => {
    const replies = await Promise.all(Array.from({ length: 200 }, () => create('ONE')));
    const statuses = Map.groupBy(replies, ({ status }) => status);
    expect(statuses.get(200)).toHaveLength(1);
    expect(statuses.get(409)).toHaveLength(199);
    expect(asked('ONE')).toHaveLength(1);
    const late = await create('ONE');
    expect(late).toMatchObject({
      status: 409,
      body: { status: 'CONFLICT', data: { trackingDetails: [{ trackingNumber: 'T-ONE-PKG-1' }] } },
    });
    expect(asked('ONE')).toHaveLength(1);
  });

  it('line 188: of many cancels at once one reaches the carrier', async () => {
    await create('CANCELLED');
    const replies = await Promise.all(Array.from({ length: 20 }, () => cancel('CANCELLED')));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(asked('CANCELLED', 'CANCEL')).toHaveLength(1);
    expect(await cancel('CANCELLED')).toMatchObject({ body: { successCount: 0, failedCount: 1 } });
  });

  it('line 195: an update after pickup is 409, and the carrier hears nothing', async () => {
    await create('PICKED');
    await push('PICKED', 'PICKED_UP');
    const updated = await flow.asShop('PUT', '/api/v2/consignments', {
      consignmentDetails: { referenceNumber: 'PICKED', deliveryInstructions: 'Example' },
    });
    expect(updated).toMatchObject({ status: 409, body: { status: 'CONFLICT' } });
    expect(asked('PICKED')).toHaveLength(1);
  });

  it('line 197: a cancel after the carrier scanned it fails, and the carrier hears nothing', async () => {
    await create('SCANNED');
    await push('SCANNED', 'PICKED_UP');
    const cancelled = await cancel('SCANNED');
    expect(cancelled).toMatchObject({ status: 200, body: { failedCount: 1 } });
    expect(JSON.stringify(cancelled.body)).toContain('return flow');
    expect(asked('SCANNED', 'CANCEL')).toHaveLength(0);
  });

  it('line 213: updates at once go to the carrier one after another, each on what the one before left', async () => {
    await create('UPDATED');
    const fields = ['deliveryInstructions', 'specialInstructions', 'businessUnit'] as const;
    const replies = await Promise.all(
      fields.map((field) =>
        flow.asShop('PUT', '/v2/consignments', {
          consignmentDetails: { referenceNumber: 'UPDATED', [field]: `Example ${field}` },
        }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { rows } = await database.pool.query(
      `select order_text from consignments where reference_number = 'UPDATED'`,
    );
    for (const field of fields) expect(rows[0].order_text).toContain(`Example ${field}`);
  });

  it.each([
    ['wrong', [500]],
    ['with 404', [404]],
  ] as const)(
    'line 265: a webhook that answers %s is tried five times under one id, then is in the log as failed',
    async (name, answers) => {
      const hook = await startHook(answers);
      const made = await flow.asShop('POST', '/v2/webhooks', { url: hook.url, orderTypes: ['FORWARD'] });
      const id = String(made.body['id']);
      const reference = `HOOK-${name.replace(' ', '-')}`;
      await create(reference);
      const log = async (): Promise<string> =>
        JSON.stringify((await flow.asShop('GET', `/v2/webhooks/deliveries?webhookId=${id}&state=failed`)).body);
      await until('it has failed', async () => (await log()).includes(reference));
      const byId = Map.groupBy(hook.ids, (one) => one);
      expect([...byId.values()].every((tries) => tries.length === 5)).toBe(true);
      await flow.asShop('DELETE', `/v2/webhooks/${id}`);
      await hook.close();
    },
  );

  it('line 265: a webhook that recovers gets the same event again', async () => {
    const hook = await startHook([503, 500, 200]);
    const made = await flow.asShop('POST', '/v2/webhooks', { url: hook.url, orderTypes: ['FORWARD'] });
    const id = String(made.body['id']);
    await create('RECOVERED');
    await until('all is delivered', async () => {
      const { body } = await flow.asShop('GET', `/v2/webhooks/deliveries?webhookId=${id}`);
      const entries = body['data'] as unknown as { state: string }[];
      return entries.length > 0 && entries.every(({ state }) => state === 'delivered');
    });
    expect(hook.ids.length).toBe(new Set(hook.ids).size + 2);
    await flow.asShop('DELETE', `/v2/webhooks/${id}`);
    await hook.close();
  });
};

describe('rules of the shipper API, queue on PostgreSQL', () => {
  rules();
});

describeRedis('rules of the shipper API, queue on Redis', () => {
  rules(async () => (await sharedRedis()).url);
});
