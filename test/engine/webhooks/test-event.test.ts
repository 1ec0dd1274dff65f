import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test } from 'vitest';
import { createTransport } from '../../../src/engine/transport/transport.ts';
import { newWebhookSecret } from '../../../src/engine/webhooks/sign.ts';
import { sendTestEvent } from '../../../src/engine/webhooks/test-event.ts';
import { closeServers, startHttp } from '../transport/servers.ts';

const transport = createTransport({ userAgent: 'waybill-test', allowPrivateNetworks: true });
afterEach(closeServers);

test('a test event is signed like any other, and its sender learns what became of it', async () => {
  const secret = newWebhookSecret();
  const verified: unknown[] = [];
  const server = await startHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      verified.push(new Webhook(secret).verify(Buffer.concat(chunks), request.headers as Record<string, string>));
      response.writeHead(verified.length === 1 ? 200 : 503).end();
    });
  });
  const receiver = { url: server.url, secrets: () => [secret] };
  const sending = { send: transport.send, nowMs: Date.now };
  const first = await sendTestEvent(receiver, sending);
  expect(first).toMatchObject({ means: 'delivered', status: 200 });
  expect(verified).toEqual([expect.objectContaining({ eventId: first.eventId, event: 'webhook.test' })]);
  expect(await sendTestEvent(receiver, sending)).toMatchObject({ means: 'refused', status: 503 });
});
