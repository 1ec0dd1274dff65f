/** A day of the own fleet from the shop's orders to its webhooks, as the demo tells it, on both queues. */
import { beforeAll, expect, it } from 'vitest';
import { COMPANIONS } from '../../src/cli/extensions.ts';
import { driveDay, fleetProfiles } from '../../simulator/demo/own-fleet.ts';
import { pdfTexts, readPdf, readZpl } from '../support/barcode.ts';
import { read } from '../support/project.ts';
import { ADMIN } from './server.ts';
import { flowWorld, onBothQueues } from './world.ts';

onBothQueues('a day of the own fleet', (options) => {
  const flow = flowWorld({
    ...options,
    companions: COMPANIONS,
    profiles: () => ({ plain: read('carriers/plain.yaml'), ...fleetProfiles(read('carriers/own_fleet.yaml')) }),
    env: { RATE_LIMIT: '100000' },
  });
  beforeAll(async () => {
    const hook = { url: flow.receiver.url, orderTypes: ['FORWARD', 'REVERSE'] };
    const { body } = await flow.asShop('POST', '/v2/webhooks', hook);
    flow.receiver.trust(String(body['secret']));
  });

  it('brings every shipper’s webhook what happened to each of 60 orders, signed', async () => {
    const broken: object[] = [];
    await driveDay({
      asAdmin: flow.asAdmin,
      asShop: flow.asShop,
      asDriver: async (token, method, path, body) =>
        await flow.as(() => '')(method, path, body, { authorization: `Bearer ${token}` }),
      openAccount: async (carrier, credentials) => await flow.openAccount(carrier, credentials),
      download: async (url) => {
        const headers = { authorization: `Bearer ${ADMIN}` };
        const response = await fetch(new URL(url, flow.server.url), url.startsWith('/') ? { headers } : {});
        expect(response.status, url).toBe(200);
        return Buffer.from(await response.arrayBuffer());
      },
      readLabel: async (bytes, format) =>
        format === 'PDF' ? (await readPdf(bytes)).flat() : (await readZpl(bytes.toString())).flat(),
      readText: async (pdf) => (await pdfTexts(pdf)).flatMap(({ lines }) => lines).join(' '),
      received: flow.receiver.received,
      story: { check: (promise, holds, detail) => void (holds || broken.push({ promise, detail })) },
    });
    expect(broken).toEqual([]);
    expect(flow.receiver.forged()).toBe(0);
  });
});
