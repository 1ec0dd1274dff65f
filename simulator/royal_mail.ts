// Royal Mail's Click & Drop (orders, labels) and its Tracking API, which is another product with other credentials.
// The formats and their sources: docs/carriers/royal_mail.md.
import type { CarrierRequest, CarrierResponse, SimulatedCarrier, StageStatuses, World } from './carrier.ts';
import { drawLabels, type LabelContent } from './label.ts';
import {
  at,
  bytes,
  decode,
  empty,
  hasBearer,
  isJson,
  isObject,
  isSame,
  json,
  listAt,
  readJson,
  textAt,
} from './reply.ts';
import { isUnderWay, newParcel, type Parcel, type Shipment } from './shipments.ts';

const statuses: StageStatuses = {
  SHIPMENT_CREATED: { code: 'EVAIE', description: 'Sender preparing item' },
  PICKED_UP: { code: 'EVOAC', description: 'Item received' },
  IN_TRANSIT: { code: 'EVODO', description: 'Item Despatched to DO' },
  AT_HUB: { code: 'EVIMC', description: 'Item Received' },
  AT_FACILITY: { code: 'EVORI', description: 'Arrived at Delivery Office' },
  OUT_FOR_DELIVERY: { code: 'EVGPD', description: 'Due to be delivered today' },
  DELIVERED: { code: 'EVKSP', description: 'Delivered and Signed' },
  DELIVERY_FAILED: { code: 'EVKNA', description: 'Delivery Attempted - No Answer' },
  RETURNED_TO_ORIGIN: { code: 'EVNRT', description: 'Item Retention' },
};

export const carrier: SimulatedCarrier = {
  code: 'royal_mail',
  name: 'Royal Mail Click & Drop',
  basePath: '',
  credentials: {
    apiKey: 'simulated-api-key',
    trackingId: 'simulated-client',
    trackingSecret: 'simulated-client-secret',
  },
  statuses,
  mischief: ['wrong_echo', 'wrong_count', 'label_later'],
  handle,
  refuse: (status, message) => json(status, { code: `Simulated${status}`, message, details: '' }),
};

async function handle(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const { method, path } = request;
  if (path.startsWith('/mailpieces/v2/')) return track(request, world);
  if (!hasBearer(request, world.credentials['apiKey'] ?? '')) return empty(401);
  if (path === '/api/v1/orders') {
    if (method === 'POST') return await createOrders(request, world);
    if (method === 'GET') return json(200, { orders: world.shipments.list().slice(-25).map(describe) });
    return empty(405);
  }
  const [, written = '', label] = /^\/api\/v1\/orders\/([^/]+)(\/label)?$/.exec(path) ?? [];
  const wanted = decode(written);
  if (wanted === '') return empty(404);
  const shipments = wanted.split(';').flatMap((one) => find(one, world));
  if (shipments.length === 0) return empty(404);
  if (method === 'GET' && label !== undefined) return await printLabel(request, shipments);
  if (method === 'GET') return json(200, shipments.map(describe));
  if (method === 'DELETE') return deleteOrders(shipments);
  return empty(405);
}

/** By the number of the order, or by the reference in quotes. */
function find(identifier: string, world: World): readonly Shipment[] {
  const reference = /^"(.*)"$/.exec(identifier)?.[1];
  return world.shipments
    .list()
    .filter(
      (shipment) =>
        !shipment.cancelled &&
        (reference === undefined ? String(shipment.data['order']) === identifier : shipment.reference === reference),
    );
}

interface OrderError {
  readonly errorCode: number;
  readonly errorMessage: string;
  readonly fields: readonly { readonly fieldName: string; readonly value: string }[];
}

function findErrors(order: unknown): readonly OrderError[] {
  const errors: OrderError[] = [];
  const refuse = (errorCode: number, errorMessage: string, fieldName: string): void => {
    errors.push({ errorCode, errorMessage, fields: [{ fieldName, value: textAt(order, ...fieldName.split('.')) }] });
  };
  const address = ['recipient', 'address'] as const;
  for (const key of ['addressLine1', 'city', 'countryCode', 'postcode'])
    if (textAt(order, ...address, key) === '')
      refuse(1, 'The field is required', ['Recipient', 'Address', key].join('.'));
  for (const key of ['addressLine1', 'addressLine2', 'addressLine3', 'city'])
    if (textAt(order, ...address, key).length > 100) refuse(2, 'The field is too long', `Recipient.Address.${key}`);
  if (textAt(order, 'orderReference').length > 40) refuse(2, 'The field is too long', 'OrderReference');
  if (textAt(order, 'specialInstructions').length > 500) refuse(2, 'The field is too long', 'SpecialInstructions');
  if (Number.isNaN(Date.parse(textAt(order, 'orderDate')))) refuse(3, 'The date is not valid', 'OrderDate');
  for (const key of ['subtotal', 'shippingCostCharged', 'total']) {
    const value = at(order, key);
    if (typeof value !== 'number' || value < 0 || !/^\d+(\.\d{1,2})?$/.test(String(value)))
      refuse(4, 'The amount is not valid', key);
  }
  listAt(order, 'packages').forEach((entry, index) => {
    const grams = at(entry, 'weightInGrams');
    if (!Number.isInteger(grams) || Number(grams) < 1 || Number(grams) > 30_000)
      refuse(5, 'The weight must be from 1 to 30000 grams', `Packages[${index}].WeightInGrams`);
    if (!formats.includes(textAt(entry, 'packageFormatIdentifier')))
      refuse(6, 'The package format is not known', `Packages[${index}].PackageFormatIdentifier`);
    const dimensions = at(entry, 'dimensions');
    if (
      dimensions !== undefined &&
      !['heightInMms', 'widthInMms', 'depthInMms'].every((key) => Number.isInteger(at(dimensions, key)))
    )
      refuse(7, 'The dimensions must be whole millimetres', `Packages[${index}].Dimensions`);
  });
  if (!/^[A-Z0-9]{2,10}$/.test(textAt(order, 'postageDetails', 'serviceCode')))
    refuse(8, 'The service is not available to the account', 'PostageDetails.ServiceCode');
  return errors;
}

const formats = [
  'undefined',
  'letter',
  'largeLetter',
  'smallParcel',
  'mediumParcel',
  'largeParcel',
  'parcel',
  'documents',
];

async function createOrders(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const body = readJson(request);
  const orders = listAt(body, 'items');
  if (!isJson(request) || !isObject(body) || orders.length === 0)
    return carrier.refuse(400, 'The request has missing or invalid parameters.', request);
  const wishes = orders.filter((order) => at(order, 'label', 'includeLabelInResponse') === true);
  if (wishes.length > 1) return carrier.refuse(400, 'Amount of labels across all items must not exceed 1', request);
  const createdOrders: unknown[] = [];
  const failedOrders: unknown[] = [];
  for (const order of orders) {
    const errors = findErrors(order);
    if (errors.length > 0) failedOrders.push({ order, errors });
    else createdOrders.push(await createOrder(order, request, world));
  }
  return json(200, {
    successCount: createdOrders.length,
    errorsCount: failedOrders.length,
    createdOrders,
    failedOrders,
  });
}

const place = (city: string) => ({ code: '', city, country: 'GB', zone: 'UTC', latitude: '', longitude: '' });

async function createOrder(order: unknown, request: CarrierRequest, world: World): Promise<unknown> {
  const packages = listAt(order, 'packages').length > 0 ? listAt(order, 'packages') : [{}];
  const numbers = packages.map(() => `${world.number('JX', 9)}GB`);
  const shipment: Shipment = {
    carrier: carrier.code,
    reference: textAt(order, 'orderReference'),
    trackingNumber: numbers[0] ?? '',
    origin: place('Leeds Mail Centre'),
    destination: place(textAt(order, 'recipient', 'address', 'city')),
    createdAt: world.now(),
    parcels: [],
    cancelled: false,
    data: {
      order: Number(world.number('', 7)),
      service: textAt(order, 'postageDetails', 'serviceCode'),
      posted: false,
    },
  };
  shipment.parcels = packages.map((entry, index): Parcel => {
    const trackingNumber = numbers[index] ?? '';
    return {
      part: index + 1,
      reference: String(index + 1),
      trackingNumber,
      label: labelOf(order, entry, trackingNumber, `${index + 1}/${packages.length}`),
      labelFormat: 'PDF',
      ...newParcel(index === 0 ? request : undefined),
    };
  });
  world.created(shipment);
  if (at(order, 'label', 'includeLabelInResponse') !== true) return describe(shipment);
  // Postage is applied with the label: only now there are numbers.
  shipment.data = { ...shipment.data, posted: true };
  const described = describe(shipment);
  if (request.mischief === 'wrong_count') described['packages'] = listAt(described, 'packages').slice(1);
  if (request.mischief === 'wrong_echo')
    described['packages'] = shipment.parcels.map(({ part, trackingNumber }) => ({
      packageNumber: part + 100,
      trackingNumber,
    }));
  if (request.mischief === 'label_later')
    return { ...described, labelErrors: [{ code: 'Timeout', message: 'The label is not ready' }] };
  const pdf = await drawLabels(
    'PDF',
    shipment.parcels.map(({ label }) => label),
  );
  return { ...described, label: pdf.toString('base64'), labelErrors: [], generatedDocuments: ['postageLabel'] };
}

function describe(shipment: Shipment): Record<string, unknown> {
  const created = {
    orderIdentifier: shipment.data['order'],
    orderReference: shipment.reference,
    createdOn: shipment.createdAt.toISOString(),
    orderDate: shipment.createdAt.toISOString(),
  };
  if (shipment.data['posted'] !== true) return created;
  const packages = shipment.parcels.map(({ part, trackingNumber }) => ({ packageNumber: part, trackingNumber }));
  return { ...created, printedOn: created.createdOn, trackingNumber: shipment.trackingNumber, packages };
}

async function printLabel(request: CarrierRequest, shipments: readonly Shipment[]): Promise<CarrierResponse> {
  const wanted = request.query.get('documentType') ?? '';
  if (!['postageLabel', 'despatchNote', 'CN22', 'CN23'].includes(wanted))
    return json(400, [{ code: 'BadRequest', message: 'documentType is not valid' }]);
  if (wanted === 'postageLabel' && request.query.get('includeReturnsLabel') === null)
    return json(400, [{ code: 'BadRequest', message: 'includeReturnsLabel is required' }]);
  const parcels = shipments.flatMap((shipment) => shipment.parcels);
  const late = parcels.find((parcel) => parcel.labelAsks > 0);
  if (late) {
    late.labelAsks -= 1;
    return empty(late.labelStatus);
  }
  for (const shipment of shipments) shipment.data = { ...shipment.data, posted: true };
  return bytes(
    200,
    'application/pdf',
    await drawLabels(
      'PDF',
      parcels.map(({ label }) => label),
    ),
  );
}

function deleteOrders(shipments: readonly Shipment[]): CarrierResponse {
  const deletedOrders: unknown[] = [];
  const errors: unknown[] = [];
  for (const shipment of shipments) {
    const named = { orderIdentifier: shipment.data['order'], orderReference: shipment.reference };
    if (isUnderWay(shipment)) {
      errors.push({ ...named, code: 'OrderCannotBeDeleted', message: 'The order is despatched' });
    } else {
      shipment.cancelled = true;
      deletedOrders.push({ ...named, orderInfo: '' });
    }
  }
  return json(200, { deletedOrders, errors });
}

const refuseTracking = (status: number, errorCode: string, errorDescription: string): CarrierResponse =>
  json(status, {
    httpCode: String(status),
    httpMessage: '',
    moreInformation: '',
    errors: [{ errorCode, errorDescription }],
  });

function track(request: CarrierRequest, world: World): CarrierResponse {
  const { trackingId = '', trackingSecret = '' } = world.credentials;
  const header = (name: string): string => String(request.headers[name] ?? '');
  if (!isSame(header('x-ibm-client-id'), trackingId) || !isSame(header('x-ibm-client-secret'), trackingSecret))
    return refuseTracking(401, 'E0401', 'The client is not registered');
  if (header('x-accept-rmg-terms') !== 'yes') return refuseTracking(400, 'E0002', 'The terms are not accepted');
  const number = decode(/^\/mailpieces\/v2\/([^/]+)\/events$/.exec(request.path)?.[1] ?? '');
  const shipment = world.shipments.findByNumber(number);
  const parcel = shipment?.parcels.find((one) => one.trackingNumber === number);
  if (!parcel) return refuseTracking(404, 'E1142', `Barcode reference ${number} isn't recognised`);
  const last = parcel.events.at(-1);
  return json(200, {
    mailPieces: {
      mailPieceId: number,
      carrierShortName: 'RM',
      carrierFullName: 'Royal Mail Group Ltd',
      summary: { oneDBarcode: number, lastEventCode: last?.status.code, lastEventName: last?.status.description },
      events: parcel.events.map((event) => ({
        eventCode: event.status.code,
        eventName: event.status.description,
        eventDateTime: `${event.at.toISOString().slice(0, 19)}+00:00`,
        locationName: event.place.city,
      })),
    },
  });
}

function labelOf(order: unknown, entry: unknown, trackingNumber: string, part: string): LabelContent {
  const address = at(order, 'recipient', 'address');
  return {
    carrier: 'SIMULATED ROYAL MAIL',
    service: textAt(order, 'postageDetails', 'serviceCode'),
    trackingNumber,
    reference: textAt(order, 'orderReference'),
    part,
    weight: `${textAt(entry, 'weightInGrams')} g`,
    from: [textAt(order, 'sender', 'tradingName')],
    to: ['fullName', 'companyName', 'addressLine1', 'addressLine2', 'city', 'postcode']
      .map((key) => textAt(address, key))
      .filter((line) => line !== ''),
  };
}
