// A shipper's program over the installed package; `.ci/package` compiles and runs it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type Order, valueOf } from 'waybill/client';
import { type Received, readWebhook } from 'waybill/webhook';

const timestamp = 'Fri May 01 2026 09:00:00 GMT+0000';
const server = createServer((request, response) => {
  const isList = request.url?.startsWith('/v2/consignments?') === true;
  const body = isList
    ? { timestamp, status: 'OK', data: [{ referenceNumber: 'R-1', status: 'In Transit' }] }
    : { timestamp, status: 'NOT_FOUND', message: 'There is no R-2', errors: ['There is no R-2'] };
  response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const waybill = connect({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'example' });

const statuses: string[] = [];
for await (const { status } of waybill.listAll({ carrier: 'plain' })) statuses.push(status);
assert.deepEqual(statuses, ['In Transit']);
const missing = await waybill.get('R-2');
assert.equal(missing.ok, false);
assert.equal(missing.status, 404);
assert.throws(() => valueOf(missing), /There is no R-2/);
server.close();

const received: Received = readWebhook('whsec_ZXhhbXBsZQ==', {}, '{}');
assert.equal(received.ok, false);

// Types are the server's own, not `any`.
// @ts-expect-error -- an order has a carrier and two ends
const order: Order = { consignmentDetails: {} };
// @ts-expect-error -- a list is not asked for by this
void (() => waybill.list({ colour: 'red', order }));
