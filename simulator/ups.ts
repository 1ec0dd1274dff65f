// UPS as its developer portal publishes it: OAuth2 client credentials by Basic, JSON, all packages in one request.
// The format and its sources: docs/carriers/ups.md.
import { randomUUID } from 'node:crypto';
import type { CarrierRequest, CarrierResponse, SimulatedCarrier, StageStatuses, World } from './carrier.ts';
import { drawLabels, type LabelContent, type LabelFormat } from './label.ts';
import { at, decode, hasBasic, isJson, json, listAt, readJson, textAt } from './reply.ts';
import { isUnderWay, newParcel, type Parcel, type ParcelEvent, type Place, type Shipment } from './shipments.ts';
import { checkDigit, countryOf, findBreach } from './ups_rules.ts';

/** `code` is UPS's statusCode, `subCode` its type and code. */
const statuses: StageStatuses = {
  SHIPMENT_CREATED: {
    code: '003',
    description: 'Shipper created a label, UPS has not received the package yet.',
    subCode: 'M-MP',
  },
  PICKED_UP: { code: '038', description: 'Pickup Scan', subCode: 'I-PU' },
  IN_TRANSIT: { code: '005', description: 'Departed from Facility', subCode: 'I-DP' },
  AT_HUB: { code: '010', description: 'Arrived at Facility', subCode: 'I-AR' },
  AT_FACILITY: { code: '071', description: 'Processing at UPS Facility', subCode: 'I-YP' },
  OUT_FOR_DELIVERY: { code: '021', description: 'Out For Delivery Today', subCode: 'I-OT' },
  DELIVERED: { code: '011', description: 'DELIVERED', subCode: 'D-FS' },
  DELIVERY_FAILED: { code: '060', description: 'The receiver was not available for delivery.', subCode: 'X-48' },
  RETURNED_TO_ORIGIN: { code: '034', description: 'The package was returned to the sender.', subCode: 'D-9E' },
};

export const carrier: SimulatedCarrier = {
  code: 'ups',
  name: 'UPS',
  basePath: '',
  credentials: { clientId: 'simulated-client', clientSecret: 'simulated-secret' },
  statuses,
  mischief: ['wrong_echo', 'wrong_count', 'label_later'],
  handle,
  refuse: (status, message) => refuse(status, status === 429 ? '10429' : '120001', message),
};

const tokenLifeMs = 14_399_000;

function refuse(status: number, code: string, message: string): CarrierResponse {
  return json(status, { response: { errors: [{ code, message }] } });
}

async function handle(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const route = `${request.method} ${request.path}`;
  if (route === 'POST /security/v1/oauth/token') return grantToken(request, world);
  const [, bearer = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  const endsAtMs = world.memory.get(`token ${bearer}`);
  if (typeof endsAtMs !== 'number' || endsAtMs <= world.now().getTime())
    return refuse(401, '250002', 'Invalid Authentication Information.');
  const isMade = /^POST \/api\/(?:shipments|labels)\//.test(route);
  if (isMade && !isJson(request)) return refuse(400, '10400', 'Invalid request: the content type must be JSON');
  const body = isMade ? readJson(request) : undefined;
  if (isMade && body === undefined) return refuse(400, '10400', 'Invalid request: the body is not JSON');
  if (/^POST \/api\/shipments\/v\d{1,4}\/ship$/.test(route)) return await ship(request, body, world);
  if (/^POST \/api\/labels\/v\d{1,4}\/recovery$/.test(route)) return await recover(body, world);
  const [, voided] = /^DELETE \/api\/shipments\/v\d{1,4}\/void\/cancel\/([^/]+)$/.exec(route) ?? [];
  if (voided !== undefined) return voidShipment(decode(voided), world);
  const [, tracked] = /^GET \/api\/track\/v1\/details\/([^/]+)$/.exec(route) ?? [];
  if (tracked !== undefined) return track(request, decode(tracked), world);
  return refuse(404, '10404', 'Not found');
}

function grantToken(request: CarrierRequest, world: World): CarrierResponse {
  const { clientId = '', clientSecret = '' } = world.credentials;
  if (!hasBasic(request, clientId, clientSecret)) return refuse(401, '10401', 'ClientId is Invalid');
  const form = new URLSearchParams(request.body.toString('utf8'));
  if (form.get('grant_type') !== 'client_credentials') return refuse(400, '10400', 'Invalid/Missing grant type');
  const token = `ups-${randomUUID()}`;
  world.memory.set(`token ${token}`, world.now().getTime() + tokenLifeMs);
  return json(200, {
    token_type: 'Bearer',
    issued_at: String(world.now().getTime()),
    client_id: clientId,
    access_token: token,
    expires_in: String(tokenLifeMs / 1000),
    refresh_count: '0',
    status: 'approved',
  });
}

const success = { Code: '1', Description: 'Success' };
const money = (value: string): Record<string, string> => ({ CurrencyCode: 'USD', MonetaryValue: value });

async function ship(request: CarrierRequest, body: unknown, world: World): Promise<CarrierResponse> {
  const account = textAt(body, 'ShipmentRequest', 'Shipment', 'Shipper', 'ShipperNumber');
  const breach = findBreach(body, /^[0-9A-Z]{6}$/.test(account) ? account : 'none');
  if (breach) return refuse(400, breach.code, breach.message);
  const shipment = openShipment(request, body, world);
  const wanted = textAt(body, 'ShipmentRequest', 'LabelSpecification', 'LabelImageFormat', 'Code');
  const format = wanted === 'ZPL' ? 'ZPL' : 'PNG';
  const packages: Record<string, unknown>[] = [];
  for (const parcel of shipment.parcels) {
    const label = {
      ImageFormat: { Code: wanted, Description: wanted },
      GraphicImage: (await drawLabels(format, [parcel.label])).toString('base64'),
    };
    packages.push({
      TrackingNumber: parcel.trackingNumber,
      ServiceOptionsCharges: money('0.00'),
      ...(request.mischief === 'label_later' ? {} : { ShippingLabel: label }),
    });
  }
  const context = textAt(body, 'ShipmentRequest', 'Request', 'TransactionReference', 'CustomerContext');
  const isBorder =
    shipment.origin.country !== shipment.destination.country &&
    at(body, 'ShipmentRequest', 'Shipment', 'ShipmentServiceOptions', 'InternationalForms') === undefined;
  const alert = { Code: '120016', Description: 'Customs Invoice is required when the shipment is tendered to UPS.' };
  return json(200, {
    ShipmentResponse: {
      Response: {
        ResponseStatus: success,
        ...(isBorder ? { Alert: [alert] } : {}),
        TransactionReference: {
          CustomerContext: request.mischief === 'wrong_echo' ? `${context}-X` : context,
          TransactionIdentifier: world.number('sim', 12),
        },
      },
      ShipmentResults: {
        ShipmentCharges: {
          TransportationCharges: money('14.20'),
          ServiceOptionsCharges: money('0.00'),
          TotalCharges: money('14.20'),
        },
        BillingWeight: { UnitOfMeasurement: { Code: 'LBS', Description: 'Pounds' }, Weight: '6.0' },
        ShipmentIdentificationNumber: shipment.trackingNumber,
        PackageResults: request.mischief === 'wrong_count' ? packages.slice(1) : packages,
      },
    },
  });
}

const referencesOf = (entry: unknown): readonly string[] =>
  listAt(entry, 'ReferenceNumber').map((reference) => textAt(reference, 'Value'));

function openShipment(request: CarrierRequest, body: unknown, world: World): Shipment {
  const sent = at(body, 'ShipmentRequest', 'Shipment');
  const packages = listAt(sent, 'Package');
  const account = textAt(sent, 'Shipper', 'ShipperNumber');
  const reference = [sent, ...packages].flatMap(referencesOf)[0] ?? '';
  const parcels = packages.map((entry, index): Parcel => {
    const fifteen = `${account}${textAt(sent, 'Service', 'Code')}${world.number('', 7)}`;
    const trackingNumber = `1Z${fifteen}${checkDigit(fifteen)}`;
    return {
      part: index + 1,
      reference: referencesOf(entry)[1] ?? String(index + 1),
      trackingNumber,
      label: labelOf(sent, entry, trackingNumber, `${index + 1}/${packages.length}`),
      labelFormat: 'ZPL',
      ...newParcel(request),
    };
  });
  const shipment: Shipment = {
    carrier: carrier.code,
    reference,
    trackingNumber: parcels[0]?.trackingNumber ?? '',
    origin: placeFrom(sent, at(sent, 'ShipFrom') === undefined ? 'Shipper' : 'ShipFrom'),
    destination: placeFrom(sent, 'ShipTo'),
    createdAt: world.now(),
    parcels,
    cancelled: false,
    data: { account, service: textAt(sent, 'Service', 'Code'), request: sent },
  };
  return world.created(shipment);
}

function placeFrom(sent: unknown, who: string): Place {
  const city = textAt(sent, who, 'Address', 'City');
  return { code: '0700', city, country: countryOf(sent, who), zone: 'UTC', latitude: '', longitude: '' };
}

function labelOf(sent: unknown, entry: unknown, trackingNumber: string, part: string): LabelContent {
  const lines = (who: string): readonly string[] => {
    const address = at(sent, who, 'Address');
    return [
      textAt(sent, who, 'AttentionName'),
      textAt(sent, who, 'Name'),
      ...listAt(address, 'AddressLine').map(String),
      `${textAt(address, 'City')} ${textAt(address, 'StateProvinceCode')} ${textAt(address, 'PostalCode')}`,
      textAt(address, 'CountryCode'),
    ].filter((line) => line !== '');
  };
  return {
    carrier: 'SIMULATED BROWN',
    service: `Service ${textAt(sent, 'Service', 'Code')}`,
    trackingNumber,
    reference: [sent, entry].map((from) => textAt(from, 'ReferenceNumber', 0, 'Value')).join(''),
    part,
    weight: `${textAt(entry, 'PackageWeight', 'Weight')} ${textAt(entry, 'PackageWeight', 'UnitOfMeasurement', 'Code')}`,
    from: lines(at(sent, 'ShipFrom') === undefined ? 'Shipper' : 'ShipFrom'),
    to: lines('ShipTo'),
  };
}

/** By the number of a package or of the shipment, or by a reference and the shipper's number. */
async function recover(body: unknown, world: World): Promise<CarrierResponse> {
  const asked = at(body, 'LabelRecoveryRequest');
  const number = textAt(asked, 'TrackingNumber');
  const reference = textAt(asked, 'ReferenceValues', 'ReferenceNumber', 'Value');
  const account = textAt(asked, 'ReferenceValues', 'ShipperNumber');
  if (number === '' && (reference === '' || account === ''))
    return refuse(400, '300005', 'Either tracking number or combination of reference plus shipper number required');
  const matching = world.shipments
    .list()
    .filter((one) => one.reference === reference && one.data['account'] === account);
  if (number === '' && matching.filter(({ cancelled }) => !cancelled).length > 1)
    return refuse(400, '300001', 'Multiple shipments found for the request');
  const shipment =
    number === ''
      ? (matching.find(({ cancelled }) => !cancelled) ?? matching.at(-1))
      : world.shipments.findByNumber(number);
  if (!shipment) return refuse(400, '300007', 'The shipment for the request could not be found');
  if (shipment.cancelled) return refuse(400, '300033', 'The shipment has been voided');
  const parcels = shipment.parcels.filter(
    ({ trackingNumber }) => number === '' || number === shipment.trackingNumber || number === trackingNumber,
  );
  const own = number === '' ? parcels : parcels.filter(({ trackingNumber }) => trackingNumber === number);
  const late = own.find(({ labelAsks }) => labelAsks > 0);
  if (late) {
    late.labelAsks -= 1;
    return refuse(400, '300034', 'Label is unavailable -- the shipment has not been processed.');
  }
  const wanted = textAt(asked, 'LabelSpecification', 'LabelImageFormat', 'Code') || 'GIF';
  const format: LabelFormat | undefined = { PDF: 'PDF', ZPL: 'ZPL', GIF: 'PNG' }[wanted] as LabelFormat | undefined;
  if (!format) return refuse(400, '300013', 'Invalid Label Print Method');
  const results: Record<string, unknown>[] = [];
  for (const parcel of own)
    results.push({
      TrackingNumber: parcel.trackingNumber,
      LabelImage: {
        LabelImageFormat: { Code: wanted },
        GraphicImage: (await drawLabels(format, [parcel.label])).toString('base64'),
      },
    });
  return json(200, {
    LabelRecoveryResponse: {
      Response: { ResponseStatus: success },
      ShipmentIdentificationNumber: shipment.trackingNumber,
      LabelResults: results,
    },
  });
}

function voidShipment(number: string, world: World): CarrierResponse {
  const shipment = world.shipments.findByNumber(number);
  if (!/^1Z[0-9A-Z]{16}$/.test(number)) return refuse(400, '190100', 'Invalid ShipmentIdentificationNumber.');
  if (shipment?.trackingNumber !== number)
    return refuse(400, '190102', 'No shipment found within the allowed void period');
  if (shipment.cancelled) return refuse(400, '190117', 'The Shipment has already been voided');
  if (isUnderWay(shipment)) return refuse(400, '190101', 'Time for voiding has expired.');
  shipment.cancelled = true;
  return json(200, {
    VoidShipmentResponse: {
      Response: { ResponseStatus: success },
      SummaryResult: { Status: { Code: '1', Description: 'Voided' } },
    },
  });
}

function track(request: CarrierRequest, number: string, world: World): CarrierResponse {
  for (const name of ['transid', 'transactionsrc'])
    if (typeof request.headers[name] !== 'string') return refuse(400, 'VSS000', `Invalid request and missing ${name}`);
  if (number.length < 7 || number.length > 34) return refuse(400, 'TV1002', 'Invalid inquiry number');
  const shipment = world.shipments.findByNumber(number);
  const parcel = shipment?.parcels.find(({ trackingNumber }) => trackingNumber === number);
  if (!shipment || !parcel)
    return json(200, {
      trackResponse: {
        shipment: [
          { inquiryNumber: number, warnings: [{ code: 'TW0001', message: 'Tracking Information Not Found' }] },
        ],
      },
    });
  const activity = [...parcel.events].sort((one, other) => other.at.getTime() - one.at.getTime()).map(describeEvent);
  return json(200, {
    trackResponse: {
      shipment: [
        {
          inquiryNumber: number,
          package: [
            {
              trackingNumber: number,
              ...(parcel.events.at(-1)?.stage === 'DELIVERED'
                ? { deliveryInformation: { location: 'Front Door', receivedBy: 'SAMPLE' } }
                : {}),
              activity,
              currentStatus: activity[0]?.['status'],
              packageCount: shipment.parcels.length,
            },
          ],
        },
      ],
    },
  });
}

const write = (date: Date): readonly [string, string] => {
  const iso = date.toISOString();
  return [iso.slice(0, 10).replaceAll('-', ''), iso.slice(11, 19)];
};

/** The newest first; local time five hours behind, its offset beside it. */
function describeEvent(event: ParcelEvent): Record<string, unknown> {
  const [gmtDate, gmtTime] = write(event.at);
  const [date, time] = write(new Date(event.at.getTime() - 5 * 3_600_000));
  const [type = '', code = ''] = (event.status.subCode ?? '').split('-');
  return {
    date,
    time: time.replaceAll(':', ''),
    gmtDate,
    gmtTime,
    gmtOffset: '-05:00',
    location: {
      address: { city: event.place.city, countryCode: event.place.country, country: event.place.country },
      slic: event.place.code,
    },
    status: { type, code, statusCode: event.status.code, description: event.status.description },
  };
}
