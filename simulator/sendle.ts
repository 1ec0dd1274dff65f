// Sendle's API: JSON, HTTP Basic, one order a parcel, an idempotency key, a label behind a redirect.
// The format and its sources: docs/carriers/sendle.md.
import { createHash, randomUUID } from 'node:crypto';
import type { CarrierRequest, CarrierResponse, Push, SimulatedCarrier, StageStatuses, World } from './carrier.ts';
import { drawLabels, type LabelContent } from './label.ts';
import { at, bytes, decode, empty, hasBasic, isJson, isObject, json, listAt, readJson, textAt } from './reply.ts';
import { isUnderWay, newParcel, type Parcel, type ParcelEvent, type Place, type Shipment } from './shipments.ts';

const statuses: StageStatuses = {
  SHIPMENT_CREATED: { code: 'Info', description: 'Label created' },
  PICKED_UP: { code: 'Pickup', description: 'Parcel picked up' },
  IN_TRANSIT: { code: 'In Transit', description: 'In transit' },
  AT_HUB: { code: 'In Transit', description: 'Arrived at a hub' },
  AT_FACILITY: { code: 'Local Delivery', description: 'With a local partner' },
  OUT_FOR_DELIVERY: { code: 'Out for Delivery', description: 'On board for delivery' },
  DELIVERED: { code: 'Delivered', description: 'Parcel delivered' },
  DELIVERY_FAILED: { code: 'Card Left', description: 'A card was left' },
  RETURNED_TO_ORIGIN: { code: 'Unable to Deliver', description: 'On its way back to the sender' },
};

export const carrier: SimulatedCarrier = {
  code: 'sendle',
  name: 'Sendle',
  basePath: '',
  credentials: { sendleId: 'simulated_sendle_id', apiKey: 'simulated-api-key' },
  statuses,
  mischief: ['label_later'],
  handle,
  refuse: (status, message) => fail(status, status === 422 ? 'unprocessable_entity' : 'error', message),
  push,
};

const fail = (status: number, error: string, description: string, messages?: unknown): CarrierResponse =>
  json(status, { error, error_description: description, ...(messages === undefined ? {} : { messages }) });

const invalid = (messages: unknown): CarrierResponse =>
  fail(422, 'unprocessable_entity', 'The data is invalid; see messages.', messages);

async function handle(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const { method, path } = request;
  const file = /^\/download\/([0-9a-f-]+)$/.exec(path)?.[1];
  if (file !== undefined) return await download(file, world);
  const { sendleId = '', apiKey = '' } = world.credentials;
  if (!hasBasic(request, sendleId, apiKey)) return fail(401, 'unauthorised', 'The credentials are not valid.');
  if (method === 'GET' && path === '/api/ping')
    return json(200, { ping: 'pong', timestamp: world.now().toISOString() });
  if (method === 'POST' && path === '/api/orders') return createOrder(request, world);
  const [, id = '', rest = ''] = /^\/api\/orders\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  if (id !== '') {
    const shipment = world.memory.get(`order ${decode(id)}`) as Shipment | undefined;
    if (!shipment) return fail(404, 'not_found', 'The order was not found.');
    if (method === 'GET' && rest === '') return json(200, describe(shipment, world));
    if (method === 'DELETE' && rest === '') return cancel(shipment, world);
    if (method === 'GET' && /^\/labels\/(?:a4|cropped)\.pdf$/.test(rest)) return redirectToLabel(shipment, world);
  }
  const reference = /^\/api\/tracking\/([^/]+)$/.exec(path)?.[1];
  if (method === 'GET' && reference !== undefined) return track(decode(reference), world);
  return fail(404, 'not_found', 'There is nothing here.');
}

type Messages = Record<string, string[]>;

function findErrors(body: unknown): Messages {
  const messages: Messages = {};
  const refuse = (key: string, message: string): void => {
    (messages[key] ??= []).push(message);
  };
  const need = (key: string, max: number): void => {
    const value = at(body, ...key.split('.'));
    if (value === undefined || value === null || value === '') refuse(key, "can't be blank");
    else if (typeof value !== 'string') refuse(key, 'must be text');
    else if (value.length > max) refuse(key, `is too long (maximum is ${max} characters)`);
  };
  const decimal = (key: string): void => {
    if (!/^\d+(\.\d+)?$/.test(textAt(body, ...key.split('.'))) || Number(textAt(body, ...key.split('.'))) <= 0)
      refuse(key, 'must be greater than 0');
  };
  const among = (key: string, values: readonly string[]): void => {
    if (!values.includes(textAt(body, ...key.split('.')))) refuse(key, 'is not included in the list');
  };
  for (const who of ['sender', 'receiver']) {
    need(`${who}.contact.name`, 255);
    need(`${who}.address.address_line1`, 255);
    for (const key of ['suburb', 'postcode', 'state_name', 'country']) need(`${who}.address.${key}`, 255);
    if (textAt(body, who, 'instructions').length > 200)
      refuse(`${who}.instructions`, 'is too long (maximum is 200 characters)');
  }
  need('sender.contact.phone', 255);
  among('sender.address.country', ['AU', 'CA', 'US']);
  need('description', 255);
  if (textAt(body, 'customer_reference').length > 255) refuse('customer_reference', 'is too long');
  decimal('weight.value');
  among('weight.units', ['kg', 'lb', 'g', 'oz']);
  for (const side of ['length', 'width', 'height']) decimal(`dimensions.${side}`);
  among('dimensions.units', ['cm', 'in']);
  if (at(body, 'product_code') !== undefined)
    among('product_code', ['STANDARD-PICKUP', 'STANDARD-DROPOFF', 'EXPRESS-PICKUP']);
  const day = textAt(body, 'pickup_date');
  if (day !== '' && [0, 6].includes(new Date(`${day}T12:00:00Z`).getUTCDay()))
    refuse('pickup_date', 'must be a business day');
  if (textAt(body, 'sender', 'address', 'country') !== textAt(body, 'receiver', 'address', 'country'))
    findCustomsErrors(body, refuse);
  return messages;
}

function findCustomsErrors(body: unknown, refuse: (key: string, message: string) => void): void {
  const contents = listAt(body, 'parcel_contents');
  if (contents.length === 0) refuse('parcel_contents', "can't be blank");
  for (const line of contents) {
    if (textAt(line, 'description').length < 3) refuse('parcel_contents.description', 'is too short');
    if (!/^\d+(\.\d+)?$/.test(textAt(line, 'value'))) refuse('parcel_contents.value', 'is not a number');
    if (!/^[A-Z]{2}$/.test(textAt(line, 'country_of_origin')))
      refuse('parcel_contents.country_of_origin', "can't be blank");
    if (!/^\d{4}\.\d{2}(?:\.\d{1,4})?$/.test(textAt(line, 'hs_code')))
      refuse('parcel_contents.hs_code', 'is not a harmonised code');
  }
  if (
    !['Documents', 'Gift', 'Merchandise', 'Returned Goods', 'Sample', 'Other'].includes(textAt(body, 'contents_type'))
  )
    refuse('contents_type', 'is not included in the list');
}

/** A key belongs to one request for 72 hours: the same again is answered alike, another one refused. */
function createOrder(request: CarrierRequest, world: World): CarrierResponse {
  if (!isJson(request)) return fail(400, 'bad_request', 'The body has to be JSON.');
  const body = readJson(request);
  if (!isObject(body)) return fail(400, 'bad_request', 'The body is not JSON.');
  const header = request.headers['idempotency-key'];
  const key = typeof header === 'string' ? header.trim() : '';
  if (key === '') return makeOrder(request, body, world);
  const hash = createHash('sha256').update(request.body).digest('hex');
  const known = world.memory.get(`key ${key}`) as { hash: string; atMs: number; answer: CarrierResponse } | undefined;
  if (known && world.now().getTime() - known.atMs < 72 * 3_600_000)
    return known.hash === hash
      ? known.answer
      : fail(422, 'unprocessable_entity', 'The idempotency key was used for another request.');
  const answer = makeOrder(request, body, world);
  world.memory.set(`key ${key}`, { hash, atMs: world.now().getTime(), answer });
  return answer;
}

function makeOrder(request: CarrierRequest, body: Record<string, unknown>, world: World): CarrierResponse {
  const errors = findErrors(body);
  if (Object.keys(errors).length > 0) return invalid(errors);
  const trackingNumber = world.number('S', 8);
  const orderId = randomUUID();
  const shipment: Shipment = {
    carrier: carrier.code,
    reference: textAt(body, 'customer_reference'),
    trackingNumber,
    origin: placeFrom(body, 'sender'),
    destination: placeFrom(body, 'receiver'),
    createdAt: world.now(),
    parcels: [],
    cancelled: false,
    data: { orderId, body },
  };
  const parcel: Parcel = {
    part: 1,
    reference: textAt(body, 'metadata', 'package') || '1',
    trackingNumber,
    label: labelOf(body, trackingNumber),
    labelFormat: 'PDF',
    ...newParcel(request),
  };
  shipment.parcels = [parcel];
  world.created(shipment);
  world.memory.set(`order ${orderId}`, shipment);
  return json(201, describe(shipment, world));
}

function describe(shipment: Shipment, world: World): Record<string, unknown> {
  const { orderId, body } = shipment.data as { orderId: string; body: Record<string, unknown> };
  const url = `${world.url}/api/orders/${orderId}`;
  return {
    ...body,
    order_id: orderId,
    state: shipment.cancelled ? 'Cancelled' : isUnderWay(shipment) ? 'In Transit' : 'Pickup',
    order_url: url,
    sendle_reference: shipment.trackingNumber,
    tracking_url: `https://track.sendle.com/tracking?ref=${shipment.trackingNumber}`,
    labels: ['a4', 'cropped'].map((size) => ({ format: 'pdf', size, url: `${url}/labels/${size}.pdf` })),
    scheduling: { is_cancellable: !shipment.cancelled && !isUnderWay(shipment), pickup_date: null },
    price: { gross: { amount: 8.47, currency: 'AUD' }, net: { amount: 7.7, currency: 'AUD' } },
  };
}

function cancel(shipment: Shipment, world: World): CarrierResponse {
  if (shipment.cancelled) return invalid('Order has already been cancelled.');
  if (isUnderWay(shipment)) return invalid('Order can not be cancelled.');
  shipment.cancelled = true;
  return json(200, {
    order_id: shipment.data['orderId'],
    state: 'Cancelled',
    sendle_reference: shipment.trackingNumber,
    customer_reference: shipment.reference,
    cancelled_at: world.now().toISOString(),
    cancellation_message: 'Cancelled by the sender',
  });
}

/** The label lies elsewhere, for a minute, for whoever knows the address. */
function redirectToLabel(shipment: Shipment, world: World): CarrierResponse {
  const [parcel] = shipment.parcels;
  if (!parcel || shipment.cancelled) return fail(404, 'not_found', 'There is no label.');
  if (parcel.labelAsks > 0) {
    parcel.labelAsks -= 1;
    return empty(parcel.labelStatus);
  }
  const ticket = randomUUID();
  world.memory.set(`download ${ticket}`, { key: parcel.labelKey, untilMs: world.now().getTime() + 60_000 });
  return { status: 302, headers: { location: `${world.url}/download/${ticket}` }, body: Buffer.alloc(0) };
}

async function download(ticket: string, world: World): Promise<CarrierResponse> {
  const known = world.memory.get(`download ${ticket}`) as { key: string; untilMs: number } | undefined;
  const parcel = known && world.now().getTime() <= known.untilMs ? world.shipments.findLabel(known.key) : null;
  if (!parcel) return empty(403);
  return bytes(200, 'application/pdf', await drawLabels('PDF', [parcel.label]));
}

function track(reference: string, world: World): CarrierResponse {
  const shipment = world.shipments.findByNumber(reference);
  if (!shipment) return fail(404, 'not_found', 'The parcel was not found.');
  const events = shipment.parcels.flatMap((parcel) => parcel.events);
  return json(200, {
    state: events.at(-1)?.status.code ?? '',
    status: { description: events.at(-1)?.status.description ?? '', last_changed_at: events.at(-1)?.at.toISOString() },
    origin: { country: shipment.origin.country },
    destination: { country: shipment.destination.country },
    scheduling: {},
    tracking_events: events.map((event) => ({
      event_type: event.status.code,
      scan_time: writeTime(event),
      display_time: writeTime(event),
      description: event.status.description,
      location: event.place.city,
    })),
  });
}

const writeTime = (event: ParcelEvent): string => `${event.at.toISOString().slice(0, 19)}Z`;

function placeFrom(body: unknown, who: string): Place {
  const city = textAt(body, who, 'address', 'suburb');
  const country = textAt(body, who, 'address', 'country');
  return { code: city.slice(0, 3).toUpperCase(), city, country, zone: 'UTC', latitude: '', longitude: '' };
}

function labelOf(body: unknown, trackingNumber: string): LabelContent {
  const lines = (who: string): readonly string[] =>
    [
      textAt(body, who, 'contact', 'name'),
      textAt(body, who, 'address', 'address_line1'),
      textAt(body, who, 'address', 'address_line2'),
      `${textAt(body, who, 'address', 'suburb')} ${textAt(body, who, 'address', 'postcode')}`,
      textAt(body, who, 'address', 'country'),
    ].filter((line) => line !== '');
  return {
    carrier: 'SIMULATED SENDLE',
    service: textAt(body, 'product_code'),
    trackingNumber,
    reference: textAt(body, 'customer_reference'),
    part: '1/1',
    weight: `${textAt(body, 'weight', 'value')} ${textAt(body, 'weight', 'units')}`,
    from: lines('sender'),
    to: lines('receiver'),
  };
}

/** The tracking webhook: its address holds whatever shall prove the sender, here `?key=`. */
function push(event: ParcelEvent, of: { shipment: Shipment; parcel: Parcel }, secret: string): Push {
  const body = {
    sendle_reference: of.parcel.trackingNumber,
    event_id: randomUUID(),
    description: event.status.description,
    event_type: event.status.code,
    location_data: { suburb: event.place.city, state: null, postcode: null, country: event.place.country },
    scan_time: writeTime(event),
    ...event.extra,
  };
  return {
    path: `/v2/carriers/${carrier.code}/webhook?key=${encodeURIComponent(secret)}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}
