/** Rules of the shipper API that lean on the queue, with the real server, a real carrier, and both backends. */
import { expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { type Listening, listenLocally } from './carrier.ts';
import type { Reply } from './server.ts';
import { flowWorld, onBothQueues } from './world.ts';

/** A webhook endpoint that answers each request by its turn; late, never: test/engine/webhooks/deliver.test.ts. */
const startHook = async (...answers: readonly number[]): Promise<Listening & { readonly ids: readonly string[] }> => {
  const ids: string[] = [];
  const hook = await listenLocally((request, response) => {
    const answer = answers[ids.length] ?? answers.at(-1) ?? 200;
    ids.push(String(request.headers['webhook-id']));
    request.resume();
    response.writeHead(answer).end();
  });
  return { ...hook, ids };
};

onBothQueues('rules of the shipper API', (options) => {
  const flow = flowWorld({ ...options, env: { WEBHOOK_RETRY_MS: '100' } });
  const { create, database } = flow;

  const cancel = async (...references: string[]): Promise<Reply> =>
    await flow.asShop('POST', '/v2/consignments-cancel', {
      consignments: references.map((referenceNumber) => ({ referenceNumber })),
    });
  const asked = (reference: string, action?: string) =>
    flow.carrier.seen.filter(
      ({ body }) => body.referenceId === reference && (action === undefined || body['typeOfAction'] === action),
    );

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

  /** Creates a consignment that the hook hears of, and waits until the delivery log is as wanted. */
  const deliver = async (
    hook: Listening,
    reference: string,
    isThere: (log: readonly { referenceNumber: string; state: string }[]) => boolean,
  ): Promise<void> => {
    const made = await flow.asShop('POST', '/v2/webhooks', { url: hook.url, orderTypes: ['FORWARD'] });
    const id = String(made.body['id']);
    await create(reference);
    await until('the deliveries have ended', async () => {
      const { body } = await flow.asShop('GET', `/v2/webhooks/deliveries?webhookId=${id}`);
      return isThere(body['data'] as unknown as Parameters<typeof isThere>[0]);
    });
    await flow.asShop('DELETE', `/v2/webhooks/${id}`);
    await hook.close();
  };

  it.each([
    ['wrong', 500],
    ['with 404', 404],
  ])(
    'line 265: a webhook that answers %s is tried five times under one id, then is in the log as failed',
    async (_, answer) => {
      const hook = await startHook(answer);
      const reference = `HOOK-${answer}`;
      await deliver(hook, reference, (log) =>
        log.some(({ referenceNumber, state }) => referenceNumber === reference && state === 'failed'),
      );
      const byId = Map.groupBy(hook.ids, (id) => id);
      expect([...byId.values()].every((tries) => tries.length === 5)).toBe(true);
    },
  );

  it('line 265: a webhook that recovers gets the same event again', async () => {
    const hook = await startHook(503, 500, 200);
    await deliver(hook, 'RECOVERED', (log) => log.length > 0 && log.every(({ state }) => state === 'delivered'));
    expect(hook.ids.length).toBe(new Set(hook.ids).size + 2);
  });
});
