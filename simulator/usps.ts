// USPS, APIs of version 3: an OAuth2 login, a second one for paying, one label a package in a multipart answer.
// The format and its sources: docs/carriers/usps.md.
import { randomUUID } from 'node:crypto';
import type { CarrierRequest, CarrierResponse, SimulatedCarrier, StageStatuses, World } from './carrier.ts';
import { drawLabels, type LabelContent, type LabelFormat } from './label.ts';
import { at, decode, isJson, isObject, isSame, json, listAt, readJson, textAt } from './reply.ts';
import { isUnderWay, newParcel, type Parcel, type Place, type Shipment } from './shipments.ts';

const statuses: StageStatuses = {
  SHIPMENT_CREATED: { code: 'GX', description: 'Shipping Label Created, USPS Awaiting Item' },
  PICKED_UP: { code: '03', description: 'USPS in possession of item' },
  IN_TRANSIT: { code: 'NT', description: 'In Transit to Next Facility' },
  AT_HUB: { code: '10', description: 'Arrived at USPS Regional Origin Facility' },
  AT_FACILITY: { code: '07', description: 'Arrived at Post Office' },
  OUT_FOR_DELIVERY: { code: 'OF', description: 'Out for Delivery' },
  DELIVERED: { code: '01', description: 'Delivered, Front Door/Porch' },
  DELIVERY_FAILED: { code: '02', description: 'Notice Left (No Authorized Recipient Available)' },
  RETURNED_TO_ORIGIN: { code: '09', description: 'Returned to Sender' },
};

const accessLifeMs = 8 * 3_600_000;
const images: Readonly<Record<string, { format: LabelFormat; type: string; ending: string }>> = {
  PDF: { format: 'PDF', type: 'application/pdf', ending: 'pdf' },
  PNG: { format: 'PNG', type: 'image/png', ending: 'png' },
  ZPL203DPI: { format: 'ZPL', type: 'application/octet-stream', ending: 'zpl' },
};

export const carrier: SimulatedCarrier = {
  code: 'usps',
  name: 'United States Postal Service',
  basePath: '',
  credentials: { clientId: 'simulated-client', clientSecret: 'simulated-secret' },
  statuses,
  mischief: ['label_later'],
  handle,
  refuse: (status, message, { path }) => fail(path, status, [message]),
};

function fail(path: string, status: number, details: readonly string[], source = ''): CarrierResponse {
  const errors = details.map((detail) => ({
    title: 'Bad Request',
    detail,
    code: `0${status}01`,
    source: { parameter: source },
  }));
  const api = path.split('/').slice(0, 3).join('/');
  return json(status, { apiVersion: api, error: { code: String(status), message: details[0] ?? '', errors } });
}

async function handle(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const { method, path } = request;
  if (method === 'POST' && path === '/oauth2/v3/token') return login(request, world);
  const access = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (!isLive(`access ${access}`, world)) return fail(path, 401, ['Invalid token']);
  if (method === 'POST' && path === '/payments/v3/payment-authorization') return authorizePayment(request, world);
  const number = /^\/tracking\/v3\/tracking\/([^/]+)$/.exec(path)?.[1];
  if (method === 'GET' && number !== undefined) return track(decode(number), request, world);
  if (!path.startsWith('/labels/v3/label')) return fail(path, 404, ['Not Found']);
  const payment = request.headers['x-payment-authorization-token'];
  if (typeof payment !== 'string' || !isLive(`payment ${payment}`, world))
    return fail(path, 401, ['The payment authorization token is missing or expired'], 'X-Payment-Authorization-Token');
  if (method === 'POST' && path === '/labels/v3/label') return await createLabel(request, world);
  const label = /^\/labels\/v3\/label\/([^/]+)$/.exec(path)?.[1];
  if (method === 'DELETE' && label !== undefined) return cancelLabel(decode(label), request, world);
  return fail(path, 405, ['Method Not Allowed']);
}

function isLive(key: string, world: World): boolean {
  const until = world.memory.get(key);
  return typeof until === 'number' && world.now().getTime() < until;
}

function login(request: CarrierRequest, world: World): CarrierResponse {
  const form = new URLSearchParams(request.body.toString('utf8'));
  if (form.get('grant_type') !== 'client_credentials')
    return json(400, { error: 'unsupported_grant_type', error_description: 'The grant type is not supported' });
  const { clientId = '', clientSecret = '' } = world.credentials;
  if (!isSame(form.get('client_id') ?? '', clientId) || !isSame(form.get('client_secret') ?? '', clientSecret))
    return json(401, { error: 'invalid_client', error_description: 'The client is not known', error_uri: '' });
  const token = `simulated-${randomUUID()}`;
  world.memory.set(`access ${token}`, world.now().getTime() + accessLifeMs);
  return json(200, {
    access_token: token,
    token_type: 'Bearer',
    issued_at: world.now().getTime(),
    expires_in: 28_799,
    status: 'approved',
  });
}

function authorizePayment(request: CarrierRequest, world: World): CarrierResponse {
  const roles = listAt(readJson(request), 'roles');
  const names = roles.map((role) => textAt(role, 'roleName'));
  const lacking = ['PAYER', 'LABEL_OWNER']
    .filter((name) => !names.includes(name))
    .map((name) => `The role ${name} is required`);
  for (const role of roles) {
    for (const key of ['CRID', 'MID']) if (!/^\d{6,15}$/.test(textAt(role, key))) lacking.push(`${key} is not valid`);
    if (!['EPS', 'PERMIT', 'METER'].includes(textAt(role, 'accountType'))) lacking.push('accountType is not valid');
    if (textAt(role, 'accountNumber') === '') lacking.push('accountNumber is required');
  }
  if (lacking.length > 0) return fail(request.path, 400, lacking);
  const token = `payment-${randomUUID()}`;
  world.memory.set(`payment ${token}`, world.now().getTime() + accessLifeMs);
  return json(200, {
    paymentAuthorizationToken: token,
    roles: roles.map((role) => ({ ...(isObject(role) ? role : {}), status: 'VALID' })),
  });
}

function findErrors(body: unknown): readonly string[] {
  const errors: string[] = [];
  const check = (isGood: boolean, message: string): void => {
    if (!isGood) errors.push(message);
  };
  for (const who of ['fromAddress', 'toAddress']) {
    check(textAt(body, who, 'streetAddress') !== '', `${who}.streetAddress is required`);
    check(textAt(body, who, 'city') !== '', `${who}.city is required`);
    check(/^[A-Z]{2}$/.test(textAt(body, who, 'state')), `${who}.state must be two letters`);
    check(/^\d{5}$/.test(textAt(body, who, 'ZIPCode')), `${who}.ZIPCode must be five digits`);
    check(/^(\d{4})?$/.test(textAt(body, who, 'ZIPPlus4')), `${who}.ZIPPlus4 must be four digits`);
    const isPerson = textAt(body, who, 'firstName') !== '' && textAt(body, who, 'lastName') !== '';
    check(isPerson || textAt(body, who, 'firm') !== '', `${who} needs first and last name, or a firm`);
    check(/^(\d{10})?$/.test(textAt(body, who, 'phone')), `${who}.phone must be ten digits`);
  }
  const parcel = at(body, 'packageDescription');
  for (const key of ['weight', 'length', 'width', 'height']) {
    const value = at(parcel, key);
    check(typeof value === 'number' && value > 0, `packageDescription.${key} must be greater than 0`);
  }
  check(textAt(parcel, 'weightUOM') === 'lb' && textAt(parcel, 'dimensionsUOM') === 'in', 'units are lb and in');
  const weight = at(parcel, 'weight');
  check(!(typeof weight === 'number' && weight > 70), 'The weight must not exceed 70 pounds');
  check(mailClasses.includes(textAt(parcel, 'mailClass')), 'packageDescription.mailClass is not valid');
  check(
    categories.includes(textAt(parcel, 'processingCategory')),
    'packageDescription.processingCategory is not valid',
  );
  check(textAt(parcel, 'rateIndicator') !== '', 'packageDescription.rateIndicator is required');
  check(
    textAt(parcel, 'destinationEntryFacilityType') !== '',
    'packageDescription.destinationEntryFacilityType is required',
  );
  check(/^\d{4}-\d{2}-\d{2}$/.test(textAt(parcel, 'mailingDate')), 'packageDescription.mailingDate is not a date');
  check(Object.hasOwn(images, textAt(body, 'imageInfo', 'imageType') || 'PDF'), 'imageInfo.imageType is not valid');
  return errors;
}

const mailClasses = ['USPS_GROUND_ADVANTAGE', 'PRIORITY_MAIL', 'PRIORITY_MAIL_EXPRESS', 'PARCEL_SELECT', 'MEDIA_MAIL'];
const categories = ['LETTERS', 'FLATS', 'MACHINABLE', 'NONSTANDARD'];

async function createLabel(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const body = readJson(request);
  if (!isJson(request) || !isObject(body)) return fail(request.path, 400, ['The body has to be JSON']);
  const errors = findErrors(body);
  if (errors.length > 0) return fail(request.path, 400, errors);
  const image = images[textAt(body, 'imageInfo', 'imageType') || 'PDF'];
  if (!image) return fail(request.path, 400, ['imageInfo.imageType is not valid']);
  const trackingNumber = world.number('92346903', 14);
  const reference = listAt(body, 'packageDescription', 'customerReference');
  const shipment: Shipment = {
    carrier: carrier.code,
    reference: textAt(reference[0], 'referenceNumber'),
    trackingNumber,
    origin: placeFrom(body, 'fromAddress'),
    destination: placeFrom(body, 'toAddress'),
    createdAt: world.now(),
    parcels: [],
    cancelled: false,
    data: { body },
  };
  const parcel: Parcel = {
    part: 1,
    reference: textAt(reference[1], 'referenceNumber') || '1',
    trackingNumber,
    label: labelOf(body, trackingNumber),
    labelFormat: image.format,
    ...newParcel(),
  };
  shipment.parcels = [parcel];
  world.created(shipment);
  const metadata = {
    labelAddress: at(body, 'toAddress'),
    routingInformation: `420${textAt(body, 'toAddress', 'ZIPCode')}`,
    trackingNumber,
    postage: 18.76,
    extraServices: [],
    zone: '06',
    weightUOM: 'LB',
    weight: at(body, 'packageDescription', 'weight'),
    fees: [],
    SKU: 'DUXR0XXXXC06130',
  };
  const file = (await drawLabels(image.format, [parcel.label])).toString('base64');
  const boundary = `r6-${randomUUID()}`;
  const parts = [
    [
      'Content-Type: application/json',
      'Content-Disposition: form-data; name="labelMetadata"',
      '',
      JSON.stringify(metadata),
    ],
    [
      `Content-Type: ${image.type}`,
      `Content-Disposition: form-data; filename="labelImage.${image.ending}"; name="labelImage"`,
      '',
      file,
    ],
  ].slice(0, request.mischief === 'label_later' ? 1 : 2);
  const text = `${parts.map((lines) => `--${boundary}\r\n${lines.join('\r\n')}\r\n`).join('')}--${boundary}--\r\n`;
  return {
    status: 200,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.from(text),
  };
}

function cancelLabel(number: string, { path }: CarrierRequest, world: World): CarrierResponse {
  const shipment = world.shipments.findByNumber(number);
  if (!shipment) return fail(path, 400, ['Order not found'], 'trackingNumber');
  if (shipment.cancelled) return fail(path, 400, ['The label is already canceled'], 'trackingNumber');
  if (isUnderWay(shipment))
    return fail(path, 400, ['A refund request for this order cannot be submitted'], 'trackingNumber');
  shipment.cancelled = true;
  return json(200, { trackingNumber: number, status: 'CANCELED' });
}

function track(number: string, request: CarrierRequest, world: World): CarrierResponse {
  const shipment = world.shipments.findByNumber(number);
  if (!shipment) return fail(request.path, 404, ['The tracking number is not known']);
  const events = shipment.parcels.flatMap((parcel) => parcel.events).toReversed();
  const summary = { trackingNumber: number, status: events[0]?.status.description, statusCategory: 'In Transit' };
  if (request.query.get('expand') !== 'DETAIL') return json(200, summary);
  const trackingEvents = events.map((event) => ({
    eventType: event.status.description,
    eventTimestamp: event.at.toISOString().slice(0, 19),
    GMTTimestamp: `${event.at.toISOString().slice(0, 19)}Z`,
    GMTOffset: '+00:00',
    eventCountry: null,
    eventCity: event.place.city,
    eventState: event.place.code,
    eventZIP: null,
    name: null,
    eventCode: event.status.code,
  }));
  return json(200, { ...summary, trackingEvents });
}

function placeFrom(body: unknown, who: string): Place {
  const city = textAt(body, who, 'city').toUpperCase();
  return { code: textAt(body, who, 'state'), city, country: 'US', zone: 'UTC', latitude: '', longitude: '' };
}

function labelOf(body: unknown, trackingNumber: string): LabelContent {
  const lines = (who: string): readonly string[] =>
    [
      `${textAt(body, who, 'firstName')} ${textAt(body, who, 'lastName')}`.trim(),
      textAt(body, who, 'firm'),
      textAt(body, who, 'streetAddress'),
      textAt(body, who, 'secondaryAddress'),
      `${textAt(body, who, 'city')} ${textAt(body, who, 'state')} ${textAt(body, who, 'ZIPCode')}`,
    ].filter((line) => line !== '');
  const parcel = at(body, 'packageDescription');
  return {
    carrier: 'SIMULATED USPS',
    service: textAt(parcel, 'mailClass'),
    trackingNumber,
    reference: textAt(listAt(parcel, 'customerReference')[0], 'referenceNumber'),
    part: '1/1',
    weight: `${textAt(parcel, 'weight')} lb`,
    from: lines('fromAddress'),
    to: lines('toAddress'),
  };
}
