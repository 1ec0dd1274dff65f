/** The API by a client whose types `openapi-typescript` made of its description. */
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { paths } from './generated/schema.ts';
import { orderOf, token, url, webhook } from './shop.ts';

const client = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${token}` } });
const referenceNumber = 'OPENAPI-FETCH-1';

const created = await client.POST('/v2/consignments', { body: orderOf(referenceNumber) });
assert.equal(created.error, undefined);
assert.ok(created.data.data[0]?.trackingDetails[0]?.trackingNumber);
const again = await client.POST('/v2/consignments', { body: orderOf(referenceNumber) });
assert.equal(again.error?.code, 'duplicate_reference');

const read = await client.GET('/v2/consignments/{referenceNumber}', { params: { path: { referenceNumber } } });
assert.equal(read.data?.data[0]?.referenceNumber, referenceNumber);
const listed = await client.GET('/v2/consignments', { params: { query: { carrier: 'test_carrier' } } });
assert.ok(listed.data?.data.some((entry) => entry.referenceNumber === referenceNumber));

const change = { consignmentDetails: { referenceNumber, shipByDate: '2030-05-02' } };
const updated = await client.PUT('/v2/consignments', { body: change });
assert.equal(updated.data?.data[0]?.acceptance, 'accepted');
const cancelled = await client.POST('/v2/consignments-cancel', { body: { consignments: [{ referenceNumber }] } });
assert.equal(cancelled.data?.data[0]?.status, 'Success');

const subscribed = await client.POST('/v2/webhooks', { body: webhook });
assert.ok(subscribed.data?.secret);
const path = { id: subscribed.data.id };
const edited = await client.PATCH('/v2/webhooks/{id}', {
  params: { path },
  body: { events: ['consignment.order_delivered'] },
});
assert.deepEqual(edited.data?.events, ['consignment.order_delivered']);
assert.equal((await client.POST('/v2/webhooks/{id}/pause', { params: { path } })).data?.state, 'paused');
assert.ok((await client.GET('/v2/webhooks')).data?.data.some(({ id }) => id === path.id));
assert.equal((await client.DELETE('/v2/webhooks/{id}', { params: { path } })).data?.deleted, true);
