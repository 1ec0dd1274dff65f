import { describe, expect, it } from 'vitest';
import { readPdf, readPng, readZpl } from './barcode.ts';
import { call, type Called, type Loose, order, simulating } from './call.ts';

const authorization = 'Bearer simulated-plain-token';
const plain = simulating('plain', { authorization });
const send = async (change: object = {}, headers: Record<string, string> = {}): Promise<Called> =>
  await plain.ask('POST', '', order('plain', 'one-package', change), headers);
const sent = async (change?: object): Promise<Loose> => (await send(change)).body.itemsTrackDetails;
const { itemList: items } = order('plain', 'three-packages');
const [CANCEL, UPDATE] = [{ typeOfAction: 'CANCEL' }, { typeOfAction: 'UPDATE' }];
const pickUp = async () => await plain.simulator.advance('plain', { reference: 'REF-1001', status: 'PICKED_UP' });

describe('a create', () => {
  it('is answered with an entry a package, echoes included', async () => {
    const { status, body } = await send({ itemList: items });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 200, referenceId: 'REF-1001', timestamp: Date.parse('2026-05-01T08:00:00Z') });
    const numbers = body.itemsTrackDetails.map((entry: Loose) => entry.trackingNumber);
    expect(new Set(numbers).size).toBe(3);
    const echo = { itemReferenceNumber: 'PKG-3', carrierCode: 'plain', orderNumber: 'ORD-1001' };
    const trackingNumber = expect.stringMatching(/^PLN\d{10}$/) as unknown;
    expect(body.itemsTrackDetails[2]).toMatchObject({ ...echo, trackingNumber });
  });

  it('keeps a tracking number that the request brings', async () => {
    const itemList = [{ ...items[0], itemTrackingNumber: 'GIVEN-1' }];
    expect(await sent({ itemList })).toMatchObject([{ trackingNumber: 'GIVEN-1' }]);
  });

  it('of a known reference gets the same numbers, of another or a cancelled one other numbers', async () => {
    const first = await sent();
    expect(await sent()).toEqual(first);
    const [{ trackingNumber: other }] = await sent({ referenceId: 'REF-2' });
    await send(CANCEL);
    const [{ trackingNumber: again }] = await sent();
    expect(new Set([first[0].trackingNumber, other, again]).size).toBe(3);
    expect(plain.simulator.shipments('plain')).toHaveLength(3);
  });

  it.each(['referenceId', 'originContactNumber', 'destinationCity', 'totalWeight', 'shippingDateTime', 'itemList'])(
    'without %s is refused by name',
    async (name) => {
      const { status, body } = await send({ [name]: undefined });
      expect([status, body.status, body.errors]).toEqual([400, 400, [expect.stringContaining(name)]]);
    },
  );

  it('names everything that is wrong at once', async () => {
    const { body } = await send({
      originCountry: 'Germany',
      totalQuantity: '1',
      typeOfService: 'FAST',
      shippingDateTime: '2026-05-01T10:00:00Z',
      itemList: [{ itemReferenceNumber: 'PKG-1', itemQuantity: 1, itemWeightUom: 'KG' }],
      skuList: [{ itemReferenceNumber: 'PKG-9', skuCode: 'S', skuNumber: 'S', skuItemName: 'Mill', skuQuantity: 1 }],
    });
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
    expect((await send({ invoiceValue: '12', surprise: true })).status).toBe(200);
    const findings = ['invoiceValue must be a number', 'surprise is not a field of the contract'];
    expect(plain.simulator.requests[0]?.findings).toEqual(findings);
  });

  it('without the right token is refused', async () => {
    const answers = [await send({}, { authorization: 'Bearer wrong' }), await send({}, { authorization: '' })];
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
  });

  it.each([
    ['is not JSON', 'application/json', 'the body must be a JSON object'],
    ['is not said to be JSON', 'text/plain', 'the content type must be application/json'],
  ])('that %s is refused in the contract’s form', async (_, type, error) => {
    const answer = await plain.ask('POST', '', '{', { 'content-type': type });
    expect(answer).toMatchObject({ status: 400, body: { errors: [error] } });
  });
});

describe('a label', () => {
  it.each([
    ['PDF', 'application/pdf', async ({ bytes }: Called) => (await readPdf(bytes)).flat()],
    ['ZPL', undefined, async ({ text }: Called) => (await readZpl(text)).flat()],
    ['PNG', undefined, async ({ bytes }: Called) => await readPng(bytes)],
  ])('is served at its URL as %s with the tracking number', async (labelFormat, type, read) => {
    const [{ trackingNumber, labelUrl }] = await sent({ labelFormat });
    const label = await call('GET', labelUrl);
    if (type !== undefined) expect(label.headers.get('content-type')).toBe(type);
    expect(await read(label)).toEqual([trackingNumber]);
  });

  it('may be a placeholder first, and is gone after a cancel', async () => {
    plain.simulator.behave('plain', { do: 'label_later', status: 202, asks: 2 });
    const [{ labelUrl }] = await sent();
    const look = async (): Promise<number> => (await call('GET', labelUrl)).status;
    expect([await look(), await look(), await look()]).toEqual([202, 202, 200]);
    await send(CANCEL);
    expect(await look()).toBe(404);
  });

  it('asks for the token when labels are private', async () => {
    await plain.restart({ carriers: ['plain'], privateLabels: true });
    const [{ labelUrl }] = await sent();
    const known = await call('GET', labelUrl, { headers: { authorization } });
    expect([(await call('GET', labelUrl)).status, known.status]).toEqual([401, 200]);
  });
});

it('an update keeps the numbers of known items and gives new ones to new items', async () => {
  const [known] = await sent();
  const [kept, added] = await sent({ ...UPDATE, itemList: items.slice(0, 2) });
  expect(kept).toEqual(known);
  expect(added.itemReferenceNumber).toBe('PKG-2');
});

it('a cancel is confirmed, also when repeated', async () => {
  await send();
  expect([(await send(CANCEL)).status, (await send(CANCEL)).status]).toEqual([200, 200]);
  expect(plain.simulator.shipments('plain')[0]?.cancelled).toBe(true);
});

it.each([UPDATE, CANCEL])('%j of an unknown reference, or after pickup, is refused', async (change) => {
  expect((await send(change)).status).toBe(400);
  await send();
  await pickUp();
  expect(await send(change)).toMatchObject({ status: 400, body: { errors: ['the shipment is already picked up'] } });
});
