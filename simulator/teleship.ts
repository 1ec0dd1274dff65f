// Teleship's API: a login in camelCase, one label a parcel, labels in the answer, signed webhooks that are registered.
// The format and its sources: docs/carriers/teleship.md.
import { createHmac, randomUUID } from 'node:crypto';
import type { CarrierRequest, CarrierResponse, Push, SimulatedCarrier, StageStatuses, World } from './carrier.ts';
import { drawLabels, type LabelContent } from './label.ts';
import { at, decode, empty, isJson, isObject, isSame, json, listAt, readJson, textAt } from './reply.ts';
import { isUnderWay, newParcel, type Parcel, type ParcelEvent, type Place, type Shipment } from './shipments.ts';

const statuses: StageStatuses = {
  SHIPMENT_CREATED: { code: 'label_created', description: 'Label created' },
  PICKED_UP: { code: 'picked_up', description: 'Picked up from the sender' },
  IN_TRANSIT: { code: 'in_transit', description: 'In transit' },
  AT_HUB: { code: 'in_hub', description: 'In the export hub' },
  AT_FACILITY: { code: 'in_hub', description: 'In the import hub' },
  OUT_FOR_DELIVERY: { code: 'out_for_delivery', description: 'Out for delivery' },
  DELIVERED: { code: 'delivered', description: 'Delivered' },
  DELIVERY_FAILED: { code: 'delivery_failed', description: 'Could not be delivered' },
  RETURNED_TO_ORIGIN: { code: 'returned', description: 'Returned to the sender' },
};

const tokenLifeMs = 3_600_000;

export const carrier: SimulatedCarrier = {
  code: 'teleship',
  name: 'Teleship',
  basePath: '',
  credentials: { clientId: 'simulated-client', clientSecret: 'simulated-secret' },
  statuses,
  mischief: ['label_later'],
  handle,
  refuse,
  push,
};

function refuse(status: number, message: string, _request?: CarrierRequest, details: readonly string[] = []) {
  const said = { code: status, level: 'error', message, timestamp: new Date(0).toISOString(), details };
  return json(status, { messages: [said] });
}

async function handle(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const { method, path } = request;
  if (method === 'POST' && path === '/oauth/token') return login(request, world);
  if (!isLoggedIn(request, world)) return refuse(401, 'Unauthorized');
  if (method === 'POST' && path === '/api/shipments/labels') return await createLabel(request, world);
  const [, id = '', isVoid] = /^\/api\/shipments\/labels\/([^/]+)(\/void)?$/.exec(path) ?? [];
  if (method === 'POST' && isVoid !== undefined) return voidLabel(decode(id), world);
  const number = /^\/api\/tracking\/([^/]+)$/.exec(path)?.[1];
  if (method === 'GET' && number !== undefined) {
    const shipment = world.shipments.findByNumber(decode(number));
    return shipment ? json(200, describeTracking(shipment)) : refuse(404, 'Shipment not found');
  }
  if (method === 'POST' && path === '/api/webhooks') return register(request, world);
  const webhook = /^\/api\/webhooks\/([^/]+)$/.exec(path)?.[1];
  if (method === 'DELETE' && webhook !== undefined)
    return world.memory.delete(`webhook ${decode(webhook)}`) ? empty(204) : refuse(404, 'Webhook not found');
  return refuse(404, 'Not Found');
}

function login(request: CarrierRequest, world: World): CarrierResponse {
  const body = readJson(request);
  if (!isJson(request) || textAt(body, 'clientId') === '' || textAt(body, 'clientSecret') === '')
    return json(400, { message: 'Missing required credentials' });
  const { clientId = '', clientSecret = '' } = world.credentials;
  if (!isSame(textAt(body, 'clientId'), clientId) || !isSame(textAt(body, 'clientSecret'), clientSecret))
    return json(401, { message: 'Invalid client credentials' });
  const accessToken = `simulated-${randomUUID()}`;
  const expirationTime = world.now().getTime() + tokenLifeMs;
  world.memory.set(`token ${accessToken}`, expirationTime);
  return json(200, { accessToken, expirationTime, expiresIn: tokenLifeMs, tokenType: 'Bearer' });
}

function isLoggedIn(request: CarrierRequest, world: World): boolean {
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const until = world.memory.get(`token ${token}`);
  return typeof until === 'number' && world.now().getTime() < until;
}

const services = /^TELESHIP-(?:STANDARD|EXPEDITED|POSTAL)-(?:DROPOFF|PICKUP)$/;
const contents = ['Documents', 'Gift', 'Sample', 'Other', 'CommercialGoods', 'ReturnOfGoods'];

function findErrors(body: unknown): readonly string[] {
  const errors: string[] = [];
  const check = (isGood: boolean, message: string): void => {
    if (!isGood) errors.push(message);
  };
  const amount = (...path: string[]): boolean => {
    const value = at(body, ...path);
    return typeof value === 'number' && value > 0;
  };
  check(services.test(textAt(body, 'serviceCode')), 'serviceCode must be a valid service');
  check(['envelope', 'tube', 'parcel'].includes(textAt(body, 'packageType')), 'packageType must be a valid enum value');
  check(textAt(body, 'description').length <= 100, 'description must be shorter than or equal to 100 characters');
  for (const who of ['shipFrom', 'shipTo']) {
    check(textAt(body, who, 'name') !== '', `${who}.name is required`);
    check(textAt(body, who, 'address', 'line1') !== '', `${who}.address.line1 is required`);
    check(textAt(body, who, 'address', 'postcode') !== '', `${who}.address.postcode is required`);
    check(
      /^[A-Z]{2}$/.test(textAt(body, who, 'address', 'country')),
      `${who}.address.country must be a valid enum value`,
    );
  }
  check(amount('weight', 'value'), 'weight.value must be greater than 0');
  check(['kg', 'lb'].includes(textAt(body, 'weight', 'unit')), 'weight.unit must be a valid enum value');
  for (const side of ['length', 'width', 'height'])
    check(amount('dimensions', side), `dimensions.${side} must be greater than 0`);
  check(['cm', 'in'].includes(textAt(body, 'dimensions', 'unit')), 'dimensions.unit must be a valid enum value');
  check(contents.includes(textAt(body, 'customs', 'contentType')), 'customs.contentType must be a valid enum value');
  listAt(body, 'commodities').forEach((entry, index) => {
    const name = `commodities.${index}`;
    check(textAt(entry, 'title') !== '', `${name}.title is required`);
    check(Number.isInteger(at(entry, 'quantity')), `${name}.quantity must be a whole number`);
    check(typeof at(entry, 'value', 'amount') === 'number', `${name}.value.amount is required`);
    check(/^[A-Z]{3}$/.test(textAt(entry, 'value', 'currency')), `${name}.value.currency is required`);
    check(typeof at(entry, 'unitWeight', 'value') === 'number', `${name}.unitWeight is required`);
  });
  const isAbroad = textAt(body, 'shipFrom', 'address', 'country') !== textAt(body, 'shipTo', 'address', 'country');
  if (isAbroad) check(listAt(body, 'commodities').length > 0, 'commodities is required');
  return errors;
}

async function createLabel(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const body = readJson(request);
  if (!isJson(request) || !isObject(body)) return refuse(400, 'Bad Request', request, ['The body has to be JSON']);
  const errors = findErrors(body);
  if (errors.length > 0) return refuse(400, 'Bad Request', request, errors);
  const trackingNumber = world.number('TSGBUS', 10);
  const shipmentId = randomUUID();
  const shipment: Shipment = {
    carrier: carrier.code,
    reference: textAt(body, 'customerReference'),
    trackingNumber,
    origin: placeFrom(body, 'shipFrom'),
    destination: placeFrom(body, 'shipTo'),
    createdAt: world.now(),
    parcels: [],
    cancelled: false,
    data: { shipmentId, service: textAt(body, 'serviceCode'), body },
  };
  const parcel: Parcel = {
    part: 1,
    reference: textAt(body, 'metadata', 'package') || '1',
    trackingNumber,
    label: labelOf(body, trackingNumber),
    labelFormat: 'PDF',
    ...newParcel(),
  };
  shipment.parcels = [parcel];
  world.created(shipment);
  world.memory.set(`shipment ${shipmentId}`, shipment);
  const label = {
    type: 'LABEL',
    format: 'PDF',
    url: `${world.url}/api/shipments/labels/${shipmentId}/label.pdf`,
    base64String: (await drawLabels('PDF', [parcel.label])).toString('base64'),
  };
  return json(201, {
    messages: [],
    shipment: {
      shipmentId,
      trackingNumber,
      status: 'label_created',
      customerReference: shipment.reference,
      documents: request.mischief === 'label_later' ? [] : [label],
      rate: { price: 10.59, currency: 'GBP', transit: 5, service: { code: textAt(body, 'serviceCode') }, charges: [] },
    },
  });
}

function voidLabel(shipmentId: string, world: World): CarrierResponse {
  const shipment = world.memory.get(`shipment ${shipmentId}`) as Shipment | undefined;
  if (!shipment) return refuse(404, 'Shipment not found');
  if (!isUnderWay(shipment)) shipment.cancelled = true;
  const status = shipment.cancelled ? 'cancelled' : (shipment.parcels[0]?.events.at(-1)?.status.code ?? 'alert');
  return json(200, { shipmentId, trackingNumber: shipment.trackingNumber, status });
}

const partyAt = (place: Place): unknown => ({ name: '', address: { city: place.city, country: place.country } });

function describeTracking(shipment: Shipment): Record<string, unknown> {
  const events = shipment.parcels.flatMap((parcel) => parcel.events);
  return {
    status: shipment.cancelled ? 'cancelled' : (events.at(-1)?.status.code ?? 'created'),
    shipmentId: shipment.data['shipmentId'],
    trackingNumber: shipment.trackingNumber,
    customerReference: shipment.reference,
    shipDate: shipment.createdAt.toISOString(),
    estimatedDelivery: shipment.createdAt.toISOString(),
    events: events.map((event) => ({
      timestamp: event.at.toISOString(),
      code: event.status.code,
      description: event.status.description,
      location: `${event.place.city}, ${event.place.country}`,
    })),
    shipFrom: partyAt(shipment.origin),
    shipTo: partyAt(shipment.destination),
  };
}

function register(request: CarrierRequest, world: World): CarrierResponse {
  const body = readJson(request);
  const errors = [
    URL.canParse(textAt(body, 'url')) ? '' : 'url must be a URL address',
    typeof at(body, 'enabled') === 'boolean' ? '' : 'enabled must be a boolean',
    listAt(body, 'enabledEvents').length > 0 ? '' : 'enabledEvents must be an array',
  ].filter((error) => error !== '');
  if (errors.length > 0) return refuse(400, 'Bad Request', request, errors);
  const id = `wh_${world.number('', 10)}`;
  const webhook = { ...(body as Record<string, unknown>), id, secret: `whsec_${randomUUID().replaceAll('-', '')}` };
  world.memory.set(`webhook ${id}`, webhook);
  return json(201, webhook);
}

function placeFrom(body: unknown, who: string): Place {
  const city = textAt(body, who, 'address', 'city');
  const country = textAt(body, who, 'address', 'country');
  return { code: city.slice(0, 3).toUpperCase(), city, country, zone: 'UTC', latitude: '', longitude: '' };
}

function labelOf(body: unknown, trackingNumber: string): LabelContent {
  const lines = (who: string): readonly string[] => {
    const address = at(body, who, 'address');
    return [
      textAt(body, who, 'name'),
      textAt(address, 'line1'),
      textAt(address, 'line2'),
      `${textAt(address, 'city')} ${textAt(address, 'postcode')}`,
      textAt(address, 'country'),
    ].filter((line) => line !== '');
  };
  return {
    carrier: 'SIMULATED TELESHIP',
    service: textAt(body, 'serviceCode'),
    trackingNumber,
    reference: textAt(body, 'customerReference'),
    part: '1/1',
    weight: `${textAt(body, 'weight', 'value')} ${textAt(body, 'weight', 'unit')}`,
    from: lines('shipFrom'),
    to: lines('shipTo'),
  };
}

/** `secret` is the one that the registration of the webhook gave. */
function push(event: ParcelEvent, of: { shipment: Shipment; parcel: Parcel }, secret: string): Push {
  const data = { ...describeTracking(of.shipment), ...event.extra };
  const body = JSON.stringify({
    eventName: 'shipment.updated',
    objectType: 'shipment',
    objectId: of.shipment.data['shipmentId'],
    data,
  });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return {
    path: `/v2/carriers/${carrier.code}/webhook`,
    headers: { 'content-type': 'application/json', 'x-teleship-signature': signature },
    body,
  };
}
