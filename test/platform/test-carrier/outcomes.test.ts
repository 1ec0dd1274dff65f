import { beforeAll, describe, expect, it } from 'vitest';
import { NORMALISED_STATUSES } from '../../../src/engine/statuses/status.ts';
import { orderFor } from '../../../simulator/demo/order.ts';
import { flowWorld, onBothQueues, plain } from '../../flow/world.ts';
import { readPdf, readZpl } from '../../support/barcode.ts';
import { until } from '../../support/until.ts';
import { sandboxWorld } from './world.ts';

/** Longer than any journey. */
const JOURNEY_MS = 65_000;

const labelOf = async (reply: { body: { data: { trackingDetails: { label: string }[] }[] } }) => {
  const response = await fetch(reply.body.data[0]?.trackingDetails[0]?.label ?? '');
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
};

const reference = (status: string): string => `S-${status.replaceAll(' ', '-')}`;

onBothQueues('a shipper with nothing but a sandbox token', (options) => {
  const world = sandboxWorld(options);
  beforeAll(async () => await world.subscribe());

  const events = (of: string): string[] =>
    world.receiver.received.filter(({ referenceNumber }) => referenceNumber === of).map(({ status }) => status);
  const acceptance = async (of: string): Promise<string> => (await world.read(of)).acceptance;

  it('creates, reads the label, and is told of each status until the delivery, by signed webhooks', async () => {
    const created = await world.create('R-1', undefined, { packages: 2 });
    expect(created).toMatchObject({ status: 200, body: { data: [{ acceptance: 'accepted' }] } });
    const [first, second] = created.body.data[0].trackingDetails;
    expect(first.trackingNumber).toMatch(/^TEST\d{14}$/);
    expect(second.trackingNumber).not.toBe(first.trackingNumber);
    const label = await labelOf(created);
    expect(await readPdf(label.bytes)).toEqual([[first.trackingNumber]]);
    world.skip(JOURNEY_MS);
    await until('it is delivered', () => events('R-1').filter((status) => status === 'Order Delivered').length === 2);
    for (const status of ['Order Picked Up', 'In Transit', 'At Facility', 'Out for Delivery'])
      expect(events('R-1').filter((one) => one === status)).toHaveLength(2);
    expect(await world.read('R-1')).toMatchObject({ status: 'Order Delivered', acceptance: 'accepted' });
    expect(world.receiver.forged()).toBe(0);
  });

  it('gets labels in the format that it asks for, and the tracking number that it brings', async () => {
    const zpl = await world.create('R-ZPL', undefined, { labelFormat: 'ZPL' });
    const [{ trackingNumber }] = zpl.body.data[0].trackingDetails;
    expect(await readZpl((await labelOf(zpl)).bytes.toString())).toEqual([[trackingNumber]]);
  });

  it('sees every normalised status, each the usual way', async () => {
    const statuses = NORMALISED_STATUSES.filter((status) => status !== 'Order Created');
    await Promise.all(
      statuses.map(async (status) => {
        expect(await world.create(reference(status), `Test: ${status.toLowerCase()}`)).toMatchObject({ status: 200 });
      }),
    );
    world.skip(JOURNEY_MS);
    for (const status of statuses)
      await until(`the webhook tells of ${status}`, () => events(reference(status)).includes(status));
    for (const status of ['Order Picked Up', 'In Transit', 'At Facility'])
      await until(`the webhook tells of ${status}`, () => events('S-Customs-Hold').includes(status));
    const { packages } = await world.read('S-Delivery-Failed');
    expect(packages).toMatchObject([{ status: 'Delivery Failed', reason: 'NOT_HOME' }]);
  });

  it('chooses a way of its own by naming several statuses', async () => {
    await world.create('R-WAY', 'test: In Transit, Delivery Failed, Out for Delivery, Order Delivered');
    world.skip(JOURNEY_MS);
    await until('it is delivered', () => events('R-WAY').includes('Order Delivered'));
    const { events: told } = await world.read('R-WAY');
    expect(told.map(({ status }: { status: string }) => status)).toEqual([
      'In Transit',
      'Delivery Failed',
      'Out for Delivery',
      'Order Delivered',
    ]);
  });

  it('is refused, in the carrier’s words, and corrects the order', async () => {
    const refused = await world.create('R-NO', 'test: refused');
    expect(refused).toMatchObject({ status: 422, body: { errors: ['the order asked to be refused'] } });
    expect(await world.create('R-NO', 'test: order created')).toMatchObject({ status: 200 });
  });

  it('is told which words there are when it writes another', async () => {
    const refused = await world.create('R-SLIP', 'test: delievred');
    expect(refused.status).toBe(422);
    expect(refused.body.errors[0]).toMatch(/^deliveryInstructions asks for "test: delievred", .*Order Delivered/);
  });

  it('updates and cancels before the pickup, and not after it', async () => {
    const created = await world.create('R-CHANGE', 'test: order created');
    const updated = await world.update('R-CHANGE', 'test: order picked up');
    expect(updated).toMatchObject({ status: 200, body: { data: [{ acceptance: 'accepted' }] } });
    const numberOf = ({ body }: typeof created) => body.data[0].trackingDetails[0].trackingNumber;
    expect(numberOf(updated)).toBe(numberOf(created));
    await world.create('R-STOP', 'test: order created');
    expect(await world.cancel('R-STOP')).toMatchObject({ status: 'Success' });
    world.skip(15_000);
    expect(await world.update('R-CHANGE', 'ring once')).toMatchObject({ status: expect.toBeOneOf([409, 422]) });
    await until('it is picked up', () => events('R-CHANGE').includes('Order Picked Up'));
    expect(await world.cancel('R-CHANGE')).toMatchObject({ status: 'Failed' });
    expect(await world.update('R-CHANGE', 'ring once')).toMatchObject({ status: 409 });
  });

  it('has an update and a cancel refused', async () => {
    await world.create('R-FIXED', 'test: update refused, cancel refused, order created');
    expect(await world.update('R-FIXED', 'test: update refused, order created')).toMatchObject({ status: 422 });
    expect(await world.cancel('R-FIXED')).toMatchObject({ status: 'Failed' });
    expect(await acceptance('R-FIXED')).toBe('accepted');
  });

  it('sees a time-out end well: the request is sent again, and answered', async () => {
    const pending = await world.create('R-LATE', 'test: time-out, order created', { carrier: 'impatient' });
    expect(pending).toMatchObject({ status: 200, body: { data: [{ acceptance: 'pending' }] } });
    world.skip(25_000);
    await until('it is accepted', async () => (await acceptance('R-LATE')) === 'accepted');
  });

  it('has an order held whose outcome nobody knows, and takes it up again', async () => {
    await world.create('R-HELD', 'test: held, order created');
    await until('it is held', async () => (await acceptance('R-HELD')) === 'held');
    world.skip(25_000);
    const retried = await world.shop('POST', '/v2/consignments/R-HELD/dispatch');
    expect(retried).toMatchObject({ status: 200, body: { data: [{ acceptance: 'accepted' }] } });
  });

  it('sees what becomes of an answer that leaves a package out', async () => {
    const { body } = await world.create('R-PART', 'test: partial', { packages: 2 });
    const [{ acceptance: stands, reason }] = body.data;
    expect(stands).toBe('held');
    expect(reason.message).toContain('the answer has no entry for package PKG-2');
  });

  it('sees a label come late, and one that never comes', async () => {
    const late = await world.create('R-LABEL', 'test: late label, order created');
    const never = await world.create('R-NONE', 'test: no label, order created');
    expect((await labelOf(late)).status).toBe(503);
    world.skip(35_000);
    await until('the label is there', async () => (await labelOf(late)).status === 200);
    const isGivenUp = async (): Promise<boolean> => {
      world.skip(1_000);
      return (await world.read('R-NONE')).labels[0].state === 'failed';
    };
    await until('the other is given up', isGivenUp);
    expect((await labelOf(never)).status).toBe(502);
  });

  it('survives a restart on the way', async () => {
    await world.create('R-AGAIN');
    await world.restart();
    world.skip(JOURNEY_MS);
    await until('it is delivered', async () => (await world.read('R-AGAIN')).status === 'Order Delivered');
  });

  it('has one account, however many orders come first, and none once an operator has disabled it', async () => {
    const { body } = await world.admin('POST', '/admin/shippers', { code: 'other', name: 'Other' });
    expect(body.token).toBeTypeOf('string');
    const issued = await world.admin('POST', '/admin/shippers/other/tokens', { environment: 'sandbox' });
    const { token } = issued.body;
    const orders = ['O-1', 'O-2', 'O-3'].map(async (one) => await world.create(one, 'test: order created', { token }));
    expect((await Promise.all(orders)).map(({ status }) => status)).toEqual([200, 200, 200]);
    const { body: accounts } = await world.admin('GET', '/admin/accounts?shipper=other');
    expect(accounts.data).toMatchObject([{ carrier: 'test_carrier', environment: 'sandbox', state: 'active' }]);
    await world.admin('POST', `/admin/accounts/${accounts.data[0].id}/disable`);
    const refused = await world.create('O-4', 'test: order created', { token });
    expect(refused.status).toBe(422);
    expect(refused.body.errors[0]).toContain('test_carrier is a carrier with which you have no sandbox account');
  });

  it('is the only one who reaches it: a token of production does not', async () => {
    const refused = await world.create('R-REAL', undefined, { token: world.production });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toContain('carrier.code test_carrier has no production environment');
  });
});

describe('on a server that calls no private address', () => {
  const world = sandboxWorld({ env: { ALLOW_PRIVATE_NETWORKS: 'false' } });

  it('accepts orders and gives labels', async () => {
    const created = await world.create('R-1');
    expect(created).toMatchObject({ status: 200, body: { data: [{ acceptance: 'accepted' }] } });
    expect((await fetch(created.body.data[0].trackingDetails[0].label)).headers.get('content-type')).toBe(
      'application/pdf',
    );
  });
});

describe('a server that is killed on the way', () => {
  const flow = flowWorld({ isServing: false });

  it('has the statuses that came due, and those to come, after its next start', async () => {
    const child = await flow.spawn();
    await flow.openShop();
    const { body } = await flow.asAdmin('POST', '/admin/shippers/shop/tokens', { environment: 'sandbox' });
    flow.shop = String(body['token']);
    const order = orderFor({ ...plain, code: 'test_carrier' }, 'R-1', 1);
    expect(await flow.asShop('POST', '/v2/consignments', order)).toMatchObject({ status: 200 });
    child.kill('SIGKILL');
    await flow.spawn();
    await flow.subscribe();
    const told = () => flow.receiver.received.map(({ status }) => status);
    await until('the next statuses are told', () => told().includes('In Transit'));
    const { body: read } = await flow.read('R-1');
    expect(JSON.stringify(read)).toContain('Order Picked Up');
  });
});
