import { afterEach, expect, test } from 'vitest';
import { readWebhook } from '../../../src/client/webhook.ts';
import { newWebhookSecret } from '../../../src/engine/webhooks/delivery.ts';
import { openAlertWebhook } from '../../../src/platform/processes/alert-webhook.ts';
import { closeServers, openTransport, startHttp } from '../../engine/transport/servers.ts';
import { recordingLog } from '../../support/log.ts';
import { until } from '../../support/until.ts';

afterEach(closeServers);

/** A receiver that answers with these statuses in turn, the last one for ever, and keeps what it got and when. */
const startReceiver = async (...statuses: number[]) => {
  const secret = newWebhookSecret();
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it
  const got: any[] = [];
  const server = await startHttp((request, response) => {
    let body = '';
    request
      .on('data', (part) => (body += String(part)))
      .on('end', () => {
        const { ok } = readWebhook(secret, request.headers, body);
        got.push({ ok, id: request.headers['webhook-id'], atMs: performance.now(), ...JSON.parse(body) });
        response.writeHead(statuses[Math.min(got.length, statuses.length) - 1] ?? 200).end();
      });
  });
  const log = recordingLog();
  const send = openTransport().send;
  const webhook = openAlertWebhook({ url: server.url, secret, send, log, nowMs: Date.now, everyMs: 60 });
  return { ...webhook, got, log };
};

test('alerts that come together are one signed request, and the next one comes no sooner than it may', async () => {
  const { alert, got, close } = await startReceiver(200);
  alert('dispatch_held', { dispatch: 7, carrier: 'acme', reason: 'no such street' });
  alert('breaker_opened', { carrier: 'acme' });
  await until('they are sent', () => got.length === 1);
  alert('profile_refused', { carrier: 'solo' });
  await until('the next is sent', () => got.length === 2);
  expect(got[1].atMs - got[0].atMs).toBeGreaterThan(50);
  const at = expect.stringMatching(/Z$/);
  expect(got[0]).toMatchObject({
    ok: true,
    event: 'alerts',
    alerts: [
      {
        alert: 'dispatch_held',
        message: 'a dispatch is held for an operator',
        at,
        dispatch: 7,
        reason: 'no such street',
      },
      { alert: 'breaker_opened', at, carrier: 'acme' },
    ],
    more: {},
  });
  expect(got[0].eventId).toBe(got[0].id);
  await close();
});

test('of a flood the first hundred are told, and of the others how many', async () => {
  const { alert, got } = await startReceiver(200);
  for (let dispatch = 1; dispatch <= 5_000; dispatch += 1) alert('dispatch_held', { dispatch });
  alert('login_failed', {});
  await until('they are sent', () => got.length === 1);
  expect(got[0].alerts).toHaveLength(100);
  expect(got[0].more).toEqual({ dispatch_held: 4_900, login_failed: 1 });
});

test('what is not taken is sent again under the same id, five times in all, and the log says so', async () => {
  const { alert, got, log } = await startReceiver(500, 500, 500, 500, 500, 200);
  alert('dispatch_held', { dispatch: 1 });
  await until('it is tried', () => got.length === 1);
  alert('dispatch_held', { dispatch: 2 });
  await until('the second comes through', () => got.length === 6);
  expect(new Set(got.slice(0, 5).map(({ id }) => id)).size).toBe(1);
  expect(got[5].alerts).toMatchObject([{ dispatch: 2 }]);
  expect(log.lines).toMatchObject([
    { level: 'warn', fields: { outcome: 'http_error', isGivenUp: false } },
    { level: 'warn', fields: { outcome: 'http_error', isGivenUp: true } },
  ]);
});

test('what is left when the server stops is sent', async () => {
  const { alert, got, close } = await startReceiver(200);
  alert('dispatch_held', { dispatch: 1 });
  await close();
  expect(got).toHaveLength(1);
});
