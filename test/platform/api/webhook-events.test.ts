import { describe, expect, it } from 'vitest';
import type { WebhookEvent } from '../../../src/engine/webhooks/event.ts';
import { held, rejected } from './carrier.ts';
import { apiWorld, order } from './world.ts';

const FLEET = `
carrier: vans
name: Our Vans
capabilities: { fleet: own }
environments: { production: { url: 'https://vans.example.com' } }
operations: { create: { post: /orders, body: { json: consignment }, result: response.body } }
statuses:
  table: { EN_ROUTE: En Route, ARRIVED: Arrived, DONE: Order Delivered, NOBODY: { status: Delivery Failed, reason: NOT_HOME } }
`;
const api = apiWorld({}, { profiles: { vans: FLEET } });
const { shop, carrier } = api;

const subscribe = async (events?: readonly string[]) =>
  await shop.post('/v2/webhooks', { url: 'https://shop.example.com/hook', orderTypes: ['FORWARD'], events });
/** Each test has a consignment of its own: one number of two shippers would be of neither. */
let made = 0;
const create = async (changes = {}) => {
  made += 1;
  await shop.create(order(changes, `REF-${made}`));
};
const push = async (carrierStatusCode: string, statusReceivedAt: string, code = 'acme', more = {}) => {
  const { token } = await api.issue(`carriers/${code}`);
  const said = {
    value: `T-REF-${made}-P1`,
    carrierStatusCode,
    statusReceivedAt,
    eventTimezone: 'Europe/Berlin',
    ...more,
  };
  expect((await api.as(token).post(`/v2/carriers/${code}/statuses`, said)).status).toBe(200);
};
/** What the shop was told, in the order in which it became known. */
const told = async (): Promise<readonly WebhookEvent[]> => {
  const { shipperId } = (await api.sql('select max(id) as "shipperId" from shippers'))[0];
  const rows = await api.sql(
    `select n.body from notices n join consignments c on c.id = n.consignment_id where shipper_id = $1
     order by c.id, n.sequence`,
    [shipperId],
  );
  return rows.map(({ body }) => JSON.parse(body));
};
const eventsTold = async () => (await told()).map(({ event }) => event);

describe('an event', () => {
  it('is named after what happened, and numbered where the same happens again', async () => {
    await create();
    await push('PICKED_UP', '2026-05-01 10:00:00');
    await push('PICKED_UP', '2026-05-01 10:00:00');
    await push('PICKED_UP', '2026-05-01 11:00:00');
    await push('ODD', '2026-05-01 11:30:00');
    await push('DELIVERED', '2026-05-01 12:00:00');
    expect(await eventsTold()).toEqual([
      'consignment.tracking',
      'consignment.order_picked_up',
      'consignment.order_picked_up.2',
      'consignment.unmapped',
      'consignment.order_delivered',
    ]);
  });

  it('is one of its reference, also where that was used before', async () => {
    carrier.answers(rejected('no'));
    await shop.create();
    await shop.create();
    carrier.answers(held('fail'));
    await shop.create();
    carrier.answers('as usual');
    await shop.retry();
    expect(await eventsTold()).toEqual([
      'consignment.rejected',
      'consignment.rejected.2',
      'consignment.held',
      'consignment.tracking',
    ]);
  });

  it('has the time at which it happened as its timestamp, which orders what came out of order', async () => {
    await create();
    await push('DELIVERED', '2026-05-01 12:00:00');
    await push('PICKED_UP', '2026-05-01 11:30:00');
    const [tracking, ...statuses] = await told();
    const receivedAt = '2026-05-01T09:00:00.000Z';
    expect(tracking).toMatchObject({ timestamp: receivedAt, receivedAt });
    expect(statuses.toSorted((a, b) => a.timestamp.localeCompare(b.timestamp))).toMatchObject([
      { event: 'consignment.order_picked_up', timestamp: '2026-05-01T09:30:00.000Z', receivedAt, sequence: 3 },
      { event: 'consignment.order_delivered', timestamp: '2026-05-01T10:00:00.000Z', receivedAt, sequence: 2 },
    ]);
    for (const { timestamp, occurredAt, eventId } of statuses)
      expect([timestamp, eventId]).toEqual([occurredAt, expect.stringMatching(/^evt_/)]);
  });

  it('of an own fleet is named after what happens at a stop, with reasons and proofs', async () => {
    await create({ 'carrier.code': 'vans' });
    const extraInfo = { pod: [{ type: 'PHOTO', url: 'https://vans.example.com/p.jpg' }] };
    await push('EN_ROUTE', '2026-05-01 10:00:00', 'vans', { driverName: 'D. Example' });
    await push('ARRIVED', '2026-05-01 10:30:00', 'vans');
    await push('NOBODY', '2026-05-01 10:35:00', 'vans');
    await push('EN_ROUTE', '2026-05-02 10:00:00', 'vans');
    await push('DONE', '2026-05-02 10:30:00', 'vans', { extraInfo, latitude: '52.5', longitude: '13.4' });
    expect((await told()).slice(1)).toMatchObject([
      { event: 'consignment.en_route', driverName: 'D. Example' },
      { event: 'consignment.arrived' },
      { event: 'consignment.delivery_failed', reason: 'NOT_HOME' },
      { event: 'consignment.en_route.2' },
      { event: 'consignment.order_delivered', extraInfo, location: { latitude: '52.5', longitude: '13.4' } },
    ]);
  });

  it('names the types of its order', async () => {
    const exchange = { 'consignmentDetails.additionalInformation': { exchangeOrderNumber: 'ORD-0' } };
    await shop.create(order(exchange));
    expect(await told()).toMatchObject([{ consignmentType: 'FORWARD', orderTypes: ['FORWARD', 'EXCHANGE'] }]);
  });
});

const delivered = async () => {
  const { body } = await shop.get('/v2/webhooks/deliveries');
  return body.data.map(({ event }: { event: string }) => event).toReversed();
};

describe('a webhook with events', () => {
  it('gets these alone, however often they happen', async () => {
    const events = ['consignment.order_picked_up', 'consignment.held'];
    expect(await subscribe(events)).toMatchObject({ status: 200, body: { events: events.toReversed() } });
    await create();
    await push('PICKED_UP', '2026-05-01 10:00:00');
    await push('PICKED_UP', '2026-05-01 11:00:00');
    await push('DELIVERED', '2026-05-01 12:00:00');
    expect(await delivered()).toEqual(['consignment.order_picked_up', 'consignment.order_picked_up.2']);
  });

  it('may ask for every status, and the log be searched for them', async () => {
    await subscribe();
    await subscribe(['consignment.status']);
    await create();
    await push('DELIVERED', '2026-05-01 12:00:00');
    const both = ['consignment.order_delivered', 'consignment.order_delivered'];
    expect((await delivered()).toSorted()).toEqual([...both, 'consignment.tracking']);
    const { body } = await shop.get('/v2/webhooks/deliveries?event=consignment.status');
    expect(body.data.map(({ event }: { event: string }) => event)).toEqual(both);
  });

  it('is 400 where one of them is unknown', async () => {
    const { status, body } = await subscribe(['consignment.lost', 'order.lost']);
    expect([status, body.errors[0].details[0]]).toEqual([400, expect.stringContaining('events has "order.lost"')]);
    expect((await shop.get('/v2/webhooks/deliveries?event=order.lost')).status).toBe(400);
  });
});
