import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { carrier } from '../../simulator/plain.ts';
import { start } from '../../simulator/server.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { readPdf, readPng, readZpl } from './barcode.ts';
import { call, type Called, type Loose } from './call.ts';
import { now, plainItems, plainOrder } from './orders.ts';

let simulator: Simulator;
const authorization = { authorization: 'Bearer simulated-plain-token' };
const send = async (json: unknown, headers: Record<string, string> = authorization): Promise<Called> =>
  await call('POST', simulator.carriers['plain']!, { json, headers });

beforeEach(async () => {
  simulator = await start({ carriers: [carrier], now: () => now });
});
afterEach(async () => {
  await simulator.close();
});

describe('a create', () => {
  it('is answered with an entry a package, echoes included', async () => {
    const { status, body } = await send(plainOrder({ numberOfShipments: 3, itemList: plainItems(3) }));
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 200, referenceId: 'REF-1', timestamp: now.getTime() });
    expect(body.itemsTrackDetails).toHaveLength(3);
    expect(body.itemsTrackDetails[2]).toMatchObject({
      itemReferenceNumber: 'PKG-3',
      trackingNumber: expect.stringMatching(/^PLN\d{10}$/),
      carrierCode: 'plain',
      orderNumber: 'ORD-1',
    });
    expect(new Set(body.itemsTrackDetails.map((entry: Loose) => entry.trackingNumber)).size).toBe(3);
  });

  it('keeps a tracking number that the request brings', async () => {
    const items = [{ ...plainItems(1)[0], itemTrackingNumber: 'GIVEN-1' }];
    const { body } = await send(plainOrder({ itemList: items }));
    expect(body.itemsTrackDetails[0].trackingNumber).toBe('GIVEN-1');
  });

  it('of a known reference gets the same numbers', async () => {
    const [first, second, other] = [
      await send(plainOrder()),
      await send(plainOrder()),
      await send(plainOrder({ referenceId: 'REF-2' })),
    ];
    expect(second.body.itemsTrackDetails).toEqual(first.body.itemsTrackDetails);
    expect(other.body.itemsTrackDetails[0].trackingNumber).not.toBe(first.body.itemsTrackDetails[0].trackingNumber);
    expect(simulator.shipments('plain')).toHaveLength(2);
  });

  it('of a cancelled reference makes a new shipment', async () => {
    const first = await send(plainOrder());
    await send(plainOrder({ typeOfAction: 'CANCEL' }));
    const second = await send(plainOrder());
    expect(second.body.itemsTrackDetails[0].trackingNumber).not.toBe(first.body.itemsTrackDetails[0].trackingNumber);
  });

  it.each(['referenceId', 'originContactNumber', 'destinationCity', 'totalWeight', 'shippingDateTime', 'itemList'])(
    'without %s is refused by name',
    async (name) => {
      const { status, body } = await send(plainOrder({ [name]: undefined }));
      expect(status).toBe(400);
      expect(body).toMatchObject({ status: 400, timestamp: now.getTime() });
      expect(body.errors).toHaveLength(1);
      expect(body.errors[0]).toContain(name);
    },
  );

  it('names everything that is wrong at once', async () => {
    const { body } = await send(
      plainOrder({
        originCountry: 'Germany',
        totalQuantity: '1',
        typeOfService: 'FAST',
        shippingDateTime: '2026-05-01T10:00:00Z',
        itemList: [{ itemReferenceNumber: 'PKG-1', itemQuantity: 1, itemWeightUom: 'KG' }],
        skuList: [{ itemReferenceNumber: 'PKG-9', skuCode: 'S', skuNumber: 'S', skuItemName: 'Mill', skuQuantity: 1 }],
      }),
    );
    expect(body.errors).toEqual([
      'typeOfService must be one of GROUND, EXPRESS, STANDARD, ECONOMY',
      'originCountry must be an ISO 3166-1 alpha-2 code',
      'totalQuantity must be an integer',
      'shippingDateTime must be a time as YYYY-MM-DD HH:MM:SS',
      'itemList[0].itemWeight is required',
      'skuList[0].itemReferenceNumber names no entry of itemList',
    ]);
  });

  it('with odd optional fields is accepted, and the log says what was odd', async () => {
    const { status } = await send(plainOrder({ invoiceValue: '12', surprise: true }));
    expect(status).toBe(200);
    expect(simulator.requests[0]?.findings).toEqual([
      'invoiceValue must be a number',
      'surprise is not a field of the contract',
    ]);
  });

  it('with the wrong token is refused', async () => {
    expect((await send(plainOrder(), { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await send(plainOrder(), {})).status).toBe(401);
  });

  it('that is not JSON is refused in the contract’s form', async () => {
    const headers = { ...authorization, 'content-type': 'application/json' };
    const response = await fetch(simulator.carriers['plain']!, { method: 'POST', headers, body: '{' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: ['the body must be a JSON object'] });
  });
});

const labelOf = async (format: string, headers: Record<string, string> = {}): Promise<[string, Called]> => {
  const { body } = await send(plainOrder({ labelFormat: format }));
  const [{ trackingNumber, labelUrl }] = body.itemsTrackDetails;
  return [trackingNumber, await call('GET', labelUrl, { headers })];
};

it('refuses a body that is not said to be JSON', async () => {
  const answer = await send(plainOrder(), { ...authorization, 'content-type': 'text/plain' });
  expect(answer).toMatchObject({ status: 400, body: { errors: ['the content type must be application/json'] } });
});

describe('a label', () => {
  it('is served at its URL, as PDF with the tracking number', async () => {
    const [trackingNumber, label] = await labelOf('PDF');
    expect(label.headers.get('content-type')).toBe('application/pdf');
    expect(await readPdf(label.bytes)).toEqual([[trackingNumber]]);
  });

  it('is served as ZPL when asked for', async () => {
    const [trackingNumber, label] = await labelOf('ZPL');
    expect(await readZpl(label.text)).toEqual([[trackingNumber]]);
  });

  it('is served as PNG when asked for', async () => {
    const [trackingNumber, label] = await labelOf('PNG');
    expect(await readPng(label.bytes)).toEqual([trackingNumber]);
  });

  it('may be a placeholder first', async () => {
    simulator.behave('plain', { do: 'label_later', status: 202, asks: 2 });
    const { body } = await send(plainOrder());
    const [{ labelUrl }] = body.itemsTrackDetails;
    const statuses = [];
    for (let ask = 0; ask < 3; ask += 1) statuses.push((await call('GET', labelUrl)).status);
    expect(statuses).toEqual([202, 202, 200]);
  });

  it('is gone after a cancel', async () => {
    const { body } = await send(plainOrder());
    await send(plainOrder({ typeOfAction: 'CANCEL' }));
    expect((await call('GET', body.itemsTrackDetails[0].labelUrl)).status).toBe(404);
  });

  it('asks for the token when labels are private', async () => {
    await simulator.close();
    simulator = await start({ carriers: [carrier], privateLabels: true });
    const [, open] = await labelOf('PDF');
    const [, known] = await labelOf('PDF', authorization);
    expect([open.status, known.status]).toEqual([401, 200]);
  });
});

describe('an update', () => {
  it('keeps the numbers of known items and gives new ones to new items', async () => {
    const created = await send(plainOrder());
    const updated = await send(plainOrder({ typeOfAction: 'UPDATE', itemList: plainItems(2) }));
    expect(updated.status).toBe(200);
    expect(updated.body.itemsTrackDetails[0]).toEqual(created.body.itemsTrackDetails[0]);
    expect(updated.body.itemsTrackDetails[1].itemReferenceNumber).toBe('PKG-2');
  });

  it('of an unknown reference, or after pickup, is refused', async () => {
    expect((await send(plainOrder({ typeOfAction: 'UPDATE' }))).status).toBe(400);
    await send(plainOrder());
    await simulator.advance('plain', { reference: 'REF-1', status: 'PICKED_UP' });
    const late = await send(plainOrder({ typeOfAction: 'UPDATE' }));
    expect(late).toMatchObject({ status: 400, body: { errors: ['the shipment is already picked up'] } });
  });
});

describe('a cancel', () => {
  it('is confirmed, also when repeated', async () => {
    await send(plainOrder());
    const cancel = plainOrder({ typeOfAction: 'CANCEL' });
    expect([(await send(cancel)).status, (await send(cancel)).status]).toEqual([200, 200]);
    expect(simulator.shipments('plain')[0]?.cancelled).toBe(true);
  });

  it('of an unknown reference, or after pickup, is refused', async () => {
    expect((await send(plainOrder({ typeOfAction: 'CANCEL' }))).status).toBe(400);
    await send(plainOrder());
    await simulator.advance('plain', { reference: 'REF-1', status: 'PICKED_UP' });
    expect((await send(plainOrder({ typeOfAction: 'CANCEL' }))).status).toBe(400);
  });
});

describe('mischief', () => {
  it('echoes wrongly on request', async () => {
    simulator.behave('plain', { do: 'wrong_echo' });
    const { body } = await send(plainOrder());
    expect(body.referenceId).not.toBe('REF-1');
    expect(body.itemsTrackDetails[0].itemReferenceNumber).not.toBe('PKG-1');
  });

  it('forgets a package on request', async () => {
    simulator.behave('plain', { do: 'wrong_count' });
    const { body } = await send(plainOrder({ itemList: plainItems(3) }));
    expect(body.itemsTrackDetails).toHaveLength(2);
  });
});
