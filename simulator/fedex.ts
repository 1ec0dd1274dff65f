// FedEx as its developer portal publishes it: OAuth2 in the body, a project for shipping and another for tracking, JSON.
// The format and its sources: docs/carriers/fedex.md.
import { randomUUID } from 'node:crypto';
import type { CarrierRequest, CarrierResponse, SimulatedCarrier, StageStatuses, World } from './carrier.ts';
import { timeAtOffset } from './clock.ts';
import { findBreaches } from './fedex_rules.ts';
import { drawLabels, type LabelContent, type LabelFormat } from './label.ts';
import { at, isJson, isSame, json, listAt, readJson, textAt } from './reply.ts';
import { isUnderWay, newParcel, type Parcel, type ParcelEvent, type Place, type Shipment } from './shipments.ts';

const statuses: StageStatuses = {
  SHIPMENT_CREATED: { code: 'OC', description: 'Shipment information sent to FedEx' },
  PICKED_UP: { code: 'PU', description: 'Picked up' },
  IN_TRANSIT: { code: 'DP', description: 'Left FedEx origin facility' },
  AT_HUB: { code: 'AR', description: 'Arrived at FedEx location' },
  AT_FACILITY: { code: 'AF', description: 'At local FedEx facility' },
  OUT_FOR_DELIVERY: { code: 'OD', description: 'On FedEx vehicle for delivery' },
  DELIVERED: { code: 'DL', description: 'Delivered' },
  DELIVERY_FAILED: {
    code: 'DE',
    description: 'Delivery exception',
    subCode: '08',
    subDescription: 'Customer not available or business closed',
  },
  RETURNED_TO_ORIGIN: { code: 'RS', description: 'Returning package to shipper' },
};

export const carrier: SimulatedCarrier = {
  code: 'fedex',
  name: 'FedEx',
  basePath: '',
  credentials: {
    apiKey: 'simulated-key',
    secretKey: 'simulated-secret',
    trackApiKey: 'simulated-track-key',
    trackSecretKey: 'simulated-track-secret',
  },
  statuses,
  mischief: ['wrong_echo', 'wrong_count', 'label_later'],
  handle,
  refuse: (status, message, request) =>
    refuse(request, status, [{ code: status < 500 ? 'INVALID.INPUT.EXCEPTION' : 'INTERNAL.SERVER.ERROR', message }]),
};

interface Problem {
  readonly code: string;
  readonly message: string;
}

/** What every answer begins with. */
function envelope(request: CarrierRequest): Record<string, unknown> {
  const given = request.headers['x-customer-transaction-id'];
  return {
    transactionId: randomUUID(),
    ...(typeof given === 'string' ? { customerTransactionId: given } : {}),
  };
}

function refuse(request: CarrierRequest, status: number, errors: readonly Problem[]): CarrierResponse {
  return json(status, { ...envelope(request), errors });
}

function answer(request: CarrierRequest, output: unknown): CarrierResponse {
  return json(200, { ...envelope(request), output });
}

async function handle(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const route = `${request.method} ${request.path}`;
  if (route === 'POST /oauth/token') return grantToken(request, world);
  const [, bearer = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  const known = world.memory.get(`token ${bearer}`) as Grant | undefined;
  if (!known || known.endsAtMs <= world.now().getTime())
    return refuse(request, 401, [
      { code: 'NOT.AUTHORIZED.ERROR', message: 'Access token expired. Please modify your request and try again.' },
    ]);
  if (known.project !== (request.path.startsWith('/track/') ? 'track' : 'ship'))
    return refuse(request, 403, [
      { code: 'FORBIDDEN.ERROR', message: 'We could not authorize your credentials. Please check your permissions.' },
    ]);
  if (!isJson(request))
    return refuse(request, 415, [{ code: 'UNSUPPORTED.MEDIA.TYPE', message: 'Content type must be JSON.' }]);
  const body = readJson(request);
  if (body === undefined)
    return refuse(request, 400, [{ code: 'INVALID.INPUT.EXCEPTION', message: 'Invalid field value in the input' }]);
  if (route === 'POST /ship/v1/shipments') return await ship(request, body, world);
  if (route === 'PUT /ship/v1/shipments/cancel') return cancel(request, body, world);
  if (route === 'POST /track/v1/trackingnumbers') return track(request, body, world);
  return refuse(request, 404, [{ code: 'NOT.FOUND.ERROR', message: 'The resource you requested is not available.' }]);
}

interface Grant {
  readonly project: 'ship' | 'track';
  readonly endsAtMs: number;
}

/** Client and secret stand in the form; each project's token is for its own calls. */
function grantToken(request: CarrierRequest, world: World): CarrierResponse {
  const form = new URLSearchParams(request.body.toString('utf8'));
  const { apiKey = '', secretKey = '', trackApiKey = '', trackSecretKey = '' } = world.credentials;
  const matches = (id: string, secret: string): boolean =>
    isSame(form.get('client_id') ?? '', id) && isSame(form.get('client_secret') ?? '', secret);
  const project = matches(apiKey, secretKey) ? 'ship' : matches(trackApiKey, trackSecretKey) ? 'track' : null;
  if (!request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return refuse(request, 415, [{ code: 'UNSUPPORTED.MEDIA.TYPE', message: 'Content type must be a form.' }]);
  if (form.get('grant_type') !== 'client_credentials' || project === null)
    return refuse(request, 401, [
      {
        code: 'NOT.AUTHORIZED.ERROR',
        message: 'The given client credentials were not valid. Please modify your request and try again.',
      },
    ]);
  const token = randomUUID();
  const grant: Grant = { project, endsAtMs: world.now().getTime() + 3_599_000 };
  world.memory.set(`token ${token}`, grant);
  return json(200, { access_token: token, token_type: 'bearer', expires_in: 3599, scope: 'CXS' });
}

async function ship(request: CarrierRequest, body: unknown, world: World): Promise<CarrierResponse> {
  const account = textAt(body, 'accountNumber', 'value');
  const breaches = findBreaches(body, /^\d{9}$/.test(account) ? account : 'none', world.now());
  if (breaches.length > 0) return refuse(request, 400, breaches);
  const shipment = openShipment(body, world);
  const image = textAt(body, 'requestedShipment', 'labelSpecification', 'imageType');
  const format: LabelFormat = image === 'PNG' ? 'PNG' : image === 'PDF' ? 'PDF' : 'ZPL';
  const pieces: Record<string, unknown>[] = [];
  for (const parcel of shipment.parcels) {
    const label = {
      contentType: 'LABEL',
      copiesToPrint: 1,
      docType: image,
      trackingNumber: parcel.trackingNumber,
      encodedLabel: (await drawLabels(format, [parcel.label])).toString('base64'),
    };
    pieces.push({
      masterTrackingNumber: shipment.trackingNumber,
      trackingNumber: parcel.trackingNumber,
      packageSequenceNumber: request.mischief === 'wrong_echo' ? parcel.part + 100 : parcel.part,
      netChargeAmount: 21.45,
      packageDocuments: request.mischief === 'label_later' ? [] : [label],
      customerReferences: [{ customerReferenceType: 'CUSTOMER_REFERENCE', value: shipment.reference }],
    });
  }
  return answer(request, {
    transactionShipments: [
      {
        masterTrackingNumber: shipment.trackingNumber,
        serviceType: textAt(body, 'requestedShipment', 'serviceType'),
        shipDatestamp: textAt(body, 'requestedShipment', 'shipDatestamp'),
        serviceCategory: 'EXPRESS',
        pieceResponses: request.mischief === 'wrong_count' ? pieces.slice(1) : pieces,
        completedShipmentDetail: { completedPackageDetails: [] },
      },
    ],
  });
}

function openShipment(body: unknown, world: World): Shipment {
  const asked = at(body, 'requestedShipment');
  const packages = listAt(asked, 'requestedPackageLineItems');
  const reference = textAt(packages[0], 'customerReferences', 0, 'value');
  const parcels = packages.map((entry, index): Parcel => {
    const trackingNumber = world.number('7949', 8);
    return {
      part: index + 1,
      reference: String(index + 1),
      trackingNumber,
      label: labelOf(asked, entry, trackingNumber, `${index + 1}/${packages.length}`),
      labelFormat: 'PDF',
      ...newParcel(),
    };
  });
  const shipment: Shipment = {
    carrier: carrier.code,
    reference,
    trackingNumber: parcels[0]?.trackingNumber ?? '',
    origin: placeFrom(at(asked, 'shipper')),
    destination: placeFrom(at(asked, 'recipients', 0)),
    createdAt: world.now(),
    parcels,
    cancelled: false,
    data: { account: textAt(body, 'accountNumber', 'value'), request: asked },
  };
  return world.created(shipment);
}

function placeFrom(party: unknown): Place {
  const city = textAt(party, 'address', 'city');
  const country = textAt(party, 'address', 'countryCode');
  return { code: city.slice(0, 4).toUpperCase(), city, country, zone: 'UTC', latitude: '', longitude: '' };
}

const linesOf = (party: unknown): readonly string[] =>
  [
    textAt(party, 'contact', 'companyName'),
    textAt(party, 'contact', 'personName'),
    ...listAt(party, 'address', 'streetLines').map(String),
    ['city', 'stateOrProvinceCode', 'postalCode', 'countryCode'].map((key) => textAt(party, 'address', key)).join(' '),
  ].filter((line) => line !== '');

function labelOf(asked: unknown, entry: unknown, trackingNumber: string, part: string): LabelContent {
  return {
    carrier: 'SIMULATED PURPLE',
    service: textAt(asked, 'serviceType'),
    trackingNumber,
    reference: textAt(entry, 'customerReferences', 0, 'value'),
    part,
    weight: `${textAt(entry, 'weight', 'value')} ${textAt(entry, 'weight', 'units')}`,
    from: linesOf(at(asked, 'shipper')),
    to: linesOf(at(asked, 'recipients', 0)),
  };
}

/** Only the shipment's own number and account are known; what cannot be done is told inside HTTP 200. */
function cancel(request: CarrierRequest, body: unknown, world: World): CarrierResponse {
  const number = textAt(body, 'trackingNumber');
  const shipment = world.shipments.findByNumber(number);
  if (!shipment || shipment.data['account'] !== textAt(body, 'accountNumber', 'value'))
    return refuse(request, 400, [
      { code: 'TRACKINGNUMBER.ENTERED.INVALID', message: 'The tracking number entered is invalid.' },
    ]);
  const fail = (message: string): CarrierResponse =>
    answer(request, { cancelledShipment: false, cancelledHistory: false, message });
  if (shipment.cancelled) return fail('Shipment has already been cancelled.');
  if (isUnderWay(shipment)) return fail('Unable to cancel: the shipment is in transit.');
  shipment.cancelled = true;
  return answer(request, {
    cancelledShipment: true,
    cancelledHistory: true,
    message: 'Shipment is successfully cancelled',
  });
}

function track(request: CarrierRequest, body: unknown, world: World): CarrierResponse {
  const numbers = listAt(body, 'trackingInfo').map((entry) => textAt(entry, 'trackingNumberInfo', 'trackingNumber'));
  if (numbers.length === 0 || numbers.includes(''))
    return refuse(request, 400, [
      { code: 'TRACKING.TRACKINGNUMBER.EMPTY', message: 'Please provide tracking number.' },
    ]);
  if (numbers.length > 30)
    return refuse(request, 400, [
      { code: 'TRACKING.TRACKINGNUMBER.MAXEXCEEDED', message: 'Maximum number of tracking numbers is 30.' },
    ]);
  const isDetailed = at(body, 'includeDetailedScans') === true;
  const completeTrackResults = numbers.map((number) => {
    const parcel = world.shipments
      .findByNumber(number)
      ?.parcels.find(({ trackingNumber }) => trackingNumber === number);
    const trackingNumberInfo = { trackingNumber: number };
    if (!parcel)
      return {
        trackingNumber: number,
        trackResults: [
          {
            trackingNumberInfo,
            error: {
              code: 'TRACKING.TRACKINGNUMBER.NOTFOUND',
              message: 'Tracking number cannot be found. Please correct the tracking number and try again.',
            },
          },
        ],
      };
    const scanEvents = parcel.events.map(describeEvent).toReversed();
    const isDelivered = parcel.events.at(-1)?.stage === 'DELIVERED';
    return {
      trackingNumber: number,
      trackResults: [
        {
          trackingNumberInfo,
          latestStatusDetail: { code: scanEvents[0]?.['eventType'] },
          ...(isDelivered ? { deliveryDetails: { receivedByName: 'S.SAMPLE' } } : {}),
          scanEvents: isDetailed ? scanEvents : scanEvents.slice(0, 1),
        },
      ],
    };
  });
  return answer(request, { completeTrackResults });
}

function describeEvent(event: ParcelEvent): Record<string, unknown> {
  const { date, time } = timeAtOffset(event.at, '-07:00');
  return {
    date: `${date}T${time}-07:00`,
    eventType: event.status.code,
    eventDescription: event.status.description,
    exceptionCode: event.status.subCode ?? '',
    exceptionDescription: event.status.subDescription ?? '',
    scanLocation: { city: event.place.city, countryCode: event.place.country },
    locationId: event.place.code,
    derivedStatus: event.status.description,
  };
}
