// SEKO's OmniParcel API: JSON, an access_key header, all packages in one request, refusals inside HTTP 200.
// The format and its sources: docs/carriers/seko.md.
import type { CarrierRequest, CarrierResponse, Push, SimulatedCarrier, StageStatuses, World } from './carrier.ts';
import { drawLabels, type LabelContent, type LabelFormat } from './label.ts';
import type { Stage } from './lifecycle.ts';
import { at, isJson, isObject, isSame, json, listAt, readJson, textAt } from './reply.ts';
import {
  isDelivered,
  isUnderWay,
  newParcel,
  type Parcel,
  type ParcelEvent,
  type Place,
  type Shipment,
} from './shipments.ts';

const statuses: StageStatuses = {
  SHIPMENT_CREATED: { code: 'OP-1', description: 'Tracking number allocated & order ready' },
  PICKED_UP: { code: 'OP-33', description: 'Collected from sender', subCode: 'PU' },
  IN_TRANSIT: { code: 'OP-18', description: 'In transit' },
  AT_HUB: { code: 'OP-47', description: 'Processed through sorting facility' },
  AT_FACILITY: { code: 'OP-50', description: 'Arrived at the courier processing facility', subCode: 'AF' },
  OUT_FOR_DELIVERY: { code: 'OP-21', description: 'Out for delivery', subCode: 'WC' },
  DELIVERED: { code: 'OP-72', description: 'Delivered', subCode: 'OK' },
  DELIVERY_FAILED: { code: 'OP-24', description: 'Attempted delivery, receiver carded', subCode: 'NH' },
  RETURNED_TO_ORIGIN: { code: 'OP-68', description: 'Return to sender received' },
};

export const carrier: SimulatedCarrier = {
  code: 'seko',
  name: 'SEKO Omni-Channel Logistics',
  basePath: '',
  credentials: { accessKey: 'simulated-access-key' },
  statuses,
  mischief: ['wrong_echo', 'wrong_count', 'label_later'],
  handle,
  refuse: (status, message) => json(status, { Errors: [{ Property: '', Message: message, Key: '', Value: '' }] }),
  push,
};

async function handle(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const given = request.headers['access_key'];
  if (!isSame(typeof given === 'string' ? given : '', world.credentials['accessKey'] ?? ''))
    return json(401, { Message: 'Authorization has been denied for this request.' });
  const body = readJson(request);
  if (request.method !== 'POST') return json(405, { Message: 'The requested resource supports POST only.' });
  if (!isJson(request)) return json(415, { Message: 'The media type is not supported for this resource.' });
  if (body === undefined) return json(400, { Message: 'The request is invalid.' });
  switch (request.path) {
    case '/labels/printshipment':
      return await printShipment(request, body, world);
    case '/labels/delete':
      return deleteShipments(body, world);
    case '/labels/statusv2':
      return json(
        200,
        numbersOf(body).flatMap((number) => {
          const shipment = world.shipments.findByNumber(number);
          return shipment?.trackingNumber === number ? [describe(shipment, shipment.parcels)] : [];
        }),
      );
    default:
      return json(404, { Message: 'No HTTP resource was found.' });
  }
}

interface FieldError {
  readonly Property: string;
  readonly Message: string;
  readonly Key: string;
  readonly Value: string;
}

const outputs = /^LABEL_(PDF|PNG|ZPL)(?:_100X1(?:50|75))?$/;
const services = [
  'eCommerce Standard Tracked',
  'eCommerce Express Tracked',
  'Domestic Express',
  'Domestic Standard',
  'Domestic Large Parcel',
];

function findErrors(body: unknown): readonly FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (property: string, message: string, value: unknown = ''): void => {
    const key = property.split('.').at(-1) ?? property;
    const shown = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    errors.push({ Property: property, Message: message, Key: key, Value: shown });
  };
  const needText = (from: unknown, property: string, max: number, ...path: string[]): void => {
    const value = at(from, ...path);
    const key = path.at(-1) ?? '';
    if (value === undefined || value === null || value === '') refuse(property, `${key} is required`);
    else if (typeof value !== 'string') refuse(property, `${key} must be a string`, value);
    else if (value.length > max) refuse(property, `${key} must not exceed ${max} characters`, value);
  };
  const needNumber = (from: unknown, property: string, key: string): void => {
    const value = at(from, key);
    if (value === undefined || value === null) refuse(property, `${key} is required`);
    else if (typeof value !== 'number' || value <= 0) refuse(property, `${key} must be greater than 0`, value);
  };
  const needParty = (who: 'Origin' | 'Destination'): void => {
    needText(body, `${who}.Name`, 50, who, 'Name');
    for (const key of ['StreetAddress', 'City', 'PostCode', 'CountryCode'])
      needText(body, `${who}.Address.${key}`, 50, who, 'Address', key);
    const country = textAt(body, who, 'Address', 'CountryCode');
    if (country !== '' && !/^[A-Z]{2}$/.test(country))
      refuse(`${who}.Address.CountryCode`, 'CountryCode must be ISO 3166 alpha 2', country);
  };

  if (!isObject(body)) {
    refuse('Request', 'Request must be an object');
    return errors;
  }
  needText(body, 'DeliveryReference', 1000, 'DeliveryReference');
  needParty('Destination');
  if (body['Origin'] !== undefined) needParty('Origin');
  if (textAt(body, 'Destination', 'DeliveryInstructions').length > 120)
    refuse('Destination.DeliveryInstructions', 'DeliveryInstructions must not exceed 120 characters');

  const packages = listAt(body, 'Packages');
  if (packages.length === 0) refuse('Packages', 'Atleast 1 package required');
  packages.forEach((entry, index) => {
    for (const key of ['Kg', 'Length', 'Width', 'Height']) needNumber(entry, `Packages[${index}].${key}`, key);
  });
  const commodities = listAt(body, 'Commodities');
  if (commodities.length === 0) refuse('Commodities', 'Atleast 1 commodity required');
  commodities.forEach((entry, index) => {
    needText(entry, `Commodities[${index}].Description`, 200, 'Description');
    needText(entry, `Commodities[${index}].Country`, 2, 'Country');
    needText(entry, `Commodities[${index}].Currency`, 3, 'Currency');
    needNumber(entry, `Commodities[${index}].Units`, 'Units');
    if (typeof at(entry, 'UnitValue') !== 'number') refuse(`Commodities[${index}].UnitValue`, 'UnitValue is required');
    if (typeof at(entry, 'UnitKg') !== 'number') refuse(`Commodities[${index}].UnitKg`, 'UnitKg is required');
  });
  const wanted = listAt(body, 'Outputs');
  if (wanted.length === 0) refuse('Outputs', 'Outputs is required');
  for (const output of wanted)
    if (typeof output !== 'string' || !outputs.test(output)) refuse('Outputs', 'Output is not supported', output);
  const service = at(body, 'Service');
  if (service !== undefined && service !== '' && !services.some((known) => known === service))
    refuse('Service', 'Service is not available', service);
  return errors;
}

async function printShipment(request: CarrierRequest, body: unknown, world: World): Promise<CarrierResponse> {
  const errors = findErrors(body);
  if (errors.length > 0) return json(200, { Errors: errors, Consignments: [] });
  const shipment = openShipment(body, world);
  const files: Record<string, readonly string[]> = {};
  for (const output of listAt(body, 'Outputs').map(String)) {
    const format = outputs.exec(output)?.[1] as LabelFormat;
    const drawn: string[] = [];
    for (const { label } of shipment.parcels) drawn.push((await drawLabels(format, [label])).toString('base64'));
    files[output] = request.mischief === 'label_later' ? [] : drawn;
  }
  const isWrong = request.mischief === 'wrong_echo';
  const items = shipment.parcels.map((parcel) => ({
    PartNo: isWrong ? parcel.part + 100 : parcel.part,
    TrackingNo: parcel.trackingNumber,
    Barcode: parcel.trackingNumber,
    InternalBarcode: parcel.trackingNumber,
    Charge: 8.4,
    Charge_FAF: 0,
    Charge_Rural: 0,
    Charge_SatDel: 0,
    Charge_Insurance: 0,
    IsTrackPack: false,
    BarcodeText: parcel.trackingNumber,
    TrackingBarcode: parcel.trackingNumber,
    TrackingBarcode2: parcel.trackingNumber,
  }));
  const flags = { IsSaturdayDelivery: false, IsRural: false, IsOvernight: false, HasTrackPaks: false };
  return json(200, {
    CarrierId: 604,
    CarrierName: 'Omni Parcel',
    IsFreightForward: false,
    ...flags,
    Message: 'Connote created.',
    Errors: [],
    SiteId: siteId,
    Consignments: [
      {
        Connote: shipment.trackingNumber,
        TrackingUrl: `http://track.omniparcel.com/${siteId}-${shipment.trackingNumber}`,
        Cost: 8.4 * items.length,
        CarrierType: 33,
        ...flags,
        ConsignmentId: Number(world.number('', 7)),
        OutputFiles: files,
        Items: request.mischief === 'wrong_count' ? items.slice(1) : items,
      },
    ],
    DestinationPort: shipment.destination.code,
    Downloads: [],
    CommodityChanges: [],
    CarrierType: 33,
    AlertPath: null,
    Notifications: [],
    InvoiceResponse: 'No Invoice found',
    LogoPath: '',
  });
}

const siteId = 1_200_345;

function openShipment(body: unknown, world: World): Shipment {
  const trackingNumber = world.number('OMP', 9);
  const packages = listAt(body, 'Packages');
  const shipment: Shipment = {
    carrier: carrier.code,
    reference: textAt(body, 'DeliveryReference'),
    trackingNumber,
    origin: placeFrom(body, 'Origin'),
    destination: placeFrom(body, 'Destination'),
    createdAt: world.now(),
    parcels: [],
    cancelled: false,
    data: { service: textAt(body, 'Service') },
  };
  shipment.parcels = packages.map((entry, index): Parcel => {
    const number = `${trackingNumber}${String(index + 1).padStart(2, '0')}`;
    return {
      part: index + 1,
      reference: textAt(entry, 'PackageCode') || textAt(entry, 'Name') || String(index + 1),
      trackingNumber: number,
      label: labelOf(body, entry, number, `${index + 1}/${packages.length}`),
      labelFormat: 'PDF',
      ...newParcel(),
    };
  });
  return world.created(shipment);
}

function placeFrom(body: unknown, who: string): Place {
  const address = at(body, who, 'Address');
  const city = textAt(address, 'Suburb') || textAt(address, 'City');
  return {
    code: city.slice(0, 3).toUpperCase(),
    city: city.toUpperCase(),
    country: textAt(address, 'CountryCode'),
    zone: 'UTC',
    latitude: '',
    longitude: '',
  };
}

function labelOf(body: unknown, entry: unknown, trackingNumber: string, part: string): LabelContent {
  const lines = (who: string): readonly string[] => {
    const address = at(body, who, 'Address');
    return [
      textAt(body, who, 'Name'),
      textAt(address, 'BuildingName'),
      textAt(address, 'StreetAddress'),
      `${textAt(address, 'Suburb')} ${textAt(address, 'City')} ${textAt(address, 'PostCode')}`.trim(),
      textAt(address, 'CountryCode'),
    ].filter((line) => line !== '');
  };
  return {
    carrier: 'SIMULATED OMNI PARCEL',
    service: textAt(body, 'Service'),
    trackingNumber,
    reference: textAt(body, 'DeliveryReference'),
    part,
    weight: `${textAt(entry, 'Kg')} kg`,
    from: lines('Origin'),
    to: lines('Destination'),
  };
}

function numbersOf(body: unknown): readonly string[] {
  return Array.isArray(body) ? body.map(String) : [];
}

function deleteShipments(body: unknown, world: World): CarrierResponse {
  const numbers = numbersOf(body);
  if (numbers.length > 50) return json(409, { Message: 'Max consignment limit 50 exceeded.' });
  return json(200, Object.fromEntries(numbers.map((number) => [number, deleteOne(number, world)])));
}

function deleteOne(number: string, world: World): string {
  const shipment = world.shipments.findByNumber(number);
  if (shipment?.trackingNumber !== number) return 'Invalid ticket number.';
  if (shipment.cancelled) return 'Cannot be deleted. Already deleted.';
  if (isDelivered(shipment)) return 'Cannot be deleted. Already delivered.';
  if (isUnderWay(shipment)) return 'Cannot be deleted. Already in transit.';
  shipment.cancelled = true;
  return 'Deleted';
}

function describe(shipment: Shipment, parcels: readonly Parcel[]): Record<string, unknown> {
  const all = parcels
    .flatMap((parcel) => parcel.events.map((event) => ({ parcel, event })))
    .sort((one, other) => one.event.at.getTime() - other.event.at.getTime());
  const timeOf = (stage: Stage): string | null => {
    const reached = all.findLast(({ event }) => event.stage === stage);
    return reached ? writeTime(reached.event) : null;
  };
  return {
    ConsignmentNo: shipment.trackingNumber,
    Status: all.at(-1)?.event.status.description ?? '',
    Picked: timeOf('PICKED_UP'),
    Delivered: timeOf('DELIVERED'),
    Tracking: `http://track.omniparcel.com/${shipment.trackingNumber}`,
    Reference1: shipment.reference,
    Events: all.map(({ parcel, event }) => describeEvent(parcel, event)),
  };
}

function describeEvent(parcel: Parcel, event: ParcelEvent): Record<string, unknown> {
  return {
    EventDT: writeTime(event),
    Code: event.status.subCode ?? null,
    OmniCode: event.status.code,
    Description: event.status.description,
    Location: `${event.place.city},${event.place.country}`,
    Part: parcel.part,
  };
}

/** Local time without a zone (the simulator's places lie in UTC), with fractions for SEKO's own events only. */
function writeTime(event: ParcelEvent): string {
  return event.at.toISOString().slice(0, event.stage === 'SHIPMENT_CREATED' ? 23 : 19);
}

/** The tracking webhook; the secret is `user:password`. */
function push(event: ParcelEvent, of: { shipment: Shipment; parcel: Parcel }, secret: string): Push {
  const split = secret.indexOf(':');
  const { Reference1: _, ...consignment } = describe(of.shipment, of.shipment.parcels);
  const body = [
    {
      ...consignment,
      Picked: consignment['Picked'] ?? '',
      Delivered: consignment['Delivered'] ?? '',
      Events: [{ ...describeEvent(of.parcel, event), Part: String(of.parcel.part) }],
      ...event.extra,
    },
  ];
  return {
    path: `/v2/carriers/${carrier.code}/webhook`,
    headers: {
      'content-type': 'application/json',
      username: split < 0 ? '' : secret.slice(0, split),
      password: secret.slice(split + 1),
    },
    body: JSON.stringify(body),
  };
}
