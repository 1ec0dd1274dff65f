import { describe, expect, it } from 'vitest';
import { readPdf } from './barcode.ts';
import { basic, type Called, type Loose, order, simulating } from './call.ts';

const dhl = simulating('dhl_express', basic('simulated-key', 'simulated-secret'));
const create = async (change: object = {}, name = 'one-package', headers: Record<string, string> = {}) =>
  await dhl.ask('POST', '/shipments', order('dhl_express', name, change), headers);
const created = async (change: object = {}, name = 'one-package'): Promise<Loose> => (await create(change, name)).body;
const numbersOf = ({ packages }: Loose): readonly string[] => packages.map((piece: Loose) => piece.trackingNumber);
const advance = async (
  trackingNumber: string,
  status: 'PICKED_UP' | 'DELIVERED' | { code: string; description: string },
) => await dhl.simulator.advance('dhl_express', { trackingNumber, status });

describe('a create', () => {
  it('of one package is answered 201 with a waybill and a piece', async () => {
    const { status, body, headers } = await create();
    expect(status).toBe(201);
    const waybill = body.shipmentTrackingNumber;
    expect(waybill).toMatch(/^\d{10}$/);
    expect(Number(waybill.slice(0, 9)) % 7).toBe(Number(waybill[9]));
    expect(headers.get('location')).toBe(`/shipments/${waybill}`);
    const piece = { referenceNumber: 1, trackingNumber: expect.stringMatching(/^JD01\d{16}$/) };
    expect(body.packages).toMatchObject([piece]);
    expect(body).not.toHaveProperty('dispatchConfirmationNumber');
    expect((await created()).shipmentTrackingNumber).not.toBe(waybill);
  });

  const waybillDoc = { imageOptions: [{ typeCode: 'waybillDoc', isRequested: true }], splitDocumentsByPages: true };
  const linked = [{ typeCode: 'linkLabelsByPieces', isRequested: true }];
  it.each([
    ['one document with a page a piece', {}, [], [['label', undefined]]],
    [
      'a label a piece, with its number, when labels are to be linked',
      {},
      linked,
      [1, 2, 3].map((at) => ['label', at]),
    ],
    [
      'pages without numbers when split, and the waybill document when asked',
      waybillDoc,
      [],
      ['label', 'label', 'label', 'waybillDoc'].map((type) => [type, undefined]),
    ],
  ])('of three packages gives %s', async (_, outputImageProperties, getAdditionalInformation, expected) => {
    const body = await created({ outputImageProperties, getAdditionalInformation }, 'three-packages');
    expect(body.documents.map((one: Loose) => [one.typeCode, one.packageReferenceNumber])).toEqual(expected);
    const labels = body.documents.filter((one: Loose) => one.typeCode === 'label');
    const read = await Promise.all(labels.map(async (one: Loose) => await readPdf(Buffer.from(one.content, 'base64'))));
    expect(read.flat(2)).toEqual(numbersOf(body));
  });

  it('names one breach in detail', async () => {
    const { status, body, headers } = await create({ productCode: undefined });
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
    const { content, customerDetails } = order('dhl_express');
    content.packages[0] = { weight: '2.4', dimensions: { length: 30, width: 20 } };
    content.unitOfMeasurement = 'kg';
    customerDetails.receiverDetails.postalAddress.addressLine2 = '';
    const accounts = [{ typeCode: 'shipper' }];
    const { status, body } = await create({ accounts, surprise: 1, content, customerDetails });
    expect([status, body.detail]).toEqual([422, 'Multiple problems found, see Additional Details']);
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
    ['2026-05-01 10:00:00', /^998: .*not well formatted/],
    ['2026-05-01T10:00:00Z', /^998: .*not well formatted/],
    ['2026-05-01T09:59:59 GMT+02:00', /^998: .*in the past/],
    ['2026-05-12T10:00:00 GMT+02:00', /^998: .*10 days/],
  ])('planned for %s is refused with 400', async (plannedShippingDateAndTime, reason) => {
    const { status, body } = await create({ plannedShippingDateAndTime });
    expect(status).toBe(400);
    expect(body.detail).toMatch(reason);
  });

  it.each([
    ['with the wrong password', basic('simulated-key', 'wrong'), 401],
    ['that is not said to be JSON', { 'content-type': 'text/plain' }, 415],
  ])('%s is refused', async (_, headers, status) => {
    expect((await create({}, 'one-package', headers)).status).toBe(status);
  });
});

const cancel = async (number: string, query = '?requestorName=Erika%20Example&reason=cancelled'): Promise<Called> =>
  await dhl.ask('DELETE', `/pickups/${number}${query}`);

describe('a pickup', () => {
  it('comes with the shipment when requested, and can be cancelled once', async () => {
    const { dispatchConfirmationNumber: number, cancelPickupUrl } = await created({ pickup: { isRequested: true } });
    expect(cancelPickupUrl).toBe(`${dhl.simulator.carriers['dhl_express']}/pickups/${number}`);
    expect(await cancel(number)).toMatchObject({ status: 200, text: '' });
    expect((await cancel(number)).status).toBe(400);
  });

  it('is not cancelled without a name and a reason, nor when unknown', async () => {
    const { body } = await cancel('HAM260501000001', '');
    expect(body).toMatchObject({ status: '400', detail: 'Missing mandatory parameters: requestorName, reason' });
    expect((await cancel('HAM260501000001')).status).toBe(404);
  });

  it('can be booked by itself', async () => {
    const { customerDetails, accounts } = order('dhl_express');
    const shipment = { productCode: 'N', isCustomsDeclarable: false, unitOfMeasurement: 'metric' };
    const { status, body } = await dhl.ask('POST', '/pickups', {
      plannedPickupDateAndTime: '2026-05-01T12:00:00 GMT+02:00',
      accounts,
      customerDetails,
      shipmentDetails: [{ ...shipment, packages: [{ weight: 1 }] }],
    });
    expect([status, body.dispatchConfirmationNumbers.length]).toEqual([201, 1]);
  });
});

const track = async (query: string): Promise<Called> => await dhl.ask('GET', `/tracking?${query}`);

describe('tracking', () => {
  it('is 404 of a number that is none, and until the first event', async () => {
    const { shipmentTrackingNumber: waybill } = await created();
    expect((await dhl.ask('GET', '/shipments/%ZZ/tracking')).status).toBe(404);
    const answer = await dhl.ask('GET', `/shipments/${waybill}/tracking`);
    expect(answer).toMatchObject({ status: 404, body: { detail: 'No data found', status: '404' } });
  });

  it('leaves the pieces out unless asked, and takes several numbers', async () => {
    const numbers = [await created(), await created()].map((body): string => body.shipmentTrackingNumber);
    for (const number of numbers) await advance(number, 'PICKED_UP');
    const { body } = await track([...numbers, '0000000000'].map((one) => `shipmentTrackingNumber=${one}`).join('&'));
    expect(body.shipments.map((shipment: Loose) => shipment.shipmentTrackingNumber)).toEqual(numbers);
    expect(body.shipments[0]).not.toHaveProperty('pieces');
  });

  it('finds a shipment by reference and account, also one without events', async () => {
    const { shipmentTrackingNumber, packages } = await created();
    const query = 'shipmentReference=REF-1001&levelOfDetail=all';
    expect((await track(query)).status).toBe(400);
    const { body } = await track(`${query}&shipperAccountNumber=999000111`);
    const pieces = [{ trackingNumber: packages[0].trackingNumber }];
    expect(body.shipments).toMatchObject([{ shipmentTrackingNumber, pieces }]);
    expect((await track(`${query}&shipperAccountNumber=1`)).status).toBe(404);
  });

  it('shows a code given by hand', async () => {
    const [number = ''] = numbersOf(await created());
    await advance(number, { code: 'OH', description: 'On hold' });
    const { body } = await track(`pieceTrackingNumber=${number}&levelOfDetail=piece`);
    expect(body.shipments[0].pieces[0].events).toMatchObject([{ typeCode: 'OH', description: 'On hold' }]);
  });
});
