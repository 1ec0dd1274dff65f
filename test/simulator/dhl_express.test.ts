import { describe, expect, it } from 'vitest';
import { carrier } from '../../simulator/dhl_express.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { readPdf, readZpl } from './barcode.ts';
import { call, type Called, type Loose, simulating } from './call.ts';
import { dhlOrder, now } from './orders.ts';

let simulator: Simulator;
simulating({ carriers: [carrier], now: () => now }, (opened) => (simulator = opened));
const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;
const authorization = { authorization: basic('simulated-key:simulated-secret') };
const ask = async (method: string, path: string, json?: unknown): Promise<Called> =>
  await call(method, simulator.carriers['dhl_express']! + path, { json, headers: authorization });
const create = async (packages = 1, change: Record<string, unknown> = {}): Promise<Called> =>
  await ask('POST', '/shipments', dhlOrder(packages, change));

const linked = { getAdditionalInformation: [{ typeCode: 'linkLabelsByPieces', isRequested: true }] };
const pdfOf = (document: { content: string }): Buffer => Buffer.from(document.content, 'base64');

it('refuses a body that is not said to be JSON', async () => {
  const headers = { ...authorization, 'content-type': 'text/plain' };
  const answer = await call('POST', `${simulator.carriers['dhl_express']!}/shipments`, { json: dhlOrder(1), headers });
  expect(answer.status).toBe(415);
});

describe('a create', () => {
  it('of one package is answered 201 with a waybill, a piece and a label', async () => {
    const { status, body, headers } = await create();
    expect(status).toBe(201);
    expect(body.shipmentTrackingNumber).toMatch(/^\d{10}$/);
    const waybill = body.shipmentTrackingNumber;
    expect(Number(waybill.slice(0, 9)) % 7).toBe(Number(waybill[9]));
    expect(headers.get('location')).toBe(`/shipments/${waybill}`);
    expect(body.packages).toMatchObject([
      { referenceNumber: 1, trackingNumber: expect.stringMatching(/^JD01\d{16}$/) },
    ]);
    expect(body).not.toHaveProperty('dispatchConfirmationNumber');
    expect(body.documents).toHaveLength(1);
    expect(await readPdf(pdfOf(body.documents[0]))).toEqual([[body.packages[0].trackingNumber]]);
  });

  it('of three packages gives one document with a page a piece', async () => {
    const { body } = await create(3);
    expect(body.documents).toMatchObject([{ imageFormat: 'PDF', typeCode: 'label' }]);
    expect(body.documents[0]).not.toHaveProperty('packageReferenceNumber');
    expect(await readPdf(pdfOf(body.documents[0]))).toEqual(
      body.packages.map((piece: Loose) => [piece.trackingNumber]),
    );
  });

  it('gives a label a piece, with its number, when labels are to be linked', async () => {
    const { body } = await create(3, linked);
    expect(body.documents.map((document: Loose) => document.packageReferenceNumber)).toEqual([1, 2, 3]);
    expect(await readPdf(pdfOf(body.documents[2]))).toEqual([[body.packages[2].trackingNumber]]);
  });

  it('splits by pages without numbers, and adds the waybill document when asked', async () => {
    const imageOptions = [{ typeCode: 'waybillDoc', isRequested: true }];
    const { body } = await create(2, { outputImageProperties: { splitDocumentsByPages: true, imageOptions } });
    expect(body.documents.map((document: Loose) => document.typeCode)).toEqual(['label', 'label', 'waybillDoc']);
    expect(body.documents[1]).not.toHaveProperty('packageReferenceNumber');
  });

  it('draws ZPL when asked', async () => {
    const { body } = await create(2, { outputImageProperties: { encodingFormat: 'zpl' } });
    expect(body.documents[0].imageFormat).toBe('ZPL');
    expect(await readZpl(pdfOf(body.documents[0]).toString())).toEqual(
      body.packages.map((piece: Loose) => [piece.trackingNumber]),
    );
  });

  it('repeated makes a second waybill', async () => {
    const [first, second] = [await create(), await create()];
    expect(second.body.shipmentTrackingNumber).not.toBe(first.body.shipmentTrackingNumber);
  });

  it('names one breach in detail', async () => {
    const { status, body, headers } = await create(1, { productCode: undefined });
    expect(status).toBe(422);
    expect(headers.get('content-type')).toContain('problem+json');
    expect(body).toEqual({
      instance: '/expressapi/shipments',
      detail: '#: required key [productCode] not found',
      title: 'Validation error',
      message: 'Unprocessable Entity',
      status: '422',
    });
  });

  it('names several breaches in additionalDetails', async () => {
    const order: Loose = dhlOrder(1, { accounts: [{ typeCode: 'shipper' }], surprise: 1 });
    order.content.packages[0] = { weight: '2.4', dimensions: { length: 30, width: 20 } };
    order.content.unitOfMeasurement = 'kg';
    order.customerDetails.receiverDetails.postalAddress.addressLine2 = '';
    const { status, body } = await ask('POST', '/shipments', order);
    expect(status).toBe(422);
    expect(body.detail).toBe('Multiple problems found, see Additional Details');
    expect(new Set(body.additionalDetails)).toEqual(
      new Set([
        '#/accounts/0: required key [number] not found',
        '#/content/packages/0/dimensions: required key [height] not found',
        '#/content/packages/0/weight: expected type: Number',
        '#/content/unitOfMeasurement: kg is not a valid enum value',
        '#/customerDetails/receiverDetails/postalAddress/addressLine2: expected minLength: 1, actual: 0',
        '#: extraneous key [surprise] is not permitted',
      ]),
    );
  });

  it.each([
    ['2026-05-01 10:00:00', /not well formatted/],
    ['2026-05-01T10:00:00Z', /not well formatted/],
    ['2026-05-01T09:59:59 GMT+02:00', /in the past/],
    ['2026-05-12T10:00:00 GMT+02:00', /10 days/],
  ])('planned for %s is refused with 400', async (planned, reason) => {
    const { status, body } = await create(1, { plannedShippingDateAndTime: planned });
    expect(status).toBe(400);
    expect(body.detail).toMatch(/^998: /);
    expect(body.detail).toMatch(reason);
  });

  it('with the wrong password is refused', async () => {
    const headers = { authorization: basic('simulated-key:wrong') };
    const answer = await call('POST', `${simulator.carriers['dhl_express']!}/shipments`, {
      json: dhlOrder(1),
      headers,
    });
    expect(answer.status).toBe(401);
  });
});

describe('a pickup', () => {
  it('comes with the shipment when requested, and can be cancelled once', async () => {
    const { body } = await create(1, { pickup: { isRequested: true } });
    const path = `/pickups/${body.dispatchConfirmationNumber}`;
    expect(body.cancelPickupUrl).toBe(simulator.carriers['dhl_express']! + path);
    const why = '?requestorName=Erika%20Example&reason=cancelled';
    expect(await ask('DELETE', path + why)).toMatchObject({ status: 200, text: '' });
    expect((await ask('DELETE', path + why)).status).toBe(400);
  });

  it('is not cancelled without a name and a reason, nor when unknown', async () => {
    const { body } = await ask('DELETE', '/pickups/HAM260501000001');
    expect(body).toMatchObject({ status: '400', detail: 'Missing mandatory parameters: requestorName, reason' });
    const unknown = await ask('DELETE', '/pickups/HAM260501000001?requestorName=E&reason=r');
    expect(unknown.status).toBe(404);
  });

  it('can be booked by itself', async () => {
    const { customerDetails, accounts } = dhlOrder(1);
    const { status, body } = await ask('POST', '/pickups', {
      plannedPickupDateAndTime: '2026-05-01T12:00:00 GMT+02:00',
      accounts,
      customerDetails,
      shipmentDetails: [
        { productCode: 'N', isCustomsDeclarable: false, unitOfMeasurement: 'metric', packages: [{ weight: 1 }] },
      ],
    });
    expect(status).toBe(201);
    expect(body.dispatchConfirmationNumbers).toHaveLength(1);
  });
});

describe('tracking', () => {
  it('of a number that is none is 404', async () => {
    expect((await ask('GET', '/shipments/%ZZ/tracking')).status).toBe(404);
  });

  it('is 404 until the first event', async () => {
    const { body } = await create();
    const answer = await ask('GET', `/shipments/${body.shipmentTrackingNumber}/tracking`);
    expect(answer).toMatchObject({ status: 404, body: { detail: 'No data found', status: '404' } });
  });

  it('shows the pieces’ events with local time and offset', async () => {
    const { body } = await create(2);
    const [one, two] = body.packages;
    await simulator.advance('dhl_express', { trackingNumber: body.shipmentTrackingNumber, status: 'PICKED_UP' });
    await simulator.advance('dhl_express', { trackingNumber: two.trackingNumber, status: 'DELIVERED' });
    const answer = await ask(
      'GET',
      `/tracking?shipmentTrackingNumber=${body.shipmentTrackingNumber}&levelOfDetail=all`,
    );
    const [shipment] = answer.body.shipments;
    expect(shipment.numberOfPieces).toBe(2);
    expect(shipment.events).toHaveLength(3);
    expect(shipment.pieces.map((piece: Loose) => [piece.trackingNumber, piece.events.length])).toEqual([
      [one.trackingNumber, 1],
      [two.trackingNumber, 2],
    ]);
    expect(shipment.pieces[1].events).toMatchObject([
      { date: '2026-05-01', time: '10:00:00', GMTOffset: '+02:00', typeCode: 'PU' },
      { date: '2026-05-01', time: '10:00:01', GMTOffset: '+02:00', typeCode: 'OK' },
    ]);
  });

  it('leaves the pieces out unless asked, and takes several numbers', async () => {
    const created = [await create(), await create()];
    const numbers = created.map(({ body }) => body.shipmentTrackingNumber as string);
    for (const trackingNumber of numbers)
      await simulator.advance('dhl_express', { trackingNumber, status: 'OUT_FOR_DELIVERY' });
    const query = numbers.map((number) => `shipmentTrackingNumber=${number}`).join('&');
    const { body } = await ask('GET', `/tracking?${query}&shipmentTrackingNumber=0000000000`);
    expect(body.shipments.map((shipment: Loose) => shipment.shipmentTrackingNumber)).toEqual(numbers);
    expect(body.shipments[0]).not.toHaveProperty('pieces');
  });

  it('finds a shipment by reference and account, also one without events', async () => {
    const { body } = await create();
    const path = '/tracking?shipmentReference=REF-1&levelOfDetail=all';
    expect((await ask('GET', path)).status).toBe(400);
    const found = await ask('GET', `${path}&shipperAccountNumber=999000111`);
    expect(found.body.shipments[0].shipmentTrackingNumber).toBe(body.shipmentTrackingNumber);
    expect(found.body.shipments[0].pieces[0].trackingNumber).toBe(body.packages[0].trackingNumber);
    expect((await ask('GET', `${path}&shipperAccountNumber=1`)).status).toBe(404);
  });

  it('shows a code given by hand', async () => {
    const { body } = await create();
    const trackingNumber = body.packages[0].trackingNumber;
    await simulator.advance('dhl_express', { trackingNumber, status: { code: 'OH', description: 'On hold' } });
    const answer = await ask('GET', `/tracking?pieceTrackingNumber=${trackingNumber}&levelOfDetail=piece`);
    expect(answer.body.shipments[0].pieces[0].events).toMatchObject([{ typeCode: 'OH', description: 'On hold' }]);
  });
});
