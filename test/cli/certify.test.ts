import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../simulator/demo/server.ts';
import { listenLocally } from '../flow/carrier.ts';
import { DOCUMENTS, type Faults, startEndpoint } from '../workbench/certify/endpoint.ts';
import { homeWith } from './home.ts';

const SECRET = { WAYBILL_CERTIFY_SECRET: 'endpoint-token' };
const endpointWith = async (faults: Faults = {}) => {
  const endpoint = await startEndpoint(faults);
  onTestFinished(endpoint.close);
  return endpoint;
};

test('an endpoint that holds to the contract is certified: exit code 0', async () => {
  const { run } = homeWith({}, SECRET);
  const { url } = await endpointWith();
  const { code, out } = await run('certify', url, '--no-pushes');
  expect(out).toMatch(/ {2}ok {3}create: CREATE makes a shipment/);
  expect(out).toMatch(/ {2}- {4}pushed: .* \(--no-pushes\)/);
  expect(out).toMatch(/\n\d+ hold, 0 broken, 0 advised, 0 not tried, \d+ left out\n$/);
  expect(code).toBe(0);
});

test('a finding says what was sent and what came, masked: exit code 1', async () => {
  const { run, json } = homeWith({}, SECRET);
  const { url } = await endpointWith({ success: (answered) => ({ ...answered, status: 201 }) });
  const text = await run('certify', url, '--no-pushes');
  expect(text.out).toContain(
    'FAIL success: Success is HTTP 200.\n       the mandatory fields alone: the status is 201, not 200',
  );
  expect(text.out).toMatch(/every field of the contract: .*\n.*unknown fields: .*\n.*\n.*\n {7}15 in all\n/);
  expect(text.out).toMatch(/sent: \{"method":"POST","url":"http:.*\n {7}came: \{"status":201/);
  expect(text.code).toBe(1);
  const { code, value } = await json('certify', url, '--no-pushes', '--carrier', 'acme');
  expect(value).toMatchObject({ ok: false, url, carrier: 'acme', broken: 1, advised: 0, leftOver: [] });
  expect(value.statements.find(({ id }: { id: string }) => id === 'success')).toMatchObject({
    level: 'must',
    place: 'Consignment response',
    verdict: 'broken',
    findings: expect.arrayContaining([
      expect.objectContaining({
        sent: expect.objectContaining({ body: expect.objectContaining({ carrierCode: 'acme' }) }),
        came: expect.objectContaining({ status: 201, body: expect.objectContaining({ status: 200 }) }),
      }),
    ]),
  });
  expect(code).toBe(1);
  expect(text.out + JSON.stringify(value)).not.toContain('endpoint-token');
});

test('what is only advised is told, and changes no exit code', async () => {
  const { run } = homeWith({}, SECRET);
  const { url } = await endpointWith({ label: (label) => ({ ...label, bytes: DOCUMENTS['PDF'] ?? label.bytes }) });
  const { code, out } = await run('certify', url, '--no-pushes');
  expect(out).toContain('note label-others');
  expect(code).toBe(0);
});

test('pushes come in with the token of the run', async () => {
  const port = String(await freePort());
  const { run } = homeWith({}, { ...SECRET, WAYBILL_CERTIFY_PUSH_TOKEN: 'token-of-the-pushes' });
  const endpoint = await endpointWith();
  const at = `http://127.0.0.1:${port}/v2/carriers/certify/statuses`;
  endpoint.pushTo(at, 'token-of-the-pushes');
  const { code, out, error } = await run('certify', endpoint.url, '--push-port', port);
  expect(error).toContain(`Push statuses to ${at}\nwith the header Authorization: Bearer token-of-the-pushes\n`);
  expect(out).toContain('ok   lifecycle-returned-to-origin');
  expect(code).toBe(0);
});

test('only what was typed may be on a private network', async () => {
  const store = await listenLocally((_, response) => void response.end(DOCUMENTS['PDF']));
  onTestFinished(store.close);
  const elsewhere: Faults = {
    success: (answered) => {
      const entries = answered.body.itemsTrackDetails as readonly { labelUrl: string }[];
      const itemsTrackDetails = entries.map((one, at) => ({ ...one, labelUrl: `${store.url}/${at}.pdf` }));
      return { ...answered, body: { ...answered.body, itemsTrackDetails } };
    },
  };
  const { url } = await endpointWith(elsewhere);
  const { run } = homeWith({}, SECRET);
  const refused = await run('certify', url, '--no-pushes');
  expect(refused.out).toMatch(/FAIL label-served: .*\n.*only https: is allowed/);
  const opened = homeWith({}, { ...SECRET, ALLOW_PRIVATE_NETWORKS: 'true' });
  expect((await opened.run('certify', url, '--no-pushes')).out).toContain('ok   label-served');
});

test('what cannot be tried is misuse', async () => {
  const { misuse } = homeWith({}, SECRET);
  const url = 'http://127.0.0.1:9/consignments';
  await misuse(['certify', 'ftp://example.com', '--no-pushes'], '"ftp://example.com" cannot be called');
  await misuse(['certify', url, '--auth', 'basic'], '--auth basic needs --username <name>');
  await misuse(['certify', url, '--wait', 'long'], '--wait long must be a duration, as 10m');
  await misuse(['certify', url, '--push-port', 'x'], '--push-port x must be a port');
  await misuse(['certify', url, '--status', 'COLLECTED'], '--status COLLECTED must be a code and its status');
  await misuse(['certify', url, '--status', 'COLLECTED=Gone', '--no-pushes'], 'Gone');
  await misuse(['certify', url, '--carrier', 'no code', '--no-pushes'], 'no code');
  await homeWith({}).misuse(['certify', url], 'set WAYBILL_CERTIFY_SECRET');
  await homeWith({}, { WAYBILL_CERTIFY_SECRET: 'short' }).misuse(['certify', url], 'credentials.secret is a secret');
});
