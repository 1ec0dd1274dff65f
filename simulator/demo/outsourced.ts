// A shop's day in outsourced mode, from the checkout to the handover, at two carriers that are configuration alone:
// strict takes no orders of businesses, kind has slots, pickups, and labels and manifests of ours.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { freePort } from './server.ts';
import type { Story } from './story.ts';

export interface Counter {
  /** As the shop. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: object }>;
  /** The texts of the barcodes of a ZPL label. */
  readonly readLabel: (zpl: string) => Promise<readonly string[]> | readonly string[];
  readonly story: Pick<Story, 'check'>;
}

/** The two carriers, listening. */
export async function startShopCarriers() {
  const asked: string[] = [];
  const port = await freePort();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await json(request)) as Record<string, string>;
    asked.push(`${request.method} ${request.url}`);
    const [, code = '', what] = request.url?.split('/') ?? [];
    const isRefused = code === 'strict' && what === 'orders';
    const total = code === 'strict' ? 5 : 7.5;
    response.writeHead(isRefused ? 422 : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ message: 'no room today', number: `${code.toUpperCase()}-${body['reference']}`, total }),
    );
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Files of `carriers/`, by their names without `.yaml`. */
export const shopProfiles = (url: string): Readonly<Record<string, string>> => {
  const profileOf = (code: string, more = ''): string => `
carrier: ${code}
environments: { production: { url: '${url}/${code}' } }
auth: none
services: { Standard: { typeOfService: STANDARD } }
${more}
operations:
  rates:
    post: /rates
    body: { json: { reference: '\${consignment.referenceId}' } }
    result: '[{ "service": "Standard", "total": response.body.total, "currency": "EUR", "transitDays": 2 }]'
  create:
    post: /orders
    idempotency: reference
    body: { json: { reference: '\${consignment.referenceId}' } }
    outcomes: [{ status: 422, do: reject, messages: response.body.message }]
    result: { itemsTrackDetails: { trackingNumber: '\${response.body.number}' } }
  cancel: { post: /cancels, body: { json: { reference: '\${consignment.referenceId}' } } }
  pickup: { post: /pickups, idempotency: reference, body: { json: { reference: '\${pickup.reference}' } }, result: { number: '\${response.body.number}' } }
  cancelPickup: { post: /pickup-cancels, body: { json: { reference: '\${pickup.number}' } } }
`;
  return {
    strict: profileOf('strict', 'labels: { template: standard }'),
    kind: profileOf(
      'kind',
      "slots: { zones: { everywhere: {} }, windows: { day: { from: '08:00', to: '18:00', capacity: 5 } } }\nlabels: { template: standard }",
    ),
    'policies/shop': 'policy: shop\ncarriers: [strict, kind]\nrank: cheapest\n',
  };
};

const PARCEL = { weight: 1.5, weightUom: 'KG', length: 30, width: 20, height: 10, dimensionUom: 'CM', quantity: 1 };
const ADDRESS = { line1: 'Example Street 1', city: 'Hamburg', county: 'Altstadt', pincode: '20095', country: 'DE' };
const RECIPIENT = {
  contact: { name: 'Erika Example', contactNumber: '+49895550100' },
  address: { ...ADDRESS, line1: 'Sample Road 22', city: 'Munich', pincode: '80331' },
};

const orderOf = (reference: string, day: string, carrier: object, details: object = {}) => ({
  consignmentDetails: {
    referenceNumber: reference,
    orderNumber: reference,
    consignmentNumber: reference,
    consignmentType: 'FORWARD',
    serviceType: 'Standard',
    shipByDate: day,
    totalWeight: 1.5,
    totalWeightUom: 'KG',
    totalQuantity: 1,
    labelFormat: 'ZPL',
    packageDetails: [{ id: 'PKG-1', type: 'Carton', ...PARCEL }],
    ...details,
  },
  carrier,
  shipFrom: { originFacilityCode: 'SHOP' },
  shipTo: RECIPIENT,
});

/** Checks every promise. The shop has accounts with both. */
export async function keepShop({ call, readLabel, story }: Counter): Promise<void> {
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of many shapes
  const ask = async (promise: string, method: string, path: string, body?: unknown): Promise<any> => {
    const reply = await call(method, path, body);
    story.check(`${promise}: 200`, reply.status === 200, reply.body);
    if (reply.status !== 200) throw new Error(`${promise}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return (reply.body as { data?: unknown }).data ?? reply.body;
  };
  const day = new Date().toISOString().slice(0, 10);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const contact = { name: 'Example Goods', contactNumber: '+49405550100' };
  await ask('facility registered', 'PUT', '/v2/facilities/SHOP', { contact, address: ADDRESS, timezone: 'UTC' });

  const ends = { shipFrom: { address: ADDRESS }, shipTo: RECIPIENT };
  const { offers } = await ask('rates at the checkout', 'POST', '/v2/checkout/rates', {
    ...ends,
    consignmentDetails: { packageDetails: [PARCEL] },
  });
  // The shop may have accounts with others as well.
  const own = offers.filter(({ carrierCode }: { carrierCode: string }) => ['strict', 'kind'].includes(carrierCode));
  const prices = own.map((one: { carrierCode: string; total: number }) => `${one.carrierCode} ${one.total}`);
  story.check('both carriers offer a price, the cheaper first', prices.join() === 'strict 5,kind 7.5', offers);
  const slots = await ask('slots of kind', 'POST', '/v2/slots', { carrier: { code: 'kind' }, shipTo: RECIPIENT });
  const { slotId, date } = slots.at(-1);
  const [{ slotToken }] = await ask('slot reserved', 'POST', '/v2/slots/reserve', { slotId });

  const first = orderOf('SHOP-1', day, { offerId: own[1].offerId }, { slotToken });
  const [one] = await ask('ordered by the offer, in the slot', 'POST', '/v2/consignments', first);
  const { code, info } = one.trackingDetails[0].carrierDetails;
  story.check('the offer decided carrier and price', code === 'kind' && info.total === 7.5, one);
  const second = orderOf('SHOP-2', day, { code: 'shop' });
  const [two] = await ask('ordered by the policy', 'POST', '/v2/consignments', second);
  const [tracked] = two.trackingDetails;
  story.check('the cheapest refused, the next one took it', tracked.trackingNumber === 'KIND-SHOP-2', two);
  const { choice } = (await ask('the way is kept', 'GET', '/v2/consignments/SHOP-2'))[0];
  const tried = choice.tried.map(
    (way: { carrierCode: string; messages: string[] }) => `${way.carrierCode}: ${way.messages.join()}`,
  );
  story.check('with why', tried.join() === 'strict: no room today', choice);

  const label = await fetch(tracked.label);
  const read = await readLabel(await label.text());
  story.check('the barcode of our own label is its number', read.includes('KIND-SHOP-2'), read);

  const [pickup] = await ask('pickup booked', 'POST', '/v2/pickups', {
    carrier: { code: 'kind' },
    shipFrom: {
      originFacilityCode: 'SHOP',
      pickupStartDateTime: `${tomorrow} 09:00:00`,
      pickupEndDateTime: `${tomorrow} 17:00:00`,
    },
    consignments: [{ referenceNumber: 'SHOP-1' }, { referenceNumber: 'SHOP-2' }],
  });
  story.check('for both parcels', pickup.acceptance === 'accepted' && pickup.totalQuantity === 2, pickup);
  const made = await ask('manifest made', 'POST', '/v2/manifests', { carrier: { code: 'kind' }, facilityCode: 'SHOP' });
  const { number, packageCount } = made[0];
  story.check('of both parcels', packageCount === 2, made);

  const cancelled = { consignments: [{ referenceNumber: 'SHOP-1', remark: 'Example' }] };
  await ask('the first is cancelled', 'POST', '/v2/consignments-cancel', cancelled);
  const manifest = await ask('the manifest', 'GET', `/v2/manifests/${number}`);
  const struckOut = manifest.packages.filter((entry: { struckOutAt?: string }) => entry.struckOutAt !== undefined);
  story.check('struck out', manifest.struckOutCount === 1 && struckOut[0].referenceNumber === 'SHOP-1', manifest);
  const after = await ask('slots again', 'POST', '/v2/slots', {
    carrier: { code: 'kind' },
    shipTo: RECIPIENT,
    fromDate: date,
  });
  story.check('its place is free', after[0].available === 5, after);
}
