/** What is known of a carrier before anybody has written anything: from a person, a document, or samples. */
import { type BodyShape, type Leaf, leavesOf, phrasesOf, shapeOfSample, wordsIn } from './shape.ts';

export const AUTHS = ['none', 'basic', 'bearer', 'apiKey', 'oauth2'] as const;
export type AuthKind = (typeof AUTHS)[number];
export const BODY_FORMATS = ['json', 'xml', 'form'] as const;
export type BodyFormat = (typeof BODY_FORMATS)[number];

export interface DescribedCall {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With `{name}` where a value stands. */
  readonly path: string;
  readonly request: BodyShape | undefined;
  readonly response: BodyShape | undefined;
}

export interface Described {
  readonly code: string;
  readonly name: string;
  readonly url: string;
  readonly sandboxUrl: string | undefined;
  readonly auth: AuthKind;
  /** Of an API key: where it travels. */
  readonly authHeader: string;
  readonly tokenUrl: string;
  readonly format: BodyFormat;
  readonly create: DescribedCall;
  readonly cancel: DescribedCall | undefined;
  readonly track: DescribedCall | undefined;
  /** Of a refusal. */
  readonly error: BodyShape | undefined;
  readonly statuses: readonly string[];
}

const ADDRESS = Object.fromEntries(
  ['name', 'company', 'street', 'postalCode', 'city', 'country', 'phone', 'email'].map((name) => [name, 'example']),
);
const PARCEL = { reference: 'example', weightKg: 1, lengthCm: 1, widthCm: 1, heightCm: 1 };
const REQUEST = { reference: 'example', service: 'example', sender: ADDRESS, receiver: ADDRESS, parcels: [PARCEL] };

/** The defaults for a carrier without any document: requests and answers as most carriers have them. */
export const usual = (): Pick<Described, 'create' | 'cancel' | 'track' | 'error' | 'statuses'> => ({
  create: {
    method: 'post',
    path: '/shipments',
    request: shapeOfSample(REQUEST),
    response: shapeOfSample({ trackingNumber: 'EX100001', labelUrl: 'example' }),
  },
  cancel: { method: 'delete', path: '/shipments/{trackingNumber}', request: undefined, response: undefined },
  track: undefined,
  error: shapeOfSample({ code: 'example', message: 'example' }),
  statuses: ['CREATED', 'PICKED_UP', 'IN_TRANSIT', 'OUT_FOR_DELIVERY', 'DELIVERED', 'DELIVERY_FAILED', 'RETURNED'],
});

// Finding what matters in an answer ----------------------------------------------------------------------------------

/** The leaf whose path has all words of a phrase; the most certain phrases come first. */
const find = (shape: BodyShape | undefined, phrases: string, except = ''): Leaf | undefined => {
  const leaves = (shape === undefined ? [] : leavesOf(shape)).map((leaf) => ({
    leaf,
    words: leaf.path.flatMap(wordsIn),
  }));
  const others = except.split(' ');
  for (const phrase of phrasesOf(phrases)) {
    const found = leaves.find(
      ({ words }) => phrase.every((word) => words.includes(word)) && !others.some((word) => words.includes(word)),
    );
    if (found !== undefined) return found.leaf;
  }
  return undefined;
};

export const findTrackingNumber = (shape: BodyShape | undefined): Leaf | undefined =>
  find(
    shape,
    'tracking number, tracking code, tracking id, tracking, parcel number, consignment number, shipment number, ' +
      'waybill, awb, barcode, number, parcel id, shipment id, order id',
    'url link href',
  );

export const findLabelField = (
  shape: BodyShape | undefined,
): { readonly leaf: Leaf; readonly as: 'url' | 'content' } | undefined => {
  const url = find(shape, 'label url, label link, label href, document url, labels url');
  if (url !== undefined) return { leaf: url, as: 'url' };
  const content = find(
    shape,
    'label content, label data, label base, label pdf, label image, document content, label',
    'format type size',
  );
  if (content === undefined) return undefined;
  return { leaf: content, as: /^https?:\/\//.test(String(content.shape.example)) ? 'url' : 'content' };
};

export const findMessage = (shape: BodyShape | undefined): Leaf | undefined =>
  find(shape, 'error message, message, error description, description, detail, error, title');

export const findErrorCode = (shape: BodyShape | undefined): Leaf | undefined => find(shape, 'error code, code, type');

export const findEvents = (shape: BodyShape | undefined) => {
  const code = find(
    shape,
    'events status code, events code, status code, event code, events status, status, code, events type',
  );
  return code === undefined
    ? undefined
    : {
        code,
        description: find(shape, 'status description, event description, description, message, text'),
        time: find(shape, 'timestamp, occurred at, event time, date time, time, date, created at, at'),
        place: find(shape, 'location name, location, city, place, facility'),
      };
};
