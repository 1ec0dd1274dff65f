import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { listenLocally, textOf } from './carrier.ts';
import { minimalProfile } from './server.ts';
import { flowWorld, onBothQueues } from './world.ts';

/** A port that nobody listens at. */
const closedPort = async (): Promise<number> => {
  const { url, close } = await listenLocally(() => undefined);
  await close();
  return Number(new URL(url).port);
};

const pending = (reference: string) => ({
  referenceNumber: reference,
  acceptance: 'pending',
  reason: { code: 'connection_refused', message: expect.any(String) as string },
  nextTryAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
});

onBothQueues('a carrier where nobody listens', (options) => {
  let port = 0;
  const flow = flowWorld({
    ...options,
    profiles: async () => {
      port = await closedPort();
      return {
        plain: `${minimalProfile(`http://127.0.0.1:${port}/consignments`)}retry: { wait: 1h, max: 1h }\n`,
      };
    },
  });
  /** It takes all it is asked for now. */
  const comesBack = async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      void textOf(request).then((text) => {
        const { referenceId, orderNumber, carrierCode, itemList } = JSON.parse(text);
        asked.push(referenceId);
        const itemsTrackDetails = itemList.map(({ itemReferenceNumber }: { itemReferenceNumber: string }) => ({
          itemReferenceNumber,
          trackingNumber: `T-${referenceId}`,
          carrierCode,
          orderNumber,
        }));
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ status: 200, referenceId, timestamp: Date.now(), itemsTrackDetails }));
      });
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return { asked, close: () => server.close() };
  };

  it('is waited for where everybody sees it; a cancel ends that unsent, and an operator tries it now', async () => {
    const beganMs = Date.now();
    const created = await flow.create('AWAY-1');
    expect(created).toMatchObject({ status: 200, body: { data: [pending('AWAY-1')] } });
    // The next try comes too late for the reply, which does not wait for it.
    expect(Date.now() - beganMs).toBeLessThan(15_000);
    await flow.create('AWAY-2');
    const { body } = await flow.asAdmin('GET', '/admin/dispatches/waiting?carrier=plain');
    const waiting = body['data'] as unknown as { id: number; referenceNumber: string }[];
    expect(new Set(waiting.map((one) => one.referenceNumber))).toEqual(new Set(['AWAY-1', 'AWAY-2']));
    const metrics = await (await fetch(`${flow.server.url}/metrics`)).text();
    expect(metrics).toContain('\nwaybill_dispatches_away 2\n');
    const consignments = [{ referenceNumber: 'AWAY-2' }];
    const cancelled = await flow.asShop('POST', '/v2/consignments-cancel', { consignments });
    expect(cancelled.body).toMatchObject({ successCount: 1, data: [{ acceptance: 'cancelled' }] });
    const carrier = await comesBack();
    const first = waiting.find((one) => one.referenceNumber === 'AWAY-1');
    expect((await flow.asAdmin('POST', `/admin/dispatches/${first?.id}/send`)).status).toBe(200);
    await until('it is accepted', async () => {
      const read = (await flow.read('AWAY-1')).body['data'] as unknown as [{ acceptance: string }];
      return read[0].acceptance === 'accepted';
    });
    expect(carrier.asked).toEqual(['AWAY-1']);
    carrier.close();
  });
});
