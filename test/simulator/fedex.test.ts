import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { carrier } from '../../simulator/fedex.ts';
import { start } from '../../simulator/server.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { readPdf, readPng, readZpl } from './barcode.ts';
import { call, type Called, type Loose } from './call.ts';
import { fedexOrder, now } from './orders.ts';

let simulator: Simulator;
let atMs: number;
let tokens: { ship: string; track: string };
const login = async (id: string, secret: string): Promise<Called['body']> => {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
  const response = await fetch(`${simulator.carriers['fedex']!}/oauth/token`, { method: 'POST', body: form });
  return { status: response.status, ...((await response.json()) as Loose) };
};
const ask = async (method: string, path: string, json: unknown, token = tokens.ship): Promise<Called> =>
  await call(method, simulator.carriers['fedex']! + path, { json, headers: { authorization: `Bearer ${token}` } });
const ship = async (order: unknown): Promise<Called> => await ask('POST', '/ship/v1/shipments', order);
const cancel = async (trackingNumber: string): Promise<Loose> =>
  (await ask('PUT', '/ship/v1/shipments/cancel', { accountNumber: { value: '700001234' }, trackingNumber })).body;
const pieces = ({ body }: Called): Loose[] => body.output.transactionShipments[0].pieceResponses;

beforeEach(async () => {
  atMs = now.getTime();
  simulator = await start({ carriers: [carrier], now: () => new Date(atMs) });
  tokens = {
    ship: (await login('simulated-key', 'simulated-secret')).access_token,
    track: (await login('simulated-track-key', 'simulated-track-secret')).access_token,
  };
});
afterEach(async () => {
  await simulator.close();
});

it('takes a token only for its project, and only for an hour', async () => {
  expect((await login('simulated-key', 'simulated-track-secret')).status).toBe(401);
  expect((await ask('POST', '/ship/v1/shipments', fedexOrder(1), tokens.track)).status).toBe(403);
  atMs += 3_600_000;
  expect((await ship(fedexOrder(1))).body.errors[0].code).toBe('NOT.AUTHORIZED.ERROR');
});

describe('a shipment', () => {
  it.each([
    ['PDF', 'PAPER_4X6', async (label: Buffer) => (await readPdf(label)).flat()],
    ['PNG', 'PAPER_4X6', readPng],
    ['ZPLII', 'STOCK_4X6', async (label: Buffer) => (await readZpl(label.toString())).flat()],
  ])('has a number and a label in %s for each package', async (image, stock, read) => {
    const order: Loose = fedexOrder(3);
    order.requestedShipment.labelSpecification = { imageType: image, labelStockType: stock };
    const made = pieces(await ship(order));
    expect(made.map((piece) => piece.packageSequenceNumber)).toEqual([1, 2, 3]);
    for (const { trackingNumber, masterTrackingNumber, packageDocuments: documents } of made) {
      expect(masterTrackingNumber).toBe(made[0].trackingNumber);
      expect(await read(Buffer.from(documents[0].encodedLabel, 'base64'))).toEqual([trackingNumber]);
    }
  });

  it('is refused with all that is wrong', async () => {
    const order: Loose = fedexOrder(1);
    order.requestedShipment.recipients[0].contact.phoneNumber = '555';
    order.requestedShipment.recipients[0].address.countryCode = 'DE';
    order.requestedShipment.shipDatestamp = '2026-04-01';
    order.requestedShipment.labelSpecification.labelStockType = 'STOCK_4X6';
    const { status, body } = await ship(order);
    expect(status).toBe(400);
    expect(body.errors.map(({ code }: Loose) => code)).toEqual([
      'RECIPIENT.PHONENUMBER.INVALID',
      'SERVICETYPE.NOT.ALLOWED',
      'SHIPDATESTAMP.INVALID',
      'LABELSPECIFICATION.INVALID',
      'COMMODITIES.REQUIRED',
      'DUTIESPAYMENT.REQUIRED',
    ]);
  });

  it('is cancelled once, and not once it is on its way', async () => {
    const [free, moving] = [pieces(await ship(fedexOrder(1)))[0], pieces(await ship(fedexOrder(1)))[0]];
    await simulator.advance('fedex', { trackingNumber: moving.trackingNumber, status: 'PICKED_UP' });
    expect((await cancel(free.trackingNumber)).output.cancelledShipment).toBe(true);
    expect((await cancel(free.trackingNumber)).output.message).toMatch(/already/);
    expect((await cancel(moving.trackingNumber)).output.cancelledShipment).toBe(false);
    expect((await cancel('1')).errors[0].code).toBe('TRACKINGNUMBER.ENTERED.INVALID');
  });
});

it('tells the scans of up to thirty numbers, and of one that it does not know an error', async () => {
  const [{ trackingNumber }] = pieces(await ship(fedexOrder(1))) as [Loose];
  await simulator.advance('fedex', { trackingNumber, status: 'DELIVERED' });
  const trackingInfo = [trackingNumber, '000000000000'].map((number) => ({
    trackingNumberInfo: { trackingNumber: number },
  }));
  const asked = { includeDetailedScans: true, trackingInfo };
  const { body } = await ask('POST', '/track/v1/trackingnumbers', asked, tokens.track);
  const [known, unknown] = body.output.completeTrackResults;
  expect(known.trackResults[0].scanEvents.map((event: Loose) => [event.date, event.eventType])).toEqual([
    ['2026-05-01T01:00:01-07:00', 'DL'],
    ['2026-05-01T01:00:00-07:00', 'OC'],
  ]);
  expect(unknown.trackResults[0].error.code).toBe('TRACKING.TRACKINGNUMBER.NOTFOUND');
  const many = { trackingInfo: Array.from({ length: 31 }, () => trackingInfo[0]) };
  expect((await ask('POST', '/track/v1/trackingnumbers', many, tokens.track)).status).toBe(400);
});
