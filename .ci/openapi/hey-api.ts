/** The API by the client that `@hey-api/openapi-ts` made of its description. */
import assert from 'node:assert/strict';
import { client } from './generated/hey/client.gen.ts';
import * as waybill from './generated/hey/sdk.gen.ts';
import { orderOf, token, url, webhook } from './shop.ts';

client.setConfig({ baseUrl: url, auth: token });
const referenceNumber = 'HEY-API-1';

const created = await waybill.createConsignment({ body: orderOf(referenceNumber) });
assert.equal(created.error, undefined);
assert.ok(created.data?.data[0]?.trackingDetails[0]?.trackingNumber);
const again = await waybill.createConsignment({ body: orderOf(referenceNumber) });
assert.ok(again.error && 'code' in again.error);
assert.equal(again.error.code, 'duplicate_reference');

const read = await waybill.readConsignmentByReference({ path: { referenceNumber } });
assert.equal(read.data?.data[0]?.referenceNumber, referenceNumber);
const listed = await waybill.readConsignment({ query: { carrier: 'test_carrier' } });
assert.ok(listed.data?.data.some((entry) => entry.referenceNumber === referenceNumber));

const change = { consignmentDetails: { referenceNumber, shipByDate: '2030-05-02' } };
const updated = await waybill.updateConsignment({ body: change });
assert.equal(updated.data?.data[0]?.acceptance, 'accepted');
const cancelled = await waybill.cancelConsignments({ body: { consignments: [{ referenceNumber }] } });
assert.equal(cancelled.data?.data[0]?.status, 'Success');

const subscribed = await waybill.createWebhook({ body: webhook });
assert.ok(subscribed.data?.secret);
const path = { id: subscribed.data.id };
const edited = await waybill.updateWebhook({ path, body: { events: ['consignment.order_delivered'] } });
assert.deepEqual(edited.data?.events, ['consignment.order_delivered']);
assert.equal((await waybill.pauseWebhook({ path })).data?.state, 'paused');
assert.ok((await waybill.listWebhooks()).data?.data.some(({ id }) => id === path.id));
assert.equal((await waybill.deleteWebhook({ path })).data?.deleted, true);
