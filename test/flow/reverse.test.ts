/** A return from the shipper's request to the shipper's webhook, and sandbox and production apart. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { orderFor } from '../../simulator/demo/order.ts';
import { type Receiver, startReceiver } from '../../simulator/demo/receiver.ts';
import type { Order } from '../../src/engine/consignment/order.ts';
import { until } from '../support/until.ts';
import { changed } from '../engine/consignment/orders.ts';
import { minimalProfile, type Reply } from './server.ts';
import { flowWorld, onBothQueues, plain } from './world.ts';

const BILL_TO = { name: 'Example Payments', addressLine1: '9 Example Quay', city: 'Hamburg', country: 'DE' };
const SHIPPER = { name: 'Example Shop GmbH', companyName: 'Example Shop', city: 'Hamburg', country: 'DE' };
const RETURN_TO = {
  contact: { name: 'Returns Desk', contactNumber: '+49405550101' },
  address: { line1: '1 Example Depot', city: 'Hamburg', pincode: '20095', country: 'DE' },
};

const EXCHANGED_RETURN = changed(orderFor({ ...plain, bulky: true }, 'RET-1', 1) as unknown as Order, {
  'consignmentDetails.consignmentType': 'REVERSE',
  'consignmentDetails.additionalInformation': { exchangeOrderNumber: 'O-BEFORE', isSignatureRequired: true },
  returnTo: RETURN_TO,
});

const profile = (url: string): string =>
  minimalProfile(`${url}/production`).replace(
    'credentials:',
    `  sandbox: { url: '${url}/sandbox' }
capabilities: { bulky: true, vas: [INSTALLATION, TWO_MAN_DELIVERY] }
credentials:`,
  );

const statusTold = ({ received }: Receiver) => received.find(({ carrierStatus }) => carrierStatus !== undefined);

onBothQueues('a return', (options) => {
  const flow = flowWorld({ ...options, profiles: (url) => ({ plain: profile(url) }), isServing: false });
  let sandboxToken: string;
  let sandboxReceiver: Receiver;
  const callers = { production: flow.asShop, sandbox: flow.as(() => sandboxToken) };
  type Environment = keyof typeof callers;

  beforeAll(async () => {
    await flow.serve();
    await flow.openShop({ ...SHIPPER, billTo: BILL_TO });
    const { body } = await flow.asAdmin('POST', '/admin/shippers/shop/tokens', { environment: 'sandbox' });
    sandboxToken = String(body['token']);
    sandboxReceiver = await startReceiver();
    for (const environment of ['production', 'sandbox'])
      await flow.openAccount('plain', { token: `carrier-token-of-${environment}` }, { environment });
    await flow.subscribe('EXCHANGE');
    await flow.subscribe('REVERSE', callers.sandbox, sandboxReceiver);
  });
  afterAll(async () => await sandboxReceiver.close());

  const create = async (environment: Environment): Promise<Reply> =>
    await callers[environment]('POST', '/v2/consignments', EXCHANGED_RETURN);
  const read = async (environment: Environment) =>
    (await callers[environment]('GET', '/v2/consignments?referenceNumber=RET-1')).body['data']?.[0];
  const seen = (environment: Environment) =>
    flow.carrier.seen.filter(({ path }) => path?.endsWith(`/${environment}`) === true);

  it('brings a return to the carrier with all that is said of it', async () => {
    const reply = await create('production');
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    expect(seen('production')).toMatchObject([
      {
        authorization: 'Bearer carrier-token-of-production',
        body: {
          typeOfOrder: 'REVERSE',
          exchangeOrderNumber: 'O-BEFORE',
          shipper: SHIPPER,
          billTo: BILL_TO,
          vas: [
            { vasCode: 'TWO_MAN_DELIVERY', level: 'CONSIGNMENT', serviceTime: 20 },
            { vasCode: 'INSTALLATION', level: 'SKU', targetIds: ['PKG-1'], serviceTime: 30 },
          ],
          info: { returnTo: RETURN_TO },
        },
      },
    ]);
  });

  it('brings what was installed from the carrier’s push to the webhook, proofs and driver with it', async () => {
    const installed = {
      itemReferenceNumber: 'PKG-1',
      level: 'SKU',
      targetIds: ['1'],
      vasCode: 'INSTALLATION',
      status: 'Installed',
      statusCode: 'INSTALLED',
      statusTime: '2026-05-02 08:10:00',
    };
    const told = {
      installationItems: [installed],
      extraInfo: { receivedBy: 'Returns Desk', pod: [{ type: 'PHOTO', url: 'https://carrier.example/pod/1.jpg' }] },
      driverName: 'Example Driver',
      vehicleNumber: 'HH-EX 1',
    };
    const update = {
      type: 'Tracking',
      value: 'T-RET-1-PKG-1',
      carrierStatusCode: 'DELIVERED',
      statusReceivedAt: '2026-05-02 08:15:00',
      eventTimezone: 'Europe/Berlin',
      ...told,
    };
    expect((await flow.push(update, 'production')).status).toBe(200);
    await until('the shipper is told', () => statusTold(flow.receiver) !== undefined);
    expect(statusTold(flow.receiver)).toMatchObject({
      referenceNumber: 'RET-1',
      consignmentType: 'REVERSE',
      status: 'Order Delivered',
      ...told,
    });
    expect(flow.receiver.forged()).toBe(0);
  });

  it('keeps sandbox and production apart: accounts, carriers, references, statuses and webhooks', async () => {
    expect(await create('sandbox')).toMatchObject({ status: 200 });
    expect(seen('production')).toHaveLength(1);
    expect(seen('sandbox')).toMatchObject([{ authorization: 'Bearer carrier-token-of-sandbox' }]);
    await until('the sandbox is told', () => sandboxReceiver.received.length > 0);
    const before = flow.receiver.received.length;
    await flow.push(
      { value: 'T-RET-1-PKG-1', carrierStatusCode: 'PICKED_UP', statusReceivedAt: '2026-05-03 08:15:00' },
      'sandbox',
    );
    await until('the sandbox is told', () => statusTold(sandboxReceiver) !== undefined);
    expect(flow.receiver.received).toHaveLength(before);
    expect(await read('production')).toMatchObject({ environment: 'production', status: 'Order Delivered' });
    expect(await read('sandbox')).toMatchObject({ environment: 'sandbox', status: 'Order Picked Up' });
  });
});
