import { expect, it } from 'vitest';
import { grant, type Loose, order, simulating } from './call.ts';

const login = async (id: string, secret: string): Promise<Loose> =>
  await fedex.ask('POST', '/oauth/token', grant(id, secret));
const bearer = async (...project: [string, string]): Promise<{ authorization: string }> => ({
  authorization: `Bearer ${(await login(...project)).body.access_token}`,
});
const tracking = async () => await bearer('simulated-track-key', 'simulated-track-secret');
const fedex = simulating('fedex', async () => await bearer('simulated-key', 'simulated-secret'));
const ship = async (json: unknown = order('fedex')): Promise<Loose> =>
  await fedex.ask('POST', '/ship/v1/shipments', json);
const shipped = async (): Promise<string> =>
  (await ship()).body.output.transactionShipments[0].pieceResponses[0].trackingNumber;

it('takes a token only for its project, and only for an hour', async () => {
  expect((await login('simulated-key', 'simulated-track-secret')).status).toBe(401);
  const other = await tracking();
  expect((await fedex.ask('POST', '/ship/v1/shipments', order('fedex'), other)).status).toBe(403);
  fedex.wait(3_600_000);
  expect((await ship()).body.errors[0].code).toBe('NOT.AUTHORIZED.ERROR');
});

it('refuses a shipment with all that is wrong', async () => {
  const wrong = order('fedex');
  const { recipients, labelSpecification } = wrong.requestedShipment;
  recipients[0].contact.phoneNumber = '555';
  recipients[0].address.countryCode = 'DE';
  wrong.requestedShipment.shipDatestamp = '2026-04-01';
  labelSpecification.labelStockType = 'STOCK_4X6';
  const { status, body } = await ship(wrong);
  expect([status, body.errors.map(({ code }: Loose) => code)]).toEqual([
    400,
    [
      'RECIPIENT.PHONENUMBER.INVALID',
      'SERVICETYPE.NOT.ALLOWED',
      'SHIPDATESTAMP.INVALID',
      'LABELSPECIFICATION.INVALID',
      'COMMODITIES.REQUIRED',
      'DUTIESPAYMENT.REQUIRED',
    ],
  ]);
});

const cancel = async (trackingNumber: string): Promise<Loose> => {
  const cancelled = { accountNumber: { value: '700001234' }, trackingNumber };
  return (await fedex.ask('PUT', '/ship/v1/shipments/cancel', cancelled)).body;
};

it('cancels once, and nothing that it does not know', async () => {
  const number = await shipped();
  expect((await cancel(number)).output.cancelledShipment).toBe(true);
  expect((await cancel(number)).output.message).toMatch(/already/);
  expect((await cancel('1')).errors[0].code).toBe('TRACKINGNUMBER.ENTERED.INVALID');
});

it('tells the scans of up to thirty numbers, and of one that it does not know an error', async () => {
  const trackingNumber = await shipped();
  await fedex.simulator.advance('fedex', { trackingNumber, status: 'DELIVERED' });
  fedex.headers = await tracking();
  const track = async (...numbers: string[]): Promise<Loose> => {
    const trackingInfo = numbers.map((number) => ({ trackingNumberInfo: { trackingNumber: number } }));
    return await fedex.ask('POST', '/track/v1/trackingnumbers', { includeDetailedScans: true, trackingInfo });
  };
  const [known, unknown] = (await track(trackingNumber, '000000000000')).body.output.completeTrackResults;
  expect(known.trackResults[0].scanEvents.map((event: Loose) => [event.date, event.eventType])).toEqual([
    ['2026-05-01T01:00:01-07:00', 'DL'],
    ['2026-05-01T01:00:00-07:00', 'OC'],
  ]);
  expect(unknown.trackResults[0].error.code).toBe('TRACKING.TRACKINGNUMBER.NOTFOUND');
  expect((await track(...Array.from({ length: 31 }, () => trackingNumber))).status).toBe(400);
});
