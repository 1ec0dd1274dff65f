/** A carrier that nobody has described yet, as most carriers are. */
import type { Material } from './read.ts';
import { type Answer, answerOf, type Body, type BodyFormat, type Call, type Method } from './sample.ts';
import { type BodyShape, shapeOfSample } from './shape.ts';

const ADDRESS = Object.fromEntries(
  ['name', 'company', 'street', 'postalCode', 'city', 'country', 'phone', 'email'].map((name) => [name, '']),
);
const PARCEL = { reference: '', weightKg: 1, lengthCm: 1, widthCm: 1, heightCm: 1 };
const REQUEST = { reference: '', service: '', sender: ADDRESS, receiver: ADDRESS, parcels: [PARCEL] };
/** As a document describes it: no value is anybody's. */
const unshown = (shape: BodyShape): BodyShape =>
  shape.kind === 'map'
    ? { ...shape, fields: shape.fields.map((field) => ({ ...field, shape: unshown(field.shape) })) }
    : shape.kind === 'list'
      ? { ...shape, of: shape.of.map(unshown) }
      : { kind: 'scalar', type: shape.type };

const answerWith = (value: unknown, status = 200): Answer => answerOf(status, Buffer.from(JSON.stringify(value)));

const call = (
  about: string,
  method: Method | undefined,
  url: string | undefined,
  answers: readonly Answer[],
  request?: Body,
): Call => ({ from: '', about, method, url, headers: {}, request, answers });

/** The defaults for a carrier without any document: requests and answers as most carriers have them. */
export const usual = (format: BodyFormat = 'json'): Material => {
  const shape = unshown(shapeOfSample(format === 'xml' || format === 'soap' ? { ShipmentRequest: REQUEST } : REQUEST));
  const statuses = [
    'CREATED',
    'PICKED_UP',
    'IN_TRANSIT',
    'OUT_FOR_DELIVERY',
    'DELIVERED',
    'DELIVERY_FAILED',
    'RETURNED',
  ];
  const answers = [
    answerWith({ trackingNumber: 'EX100001', labelUrl: 'https://labels.example/1.pdf' }),
    answerWith({ code: 'example', message: 'example' }, 422),
  ];
  return {
    calls: [
      call('create shipment', 'post', '/shipments', answers, {
        format,
        isShown: false,
        shape,
        ...(format === 'soap' ? { soap: { namespaces: {} } } : {}),
      }),
      call('cancel shipment', 'delete', '/shipments/{trackingNumber}', []),
      call('statuses', undefined, undefined, [answerWith({ events: statuses.map((status) => ({ status })) })]),
    ],
    documents: [],
    ignored: [],
  };
};
