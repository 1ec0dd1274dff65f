// Landmark Global's Mercury API: XML documents with the credentials inside, every answer HTTP 200.
// The format and its sources: docs/carriers/landmark.md.
import type { CarrierRequest, CarrierResponse, SimulatedCarrier, StageStatuses, World } from './carrier.ts';
import { drawLabels, type LabelFormat } from './label.ts';
import { bytes, isSame } from './reply.ts';
import { isUnderWay, newParcel, type Parcel, type ParcelEvent, type Shipment } from './shipments.ts';
import { allIn, type Content, type Element, inside, placeOf, readXml, textIn, xml } from './xml.ts';

const statuses: StageStatuses = {
  SHIPMENT_CREATED: { code: '75', description: 'Shipment processed' },
  PICKED_UP: { code: '225', description: 'Grouped at a facility' },
  IN_TRANSIT: { code: '275', description: 'In transit with the carrier' },
  AT_HUB: { code: '155', description: 'Crossing received' },
  AT_FACILITY: { code: '200', description: 'Scanned at a postal facility' },
  OUT_FOR_DELIVERY: { code: '300', description: 'Out for delivery' },
  DELIVERED: { code: '500', description: 'Delivered' },
  DELIVERY_FAILED: { code: '400', description: 'Attempted delivery' },
  RETURNED_TO_ORIGIN: { code: '570', description: 'Return received' },
};

export const carrier: SimulatedCarrier = {
  code: 'landmark',
  name: 'Landmark Global',
  basePath: '/v2',
  credentials: { username: 'simulated-user', password: 'simulated-password', clientId: '218' },
  statuses,
  mischief: ['wrong_echo', 'wrong_count', 'label_later'],
  handle,
  refuse: (status, message, { path }) => {
    if (status === 429) return bytes(429, 'text/plain', Buffer.from('You have exceed the rate limit.'));
    return status < 500
      ? errors(rootOf(path), [['Refused', message]])
      : bytes(status, 'text/html', Buffer.from('<html>'));
  },
};

type Mistake = readonly [code: string, message: string];

const rootOf = (path: string): string => `${/(\w+)\.php$/.exec(path)?.[1] ?? ''}Response`;

const errors = (root: string, mistakes: readonly Mistake[]): CarrierResponse =>
  xml(200, {
    [root]: {
      ...(root === 'Response'
        ? {}
        : { Result: { Success: false, ResultMessage: 'See Errors element for error details' } }),
      Errors: { Error: mistakes.map(([ErrorCode, ErrorMessage]) => ({ ErrorCode, ErrorMessage })) },
    },
  });

/** The document itself, or as the form field RQXML. */
function documentOf(request: CarrierRequest): Element | null {
  const text = request.body.toString('utf8');
  const isForm = /x-www-form-urlencoded/.test(request.headers['content-type'] ?? '');
  return readXml(isForm ? (new URLSearchParams(text).get('RQXML') ?? '') : text);
}

async function handle(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const name = /^\/v2\/(Ship|Cancel|Track)\.php$/.exec(request.path)?.[1];
  if (name === undefined || request.method !== 'POST') return bytes(404, 'text/html', Buffer.from('<html>'));
  const asked = documentOf(request);
  if (!asked) return errors('Response', [['XML', 'Unable to parse characters']]);
  const root = `${name}Response`;
  if (asked.local !== `${name}Request`) return errors(root, [['XML', `Required element ${name}Request not found`]]);
  const refused = findWrongLogin(asked, world);
  if (refused) return errors(root, [['Login', refused]]);
  if (name === 'Ship') return await ship(asked, request, world);
  return name === 'Cancel' ? cancel(asked, world) : track(asked, world);
}

function findWrongLogin(asked: Element, world: World): string | null {
  const { username = '', password = '', clientId = '' } = world.credentials;
  const given = (key: string): string => textIn(asked, 'Login', key);
  if (!inside(asked, 'Login')) return 'Required element Login not found';
  if (given('Username') === '') return 'Login name not provided';
  if (!isSame(given('Username'), username) || !isSame(given('Password'), password))
    return 'The username/password combination provided is invalid';
  const client = textIn(asked, 'ClientID');
  return client === clientId ? null : `User ${username} does not have permissions to client: ${client}`;
}

const services = /^LGINT(STD|STDU|BPIP|BPIU|PUDO|UPSS|UPSSU|UPST|UPSTU|BPMO|BPIO)$/;
const numeric = /^\d+(\.\d+)?$/;

function findMistakes(asked: Element, world: World): readonly Mistake[] {
  const found: Mistake[] = [];
  const need = (element: Element | undefined, keys: readonly string[], where = ''): void => {
    for (const key of keys)
      if (textIn(element, key) === '') found.push([key, `Required element ${key} not found${where}`]);
  };
  const refuse = (isWrong: boolean, code: string, message: string): void => {
    if (isWrong) found.push([code, message]);
  };
  need(asked, ['Reference', 'ShipMethod']);
  const reference = textIn(asked, 'Reference');
  refuse(reference !== '' && !/^[\w-]{1,50}$/.test(reference), 'Reference', 'Invalid customer reference number');
  const service = textIn(asked, 'ShipMethod');
  refuse(service !== '' && !services.test(service), 'ShipMethod', `Invalid shipping service requested: ${service}`);
  const to = inside(asked, 'ShipTo');
  const country = textIn(to, 'Country');
  need(to, ['Name', 'Address1', 'City', 'PostalCode', 'Country']);
  refuse(!/^[A-Z]{2}$/.test(country), 'Country', 'Invalid address field: country');
  const state = textIn(to, 'State');
  const isCoded = ['AU', 'CA', 'CL', 'US'].includes(country);
  refuse(isCoded && !/^[A-Z]{2,3}$/.test(state), 'State', 'State-Province is invalid, must be 2 characters.');
  refuse(['HU', 'SG'].includes(country) && state !== '', 'State', 'Invalid address field: state');
  const sender = inside(asked, 'FulfillmentAddress');
  if (sender) need(sender, ['Name', 'Address1', 'City', 'Country']);
  const format = textIn(asked, 'LabelFormat') || 'PDF';
  refuse(!formats.test(format), 'LabelFormat', `Invalid label format ${format} requested.`);
  const encoding = textIn(asked, 'LabelEncoding');
  const isWrong = format === 'ZPL' ? encoding !== '' : !/^(|LINKS|BASE64)$/.test(encoding);
  refuse(isWrong, 'LabelEncoding', `Invalid label encoding ${encoding}.`);
  const packages = allIn(inside(asked, 'Packages'), 'Package');
  refuse(packages.length === 0, 'Packages', 'Required element Package not found');
  packages.forEach((one, index) => {
    refuse(!numeric.test(textIn(one, 'Weight')), 'Weight', 'Required element Weight not found');
    const unit = textIn(one, 'WeightUnit');
    const text = `Invalid or unsupported 'WeightUnit' provided on Package ${index + 1}`;
    refuse(!/^(|LB|KG|G)$/.test(unit), 'WeightUnit', text);
  });
  const items = allIn(inside(asked, 'Items'), 'Item');
  refuse(items.length === 0, 'Items', 'This shipment has no items. One or more is required to process.');
  items.forEach((one, index) => {
    need(one, ['Sku', 'Quantity', 'UnitPrice', 'Description', 'CountryOfOrigin'], ` in Item element ${index + 1}`);
    refuse(!/^[\w-]{0,64}$/.test(textIn(one, 'Sku')), 'Sku', `Invalid sku provided for ${index + 1}`);
    const sku = textIn(one, 'Sku');
    refuse(!/^\d*$/.test(textIn(one, 'Quantity')), 'Quantity', `Invalid quantity provided for ${sku} in ${index + 1}`);
  });
  refuse(
    !/^[A-Z]{3}$/.test(textIn(asked, 'ItemsCurrency')),
    'ItemsCurrency',
    'Unsupported or invalid currency passed.',
  );
  const used = world.shipments.findByReference(reference);
  const day = used?.createdAt.toISOString().slice(0, 10);
  refuse(
    used?.cancelled === false,
    'Reference',
    `The shipment reference ${reference} was already used by ${used?.trackingNumber ?? ''} on ${day ?? ''}`,
  );
  return found;
}

const formats = /^(PDF|PNG|ZPL)$/;

async function ship(asked: Element, request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const mistakes = findMistakes(asked, world);
  if (mistakes.length > 0) return errors('ShipResponse', mistakes);
  const shipment = openShipment(asked, world);
  const format = (textIn(asked, 'LabelFormat') || 'PDF') as LabelFormat;
  const isInline = format === 'ZPL' || textIn(asked, 'LabelEncoding') === 'BASE64';
  const hasLabels = request.mischief !== 'label_later';
  const packages: Content[] = [];
  for (const parcel of shipment.parcels) {
    const image = hasLabels && isInline ? (await drawLabels(format, [parcel.label])).toString('base64') : null;
    packages.push({
      LabelLink: hasLabels && !isInline ? `${world.url}/download/get-label.php?hid=${parcel.labelKey}` : null,
      LabelImages: image === null ? null : { LabelImage: image },
      TrackingNumber: parcel.trackingNumber,
      LandmarkTrackingNumber: `${shipment.trackingNumber}N${parcel.part}`,
      PackageReference: request.mischief === 'wrong_echo' ? `other-${parcel.part}` : parcel.reference,
      BarcodeData: `2M${parcel.trackingNumber}`,
    });
  }
  return xml(200, {
    ShipResponse: {
      Test: textIn(asked, 'Test') === 'true' ? true : null,
      Result: {
        Success: true,
        ResultMessage: `Shipment ${shipment.reference} was successfully processed.`,
        ShippingCarrier: 'Simulated Post',
        Packages: { Package: request.mischief === 'wrong_count' ? packages.slice(1) : packages },
      },
    },
  });
}

function openShipment(asked: Element, world: World): Shipment {
  const place = (who: string) => placeOf(textIn(asked, who, 'City'), textIn(asked, who, 'Country'));
  const packages = allIn(inside(asked, 'Packages'), 'Package');
  const shipment: Shipment = {
    carrier: carrier.code,
    reference: textIn(asked, 'Reference'),
    trackingNumber: world.number('LTN', 9),
    origin: place('FulfillmentAddress'),
    destination: place('ShipTo'),
    createdAt: world.now(),
    parcels: [],
    cancelled: false,
    data: { service: textIn(asked, 'ShipMethod'), test: textIn(asked, 'Test') },
  };
  shipment.parcels = packages.map((one, index): Parcel => {
    const trackingNumber = world.number('7', 12);
    return {
      part: index + 1,
      reference: textIn(one, 'PackageReference'),
      trackingNumber,
      label: {
        carrier: 'SIMULATED LANDMARK',
        service: textIn(asked, 'ShipMethod'),
        trackingNumber,
        reference: shipment.reference,
        part: `${index + 1}/${packages.length}`,
        weight: `${textIn(one, 'Weight')} ${textIn(one, 'WeightUnit') || 'LB'}`,
        from: linesOf(inside(asked, 'FulfillmentAddress')),
        to: linesOf(inside(asked, 'ShipTo')),
      },
      labelFormat: 'PDF',
      ...newParcel(),
    };
  });
  return world.created(shipment);
}

const linesOf = (party: Element | undefined): readonly string[] =>
  ['Name', 'Attention', 'Address1', 'Address2', 'City', 'State', 'PostalCode', 'Country']
    .map((key) => textIn(party, key))
    .filter((line) => line !== '');

/** By the order's reference, or by either number of a package. */
function findShipment(asked: Element, world: World): Shipment | null {
  const reference = textIn(asked, 'Reference');
  const number = textIn(asked, 'TrackingNumber');
  const found =
    reference === ''
      ? (world.shipments.findByNumber(number) ?? world.shipments.findByNumber(number.replace(/N\d+$/, '')))
      : world.shipments.findByReference(reference);
  return found?.cancelled === false ? found : null;
}

const refuseCancel = (message: string): CarrierResponse => errors('CancelResponse', [['Invalid', message]]);

function cancel(asked: Element, world: World): CarrierResponse {
  const named = textIn(asked, 'Reference') || textIn(asked, 'TrackingNumber');
  if (named === '') return refuseCancel('Either Reference or TrackingNumber is required, neither found');
  const isDeleted = textIn(asked, 'DeleteShipment') === 'true';
  if (isDeleted && textIn(asked, 'Reason') === '') return refuseCancel('Required element Reason not found');
  const shipment = findShipment(asked, world);
  if (!shipment) return refuseCancel(`Could not find shipment with ${named} in our system`);
  if (isUnderWay(shipment)) return refuseCancel('Already manifested');
  shipment.cancelled = true;
  const done = `Successfully unprocessed${isDeleted ? ' and deleted' : ''} shipment with reference ${shipment.reference}`;
  return xml(200, { CancelResponse: { Result: { Success: true, ResultMessage: done } } });
}

function track(asked: Element, world: World): CarrierResponse {
  const shipment = findShipment(asked, world);
  if (!shipment) return errors('TrackResponse', [['Invalid', 'Could not find shipment in our system']]);
  const number = textIn(asked, 'TrackingNumber');
  const parcels = shipment.parcels.filter(
    ({ trackingNumber, part }) =>
      number === '' || number === trackingNumber || number === `${shipment.trackingNumber}N${part}`,
  );
  const isHistorical = textIn(asked, 'RetrievalType') === 'Historical';
  return xml(200, {
    TrackResponse: {
      Result: {
        Success: true,
        ShipmentDetails: { EndDeliveryCarrier: 'Simulated Post' },
        Packages: {
          Package: parcels.map(({ trackingNumber, part, reference, events }) => ({
            TrackingNumber: trackingNumber,
            LandmarkTrackingNumber: `${shipment.trackingNumber}N${part}`,
            PackageReference: reference,
            Events: { Event: (isHistorical ? events : events.slice(-1)).map((event) => describe(event, isHistorical)) },
          })),
        },
      },
    },
  });
}

const describe = (event: ParcelEvent, isHistorical: boolean): Content => ({
  Status: event.status.description,
  DateTime: chicago.format(event.at).replace(',', ''),
  Location: `${event.place.city}, ${event.place.country}`,
  EventCode: isHistorical ? event.status.code : null,
});

/** `2026-05-04 13:21:45`. */
const chicago = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/Chicago',
  dateStyle: 'short',
  timeStyle: 'medium',
});
