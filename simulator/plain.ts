// A carrier that implements the platform's own contract: one endpoint, Bearer token, label URLs, statuses pushed.
import type { CarrierRequest, CarrierResponse, Push, SimulatedCarrier, StageStatuses, World } from './carrier.ts';
import { localTime } from './clock.ts';
import { drawLabels, labelTypes, type LabelContent, type LabelFormat } from './label.ts';
import { findErrors, findRemarks } from './plain_fields.ts';
import { at, bytes, empty, hasBearer, isJson, json, listAt, readJson, textAt } from './reply.ts';
import { isUnderWay, newParcel, type Parcel, type ParcelEvent, type Place, type Shipment } from './shipments.ts';

const statuses: StageStatuses = {
  SHIPMENT_CREATED: { code: 'SHIPMENT_CREATED', description: 'Shipment data received' },
  PICKED_UP: { code: 'PICKED_UP', description: 'Collected from the sender' },
  IN_TRANSIT: { code: 'IN_TRANSIT', description: 'On the way between two depots' },
  AT_HUB: { code: 'AT_HUB', description: 'Sorted in a hub' },
  AT_FACILITY: { code: 'AT_FACILITY', description: 'Arrived at the delivery depot' },
  OUT_FOR_DELIVERY: { code: 'OUT_FOR_DELIVERY', description: 'Loaded for delivery' },
  DELIVERED: { code: 'DELIVERED', description: 'Handed over' },
  DELIVERY_FAILED: {
    code: 'DELIVERY_FAILED',
    description: 'Could not be handed over',
    subCode: 'NOT_HOME',
    subDescription: 'Nobody was there',
  },
  RETURNED_TO_ORIGIN: { code: 'RETURNED_TO_ORIGIN', description: 'Back at the sender' },
};

export const carrier: SimulatedCarrier = {
  code: 'plain',
  name: 'Plain Carrier',
  basePath: '/consignments',
  credentials: { token: 'simulated-plain-token' },
  statuses,
  mischief: ['wrong_echo', 'wrong_count', 'label_later'],
  handle,
  refuse: (status, message, request) =>
    json(status, {
      status,
      referenceId: textAt(readJson(request), 'referenceId'),
      timestamp: Date.now(),
      errors: [message],
    }),
  push,
};

async function handle(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const isKnown = hasBearer(request, world.credentials['token'] ?? '');
  if (request.path.startsWith('/labels/')) return await getLabel(request, world, isKnown);
  if (request.path !== '/consignments') return carrier.refuse(404, 'no such resource', request);
  if (request.method !== 'POST') return carrier.refuse(405, 'only POST', request);
  if (!isKnown) return carrier.refuse(401, 'the Bearer token is missing or wrong', request);
  const body = readJson(request);
  if (!isJson(request)) return refuse(['the content type must be application/json'], body, world);
  const errors = findErrors(body);
  if (errors.length > 0) return refuse(errors, body, world);
  for (const remark of findRemarks(body)) request.remark(remark);
  switch (textAt(body, 'typeOfAction')) {
    case 'CREATE':
      return create(request, body, world);
    case 'UPDATE':
      return update(request, body, world);
    default:
      return cancel(request, body, world);
  }
}

function create(request: CarrierRequest, body: unknown, world: World): CarrierResponse {
  const known = world.shipments.findByReference(textAt(body, 'referenceId'));
  if (known && !known.cancelled) return succeed(request, body, known, world);
  const shipment: Shipment = {
    carrier: carrier.code,
    reference: textAt(body, 'referenceId'),
    trackingNumber: world.number('PLM', 10),
    origin: placeFrom(body, 'origin'),
    destination: placeFrom(body, 'destination'),
    createdAt: world.now(),
    parcels: [],
    cancelled: false,
    data: { consignment: body },
  };
  shipment.parcels = parcelsFor(request, body, shipment, world);
  world.shipments.add(shipment);
  return succeed(request, body, shipment, world);
}

function update(request: CarrierRequest, body: unknown, world: World): CarrierResponse {
  const shipment = world.shipments.findByReference(textAt(body, 'referenceId'));
  if (!shipment || shipment.cancelled) return refuse(['no shipment has this referenceId'], body, world);
  if (isUnderWay(shipment)) return refuse(['the shipment is already picked up'], body, world);
  shipment.parcels = parcelsFor(request, body, shipment, world);
  shipment.data = { consignment: body };
  world.shipments.index(shipment);
  return succeed(request, body, shipment, world);
}

function cancel(request: CarrierRequest, body: unknown, world: World): CarrierResponse {
  const shipment = world.shipments.findByReference(textAt(body, 'referenceId'));
  if (!shipment) return refuse(['no shipment has this referenceId'], body, world);
  if (isUnderWay(shipment)) return refuse(['the shipment is already picked up'], body, world);
  shipment.cancelled = true;
  return succeed(request, body, shipment, world);
}

/** A parcel an item; an item that is already known keeps its number. */
function parcelsFor(request: CarrierRequest, body: unknown, shipment: Shipment, world: World): Parcel[] {
  const items = listAt(body, 'itemList');
  const wanted = textAt(body, 'labelFormat');
  const labelFormat: LabelFormat = wanted === 'ZPL' || wanted === 'PNG' ? wanted : 'PDF';
  return items.map((item, index) => {
    const reference = textAt(item, 'itemReferenceNumber');
    const known = shipment.parcels.find((parcel) => parcel.reference === reference);
    const given = textAt(item, 'itemTrackingNumber');
    const trackingNumber = known?.trackingNumber ?? (given === '' ? world.number('PLN', 10) : given);
    const label = labelOf(body, item, trackingNumber, `${index + 1}/${items.length}`);
    if (known) return Object.assign(known, { label, labelFormat });
    return {
      part: index + 1,
      reference,
      trackingNumber,
      label,
      labelFormat,
      ...newParcel(request),
    };
  });
}

function labelOf(body: unknown, item: unknown, trackingNumber: string, part: string): LabelContent {
  const address = (end: string): readonly string[] =>
    [
      textAt(body, `${end}Name`) || textAt(body, `${end}ContactPerson`),
      textAt(body, `${end}CompanyName`),
      textAt(body, `${end}AddressLine1`),
      textAt(body, `${end}AddressLine2`),
      `${textAt(body, `${end}PostalCode`)} ${textAt(body, `${end}City`)}`,
      [textAt(body, `${end}StateProvince`), textAt(body, `${end}Country`)].filter((text) => text !== '').join(', '),
    ].filter((line) => line !== '');
  return {
    carrier: carrier.name,
    service: textAt(body, 'typeOfService'),
    trackingNumber,
    reference: textAt(body, 'orderNumber'),
    part,
    weight: `${textAt(item, 'itemWeight')} ${textAt(item, 'itemWeightUom')}`,
    from: address('origin'),
    to: address('destination'),
  };
}

function placeFrom(body: unknown, end: 'origin' | 'destination'): Place {
  return {
    code: textAt(body, `${end}Code`),
    city: textAt(body, `${end}City`),
    country: textAt(body, `${end}Country`),
    zone: textAt(body, `${end}Timezone`) || 'UTC',
    latitude: textAt(body, `${end}Latitude`),
    longitude: textAt(body, `${end}Longitude`),
  };
}

function succeed(request: CarrierRequest, body: unknown, shipment: Shipment, world: World): CarrierResponse {
  const isWrong = request.mischief === 'wrong_echo';
  const entries = shipment.parcels.map((parcel) => ({
    itemReferenceNumber: isWrong ? `${parcel.reference}-X` : parcel.reference,
    trackingNumber: parcel.trackingNumber,
    labelUrl: `${world.url}/labels/${parcel.labelKey}.${parcel.labelFormat.toLowerCase()}`,
    carrierCode: textAt(body, 'carrierCode'),
    orderNumber: textAt(body, 'orderNumber'),
  }));
  return json(200, {
    status: 200,
    referenceId: isWrong ? `${shipment.reference}-X` : shipment.reference,
    timestamp: world.now().getTime(),
    executionTime: 12,
    itemsTrackDetails: request.mischief === 'wrong_count' ? entries.slice(1) : entries,
  });
}

function refuse(errors: readonly string[], body: unknown, world: World): CarrierResponse {
  return json(400, {
    status: 400,
    referenceId: textAt(body, 'referenceId'),
    timestamp: world.now().getTime(),
    errors,
  });
}

async function getLabel(request: CarrierRequest, world: World, isKnown: boolean): Promise<CarrierResponse> {
  if (world.privateLabels && !isKnown) return carrier.refuse(401, 'the Bearer token is missing or wrong', request);
  const key = /^\/labels\/([0-9a-f-]+)\.[a-z]+$/.exec(request.path)?.[1] ?? '';
  const parcel = world.shipments.findLabel(key);
  const shipment = parcel && world.shipments.findByNumber(parcel.trackingNumber);
  if (!parcel || !shipment || shipment.cancelled) return carrier.refuse(404, 'no such label', request);
  if (parcel.labelAsks > 0) {
    parcel.labelAsks -= 1;
    return empty(parcel.labelStatus);
  }
  return bytes(200, labelTypes[parcel.labelFormat], await drawLabels(parcel.labelFormat, [parcel.label]));
}

function push(event: ParcelEvent, of: { shipment: Shipment; parcel: Parcel }, secret: string): Push {
  const consignment = of.shipment.data['consignment'];
  const time = localTime(event.at, event.place.zone);
  const installation = listAt(consignment, 'vas').filter((vas) => textAt(vas, 'vasCode') === 'INSTALLATION');
  const carrierCode = textAt(consignment, 'carrierCode');
  const isDriven = event.stage === 'OUT_FOR_DELIVERY' || event.stage === 'DELIVERED';
  const body = {
    orderNo: textAt(consignment, 'orderNumber'),
    type: 'Tracking',
    value: of.parcel.trackingNumber,
    consignmentNumber: textAt(consignment, 'consignmentNumber'),
    carrierCode,
    carrierStatus: event.status.code,
    carrierStatusCode: event.status.code,
    carrierStatusDescription: event.status.description,
    carrierSubStatus: event.status.subCode ?? '',
    carrierSubStatusCode: event.status.subCode ?? '',
    carrierSubStatusDescription: event.status.subDescription ?? '',
    statusReceivedAt: time,
    eventTimezone: event.place.zone,
    locationCode: event.place.code,
    locationName: event.place.city,
    latitude: event.place.latitude,
    longitude: event.place.longitude,
    lastUpdatedAt: time,
    statusIdentifierValue: textAt(consignment, 'typeOfOrder'),
    extraInfo: extraInfoOf(event, consignment),
    driverName: isDriven ? 'Dana Example' : '',
    vehicleNumber: isDriven ? 'EX-100' : '',
    info: { scanner: 'SIM-1' },
    installationItems:
      event.stage === 'DELIVERED'
        ? installation.map((vas) => ({
            itemReferenceNumber: of.parcel.reference,
            level: textAt(vas, 'level'),
            targetIds: at(vas, 'targetIds') ?? [],
            vasCode: 'INSTALLATION',
            status: 'COMPLETED',
            statusCode: 'COMPLETED',
            statusTime: time,
          }))
        : [],
    ...event.extra,
  };
  return {
    path: `/v2/carriers/${encodeURIComponent(carrierCode)}/statuses`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify(body),
  };
}

function extraInfoOf(event: ParcelEvent, consignment: unknown): Record<string, unknown> {
  if (event.stage === 'DELIVERY_FAILED') return { comments: 'Nobody was there, a card was left' };
  if (event.stage !== 'DELIVERED')
    return { expectedDeliveryDate: new Date(event.at.getTime() + 86_400_000).toISOString().slice(0, 10) };
  return {
    receivedBy: textAt(consignment, 'destinationContactPerson') || textAt(consignment, 'destinationName'),
    relation: 'Self',
    pod: [{ type: 'PHOTO', url: 'https://example.com/pod/photo.jpg' }],
    signature: 'https://example.com/pod/signature.png',
  };
}
