// Purolator's E-Ship Web Services: SOAP 1.1, HTTP Basic, refusals inside HTTP 200, labels from a service of their own.
// The format and its sources: docs/carriers/purolator.md.
import type { CarrierRequest, CarrierResponse, SimulatedCarrier, StageStatuses, World } from './carrier.ts';
import { drawLabels } from './label.ts';
import { bytes, hasBasic } from './reply.ts';
import { isUnderWay, newParcel, type Parcel, type ParcelEvent, type Shipment } from './shipments.ts';
import { allIn, type Content, type Element, findBreach, inside, placeOf, readEnvelope } from './xml.ts';
import { type Sequence, soap, soapFault, textIn } from './xml.ts';

const statuses: StageStatuses = {
  SHIPMENT_CREATED: { code: 'Other', description: 'New Tracking Number Assigned -' },
  PICKED_UP: { code: 'ProofOfPickUp', description: 'Picked up by Purolator' },
  IN_TRANSIT: { code: 'Other', description: 'Departed sort facility' },
  AT_HUB: { code: 'Other', description: 'Arrived at sort facility' },
  AT_FACILITY: { code: 'Other', description: 'Arrived at delivery depot' },
  OUT_FOR_DELIVERY: { code: 'OnDelivery', description: 'On vehicle for delivery' },
  DELIVERED: { code: 'Delivery', description: 'Shipment delivered' },
  DELIVERY_FAILED: { code: 'Undeliverable', description: 'Attempted delivery, card left' },
  RETURNED_TO_ORIGIN: { code: 'Other', description: 'Shipment returned to sender' },
};

export const carrier: SimulatedCarrier = {
  code: 'purolator',
  name: 'Purolator',
  basePath: '',
  credentials: { key: 'simulated-key', keyPassword: 'simulated-password', userToken: 'simulated-token' },
  statuses,
  mischief: ['wrong_count', 'label_later'],
  handle,
  refuse: (status, message, request) => {
    const method = methods.find(({ path }) => path === request.path);
    if (status === 401 || status === 429 || !method) return bytes(status, 'text/plain', Buffer.from(message));
    return status < 500 ? answer(method, {}, [['1100000', message]]) : soapFault('Server', message, undefined, status);
  },
};

const address: Sequence = {
  'Name!': /^.{1,30}$/,
  Company: /^.{0,30}$/,
  Department: 'text',
  'StreetNumber!': /^.{0,6}$/,
  StreetSuffix: 'text',
  'StreetName!': /^.{1,35}$/,
  StreetType: 'text',
  StreetDirection: 'text',
  Suite: 'text',
  Floor: 'text',
  StreetAddress2: /^.{0,35}$/,
  StreetAddress3: /^.{0,35}$/,
  'City!': /^.{1,30}$/,
  'Province!': /^[A-Z]{2}$/,
  'Country!': /^[A-Z]{2}$/,
  'PostalCode!': /^[0-9A-Z]{1,10}$/,
  'PhoneNumber!': { 'CountryCode!': /^\d{1,3}$/, 'AreaCode!': /^\d{3}$/, 'Phone!': /^\d{7}$/, Extension: 'int' },
};
const weight = (value: 'int' | 'decimal'): Sequence => ({ 'Value!': value, 'WeightUnit!': /^(lb|kg)$/ });
const side: Sequence = { 'Value!': 'decimal', 'DimensionUnit!': /^(in|cm)$/ };
const shipmentSequence: Sequence = {
  'Shipment!': {
    'SenderInformation!': { 'Address!': address, TaxNumber: 'text' },
    'ReceiverInformation!': { 'Address!': address, TaxNumber: 'text' },
    ShipmentDate: /^\d{4}-\d\d-\d\d$/,
    'PackageInformation!': {
      'ServiceID!': 'text',
      Description: /^.{0,25}$/,
      'TotalWeight!': weight('int'),
      'TotalPieces!': 'int',
      PiecesInformation: {
        'Piece*': { 'Weight!': weight('decimal'), Length: side, Width: side, Height: side },
      },
    },
    InternationalInformation: {
      'DocumentsOnlyIndicator!': 'boolean',
      ContentDetails: {
        'ContentDetail*': {
          'Description!': /^.{1,25}$/,
          'HarmonizedCode!': 'text',
          'CountryOfManufacture!': /^[A-Z]{2}$/,
          'ProductCode!': 'text',
          'UnitValue!': 'decimal',
          'Quantity!': 'int',
        },
      },
      DutyInformation: {
        'BillDutiesToParty!': /^(Sender|Receiver|Buyer)$/,
        'BusinessRelationship!': /^(Related|NotRelated)$/,
        'Currency!': /^(CAD|USD)$/,
      },
      ImportExportType: 'text',
      CustomsInvoiceDocumentIndicator: 'boolean',
    },
    'PaymentInformation!': {
      'PaymentType!': /^(Sender|Receiver|ThirdParty|CreditCard)$/,
      'RegisteredAccountNumber!': 'int',
      BillingAccountNumber: 'int',
    },
    'PickupInformation!': { 'PickupType!': /^(DropOff|PreScheduled)$/ },
    TrackingReferenceInformation: { Reference1: /^.{0,30}$/, Reference2: /^.{0,30}$/ },
    OtherInformation: { CostCentre: 'text', SpecialInstructions: 'text' },
  },
  'PrinterType!': /^(Regular|Thermal)$/,
};
const pin: Sequence = { 'Value!': /^\d{12}$/ };

interface Method {
  readonly path: string;
  readonly name: string;
  readonly version: 'v1' | 'v2';
  readonly sequence: Sequence;
  readonly act: (asked: Element, request: CarrierRequest, world: World) => CarrierResponse | Promise<CarrierResponse>;
}

const shipping = '/EWS/V2/Shipping/ShippingService.asmx';
const create: Method = {
  path: shipping,
  name: 'CreateShipment',
  version: 'v2',
  sequence: shipmentSequence,
  act: createShipment,
};
const voiding: Method = {
  path: shipping,
  name: 'VoidShipment',
  version: 'v2',
  sequence: { 'PIN!': pin },
  act: voidOne,
};
const documents: Method = {
  path: '/EWS/V1/ShippingDocuments/ShippingDocumentsService.asmx',
  name: 'GetDocuments',
  version: 'v1',
  sequence: {
    OutputType: /^(PDF|ZPL)$/,
    Synchronous: 'boolean',
    'DocumentCriterium!': { 'DocumentCriteria+': { 'PIN!': pin, DocumentTypes: { 'DocumentType*': 'text' } } },
  },
  act: getDocuments,
};
const tracking: Method = {
  path: '/PWS/V1/Tracking/TrackingService.asmx',
  name: 'TrackPackagesByPin',
  version: 'v1',
  sequence: { 'PINs!': { 'PIN+': pin } },
  act: track,
};
const methods: readonly Method[] = [create, voiding, documents, tracking];
const context: Sequence = {
  'Version!': /^[12]\.\d$/,
  'Language!': /^(en|fr)$/,
  'GroupID!': 'any',
  'RequestReference!': 'any',
  UserToken: 'any',
};

async function handle(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const { key = '', keyPassword = '' } = world.credentials;
  if (!hasBasic(request, key, keyPassword)) return bytes(401, 'text/plain', Buffer.from('Unauthorized'));
  const envelope = readEnvelope(request);
  if (typeof envelope === 'string') return soapFault('Client', envelope);
  const method = methods.find(({ path, name }) => path === request.path && envelope.action.endsWith(`/${name}`));
  if (!method || envelope.action !== `http://purolator.com/pws/service/${method.version}/${method.name}`)
    return soapFault('Client', `The SOAPAction '${envelope.action}' is not known here`);
  const uri = uriOf(method);
  const { payload } = envelope;
  const header = inside(envelope.header, 'RequestContext');
  if (!header || payload.local !== `${method.name}Request` || payload.uri !== uri)
    return soapFault('Client', `The message must be {${uri}}${method.name}Request with a RequestContext`);
  const breach = findBreach(header, context, uri) ?? findBreach(payload, method.sequence, uri);
  return breach === null ? await method.act(payload, request, world) : validationFault(breach);
}

const uriOf = ({ version }: Method): string => `http://purolator.com/pws/datatypes/${version}`;

const validationFault = (message: string): CarrierResponse =>
  soapFault('Client', 'The request is not valid.', {
    ValidationFault: {
      '@xmlns': 'http://www.microsoft.com/practices/EnterpriseLibrary/2007/01/wcf/validation',
      Details: {
        'a:ValidationDetail': {
          '@xmlns:a':
            'http://schemas.datacontract.org/2004/07/Microsoft.Practices.EnterpriseLibrary.Validation.Integration.WCF',
          'a:Key': 'Request',
          'a:Message': message,
          'a:Tag': '',
        },
      },
    },
  });

type Mistake = readonly [code: string, description: string];

const answer = (method: Method, content: Record<string, Content>, mistakes: readonly Mistake[] = []): CarrierResponse =>
  soap(
    {
      [`${method.name}Response`]: {
        '@xmlns': uriOf(method),
        ResponseInformation: {
          Errors: {
            Error: mistakes.map(([Code, Description]) => ({ Code, Description, AdditionalInformation: '' })),
          },
          InformationalMessages: '',
        },
        ...content,
      },
    },
    200,
    { 'h:ResponseContext': { '@xmlns:h': uriOf(method), 'h:ResponseReference': '' } },
  );

const services = /^Purolator(Express|Ground)(U\.S\.)?(9AM|10:30AM|12PM|Evening)?$/;

function findMistakes(shipment: Element | undefined, now: Date): readonly Mistake[] {
  const found: Mistake[] = [];
  const packages = inside(shipment, 'PackageInformation');
  const service = textIn(packages, 'ServiceID');
  const country = textIn(shipment, 'ReceiverInformation', 'Address', 'Country');
  const pieces = allIn(inside(packages, 'PiecesInformation'), 'Piece');
  const postalCode = textIn(shipment, 'ReceiverInformation', 'Address', 'PostalCode');
  const date = textIn(shipment, 'ShipmentDate');
  if (!services.test(service) || service.includes('U.S.') !== (country === 'US'))
    found.push(['1100201', `The service ${service} is not available to ${country}.`]);
  if (country === 'CA' && !/^[A-Z]\d[A-Z]\d[A-Z]\d$/.test(postalCode))
    found.push(['1100664', 'The postal code of the receiver is not valid.']);
  if (Number(textIn(packages, 'TotalPieces')) !== pieces.length)
    found.push(['1100302', 'The total of pieces is not that of the pieces.']);
  if (Number(textIn(packages, 'TotalWeight', 'Value')) < 1)
    found.push(['1100303', 'The total weight must be at least 1.']);
  const yesterday = new Date(now.getTime() - 86_400_000).toISOString().slice(0, 10);
  if (date !== '' && date < yesterday) found.push(['1100522', 'The shipment date is past.']);
  const isAbroad = textIn(shipment, 'SenderInformation', 'Address', 'Country') !== country;
  if (isAbroad && !inside(shipment, 'InternationalInformation', 'ContentDetails', 'ContentDetail'))
    found.push(['1100701', 'A shipment across the border needs its contents.']);
  return found;
}

function createShipment(asked: Element, request: CarrierRequest, world: World): CarrierResponse {
  const mistakes = findMistakes(inside(asked, 'Shipment'), world.now());
  if (mistakes.length > 0) return answer(create, { ShipmentPIN: null, PiecePINs: null }, mistakes);
  const shipment = openShipment(asked, request, world);
  const pins = shipment.parcels.map(({ trackingNumber }) => ({ Value: trackingNumber }));
  return answer(create, {
    ShipmentPIN: { Value: shipment.trackingNumber },
    PiecePINs: { PIN: request.mischief === 'wrong_count' ? pins.slice(1) : pins },
    ReturnShipmentPINs: '',
    ExpressChequePIN: { Value: '' },
  });
}

function openShipment(asked: Element, request: CarrierRequest, world: World): Shipment {
  const given = inside(asked, 'Shipment');
  const place = (who: string) =>
    placeOf(textIn(given, who, 'Address', 'City'), textIn(given, who, 'Address', 'Country'));
  const pieces = allIn(inside(given, 'PackageInformation', 'PiecesInformation'), 'Piece');
  const numbers = pieces.map(() => world.number('329', 9));
  const reference = textIn(given, 'TrackingReferenceInformation', 'Reference1');
  const service = textIn(given, 'PackageInformation', 'ServiceID');
  const shipment: Shipment = {
    carrier: carrier.code,
    reference,
    trackingNumber: numbers[0] ?? '',
    origin: place('SenderInformation'),
    destination: place('ReceiverInformation'),
    createdAt: world.now(),
    parcels: [],
    cancelled: false,
    data: { service },
  };
  shipment.parcels = pieces.map((piece, index): Parcel => ({
    part: index + 1,
    reference: String(index + 1),
    trackingNumber: numbers[index] ?? '',
    label: {
      carrier: 'SIMULATED PUROLATOR',
      service,
      trackingNumber: numbers[index] ?? '',
      reference,
      part: `${index + 1}/${pieces.length}`,
      weight: `${textIn(piece, 'Weight', 'Value')} ${textIn(piece, 'Weight', 'WeightUnit')}`,
      from: linesOf(inside(given, 'SenderInformation', 'Address')),
      to: linesOf(inside(given, 'ReceiverInformation', 'Address')),
    },
    labelFormat: 'PDF',
    ...newParcel(request),
  }));
  return world.created(shipment);
}

const linesOf = (party: Element | undefined): readonly string[] =>
  [
    textIn(party, 'Company'),
    textIn(party, 'Name'),
    `${textIn(party, 'StreetNumber')} ${textIn(party, 'StreetName')}`,
    textIn(party, 'StreetAddress2'),
    `${textIn(party, 'City')} ${textIn(party, 'Province')} ${textIn(party, 'PostalCode')} ${textIn(party, 'Country')}`,
  ].filter((one) => one !== '');

function findByPin(number: string, world: World): Shipment | null {
  const found = world.shipments.findByNumber(number);
  return found?.trackingNumber === number ? found : null;
}

async function getDocuments(asked: Element, _request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const criteria = inside(asked, 'DocumentCriterium', 'DocumentCriteria');
  const number = textIn(criteria, 'PIN', 'Value');
  const shipment = findByPin(number, world);
  if (!shipment || shipment.cancelled) return answer(documents, {}, [['3001250', 'The PIN is not known.']]);
  const [first] = shipment.parcels;
  const isReady = (first?.labelAsks ?? 0) === 0;
  if (first && !isReady) first.labelAsks -= 1;
  const kind = textIn(criteria, 'DocumentTypes', 'DocumentType');
  const isAbroad = shipment.origin.country !== shipment.destination.country;
  if (!kind.startsWith(isAbroad ? 'InternationalBillOfLading' : 'DomesticBillOfLading'))
    return answer(documents, {}, [['3001251', `There is no document ${kind}.`]]);
  const labels = shipment.parcels.map(({ label }) => label);
  const format = textIn(asked, 'OutputType') === 'ZPL' ? 'ZPL' : 'PDF';
  return answer(documents, {
    Documents: {
      Document: {
        PIN: { Value: number },
        DocumentDetails: {
          DocumentDetail: {
            DocumentType: kind,
            Description: kind,
            DocumentStatus: isReady ? 'Completed' : 'Pending',
            URL: '',
            Data: isReady ? (await drawLabels(format, labels)).toString('base64') : '',
          },
        },
      },
    },
  });
}

function voidOne(asked: Element, _request: CarrierRequest, world: World): CarrierResponse {
  const shipment = findByPin(textIn(asked, 'PIN', 'Value'), world);
  const refuse = (code: string, description: string): CarrierResponse =>
    answer(voiding, { ShipmentVoided: false }, [[code, description]]);
  if (!shipment) return refuse('1100529', 'The PIN is not known.');
  if (shipment.cancelled) return refuse('1100530', 'The shipment was already voided.');
  if (isUnderWay(shipment)) return refuse('1100531', 'The shipment is on a manifest and can not be cancelled.');
  shipment.cancelled = true;
  return answer(voiding, { ShipmentVoided: true });
}

function track(asked: Element, _request: CarrierRequest, world: World): CarrierResponse {
  const numbers = allIn(inside(asked, 'PINs'), 'PIN').map((one) => textIn(one, 'Value'));
  if (numbers.length > 10) return answer(tracking, {}, [['3001241', 'No more than 10 PINs at once.']]);
  const parcelOf = (number: string): Parcel | undefined =>
    world.shipments.findByNumber(number)?.parcels.find(({ trackingNumber }) => trackingNumber === number);
  const mistakes = numbers
    .filter((number) => !parcelOf(number))
    .map((number): Mistake => ['3001240', `No tracking information is available for ${number}.`]);
  const information = numbers.flatMap((number): Content[] => {
    const parcel = parcelOf(number);
    if (!parcel) return [];
    const scans = parcel.events.map((event) => describe(event, number)).toReversed();
    return [{ PIN: { Value: number }, Scans: { Scan: scans }, ResponseInformation: '' }];
  });
  return answer(tracking, { TrackingInformationList: { TrackingInformation: information } }, mistakes);
}

/** Times are those of Toronto, hours without a leading zero. */
function describe(event: ParcelEvent, number: string): Content {
  const [date = '', time = ''] = toronto.format(event.at).split(' ');
  return {
    ScanType: event.status.code,
    PIN: { Value: number },
    Depot: { Name: `${event.place.city.toUpperCase()}, ${event.place.country}` },
    ScanDate: date,
    ScanTime: String(Number(time.replaceAll(':', ''))),
    Description: event.status.description,
    Comment: '',
    SummaryScanIndicator: false,
  };
}

const toronto = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/Toronto',
  dateStyle: 'short',
  timeStyle: 'medium',
});
