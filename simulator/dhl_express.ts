// DHL Express as MyDHL API publishes it: REST and JSON, HTTP Basic, all packages in one request, polled tracking.
// The format and its sources: docs/carriers/dhl_express.md.
import type { CarrierRequest, CarrierResponse, SimulatedCarrier, StageStatuses, World } from './carrier.ts';
import { findBreaches, pickupSchema, shipmentSchema } from './dhl_express_schema.ts';
import { trackingAnswer } from './dhl_express_tracking.ts';
import { drawLabels, type LabelContent, type LabelFormat } from './label.ts';
import { at, decode, empty, hasBasic, isJson, json, listAt, readJson, textAt } from './reply.ts';
import { newParcel, type Parcel, type Place, type Shipment } from './shipments.ts';

const statuses: StageStatuses = {
  SHIPMENT_CREATED: { code: 'SA', description: 'Shipment information received' },
  PICKED_UP: { code: 'PU', description: 'Shipment picked up' },
  IN_TRANSIT: { code: 'DF', description: 'Shipment has left a facility' },
  AT_HUB: { code: 'PL', description: 'Processed at a facility' },
  AT_FACILITY: { code: 'AR', description: 'Arrived at the delivery facility' },
  OUT_FOR_DELIVERY: { code: 'WC', description: 'With the delivery courier' },
  DELIVERED: { code: 'OK', description: 'Delivered' },
  DELIVERY_FAILED: { code: 'NH', description: 'Delivery attempted, nobody home' },
  RETURNED_TO_ORIGIN: { code: 'RT', description: 'Returned to the shipper' },
};

export const carrier: SimulatedCarrier = {
  code: 'dhl_express',
  name: 'DHL Express',
  basePath: '/mydhlapi',
  credentials: { username: 'simulated-key', password: 'simulated-secret' },
  statuses,
  mischief: ['wrong_echo', 'wrong_count', 'label_later'],
  handle,
  refuse: (status, message, request) => problem(request, status, [message]),
};

const base = /^\/mydhlapi(?:\/test)?/;

async function handle(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const { username = '', password = '' } = world.credentials;
  if (!hasBasic(request, username, password)) return problem(request, 401, ['Invalid credentials']);
  if (!base.test(request.path)) return problem(request, 404, ['No such resource']);
  if (request.method === 'POST' && !isJson(request))
    return problem(request, 415, ['The content type must be application/json']);
  const path = request.path.replace(base, '');
  const route = `${request.method} ${path}`;
  if (route === 'POST /shipments') return await createShipment(request, world);
  if (route === 'POST /pickups') return createPickup(request, world);
  if (route === 'GET /tracking') return trackingAnswer(request, world, null);
  const [, kind, id = '', rest] = path.split('/');
  if (request.method === 'GET' && kind === 'shipments' && rest === 'tracking')
    return trackingAnswer(request, world, id);
  if (request.method === 'DELETE' && kind === 'pickups' && rest === undefined) return cancelPickup(request, world, id);
  return problem(request, 404, ['No such resource']);
}

const titles: Readonly<Record<number, readonly [title: string, message: string]>> = {
  400: ['Bad request', 'Bad request'],
  401: ['Unauthorized', 'Unauthorized'],
  404: ['Not found', 'Not found'],
  415: ['Unsupported Media Type', 'Unsupported Media Type'],
  422: ['Validation error', 'Unprocessable Entity'],
  429: ['Too many requests', 'Too Many Requests'],
  500: ['Internal Server Error', 'Internal Server Error'],
};

function problem(request: CarrierRequest, status: number, details: readonly string[]): CarrierResponse {
  const [title, message] = titles[status] ?? ['Error', 'Error'];
  const query = request.query.size > 0 ? `?${request.query.toString()}` : '';
  const [only] = details;
  return json(
    status,
    {
      instance: `/expressapi${request.path.replace(base, '')}${query}`,
      detail: details.length === 1 ? only : 'Multiple problems found, see Additional Details',
      title,
      message,
      ...(details.length > 1 ? { additionalDetails: details } : {}),
      status: String(status),
    },
    { 'content-type': 'application/problem+json' },
  );
}

async function createShipment(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const body = readJson(request);
  if (body === undefined) return problem(request, 400, ['The request body is not JSON']);
  const breaches = findBreaches(body, shipmentSchema);
  if (breaches.length > 0) return problem(request, 422, breaches);
  const broken = findBrokenRule(body, world.now());
  if (broken) return problem(request, 400, [broken]);

  const shipment = openShipment(body, world);
  const isWrong = request.mischief === 'wrong_echo';
  const trackingUrl = `${world.url}/mydhlapi/shipments/${shipment.trackingNumber}/tracking`;
  const pickup = at(body, 'pickup', 'isRequested') === true ? bookPickup(world, shipment.origin.code) : null;
  const packages = shipment.parcels.map((parcel) => ({
    referenceNumber: isWrong ? parcel.part + 100 : parcel.part,
    trackingNumber: parcel.trackingNumber,
    trackingUrl: `${trackingUrl}?pieceTrackingNumber=${parcel.trackingNumber}`,
  }));
  return json(
    201,
    {
      url: `${world.url}/mydhlapi/shipments`,
      shipmentTrackingNumber: shipment.trackingNumber,
      trackingUrl,
      ...(pickup === null
        ? {}
        : { dispatchConfirmationNumber: pickup, cancelPickupUrl: `${world.url}/mydhlapi/pickups/${pickup}` }),
      packages: request.mischief === 'wrong_count' ? packages.slice(1) : packages,
      documents: request.mischief === 'label_later' ? [] : await drawDocuments(body, shipment),
    },
    { location: `/shipments/${shipment.trackingNumber}`, ...echoReference(request) },
  );
}

function echoReference(request: CarrierRequest): Record<string, string> {
  const given = request.headers['message-reference'];
  return typeof given === 'string' ? { 'message-reference': given } : {};
}

const products = new Set('0 1 2 3 4 5 6 7 8 9 B C D E F G H I J K L M N O P Q R S T U V W X Y'.split(' '));
const domestic = new Set(['N', '1', 'I', 'O']);

/** The first business rule that the request breaks, as DHL words them: a number, a colon, the reason. */
function findBrokenRule(body: unknown, now: Date): string | null {
  const planned = readPlanned(textAt(body, 'plannedShippingDateAndTime'));
  if (!planned)
    return "998: ShipTimeStamp is not well formatted.(Expected Sample Format : '2010-02-11T17:10:09 GMT+01:00')";
  const ahead = planned.at.getTime() - now.getTime();
  if (ahead < 0) return '998: The planned shipping date is in the past';
  if (ahead > 10 * 86_400_000) return '998: The planned shipping date is more than 10 days ahead';
  const product = textAt(body, 'productCode');
  if (!products.has(product)) return `996: The product ${product} is not known`;
  const countries = ['shipperDetails', 'receiverDetails'].map((who) =>
    textAt(body, 'customerDetails', who, 'postalAddress', 'countryCode'),
  );
  if (domestic.has(product) && countries[0] !== countries[1])
    return `996: The product ${product} is not available between these countries`;
  const isDeclarable = at(body, 'content', 'isCustomsDeclarable') === true;
  if (isDeclarable && listAt(body, 'content', 'exportDeclaration', 'lineItems').length === 0)
    return '1001: A declarable shipment needs content.exportDeclaration with lineItems';
  return null;
}

function readPlanned(text: string): { at: Date; offset: string } | null {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d) ?GMT([+-]\d\d:\d\d)$/.exec(text);
  const [, local = '', offset = ''] = parts ?? [];
  const planned = new Date(`${local}${offset}`);
  return Number.isNaN(planned.getTime()) ? null : { at: planned, offset };
}

function openShipment(body: unknown, world: World): Shipment {
  const nine = world.number('', 9);
  const pieces = listAt(body, 'content', 'packages');
  const reference = textAt(body, 'customerReferences', 0, 'value');
  const shipment: Shipment = {
    carrier: carrier.code,
    reference,
    // An air waybill number ends in the remainder of its first nine digits by seven.
    trackingNumber: `${nine}${Number(nine) % 7}`,
    origin: placeFrom(body, 'shipperDetails'),
    destination: placeFrom(body, 'receiverDetails'),
    createdAt: world.now(),
    parcels: [],
    cancelled: false,
    data: {
      account: textAt(body, 'accounts', 0, 'number'),
      product: textAt(body, 'productCode'),
      description: textAt(body, 'content', 'description'),
      unit: textAt(body, 'content', 'unitOfMeasurement'),
      weights: pieces.map((piece) => Number(at(piece, 'weight'))),
      offset: readPlanned(textAt(body, 'plannedShippingDateAndTime'))?.offset ?? '+00:00',
    },
  };
  const format: LabelFormat = textAt(body, 'outputImageProperties', 'encodingFormat') === 'zpl' ? 'ZPL' : 'PDF';
  shipment.parcels = pieces.map((piece, index): Parcel => {
    const trackingNumber = `JD01${world.number('', 16)}`;
    return {
      part: index + 1,
      reference: textAt(piece, 'customerReferences', 0, 'value') || String(index + 1),
      trackingNumber,
      label: labelOf(body, piece, trackingNumber, `${index + 1}/${pieces.length}`),
      labelFormat: format,
      ...newParcel(),
    };
  });
  return world.shipments.add(shipment);
}

function placeFrom(body: unknown, who: string): Place {
  const address = at(body, 'customerDetails', who, 'postalAddress');
  const city = textAt(address, 'cityName');
  const letters = city
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z]/g, '');
  return {
    code: letters.slice(0, 3).padEnd(3, 'X'),
    city,
    country: textAt(address, 'countryCode'),
    zone: 'UTC',
    latitude: '',
    longitude: '',
  };
}

function labelOf(body: unknown, piece: unknown, trackingNumber: string, part: string): LabelContent {
  const lines = (who: string): readonly string[] => {
    const address = at(body, 'customerDetails', who, 'postalAddress');
    const contact = at(body, 'customerDetails', who, 'contactInformation');
    return [
      textAt(contact, 'companyName'),
      textAt(contact, 'fullName'),
      textAt(address, 'addressLine1'),
      textAt(address, 'addressLine2'),
      `${textAt(address, 'postalCode')} ${textAt(address, 'cityName')}`,
      textAt(address, 'countryCode'),
    ].filter((line) => line !== '');
  };
  return {
    carrier: 'SIMULATED EXPRESS',
    service: `Product ${textAt(body, 'productCode')}`,
    trackingNumber,
    reference: textAt(body, 'customerReferences', 0, 'value'),
    part,
    weight: `${textAt(piece, 'weight')} ${textAt(body, 'content', 'unitOfMeasurement') === 'metric' ? 'kg' : 'lb'}`,
    from: lines('shipperDetails'),
    to: lines('receiverDetails'),
  };
}

/** One document for all pieces, or one each: with its number (linkLabelsByPieces) or without (splitDocumentsByPages). */
async function drawDocuments(body: unknown, shipment: Shipment): Promise<readonly Record<string, unknown>[]> {
  const imageFormat = shipment.parcels[0]?.labelFormat ?? 'PDF';
  const draw = async (parcels: readonly Parcel[], typeCode: string): Promise<Record<string, unknown>> => ({
    imageFormat,
    content: (
      await drawLabels(
        imageFormat,
        parcels.map(({ label }) => label),
      )
    ).toString('base64'),
    typeCode,
  });
  const isLinked = listAt(body, 'getAdditionalInformation').some(
    (entry) => textAt(entry, 'typeCode') === 'linkLabelsByPieces' && at(entry, 'isRequested') === true,
  );
  const isSplit = at(body, 'outputImageProperties', 'splitDocumentsByPages') === true;
  const documents: Record<string, unknown>[] = [];
  if (isLinked || isSplit) {
    for (const parcel of shipment.parcels) {
      const document = await draw([parcel], 'label');
      documents.push(isLinked ? { ...document, packageReferenceNumber: parcel.part } : document);
    }
  } else documents.push(await draw(shipment.parcels, 'label'));
  const wantsWaybill = listAt(body, 'outputImageProperties', 'imageOptions').some(
    (option) => textAt(option, 'typeCode') === 'waybillDoc' && at(option, 'isRequested') === true,
  );
  if (wantsWaybill) documents.push(await draw(shipment.parcels.slice(0, 1), 'waybillDoc'));
  return documents;
}

interface Pickup {
  cancelled: boolean;
}

function bookPickup(world: World, area: string): string {
  const day = world.now().toISOString().slice(2, 10).replaceAll('-', '');
  const number = `${area}${day}${world.number('', 6)}`;
  const pickup: Pickup = { cancelled: false };
  world.memory.set(`pickup ${number}`, pickup);
  return number;
}

function createPickup(request: CarrierRequest, world: World): CarrierResponse {
  const body = readJson(request);
  if (body === undefined) return problem(request, 400, ['The request body is not JSON']);
  const breaches = findBreaches(body, pickupSchema);
  if (breaches.length > 0) return problem(request, 422, breaches);
  const planned = readPlanned(textAt(body, 'plannedPickupDateAndTime'));
  if (!planned) return problem(request, 400, ['998: The pickup time is not well formatted']);
  const number = bookPickup(world, placeFrom(body, 'shipperDetails').code);
  return json(201, {
    dispatchConfirmationNumbers: [number],
    readyByTime: '10:00',
    nextPickupDate: planned.at.toISOString().slice(0, 10),
  });
}

function cancelPickup(request: CarrierRequest, world: World, number: string): CarrierResponse {
  const missing = ['requestorName', 'reason'].filter((name) => (request.query.get(name) ?? '') === '');
  if (missing.length > 0) return problem(request, 400, [`Missing mandatory parameters: ${missing.join(', ')}`]);
  const pickup = world.memory.get(`pickup ${decode(number)}`) as Pickup | undefined;
  if (!pickup) {
    return problem(request, 404, ['Cancellation of booking was not successful. Requested Pickup was not found']);
  }
  if (pickup.cancelled) return problem(request, 400, ['The pickup is already cancelled']);
  pickup.cancelled = true;
  return empty(200);
}
