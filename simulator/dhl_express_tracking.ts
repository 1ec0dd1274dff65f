// The tracking answers of MyDHL API.
import type { CarrierRequest, CarrierResponse, World } from './carrier.ts';
import { timeAtOffset } from './clock.ts';
import { decode, json, listAt, textAt } from './reply.ts';
import type { Parcel, ParcelEvent, Place, Shipment } from './shipments.ts';

interface Wanted {
  readonly shipment: Shipment;
  readonly parcels: readonly Parcel[];
}

/** `GET /shipments/{number}/tracking`, or `GET /tracking` when `number` is null. 404 until the first event. */
export function trackingAnswer(request: CarrierRequest, world: World, number: string | null): CarrierResponse {
  const numbers = number === null ? asked(request, 'shipmentTrackingNumber') : [decode(number)];
  const pieces = asked(request, 'pieceTrackingNumber');
  const reference = request.query.get('shipmentReference');
  const account = request.query.get('shipperAccountNumber');
  if (numbers.length + pieces.length === 0 && reference === null)
    return refuse(request, 400, 'Missing mandatory parameters: shipmentTrackingNumber', 'Missing parameters');
  if (numbers.length > 200 || pieces.length > 200)
    return refuse(request, 400, 'At most 200 numbers can be tracked at once', 'Bad request');
  if (numbers.length + pieces.length === 0 && account === null)
    return refuse(request, 400, 'Missing mandatory parameters: shipperAccountNumber', 'Missing parameters');

  const wanted: Wanted[] = [];
  if (numbers.length + pieces.length === 0) {
    const matching = world.shipments
      .list()
      .filter((shipment) => shipment.reference === reference && shipment.data['account'] === account);
    wanted.push(...matching.map((shipment) => ({ shipment, parcels: shipment.parcels })));
    if (wanted.length === 0)
      return refuse(request, 404, `No Shipments Found for ReferenceID | ${reference}`, 'Not data found');
  }
  for (const one of numbers) {
    const shipment = world.shipments.findByNumber(one);
    if (shipment?.trackingNumber !== one) continue;
    const chosen = shipment.parcels.filter((parcel) => pieces.length === 0 || pieces.includes(parcel.trackingNumber));
    wanted.push({ shipment, parcels: chosen });
  }
  for (const piece of numbers.length > 0 ? [] : pieces) {
    const shipment = world.shipments.findByNumber(piece);
    const parcel = shipment?.parcels.find(({ trackingNumber }) => trackingNumber === piece);
    if (shipment && parcel) wanted.push({ shipment, parcels: [parcel] });
  }
  // What was only announced cannot be tracked by number, but is found by its reference.
  const visible =
    reference !== null ? wanted : wanted.filter(({ parcels }) => parcels.some(({ events }) => events.length > 0));
  if (visible.length === 0) return refuse(request, 404, 'No data found', 'Not data found');
  return json(200, { shipments: visible.map((entry) => describe(entry, request)) });
}

/** A repeated parameter, or several values with commas in one. */
function asked(request: CarrierRequest, name: string): readonly string[] {
  return request.query
    .getAll(name)
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

function refuse(request: CarrierRequest, status: number, detail: string, title: string): CarrierResponse {
  const query = request.query.size > 0 ? `?${request.query.toString()}` : '';
  return json(
    status,
    {
      instance: `/expressapi${request.path.replace(/^\/mydhlapi(\/test)?/, '')}${query}`,
      detail,
      title,
      message: status === 404 ? 'Not data found' : 'Bad request',
      status: String(status),
    },
    { 'content-type': 'application/problem+json' },
  );
}

function describe({ shipment, parcels }: Wanted, request: CarrierRequest): Record<string, unknown> {
  const level = request.query.get('levelOfDetail') ?? 'shipment';
  const view = request.query.get('trackingView') ?? 'all-checkpoints';
  const offset = textAt(shipment.data, 'offset');
  const show = (events: readonly ParcelEvent[]): readonly Record<string, unknown>[] => {
    const inOrder = [...events].sort((one, other) => one.at.getTime() - other.at.getTime());
    if (view === 'shipment-details-only') return [];
    return (view === 'last-checkpoint' ? inOrder.slice(-1) : inOrder).map((event) => describeEvent(event, offset));
  };
  const planned = timeAtOffset(shipment.createdAt, offset);
  const weights = listAt(shipment.data, 'weights').map(Number);
  return {
    shipmentTrackingNumber: shipment.trackingNumber,
    status: 'Success',
    shipmentTimestamp: `${planned.date}T${planned.time}`,
    productCode: textAt(shipment.data, 'product'),
    description: textAt(shipment.data, 'description'),
    shipperDetails: describeParty(shipment.origin),
    receiverDetails: describeParty(shipment.destination),
    totalWeight: weights.reduce((sum, weight) => sum + weight, 0),
    unitOfMeasurements: textAt(shipment.data, 'unit'),
    shipperReferences: shipment.reference === '' ? [] : [{ value: shipment.reference, typeCode: 'CU' }],
    events: level === 'piece' ? [] : show(parcels.flatMap(({ events }) => events)),
    numberOfPieces: shipment.parcels.length,
    ...(level === 'shipment'
      ? {}
      : {
          pieces: parcels.map((parcel) => ({
            number: parcel.part,
            typeCode: '',
            shipmentTrackingNumber: shipment.trackingNumber,
            trackingNumber: parcel.trackingNumber,
            description: '',
            weight: weights[parcel.part - 1],
            unitOfMeasurements: textAt(shipment.data, 'unit'),
            shipperReferences: [{ value: parcel.reference, typeCode: 'CU' }],
            events: show(parcel.events),
          })),
        }),
  };
}

function describeEvent(event: ParcelEvent, offset: string): Record<string, unknown> {
  return {
    ...timeAtOffset(event.at, offset),
    GMTOffset: offset,
    typeCode: event.status.code,
    description: event.status.description,
    serviceArea: [{ code: event.place.code, description: `${event.place.city}-${event.place.country}` }],
    ...(event.stage === 'DELIVERED' ? { signedBy: '' } : {}),
  };
}

/** Names and addresses are blanked, as the carrier does for privacy. */
function describeParty(place: Place): Record<string, unknown> {
  return {
    name: '',
    postalAddress: { cityName: '', countyName: '', postalCode: '', provinceCode: '', countryCode: place.country },
    serviceArea: [{ code: place.code, description: `${place.city}-${place.country}` }],
  };
}
