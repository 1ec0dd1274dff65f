// Australia Post's Shipping and Tracking API: Basic and an account header, labels made by a job, tracking ten at a time.
// The format and its sources: docs/carriers/australia_post.md.
import { randomUUID } from 'node:crypto';
import type { CarrierRequest, CarrierResponse, SimulatedCarrier, StageStatuses, World } from './carrier.ts';
import { timeAtOffset } from './clock.ts';
import { drawLabels, labelTypes, type LabelContent, type LabelFormat } from './label.ts';
import { at, bytes, decode, empty, hasBasic, isJson, json, listAt, readJson, textAt } from './reply.ts';
import { isUnderWay, newParcel, type Parcel, type Place, type Shipment } from './shipments.ts';

const statuses: StageStatuses = {
  SHIPMENT_CREATED: { code: 'Shipping information received by Australia Post', description: '' },
  PICKED_UP: { code: 'Received by Australia Post', description: '' },
  IN_TRANSIT: { code: 'In transit to next facility in SUNSHINE WEST VIC', description: '' },
  AT_HUB: { code: 'Item processed at facility', description: '' },
  AT_FACILITY: { code: 'Arrived at facility', description: '' },
  OUT_FOR_DELIVERY: { code: 'Onboard for delivery', description: '' },
  DELIVERED: { code: 'Delivered - Left in a safe place', description: '' },
  DELIVERY_FAILED: { code: 'Attempted delivery - Customer not home', description: '' },
  RETURNED_TO_ORIGIN: { code: 'Returned to sender', description: '' },
};

export const carrier: SimulatedCarrier = {
  code: 'australia_post',
  name: 'Australia Post',
  basePath: '',
  credentials: { apiKey: 'simulated-key', password: 'simulated-password' },
  statuses,
  mischief: ['wrong_echo', 'wrong_count', 'label_later'],
  handle,
  refuse: (status, message) =>
    status === 429
      ? json(429, { errors: [{ error_code: 'API_002', error_name: 'Too many requests' }] })
      : refuse(status, [{ code: '40002', name: 'SIMULATED_ERROR', message }]),
};

interface Problem {
  readonly code: string;
  readonly name: string;
  readonly message: string;
  readonly field?: string;
}

const refuse = (status: number, errors: readonly Problem[]): CarrierResponse => json(status, { errors });

async function handle(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const [, file] = /^\/labels\/([0-9a-f-]+)\.[a-z]+$/.exec(request.path) ?? [];
  if (file !== undefined) return await getDocument(file, world);
  const { apiKey = '', password = '' } = world.credentials;
  if (!hasBasic(request, apiKey, password))
    return refuse(401, [{ code: 'API_001', name: 'Unauthorised', message: 'The API key or password is not valid.' }]);
  const account = request.headers['account-number'];
  if (typeof account !== 'string' || !/^\d{10}$/.test(account))
    return refuse(400, [
      {
        code: '41001',
        name: 'CUSTOMER_NOT_FOUND',
        message: 'Customer information for the account could not be found.',
      },
    ]);
  const route = `${request.method} ${request.path}`;
  const isMade = request.method === 'POST';
  if (isMade && !isJson(request)) return empty(415);
  const body = isMade ? readJson(request) : undefined;
  if (isMade && body === undefined)
    return refuse(400, [{ code: '40001', name: 'JSON_SYNTAX_ERROR', message: 'The request is not valid JSON.' }]);
  if (route === 'POST /shipping/v1/shipments') return createShipment(request, body, account, world);
  if (route === 'POST /shipping/v1/labels') return requestLabels(request, body, world);
  if (route === `GET /shipping/v1/accounts/${account}`) return json(200, { account_number: account, expired: false });
  if (route === 'GET /shipping/v1/track') return track(request, world);
  const [, id] = /^DELETE \/shipping\/v1\/shipments\/([^/]+)$/.exec(route) ?? [];
  if (id !== undefined) return deleteShipment(decode(id), world);
  const [, job] = /^GET \/shipping\/v1\/labels\/([^/]+)$/.exec(route) ?? [];
  if (job !== undefined) return getJob(decode(job), world);
  return refuse(404, [{ code: '40400', name: 'NOT_FOUND', message: 'There is no such resource.' }]);
}

const products = ['T28', 'T28S', '3D55', 'E34', 'E34S', '3J55'];
const states = ['ACT', 'NSW', 'NT', 'QLD', 'SA', 'TAS', 'VIC', 'WA'];

function findProblems(body: unknown): readonly Problem[] {
  const problems: Problem[] = [];
  const shipments = listAt(body, 'shipments');
  if (shipments.length !== 1)
    problems.push({ code: '42001', name: 'NO_SHIPMENTS', message: 'The request must have one shipment here.' });
  for (const who of ['from', 'to']) {
    const party = at(shipments[0], who);
    const field = `shipments[0].${who}`;
    const wrong = (code: string, name: string, what: string): void => {
      problems.push({ code, name, field: `${field}.${what}`, message: `The ${what} of ${who} is missing or invalid.` });
    };
    const lines = listAt(party, 'lines').map(String);
    if (lines.length === 0 || lines.length > 3 || lines.some((line) => line === '' || line.length > 40))
      wrong('43010', 'INVALID_ADDRESS_LINES', 'lines');
    const text = (key: string): string => textAt(party, key);
    if (text('name') === '' || text('name').length > 40) wrong('43011', 'INVALID_NAME', 'name');
    if (text('suburb') === '' || text('suburb').length > 30) wrong('43012', 'INVALID_SUBURB', 'suburb');
    if (!states.includes(text('state'))) wrong('43013', 'INVALID_STATE', 'state');
    if (!/^\d{4}$/.test(text('postcode'))) wrong('43014', 'INVALID_POSTCODE', 'postcode');
    if (text('phone') !== '' && (text('phone').length < 10 || text('phone').length > 20))
      wrong('43015', 'INVALID_PHONE', 'phone');
    if (text('delivery_instructions').length > 128)
      wrong('43016', 'INVALID_DELIVERY_INSTRUCTIONS', 'delivery_instructions');
  }
  const items = listAt(shipments[0], 'items');
  if (items.length === 0 || items.length > 20)
    problems.push({ code: '42003', name: 'NO_ITEMS', message: 'A shipment must have 1 to 20 items.' });
  for (const [index, item] of items.entries()) {
    const field = `shipments[0].items[${index}]`;
    const wrong = (code: string, name: string, message: string): void => {
      problems.push({ code, name, field, message });
    };
    if (!products.includes(textAt(item, 'product_id')))
      wrong('42002', 'PRODUCT_NOT_SUPPORTED', `The product ${textAt(item, 'product_id')} is not in your contract.`);
    const weight = at(item, 'weight');
    if (typeof weight !== 'number' || weight <= 0) wrong('42004', 'INVALID_WEIGHT', 'The weight is missing.');
    else if (weight > 22) wrong('44010', 'MAX_WEIGHT', `The weight ${weight} exceeds the maximum weight of 22 kg.`);
    for (const side of ['length', 'width', 'height']) {
      const value = at(item, side);
      if (typeof value !== 'number' || value <= 0) wrong('42005', 'INVALID_DIMENSION', `The ${side} is missing.`);
      else if (value > 105) wrong('44011', 'MAX_DIMENSION', `The ${side} exceeds the maximum of 105 cm.`);
    }
  }
  return problems;
}

function createShipment(request: CarrierRequest, body: unknown, account: string, world: World): CarrierResponse {
  const problems = findProblems(body);
  if (problems.length > 0) return refuse(400, problems);
  const sent = listAt(body, 'shipments')[0];
  const items = listAt(sent, 'items');
  const consignment = world.number('EXM', 7);
  const parcels = items.map((item, index): Parcel => {
    const trackingNumber = `${consignment}${String(index + 1).padStart(5, '0')}`;
    return {
      part: index + 1,
      reference: textAt(item, 'item_reference') || String(index + 1),
      trackingNumber,
      label: labelOf(sent, item, trackingNumber, `${index + 1}/${items.length}`),
      labelFormat: 'PDF',
      ...newParcel(),
    };
  });
  const shipment: Shipment = {
    carrier: carrier.code,
    reference: textAt(sent, 'shipment_reference'),
    trackingNumber: consignment,
    origin: placeFrom(at(sent, 'from')),
    destination: placeFrom(at(sent, 'to')),
    createdAt: world.now(),
    parcels,
    cancelled: false,
    data: { id: randomUUID(), account, product: textAt(items[0], 'product_id') },
  };
  world.memory.set(`shipment ${textAt(shipment.data, 'id')}`, shipment);
  world.created(shipment);
  const entries = parcels.map((parcel, index) => ({
    item_id: `${textAt(shipment.data, 'id')}-${parcel.part}`,
    item_reference:
      request.mischief === 'wrong_echo' ? `${parcel.reference}-X` : textAt(items[index], 'item_reference'),
    tracking_details: { article_id: parcel.trackingNumber, consignment_id: consignment },
    product_id: textAt(items[index], 'product_id'),
    item_summary: { total_cost: 9.7, status: 'Created' },
  }));
  return json(201, {
    shipments: [
      {
        shipment_id: textAt(shipment.data, 'id'),
        shipment_reference: shipment.reference,
        shipment_creation_date: world.now().toISOString(),
        items: request.mischief === 'wrong_count' ? entries.slice(1) : entries,
        shipment_summary: { status: 'Created', number_of_items: parcels.length },
      },
    ],
  });
}

function placeFrom(party: unknown): Place {
  const city = `${textAt(party, 'suburb')} ${textAt(party, 'state')}`.toUpperCase();
  return { code: textAt(party, 'postcode'), city, country: 'AU', zone: 'UTC', latitude: '', longitude: '' };
}

const linesOf = (party: unknown): readonly string[] =>
  [
    textAt(party, 'name'),
    textAt(party, 'business_name'),
    ...listAt(party, 'lines').map(String),
    `${textAt(party, 'suburb')} ${textAt(party, 'state')} ${textAt(party, 'postcode')}`,
  ].filter((line) => line !== '');

function labelOf(sent: unknown, item: unknown, trackingNumber: string, part: string): LabelContent {
  return {
    carrier: 'SIMULATED EPARCEL',
    service: `Product ${textAt(item, 'product_id')}`,
    trackingNumber,
    reference: textAt(sent, 'shipment_reference'),
    part,
    weight: `${textAt(item, 'weight')} kg`,
    from: linesOf(at(sent, 'from')),
    to: linesOf(at(sent, 'to')),
  };
}

const findById = (id: string, world: World): Shipment | undefined => {
  const shipment = world.memory.get(`shipment ${id}`) as Shipment | undefined;
  return shipment?.cancelled === true ? undefined : shipment;
};

const notFound = (id: string): CarrierResponse =>
  refuse(404, [{ code: '44013', name: 'SHIPMENT_NOT_FOUND', message: `The shipment ${id} cannot be found.` }]);

function deleteShipment(id: string, world: World): CarrierResponse {
  const shipment = findById(id, world);
  if (!shipment) return notFound(id);
  if (isUnderWay(shipment))
    return refuse(400, [
      { code: '44014', name: 'SHIPMENT_NOT_MODIFIABLE', message: 'The shipment is part of an order already.' },
    ]);
  shipment.cancelled = true;
  return empty(200);
}

interface Job {
  readonly id: string;
  readonly shipment: Shipment;
  readonly format: LabelFormat;
  asksLeft: number;
}

function requestLabels(request: CarrierRequest, body: unknown, world: World): CarrierResponse {
  const id = textAt(listAt(body, 'shipments')[0], 'shipment_id');
  const shipment = findById(id, world);
  if (!shipment) return notFound(id);
  const preference = listAt(body, 'preferences')[0];
  const format = textAt(preference, 'format') || 'PDF';
  const group = textAt(listAt(preference, 'groups')[0], 'group');
  if (textAt(preference, 'type') !== 'PRINT' || (format !== 'PDF' && format !== 'ZPL'))
    return refuse(400, [{ code: '45001', name: 'INVALID_PREFERENCE', message: 'The preference is not supported.' }]);
  if (!['Parcel Post', 'Express Post'].includes(group))
    return refuse(400, [{ code: '45002', name: 'INVALID_GROUP', message: `There is no group ${group}.` }]);
  const asksLeft = request.mischief === 'label_later' ? request.placeholder.asks : 0;
  const job: Job = { id: randomUUID(), shipment, format, asksLeft };
  world.memory.set(`job ${job.id}`, job);
  return json(200, { labels: [describeJob(job, 'PENDING', world)] });
}

function describeJob(job: Job, status: 'PENDING' | 'AVAILABLE', world: World): Record<string, unknown> {
  const id = textAt(job.shipment.data, 'id');
  return {
    request_id: job.id,
    status,
    request_date: world.now().toISOString(),
    ...(status === 'AVAILABLE' ? { url: `${world.url}/labels/${job.id}.${job.format.toLowerCase()}` } : {}),
    shipment_ids: [id],
    shipments: [{ shipment_id: id }],
  };
}

function getJob(id: string, world: World): CarrierResponse {
  const job = world.memory.get(`job ${id}`) as Job | undefined;
  if (!job)
    return refuse(404, [{ code: '45003', name: 'LABEL_NOT_FOUND', message: `There is no label request ${id}.` }]);
  const isReady = job.asksLeft === 0;
  if (!isReady) job.asksLeft -= 1;
  return json(200, { labels: [describeJob(job, isReady ? 'AVAILABLE' : 'PENDING', world)] });
}

/** As behind a signed URL: whoever has it may read. */
async function getDocument(id: string, world: World): Promise<CarrierResponse> {
  const job = world.memory.get(`job ${id}`) as Job | undefined;
  if (!job || job.asksLeft > 0) return empty(403);
  const labels = job.shipment.parcels.map(({ label }) => label);
  return bytes(200, labelTypes[job.format], await drawLabels(job.format, labels));
}

function track(request: CarrierRequest, world: World): CarrierResponse {
  const ids = (request.query.get('tracking_ids') ?? '').split(',').filter((id) => id !== '');
  if (ids.length === 0 || ids.length > 10)
    return refuse(400, [
      {
        code: 'ESB-10002',
        name: 'Invalid number of tracking IDs',
        message: 'Between 1 and 10 tracking IDs are required.',
      },
    ]);
  const results = ids.map((id) => {
    const shipment = world.shipments.findByNumber(id);
    const parcels = shipment?.parcels.filter(
      ({ trackingNumber }) => trackingNumber === id || shipment.trackingNumber === id,
    );
    if (!shipment || !parcels || parcels.length === 0)
      return { tracking_id: id, errors: [{ code: 'ESB-10001', name: 'Invalid tracking ID' }] };
    const items = parcels.map(describeArticle);
    const isConsignment = shipment.trackingNumber === id;
    return {
      tracking_id: id,
      status: items[0]?.['status'],
      trackable_items: isConsignment ? [{ consignment_id: id, number_of_items: items.length, items }] : items,
    };
  });
  return json(200, { tracking_results: results });
}

function describeArticle(parcel: Parcel): Record<string, unknown> {
  const events = parcel.events
    .map((event) => {
      const { date, time } = timeAtOffset(event.at, '+10:00');
      const location = event.stage === 'SHIPMENT_CREATED' ? {} : { location: event.place.city };
      return { ...location, description: event.status.code, date: `${date}T${time}+10:00` };
    })
    .toReversed();
  const isDelivered = parcel.events.at(-1)?.stage === 'DELIVERED';
  return {
    article_id: parcel.trackingNumber,
    product_type: 'eParcel',
    events,
    status: isDelivered ? 'Delivered' : 'In transit',
  };
}
