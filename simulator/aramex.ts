// Aramex Shipping Services: SOAP 1.1, credentials in every body, refusals inside HTTP 200, one waybill for all pieces.
// The format and its sources: docs/carriers/aramex.md.
import type { CarrierRequest, CarrierResponse, SimulatedCarrier, StageStatuses, World } from './carrier.ts';
import { drawLabels, labelTypes } from './label.ts';
import { bytes, isSame } from './reply.ts';
import { newParcel, type Parcel, type ParcelEvent, type Shipment } from './shipments.ts';
import { allIn, type Content, type Element, findBreach, inside, placeOf, readEnvelope } from './xml.ts';
import { type Sequence, soap, soapFault, textIn } from './xml.ts';

const statuses: StageStatuses = {
  SHIPMENT_CREATED: { code: 'SH014', description: 'Record created' },
  PICKED_UP: { code: 'SH012', description: 'Picked up from shipper' },
  IN_TRANSIT: { code: 'SH022', description: 'Departed operations facility' },
  AT_HUB: { code: 'SH047', description: 'Received at origin facility' },
  AT_FACILITY: { code: 'SH001', description: 'Received at destination facility' },
  OUT_FOR_DELIVERY: { code: 'SH003', description: 'Out for delivery' },
  DELIVERED: { code: 'SH005', description: 'Delivered' },
  DELIVERY_FAILED: { code: 'SH033', description: 'Attempted delivery' },
  RETURNED_TO_ORIGIN: { code: 'SH069', description: 'Returned to shipper' },
};

const base = '/ShippingAPI.V2';

export const carrier: SimulatedCarrier = {
  code: 'aramex',
  name: 'Aramex',
  basePath: base,
  credentials: {
    username: 'shipper@example.com',
    password: 'simulated-password',
    accountNumber: '20016000',
    accountPin: '123456',
    accountEntity: 'DXB',
    accountCountry: 'AE',
  },
  statuses,
  mischief: ['label_later'],
  handle,
  refuse: (status, message, request) => {
    const method = methods.find(({ path }) => path === request.path);
    if (status === 429 || !method) return bytes(status, 'text/plain', Buffer.from(message));
    if (status >= 500) return soapFault('Server', message, undefined, status);
    const code = status === 401 ? 'ERR01' : 'ERR99';
    return answer(method, {}, [[code, status === 401 ? `ClientInfo - ${message}` : message]]);
  },
};

const address: Sequence = {
  'Line1!': /^.{1,50}$/,
  Line2: /^.{0,50}$/,
  Line3: /^.{0,50}$/,
  'City!': /^.{1,50}$/,
  StateOrProvinceCode: 'any',
  PostCode: 'any',
  'CountryCode!': /^[A-Z]{2}$/,
};
const contact: Sequence = {
  Department: 'any',
  'PersonName!': /^.{1,50}$/,
  Title: 'any',
  'CompanyName!': /^.{1,50}$/,
  'PhoneNumber1!': 'text',
  PhoneNumber1Ext: 'any',
  PhoneNumber2: 'any',
  PhoneNumber2Ext: 'any',
  FaxNumber: 'any',
  'CellPhone!': 'text',
  EmailAddress: 'any',
  Type: 'any',
};
const party: Sequence = {
  Reference1: /^.{0,50}$/,
  Reference2: /^.{0,50}$/,
  AccountNumber: 'int',
  'PartyAddress!': address,
  'Contact!': contact,
};
const money: Sequence = { 'CurrencyCode!': /^[A-Z]{3}$/, 'Value!': 'decimal' };
const weight: Sequence = { 'Unit!': /^(KG|LB)$/, 'Value!': 'decimal' };
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const client: Sequence = {
  'UserName!': 'any',
  'Password!': 'any',
  'Version!': /^v\d/,
  'AccountNumber!': 'any',
  'AccountPin!': 'any',
  'AccountEntity!': 'any',
  'AccountCountryCode!': 'any',
  Source: 'int',
};
const transaction: Sequence = {
  Reference1: 'any',
  Reference2: 'any',
  Reference3: 'any',
  Reference4: 'any',
  Reference5: 'any',
};
const creation: Sequence = {
  'ClientInfo!': client,
  Transaction: transaction,
  'Shipments!': {
    'Shipment+': {
      Reference1: 'any',
      Reference2: 'any',
      Reference3: 'any',
      'Shipper!': party,
      'Consignee!': party,
      ThirdParty: party,
      'ShippingDateTime!': time,
      'DueDate!': time,
      Comments: 'any',
      PickupLocation: 'any',
      OperationsInstructions: 'any',
      AccountingInstrcutions: 'any',
      'Details!': {
        Dimensions: { 'Length!': 'decimal', 'Width!': 'decimal', 'Height!': 'decimal', 'Unit!': /^(CM|M)$/ },
        'ActualWeight!': weight,
        ChargeableWeight: weight,
        'DescriptionOfGoods!': /^.{1,100}$/,
        'GoodsOriginCountry!': /^[A-Z]{2}$/,
        'NumberOfPieces!': 'int',
        'ProductGroup!': 'text',
        'ProductType!': 'text',
        'PaymentType!': /^[PC3]$/,
        PaymentOptions: 'any',
        CustomsValueAmount: money,
        CashOnDeliveryAmount: money,
        InsuranceAmount: money,
        CashAdditionalAmount: money,
        CashAdditionalAmountDescription: 'any',
        CollectAmount: money,
        Services: 'any',
        Items: {
          'ShipmentItem*': {
            PackageType: 'any',
            'Quantity!': 'int',
            Weight: weight,
            Comments: 'any',
            Reference: 'any',
          },
        },
      },
      ForeignHAWB: 'any',
    },
  },
  LabelInfo: { 'ReportID!': 'int', 'ReportType!': /^(URL|RPT)$/ },
};

interface Method {
  readonly path: string;
  readonly name: string;
  readonly root: string;
  /** Null: its elements are of two namespaces, so it is checked by hand. */
  readonly sequence: Sequence | null;
  readonly act: (asked: Element, request: CarrierRequest, world: World) => CarrierResponse | Promise<CarrierResponse>;
}

const create: Method = {
  path: `${base}/Shipping/Service_1_0.svc`,
  name: 'CreateShipments',
  root: 'ShipmentCreation',
  sequence: creation,
  act: createShipments,
};
const tracking: Method = {
  path: `${base}/Tracking/Service_1_0.svc`,
  name: 'TrackShipments',
  root: 'ShipmentTracking',
  sequence: null,
  act: trackShipments,
};
const methods: readonly Method[] = [create, tracking];
const uri = 'http://ws.aramex.net/ShippingAPI/v1/';
const arrays = 'http://schemas.microsoft.com/2003/10/Serialization/Arrays';

async function handle(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const label = /\/content\/rpt_cache\/([\w-]+)\.pdf$/.exec(request.path)?.[1];
  if (label !== undefined) return await getLabel(label, world);
  const envelope = readEnvelope(request);
  if (typeof envelope === 'string') return soapFault('Client', envelope);
  const method = methods.find(({ path }) => path.toLowerCase() === request.path.toLowerCase());
  if (!method) return bytes(404, 'text/html', Buffer.from('<html>'));
  if (envelope.action !== `${uri}Service_1_0/${method.name}`)
    return soapFault('Client', `The SOAPAction '${envelope.action}' is not known here`);
  const { payload } = envelope;
  if (payload.local !== `${method.root}Request` || payload.uri !== uri)
    return unreadable(`The message must be {${uri}}${method.root}Request`);
  const breach = method.sequence ? findBreach(payload, method.sequence, uri) : null;
  if (breach !== null) return unreadable(breach);
  const refused = findWrongClient(inside(payload, 'ClientInfo'), world);
  return refused === null ? await method.act(payload, request, world) : answer(method, {}, [['ERR01', refused]]);
}

const unreadable = (message: string): CarrierResponse =>
  soap({ 'soap:Fault': { faultcode: 'a:DeserializationFailed', faultstring: message } }, 500);

function findWrongClient(given: Element | undefined, world: World): string | null {
  const { credentials } = world;
  const isRight = (name: string, key: string): boolean => isSame(textIn(given, name), credentials[key] ?? '');
  if (!isRight('UserName', 'username') || !isRight('Password', 'password'))
    return 'ClientInfo - Invalid username or password';
  const isAccount =
    isRight('AccountNumber', 'accountNumber') &&
    isRight('AccountPin', 'accountPin') &&
    isRight('AccountEntity', 'accountEntity') &&
    isRight('AccountCountryCode', 'accountCountry');
  return isAccount ? null : 'ClientInfo - Invalid account number, pin, entity or country';
}

type Mistake = readonly [code: string, message: string];

const notificationsOf = (mistakes: readonly Mistake[]): Content => ({
  Notification: mistakes.map(([Code, Message]) => ({ Code, Message })),
});

const answer = (method: Method, content: Record<string, Content>, mistakes: readonly Mistake[] = []): CarrierResponse =>
  soap({
    [`${method.root}Response`]: {
      '@xmlns': uri,
      Transaction: '',
      Notifications: notificationsOf(mistakes),
      HasErrors: mistakes.length > 0,
      ...content,
    },
  });

const products: Readonly<Record<string, RegExp>> = {
  DOM: /^(OND|CDS|SMP)$/,
  EXP: /^(PDX|PPX|PLX|DDX|DPX|GDX|GPX|EPX|GRD)$/,
};

function findMistakes(shipment: Element): readonly Mistake[] {
  const found: Mistake[] = [];
  const details = inside(shipment, 'Details');
  const [from = '', to = ''] = ['Shipper', 'Consignee'].map((who) =>
    textIn(shipment, who, 'PartyAddress', 'CountryCode'),
  );
  const group = textIn(details, 'ProductGroup');
  if (group !== (from === to ? 'DOM' : 'EXP')) found.push(['ERR30', 'Details - ProductGroup is not valid']);
  if (!products[group]?.test(textIn(details, 'ProductType')))
    found.push(['ERR31', 'Details - ProductType is not valid']);
  if (Number(textIn(details, 'ActualWeight', 'Value')) <= 0)
    found.push(['ERR20', 'Details - ActualWeight is not valid']);
  if (Number(textIn(details, 'NumberOfPieces')) < 1) found.push(['ERR21', 'Details - NumberOfPieces is not valid']);
  if (group === 'EXP' && !(Number(textIn(details, 'CustomsValueAmount', 'Value')) > 0))
    found.push(['ERR40', 'Details - CustomsValueAmount is required']);
  const isCod = textIn(details, 'Services').split(',').includes('CODS');
  if (isCod !== Number(textIn(details, 'CashOnDeliveryAmount', 'Value')) > 0)
    found.push(['ERR41', 'Details - CashOnDeliveryAmount and the service CODS go together']);
  if (textIn(shipment, 'Shipper', 'AccountNumber') === '') found.push(['ERR10', 'Shipper - AccountNumber is required']);
  return found;
}

async function createShipments(asked: Element, request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const processed: Content[] = [];
  let hasErrors = false;
  for (const given of allIn(inside(asked, 'Shipments'), 'Shipment')) {
    const mistakes = findMistakes(given);
    hasErrors ||= mistakes.length > 0;
    const shipment = mistakes.length > 0 ? null : openShipment(given, world);
    const isLater = request.mischief === 'label_later';
    const asUrl = textIn(asked, 'LabelInfo', 'ReportType') === 'URL';
    processed.push({
      ID: shipment?.trackingNumber ?? '',
      Reference1: textIn(given, 'Reference1'),
      Reference2: textIn(given, 'Reference2'),
      HasErrors: mistakes.length > 0,
      Notifications: notificationsOf(mistakes),
      ShipmentLabel: shipment && !isLater ? await labelOf(shipment, asUrl, world) : '',
    });
  }
  return soap({
    ShipmentCreationResponse: {
      '@xmlns': uri,
      Transaction: { Reference1: textIn(asked, 'Transaction', 'Reference1') },
      Notifications: '',
      HasErrors: hasErrors,
      Shipments: { ProcessedShipment: processed },
    },
  });
}

async function labelOf(shipment: Shipment, asUrl: boolean, world: World): Promise<Content> {
  if (asUrl)
    return {
      LabelURL: `${world.url}/content/rpt_cache/${shipment.parcels[0]?.labelKey ?? ''}.pdf`,
      LabelFileContents: '',
    };
  const labels = (shipment.data['labels'] ?? []) as Parcel['label'][];
  return { LabelURL: '', LabelFileContents: (await drawLabels('PDF', labels)).toString('base64') };
}

async function getLabel(key: string, world: World): Promise<CarrierResponse> {
  const parcel = world.shipments.findLabel(key);
  const shipment = parcel ? world.shipments.findByNumber(parcel.trackingNumber) : null;
  if (!shipment) return bytes(404, 'text/html', Buffer.from('<html>'));
  const labels = (shipment.data['labels'] ?? []) as Parcel['label'][];
  return bytes(200, labelTypes.PDF, await drawLabels('PDF', labels));
}

/** A waybill is tracked as one, so it is one parcel with as many labels as pieces. */
function openShipment(given: Element, world: World): Shipment {
  const place = (who: string) =>
    placeOf(textIn(given, who, 'PartyAddress', 'City'), textIn(given, who, 'PartyAddress', 'CountryCode'));
  const details = inside(given, 'Details');
  const trackingNumber = world.number('46', 9);
  const pieces = Number(textIn(details, 'NumberOfPieces'));
  const reference = textIn(given, 'Reference1');
  const labels = Array.from({ length: pieces }, (_, index) => ({
    carrier: 'SIMULATED ARAMEX',
    service: `${textIn(details, 'ProductGroup')} ${textIn(details, 'ProductType')}`,
    trackingNumber,
    reference,
    part: `${index + 1}/${pieces}`,
    weight: `${textIn(details, 'ActualWeight', 'Value')} ${textIn(details, 'ActualWeight', 'Unit')}`,
    from: linesOf(inside(given, 'Shipper')),
    to: linesOf(inside(given, 'Consignee')),
  }));
  const [label] = labels;
  const shipment: Shipment = {
    carrier: carrier.code,
    reference,
    trackingNumber,
    origin: place('Shipper'),
    destination: place('Consignee'),
    createdAt: world.now(),
    parcels: [],
    cancelled: false,
    data: {
      product: textIn(details, 'ProductType'),
      cash: textIn(details, 'CashOnDeliveryAmount', 'Value'),
      labels,
    },
  };
  shipment.parcels = label
    ? [
        {
          part: 1,
          reference,
          trackingNumber,
          label,
          labelFormat: 'PDF',
          ...newParcel(),
        },
      ]
    : [];
  return world.created(shipment);
}

const linesOf = (of: Element | undefined): readonly string[] =>
  [
    textIn(of, 'Contact', 'CompanyName'),
    textIn(of, 'Contact', 'PersonName'),
    ...['Line1', 'Line2', 'City', 'CountryCode'].map((key) => textIn(of, 'PartyAddress', key)),
  ].filter((line) => line !== '');

function trackShipments(asked: Element, _request: CarrierRequest, world: World): CarrierResponse {
  const numbers = allIn(inside(asked, 'Shipments'), 'string').filter((one) => one.uri === arrays);
  if (numbers.length === 0) return answer(tracking, {}, [['ERR60', 'Shipments - at least one number is required']]);
  const isLast = textIn(asked, 'GetLastTrackingUpdateOnly') === 'true';
  const unknown: string[] = [];
  const results = numbers.flatMap((one): Content[] => {
    const number = one.text.trim();
    const parcel = world.shipments.findByNumber(number)?.parcels[0];
    if (!parcel) unknown.push(number);
    if (!parcel) return [];
    const updates = parcel.events.map((event) => describe(event, number)).toReversed();
    return [{ 'a:Key': number, 'a:Value': { TrackingResult: isLast ? updates.slice(0, 1) : updates } }];
  });
  return answer(tracking, {
    TrackingResults: { '@xmlns:a': arrays, 'a:KeyValueOfstringArrayOfTrackingResultmFAkxlpY': results },
    NonExistingWaybills: { '@xmlns:a': arrays, 'a:string': unknown },
  });
}

const describe = (event: ParcelEvent, number: string): Content => ({
  WaybillNumber: number,
  UpdateCode: event.status.code,
  UpdateDescription: event.status.description,
  UpdateDateTime: dubai.format(event.at).replace(' ', 'T'),
  UpdateLocation: `${event.place.city}, ${event.place.country}`,
  Comments: '',
  ProblemCode: event.status.subCode ?? '',
});

const dubai = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Dubai', dateStyle: 'short', timeStyle: 'medium' });
