/** An endpoint that a carrier built by the contract, as it should be; whatever is wrong with one is laid over it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Listening, listenLocally, textOf } from '../../flow/carrier.ts';

// oxlint-disable-next-line typescript/no-explicit-any
export type Loose = any;

export interface Answered {
  readonly status: number;
  readonly body: Loose;
  readonly type?: string;
}

interface Label {
  readonly status: number;
  readonly bytes: Buffer;
}

/** What a wrong endpoint does otherwise. */
export interface Faults {
  /** Instead of looking at the credentials. */
  readonly denied?: (headers: IncomingMessage['headers']) => Answered | undefined;
  /** More to refuse, or less: of the errors found. */
  readonly errors?: (found: readonly string[], body: Loose) => readonly string[];
  readonly refusal?: (answered: Answered) => Answered;
  readonly success?: (answered: Answered, body: Loose) => Answered;
  readonly trackingNumber?: (number: string, item: Loose) => unknown;
  /** Whether a CREATE, an UPDATE or a CANCEL finds what was created. */
  readonly finds?: (found: boolean, action: string) => boolean;
  readonly label?: (label: Label, format: string, asks: number) => Label;
  /** What becomes of a push: its body, text or JSON; undefined: it is not sent. */
  readonly push?: (update: Loose, headers: Record<string, string>) => unknown;
  /** Before anything else; true: that was all. */
  readonly strikes?: (body: Loose, response: ServerResponse) => boolean;
}

const MANDATORY = (
  'referenceId orderNumber consignmentNumber typeOfOrder typeOfService typeOfAction carrierCode originName ' +
  'originContactNumber originAddressLine1 originCity originCountry originPostalCode destinationContactNumber ' +
  'destinationAddressLine1 destinationCity destinationCountry destinationPostalCode numberOfShipments totalQuantity ' +
  'totalWeight uomTotalWeight shippingDateTime itemList'
).split(' ');
const OF_ITEM = ['itemReferenceNumber', 'itemQuantity', 'itemWeight', 'itemWeightUom'];

const errorsIn = (body: Loose): string[] => [
  ...MANDATORY.filter((field) => body[field] === undefined).map((field) => `${field} is required`),
  ...(body.itemList ?? []).flatMap((item: Loose) =>
    OF_ITEM.filter((field) => item[field] === undefined).map((field) => `itemList.${field} is required`),
  ),
  ...(body.typeOfOrder === 'SIDEWAYS' ? ['typeOfOrder must be FORWARD or REVERSE'] : []),
];

export const DOCUMENTS: Readonly<Record<string, Buffer>> = {
  PDF: Buffer.from('%PDF-1.4\n%%EOF\n'),
  ZPL: Buffer.from('^XA^FO10,10^FDlabel^FS^XZ'),
  PNG: Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    Buffer.alloc(4),
    Buffer.from('IEND'),
    Buffer.alloc(4),
  ]),
};

const ON_THE_WAY = ['SHIPMENT_CREATED', 'PICKED_UP', 'IN_TRANSIT', 'AT_HUB', 'OUT_FOR_DELIVERY'];
/** Of the first shipment, and of the second. */
const JOURNEYS = [
  [...ON_THE_WAY, 'DELIVERED'],
  [...ON_THE_WAY, 'DELIVERY_FAILED', 'RETURNED_TO_ORIGIN'],
];

export interface Endpoint extends Listening {
  /** Where statuses are pushed, and with which token. */
  pushTo(url: string, token: string): void;
  /** Resolves when all is pushed that is to be. */
  settled(): Promise<void>;
  /** References of shipments that are not cancelled. */
  readonly live: () => readonly string[];
}

/** `proof`: the header that has to be there, and its value. */
export const startEndpoint = async (
  faults: Faults = {},
  [header, value]: readonly [string, string] = ['authorization', 'Bearer endpoint-token'],
): Promise<Endpoint> => {
  const shipments = new Map<string, { numbers: Map<string, unknown>; isCancelled: boolean }>();
  const asks = new Map<string, number>();
  let target: { readonly url: string; readonly token: string } | undefined;
  let [made, numbers] = [0, 0];
  let pushing: Promise<unknown> = Promise.resolve();

  const pushOne = async (body: Loose, number: string, carrierStatusCode: string): Promise<void> => {
    if (target === undefined) return;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${target.token}` };
    const update = {
      orderNo: body.orderNumber,
      type: 'Tracking',
      value: number,
      consignmentNumber: body.consignmentNumber,
      carrierCode: body.carrierCode,
      carrierStatus: carrierStatusCode,
      carrierStatusCode,
      statusReceivedAt: '2026-05-04 12:00:00',
      eventTimezone: 'Europe/Berlin',
      extraInfo: { comments: 'at the door', pod: [{ type: 'PHOTO', url: 'https://example.com/pod.jpg' }] },
      info: { scanner: 7 },
    };
    const pushed = faults.push === undefined ? update : faults.push(update, headers);
    if (pushed === undefined) return;
    const text = typeof pushed === 'string' ? pushed : JSON.stringify(pushed);
    // The one who is to hear may be gone.
    await fetch(target.url, { method: 'POST', headers, body: text }).then(
      (came) => came.arrayBuffer(),
      () => {},
    );
  };

  const journey = (body: Loose, number: unknown, statuses: readonly string[]): void => {
    for (const status of statuses) pushing = pushing.then(async () => await pushOne(body, String(number), status));
  };

  const numbersFor = (body: Loose, known: Map<string, unknown>): Map<string, unknown> =>
    new Map(
      body.itemList.map((item: Loose) => {
        const fresh = known.get(item.itemReferenceNumber) ?? item.itemTrackingNumber ?? `TRACK${(numbers += 1)}`;
        return [item.itemReferenceNumber, faults.trackingNumber?.(String(fresh), item) ?? fresh];
      }),
    );

  const act = (body: Loose, base: string): Answered => {
    const errors = faults.errors?.(errorsIn(body), body) ?? errorsIn(body);
    const timestamp = Date.now();
    const refuse = (messages: readonly string[]): Answered => {
      const refused = {
        status: 400,
        body: { status: 400, referenceId: body.referenceId, timestamp, errors: messages },
      };
      return faults.refusal?.(refused) ?? refused;
    };
    if (errors.length > 0) return refuse(errors);
    const action: string = body.typeOfAction;
    const known = shipments.get(body.referenceId);
    const isFound = faults.finds?.(known !== undefined, action) ?? known !== undefined;
    if (action !== 'CREATE' && !isFound) return refuse(['no shipment has this referenceId']);
    const shipment = (isFound ? known : undefined) ?? { numbers: new Map<string, unknown>(), isCancelled: false };
    shipment.isCancelled = action === 'CANCEL';
    if (action !== 'CANCEL') shipment.numbers = numbersFor({ itemList: [], ...body }, shipment.numbers);
    shipments.set(String(body.referenceId), shipment);
    const [first] = shipment.numbers.values();
    if (action === 'CREATE' && known === undefined) journey(body, first, JOURNEYS[made++] ?? []);
    const itemsTrackDetails = [...shipment.numbers].map(([itemReferenceNumber, trackingNumber]) => ({
      itemReferenceNumber,
      trackingNumber,
      labelUrl: `${base}/labels/${String(trackingNumber)}.${body.labelFormat ?? 'PDF'}?${itemReferenceNumber}`,
      carrierCode: body.carrierCode,
      orderNumber: body.orderNumber,
    }));
    const answered = {
      status: 200,
      body: { status: 200, referenceId: body.referenceId, timestamp, itemsTrackDetails },
    };
    return faults.success?.(answered, body) ?? answered;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = '/', headers } = request;
    const base = `http://${headers.host}`;
    const [path = ''] = url.split('?');
    if (path.startsWith('/labels/')) {
      const format = path.split('.').at(-1) ?? '';
      asks.set(url, (asks.get(url) ?? 0) + 1);
      const served = { status: 200, bytes: DOCUMENTS[format] ?? Buffer.alloc(0) };
      const { status, bytes } = faults.label?.(served, format, asks.get(url) ?? 0) ?? served;
      response.writeHead(status).end(bytes);
      return;
    }
    const reply = ({ status, body, type = 'application/json' }: Answered): void => {
      response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
    };
    const text = await textOf(request);
    if (method !== 'POST' || path !== '/consignments') return reply({ status: 404, body: {} });
    const isKnown = headers[header] === value;
    const denied = faults.denied === undefined ? !isKnown && { status: 401, body: {} } : faults.denied(headers);
    if (denied) return reply(denied);
    const body: Loose = JSON.parse(text);
    if (faults.strikes?.(body, response) === true) return;
    reply(act(body, base));
  };

  const listening = await listenLocally(handle);
  return {
    url: `${listening.url}/consignments`,
    close: listening.close,
    pushTo: (url, token) => void (target = { url, token }),
    settled: async () => void (await pushing),
    live: () => [...shipments].flatMap(([reference, { isCancelled }]) => (isCancelled ? [] : [reference])),
  };
};
