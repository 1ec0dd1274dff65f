// DPD Benelux, Shipper Webservices: SOAP 1.1, a login whose token stands in the header, all parcels in one order.
// The format and its sources: docs/carriers/dpd.md.
import { randomBytes } from 'node:crypto';
import type { CarrierRequest, CarrierResponse, SimulatedCarrier, StageStatuses, World } from './carrier.ts';
import { drawLabels, type LabelContent } from './label.ts';
import { isSame } from './reply.ts';
import { newParcel, type Parcel, type ParcelEvent, type Shipment } from './shipments.ts';
import { allIn, type Content, type Element, type Envelope, findBreach, inside, placeOf, readEnvelope } from './xml.ts';
import { type Sequence, soap, soapFault, textIn } from './xml.ts';

const types = 'http://dpd.com/common/service/types';

const statuses: StageStatuses = {
  SHIPMENT_CREATED: { code: 'SHIPMENT', description: 'We have the data of your parcel.' },
  PICKED_UP: { code: 'PickedUp', description: 'We have received your parcel.' },
  IN_TRANSIT: { code: 'BetweenDepots', description: 'On its way between depots.' },
  AT_HUB: { code: 'BetweenDepots', description: 'At a parcel dispatch centre.' },
  AT_FACILITY: { code: 'Depot', description: 'At the parcel delivery centre.' },
  OUT_FOR_DELIVERY: { code: 'Courier', description: 'With the courier.' },
  DELIVERED: { code: 'Delivered', description: 'Delivered.' },
  DELIVERY_FAILED: { code: 'DeliveryFailure', description: 'It could not be delivered.' },
  RETURNED_TO_ORIGIN: { code: 'ReturningFromDelivery', description: 'On its way back to the sender.' },
};

export const carrier: SimulatedCarrier = {
  code: 'dpd',
  name: 'DPD Benelux',
  basePath: '',
  credentials: { delisId: 'SIMULATED1', password: 'simulated-password' },
  statuses,
  mischief: ['wrong_count', 'label_later'],
  handle,
  refuse: (status, message) =>
    status === 401
      ? authenticationFault('ERR_DELICOM_TOKEN_EXPIRED')
      : soapFault(status < 500 ? 'Client' : 'Server', message, undefined, status),
};

const address: Sequence = {
  'name1!': /^.{1,35}$/,
  name2: /^.{0,35}$/,
  'street!': /^.{1,35}$/,
  houseNo: /^.{0,8}$/,
  street2: /^.{0,35}$/,
  state: 'text',
  'country!': /^[A-Z]{2}$/,
  'zipCode!': /^[0-9A-Za-z]{1,9}$/,
  'city!': /^.{1,35}$/,
  gln: 'int',
  customerNumber: 'text',
  type: /^[BP]$/,
  contact: /^.{0,35}$/,
  phone: /^\+?\d{1,30}$/,
  fax: 'text',
  email: /@/,
  comment: 'text',
  iaccount: 'text',
  eoriNumber: 'text',
  vatNumber: 'text',
};
const orders: Sequence = {
  printOptions: { 'printerLanguage!': /^(PDF|ZPL)$/, 'paperFormat!': /^A[467]$/, startPosition: 'text' },
  'order+': {
    'generalShipmentData!': {
      mpsId: 'text',
      cUser: 'text',
      mpsCustomerReferenceNumber1: /^.{0,35}$/,
      mpsCustomerReferenceNumber2: /^.{0,35}$/,
      mpsCustomerReferenceNumber3: /^.{0,35}$/,
      mpsCustomerReferenceNumber4: /^.{0,35}$/,
      identificationNumber: 'text',
      'sendingDepot!': /^\d{4}$/,
      'product!': 'text',
      mpsCompleteDelivery: 'boolean',
      mpsVolume: 'int',
      mpsWeight: 'int',
      mpsExpectedSendingDate: /^\d{8}$/,
      'sender!': address,
      'recipient!': address,
    },
    'parcels*': {
      parcelLabelNumber: /^\d{14}$/,
      customerReferenceNumber1: /^.{0,35}$/,
      customerReferenceNumber2: /^.{0,35}$/,
      customerReferenceNumber3: /^.{0,35}$/,
      customerReferenceNumber4: /^.{0,35}$/,
      swap: 'boolean',
      volume: /^\d{9}$/,
      weight: 'int',
      content: 'text',
      returns: 'boolean',
    },
    'productAndServiceData!': {
      'orderType!': 'text',
      saturdayDelivery: 'boolean',
      predict: { 'channel!': /^[123]$/, 'value!': 'text', language: /^[A-Z]{2}$/ },
    },
  },
};
const authentication: Sequence = {
  'delisId!': 'text',
  'authToken!': 'text',
  'messageLanguage!': /^[a-z]{2}_[A-Z]{2}$/,
};

interface Method {
  readonly path: string;
  readonly name: string;
  readonly service: string;
  readonly sequence: Sequence;
  readonly needsToken: boolean;
  readonly act: (asked: Element, request: CarrierRequest, world: World) => CarrierResponse | Promise<CarrierResponse>;
}

const methods: readonly Method[] = [
  {
    path: 'LoginService/V2_1',
    name: 'getAuth',
    service: 'LoginService/2.1',
    sequence: { 'delisId!': 'text', 'password!': 'text', 'messageLanguage!': /^[a-z]{2}_[A-Z]{2}$/ },
    needsToken: false,
    act: logIn,
  },
  {
    path: 'ShipmentService/V3_3',
    name: 'storeOrders',
    service: 'ShipmentService/3.3',
    sequence: orders,
    needsToken: true,
    act: storeOrders,
  },
  {
    path: 'ParcelLifeCycleService/V2_0',
    name: 'getTrackingData',
    service: 'ParcelLifeCycleService/2.0',
    sequence: { 'parcelLabelNumber!': /^\d{14}$/ },
    needsToken: true,
    act: getTrackingData,
  },
];

async function handle(request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const path = request.path.replace(/^\/PublicApi/i, '');
  const method = methods.find((one) => path === `/soap/services/${one.path}`);
  if (!method) return soapFault('Client', `There is no service at ${request.path}`, undefined, 404);
  if (request.method !== 'POST') return soapFault('Client', 'A SOAP request is a POST', undefined, 405);
  const envelope = readEnvelope(request);
  if (typeof envelope === 'string') return soapFault('Client', envelope);
  const uri = `${types}/${method.service}`;
  if (envelope.action !== `${uri}/${method.name}`)
    return soapFault('Client', `The SOAPAction '${envelope.action}' is not known here`);
  const { payload } = envelope;
  if (payload.local !== method.name || payload.uri !== uri)
    return soapFault('Client', `The body must be {${uri}}${method.name}`);
  const refused = method.needsToken ? findWrongToken(envelope, world) : null;
  if (refused) return refused;
  const breach = findBreach(payload, method.sequence, '');
  return breach === null ? await method.act(payload, request, world) : soapFault('Client', breach);
}

interface Login {
  readonly token: string;
  readonly until: Date;
}

const day = 86_400_000;

/** The token in force, or a new one for a day. */
function logIn(asked: Element, _request: CarrierRequest, world: World): CarrierResponse {
  const { delisId = '', password = '' } = world.credentials;
  if (!isSame(textIn(asked, 'delisId'), delisId) || !isSame(textIn(asked, 'password'), password))
    return authenticationFault('DELICOM_ERR_AUTHENTICATION');
  const known = world.memory.get('login') as Login | undefined;
  const now = world.now();
  const login: Login =
    known && known.until > now
      ? known
      : { token: randomBytes(30).toString('hex'), until: new Date(now.getTime() + day) };
  world.memory.set('login', login);
  return answer('LoginService/2.1', 'getAuth', {
    return: {
      delisId,
      customerUid: delisId,
      authToken: login.token,
      depot: '0530',
      authTokenExpires: login.until.toISOString().replace('Z', '3333'),
    },
  });
}

function findWrongToken({ header }: Envelope, world: World): CarrierResponse | null {
  const given = inside(header, 'authentication');
  if (!given || given.uri !== `${types}/Authentication/2.0` || findBreach(given, authentication, '') !== null)
    return authenticationFault('DELICOM_ERR_AUTHENTICATION');
  const token = textIn(given, 'authToken');
  if (!/^[0-9A-Za-z]{40,64}$/.test(token)) return authenticationFault('DELICOM_ERR_AUTHENTICATION');
  const known = world.memory.get('login') as Login | undefined;
  if (!known || !isSame(token, known.token) || !isSame(textIn(given, 'delisId'), world.credentials['delisId'] ?? ''))
    return authenticationFault('ERR_DELICOM_TOKEN_INCORRECT');
  return known.until > world.now() ? null : authenticationFault('ERR_DELICOM_TOKEN_EXPIRED');
}

const reasons: Readonly<Record<string, string>> = {
  DELICOM_ERR_AUTHENTICATION: 'Authentication failure, delisId and password or token are wrong.',
  ERR_DELICOM_TOKEN_INCORRECT: 'The token is not known.',
  ERR_DELICOM_TOKEN_EXPIRED: 'The token has expired.',
};

const authenticationFault = (errorCode: string): CarrierResponse =>
  soapFault('Server', 'Fault occured', {
    'ns:authenticationFault': {
      '@xmlns:ns': `${types}/Authentication/2.0`,
      errorCode,
      errorMessage: reasons[errorCode] ?? '',
    },
  });

const answer = (service: string, name: string, content: Record<string, Content>): CarrierResponse =>
  soap({ [`${name}Response`]: { '@xmlns': `${types}/${service}`, ...content } });

async function storeOrders(asked: Element, request: CarrierRequest, world: World): Promise<CarrierResponse> {
  const drawn: LabelContent[] = [];
  const responses = allIn(asked, 'order').map((order): Content => {
    const identificationNumber = textIn(order, 'generalShipmentData', 'identificationNumber');
    const broken = findBrokenRule(order);
    if (broken) return { identificationNumber, faults: { faultCode: broken[0], message: broken[1] } };
    const shipment = openShipment(order, world);
    const parcels = request.mischief === 'wrong_count' ? shipment.parcels.slice(1) : shipment.parcels;
    drawn.push(...shipment.parcels.map(({ label }) => label));
    return {
      identificationNumber,
      mpsId: shipment.trackingNumber,
      parcelInformation: parcels.map(({ trackingNumber }) => ({ parcelLabelNumber: trackingNumber })),
    };
  });
  const format = textIn(asked, 'printOptions', 'printerLanguage') === 'ZPL' ? 'ZPL' : 'PDF';
  const isDrawn = drawn.length > 0 && request.mischief !== 'label_later';
  return answer('ShipmentService/3.3', 'storeOrders', {
    orderResult: {
      parcellabelsPDF: isDrawn ? (await drawLabels(format, drawn)).toString('base64') : null,
      shipmentResponses: responses,
    },
  });
}

function findBrokenRule(order: Element): readonly [code: string, message: string] | null {
  const data = inside(order, 'generalShipmentData');
  const product = textIn(data, 'product');
  if (!/^(CL|E10|E12|E18)$/.test(product)) return ['product_unknown', `The product ${product} is not known.`];
  if (textIn(order, 'productAndServiceData', 'orderType') !== 'consignment')
    return ['order_type_unknown', 'The order type must be consignment.'];
  if (product !== 'CL' && textIn(data, 'recipient', 'phone') === '')
    return ['address_phone_missing', 'An Express parcel needs the telephone of the recipient.'];
  for (const who of ['sender', 'recipient'])
    if (textIn(data, who, 'country') === 'NL' && !/^\d{4}[A-Z]{2}$/.test(textIn(data, who, 'zipCode')))
      return ['address_zip_code_invalid', `The zip code of the ${who} is not valid.`];
  const predict = textIn(order, 'productAndServiceData', 'predict', 'value');
  const known = ['email', 'phone'].map((key) => textIn(data, 'recipient', key));
  if (predict !== '' && !known.includes(predict))
    return ['predict_value_invalid', 'The value of predict must be that of the recipient.'];
  return null;
}

function openShipment(order: Element, world: World): Shipment {
  const data = inside(order, 'generalShipmentData');
  const place = (who: string) => placeOf(textIn(data, who, 'city'), textIn(data, who, 'country'));
  const numbers = [...allIn(order, 'parcels')].map(() => world.number(textIn(data, 'sendingDepot'), 10));
  const today = world.now().toISOString().slice(0, 10).replaceAll('-', '');
  const shipment: Shipment = {
    carrier: carrier.code,
    reference: textIn(data, 'mpsCustomerReferenceNumber1'),
    trackingNumber: `MPS${numbers[0] ?? ''}${today}`,
    origin: place('sender'),
    destination: place('recipient'),
    createdAt: world.now(),
    parcels: [],
    cancelled: false,
    data: { product: textIn(data, 'product') },
  };
  shipment.parcels = allIn(order, 'parcels').map((parcel, index): Parcel => ({
    part: index + 1,
    reference: textIn(parcel, 'customerReferenceNumber1'),
    trackingNumber: numbers[index] ?? '',
    label: {
      carrier: 'SIMULATED DPD',
      service: textIn(data, 'product'),
      trackingNumber: numbers[index] ?? '',
      reference: shipment.reference,
      part: `${index + 1}/${numbers.length}`,
      weight: `${Number(textIn(parcel, 'weight')) / 100} kg`,
      from: linesOf(inside(data, 'sender')),
      to: linesOf(inside(data, 'recipient')),
    },
    labelFormat: 'PDF',
    ...newParcel(),
  }));
  return world.created(shipment);
}

const linesOf = (party: Element | undefined): readonly string[] =>
  [
    textIn(party, 'name1'),
    textIn(party, 'name2'),
    `${textIn(party, 'street')} ${textIn(party, 'houseNo')}`.trim(),
    textIn(party, 'street2'),
    `${textIn(party, 'country')} ${textIn(party, 'zipCode')} ${textIn(party, 'city')}`,
  ].filter((line) => line !== '');

function getTrackingData(asked: Element, _request: CarrierRequest, world: World): CarrierResponse {
  const number = textIn(asked, 'parcelLabelNumber');
  const parcel = world.shipments.findByNumber(number)?.parcels.find((one) => one.trackingNumber === number);
  const events = parcel?.events.filter(({ stage }) => stage !== 'SHIPMENT_CREATED') ?? [];
  const isDelivered = events.some(({ stage }) => stage === 'DELIVERED');
  return answer('ParcelLifeCycleService/2.0', 'getTrackingData', {
    trackingresult: {
      shipmentInfo: {
        status: 'SHIPMENT',
        label: line('Shipment'),
        description: { content: line('We have the data of your parcel.') },
        statusHasBeenReached: parcel !== undefined,
        isCurrentStatus: parcel !== undefined && events.length === 0,
        showContactInfo: false,
      },
      statusInfo: [
        ...events.map((event, index) => describe(event, index === events.length - 1)),
        ...(isDelivered ? [] : [describe(null, false)]),
      ],
    },
  });
}

const line = (content: string): Content => ({ content, bold: false, paragraph: false });

/** An event; without one, the delivery that lies ahead. */
const describe = (event: ParcelEvent | null, isCurrent: boolean): Content => ({
  status: event?.status.code ?? 'Delivered',
  label: line(event?.status.code ?? 'Delivered'),
  description: { content: line(event?.status.description ?? 'Delivered.') },
  statusHasBeenReached: event !== null,
  isCurrentStatus: isCurrent,
  showContactInfo: true,
  location: event ? line(`${event.place.city} (${event.place.country})`) : null,
  date: event ? line(writeTime(event.at)) : null,
});

const brussels = new Intl.DateTimeFormat('en-US', {
  timeZone: 'Europe/Brussels',
  dateStyle: 'short',
  timeStyle: 'medium',
});

/** `8/17/2026 7:11:26 PM`, local to Brussels. */
function writeTime(at: Date): string {
  const part = (type: string): string => brussels.formatToParts(at).find((one) => one.type === type)?.value ?? '';
  const year = at.getUTCFullYear().toString().slice(0, 2) + part('year');
  const clock = `${part('hour')}:${part('minute')}:${part('second')} ${part('dayPeriod')}`;
  return `${part('month')}/${part('day')}/${year} ${clock}`;
}
